//! Several processes on one machine, started with the variables of mpirun, srun and torchrun: this test program starts itself once per
//! rank.

use lanework::Result;
use lanework_dist::{Communicator, Reduction, group};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

/// The variable that selects the role of a started process.
const ROLE: &str = "LANEWORK_TEST_ROLE";

/// Runs a rank. In the process that starts the others, it does nothing.
#[test]
fn rank() {
    let Ok(role) = std::env::var(ROLE) else { return };
    match run(&role) {
        Ok(text) => println!("SAID {text}"),
        Err(error) => println!("FAILED {error}"),
    }
}

fn run(role: &str) -> Result<String> {
    let comm = Communicator::from_environment()?;
    let (rank, size, device) = (comm.rank(), comm.size(), comm.device());
    match role {
        "works" => {
            let x: Vec<f32> = (0..1001).map(|i| (i + rank) as f32).collect();
            let mut x = device.upload(&x)?;
            comm.all_reduce_in_place(Reduction::Sum, &mut x)?.run()?;
            let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
            // Sends more than a connection buffers, around a ring.
            let own = device.upload(&vec![rank as u32; 1 << 20])?;
            let mut other = device.uninit::<u32>(1 << 20)?;
            group([comm.send(next, &own)?, comm.recv(before, &mut other)?])?;
            comm.barrier()?;
            let other = other.download()?;
            assert!(other.iter().all(|x| *x == before as u32));
            Ok(format!("{rank} of {size}: {} from {before}", x.download()?[1000]))
        }
        "leaves" if rank == 1 => std::process::exit(3),
        "leaves" => comm.barrier().map(|()| "nothing".to_owned()),
        _ => unreachable!("a role"),
    }
}

/// A free port.
fn port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Starts a process for each list of variables; returns their output.
fn start(role: &str, ranks: &[Vec<(&str, String)>]) -> Vec<String> {
    start_by(&[], role, ranks)
}

/// As [`start`], each process through a wrapper program.
fn start_by(wrapper: &[&str], role: &str, ranks: &[Vec<(&str, String)>]) -> Vec<String> {
    let program = std::env::current_exe().expect("this program");
    let program = program.to_str().expect("a name of characters");
    let children: Vec<_> = ranks
        .iter()
        .map(|variables| {
            let words = [wrapper, &[program, "--exact", "processes::rank", "--nocapture"]].concat();
            let mut command = Command::new(words[0]);
            command.args(&words[1..]).env(ROLE, role);
            command.env("LANEWORK_DIST_TIMEOUT", "120");
            command.envs(variables.iter().map(|(name, value)| (name, value)));
            command.stdout(Stdio::piped()).spawn().expect("a process")
        })
        .collect();
    let said = |output: Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| {
            let at = line.find("SAID ").or_else(|| line.find("FAILED "))?;
            Some(line[at..].to_owned())
        });
        line.unwrap_or_else(|| format!("ended with {:?}", output.status.code()))
    };
    children.into_iter().map(|child| said(child.wait_with_output().expect("an end"))).collect()
}

fn torchrun(rank: usize, size: usize, port: u16) -> Vec<(&'static str, String)> {
    vec![
        ("RANK", rank.to_string()),
        ("WORLD_SIZE", size.to_string()),
        ("LOCAL_RANK", rank.to_string()),
        ("MASTER_ADDR", "127.0.0.1".to_owned()),
        ("MASTER_PORT", port.to_string()),
        ("TORCHELASTIC_RUN_ID", "a job".to_owned()),
    ]
}

/// A shell that does not exec the program, like a wrapper in a job script.
const SHELL: [&str; 4] = ["sh", "-c", "\"$@\"; exit $?", "sh"];

fn expected(size: usize) -> Vec<String> {
    let ranks = size * (size - 1) / 2;
    let line = |rank| {
        let before = (rank + size - 1) % size;
        format!("SAID {rank} of {size}: {} from {before}", 1000 * size + ranks)
    };
    (0..size).map(line).collect()
}

#[test]
fn processes_of_torchrun_work_together() {
    for size in [2, 4] {
        let port = port();
        let ranks: Vec<_> = (0..size).map(|rank| torchrun(rank, size, port)).collect();
        assert_eq!(start("works", &ranks), expected(size));
    }
}

#[test]
fn ranks_behind_wrappers_share_a_job() {
    if cfg!(not(unix)) {
        eprintln!("SKIPPED: there is no sh");
        return;
    }
    // The launcher does not name the job, so the address identifies it.
    let port = port();
    let unnamed = |rank: usize| {
        let mut variables = torchrun(rank, 3, port);
        variables.retain(|(name, _)| *name != "TORCHELASTIC_RUN_ID");
        variables
    };
    assert_eq!(start_by(&SHELL, "works", &[unnamed(0), unnamed(1), unnamed(2)]), expected(3));
    // Without an address, the parent of the wrappers identifies the job.
    let hydra = |rank: usize| {
        vec![
            ("PMI_RANK", rank.to_string()),
            ("PMI_SIZE", "2".to_owned()),
            ("MPI_LOCALRANKID", rank.to_string()),
            ("MPI_LOCALNRANKS", "2".to_owned()),
        ]
    };
    if cfg!(target_os = "linux") {
        assert_eq!(start_by(&SHELL, "works", &[hydra(0), hydra(1)]), expected(2));
    }
}

