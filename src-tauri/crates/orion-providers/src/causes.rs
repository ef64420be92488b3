//! What is behind an error.

use std::error::Error;
use std::io;

/// An error and its causes. These include the ones that an I/O error wraps, which `source` leaves out.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    })
}

/// The last cause of an error, which is the one that says most.
pub(crate) fn last(error: &(dyn Error + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}
