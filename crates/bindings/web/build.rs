//! Links the WebAssembly module as a library with several entries (a reactor of WASI), with the function `_initialize`, which the page calls
//! once. By default, the linker takes the module for a command: each call of an exported function ends with the end of the C library, and
//! nothing prepares the first thread for locks.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (family, target) = (env::var("CARGO_CFG_TARGET_FAMILY"), env::var("TARGET"));
    let (Ok(family), Ok(target), Ok(compiler)) = (family, target, env::var("RUSTC")) else {
        return;
    };
    if !family.contains("wasm") {
        return;
    }
    let found = Command::new(compiler).args(["--print", "sysroot"]).output();
    let sysroot = found.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let start = sysroot.map(|sysroot| {
        Path::new(&sysroot)
            .join("lib/rustlib")
            .join(target)
            .join("lib/self-contained/crt1-reactor.o")
    });
    match start {
        Ok(start) if start.exists() => {
            println!("cargo::rustc-link-arg-cdylib={}", start.display());
        }
        // A check needs no start.
        _ => println!("cargo::warning=no crt1-reactor.o: the module will have no `_initialize`"),
    }
}
