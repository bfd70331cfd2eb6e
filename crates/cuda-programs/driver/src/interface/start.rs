//! Initialisation, versions and errors in words.

use crate::api::api;
use crate::pointers::Out;
use crate::state::start;
use crate::status::{Status, words};
use std::ffi::c_char;

/// The version of CUDA whose interface this is: 13.5, the newest whose functions all have a name here. Programs compare it with that of
/// their compiler: with an older driver they make machine code, since it might not know the PTX (Warp does).
pub const VERSION: i32 = 13_050;

api! {
    fn cuInit(flags: u32) {
        match flags {
            0 => start().map(drop),
            _ => Err(Status::InvalidValue),
        }
    }

    fn cuDriverGetVersion(version: Out<'_, i32>) {
        version.store(VERSION)
    }

    fn cuGetErrorName(code: i32, text: Out<'_, *const c_char>) {
        let known = words(code);
        let name = known.map_or(std::ptr::null(), |(name, _)| name.as_ptr());
        text.store(name)?;
        known.map(drop).ok_or(Status::InvalidValue)
    }

    fn cuGetErrorString(code: i32, text: Out<'_, *const c_char>) {
        let known = words(code);
        let words = known.map_or(std::ptr::null(), |(_, text)| text.as_ptr());
        text.store(words)?;
        known.map(drop).ok_or(Status::InvalidValue)
    }
}
