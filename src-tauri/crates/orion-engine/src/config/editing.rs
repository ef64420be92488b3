//! Changing a settings file the way a person would: comments and order stay, and the file is whole at any moment.
//!
//! A file that is not valid TOML is never overwritten.

use std::path::Path;

use orion_protocol::{Code, ErrorInfo};
use toml_edit::{DocumentMut, Item, Table, TableLike};

use super::file::{self, Found};
use super::value::Within;
use crate::paths;

pub(super) fn must_be(what: &str, expected: &str) -> ErrorInfo {
    ErrorInfo::new(
        Code::ConfigInvalid,
        format!("The {what} must be {expected}."),
        "Correct it and save again.",
    )
}

/// Whether the number is in the range of its type.
pub(super) fn in_range<const MIN: u32, const MAX: u32>(
    checked: fn(u32) -> Option<Within<MIN, MAX>>,
    what: &str,
    number: Option<u32>,
) -> Result<(), ErrorInfo> {
    match number {
        Some(number) if checked(number).is_none() => Err(must_be(what, &Within::<MIN, MAX>::expected())),
        _ => Ok(()),
    }
}

/// Sets a key, and keeps the comment behind its value.
pub(super) fn set(table: &mut dyn TableLike, key: &str, mut item: Item) {
    match table.get_mut(key) {
        Some(old) => {
            if let (Some(old), Some(new)) = (old.as_value(), item.as_value_mut()) {
                *new.decor_mut() = old.decor().clone();
            }
            *old = item;
        }
        None => _ = table.insert(key, item),
    }
}

/// The table of this name in another, made when it is not there (an inline one in an inline one).
pub(super) fn table<'t>(
    parent: &'t mut dyn TableLike,
    key: &str,
) -> Result<&'t mut dyn TableLike, ErrorInfo> {
    if !parent.contains_key(key) {
        let mut table = Table::new();
        // No header of its own while it only holds other tables.
        table.set_implicit(true);
        parent.insert(key, Item::Table(table));
    }
    parent.get_mut(key).and_then(Item::as_table_like_mut).ok_or_else(|| {
        let message = format!("`{key}` in your settings file is not a table, so nothing was saved.");
        ErrorInfo::new(Code::ConfigInvalid, message, "Correct it in the file, then save again.")
    })
}

pub(super) fn edit(
    config_file: &Path,
    change: impl FnOnce(&mut Table) -> Result<(), ErrorInfo>,
) -> Result<(), ErrorInfo> {
    let text = match file::read_user(config_file) {
        Found::Nothing => String::new(),
        Found::Text(text) => text,
        Found::Unreadable(problem) => return Err(problem),
    };
    let mut document: DocumentMut = text.parse().map_err(|_| {
        let message = format!("{} is not valid TOML, so nothing was saved.", config_file.display());
        ErrorInfo::new(
            Code::ConfigInvalid,
            message,
            "Correct the file (the settings say which line), then save again.",
        )
    })?;
    change(document.as_table_mut())?;
    paths::replace_private_file(config_file, document.to_string().as_bytes()).map_err(|error| {
        let message = format!("{} could not be saved.", config_file.display());
        ErrorInfo::new(
            Code::ConfigInvalid,
            message,
            "Check that the folder can be written to and the disk has room.",
        )
        .with_detail(error.to_string())
    })
}
