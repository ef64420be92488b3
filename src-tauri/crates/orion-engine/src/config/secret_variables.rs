//! The secrets in an environment variable, by its name and by the form of its value.
//!
//! A secret that stays in what leaves the computer is a harm, and a word too many that goes is none, so this rather finds too much. Deliberately not
//! here: keys that Orion keeps (`secrets`), and taking anything out of a text (`secrets::Redactor`).

use url::Url;
use url::form_urlencoded::parse;

/// Bytes of the shortest value that is a secret whatever it looks like, 8, and of one with letters and digits, 6. Shorter ones would cut holes into
/// ordinary text.
const ANY: usize = 8;
const MIXED: usize = 6;

/// Bytes of a line of a secret that has several, such as a private key, and of what stands alone before an `@`: less may be a word or a name.
const LONG: usize = 16;

/// Characters of the longest value of a setting that is looked at.
const LONGEST: usize = 1_024;

/// The secrets in the variable with this name: its value, if the name says that it is one, and passwords in addresses, settings and headers.
pub(super) fn secrets_in(name: &str, value: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // Shells keep folders in `PWD` and `OLDPWD`; in a setting, `Pwd` is a password.
    if is_named(name) && !matches!(name, "PWD" | "OLDPWD") {
        found.extend(of_named(name, value));
    }
    if name.ends_with("_HEADERS") {
        // Headers, such as those of `OTEL_EXPORTER_OTLP_HEADERS`, hold keys as words of their values.
        let decoded: String =
            parse(value.as_bytes()).flat_map(|(name, value)| [name, " ".into(), value, " ".into()]).collect();
        let words = [value, &decoded].into_iter().flat_map(|text| text.split([',', '=', ' ']));
        found.extend(words.filter(|word| word.len() >= 12 && is_mixed(word)).map(str::to_owned));
    }
    found.extend(in_settings(value));
    found.extend(in_addresses(value));
    found.sort_unstable();
    found.dedup();
    found
}

/// True for names such as `GITHUB_TOKEN`, `PGPASSWORD`, `CI_JOB_PAT` and `DATABASE_URL`.
fn is_named(name: &str) -> bool {
    const PARTS: [&str; 6] = ["PASS", "PWD", "KEY", "TOKEN", "SECRET", "CREDENTIAL"];
    const WORDS: [&str; 3] = ["PAT", "AUTH", "DSN"];
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part))
        || name.split(['_', '-', '.']).any(|word| WORDS.contains(&word))
        || name.ends_with("DATABASE_URL")
}

/// The value of a variable whose name says that it is secret, and its lines.
fn of_named(name: &str, value: &str) -> Vec<String> {
    let trimmed = value.trim();
    // The place of a secret is none, and in an address only the password is.
    if is_place(name, trimmed) || Url::parse(trimmed).is_ok_and(|url| url.has_authority()) {
        return Vec::new();
    }
    let lines =
        trimmed.lines().map(str::trim).filter(|line| line.len() >= LONG && !line.starts_with("-----"));
    let parts = trimmed.split([',', ';']).map(str::trim);
    let all = [value, trimmed].into_iter().chain(lines).chain(parts);
    all.filter(|text| is_long_enough(text)).map(str::to_owned).collect()
}

/// Values of settings in a value whose names say that they are secret: `host=db password=…`, `Pwd=…;`, `-Dpassword=…`, `?api_key=…`.
fn in_settings(value: &str) -> Vec<String> {
    const SIGNS: [char; 7] = [' ', ';', ',', '&', '?', '\n', '\t'];
    let mut found = Vec::new();
    for (at, _) in value.match_indices('=') {
        let before = value[..at].trim_end();
        let begins = before.rfind(|c| c == '=' || SIGNS.contains(&c));
        let name = begins.map_or(before, |at| &before[at + 1..]);
        let is_in_value = begins.is_some_and(|at| before[at..].starts_with('='));
        if is_in_value || !is_named(name.trim_start_matches("--")) {
            continue;
        }
        let after: String = value[at + 1..].trim_start().chars().take(LONGEST).collect();
        let quoted = ['\'', '"'].into_iter().find_map(|quote| after.strip_prefix(quote)?.split_once(quote));
        let values = match quoted {
            Some((inner, _)) => vec![inner],
            // A password may have any of these signs in it, and in most settings only `;` or the end of the line ends it.
            None => {
                [&SIGNS[..], &[';', '\n']].into_iter().filter_map(|ends| after.split(ends).next()).collect()
            }
        };
        let values = values.into_iter().map(|value| value.trim().trim_matches(['\'', '"']));
        let forms = values.flat_map(|value| [value.to_owned(), decoded(value)]);
        found.extend(forms.filter(|value| is_long_enough(value) && !is_place(name, value)));
    }
    found
}

