//! The clock, against what servers say and what is in the journal.

use orion_protocol::{Finding, Subject, TroubleKind};

/// From here on certificates and signed requests begin to fail: AWS refuses requests that are 5 minutes off.
const MOST_S: i64 = 300;

/// `times` are the seconds by which servers are ahead of this computer; `newest_ms` is when the newest turn began.
pub(super) fn look(times: &[i64], newest_ms: Option<i64>) -> Finding {
    let now_s = jiff::Timestamp::now().as_second();
    // Of several servers one may be wrong itself: the nearest one counts.
    let off = times.iter().copied().min_by_key(|off| off.abs());
    let behind = newest_ms.map(|newest| newest / 1_000 - now_s).filter(|behind| *behind > MOST_S);
    match (off, behind) {
        (Some(off), _) if off.abs() > MOST_S => wrong(off, "by what servers say"),
        (_, Some(behind)) => wrong(behind, "by the last session"),
        (Some(_), None) => Finding::fine(Subject::Clock, "as servers have it"),
        (None, None) => {
            Finding::fine(Subject::Clock, "not before the last session; no server to compare it with")
        }
    }
}

fn wrong(off_s: i64, by: &str) -> Finding {
    let direction = if off_s > 0 { "behind" } else { "ahead" };
    let seconds = off_s.unsigned_abs();
    let (number, unit) = match seconds {
        0..7_200 => (seconds / 60, "minutes"),
        7_200..172_800 => (seconds / 3_600, "hours"),
        _ => (seconds / 86_400, "days"),
    };
    Finding::troubled(
        Subject::Clock,
        format!("{number} {unit} {direction}, {by}"),
        TroubleKind::ClockWrong,
        "Set the clock, best by the network (timedatectl set-ntp true): certificates are refused otherwise, and sessions are sorted wrongly.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_wrong_by_servers_or_by_the_journal() {
        let now_ms = jiff::Timestamp::now().as_millisecond();
        assert_eq!(look(&[2, -1], Some(now_ms)).trouble, None);
        assert_eq!(look(&[], None).trouble, None);
        assert_eq!(look(&[7_300, 7_200], None).says, "2 hours behind, by what servers say");
        assert_eq!(look(&[4, 7_200], None).trouble, None);
        assert_eq!(look(&[-400], None).says, "6 minutes ahead, by what servers say");
        let tomorrow = now_ms + 3 * 86_400_000 + 60_000;
        assert_eq!(look(&[0], Some(tomorrow)).says, "3 days behind, by the last session");
        assert_eq!(look(&[900_000_000], None).trouble.map(|it| it.kind), Some(TroubleKind::ClockWrong));
    }
}
