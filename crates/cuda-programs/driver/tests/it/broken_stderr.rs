//! A program continues if writing to standard error fails. The test re-runs itself with `/dev/full` as standard error.

#![cfg(target_os = "linux")]

use crate::common::context;
use std::ffi::c_void;
use std::process::{Command, Stdio};

#[test]
fn a_program_continues_if_errors_cannot_be_written() {
    if std::env::var_os("LANEWORK_TRACE").is_some() {
        context();
        let mut module = 0u64;
        let image = c"no image at all".as_ptr().cast();
        assert_eq!(call!("cuModuleLoadData"(&mut module => *mut u64, image => *const c_void)), 200);
        return;
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
    let status = Command::new(std::env::current_exe().expect("a program"))
        .args([
            "broken_stderr::a_program_continues_if_errors_cannot_be_written",
            "--exact",
            "--nocapture",
        ])
        .env("LANEWORK_TRACE", "1")
        .stdout(Stdio::null())
        .stderr(full)
        .status();
    assert!(status.expect("it runs").success());
}
