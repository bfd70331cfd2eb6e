//! Runs the `lanework` command for a tool, with a limit on its time, and returns its JSON.

use crate::Session;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::process::Command;

/// The largest output that is passed on, in bytes. A client passes it to a language model.
const LONGEST: usize = 4 << 20;

impl Session {
    /// Runs `lanework ARGUMENTS --json`. The result has `exit_code`, `result` (the JSON that it printed) and `notes` (its
    /// lines on standard error).
    ///
    /// Exit code 1 is a result: findings, or a kernel that was judged wrong. Others are errors of the call.
    pub(crate) async fn run(&self, arguments: &[String]) -> CallToolResult {
        let mut command = Command::new(&self.server.program);
        command.args(arguments).arg("--json").stdin(Stdio::null()).kill_on_drop(true);
        command.env("LANEWORK_LANG", "en").env("TMPDIR", &self.scratch);
        let ended = match tokio::time::timeout(self.server.limit, command.output()).await {
            Ok(Ok(ended)) => ended,
            Ok(Err(error)) => {
                return failed(&format!("{}: {error}", self.server.program.display()), None);
            }
            Err(_) => {
                let seconds = self.server.limit.as_secs();
                return failed(
                    &format!(
                        "the call did not end within {seconds} s; use a smaller grid or problem"
                    ),
                    None,
                );
            }
        };
        let notes = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        if ended.stdout.len() > LONGEST {
            let found = ended.stdout.len();
            return failed(&format!("the result has {found} bytes; use a smaller problem"), None);
        }
        let Ok(result) = serde_json::from_slice::<Value>(&ended.stdout) else {
            return failed(&format!("the command printed no result: {notes}"), ended.status.code());
        };
        let code = ended.status.code();
        let answer = json!({ "exit_code": code, "result": result, "notes": notes });
        match code {
            Some(0 | 1) => CallToolResult::structured(answer),
            _ => CallToolResult::structured_error(answer),
        }
    }
}

/// The result of a call without an answer.
pub(crate) fn failed(why: &str, code: Option<i32>) -> CallToolResult {
    CallToolResult::structured_error(json!({ "exit_code": code, "result": null, "notes": why }))
}
