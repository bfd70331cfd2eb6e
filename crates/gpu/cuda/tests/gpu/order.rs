//! Streams, events and graphs: the order of execution.

use lanework_cuda::{CudaError, Gpu, GpuFunction, Stream};

use crate::support::{self, BASIC, Words};

/// Clock cycles that take at least a millisecond on any GPU.
const LONG: u64 = 10_000_000;

fn spin(
    gpu: &Gpu,
    kernel: &GpuFunction,
    cycles: u64,
    stream: Option<&Stream>,
) -> Result<(), CudaError> {
    // SAFETY: touches no memory.
    unsafe { gpu.launch(kernel, [1; 3], [1; 3], 0, &[&cycles.to_ne_bytes()], stream) }
}

fn increment(
    gpu: &Gpu,
    kernel: &GpuFunction,
    word: &Words,
    stream: Option<&Stream>,
) -> Result<(), CudaError> {
    let arguments: [&[u8]; 2] = [&word.argument(), &1u32.to_ne_bytes()];
    // SAFETY: increments one live word; freeing it waits for the kernel.
    unsafe { gpu.launch(kernel, [1; 3], [1; 3], 0, &arguments, stream) }
}

#[test]
fn reading_sees_the_work_of_ordered_streams() {
    let Some(gpu) = support::gpu("reading_sees_the_work_of_ordered_streams") else { return };
    let (long, add) =
        (support::kernel(&gpu, BASIC, "spin"), support::kernel(&gpu, BASIC, "increment"));
    let (stream, word) = (gpu.stream().unwrap(), Words::new(&gpu, &[4]));
    spin(&gpu, &long, LONG, Some(&stream)).unwrap();
    increment(&gpu, &add, &word, Some(&stream)).unwrap();
    assert_eq!(word.get(), [5]);
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    let Some(gpu) = support::gpu("a_stream_waits_for_an_event_of_another") else { return };
    let (long, add) =
        (support::kernel(&gpu, BASIC, "spin"), support::kernel(&gpu, BASIC, "increment"));
    let (first, second) = (gpu.independent_stream().unwrap(), gpu.independent_stream().unwrap());
    let (word, copy) = (Words::new(&gpu, &[1]), Words::new(&gpu, &[0]));
    gpu.synchronize().unwrap();
    let ready = gpu.event().unwrap();
    spin(&gpu, &long, LONG, Some(&first)).unwrap();
    increment(&gpu, &add, &word, Some(&first)).unwrap();
    ready.record(Some(&first)).unwrap();
    second.wait(&ready).unwrap();
    second.copy(word.address, copy.address, 4).unwrap();
    second.synchronize().unwrap();
    assert_eq!(copy.get(), [2]);
    assert!(ready.is_finished().unwrap());
    assert!(!first.raw().is_null() && first.gpu().same(&gpu) && ready.gpu().same(&gpu));
}

#[test]
fn events_measure_gpu_time() {
    let Some(gpu) = support::gpu("events_measure_gpu_time") else { return };
    let long = support::kernel(&gpu, BASIC, "spin");
    let stream = gpu.stream().unwrap();
    let time = gpu.time_events(Some(&stream), || spin(&gpu, &long, LONG, Some(&stream))).unwrap();
    assert!(time > 1e6, "ten million cycles took {time} ns");
    let (start, stop) = (gpu.event().unwrap(), gpu.event().unwrap());
    assert!(start.elapsed_ns(&stop).is_err(), "neither was recorded");
    start.record(None).unwrap();
    stop.record(None).unwrap();
    stop.synchronize().unwrap();
    assert!(start.elapsed_ns(&stop).unwrap() >= 0.0);
}

#[test]
fn a_graph_runs_when_launched_and_not_before() {
    let Some(gpu) = support::gpu("a_graph_runs_when_launched_and_not_before") else { return };
    let word = Words::new(&gpu, &[0]);
    let graph = {
        // Dropped after the capture, because the graph keeps the module loaded.
        let add = support::kernel(&gpu, BASIC, "increment");
        gpu.capture(|stream| {
            stream.fill(word.address, 0, 4)?;
            increment(&gpu, &add, &word, Some(stream))?;
            // During a capture, work on the default stream goes to the captured stream.
            increment(&gpu, &add, &word, None)?;
            gpu.fill(word.address + 1, 9, 1)
        })
        .unwrap()
    };
    assert_eq!((graph.nodes(), word.get()), (4, vec![0]));
    let stream = gpu.stream().unwrap();
    graph.upload(Some(&stream)).unwrap();
    for target in [Some(&stream), None, Some(&stream)] {
        // SAFETY: the word is still allocated.
        unsafe { graph.launch(target).unwrap() };
        assert_eq!(word.get(), [2 + (9 << 8)]);
    }
    // SAFETY: the word is still allocated, and no other work uses it now.
    let time = unsafe { gpu.time_graph(&graph, 10, Some(&stream)).unwrap() };
    assert!(time > 0.0);
}

