//! Progress while the database of an earlier version is converted: one line of a terminal that is overwritten as it
//! goes on.

use std::io::{self, Write};

use orion_protocol::Preparing;

use crate::terminal::{rewrites, size};

/// Says it on standard error, where that is a terminal on which a line can be overwritten: a script has no use for it.
pub(crate) fn tell(preparing: Preparing) {
    if rewrites() {
        let mut stderr = io::stderr().lock();
        // A closed standard error is no reason to stop.
        _ = write!(stderr, "\r\x1b[K{}", line(preparing));
        _ = stderr.flush();
    }
}

fn line(preparing: Preparing) -> String {
    match preparing {
        Preparing::Converting { bytes, written: 0 } => {
            format!("Converting the database, once: {} …", size(bytes))
        }
        Preparing::Converting { bytes, written } => {
            format!("Converting the database, once: {} of {}", size(written), size(bytes))
        }
        Preparing::Waiting => "Waiting for another Orion that converts the database …".to_owned(),
        Preparing::Done => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_known_and_goes_away_at_the_end() {
        let lines = [
            Preparing::Converting { bytes: 231_000_000, written: 0 },
            Preparing::Converting { bytes: 231_000_000, written: 4_200_000 },
            Preparing::Waiting,
            Preparing::Done,
        ]
        .map(line);
        assert_eq!(
            lines,
            [
                "Converting the database, once: 231 MB …",
                "Converting the database, once: 4.2 MB of 231 MB",
                "Waiting for another Orion that converts the database …",
                ""
            ]
        );
    }
}
