//! What every call does: no unwinding into the caller, and a line for `LANEWORK_TRACE`.

use crate::status::{Result, Status, line};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a call.
pub fn call(name: &str, body: impl FnOnce() -> Result) -> i32 {
    let code = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(status)) => status as i32,
        Err(_) => Status::Internal as i32,
    };
    if std::env::var_os("LANEWORK_TRACE").is_some_and(|value| !value.is_empty() && value != "0") {
        line(&format_args!("{name} = {code}"));
    }
    code
}
