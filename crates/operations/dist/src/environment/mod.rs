//! The rank of this process, from the environment variables of mpirun, srun or torchrun.

mod address;
mod ancestor;
mod launchers;

use address::{Lookup, chosen_address, given_address, hash, refuse};
use ancestor::common_ancestor;
use lanework::Result;
use launchers::{LAUNCHERS, Launcher};

/// A process's place in a job, as the launcher gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub rank: usize,
    pub size: usize,
    /// Index among the ranks of this machine.
    pub local_rank: usize,
    /// Host and port of rank 0.
    pub address: String,
    /// A number of the job, so that two jobs on one port do not mix.
    pub job: u64,
}

/// This process's place; `None` without a launcher.
///
/// # Errors
/// If the variables are invalid, or do not tell where rank 0 is.
pub(crate) fn place(variable: Lookup<'_>) -> Result<Option<Place>> {
    let said = |launcher: &&Launcher| {
        // A shell of an allocation has a rank without being a step of it.
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
            "ranks count from 0 to one less than their number".to_owned(),
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
    fn without_a_port_all_ranks_take_the_same() {
        let alone = [("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "a")];
        assert_eq!(shown(&alone).3, "a:29500");
        let named = [&alone[..], &[("TORCHELASTIC_RUN_ID", "x")]].concat();
        assert!(shown(&named).3.starts_with("a:2"), "{}", shown(&named).3);
    }
}
