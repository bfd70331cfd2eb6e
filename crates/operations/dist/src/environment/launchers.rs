//! Known launchers, by their environment variables.

/// The names of one launcher's variables.
pub(super) struct Launcher {
    pub(super) name: &'static str,
    pub(super) rank: &'static str,
    pub(super) size: &'static str,
    pub(super) local_rank: &'static [&'static str],
    pub(super) local_size: &'static [&'static str],
    /// Variables that name the job: the first group that is completely set.
    pub(super) job: &'static [&'static [&'static str]],
}

/// In order of lookup: variables with only this purpose first, variables of launchers that start other launchers last.
pub(super) const LAUNCHERS: [Launcher; 6] = [
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