/// Passwords in addresses, as they stand there and as they are meant; also a long name without a password, since that is a token.
fn in_addresses(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in value.match_indices("://") {
        let rest = &value[at + 3..];
        // A password may have any sign in it, so the last `@` before the next space counts; and the first part, as programs read it.
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        let host = word.split(['/', '?', '#']).next().unwrap_or_default();
        for user in [host, word].into_iter().filter_map(|text| text.rsplit_once('@')).map(|(user, _)| user) {
            match user.split_once(':') {
                Some((_, password)) => found.extend([password.to_owned(), decoded(password)]),
                None if user.len() >= LONG && is_mixed(user) => found.push(user.to_owned()),
                None => {}
            }
        }
    }
    // A name of a source as Go's drivers have it: `user:password@tcp(host)/name`.
    if !value.contains("://")
        && let Some((user, _)) = value.rsplit_once("@tcp(").or_else(|| value.rsplit_once("@unix("))
        && let Some((_, password)) = user.split_once(':')
    {
        found.push(password.to_owned());
    }
    found.retain(|password| password.len() >= MIXED);
    found
}

/// A text without the escapes of an address.
fn decoded(text: &str) -> String {
    let escaped = text.replace('+', "%2B");
    let pair = format!("a={}", escaped.replace('&', "%26"));
    parse(pair.as_bytes()).next().map_or_else(|| text.to_owned(), |(_, value)| value.into_owned())
}

fn is_long_enough(text: &str) -> bool {
    text.len() >= ANY || text.len() >= MIXED && is_mixed(text)
}

