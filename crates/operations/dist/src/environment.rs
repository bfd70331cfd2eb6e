//! The rank of this process and the address of rank 0, from the environment variables of mpirun, srun or torchrun.

use lanework::{Error, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A process's position in a job, from the launcher's variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub rank: usize,
    pub size: usize,
    /// Index among the ranks of this machine.
    pub local_rank: usize,
    /// Host and port of rank 0.
    pub address: String,
    /// A number that identifies the job, so that two jobs on one port do not mix.
    pub job: u64,
}

/// This process's position; `None` without a launcher.
///
/// # Errors
/// If the variables are invalid, or do not contain the address of rank 0.
pub(crate) fn place(variable: Lookup<'_>) -> Result<Option<Place>> {
    let said = |launcher: &&Launcher| {
        // A shell in an allocation has a rank, but is not a step.
        let step = launcher.name != "srun" || variable("SLURM_STEP_ID").is_some();
        step && (variable(launcher.rank).is_some() || variable(launcher.size).is_some())
    };
    let Some(launcher) = LAUNCHERS.iter().find(said) else { return Ok(None) };
    let number = |name: &str| -> Result<usize> {
        let value = variable(name).ok_or_else(|| {
            let help = format!("{} sets {} and {}", launcher.name, launcher.rank, launcher.size);
            refuse(format!("{name} is not set"), help)
        })?;
        let wrong =
            || refuse(format!("{name}={value} is not a number"), String::from("set it to one"));
        value.trim().parse().map_err(|_| wrong())
    };
    let (rank, size) = (number(launcher.rank)?, number(launcher.size)?);
    if rank >= size {
        return Err(refuse(
            format!("{} is {rank}, {} is {size}", launcher.rank, launcher.size),
            "ranks are numbered from 0 to their number minus 1".to_owned(),
        ));
    }
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    let small = |names: &[&str]| first(names).and_then(|value| value.trim().parse().ok());
    let whole = |names: &&[&str]| {
        names.iter().map(|name| variable(name)).collect::<Option<Vec<_>>>().map(|all| all.join("."))
    };
    let named = launcher.job.iter().find_map(whole);
    let given = given_address(variable, named.as_deref());
    // All ranks have the same address. They need not share a parent: each may be started through its own program, such as
    // `timeout` or a shell.
    let job = named.or_else(|| given.clone()).unwrap_or_else(|| common_ancestor(launcher.rank));
    let job = hash(launcher.name, &job);
    let address = match given {
        Some(address) => address,
        None => {
            let alone: Option<usize> = small(launcher.local_size);
            chosen_address(variable, job, alone == Some(size) || size == 1)?
        }
    };
    let local_rank = small(launcher.local_rank).unwrap_or(rank);
    Ok(Some(Place { rank, size, local_rank, address, job }))
}

/// The value of a variable.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A number for a launcher's job.
fn hash(launcher: &str, job: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (launcher, job).hash(&mut hasher);
    hasher.finish()
}

/// A port in a range that has few listeners and no ephemeral ports.
fn port_of(job: u64) -> u64 {
    20_000 + job % 10_000
}

