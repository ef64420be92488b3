//! The reasons against writing a proposal unseen (W9), in lines.

use orion_protocol::{Code, ErrorInfo, RequestId, WriteProposal};

/// The remarks on a proposal beside its difference: at most so many lines, and one that counts the rest.
pub(crate) fn remarks(proposal: &WriteProposal, most: usize) -> Vec<String> {
    let always = proposal.always_asks.iter().map(|why| format!("Orion always asks about this: {why}."));
    let faults = proposal.faults.iter().map(|fault| {
        format!("Wrong or in doubt at line {}, column {}: {}", fault.line, fault.column, fault.what)
    });
    let removals = proposal
        .removals
        .iter()
        .map(|removal| format!("Perhaps not meant for the file, at line {}: {}", removal.line, removal.text));
    let mut all: Vec<String> = always.chain(faults).chain(removals).collect();
    let more = all.len().saturating_sub(most) as u64 + proposal.more_faults;
    all.truncate(most);
    all.extend((more > 0).then(|| format!("… and at {more} more places")));
    all
}

/// The refusal of an approval that does not say that the person has seen what is wrong (W5).
pub(crate) fn has_faults(request: RequestId, proposal: &WriteProposal) -> ErrorInfo {
    let places = proposal.faults.len() as u64 + proposal.more_faults;
    let message = match places {
        1 => "One place in the content is wrong or in doubt.".to_owned(),
        _ => format!("{places} places in the content are wrong or in doubt."),
    };
    let action =
        format!("Look at them with `orion diff {request}`, then: orion approve {request} --despite-faults");
    ErrorInfo::new(Code::WriteFaulty, message, action).with_detail(remarks(proposal, MOST).join("; "))
}

/// The most lines that are printed about a proposal unasked.
pub(crate) const MOST: usize = 5;
