//! Allocations, copies and their errors.

use lanework_cuda::{CudaError, Rows};

use crate::support::{self, BASIC, Words};

#[test]
fn bytes_survive_every_kind_of_copy() {
    let Some(gpu) = support::gpu("bytes_survive_every_kind_of_copy") else { return };
    let source: Vec<u8> = (0..1_000_003u32).map(|i| (i * 7 % 251) as u8).collect();
    let (a, b) = (gpu.allocate(source.len()).unwrap(), gpu.allocate(source.len()).unwrap());
    assert!(a.is_multiple_of(256) && b.is_multiple_of(256) && a != b);
    gpu.write(a, &source).unwrap();
    gpu.fill(b, 0xCD, source.len()).unwrap();
    gpu.copy(a + 5, b + 11, 1000).unwrap();
    let mut seen = vec![0; source.len()];
    gpu.read(b, &mut seen).unwrap();
    assert!(seen[..11].iter().all(|&byte| byte == 0xCD));
    assert_eq!(seen[11..1011], source[5..1005]);
    assert!(seen[1011..].iter().all(|&byte| byte == 0xCD));
    let mut last = [0; 1];
    gpu.read(a + source.len() as u64 - 1, &mut last).unwrap();
    assert_eq!(last[0], source[source.len() - 1]);
    gpu.free(a).unwrap();
    gpu.free(b).unwrap();
}

#[test]
fn accesses_outside_live_allocations_are_refused() {
    let Some(gpu) = support::gpu("accesses_outside_live_allocations_are_refused") else { return };
    let address = gpu.allocate(100).unwrap();
    let refused = |result: Result<(), CudaError>| match result {
        Err(error @ CudaError::Address { .. }) => error.to_string(),
        other => panic!("not refused as a bad address: {other:?}"),
    };
    let over = refused(gpu.read(address + 98, &mut [0; 4]));
    assert!(
        over.contains("byte 98 of the 100-byte allocation") && over.contains("2 bytes past"),
        "{over}"
    );
    refused(gpu.write(address, &[0; 101]));
    refused(gpu.fill(address + 100, 0, 1));
    refused(gpu.copy(address, address + 51, 50));
    refused(gpu.read(u64::MAX - 1, &mut [0; 4]));
    refused(gpu.free(address + 1));
    gpu.free(address).unwrap();
    refused(gpu.free(address));
    refused(gpu.read(address, &mut [0; 1]));
}

#[test]
fn empty_allocations_have_an_address_and_no_bytes() {
    let Some(gpu) = support::gpu("empty_allocations_have_an_address_and_no_bytes") else { return };
    let address = gpu.allocate(0).unwrap();
    gpu.write(address, &[]).unwrap();
    gpu.read(address, &mut []).unwrap();
    gpu.fill(address, 1, 0).unwrap();
    gpu.copy(address, address, 0).unwrap();
    assert!(gpu.write(address, &[1]).is_err());
    gpu.free(address).unwrap();
}

#[test]
fn an_allocation_that_is_too_large_reports_free_memory() {
    let Some(gpu) = support::gpu("an_allocation_that_is_too_large_reports_free_memory") else {
        return;
    };
    let requested = gpu.info().memory_bytes * 2;
    match gpu.allocate(requested) {
        Err(CudaError::OutOfMemory { requested: asked, free, total }) => {
            assert_eq!(asked, requested);
            assert!(free <= total && total < requested);
        }
        other => panic!("allocated twice the memory: {other:?}"),
    }
    gpu.synchronize().expect("running out of memory harms nothing");
}

#[test]
fn pinned_memory_round_trips() {
    let Some(gpu) = support::gpu("pinned_memory_round_trips") else { return };
    let bytes = 1 << 20;
    let address = gpu.allocate(bytes).unwrap();
    let stream = gpu.independent_stream().unwrap();
    let mut out = gpu.pinned(bytes).unwrap();
    assert!(out.as_slice().iter().all(|&byte| byte == 0) && out.len() == bytes && !out.is_empty());
    for (index, byte) in out.as_mut_slice().iter_mut().enumerate() {
        *byte = (index % 253) as u8;
    }
    let out = stream.upload(out, address).unwrap().wait().unwrap();
    let back = stream.download(address, gpu.pinned(bytes).unwrap()).unwrap();
    let back = back.wait().unwrap();
    assert_eq!(back.as_slice(), out.as_slice());
    // Dropping a transfer in flight waits, and so frees nothing too early.
    drop(stream.upload(out, address).unwrap());
    drop(stream.download(address, back).unwrap());
    assert!(stream.upload(gpu.pinned(bytes + 1).unwrap(), address).is_err());
    gpu.free(address).unwrap();
}