#[test]
fn a_graph_can_span_streams() {
    let Some(gpu) = support::gpu("a_graph_can_span_streams") else { return };
    let add = support::kernel(&gpu, BASIC, "increment");
    let (word, side) = (Words::new(&gpu, &[0]), gpu.independent_stream().unwrap());
    let (fork, join) = (gpu.event().unwrap(), gpu.event().unwrap());
    let graph = gpu
        .capture(|stream| {
            fork.record(Some(stream))?;
            side.wait(&fork)?;
            increment(&gpu, &add, &word, Some(&side))?;
            increment(&gpu, &add, &word, Some(stream))?;
            join.record(Some(&side))?;
            stream.wait(&join)
        })
        .unwrap();
    assert_eq!((graph.nodes(), word.get()), (2, vec![0]));
    // SAFETY: the word is still allocated.
    unsafe { graph.launch(None).unwrap() };
    assert_eq!(word.get(), [2]);
}

#[test]
fn calls_that_would_invalidate_a_capture_are_errors() {
    let Some(gpu) = support::gpu("calls_that_would_invalidate_a_capture_are_errors") else {
        return;
    };
    let add = support::kernel(&gpu, BASIC, "increment");
    let word = Words::new(&gpu, &[0]);
    let pinned = gpu.pinned(4).unwrap();
    let graph = gpu
        .capture(|stream| {
            let refused = [
                gpu.synchronize(),
                stream.synchronize(),
                gpu.allocate(4).map(|_| ()),
                gpu.free(word.address),
                gpu.write(word.address, &[0; 4]),
                gpu.read(word.address, &mut [0; 4]),
                gpu.pinned(4).map(|_| ()),
                gpu.load(BASIC, "late").map(|_| ()),
                gpu.capture(|_| Ok(())).map(|_| ()),
                stream.upload(pinned, word.address).map(|_| ()),
            ];
            for (index, result) in refused.into_iter().enumerate() {
                assert!(
                    matches!(result, Err(CudaError::Capture { .. })),
                    "call {index}: {result:?}"
                );
            }
            increment(&gpu, &add, &word, Some(stream))
        })
        .unwrap();
    assert_eq!(graph.nodes(), 1);
}

#[test]
fn a_capture_that_fails_leaves_the_gpu_usable() {
    let Some(gpu) = support::gpu("a_capture_that_fails_leaves_the_gpu_usable") else { return };
    let add = support::kernel(&gpu, BASIC, "increment");
    let word = Words::new(&gpu, &[0]);
    let failed = gpu.capture(|stream| {
        increment(&gpu, &add, &word, Some(stream))?;
        Err(CudaError::Invalid { what: "changed my mind".into() })
    });
    assert_eq!(failed.map(|_| ()).unwrap_err().to_string(), "changed my mind");
    let panicked =
        std::panic::catch_unwind(|| gpu.capture(|_| panic!("expected: a panic in a capture")));
    assert!(panicked.is_err());
    gpu.synchronize().unwrap();
    increment(&gpu, &add, &word, None).unwrap();
    assert_eq!(word.get(), [1]);
    assert_eq!(gpu.capture(|_| Ok(())).unwrap().nodes(), 0);
}

#[test]
fn threads_share_a_gpu_with_a_capture() {
    let Some(gpu) = support::gpu("threads_share_a_gpu_with_a_capture") else { return };
    let add = support::kernel(&gpu, BASIC, "increment");
    let word = Words::new(&gpu, &[0]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let own = Words::new(&gpu, &[0]);
                    increment(&gpu, &add, &own, None).unwrap();
                    assert_eq!(own.get(), [1]);
                    gpu.synchronize().unwrap();
                    let graph =
                        gpu.capture(|stream| increment(&gpu, &add, &word, Some(stream))).unwrap();
                    // SAFETY: the word outlives the threads, and `get` below waits.
                    unsafe { graph.launch(None).unwrap() };
                }
            });
        }
    });
    assert_eq!(word.get(), [80]);
}
