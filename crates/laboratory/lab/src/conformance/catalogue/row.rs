//! One line of the manual's syntax: instruction forms that share their operands.

/// Forms that share their operands.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Their names; `{,.ftz}` stands for each of the alternatives.
    pub names: &'static str,
    /// Types of the results `$d` and `$q`; empty for a row that is not run.
    pub results: &'static str,
    /// Kinds of the operands `$a`, `$b`, `$c` and `$e`.
    pub operands: &'static str,
    /// The text of one form with `@` for its name; empty for `@ $d, $a, ...;`.
    pub text: &'static str,
}

/// A row whose text is its name and its operands in order.
pub(super) const fn row(names: &'static str, results: &'static str, operands: &'static str) -> Row {
    Row { names, results, operands, text: "" }
}

/// A row with its own text.
pub(super) const fn text(
    names: &'static str,
    results: &'static str,
    operands: &'static str,
    text: &'static str,
) -> Row {
    Row { names, results, operands, text }
}

/// A row that is loaded but not run: its effect is not a result, or needs several threads.
pub(super) const fn load_only(names: &'static str, text: &'static str) -> Row {
    Row { names, results: "", operands: "", text }
}