fn is_mixed(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// True for the place of a secret, which is none: a path, and no key that looks like one. A key has digits and no dot, and its name no word for a place.
fn is_place(name: &str, value: &str) -> bool {
    const WORDS: [&str; 6] = ["PATH", "FILE", "DIR", "SOCK", "ASKPASS", "HOME"];
    let name = name.to_ascii_uppercase();
    let is_named = name.split(['_', '-', '.']).any(|word| WORDS.contains(&word));
    is_path(value) && (is_named || value.contains('.') || !value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// True for what has the form of a path.
fn is_path(text: &str) -> bool {
    let plain = |text: &str| {
        text.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '_' | '-' | ' ' | ':' | '~'))
    };
    let rooted = text.strip_prefix('/').is_some_and(|rest| rest.contains('/'));
    let of_windows = text.get(1..3).is_some_and(|rest| rest == ":\\" || rest == ":/");
    let relative = ["~/", "./", "../"].iter().any(|beginning| text.starts_with(beginning));
    (rooted || of_windows || relative) && plain(text)
}

#[cfg(test)]
mod tests {
    use super::secrets_in;

    #[test]
    fn what_a_variable_is_called_or_what_its_value_says_is_secret() {
        #[rustfmt::skip]
        let secrets: [(&str, &str, &[&str]); 34] = [
            ("GITHUB_TOKEN", "ghp_environment0123456789", &["ghp_environment0123456789"]),
            ("PGPASSWORD", "correct horse battery", &["correct horse battery"]),
            ("DB_PASS", "swordfish", &["swordfish"]),
            ("MYSQL_PWD", "hunter2", &["hunter2"]),
            ("AZURE_DEVOPS_EXT_PAT", "abcdefghijklmnop", &["abcdefghijklmnop"]),
            ("GITLAB_PAT", "glpat-abc", &["glpat-abc"]),
            ("openai_api_key", "sk-lower-case", &["sk-lower-case"]),
            ("OPENAI_API_KEYS", "sk-first-one,sk-second-one", &["sk-first-one", "sk-first-one,sk-second-one", "sk-second-one"]),
            ("APIKEY", "abcdefgh", &["abcdefgh"]),
            ("SECRET_KEY_BASE", "p\u{e4}ssw\u{f6}rd", &["p\u{e4}ssw\u{f6}rd"]),
            ("MY_CREDENTIALS", "{\"a\":\"b\"}", &["{\"a\":\"b\"}"]),
            ("NPM_AUTH", "dXNlcjpwYXNz", &["dXNlcjpwYXNz"]),
            ("SIGNING_KEY", "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n-----END KEY-----",
                &["-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n-----END KEY-----", "MIIEvQIBADANBgkq"]),
            ("AWS_SECRET_ACCESS_KEY", "/wJalrXUtn/K7MDENG+bPx", &["/wJalrXUtn/K7MDENG+bPx"]),
            ("AWS_SECRET_ACCESS_KEY", "/wJalrXUtn/K7MDENGbPxRfiCY", &["/wJalrXUtn/K7MDENGbPxRfiCY"]),
            ("DATABASE_URL", "postgres://me:p%40ss-word@db.example/a", &["p%40ss-word", "p@ss-word"]),
            ("DATABASE_URL", "me:pass-word@tcp(db.example:3306)/a", &["me:pass-word@tcp(db.example:3306)/a", "pass-word"]),
            ("REDIS_URL", "redis://:pass-word@127.0.0.1:6379/0", &["pass-word"]),
            ("HTTPS_PROXY", "http://me:hunter2@proxy.example:8080", &["hunter2"]),
            ("MONGO", "mongodb+srv://me:pass#word@one.example,two.example/a", &["pass#word"]),
            ("ORIGIN", "https://ghp_0123456789abcdef@git.example/a.git", &["ghp_0123456789abcdef"]),
            ("SITES", "one https://a:first-one@x.example two https://b:second-one@y.example", &["first-one", "second-one"]),
            ("SENTRY_DSN", "https://0123456789abcdef@sentry.example/1", &["0123456789abcdef"]),
            ("CONNECTION", "Server=db;User Id=me;Password=pass-word;", &["pass-word"]),
            ("CONNECTION", "host=db user=me password='pass-word'", &["pass-word"]),
            ("CONNECTION", "Server=db;Uid=me;Pwd=pass-word;", &["pass-word"]),
            ("CONNECTION", "Server=db;Password=pass-one&two?a, b;Uid=me", &["pass-one", "pass-one&two?a, b"]),
            ("CONNECTION", "Server=db;Password=\"pass;one two\";Uid=me", &["pass;one two"]),
            ("CONNECTION", "host=db password='pass one&two' user=me", &["pass one&two"]),
            ("CONNECTION", "Server=db;AccountKey = /abcdef0123/456789abc;", &["/abcdef0123/456789abc"]),
            ("STORAGE", "AccountName=me;AccountKey=YWJjZGVmZ2hpag==;", &["YWJjZGVmZ2hpag=="]),
            ("JAVA_OPTS", "-Xmx1g -Dtrust.password=pass-word", &["pass-word"]),
            ("HOOK", "https://host.example/v1?token=a%2Bb-hidden", &["a%2Bb-hidden", "a+b-hidden"]),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20abc123def456", &["Bearer%20abc123def456", "abc123def456"]),
        ];
        for (name, value, expected) in secrets {
            assert_eq!(secrets_in(name, value), expected, "{name}={value}");
        }
    }

    #[test]
    fn what_only_looks_like_a_secret_stays() {
        for (name, value) in [
            ("PWD", "/home/ada/projects/one"),
            ("OLDPWD", "/home/ada/projects"),
            ("PATH", "/usr/local/bin:/usr/bin"),
            ("SSH_ASKPASS", "/usr/lib/ssh/ssh-askpass"),
            ("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"),
            ("KEY_FILE", "C:\\Users\\ada\\key.pem"),
            ("SIGNING_KEY", "/etc/keys/ada.pem"),
            ("KEYS", "/etc/keys/ada"),
            ("KEY_DIR", "/srv/2024/keys"),
            ("TOKEN_PATH", "~/.config/token.json"),
            ("KEYTIMEOUT", "1"),
            ("TOKENIZERS_PARALLELISM", "false"),
            ("GIT_AUTHOR_NAME", "Ada Lovelace"),
            ("DATABASE_URL", "sqlite:///var/lib/data.db"),
            ("TOKEN_URL", "https://login.example/oauth2/token"),
            ("EDITOR", "code --wait"),
            ("OLLAMA_API_KEY", "ollama"),
            ("LS_COLORS", "rs=0:di=01;34:ln=01;36"),
            ("HOME_PAGE", "https://example.com/@ada"),
        ] {
            assert_eq!(secrets_in(name, value), [] as [&str; 0], "{name}={value}");
        }
    }
}
