//! Address of rank 0: as given to all ranks, or derived from the job's number.

use lanework::{Error, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The value of a variable.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A number for a launcher's job.
pub(super) fn hash(launcher: &str, job: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (launcher, job).hash(&mut hasher);
    hasher.finish()
}

/// From a range in which few programs listen, and which has no ephemeral ports.
fn port_of(job: u64) -> u64 {
    20_000 + job % 10_000
}

/// Address of rank 0 that was given to all ranks.
pub(super) fn given_address(variable: Lookup<'_>, job: Option<&str>) -> Option<String> {
    if let Some(address) = variable("LANEWORK_ADDRESS") {
        return Some(address);
    }
    let host = variable("MASTER_ADDR")?;
    let given = variable("MASTER_PORT").and_then(|port| port.trim().parse::<u64>().ok());
    // Torchrun itself listens at this port.
    let taken = variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|value| value == "True");
    let port = match (given, job) {
        (Some(given), _) => given + u64::from(taken),
        (None, Some(job)) => port_of(hash("MASTER_ADDR", job)),
        (None, None) => USUAL_PORT,
    };
    Some(format!("{}:{port}", bracketed(&host)))
}

/// Torchrun's default port.
const USUAL_PORT: u64 = 29_500;

/// Address of rank 0, derived from the job.
pub(super) fn chosen_address(variable: Lookup<'_>, job: u64, one_machine: bool) -> Result<String> {
    let port = port_of(job);
    if one_machine {
        return Ok(format!("127.0.0.1:{port}"));
    }
    let nodes = variable("SLURM_STEP_NODELIST").or_else(|| variable("SLURM_JOB_NODELIST"));
    if let Some(host) = nodes.as_deref().and_then(first_node) {
        return Ok(format!("{host}:{port}"));
    }
    Err(refuse(
        "the address of rank 0 is unknown".to_owned(),
        "pass its host and a free port to every rank: `mpirun -x LANEWORK_ADDRESS=host:29500 ..`, or set MASTER_ADDR and MASTER_PORT"
            .to_owned(),
    ))
}

/// Brackets an IPv6 address, so that a port can follow.
fn bracketed(host: &str) -> String {
    let bare = host.contains(':') && !host.starts_with('[');
    if bare { format!("[{host}]") } else { host.to_owned() }
}

/// The first machine of a list in SLURM's syntax: `gpu[03-04,7],login` is gpu03 first.
fn first_node(list: &str) -> Option<String> {
    let end = list.find([',', '[']).unwrap_or(list.len());
    let name = &list[..end];
    if !list[end..].starts_with('[') {
        return (!name.is_empty()).then(|| name.to_owned());
    }
    let inside = list[end + 1..].split([',', '-', ']']).next()?;
    let after = list[end..].split_once(']').map_or("", |(_, after)| after);
    let suffix = after.split(',').next().unwrap_or_default();
    Some(format!("{name}{inside}{suffix}"))
}

/// An error of the environment variables.
pub(super) fn refuse(why: String, help: String) -> Error {
    Error::Request { why: format!("invalid environment variables: {why}"), help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_machine_of_a_list() {
        for (list, first) in [
            ("gpu1", "gpu1"),
            ("gpu1,gpu2", "gpu1"),
            ("gpu[03-04,7],login", "gpu03"),
            ("n[8,9]-ib", "n8-ib"),
        ] {
            assert_eq!(first_node(list).as_deref(), Some(first), "{list}");
        }
        assert_eq!(first_node(""), None);
    }
}
