//! Faults on the GPU and their attribution to launches. A fault destroys the process's GPU context, so each test runs
//! in a separate process.

use std::process::Command;

use lanework_cuda::{CudaError, Gpu, GpuFunction, Suspects};

use crate::support::{self, FAULTS};

/// Names the test that a child process is to run.
const CHILD: &str = "LANEWORK_TEST_CHILD";

/// Runs `body` in a separate process.
fn in_own_process(test: &str, environment: &[(&str, &str)], body: impl FnOnce(&Gpu)) {
    let Some(gpu) = support::gpu(test) else { return };
    if std::env::var(CHILD).as_deref() == Ok(test) {
        return body(&gpu);
    }
    let output = Command::new(std::env::current_exe().expect("this test has a path"))
        .args([&format!("faults::{test}"), "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .envs(environment.iter().copied())
        .output()
        .expect("the test starts itself");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "in its own process:\n{said}\n{complained}");
    assert!(said.contains("1 passed"), "the child ran no test:\n{said}");
}

fn harmless(gpu: &Gpu) {
    let kernel = support::kernel(gpu, FAULTS, "harmless");
    // Unloading a module waits for the GPU, so keep this one loaded.
    std::mem::forget(kernel.clone());
    // SAFETY: touches nothing.
    unsafe { gpu.launch(&kernel, [1; 3], [32, 1, 1], 0, &[], None).unwrap() };
}

fn wild(gpu: &Gpu) -> GpuFunction {
    support::kernel(gpu, FAULTS, "wild_store")
}

fn launch_wild(gpu: &Gpu, kernel: &GpuFunction) -> Result<(), CudaError> {
    // SAFETY: deliberately unsound: this separate process provokes the fault.
    unsafe { gpu.launch(kernel, [2, 1, 1], [32, 1, 1], 0, &[&64u64.to_ne_bytes()], None) }
}

fn suspects(result: Result<(), CudaError>) -> (Suspects, String) {
    match result {
        Err(error @ CudaError::Fault { .. }) => {
            assert!(error.context_lost());
            let text = error.to_string();
            let CudaError::Fault { suspects, .. } = error else { unreachable!() };
            (suspects, text)
        }
        other => panic!("no fault was reported: {other:?}"),
    }
}

#[test]
fn a_fault_names_the_only_pending_launch() {
    in_own_process("a_fault_names_the_only_pending_launch", &[], |gpu| {
        let record = gpu.pinned(16).unwrap();
        let memory = gpu.allocate(64).unwrap();
        harmless(gpu);
        gpu.synchronize().unwrap();
        let kernel = wild(gpu);
        launch_wild(gpu, &kernel).unwrap();
        let (suspects, text) = suspects(gpu.synchronize());
        assert_eq!(suspects.certain().map(|launch| &*launch.kernel), Some("wild_store"), "{text}");
        assert!(
            text.contains("outside every allocation") && text.contains("ILLEGAL_ADDRESS"),
            "{text}"
        );
        assert!(text.contains("launch 2 of `wild_store` (grid 2x1x1, block 32x1x1)"), "{text}");
        assert!(text.contains("context is lost") && text.contains("emulator"), "{text}");
        // Everything afterwards quotes the cause; nothing panics or hangs.
        for later in [
            gpu.synchronize(),
            gpu.allocate(4).map(|_| ()),
            gpu.write(memory, &[0; 64]),
            gpu.load(FAULTS, "later").map(|_| ()),
            launch_wild(gpu, &kernel),
            gpu.free(memory),
            Gpu::open(0).map(|_| ()),
        ] {
            let error = later.expect_err("the context is lost");
            assert!(matches!(error, CudaError::ContextLost { .. }), "{error}");
            assert!(error.to_string().contains("`wild_store`"), "{error}");
        }
        assert_eq!(record.peek_u32(0), Some(0), "host memory outlives the context");
    });
}

#[test]
fn several_pending_launches_are_all_named() {
    in_own_process("several_pending_launches_are_all_named", &[], |gpu| {
        let (first, kernel) = (support::kernel(gpu, FAULTS, "harmless"), wild(gpu));
        let launch_first = || {
            // SAFETY: touches nothing.
            unsafe { gpu.launch(&first, [1; 3], [32, 1, 1], 0, &[], None) }
        };
        launch_first().unwrap();
        launch_wild(gpu, &kernel).unwrap();
        // The driver may already report the fault here.
        let result = launch_first().and_then(|()| gpu.synchronize());
        let (suspects, text) = suspects(result);
        assert!(suspects.launches.iter().any(|launch| &*launch.kernel == "wild_store"), "{text}");
        assert!(suspects.certain().is_none() && text.contains("launch 1 of `harmless`"), "{text}");
        assert!(text.contains("set_blocking"), "{text}");
    });
}

#[test]
fn reading_reports_the_fault_too() {
    in_own_process("reading_reports_the_fault_too", &[], |gpu| {
        let memory = gpu.allocate(4).unwrap();
        let kernel = wild(gpu);
        launch_wild(gpu, &kernel).unwrap();
        let (suspects, text) = suspects(gpu.read(memory, &mut [0; 4]));
        assert_eq!(suspects.launches.len(), 1, "{text}");
    });
}

#[test]
fn blocking_mode_attributes_a_fault_to_its_launch() {
    in_own_process("blocking_mode_attributes_a_fault_to_its_launch", &[], |gpu| {
        gpu.set_blocking(true);
        assert!(gpu.is_blocking());
        harmless(gpu);
        let kernel = wild(gpu);
        let (suspects, text) = suspects(launch_wild(gpu, &kernel));
        assert_eq!(suspects.certain().map(|launch| launch.number), Some(2), "{text}");
        assert!(!text.contains("set_blocking"), "{text}");
    });
}

#[test]
fn the_environment_turns_blocking_on() {
    let environment = [("CUDA_LAUNCH_BLOCKING", "1")];
    in_own_process("the_environment_turns_blocking_on", &environment, |gpu| {
        assert!(gpu.is_blocking());
        let kernel = wild(gpu);
        suspects(launch_wild(gpu, &kernel));
    });
}

#[test]
fn traps_and_bad_addresses_are_distinguished() {
    in_own_process("traps_and_bad_addresses_are_distinguished", &[], |gpu| {
        let stop = support::kernel(gpu, FAULTS, "stop");
        // SAFETY: deliberately traps, in a separate process.
        unsafe { gpu.launch(&stop, [1; 3], [1; 3], 0, &[], None).unwrap() };
        let (suspects, text) = suspects(gpu.synchronize());
        assert!(
            suspects.certain().is_some() && !text.contains("outside every allocation"),
            "{text}"
        );
    });
}

#[test]
fn a_fault_in_a_graph_names_its_kernels() {
    in_own_process("a_fault_in_a_graph_names_its_kernels", &[], |gpu| {
        let kernel = wild(gpu);
        let graph = gpu.capture(|_| launch_wild(gpu, &kernel)).unwrap();
        // SAFETY: deliberately unsound, as above.
        unsafe { graph.launch(None).unwrap() };
        let (_, text) = suspects(gpu.synchronize());
        assert!(text.contains("graph of 1 x wild_store"), "{text}");
    });
}
