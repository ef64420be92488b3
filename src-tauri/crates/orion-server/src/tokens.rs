//! The two tokens that callers show: one for everything, one that reads only (H2).
//!
//! Each is 256 bits, made once and kept for its owner alone in the data folder.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use orion_protocol::{Code, ErrorInfo};
use subtle::ConstantTimeEq;

/// The most that a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Full,
    Reads,
}

/// Both tokens. Nothing prints them but `--print-token`.
pub(crate) struct Tokens {
    full: String,
    reads: String,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens")
    }
}

impl Tokens {
    /// # Errors
    /// The data folder cannot be written to, or a file in it is no token.
    pub(crate) fn of(data_dir: &Path) -> Result<Self, ErrorInfo> {
        let kept =
            |name: &str| kept(&data_dir.join(name)).map_err(|error| unusable(&data_dir.join(name), &error));
        Ok(Self { full: kept("http-token")?, reads: kept("http-token-reading")? })
    }

    pub(crate) fn token(&self, access: Access) -> &str {
        match access {
            Access::Full => &self.full,
            Access::Reads => &self.reads,
        }
    }

    /// The rights of the caller who shows this. Takes the same time for each text of a length.
    pub(crate) fn access(&self, shown: &str) -> Option<Access> {
        let full = bool::from(self.full.as_bytes().ct_eq(shown.as_bytes()));
        let reads = bool::from(self.reads.as_bytes().ct_eq(shown.as_bytes()));
        if full {
            Some(Access::Full)
        } else if reads {
            Some(Access::Reads)
        } else {
            None
        }
    }
}

/// The token in this file, which is made where there is none.
fn kept(file: &Path) -> io::Result<String> {
    match read(file) {
        Ok(token) if is_token(token.trim_end()) => return Ok(token.trim_end().to_owned()),
        Ok(_) => {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it holds something else than a token"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let folder = file.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut made = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(made, "{}", fresh()?)?;
    made.as_file().sync_all()?;
    // Of two servers that start at once, one makes it.
    match made.persist_noclobber(file) {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error.error),
    }
    Ok(read(file)?.trim_end().to_owned())
}

/// The text of a file that its owner alone can read or write.
fn read(file: &Path) -> io::Result<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::metadata(file)?.permissions().mode() & 0o077 != 0 {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "others can open it"));
        }
    }
    fs::read_to_string(file)
}

fn fresh() -> io::Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().fold(String::new(), |mut token, byte| {
        // Writing to a string does not fail.
        let _ = write!(token, "{byte:02x}");
        token
    }))
}

fn is_token(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn unusable(file: &Path, error: &io::Error) -> ErrorInfo {
    let message = format!("The token in {} cannot be used.", file.display());
    ErrorInfo::new(Code::Storage, message, "Remove the file: the next start makes another one.")
        .with_detail(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_for_its_owner_alone_and_opens_what_it_is_for() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::of(folder.path()).unwrap();
        let again = Tokens::of(folder.path()).unwrap();
        assert_eq!(tokens.token(Access::Full), again.token(Access::Full));
        assert_ne!(tokens.token(Access::Full), tokens.token(Access::Reads));
        assert_eq!(again.access(tokens.token(Access::Full)), Some(Access::Full));
        assert_eq!(again.access(tokens.token(Access::Reads)), Some(Access::Reads));
        assert_eq!(again.access(""), None);
        assert_eq!(again.access(&"0".repeat(64)), None);
        #[cfg(unix)]
        for name in ["http-token", "http-token-reading"] {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let file = folder.path().join("http-token-reading");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
            assert_eq!(Tokens::of(folder.path()).unwrap_err().code, Code::Storage);
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        fs::write(folder.path().join("http-token"), "").unwrap();
        assert_eq!(Tokens::of(folder.path()).unwrap_err().code, Code::Storage);
    }
}
