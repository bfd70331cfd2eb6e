//! Tells the crate how it is optimized, so that programs can say why the emulator is slow.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=LANEWORK_OPT_LEVEL={level}");
}