#[test]
fn jobs_use_a_port_one_after_another() {
    let port = port();
    let of = |job: &'static str| {
        (0..2).map(move |rank| {
            let mut variables = torchrun(rank, 2, port);
            variables.retain(|(name, _)| *name != "TORCHELASTIC_RUN_ID");
            variables.push(("TORCHELASTIC_RUN_ID", job.to_owned()));
            variables
        })
    };
    // Two concurrent jobs, whose ranks start in reverse order.
    let ranks: Vec<_> = of("one").chain(of("other")).rev().collect();
    let both: Vec<_> = expected(2).into_iter().chain(expected(2)).rev().collect();
    assert_eq!(start("works", &ranks), both);
    // And again immediately, in the same job.
    for _ in 0..2 {
        assert_eq!(start("works", &of("one").collect::<Vec<_>>()), expected(2));
    }
}

#[test]
#[ignore = "slow: waits twelve seconds for a rank that does not come"]
fn a_port_kept_by_another_job_is_reported() {
    let port = port();
    let soon = |job: &str, rank| {
        let mut variables = torchrun(rank, 2, port);
        variables.retain(|(name, _)| *name != "TORCHELASTIC_RUN_ID");
        variables.push(("TORCHELASTIC_RUN_ID", job.to_owned()));
        variables.push(("LANEWORK_DIST_TIMEOUT", "12".to_owned()));
        variables
    };
    let says = start("works", &[soon("one", 0), soon("other", 1)]);
    assert!(says[0].contains("rank 1 of 2 has not arrived at rank 0"), "{}", says[0]);
    assert!(says[1].contains("belongs to another job"), "{}", says[1]);
}

#[test]
fn processes_of_mpirun_find_each_other_by_their_job() {
    // The job's name determines the port.
    let job = format!("prterun-{}@1", std::process::id());
    let of = |rank: usize| {
        vec![
            ("OMPI_COMM_WORLD_RANK", rank.to_string()),
            ("OMPI_COMM_WORLD_SIZE", "3".to_owned()),
            ("OMPI_COMM_WORLD_LOCAL_RANK", rank.to_string()),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "3".to_owned()),
            ("PMIX_NAMESPACE", job.clone()),
        ]
    };
    assert_eq!(start("works", &[of(0), of(1), of(2)]), expected(3));
}

#[test]
fn processes_of_srun_know_the_address_of_rank_0() {
    let address = format!("127.0.0.1:{}", port());
    let of = |rank: usize| {
        vec![
            ("SLURM_PROCID", rank.to_string()),
            ("SLURM_NTASKS", "2".to_owned()),
            ("SLURM_LOCALID", rank.to_string()),
            ("SLURM_STEP_ID", "0".to_owned()),
            ("SLURM_JOB_ID", "4711".to_owned()),
            ("LANEWORK_ADDRESS", address.clone()),
        ]
    };
    assert_eq!(start("works", &[of(0), of(1)]), expected(2));
}

#[test]
fn all_ranks_name_a_process_that_is_not_started() {
    let port = port();
    let soon = |rank| {
        let mut variables = torchrun(rank, 4, port);
        variables.push(("LANEWORK_DIST_TIMEOUT", "4".to_owned()));
        variables
    };
    let says = start("works", &[soon(0), soon(3)]);
    for text in says {
        assert!(text.contains("FAILED ranks 1 and 2 of 4 have not arrived at rank 0"), "{text}");
    }
}

#[test]
fn processes_with_different_sizes_report_it() {
    let port = port();
    let says = start("works", &[torchrun(0, 2, port), torchrun(1, 3, port)]);
    assert!(
        says.iter().any(|text| text.contains("rank 1 has 3 ranks in its job, rank 0 has 2")),
        "{says:?}"
    );
    assert!(says.iter().all(|text| text.starts_with("FAILED")), "{says:?}");
    let says = start("works", &[torchrun(0, 3, port), torchrun(1, 3, port), torchrun(1, 3, port)]);
    assert!(says.iter().all(|text| text.contains("two processes are rank 1 of 3")), "{says:?}");
}

#[test]
fn a_process_that_ends_is_noticed_immediately() {
    let port = port();
    let ranks: Vec<_> = (0..3).map(|rank| torchrun(rank, 3, port)).collect();
    let says = start("leaves", &ranks);
    for rank in [0, 2] {
        assert!(
            says[rank].contains("rank 1 left before barrier") || says[rank].contains("it stopped"),
            "{}",
            says[rank]
        );
    }
    assert_eq!(says[1], "ended with Some(3)");
}
