//! Rows: forms that are run, or whose operands the instruction table does not have.

/// Forms that share their operands.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Their names; `{,.ftz}` stands for each of the alternatives.
    pub names: &'static str,
    /// Kinds of the results and operands.
    pub kinds: RowKinds,
    /// The text of one form with `@` for its name; empty for `@ $d, $a, ...;`.
    pub text: &'static str,
}

/// Where a row's kinds of operands come from.
#[derive(Clone, Copy, Debug)]
pub enum RowKinds {
    /// One result, and operands, of the types that the instruction table of `lanework-ptx` gives.
    Table,
    /// The same, for each form of the opcodes in `names` that the instruction table has and no other row names.
    Rest(NumberClass),
    /// A load, a store, or an atomic, on the thread's own cell; kinds and text come from its name.
    Memory,
    /// Results `$d` and `$q`, and operands `$a`, `$b`, `$c` and `$e`.
    Named(&'static str, &'static str),
    /// The row is not run.
    NotRun,
}

/// The class of an instruction's last type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumberClass {
    /// Integers, bits and predicates.
    Integer,
    /// Floats of 32 and 64 bits.
    Float,
    /// Floats of 16 bits, and pairs of them.
    Half,
}

/// A row of values whose types the instruction table gives.
pub(super) const fn values(names: &'static str) -> Row {
    Row { names, kinds: RowKinds::Table, text: "" }
}

/// A row of the other forms of some opcodes.
pub(super) const fn rest(opcodes: &'static str, class: NumberClass) -> Row {
    Row { names: opcodes, kinds: RowKinds::Rest(class), text: "" }
}

/// A row of loads, stores or atomics.
pub(super) const fn memory(names: &'static str) -> Row {
    Row { names, kinds: RowKinds::Memory, text: "" }
}

/// A row whose text is its name and its operands in order, of kinds that the instruction table does
/// not give.
pub(super) const fn row(names: &'static str, results: &'static str, operands: &'static str) -> Row {
    text(names, results, operands, "")
}

/// A row with its own text.
pub(super) const fn text(
    names: &'static str,
    results: &'static str,
    operands: &'static str,
    text: &'static str,
) -> Row {
    Row { names, kinds: RowKinds::Named(results, operands), text }
}

/// A row that is loaded but not run, and has operands that samples of the instruction table do not have.
pub(super) const fn load_only(names: &'static str, text: &'static str) -> Row {
    Row { names, kinds: RowKinds::NotRun, text }
}
