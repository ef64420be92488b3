//! Names without regard to letter case: on many disks `.GitHub` is `.github`.
//!
//! A disk may take more for the same letter than `A` and `a`. APFS takes `ſ` for `s` and `ﬁ` for `fi`, HFS+ leaves out
//! characters without a width, and both take a composed letter for a decomposed one (`é` is `e` and an accent). So a rule
//! about a file that is closed or that asks also holds for every other name that some disk takes for the same. Deliberately
//! not here: what a disk really does (`Project::ignores_case`).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use orion_core::invisible::is_invisible;
use unicode_normalization::UnicodeNormalization;

/// A name without letter case and without characters that have no width, its letters composed (NFC).
pub(crate) fn folded(name: &OsStr) -> String {
    let text = name.to_string_lossy();
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible: String = text.chars().filter(|&c| !is_left_out(c)).nfd().collect();
    // Some letters are one with others only in capitals (`ſ`, `ﬁ`), and `ẞ` is one with `ss` only once it is `ß`.
    // Composed again, since one letter is one `?` of a pattern.
    visible.to_lowercase().to_uppercase().to_lowercase().nfc().collect()
}

/// A name as it looks: one space for each, and none that is not seen, its letters composed and without case.
pub(super) fn looks(name: &OsStr) -> String {
    let seen = |c: char| if c.is_whitespace() { Some(' ') } else { (!is_invisible(c)).then_some(c) };
    let text: String = name.to_string_lossy().nfkc().filter_map(seen).collect();
    folded(OsStr::new(&text))
}

/// What HFS+ leaves out of names: characters that join, set apart or turn the direction, and the byte order mark.
fn is_left_out(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Whether a name is a spelling of this one, which is ASCII in lower case.
pub(crate) fn is_spelling(name: &OsStr, of: &str) -> bool {
    name.eq_ignore_ascii_case(of) || (!name.is_ascii() && folded(name) == of)
}

/// The names that lead from a folder to a path in it; none for the folder itself. None for a path elsewhere.
pub(crate) fn names_below(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut names = path.components();
    for component in folder.components() {
        let name = names.next()?.as_os_str();
        if name != component.as_os_str() && folded(name) != folded(component.as_os_str()) {
            return None;
        }
    }
    Some(names.as_path().to_path_buf())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::{Path, PathBuf};

    use unicode_normalization::UnicodeNormalization;

    use super::{folded, is_spelling, names_below};

    #[test]
    fn all_spellings_of_a_name_that_a_disk_takes_for_one_are_one() {
        for (name, plain) in [
            ("HooKS", "hooks"),
            ("hook\u{17f}", "hooks"),
            (".v\u{17f}code", ".vscode"),
            ("con\u{fb01}g", "config"),
            (".vimrc\u{feff}", ".vimrc"),
            (".g\u{200c}it", ".git"),
            (".\u{212a}iro", ".kiro"),
            ("mi\u{df}", "miss"),
            ("mi\u{1e9e}", "miss"),
            ("\u{fb05}art", "start"),
        ] {
            assert_eq!(folded(OsStr::new(name)), plain, "{name}");
            assert!(is_spelling(OsStr::new(name), plain), "{name}");
        }
    }

    #[test]
    fn composed_and_decomposed_letters_are_one_in_any_case() {
        for c in '\0'..=char::MAX {
            let composed = c.to_string();
            let decomposed: String = composed.nfd().collect();
            // Nine tenths of all characters have neither a case nor parts.
            if decomposed == composed && c.to_lowercase().eq([c]) && c.to_uppercase().eq([c]) {
                continue;
            }
            let once = folded(OsStr::new(&composed));
            for same in [decomposed, composed.to_lowercase(), composed.to_uppercase(), once.clone()] {
                assert_eq!(folded(OsStr::new(&same)), once, "{c:?} and {same:?}");
            }
        }
        assert_eq!(["CAFÉ", "cafe\u{301}"].map(|name| folded(OsStr::new(name))), ["café", "café"]);
    }

    #[test]
    fn a_path_is_below_a_folder_in_any_case_and_only_by_whole_names() {
        let below = |folder: &str, path: &str| names_below(Path::new(folder), Path::new(path));
        assert_eq!(below("", "a/b"), Some(PathBuf::from("a/b")));
        assert_eq!(below("A", "a/B"), Some(PathBuf::from("B")));
        assert_eq!(below("/a", "/a"), Some(PathBuf::new()));
        assert_eq!(below("a", "ab/c"), None);
        assert_eq!(below("a/b", "a"), None);
    }
}