#[test]
fn kernels_write_to_pinned_memory() {
    let Some(gpu) = support::gpu("kernels_write_to_pinned_memory") else { return };
    let signal = support::kernel(&gpu, BASIC, "signal");
    let record = gpu.pinned(64).unwrap();
    let address = (record.device_address() + 8).to_ne_bytes();
    let arguments: [&[u8]; 2] = [&address, &77u32.to_ne_bytes()];
    // SAFETY: writes one word inside the pinned buffer, which outlives the wait and is not borrowed.
    unsafe { gpu.launch(&signal, [1; 3], [1; 3], 0, &arguments, None).unwrap() };
    gpu.synchronize().unwrap();
    assert_eq!([4, 8, 12].map(|offset| record.peek_u32(offset)), [Some(0), Some(77), Some(0)]);
    assert_eq!([61, 64, usize::MAX].map(|offset| record.peek_u32(offset)), [None, None, None]);
}

#[test]
fn module_variables_are_read_and_written() {
    let Some(gpu) = support::gpu("module_variables_are_read_and_written") else { return };
    let module = gpu.load(BASIC, "variables").unwrap();
    let count = module.function("count").unwrap();
    let (address, bytes) = module.variable("tally").unwrap();
    assert!(address != 0 && bytes == 4);
    // SAFETY: increments the module's own variable.
    unsafe { gpu.launch(&count, [2, 1, 1], [32, 1, 1], 0, &[], None).unwrap() };
    let mut tally = [0; 4];
    module.read_variable("tally", &mut tally).unwrap();
    assert_eq!(u32::from_ne_bytes(tally), 5 + 64);
    module.write_variable("tally", &1u32.to_ne_bytes()).unwrap();
    // SAFETY: increments the module's own variable, which lives as long as the module.
    unsafe { gpu.launch(&count, [1, 1, 1], [1, 1, 1], 0, &[], None).unwrap() };
    module.read_variable("tally", &mut tally).unwrap();
    assert_eq!(u32::from_ne_bytes(tally), 2);
    assert!(module.read_variable("tally", &mut [0; 8]).is_err());
    assert!(module.variable("no_such").unwrap_err().to_string().contains("`no_such`"));
}

#[test]
fn freeing_waits_for_the_kernels_that_use_the_memory() {
    let Some(gpu) = support::gpu("freeing_waits_for_the_kernels_that_use_the_memory") else {
        return;
    };
    let (spin, increment) =
        (support::kernel(&gpu, BASIC, "spin"), support::kernel(&gpu, BASIC, "increment"));
    let stream = gpu.independent_stream().unwrap();
    let word = Words::new(&gpu, &[0]);
    // SAFETY: the word is freed below, and freeing waits for both kernels.
    unsafe {
        gpu.launch(&spin, [1; 3], [1; 3], 0, &[&20_000_000u64.to_ne_bytes()], Some(&stream))
            .unwrap();
        let arguments: [&[u8]; 2] = [&word.argument(), &1u32.to_ne_bytes()];
        gpu.launch(&increment, [1; 3], [1; 3], 0, &arguments, Some(&stream)).unwrap();
    }
    let done = gpu.event().unwrap();
    done.record(Some(&stream)).unwrap();
    drop(word);
    assert!(done.is_finished().unwrap(), "the memory was freed under a running kernel");
    stream.synchronize().expect("the kernel found its memory");
}

#[test]
fn rows_are_copied_with_a_pitch_and_stay_inside() {
    let Some(gpu) = support::gpu("rows_are_copied_with_a_pitch_and_stay_inside") else { return };
    let address = gpu.allocate(3 * 16 + 10).unwrap();
    gpu.fill(address, 0xCD, 58).unwrap();
    let host: Vec<u8> = (0..40).collect();
    let rows = Rows { address, width: 10, pitch: 16 };
    gpu.write_rows(rows, &host).unwrap();
    let mut whole = [0; 58];
    gpu.read(address, &mut whole).unwrap();
    for (row, bytes) in whole.chunks(16).enumerate() {
        assert_eq!(bytes[..10], host[10 * row..][..10]);
        assert!(bytes[10..].iter().all(|&byte| byte == 0xCD));
    }
    let mut back = [0; 40];
    gpu.read_rows(rows, &mut back).unwrap();
    assert_eq!(back[..], host);
    gpu.write_rows(rows, &[]).unwrap();
    // A fifth row is outside the allocation; half a row and overlapping rows are invalid.
    assert!(matches!(gpu.write_rows(rows, &[0; 50]), Err(CudaError::Address { .. })));
    assert!(matches!(gpu.write_rows(rows, &[0; 15]), Err(CudaError::Invalid { .. })));
    let overlapping = Rows { pitch: 9, ..rows };
    assert!(matches!(gpu.read_rows(overlapping, &mut back), Err(CudaError::Invalid { .. })));
    gpu.free(address).unwrap();
}
