//! `orion doctor`: each trouble that it can name, made with a real server, disk, program or file, and named; and nothing of a person in what it
//! says.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use orion_protocol::{DoctorReport, Severity, Subject, TroubleKind};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use support::{Disk, Folder, Script, ScriptedModel, binary};

use super::ran;

/// Names that no report may have: a key, a person, folders, a computer, a private address.
const CANARIES: [&str; 6] =
    ["sk-canary-0123456789", "canaryperson", "canaryfolder", "canaryhost", "10.77.66.55", "canary.internal"];

/// A home with such names, and a data folder.
struct Bed {
    home: Folder,
    settings: String,
    variables: Vec<(&'static str, String)>,
}

impl Bed {
    fn new() -> Self {
        let home = Folder::with([("canaryperson/canaryfolder/kept", "")]);
        Self { home, settings: String::new(), variables: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// An endpoint whose name and address are a person's own.
    fn endpoint(mut self, base_url: &str, more: &str) -> Self {
        self.settings = format!("[endpoints.canaryperson]\nbase_url = '{base_url}'\nmodel = 'm'\n{more}\n");
        self
    }

    fn person(&self) -> std::path::PathBuf {
        self.home.path().join("canaryperson")
    }

    fn data(&self) -> std::path::PathBuf {
        self.person().join("canaryfolder/data")
    }

    fn doctor(&self, program: &Path, arguments: &[&str]) -> Command {
        fs::create_dir_all(self.person().join("config")).unwrap();
        fs::write(self.person().join("config/config.toml"), &self.settings).unwrap();
        let mut command = Command::new(program);
        command.env_clear().arg("doctor").args(arguments).current_dir(self.person());
        command
            .env("HOME", self.person())
            .env("USER", "canaryperson")
            .env("HOSTNAME", "canaryhost")
            .env("SOME_API_KEY", CANARIES[0])
            .env("ORION_CONFIG_DIR", self.person().join("config"))
            .env("ORION_DATA_DIR", self.data())
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The report of this program, after both forms were looked through for what they must not name.
    fn told_by(&self, program: &Path) -> DoctorReport {
        let (text, json) = (ran(&mut self.doctor(program, &[])), ran(&mut self.doctor(program, &["--json"])));
        for said in [&text.stdout, &text.stderr, &json.stdout, &json.stderr] {
            for canary in CANARIES {
                assert!(!said.contains(canary), "{canary} in {said}");
            }
        }
        let report: DoctorReport = serde_json::from_str(&json.stdout).unwrap();
        let expected = i32::from(report.worst() == Some(Severity::Error));
        assert_eq!(
            (text.code, json.code),
            (Some(expected), Some(expected)),
            "{}{}",
            json.stdout,
            json.stderr
        );
        for action in report.findings.iter().filter_map(|it| Some(&it.trouble.as_ref()?.action)) {
            assert!(text.stdout.contains(action), "{}", text.stdout);
        }
        report
    }

    fn told(&self) -> DoctorReport {
        self.told_by(&binary("orion"))
    }

    fn troubles(&self) -> BTreeSet<&'static str> {
        troubles(&self.told())
    }
}

fn troubles(report: &DoctorReport) -> BTreeSet<&'static str> {
    let kinds = report.findings.iter().filter_map(|finding| Some(finding.trouble.as_ref()?.kind));
    kinds.map(name).collect()
}

/// The kind as a word that can be sorted.
fn name(kind: TroubleKind) -> &'static str {
    use TroubleKind::*;
    match kind {
        LibraryMissing => "library missing",
        WindowSilent => "window silent",
        NoDisplay => "no display",
        NoKeychain => "no keychain",
        SettingsWrong => "settings wrong",
        DataUnwritable => "data unwritable",
        DataOpen => "data open",
        DataDamaged => "data damaged",
        DataNewer => "data newer",
        DataOlder => "data older",
        DataUnreadable => "data unreadable",
        DataAside => "data aside",
        DiskLow => "disk low",
        ClockWrong => "clock wrong",
        NoSandbox => "no sandbox",
        ProxySilent => "proxy silent",
        ProxyWrong => "proxy wrong",
        NoModel => "no model",
        KeyMissing => "key missing",
        KeyUnreadable => "key unreadable",
        KeyRefused => "key refused",
        Unreachable => "unreachable",
        EndpointWrong => "endpoint wrong",
        Refused => "refused",
    }
}

/// No display and no keychain: every test runs without them.
const HERE: [&str; 2] = ["no display", "no keychain"];

fn beside_here(found: BTreeSet<&'static str>) -> Vec<&'static str> {
    for here in HERE {
        assert!(found.contains(here), "{here} in {found:?}");
    }
    // Whether commands have a sandbox is up to the computer.
    found.into_iter().filter(|name| !HERE.contains(name) && *name != "no sandbox").collect()
}

fn listing(write: impl FnOnce(support::Turn) -> support::Turn) -> ScriptedModel {
    Script::new().page("/v1/models", write).start()
}

#[test]
fn a_computer_without_a_model_has_that_as_its_only_trouble() {
    let bed = Bed::new();
    assert_eq!(beside_here(bed.troubles()), ["no model"]);
    assert!(!bed.data().exists(), "nothing was made");
}

#[test]
fn an_endpoint_that_answers_is_named_by_where_it_is() {
    let model = Script::new().models(["one", "two"]).start();
    let mut bed = Bed::new().endpoint(&model.base_url(), "");
    // The window names an endpoint by its host.
    bed.settings = bed.settings.replace("[endpoints.canaryperson]", "[endpoints.\"gpu.canary.internal\"]");
    let report = bed.told();
    assert_eq!(beside_here(troubles(&report)), Vec::<&str>::new());
    let endpoint = report.findings.iter().find(|it| it.subject == Subject::Endpoint).unwrap();
    assert!(endpoint.says.contains("1: on this computer, port "), "{}", endpoint.says);
    assert!(endpoint.says.ends_with(", 2 models"), "{}", endpoint.says);
    model.finish();
}

#[test]
fn what_is_wrong_with_an_endpoint_is_told_apart() {
    let refuses = |status: u16| {
        listing(move |t| {
            t.status(status)
                .body(format!("{{\"error\":{{\"message\":\"No. {} of canaryperson\"}}}}", CANARIES[0]))
        })
    };
    for (status, trouble) in [(401, "key refused"), (403, "key refused"), (404, "refused"), (500, "refused")]
    {
        let model = refuses(status);
        let bed = Bed::new().endpoint(&model.base_url(), "key_variable = 'SOME_API_KEY'");
        assert_eq!((status, beside_here(bed.troubles())), (status, vec![trouble]));
        model.finish();
    }
    for (base_url, more, trouble) in [
        ("http://127.0.0.1:1/v1", "", "unreachable"),
        ("http://10.77.66.55/v1", "", "endpoint wrong"),
        (
            "http://gpu.canary.internal/v1",
            "allow_http = true\nkey_variable = 'SOME_API_KEY'",
            "endpoint wrong",
        ),
        ("http://127.0.0.1:1/v1", "key_variable = 'UNSET_API_KEY'", "key missing"),
        ("http://127.0.0.1:1/v1", "key_not_kept = true", "key missing"),
        ("http://127.0.0.1:1/v1", "keychain = true", "key unreadable"),
    ] {
        let bed = Bed::new().endpoint(base_url, more);
        assert_eq!((base_url, more, beside_here(bed.troubles())), (base_url, more, vec![trouble]));
    }
}

#[tokio::test]
async fn a_clock_behind_the_last_session_is_wrong() {
    let bed = Bed::new();
    drop(orion_store::Store::open(&bed.data()).await.unwrap());
    let file = bed.data().join("orion.db");
    let mut database = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    // The newest turn began in the year 2100.
    let turn = "PRAGMA foreign_keys = OFF; INSERT INTO turns (request_id, session_id, project_id, ordinal, state, owner, started_at_ms)
                VALUES ('t', 's', 'p', 1, 'over', 'o', 4102444800000)";
    sqlx::raw_sql(turn).execute(&mut database).await.unwrap();
    assert_eq!(beside_here(bed.troubles()), ["clock wrong", "no model"]);
}

#[test]
fn a_proxy_is_tried_and_what_is_none_is_named() {
    let silent = Bed::new()
        .with("DEEPSEEK_API_KEY", CANARIES[0])
        .with("HTTPS_PROXY", "http://canaryperson:sk-canary-0123456789@127.0.0.1:1");
    assert_eq!(beside_here(silent.troubles()), ["proxy silent", "unreachable"]);
    let wrong = Bed::new().with("HTTPS_PROXY", "http://canaryhost:port");
    assert_eq!(beside_here(wrong.troubles()), ["no model", "proxy wrong"]);
}

#[test]
fn a_fault_in_the_settings_is_told_without_its_place() {
    let mut bed = Bed::new();
    bed.settings = "canaryfolder_key = 1\n[limits\n".to_owned();
    assert_eq!(beside_here(bed.troubles()), ["no model", "settings wrong"]);
    // Keys of tables may be hosts, persons and pasted keys.
    bed.settings =
        "sk-canary-0123456789 = 1\n[endpoints.\"10.77.66.55\"]\nmodel = 5\n[endpoints.canaryperson]\nx = 1\n"
            .to_owned();
    let report = bed.told();
    let of_settings = report.findings.iter().filter(|it| it.subject == Subject::Settings);
    let lines: Vec<&str> = of_settings.map(|it| it.says.as_str()).collect();
    assert!(lines.contains(&"a fault in config.toml, line 1"), "{lines:?}");
}

#[tokio::test]
async fn what_is_wrong_with_the_data_folder_is_told_apart() {
    let made = |make: &dyn Fn(&Path)| {
        let bed = Bed::new();
        fs::create_dir_all(bed.data()).unwrap();
        fs::set_permissions(bed.data(), fs::Permissions::from_mode(0o700)).unwrap();
        make(&bed.data());
        let found = beside_here(bed.troubles());
        found.into_iter().filter(|name| *name != "no model").collect::<Vec<_>>()
    };
    assert_eq!(made(&|_| ()), Vec::<&str>::new());
    assert_eq!(
        made(&|data| fs::set_permissions(data, fs::Permissions::from_mode(0o755)).unwrap()),
        ["data open"]
    );
    assert_eq!(made(&|data| fs::write(data.join("orion.db"), "no database").unwrap()), ["data damaged"]);
    assert_eq!(made(&|data| fs::create_dir(data.join("orion.db")).unwrap()), ["data unreadable"]);
    assert_eq!(made(&|data| fs::create_dir(data.join("older-1")).unwrap()), ["data aside"]);
    let file = |data: &Path| {
        fs::remove_dir(data).unwrap();
        fs::write(data, "").unwrap();
        fs::set_permissions(data, fs::Permissions::from_mode(0o600)).unwrap();
    };
    assert_eq!(made(&file), ["data unwritable"]);

    let bed = Bed::new();
    drop(orion_store::Store::open(&bed.data()).await.unwrap());
    let mut database =
        SqliteConnectOptions::new().filename(bed.data().join("orion.db")).connect().await.unwrap();
    let newer = "UPDATE compatible SET since = 999999; PRAGMA user_version = 999999";
    sqlx::raw_sql(newer).execute(&mut database).await.unwrap();
    assert_eq!(beside_here(bed.troubles()), ["data newer", "no model"]);
    sqlx::raw_sql("PRAGMA user_version = 28").execute(&mut database).await.unwrap();
    assert_eq!(beside_here(bed.troubles()), ["data older", "no model"]);
}

#[test]
fn a_disk_with_little_room_is_told() {
    let disk = Disk::of_one_mib();
    let bed = Bed::new().with("ORION_DATA_DIR", disk.path().join("canaryfolder").display().to_string());
    assert_eq!(beside_here(bed.troubles()), ["disk low", "no model"]);
}

#[test]
fn a_window_that_does_not_start_is_told_apart_from_one_that_is_not_there() {
    let folder = Folder::with([("canaryfolder/kept", "")]);
    let beside = folder.path().join("canaryfolder");
    let orion = beside.join("orion");
    fs::copy(binary("orion"), &orion).unwrap();
    let found = |bed: &Bed| {
        let found = troubles(&bed.told_by(&orion));
        found
            .into_iter()
            .filter(|name| !["no keychain", "no model", "no sandbox"].contains(name))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&Bed::new()), Vec::<&str>::new(), "it is not there");

    let window = beside.join("orion-desktop");
    fs::copy("/bin/true", &window).unwrap();
    assert_eq!(found(&Bed::new()), ["window silent"]);

    // The same program, which needs a library that no system has.
    let bytes = fs::read("/bin/true").unwrap();
    let at = bytes.windows(10).position(|bytes| bytes == b"libc.so.6\0").unwrap();
    let mut lacking = bytes;
    lacking[at..at + 9].copy_from_slice(b"libx.so.9");
    fs::write(&window, lacking).unwrap();
    let report = Bed::new().told_by(&orion);
    assert!(
        report.findings.iter().any(|it| it.says == "libx.so.9 is missing, so the window does not start"),
        "{report:?}"
    );
    assert_eq!(found(&Bed::new()), ["library missing"]);
}

// C3
#[test]
fn a_sandbox_whose_helper_is_not_there_is_none_and_the_folder_where_it_was_looked_for_is_not_named() {
    let folder = Folder::with([("canaryfolder/kept", "")]);
    let orion = folder.path().join("canaryfolder/orion");
    fs::copy(binary("orion"), &orion).unwrap();
    let bed = Bed::new();
    let report = bed.told_by(&orion);
    assert!(troubles(&report).contains("no sandbox"), "{report:?}");
    let sandbox = report.findings.iter().find(|it| it.subject == Subject::Sandbox).unwrap();
    assert!(sandbox.says.starts_with("none: nothing holds a command"), "{}", sandbox.says);
    assert!(!bed.data().exists(), "nothing was made");
}

/// Every kind is in one of the tests above.
#[test]
fn no_trouble_is_without_a_test() {
    let source = include_str!("doctor.rs");
    for kind in TroubleKind::ALL {
        let quoted = format!("\"{}\"", name(kind));
        assert!(source.matches(&quoted).count() > 1, "{quoted} is only listed");
    }
}
