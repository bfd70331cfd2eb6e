//! Modules, kernels and launches.

use lanework_cuda::{CudaError, JitOptions, LaunchShape};

use crate::support::{self, BASIC, Words};

#[test]
fn saxpy_computes() {
    let Some(gpu) = support::gpu("saxpy_computes") else { return };
    let saxpy = support::kernel(&gpu, BASIC, "saxpy");
    for n in [1u32, 31, 257, 100_003] {
        let x = Words::new(&gpu, &(0..n).map(|i| (i as f32).to_bits()).collect::<Vec<_>>());
        let y = Words::new(&gpu, &(0..n).map(|i| (1.0 + i as f32).to_bits()).collect::<Vec<_>>());
        let arguments: [&[u8]; 4] =
            [&n.to_ne_bytes(), &2f32.to_ne_bytes(), &x.argument(), &y.argument()];
        // SAFETY: the kernel guards its index by `n`, the length of both buffers.
        unsafe {
            gpu.launch(&saxpy, [n.div_ceil(256), 1, 1], [256, 1, 1], 0, &arguments, None).unwrap()
        };
        let expected: Vec<u32> =
            (0..n).map(|i| (2.0f32).mul_add(i as f32, 1.0 + i as f32).to_bits()).collect();
        assert!(y.get() == expected, "saxpy of {n} elements");
    }
}

#[test]
fn the_driver_describes_kernels() {
    let Some(gpu) = support::gpu("the_driver_describes_kernels") else { return };
    let module = gpu.load(BASIC, "basic").unwrap();
    assert_eq!(module.name(), "basic");
    assert!(module.gpu().same(&gpu));
    assert!(module.kernels().iter().any(|name| name == "saxpy"), "{:?}", module.kernels());
    let saxpy = module.function("saxpy").unwrap();
    let info = saxpy.info();
    assert!(info.registers > 0 && info.local_bytes == 0 && info.static_shared == 0, "{info:?}");
    let (major, minor) = gpu.info().compute_capability;
    assert_eq!(info.binary_version, major * 10 + minor);
    if let Some(parameters) = &info.parameters {
        assert_eq!(*parameters, [4, 4, 8, 8]);
    }
    let bounded = module.function("bounded").unwrap();
    assert_eq!((bounded.info().static_shared, bounded.info().max_threads), (4096, 128));
    assert!(saxpy.occupancy(256, 0).unwrap() >= 1);
    let crowded = saxpy.occupancy(32, gpu.info().shared_per_block_optin).unwrap();
    assert_eq!(crowded, 1, "all shared memory leaves room for one block");
    assert!(saxpy.occupancy(2048, 0).is_err());
}

#[test]
fn registers_can_be_limited() {
    let Some(gpu) = support::gpu("registers_can_be_limited") else { return };
    let options = JitOptions { max_registers: Some(16), optimization: Some(3), line_info: false };
    let module = gpu.load_with(BASIC, "frugal", options).unwrap();
    assert!(module.function("saxpy").unwrap().info().registers <= 16);
}

#[test]
fn a_block_can_use_the_maximum_shared_memory() {
    let Some(gpu) = support::gpu("a_block_can_use_the_maximum_shared_memory") else { return };
    let big = support::kernel(&gpu, BASIC, "big_shared");
    let most = gpu.info().shared_per_block_optin;
    let out = Words::new(&gpu, &[0]);
    for bytes in [4, 48 << 10, (48 << 10) + 16, most] {
        gpu.fill(out.address, 0, 4).unwrap();
        let arguments: [&[u8]; 2] = [&out.argument(), &(bytes - 4).to_ne_bytes()];
        // SAFETY: the kernel uses the last word of its shared memory and the word at `out`.
        unsafe { gpu.launch(&big, [1; 3], [1; 3], bytes, &arguments, None).unwrap() };
        assert_eq!(out.get(), [12_648_430], "{bytes} bytes of shared memory");
    }
    let arguments: [&[u8]; 2] = [&out.argument(), &0u32.to_ne_bytes()];
    // SAFETY: the launch is rejected before it reaches the GPU.
    let refused = unsafe { gpu.launch(&big, [1; 3], [1; 3], most + 1, &arguments, None) };
    assert!(matches!(refused, Err(CudaError::Limit { .. })), "{refused:?}");
}

