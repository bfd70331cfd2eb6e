//! Optional parts of the command.

use lanework_terminal::failure::Failure;

/// The failure of a command whose feature this build lacks.
#[cfg_attr(
    all(
        feature = "history",
        feature = "host",
        feature = "judge",
        feature = "mcp",
        feature = "report"
    ),
    allow(dead_code)
)]
pub fn built_without(feature: &str) -> Failure {
    Failure::input(
        format_args!("lanework was built without the feature `{feature}`"),
        format_args!("build it with: cargo build --release -p lanework-cli --features {feature}"),
    )
}
