//! What rules say of a write (A1): of the path that the model named, and of the place that it leads to.

use orion_core::permission::{Rule, Rules, ToolRules};
use orion_core::tool::{Opening, ToolOutcome};
use orion_core::turn::{Proposed, TurnSetup, Verdict};
use orion_protocol::{AskedBy, PendingOf, Permission, Policy, Reply, TurnEvent, WriteProposal, WriteState};
use serde_json::json;

use crate::acts::{fault, opening, ready};
use crate::common::{Played, WRITE_PLAN_BEGIN, call, found, replied, setup, text, writing_is};
use crate::turn_writes::state;

use Permission::{Allow, Ask, Deny};

/// A session whose content waits for its proposal: what the tool and the person's rules permit, what the model called the file, and what it is.
fn written(tool: Permission, rules: &[(&str, Permission)], named: &str, opens: Opening) -> Played {
    let rule = |(path, permission): &(&str, Permission)| Rule {
        pattern: Some((*path).to_owned().try_into().unwrap()),
        permission: *permission,
    };
    let user = rules.iter().map(rule).collect();
    let tools = [(WRITE_PLAN_BEGIN.to_owned(), ToolRules { user, project: Vec::new() })].into();
    let setup = TurnSetup { rules: Rules { tools, ..Rules::default() }, ..setup(Policy::two_stage()) };
    let mut played = Played::start(writing_is(tool, setup));
    played.says([call(0, "w", WRITE_PLAN_BEGIN, &json!({ "path": named }).to_string())]);
    played.tool(ToolOutcome { opens: Some(Box::new(opens)), ..found("open") });
    played.answers([text("one\nDONE")]);
    played
}

/// A file that is named by a link to this place.
fn leading_to(path: &str, real: &str) -> Opening {
    Opening { real: Some(real.to_owned()), ..opening(path) }
}

fn propose(played: &mut Played, differs: impl FnOnce(&mut WriteProposal)) {
    let Proposed::Ready { mut proposal, draft } = ready("one\n") else { panic!() };
    differs(&mut proposal);
    played.proposed(Proposed::Ready { proposal, draft });
}

/// By whose word the write is asked about, and the rule that an approval would be kept as. None where it is written unasked.
fn asked(played: &Played) -> Option<(AskedBy, Option<&str>)> {
    assert!(matches!(state(played), Some(WriteState::Writing | WriteState::AwaitingApproval)));
    played.events().find_map(|event| match event {
        TurnEvent::Asked { of: PendingOf::Write { by, keeps, .. }, .. } => Some((*by, keeps.as_deref())),
        _ => None,
    })
}

#[test]
fn a_link_is_judged_by_the_place_that_it_leads_to_as_well() {
    // A1
    let by_user = Some((AskedBy::User, None));
    for (rule, expected) in [
        (("there/**", Deny), by_user),
        (("there/**", Ask), by_user),
        (("there/**", Allow), None),
        (("elsewhere/**", Deny), None),
    ] {
        // A name that is shown quoted, as the model wrote it and as it is shown.
        for (named, shown, real) in [
            ("link", "link", "there/a"),
            ("li\tnk", r#""li\tnk""#, "there/a"),
            ("link", "link", r#""there/a\tb""#),
        ] {
            let mut played = written(Allow, &[rule], named, leading_to(shown, real));
            propose(&mut played, |_| {});
            assert_eq!(asked(&played), expected, "{rule:?} {named:?} {real:?}");
        }
    }
    // The path became a link while the content came.
    for (rule, expected) in [(("there/**", Deny), by_user), (("there/**", Allow), None)] {
        let mut played = written(Allow, &[rule], "a", opening("a"));
        propose(&mut played, |it| it.leads_to = Some("there/a".to_owned()));
        assert_eq!(asked(&played), expected, "{rule:?}");
    }
    // What may be written there is not what may be written here.
    let mut played = written(Allow, &[("link", Ask)], "link", leading_to("link", "there/a"));
    propose(&mut played, |_| {});
    assert_eq!(asked(&played), by_user);
}

#[test]
fn a_write_that_always_asks_says_so_whatever_the_rules_say() {
    // A1, W6
    for (always, by) in [(None, AskedBy::User), (Some("It can run code later."), AskedBy::Always)] {
        let mut played = written(Allow, &[("a", Ask)], "a", opening("a"));
        propose(&mut played, |it| it.always_asks = always.map(str::to_owned));
        assert_eq!(asked(&played), Some((by, None)));
    }
}

#[test]
fn an_approval_is_kept_only_where_keeping_it_would_spare_a_question() {
    // A1
    let keeps = |opens: Opening, differs: fn(&mut WriteProposal)| {
        let mut played = written(Ask, &[], "a", opens);
        propose(&mut played, differs);
        let (by, keeps) = asked(&played).unwrap();
        assert_eq!(by == AskedBy::Always, by != AskedBy::Default);
        keeps.map(str::to_owned)
    };
    assert_eq!(keeps(opening("a"), |_| {}).as_deref(), Some("a"));
    assert_eq!(keeps(opening("a"), |it| it.faults = vec![fault()]), None);
    assert_eq!(keeps(opening("a"), |it| it.always_asks = Some("It can run code later.".to_owned())), None);
    assert_eq!(keeps(leading_to("a", "there/a"), |_| {}), None);
}

#[test]
fn only_a_yes_to_faults_has_to_say_that_they_were_seen() {
    // W5
    let mut played = written(Ask, &[], "a", opening("a"));
    propose(&mut played, |it| it.faults = vec![fault()]);
    let digest = played.asked.unwrap();
    let verdict = |answer| played.turn.verdict(&replied(digest, answer));
    let yes = Reply::YES;
    let no = Reply::NO;
    assert_eq!((verdict(yes), verdict(no)), (Some(Verdict::Faulty), Some(Verdict::Taken)));
}
