//! Calls every public function of the driver backend once, and prints a line for each.
//!
//! `cargo run -p lanework-cuda --example smoke`; the last step kills the GPU context on purpose.

use lanework_cuda::{
    CudaError, Element, Gpu, JitOptions, L2Promotion, LaunchShape, PinnedBuffer, Swizzle, TiledMap,
    devices, encode_tiled_map,
};

const BASIC: &str = include_str!("../tests/gpu/ptx/basic.ptx");
const FAULTS: &str = include_str!("../tests/gpu/ptx/faults.ptx");

fn main() {
    if let Err(error) = run() {
        eprintln!("error: {error}");
        std::process::exit(1);
    }
}

/// Prints the function's name and its result.
fn say(function: &str, answer: impl std::fmt::Display) {
    println!("{function:<28} {answer}");
}

fn run() -> Result<(), CudaError> {
    for device in devices()? {
        say("devices", &device);
        println!("{device:#?}");
    }
    let gpu = Gpu::open(0)?;
    say("Gpu::open", format!("{gpu:?}"));
    say("Gpu::info", &gpu.info().name);
    say("peak_memory_bandwidth", format!("{:.0} GB/s", gpu.info().peak_memory_bandwidth() / 1e9));
    say("Gpu::same", gpu.same(&gpu.clone()));
    say("Gpu::raw_context", format!("{:p}", gpu.raw_context()));
    let (free, total) = gpu.memory_info()?;
    say("Gpu::memory_info", format!("{free} of {total} bytes free"));
    gpu.set_printf_buffer(1 << 20)?;
    say("Gpu::set_printf_buffer", "1 MiB");
    gpu.set_blocking(false);
    say("Gpu::is_blocking", gpu.is_blocking());

    memory(&gpu)?;
    modules_and_launches(&gpu)?;
    streams_and_graphs(&gpu)?;
    tensor_map(&gpu)?;
    refusals(&gpu);
    fault(&gpu)
}

fn memory(gpu: &Gpu) -> Result<(), CudaError> {
    let (a, b) = (gpu.allocate(1024)?, gpu.allocate(1024)?);
    say("Gpu::allocate", format!("{a:#x}, {b:#x}"));
    gpu.write(a, &[3; 1024])?;
    gpu.fill(b, 0, 1024)?;
    gpu.copy(a, b, 512)?;
    let mut seen = [0; 1024];
    gpu.read(b, &mut seen)?;
    say(
        "write, fill, copy, read",
        format!("{} {} {} {}", seen[0], seen[511], seen[512], seen[1023]),
    );
    let stream = gpu.stream()?;
    let mut pinned = gpu.pinned(1024)?;
    pinned.as_mut_slice().fill(9);
    say("Gpu::pinned", format!("{pinned:?}, {} bytes, empty {}", pinned.len(), pinned.is_empty()));
    say("device_address", format!("{:#x}", pinned.device_address()));
    say("peek_u32", format!("{:x?}", pinned.peek_u32(0)));
    let upload = stream.upload(pinned, a)?;
    say("Stream::upload", format!("finished {}", upload.is_finished()?));
    let pinned: PinnedBuffer = stream.download(a, upload.wait()?)?.wait()?;
    say(
        "Stream::download",
        format!("{:?}, same GPU {}", &pinned.as_slice()[..2], pinned.gpu().same(gpu)),
    );
    gpu.free(a)?;
    gpu.free(b)?;
    say("Gpu::free", "two buffers");
    Ok(())
}

fn modules_and_launches(gpu: &Gpu) -> Result<(), CudaError> {
    let module = gpu.load(BASIC, "basic")?;
    say("Gpu::load", format!("{} with {}", module.name(), module.kernels().join(", ")));
    say(
        "GpuModule::info_log",
        format!("{} bytes:\n{}", module.info_log().len(), module.info_log()),
    );
    say("GpuModule::gpu", module.gpu().same(gpu));
    let options = JitOptions { max_registers: Some(32), ..JitOptions::default() };
    say("Gpu::load_with", gpu.load_with(BASIC, "limited", options)?.name());
    let increment = module.function("increment")?;
    say("GpuModule::function", increment.info());
    say("FunctionInfo::parameters", format!("{:?}", increment.info().parameters));
    say("GpuFunction::module", increment.module().name());
    say("GpuFunction::occupancy", format!("{} blocks of 256", increment.occupancy(256, 0)?));
    let word = gpu.allocate(4)?;
    gpu.fill(word, 0, 4)?;
    let arguments: [&[u8]; 2] = [&word.to_ne_bytes(), &1u32.to_ne_bytes()];
    // SAFETY: every thread increments the word, which is freed after the read.
    unsafe { gpu.launch(&increment, [4, 1, 1], [256, 1, 1], 0, &arguments, None)? };
    let shape = LaunchShape::new([2, 1, 1], [32, 1, 1]).cooperative();
    // SAFETY: the word is still allocated, and no other work uses it now.
    unsafe { gpu.launch_shaped(&increment, &shape, &arguments, None)? };
    let mut seen = [0; 4];
    gpu.read(word, &mut seen)?;
    say("Gpu::launch", format!("{} increments, 1088 expected", u32::from_ne_bytes(seen)));
    gpu.free(word)?;
    say("GpuModule::variable", format!("{:x?}", module.variable("tally")?));
    module.write_variable("tally", &8u32.to_ne_bytes())?;
    module.read_variable("tally", &mut seen)?;
    say("read_variable", u32::from_ne_bytes(seen));
    Ok(())
}

