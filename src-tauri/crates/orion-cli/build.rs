//! Places what commands execute side by side in the program. The system maps a program in pieces of 64 KiB, and each piece of which something
//! is executed is memory in use.
//!
//! `order.txt` names those functions as the compiler does, with a hash that differs from compiler to compiler; `cargo xtask order` writes it. A
//! name that is not there changes nothing. Deliberately not here: builds for other systems, by other linkers, or to be tested.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    let list = Path::new(&variable("CARGO_MANIFEST_DIR")).join("order.txt");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", list.display());
    if variable("PROFILE") == "release" && list.is_file() && links_with_lld() {
        let list = list.display();
        println!("cargo::rustc-link-arg-bins=-Wl,--symbol-ordering-file={list},--no-warn-symbol-ordering");
    }
}

/// Only LLD takes such a list. Rust brings it along for this target and links with it, unless somebody chose otherwise.
fn links_with_lld() -> bool {
    let is_chosen =
        env::var_os("RUSTC_LINKER").is_some() || variable("CARGO_ENCODED_RUSTFLAGS").contains("link");
    variable("TARGET") == "x86_64-unknown-linux-gnu" && !is_chosen && has_lld()
}

fn has_lld() -> bool {
    let asked = Command::new(variable("RUSTC")).args(["--print", "sysroot"]).output();
    let sysroot =
        asked.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()).unwrap_or_default();
    let programs = Path::new(&sysroot).join("lib/rustlib").join(variable("TARGET")).join("bin/gcc-ld");
    fs::exists(programs.join("ld.lld")).unwrap_or_default()
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
