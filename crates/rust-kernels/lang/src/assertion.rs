//! Assertions and panics in kernels.
//!
//! What is known while staging is decided there: a failed assertion is an error of the kernel. At run
//! time the thread prints the message. A checked launch then reports the assertion with its thread, as
//! it does an index out of range; an unchecked one stops (`trap`).

use crate::builder::Builder;
use crate::connect::Condition;
use crate::current::{here, with};
use crate::pending::Failure;
use crate::print::{Piece, Show};
use crate::value::{Index, Value};
use lanework_abi::{CheckSite, IndexKind};
use lanework_ptx::ScalarType;

/// `{}` in a format string.
pub const PLAIN: Piece = Piece::Value { form: "", show: Show::Plain };

/// `assert!(condition)`; `message` prints what the author adds.
#[track_caller]
pub fn assertion(condition: impl Condition, text: &'static str, message: impl FnOnce()) {
    here();
    let caller = std::panic::Location::caller();
    let condition = condition.condition();
    match condition.known() {
        Some(true) => {}
        Some(false) => {
            with(|b| b.rendering = Some(String::new()));
            message();
            with(|b| {
                let said = b.rendering.take().unwrap_or_default();
                let said = if said.is_empty() { text } else { said.trim_end() };
                let help = "the kernel rejects these generics and constants; choose others";
                b.set_position(caller);
                b.error(said, help);
            });
        }
        None => {
            with(Builder::begin_capture);
            message();
            with(|b| {
                b.set_position(caller);
                b.fail(text);
                let lines = b.end_capture();
                let predicate = b.predicate(condition);
                let end = b.label("holds");
                b.jump_if(predicate, false, &end);
                b.append(lines);
                b.place(&end);
            });
        }
    }
}

/// `panic!()`.
#[track_caller]
pub fn ending(text: &'static str, message: impl FnOnce()) {
    here();
    message();
    here();
    with(|b| b.fail(text));
}

impl Builder {
    /// Ends the thread with a report.
    fn fail(&mut self, text: &str) {
        if self.checked {
            let (file, line, column) = self.source();
            let (array, what) = (text.to_owned(), IndexKind::Assertion);
            self.sites.push(CheckSite { file, line, column, array, what });
            let label = self.label("failed");
            let index = Index { value: Value::Constant(0), ty: ScalarType::U32 };
            let (site, length) = (self.sites.len(), Value::Constant(0));
            if !self.dead {
                self.failures.push(Failure { label: label.clone(), site, index, length });
            }
            self.jump(&label);
        } else {
            self.emit("trap", vec![]);
            self.emit("exit", vec![]);
            self.dead = true;
        }
    }
}
