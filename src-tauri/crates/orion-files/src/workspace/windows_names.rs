//! Names that lead to another file on Windows.
//!
//! Windows takes `aux.txt` for a device, `a.txt:x` for a stream of `a.txt`, `.git.` and `.git ` for `.git`, and `GIT~1`
//! for the short form of `.git`. Rules that compare names (`.orionignore`, files that always ask) would not see where
//! such a path leads, so it is refused. On other systems these are ordinary names. Deliberately not here: upper and
//! lower case. Names are compared without regard to case wherever the system does so.

/// The names of devices, in any case and with any ending. `COM` and `LPT` take one digit.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// Characters that are in no file's name on Windows. `:` begins the name of a stream; `/` and `\` stand between names.
const FORBIDDEN: [char; 6] = ['<', '>', '"', '|', '?', '*'];

/// What is wrong with one name of a path, as it follows "The path …"; none for most names.
pub(super) fn fault(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ');
    if name.contains(':') {
        return Some("names a drive or a stream of a file");
    }
    if name.contains(FORBIDDEN) || name.chars().any(|c| u32::from(c) < 0x20) {
        return Some("holds a character that names do not have on Windows");
    }
    if name.ends_with(['.', ' ']) {
        return Some("has a name that ends with a dot or a space, which Windows leaves out");
    }
    if is_device(stem) {
        return Some("names a device of Windows");
    }
    is_short(name).then_some("may be the short form of another name")
}

fn is_device(stem: &str) -> bool {
    let numbered = |port: &str| {
        let mut rest = stem.get(port.len()..).unwrap_or_default().chars();
        let is_port = stem.get(..port.len()).is_some_and(|start| start.eq_ignore_ascii_case(port));
        is_port && matches!((rest.next(), rest.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    };
    DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device)) || numbered("COM") || numbered("LPT")
}

/// `GIT~1`, `PROGRA~2.TXT`: what Windows names a file beside its own name. At most eight characters, three after the dot.
fn is_short(name: &str) -> bool {
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let number = stem.rsplit_once('~').map(|(_, number)| number);
    let is_number =
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()));
    is_number && stem.chars().count() <= 8 && ending.chars().count() <= 3 && !ending.contains('.')
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn a_name_that_leads_elsewhere_is_told_from_one_that_looks_like_it() {
        let device = Some("names a device of Windows");
        let stream = Some("names a drive or a stream of a file");
        let dropped = Some("has a name that ends with a dot or a space, which Windows leaves out");
        let short = Some("may be the short form of another name");
        let character = Some("holds a character that names do not have on Windows");
        for (name, wrong) in [
            ("aux", device),
            ("AUX.txt", device),
            ("nul .tar.gz", device),
            ("Com1", device),
            ("lpt9.log", device),
            ("COM²", device),
            ("conin$", device),
            ("com10", None),
            ("comb", None),
            ("console", None),
            ("auxiliary.rs", None),
            ("nul-er", None),
            ("a.txt:x", stream),
            ("a.txt::$DATA", stream),
            ("C:", stream),
            (".git.", dropped),
            (".git ", dropped),
            ("a.txt. .", dropped),
            ("...", dropped),
            ("GIT~1", short),
            ("progra~2.txt", short),
            ("A~123456", short),
            ("backup~", None),
            ("a~b", None),
            ("longer-name~1", None),
            ("notes~1.html", None),
            ("v~1.2.3", None),
            ("a?.txt", character),
            ("a\u{1}b", character),
            (".gitignore", None),
            ("日本語.md", None),
        ] {
            assert_eq!(fault(name), wrong, "{name:?}");
        }
    }
}
