//! Commands on programs, candidates and new projects.

#[cfg(all(unix, feature = "host"))]
mod checked;
mod debug;
#[cfg(all(unix, feature = "host"))]
mod device_objects;
mod editor;
mod exec;
mod exit_codes;
#[cfg(feature = "judge")]
mod judge;
#[cfg(all(unix, feature = "host"))]
mod libraries;
#[cfg(feature = "mcp")]
mod mcp;
mod new;
#[cfg(all(unix, feature = "host"))]
mod reported;
mod runtime;
#[cfg(all(unix, feature = "host"))]
mod runtime_calls;
#[cfg(all(unix, feature = "host"))]
mod source;

/// The output of a command that runs a program's source, with its host code interpreted and then as machine code. Both
/// must agree.
#[cfg(all(unix, feature = "host"))]
fn both_ways(mut command: std::process::Command) -> std::process::Output {
    let mut run = |how: &str| command.env("LANEWORK_HOST_CODE", how).output().expect("it starts");
    let (interpreted, compiled) = (run("interpret"), run("compile"));
    let told = |output: &std::process::Output| {
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        // Addresses differ between two processes.
        let mut parts = text.split("0x").map(str::to_owned);
        let first = parts.next().unwrap_or_default();
        let rest =
            parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit()).to_owned());
        let masked = std::iter::once(first).chain(rest).collect::<Vec<_>>().join("0x");
        (masked, output.status.code())
    };
    assert_eq!(told(&interpreted), told(&compiled));
    compiled
}
