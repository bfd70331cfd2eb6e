//! The `lanework` command.
fn main() {}
