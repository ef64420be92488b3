//! Embeds the window's assets and checks its capabilities. The layout is not Tauri's usual one (the manifest is a folder up),
//! so the two folders are named here.
//!
//! The assets are prepared here and not by the macro `generate_context`: it would run for the program and for its tests at the same time,
//! and one could embed a file that the other was still writing.

use tauri_build::{AppManifest, Attributes, CodegenContext};

fn main() {
    let commands = AppManifest::new().permissions_path_pattern("src-tauri/permissions/*.toml");
    let attributes = Attributes::new()
        .capabilities_path_pattern("src-tauri/capabilities/**/*.json")
        .app_manifest(commands)
        .codegen(CodegenContext::new());
    if let Err(fault) = tauri_build::try_build(attributes) {
        println!("cargo::error={fault:#}");
    }
}
