//! Titles of sessions: the beginning of the first message, or what a person typed, on one line.

/// The longest title, in characters: what a sidebar can show on two lines.
const LONGEST: usize = 60;

/// The first words of a text, on one line.
pub(super) fn title_of(text: &str) -> String {
    let mut title = String::new();
    for word in text.split_whitespace() {
        let length = title.chars().count() + 1 + word.chars().count();
        if length > LONGEST {
            if title.is_empty() {
                title.extend(word.chars().take(LONGEST - 1));
            }
            title.push('…');
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_words_on_one_line() {
        let titles = [
            "What is in\n  this folder?",
            "one two three four five six seven eight nine ten eleven twelve thirteen",
            &"a".repeat(100),
            "  ",
        ]
        .map(title_of);
        assert_eq!(
            titles,
            [
                "What is in this folder?".to_owned(),
                "one two three four five six seven eight nine ten eleven…".to_owned(),
                format!("{}…", "a".repeat(59)),
                String::new(),
            ]
        );
    }
}
