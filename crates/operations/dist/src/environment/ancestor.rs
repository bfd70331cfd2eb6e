//! The process that started all ranks of a machine.

/// The common ancestor of the ranks on one machine without a job name: the launcher. Programs between it and the ranks (`timeout`, a shell)
/// have the rank among their variables; the launcher has not.
#[cfg(target_os = "linux")]
pub(super) fn common_ancestor(rank: &str) -> String {
    let mut process = std::os::unix::process::parent_id();
    loop {
        // A process that cannot be read, such as another user's, is a launcher.
        let variables = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let name = format!("{rank}=");
        let ranked = variables.split(|byte| *byte == 0).any(|one| one.starts_with(name.as_bytes()));
        match parent_of(process).filter(|parent| ranked && *parent > 1) {
            Some(parent) => process = parent,
            None => return process.to_string(),
        }
    }
}

/// The parent of a process: the second field after the name, which is in parentheses and may contain any character.
#[cfg(target_os = "linux")]
fn parent_of(process: u32) -> Option<u32> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn common_ancestor(_: &str) -> String {
    std::os::unix::process::parent_id().to_string()
}

#[cfg(not(unix))]
pub(super) fn common_ancestor(_: &str) -> String {
    String::new()
}