/// Address of rank 0 that was given to all ranks.
fn given_address(variable: Lookup<'_>, job: Option<&str>) -> Option<String> {
    if let Some(address) = variable("LANEWORK_ADDRESS") {
        return Some(address);
    }
    let host = variable("MASTER_ADDR")?;
    let given = variable("MASTER_PORT").and_then(|port| port.trim().parse::<u64>().ok());
    // Torchrun itself uses this port.
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
fn chosen_address(variable: Lookup<'_>, job: u64, one_machine: bool) -> Result<String> {
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
fn refuse(why: String, help: String) -> Error {
    Error::Request { why: format!("invalid environment variables: {why}"), help }
}

/// The names of one launcher's variables.
struct Launcher {
    name: &'static str,
    rank: &'static str,
    size: &'static str,
    local_rank: &'static [&'static str],
    local_size: &'static [&'static str],
    /// Variables that name the job: the first group that is completely set.
    job: &'static [&'static [&'static str]],
}

/// In order of lookup: first variables with only this purpose, last variables of launchers that start other launchers.
const LAUNCHERS: [Launcher; 6] = [
    Launcher {
        name: "Lanework's own variables",
        rank: "LANEWORK_RANK",
        size: "LANEWORK_RANKS",
        local_rank: &["LANEWORK_LOCAL_RANK"],
        local_size: &[],
        job: &[&["LANEWORK_JOB"]],
    },
    Launcher {
        name: "torchrun",
        rank: "RANK",
        size: "WORLD_SIZE",
        local_rank: &["LOCAL_RANK"],
        local_size: &["LOCAL_WORLD_SIZE"],
        job: &[&["TORCHELASTIC_RUN_ID"]],
    },
    Launcher {
        name: "Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        local_size: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
        job: &[&["PMIX_NAMESPACE"], &["OMPI_MCA_ess_base_jobid"]],
    },
    Launcher {
        name: "MVAPICH",
        rank: "MV2_COMM_WORLD_RANK",
        size: "MV2_COMM_WORLD_SIZE",
        local_rank: &["MV2_COMM_WORLD_LOCAL_RANK"],
        local_size: &["MV2_COMM_WORLD_LOCAL_SIZE"],
        job: &[&["PMI_JOBID"]],
    },
    Launcher {
        name: "MPICH or Intel MPI",
        rank: "PMI_RANK",
        size: "PMI_SIZE",
        local_rank: &["MPI_LOCALRANKID", "PALS_LOCAL_RANKID"],
        local_size: &["MPI_LOCALNRANKS"],
        job: &[&["PMI_JOBID"]],
    },
    Launcher {
        name: "srun",
        rank: "SLURM_PROCID",
        size: "SLURM_NTASKS",
        local_rank: &["SLURM_LOCALID"],
        local_size: &[],
        job: &[&["SLURM_JOB_ID", "SLURM_STEP_ID"]],
    },
];

/// Identifies a job without a name by the common ancestor of its ranks on one machine: the launcher. Programs between it and the ranks
/// (`timeout`, a shell) have the rank among their variables, the launcher does not.
#[cfg(target_os = "linux")]
fn common_ancestor(rank: &str) -> String {
    let mut process = std::os::unix::process::parent_id();
    loop {
        // A process that cannot be read, such as another user's, counts as the launcher.
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
fn common_ancestor(_: &str) -> String {
    std::os::unix::process::parent_id().to_string()
}

#[cfg(not(unix))]
fn common_ancestor(_: &str) -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Option<Place>> {
        place(&|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn shown(variables: &[(&str, &str)]) -> (usize, usize, usize, String) {
        let place = of(variables).expect("a place").expect("a launcher");
        (place.rank, place.size, place.local_rank, place.address)
    }

    #[test]
    fn each_launcher_is_understood() {
        assert_eq!(of(&[("PATH", "/bin"), ("SLURM_PROCID", "0")]).expect("nothing"), None);
        let torchrun = [
            ("RANK", "3"),
            ("WORLD_SIZE", "4"),
            ("LOCAL_RANK", "1"),
            ("MASTER_ADDR", "10.0.0.1"),
            ("MASTER_PORT", "29500"),
        ];
        assert_eq!(shown(&torchrun), (3, 4, 1, "10.0.0.1:29500".to_owned()));
        let agent = [&torchrun[..], &[("TORCHELASTIC_USE_AGENT_STORE", "True")]].concat();
        assert_eq!(shown(&agent).3, "10.0.0.1:29501");
        let mpirun = [
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "2"),
            ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
            ("SLURM_PROCID", "0"),
            ("SLURM_STEP_ID", "0"),
        ];
        assert_eq!(shown(&mpirun).2, 1);
        assert!(shown(&mpirun).3.starts_with("127.0.0.1:2"));
        let hydra = [("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("LANEWORK_ADDRESS", "a:1")];
        assert_eq!(shown(&hydra), (0, 2, 0, "a:1".to_owned()));
        let srun = [
            ("SLURM_PROCID", "5"),
            ("SLURM_NTASKS", "8"),
            ("SLURM_LOCALID", "1"),
            ("SLURM_STEP_ID", "2"),
            ("SLURM_JOB_ID", "77"),
            ("SLURM_STEP_NODELIST", "gpu[03-04]"),
        ];
        assert_eq!(shown(&srun).2, 1);
        assert!(shown(&srun).3.starts_with("gpu03:2"));
    }

    #[test]
    fn invalid_values_name_their_variable() {
        let says = |variables: &[(&str, &str)]| of(variables).expect_err("refused").to_string();
        assert!(says(&[("RANK", "0")]).contains("WORLD_SIZE is not set"));
        assert!(says(&[("RANK", "x"), ("WORLD_SIZE", "2")]).contains("RANK=x is not a number"));
        assert!(
            says(&[("PMI_RANK", "2"), ("PMI_SIZE", "2")]).contains("PMI_RANK is 2, PMI_SIZE is 2")
        );
        let nowhere = [("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "2")];
        assert!(says(&nowhere).contains("the address of rank 0 is unknown"));
    }

    #[test]
    fn ranks_of_one_job_agree_and_others_do_not() {
        let job = |variables: &[(&str, &str)]| of(variables).expect("a place").expect("a rank").job;
        let torch = |rank, port| {
            job(&[("RANK", rank), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "a"), ("MASTER_PORT", port)])
        };
        assert_eq!(torch("0", "1"), torch("1", "1"));
        assert_ne!(torch("0", "1"), torch("1", "2"));
        // PMI_ID is a rank.
        let mvapich = |rank| {
            let size = ("MV2_COMM_WORLD_SIZE", "2");
            let local = ("MV2_COMM_WORLD_LOCAL_SIZE", "2");
            job(&[("MV2_COMM_WORLD_RANK", rank), size, local, ("PMI_ID", rank)])
        };
        assert_eq!(mvapich("0"), mvapich("1"));
        let srun = |rank, step| {
            let of = [("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", step), ("LANEWORK_ADDRESS", "a:1")];
            job(&[&of[..], &[("SLURM_PROCID", rank), ("SLURM_NTASKS", "2")]].concat())
        };
        assert_eq!(srun("0", "1"), srun("1", "1"));
        assert_ne!(srun("0", "1"), srun("1", "2")); // two steps of an allocation at once
    }

    #[test]
    fn all_ranks_choose_the_same_default_port() {
        let alone = [("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "a")];
        assert_eq!(shown(&alone).3, "a:29500");
        let named = [&alone[..], &[("TORCHELASTIC_RUN_ID", "x")]].concat();
        assert!(shown(&named).3.starts_with("a:2"), "{}", shown(&named).3);
    }

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
