//! `file_info`.

use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

use orion_core::tool::Seen;
use serde_json::json;

use crate::bench::Bench;

/// 2026-01-04T00:00:00Z
fn dated(bench: &Bench, path: &str) {
    let time = UNIX_EPOCH + Duration::from_secs(1_767_484_800);
    File::open(bench.at(path)).unwrap().set_modified(time).unwrap();
}

#[cfg(unix)]
fn mode(bench: &Bench, path: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(bench.at(path), std::fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_text_file_is_told_with_everything_but_its_content() {
    let bench = Bench::with([("a.txt", "hello\nworld\n")]);
    dated(&bench, "a.txt");
    mode(&bench, "a.txt", 0o640);
    std::os::unix::fs::symlink("a.txt", bench.at("l")).unwrap();
    let facts = "size: 12 bytes\nkind: text file\nencoding: UTF-8\nlines: 2\n\
        sha256: 4e2bd8f65f3da0e2f1c7e4a4a0d6f3f9d9a0f5c6a1b1b1b1b1b1b1b1b1b1b1b1\n\
        modified: 2026-01-04T00:00:00Z\nmode: 0640\n";
    let digest = sha256(b"hello\nworld\n");
    let facts = facts.replace("4e2bd8f65f3da0e2f1c7e4a4a0d6f3f9d9a0f5c6a1b1b1b1b1b1b1b1b1b1b1b1", &digest);
    let outcome = bench.outcome("file_info", json!({"path": "a.txt"})).await;
    assert_eq!((outcome.summary.as_str(), outcome.body), ("12 B", format!("path: a.txt\n{facts}")));
    let outcome = bench.outcome("file_info", json!({"path": "l"})).await;
    assert_eq!(outcome.body, format!("path: l\nlink to: a.txt\n{facts}"));
    assert_eq!(outcome.seen, [Seen::Path("l".into()), Seen::Path("a.txt".into())]);
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
#[tokio::test]
async fn folders_binaries_large_files_and_pipes_are_told_apart() {
    let bench =
        Bench::with([("d/a", b"".to_vec()), ("d/b", b"".to_vec()), ("x.gif", b"GIF89a\0\0".to_vec())]);
    crate::listing::fifo(&bench.at("pipe"));
    File::create(bench.at("large")).unwrap().set_len(9 * 1024 * 1024).unwrap();
    for path in ["d", "x.gif", "large"] {
        dated(&bench, path);
    }
    mode(&bench, "d", 0o755);
    mode(&bench, "x.gif", 0o644);
    mode(&bench, "large", 0o644);
    assert_eq!(
        bench.body("file_info", json!({"path": "d"})).await,
        "path: d\nkind: folder\nentries: 2\nmodified: 2026-01-04T00:00:00Z\nmode: 0755\n"
    );
    assert_eq!(
        bench.body("file_info", json!({"path": "x.gif"})).await,
        format!(
            "path: x.gif\nsize: 8 bytes\nkind: binary file (image/gif)\nsha256: {}\nmodified: 2026-01-04T00:00:00Z\nmode: 0644\n",
            sha256(b"GIF89a\0\0")
        )
    );
    assert_eq!(
        bench.body("file_info", json!({"path": "large"})).await,
        "path: large\nsize: 9437184 bytes\nkind: binary file (unknown kind)\nlines and sha256: left out, the file is \
         larger than 8 MiB\nmodified: 2026-01-04T00:00:00Z\nmode: 0644\n"
    );
    let pipe = bench.body("file_info", json!({"path": "pipe"})).await;
    assert!(pipe.starts_with("path: pipe\nkind: device, pipe or socket\n"), "{pipe}");
}
