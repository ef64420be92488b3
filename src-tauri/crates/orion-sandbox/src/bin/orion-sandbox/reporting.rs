//! The helper's reports to the library: a line of JSON for each report, on its standard error.

use std::io::{self, Write};

use orion_sandbox::wire::Report;

pub(crate) fn report(report: &Report) {
    if let Ok(line) = serde_json::to_string(report) {
        // Nobody may be there any more to read it.
        let _ = writeln!(io::stderr(), "{line}");
    }
}
