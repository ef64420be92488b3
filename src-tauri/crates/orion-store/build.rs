//! Migrations are embedded: a changed one must be compiled in.

fn main() {
    println!("cargo:rerun-if-changed=../../../migrations");
}