fn streams_and_graphs(gpu: &Gpu) -> Result<(), CudaError> {
    let spin = gpu.load(BASIC, "basic")?.function("spin")?;
    let (stream, other) = (gpu.stream()?, gpu.independent_stream()?);
    say("Gpu::stream", format!("{:p}, same GPU {}", stream.raw(), stream.gpu().same(gpu)));
    let cycles = 1_000_000u64.to_ne_bytes();
    // SAFETY: the kernel touches no memory.
    let run = || unsafe { gpu.launch(&spin, [1; 3], [1; 3], 0, &[&cycles], Some(&stream)) };
    let (start, stop) = (gpu.event()?, gpu.event()?);
    start.record(Some(&stream))?;
    run()?;
    stop.record(Some(&stream))?;
    other.wait(&stop)?;
    say("Event::is_finished", stop.is_finished()?);
    stop.synchronize()?;
    say("Event::elapsed_ns", format!("{:.0} ns for a million cycles", start.elapsed_ns(&stop)?));
    other.synchronize()?;
    say("Stream::wait, synchronize", "done");
    say("Gpu::time_events", format!("{:.0} ns", gpu.time_events(Some(&stream), run)?));
    let data = gpu.allocate(64)?;
    let graph = gpu.capture(|stream| {
        stream.fill(data, 1, 64)?;
        stream.copy(data, data + 32, 32)?;
        // SAFETY: the kernel touches no memory.
        unsafe { gpu.launch(&spin, [1; 3], [1; 3], 0, &[&cycles], None) }
    })?;
    say("Gpu::capture", format!("{} nodes", graph.nodes()));
    graph.upload(Some(&stream))?;
    // SAFETY: `data` is still allocated.
    unsafe { graph.launch(Some(&stream))? };
    // SAFETY: the word is still allocated, and no other work uses it now.
    let time = unsafe { gpu.time_graph(&graph, 10, Some(&stream))? };
    say("Gpu::time_graph", format!("{time:.0} ns for 10"));
    gpu.synchronize()?;
    say("Gpu::synchronize", "done");
    gpu.free(data)
}

fn tensor_map(gpu: &Gpu) -> Result<(), CudaError> {
    let address = gpu.allocate(64 * 64 * 4)?;
    let map = encode_tiled_map(&TiledMap {
        element: Element::F32,
        address,
        extent: vec![64, 64],
        strides: vec![256],
        tile: vec![32, 8],
        steps: vec![1, 1],
        swizzle: Swizzle::B128,
        l2_promotion: L2Promotion::B256,
        nan_outside: true,
        im2col: None,
    });
    match map {
        Ok(map) => say("encode_tiled_map", format!("{map:?} {:02x?}...", &map.as_bytes()[..8])),
        Err(error) => say("encode_tiled_map", error),
    }
    gpu.free(address)
}

fn refusals(gpu: &Gpu) {
    println!("\n-- errors, as users see them");
    let wrong = BASIC.replace("fma.rn.f32", "fma.rn.f33");
    let future = BASIC.replace(".version 7.0", ".version 99.0");
    let attempts = [
        gpu.load(&wrong, "wrong").map(|_| ()),
        gpu.load(&future, "future").map(|_| ()),
        gpu.load(BASIC, "basic").and_then(|module| module.function("sxpy")).map(|_| ()),
        gpu.allocate(usize::MAX / 2).map(|_| ()),
        gpu.read(0x1234, &mut [0; 4]),
        Gpu::open(1000).map(|_| ()),
        gpu.load(BASIC, "basic").and_then(|module| module.function("bounded")).and_then(|kernel| {
            // SAFETY: the launch is rejected before it reaches the GPU.
            unsafe { gpu.launch(&kernel, [1; 3], [1024, 1, 1], 0, &[&[0; 8]], None) }
        }),
    ];
    for attempt in attempts {
        match attempt {
            Ok(()) => println!("NOT REFUSED"),
            Err(error) => println!("error: {error}\n"),
        }
    }
}

fn fault(gpu: &Gpu) -> Result<(), CudaError> {
    println!("-- a fault on the GPU, and the call after it");
    let wild = gpu.load(FAULTS, "faults")?.function("wild_store")?;
    // SAFETY: deliberately unsound: this destroys the context, and then the process ends.
    unsafe { gpu.launch(&wild, [1; 3], [32, 1, 1], 0, &[&64u64.to_ne_bytes()], None)? };
    for result in [gpu.synchronize(), gpu.memory_info().map(|_| ())] {
        match result {
            Ok(()) => println!("NOT REPORTED"),
            Err(error) => println!("error (context lost {}): {error}\n", error.context_lost()),
        }
    }
    Ok(())
}
