//! Opens what a person wants to see in another program: links, and files of the project.
//!
//! What is opened comes from the webview, which shows text of models and files, so all of it is checked here: an address
//! has one of three schemes, and a path is in the project and open to tools. No file is given to the program that the
//! system has for its kind, since for some kinds that program runs the file.

mod editor;

use orion_engine::Engine;
use orion_protocol::{Code, ErrorInfo, External};
use url::Url;

/// Characters of an address; browsers take at least this many.
const LONGEST: usize = 8_192;

/// # Errors
/// `usage` for an address that is not opened or a program that is missing, and those of finding the file.
pub(crate) async fn open(engine: &Engine, what: External) -> Result<(), ErrorInfo> {
    match what {
        External::Link { address } => {
            let address = checked(&address)?;
            run(move || opener::open(address.as_str()).map_err(|error| no_program(&error))).await
        }
        External::FileManager { project_id, path } => {
            let path = engine.path_on_disk(project_id, path).await?;
            run(move || opener::reveal(path).map_err(|error| no_program(&error))).await
        }
        External::Editor { project_id, path, line } => {
            let path = engine.path_on_disk(project_id, path).await?;
            let command = editor::command(engine.editor().as_deref(), &path, line)?;
            run(move || editor::start(command)).await
        }
    }
}

/// Looking for programs takes a while, and must not hold up anything else.
async fn run(open: impl FnOnce() -> Result<(), ErrorInfo> + Send + 'static) -> Result<(), ErrorInfo> {
    tokio::task::spawn_blocking(open).await.unwrap_or_else(|panicked| Err(no_program(&panicked)))
}

/// The fields of a mail that a link may set. Of other fields some add files of this computer (`attach`).
const FIELDS: [&str; 4] = ["subject", "body", "cc", "bcc"];

/// The address in its normal form, in which a name of another script is spelled out.
///
/// # Errors
/// `usage` for another scheme, and for a name or a password in front of the host, which hides where the address leads.
fn checked(address: &str) -> Result<Url, ErrorInfo> {
    let url = Url::parse(address).ok().filter(|_| address.len() <= LONGEST).ok_or_else(refused)?;
    let leads = matches!(url.scheme(), "http" | "https")
        && url.host().is_some()
        && url.username().is_empty()
        && url.password().is_none();
    match url.scheme() {
        "mailto" => mail(&url).ok_or_else(refused),
        _ if leads => Ok(url),
        _ => Err(refused()),
    }
}

/// The address of a mail without the fields that a link may not set, and without line ends where they would begin another field.
fn mail(url: &Url) -> Option<Url> {
    let has_line_end = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.contains("%0a") || text.contains("%0d")
    };
    let is_kept = |field: &&str| {
        let name = field.split('=').next().unwrap_or_default().to_ascii_lowercase();
        FIELDS.contains(&name.as_str()) && (name == "body" || !has_line_end(field))
    };
    let fields: Vec<&str> = url.query().unwrap_or_default().split('&').filter(is_kept).collect();
    // Some programs read fields from what stands before the `?`, too.
    let to = url.path().split('&').next().filter(|to| !has_line_end(to))?;
    let query = if fields.is_empty() { String::new() } else { format!("?{}", fields.join("&")) };
    Url::parse(&format!("mailto:{to}{query}")).ok()
}

fn refused() -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        "Orion opens addresses of http, https and mailto only, and none with a user name in it.",
        "Copy the address, and open it yourself if you trust it.",
    )
}

fn no_program(cause: &impl ToString) -> ErrorInfo {
    ErrorInfo::new(
        Code::Usage,
        "No program was found that opens this.",
        "Check the default programs of your system.",
    )
    .with_detail(cause.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_of_the_web_and_of_mail_are_opened_in_their_normal_form() {
        for (address, opened) in [
            ("https://example.org", "https://example.org/"),
            ("HTTP://EXAMPLE.org/a b?c#d", "http://example.org/a%20b?c#d"),
            ("https://раypal.com/", "https://xn--ypal-43d9g.com/"),
            ("mailto:fox@example.org?subject=Hi", "mailto:fox@example.org?subject=Hi"),
            (
                "mailto:a@b.org?Subject=Hi&body=1%0D%0A2&cc=c@d.org&bcc=e@f.org",
                "mailto:a@b.org?Subject=Hi&body=1%0D%0A2&cc=c@d.org&bcc=e@f.org",
            ),
            (
                "mailto:a@b.org?subject=Hi&attach=/etc/passwd&to=x@y.org&%61ttach=x",
                "mailto:a@b.org?subject=Hi",
            ),
            ("mailto:a@b.org?attachment=/etc/passwd#x", "mailto:a@b.org"),
            ("mailto:a@b.org&attach=/etc/passwd", "mailto:a@b.org"),
            ("mailto:a@b.org?subject=a%0d%0aBcc:x@y.org&body=b", "mailto:a@b.org?body=b"),
            ("http://[::1]:8080/", "http://[::1]:8080/"),
        ] {
            assert_eq!(checked(address).unwrap().as_str(), opened);
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for address in [
            "",
            "example.org",
            "/etc/passwd",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "vscode://file/etc/passwd",
            "ssh://example.org",
            "tauri://localhost",
            "https://",
            "https://example.org@evil.example/",
            "https://user:password@example.org/",
            "mailto:a%0Abcc:x@y.org",
            "-x",
            "--help",
            &format!("https://example.org/{}", "a".repeat(LONGEST)),
        ] {
            assert_eq!(checked(address).map_err(|error| error.code), Err(Code::Usage), "{address}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_text_what_is_opened_begins_with_an_allowed_scheme(address in "\\PC{0,40}|(ht|f)tps?:[/\\\\@:.a-z\t\n]{0,20}") {
            if let Ok(url) = checked(&address) {
                let opened = url.as_str();
                prop_assert!(["http://", "https://", "mailto:"].iter().any(|scheme| opened.starts_with(scheme)));
                prop_assert!(!opened.chars().any(|c| c.is_control() || c == ' '));
            }
        }
    }
}