#[test]
fn invalid_launches_are_errors_and_harmless() {
    let Some(gpu) = support::gpu("invalid_launches_are_errors_and_harmless") else {
        return;
    };
    let bounded = support::kernel(&gpu, BASIC, "bounded");
    let increment = support::kernel(&gpu, BASIC, "increment");
    let word = Words::new(&gpu, &[0]);
    let one: [&[u8]; 1] = [&word.argument()];
    let two: [&[u8]; 2] = [&word.argument(), &1u32.to_ne_bytes()];
    for (kernel, grid, block, arguments, expected) in [
        (&increment, [1, 1, 1], [33, 33, 1], &two[..], "1089"),
        (&increment, [0, 1, 1], [32, 1, 1], &two[..], "0x1x1"),
        (&increment, [1, 1, 1], [1, 1, 65], &two[..], "1x1x65"),
        (&increment, [1, 65536, 1], [1, 1, 1], &two[..], "1x65536x1"),
        (&bounded, [1, 1, 1], [129, 1, 1], &one[..], "128 for this kernel"),
    ] {
        // SAFETY: the launch is rejected before it reaches the GPU.
        let refused = unsafe { gpu.launch(kernel, grid, block, 0, arguments, None) };
        let text = refused.expect_err(expected).to_string();
        assert!(text.contains(expected) && text.contains("help: "), "{text}");
    }
    if increment.info().parameters.is_some() {
        for wrong in [&one[..], &[&word.argument(), &word.argument()]] {
            // SAFETY: the launch is rejected before it reaches the GPU.
            let refused = unsafe { gpu.launch(&increment, [1; 3], [1; 3], 0, wrong, None) };
            assert!(matches!(refused, Err(CudaError::Arguments { .. })), "{refused:?}");
        }
    }
    // SAFETY: one thread increments one word.
    unsafe { gpu.launch(&increment, [1; 3], [1; 3], 0, &two, None).unwrap() };
    assert_eq!(word.get(), [1]);
}

#[test]
fn structures_pass_by_value() {
    let Some(gpu) = support::gpu("structures_pass_by_value") else { return };
    let by_value = support::kernel(&gpu, BASIC, "by_value");
    let out = Words::new(&gpu, &[0; 4]);
    let pair: Vec<u8> = [1u32, 2, 3, 4].iter().flat_map(|word| word.to_ne_bytes()).collect();
    // SAFETY: the kernel writes the 16 bytes at `out`.
    unsafe { gpu.launch(&by_value, [1; 3], [1; 3], 0, &[&pair, &out.argument()], None).unwrap() };
    assert_eq!(out.get(), [1, 2, 3, 4]);
}

#[test]
fn cooperative_grids_run_or_are_refused_by_size() {
    let Some(gpu) = support::gpu("cooperative_grids_run_or_are_refused_by_size") else { return };
    let increment = support::kernel(&gpu, BASIC, "increment");
    let word = Words::new(&gpu, &[0]);
    let arguments: [&[u8]; 2] = [&word.argument(), &1u32.to_ne_bytes()];
    let small = LaunchShape::new([2, 1, 1], [32, 1, 1]).cooperative();
    // SAFETY: each thread increments one word.
    unsafe { gpu.launch_shaped(&increment, &small, &arguments, None).unwrap() };
    assert_eq!(word.get(), [64]);
    let large = LaunchShape::new([1 << 20, 1, 1], [1024, 1, 1]).cooperative();
    // SAFETY: the driver rejects this launch; otherwise each thread would increment the word, which is allocated.
    let refused = unsafe { gpu.launch_shaped(&increment, &large, &arguments, None) };
    assert!(matches!(refused, Err(CudaError::Limit { .. })), "{refused:?}");
    assert_eq!(word.get(), [64]);
}

#[test]
fn bad_ptx_is_rejected_with_the_log_and_the_line() {
    let Some(gpu) = support::gpu("bad_ptx_is_rejected_with_the_log_and_the_line") else { return };
    let wrong = BASIC.replace("fma.rn.f32 %f4", "fma.rn.f33 %f4");
    let error = gpu.load(&wrong, "wrong").expect_err("there is no f33").to_string();
    assert!(error.contains("module `wrong`") && error.contains("fma.rn.f33"), "{error}");
    assert!(error.contains("line ") && error.contains("help: "), "{error}");
    let future = BASIC.replace(".version 7.0", ".version 99.0");
    let error = gpu.load(&future, "future").expect_err("there is no PTX 99").to_string();
    assert!(error.contains("future"), "{error}");
    assert!(matches!(gpu.load("\0", "nul"), Err(CudaError::Invalid { .. })));
    assert!(gpu.load("not PTX at all", "prose").is_err());
    gpu.synchronize().expect("a rejected module harms nothing");
}

#[test]
fn errors_of_missing_kernels_list_the_existing_ones() {
    let Some(gpu) = support::gpu("errors_of_missing_kernels_list_the_existing_ones") else {
        return;
    };
    let module = gpu.load(BASIC, "basic").unwrap();
    let error = module.function("sxpy").expect_err("it has no such kernel").to_string();
    assert!(error.contains("no kernel `sxpy`") && error.contains("saxpy, big_shared"), "{error}");
    assert!(module.function("sa\0xpy").is_err());
}
