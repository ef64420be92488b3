//! The line ends of a text.

use orion_core::lines::Ending;

/// What the lines of a text end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnds {
    /// One line without an end, or no text at all.
    None,
    Lf,
    Crlf,
    /// LF and CRLF.
    Mixed,
    /// CR alone, as on old Macs. Beside other line ends lone ones are characters like any other.
    Cr,
}

impl LineEnds {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut ends = Self::None;
        if Ending::of(text) == Ending::Cr {
            // LF and CRLF may come far behind the first CR.
            return if text.contains('\n') { Self::Mixed } else { Self::Cr };
        }
        for (at, _) in text.match_indices('\n') {
            let crlf = at > 0 && text.as_bytes()[at - 1] == b'\r';
            ends = ends.and(if crlf { Self::Crlf } else { Self::Lf });
            if ends == Self::Mixed {
                return ends;
            }
        }
        ends
    }

    /// The line ends of two texts, one after the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, ends) | (ends, Self::None) => ends,
            (a, b) if a == b => a,
            _ => Self::Mixed,
        }
    }

    /// As the preview names them.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::Crlf => "CRLF",
            Self::Cr => "CR",
            Self::Mixed => "mixed",
        }
    }

    /// The line end that every line is to have, if there is one.
    pub(super) fn uniform(self) -> Option<&'static str> {
        match self {
            Self::Lf => Some("\n"),
            Self::Crlf => Some("\r\n"),
            Self::Cr => Some("\r"),
            Self::None | Self::Mixed => None,
        }
    }

    /// Those of a text after [`Self::apply`].
    pub(super) fn applied_to(self, text: &str) -> Self {
        match (self.uniform(), Self::of(text)) {
            (None, sent) | (Some(_), sent @ (Self::None | Self::Cr)) => sent,
            (Some("\n" | "\r\n"), Self::Mixed) if Ending::of(text) == Ending::Cr => Self::Mixed,
            (Some(_), Self::Lf | Self::Crlf | Self::Mixed) => self,
        }
    }

    /// Gives a text piece by piece, each line ended as these ask for, and where in the text each piece is from. Mixed
    /// ends and none at all need no change: the text is returned as it is.
    pub(super) fn apply<'a>(self, text: &'a str, mut piece: impl FnMut(usize, &'a str)) {
        let Some(end) = self.uniform() else { return piece(0, text) };
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                None => piece(offset, line),
                Some(body) => {
                    let body = match self {
                        // More than one carriage return is removed, since a remaining one would make a CRLF of the
                        // LF.
                        Self::Lf => body.trim_end_matches('\r'),
                        _ => body.strip_suffix('\r').unwrap_or(body),
                    };
                    piece(offset, body);
                    piece(offset + line.len() - 1, end);
                }
            }
            offset += line.len();
        }
    }
}

/// Lines of a text; a last one without an end counts.
pub(super) fn lines(text: &str) -> u64 {
    Ending::of(text).split(text).count() as u64
}

#[cfg(test)]
mod tests {
    use super::{LineEnds, lines};

    fn applied(ends: LineEnds, text: &str) -> String {
        let mut all = String::new();
        ends.apply(text, |_, piece| all.push_str(piece));
        all
    }

    #[test]
    fn line_ends_are_told_apart() {
        for (text, ends) in [
            ("", LineEnds::None),
            ("a", LineEnds::None),
            ("a\n", LineEnds::Lf),
            ("\n", LineEnds::Lf),
            ("a\r\nb", LineEnds::Crlf),
            ("\r\n", LineEnds::Crlf),
            ("a\r\nb\n", LineEnds::Mixed),
            ("a\nb\r\n", LineEnds::Mixed),
            ("a\rb\r", LineEnds::Cr),
            ("a\rb\n", LineEnds::Lf),
        ] {
            assert_eq!(LineEnds::of(text), ends, "{text:?}");
        }
    }

    #[test]
    fn a_text_gets_the_line_ends_of_the_file_and_nothing_else_changes() {
        let sent = "a\nb\r\n\r\n\n c\rd\r\r\ne";
        assert_eq!(applied(LineEnds::Lf, sent), "a\nb\n\n\n c\rd\ne");
        assert_eq!(applied(LineEnds::Crlf, sent), "a\r\nb\r\n\r\n\r\n c\rd\r\r\ne");
        assert_eq!(applied(LineEnds::Mixed, sent), sent);
        assert_eq!(applied(LineEnds::None, sent), sent);
    }

    #[test]
    fn the_line_ends_that_a_text_gets_are_known_without_looking_at_it_again() {
        for ends in [LineEnds::None, LineEnds::Lf, LineEnds::Crlf, LineEnds::Mixed, LineEnds::Cr] {
            for text in ["", "a", "a\n", "a\r\n", "a\nb\r\n", "a\rb", "a\rb\n", "a\r\r\n"] {
                assert_eq!(ends.applied_to(text), LineEnds::of(&applied(ends, text)), "{ends:?} {text:?}");
            }
        }
    }

    #[test]
    fn each_piece_says_where_in_the_text_it_is_from() {
        let mut pieces = Vec::new();
        LineEnds::Crlf.apply("ab\nc\r\nd", |offset, piece| pieces.push((offset, piece)));
        assert_eq!(pieces, [(0, "ab"), (2, "\r\n"), (3, "c"), (5, "\r\n"), (6, "d")]);
    }

    #[test]
    fn a_last_line_without_an_end_is_a_line() {
        assert_eq!(["", "\n", "a", "a\n", "a\nb"].map(lines), [0, 1, 1, 1, 2]);
    }
}
