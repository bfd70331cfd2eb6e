//! Recursion of `#[device]` functions.
//!
//! Staging inlines every call, so a function that calls itself under a condition of the device's values would be staged
//! without end, and overflow the host's stack. A function that is already being staged may be staged again only while
//! the host's stack is short: a recursion over constants ends, and stays possible.

/// The most bytes of the host's stack between the outermost call and a recursive one. A thread of Rust has 2 MiB.
const MOST_BYTES: usize = 256 << 10;

/// The fewest calls of one name that are a recursion.
const LEAST_CALLS: usize = 4;

/// The calls being staged.
#[derive(Default)]
pub(crate) struct ActiveCalls {
    /// The address of the host's stack at the outermost call.
    bottom: usize,
    /// The function whose parameters are being bound.
    entered: Option<&'static str>,
    /// The functions being staged, outermost first; `None` for a closure.
    active: Vec<Option<&'static str>>,
}

impl ActiveCalls {
    /// The body of the function entered last, or of a closure, is staged next.
    pub fn begin(&mut self) {
        self.active.push(self.entered.take());
    }

    /// The body is staged.
    pub fn end(&mut self) {
        self.active.pop();
    }

    /// Enters a function. Returns the functions between its last call and this one if the recursion is too deep.
    pub fn enter(&mut self, function: &'static str, stack: usize) -> Option<Vec<&'static str>> {
        self.entered = Some(function);
        if self.active.is_empty() {
            self.bottom = stack;
        }
        if self.bottom.abs_diff(stack) < MOST_BYTES {
            return None;
        }
        let same = |active: &&Option<&'static str>| **active == Some(function);
        if self.active.iter().filter(same).count() + 1 < LEAST_CALLS {
            return None;
        }
        let last = self.active.iter().rposition(|active| *active == Some(function))?;
        Some(self.active[last + 1..].iter().flatten().copied().collect())
    }
}

/// The error for a function that calls itself through others.
pub(crate) fn message(function: &str, through: &[&str]) -> String {
    let mut others: Vec<String> = Vec::new();
    for other in through.iter().map(|name| format!("`{name}`")) {
        if !others.contains(&other) {
            others.push(other);
        }
    }
    let through = match others.is_empty() {
        true => String::new(),
        false => format!(" through {}", others.join(", ")),
    };
    format!(
        "`{function}` calls itself{through}: a kernel inlines every call, and this recursion does not end there"
    )
}

#[cfg(test)]
mod tests {
    use super::{ActiveCalls, LEAST_CALLS, MOST_BYTES};

    #[test]
    fn a_function_on_a_deep_stack_is_refused_only_if_it_is_being_staged() {
        let mut calls = ActiveCalls::default();
        for _ in 1..LEAST_CALLS {
            assert_eq!(calls.enter("even", 1 << 30), None);
            calls.begin();
            assert_eq!(calls.enter("odd", 1 << 29), None);
            calls.begin();
            calls.begin();
        }
        assert_eq!(calls.enter("even", (1 << 30) - MOST_BYTES + 1), None);
        assert_eq!(calls.enter("even", (1 << 30) - MOST_BYTES), Some(vec!["odd"]));
        assert_eq!(calls.enter("odd", 1 << 29), Some(Vec::new()));
        calls.end();
        calls.end();
        assert_eq!(calls.enter("odd", 1 << 29), None);
    }
}
