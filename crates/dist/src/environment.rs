//! Which rank this process is, as the program that started it says: mpirun, srun and torchrun set environment variables.

use lanework::{Error, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a launcher says of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub rank: usize,
    pub size: usize,
    /// Among the ranks of this machine.
    pub local_rank: usize,
    /// Host and port of rank 0.
    pub address: String,
    /// Different for different jobs, so that two that use one port do not mix.
    pub job: u64,
}

/// The names of one launcher's variables.
struct Launcher {
    name: &'static str,
    rank: &'static str,
    size: &'static str,
    local_rank: &'static [&'static str],
    local_size: &'static [&'static str],
    job: &'static [&'static str],
}

/// In the order in which they are looked for: what is set for this purpose alone first, and what a launcher of launchers sets last.
const LAUNCHERS: [Launcher; 6] = [
    Launcher {
        name: "Lanework's own variables",
        rank: "LANEWORK_RANK",
        size: "LANEWORK_RANKS",
        local_rank: &["LANEWORK_LOCAL_RANK"],
        local_size: &[],
        job: &["LANEWORK_JOB"],
    },
    Launcher {
        name: "torchrun",
        rank: "RANK",
        size: "WORLD_SIZE",
        local_rank: &["LOCAL_RANK"],
        local_size: &["LOCAL_WORLD_SIZE"],
        job: &["TORCHELASTIC_RUN_ID"],
    },
    Launcher {
        name: "Open MPI",
        rank: "OMPI_COMM_WORLD_RANK",
        size: "OMPI_COMM_WORLD_SIZE",
        local_rank: &["OMPI_COMM_WORLD_LOCAL_RANK"],
        local_size: &["OMPI_COMM_WORLD_LOCAL_SIZE"],
        job: &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"],
    },
    Launcher {
        name: "MVAPICH",
        rank: "MV2_COMM_WORLD_RANK",
        size: "MV2_COMM_WORLD_SIZE",
        local_rank: &["MV2_COMM_WORLD_LOCAL_RANK"],
        local_size: &["MV2_COMM_WORLD_LOCAL_SIZE"],
        job: &["PMI_JOBID", "PMI_ID"],
    },
    Launcher {
        name: "MPICH or Intel MPI",
        rank: "PMI_RANK",
        size: "PMI_SIZE",
        local_rank: &["MPI_LOCALRANKID", "PALS_LOCAL_RANKID"],
        local_size: &["MPI_LOCALNRANKS"],
        job: &["PMI_JOBID"],
    },
    Launcher {
        name: "srun",
        rank: "SLURM_PROCID",
        size: "SLURM_NTASKS",
        local_rank: &["SLURM_LOCALID"],
        local_size: &[],
        job: &["SLURM_JOB_ID"],
    },
];

type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// This process's place; `None` where no launcher says one, so that it is alone.
///
/// # Errors
/// When what is said makes no sense, or does not say where rank 0 is.
pub(crate) fn place(variable: Lookup<'_>) -> Result<Option<Place>> {
    let said = |launcher: &&Launcher| {
        // A shell of an allocation has a rank, too, without being a step of it.
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
            "ranks are counted from 0 and are below their number".to_owned(),
        ));
    }
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    let small = |names: &[&str]| first(names).and_then(|value| value.trim().parse().ok());
    let job = first(launcher.job).unwrap_or_else(|| parent().to_string());
    let mut hasher = DefaultHasher::new();
    (launcher.name, &job).hash(&mut hasher);
    let job = hasher.finish();
    let alone: Option<usize> = small(launcher.local_size);
    let address = address(variable, job, alone == Some(size) || size == 1)?;
    let local_rank = small(launcher.local_rank).unwrap_or(rank);
    Ok(Some(Place { rank, size, local_rank, address, job }))
}

/// Where rank 0 is.
fn address(variable: Lookup<'_>, job: u64, one_machine: bool) -> Result<String> {
    if let Some(address) = variable("LANEWORK_ADDRESS") {
        return Ok(address);
    }
    // From a range in which few programs listen, and from which systems do not give out ports by themselves.
    let port = 20_000 + job % 10_000;
    if let Some(host) = variable("MASTER_ADDR") {
        let given = variable("MASTER_PORT").and_then(|port| port.trim().parse::<u64>().ok());
        // Torchrun itself listens at its port.
        let taken = variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|value| value == "True");
        let port = given.map_or(port, |given| given + u64::from(taken));
        return Ok(format!("{}:{port}", bracketed(&host)));
    }
    if one_machine {
        return Ok(format!("127.0.0.1:{port}"));
    }
    let nodes = variable("SLURM_STEP_NODELIST").or_else(|| variable("SLURM_JOB_NODELIST"));
    if let Some(host) = nodes.as_deref().and_then(first_node) {
        return Ok(format!("{host}:{port}"));
    }
    Err(refuse(
        "nothing says where rank 0 is".to_owned(),
        "pass its host and a free port to every rank: `mpirun -x LANEWORK_ADDRESS=host:29500 ..`, or set MASTER_ADDR and MASTER_PORT"
            .to_owned(),
    ))
}

/// An IPv6 address in the form that a port can follow.
fn bracketed(host: &str) -> String {
    let bare = host.contains(':') && !host.starts_with('[');
    if bare { format!("[{host}]") } else { host.to_owned() }
}

/// The first machine of a list as SLURM writes it: `gpu[03-04,7],login` is gpu03 first.
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

/// What the ranks of one machine that name no job have in common: who started them.
fn parent() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    return 0;
}

fn refuse(why: String, help: String) -> Error {
    Error::Request { why: format!("ranks cannot be told from the environment: {why}"), help }
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
    fn what_makes_no_sense_names_its_variable() {
        let says = |variables: &[(&str, &str)]| of(variables).expect_err("refused").to_string();
        assert!(says(&[("RANK", "0")]).contains("WORLD_SIZE is not set"));
        assert!(says(&[("RANK", "x"), ("WORLD_SIZE", "2")]).contains("RANK=x is not a number"));
        assert!(
            says(&[("PMI_RANK", "2"), ("PMI_SIZE", "2")]).contains("PMI_RANK is 2, PMI_SIZE is 2")
        );
        let nowhere = [("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "2")];
        assert!(says(&nowhere).contains("nothing says where rank 0 is"));
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
