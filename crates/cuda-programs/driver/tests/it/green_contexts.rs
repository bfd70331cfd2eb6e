//! Green contexts: splitting resources, and running work on a part.

use crate::common::{allocate, context, download, kernel, upload};

/// `CUdevResource`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Resource([u32; 36]);

const NONE: Resource = Resource([0; 36]);

impl Resource {
    /// Number of multiprocessors, minimum per group, and granularity.
    fn counts(&self) -> [u32; 3] {
        [self.0[24], self.0[25], self.0[26]]
    }
}

fn of_device() -> Resource {
    let mut resource = NONE;
    assert_eq!(
        call!("cuDeviceGetDevResource"(0 => i32, &mut resource => *mut Resource, 1 => u32)),
        0
    );
    resource
}

/// Splits a resource; returns status, groups and remainder.
fn split(of: &Resource, wanted: u32, flags: u32, least: u32) -> (i32, Vec<Resource>, Resource) {
    let (mut parts, mut remaining, mut count) = (vec![NONE; wanted as usize], NONE, wanted);
    let code = call!("cuDevSmResourceSplitByCount"(
        parts.as_mut_ptr() => *mut Resource, &mut count => *mut u32, of => *const Resource, &mut remaining => *mut Resource, flags => u32,
        least => u32
    ));
    parts.truncate(count as usize);
    (code, parts, remaining)
}

fn describe(parts: &[Resource]) -> (i32, u64) {
    let mut description = 0u64;
    let code = call!("cuDevResourceGenerateDesc"(
        &mut description => *mut u64, parts.as_ptr() => *const Resource, parts.len() as u32 => u32
    ));
    (code, description)
}

#[test]
fn multiprocessors_are_split_in_parts_of_the_granularity() {
    context();
    let whole = of_device();
    assert_eq!(whole.counts(), [132, 8, 8]);
    let mut count = 0u32;
    let none = std::ptr::null_mut::<Resource>();
    let code = call!("cuDevSmResourceSplitByCount"(
        none => *mut Resource, &mut count => *mut u32, &whole => *const Resource, none => *mut Resource, 0 => u32, 20 => u32
    ));
    assert_eq!((code, count), (0, 5), "parts of 24");
    for (wanted, flags, least, sizes, rest) in [
        (2, 0, 20, vec![24, 24], 84),
        (9, 0, 20, vec![24; 5], 12),
        (1, 0, 0, vec![8], 124),
        (2, 1, 3, vec![4, 4], 124),
        (1, 2, 8, vec![16], 116),
        (1, 0, 132, vec![], 132),
        (1, 1, 132, vec![132], 0),
    ] {
        let (code, parts, remaining) = split(&whole, wanted, flags, least);
        let found: Vec<u32> = parts.iter().map(|part| part.counts()[0]).collect();
        assert_eq!(
            (code, found, remaining.counts()[0]),
            (0, sizes, rest),
            "{wanted} {flags} {least}"
        );
        assert_eq!(remaining.0[0], u32::from(rest > 0), "nothing is no resource");
    }
    // Unknown flags, too many groups, an invalid resource, and a group without a context.
    assert_eq!(split(&whole, 1, 4, 8).0, 1);
    assert_eq!(split(&whole, 1, 0, 133).0, 1);
    assert_eq!(split(&NONE, 1, 0, 8).0, 914);
    let part = split(&whole, 1, 0, 64).1[0];
    assert_eq!(split(&part, 1, 0, 8).0, 915);
    let mut resource = NONE;
    assert_eq!(
        call!("cuDeviceGetDevResource"(0 => i32, &mut resource => *mut Resource, 2 => u32)),
        914
    );
    assert_eq!(
        call!("cuDeviceGetDevResource"(99 => i32, &mut resource => *mut Resource, 1 => u32)),
        101
    );
}

#[test]
fn kernels_run_in_a_green_context_and_its_streams_know_it() {
    let plain = context();
    let whole = of_device();
    let (_, parts, rest) = split(&whole, 2, 0, 16);
    let (code, description) = describe(&parts);
    assert_eq!(code, 0);
    // Overlapping groups, and groups of different splits, are refused.
    assert_eq!(describe(&[parts[0], parts[0]]).0, 915);
    assert_eq!(describe(&[parts[0], split(&whole, 1, 0, 16).1[0]]).0, 915);
    assert_eq!(describe(&[parts[0], rest]).0, 0);
    assert_eq!(describe(&[]).0, 1);

    let mut green = 0u64;
    for (description, flags, expected) in [(description, 0, 1), (99, 1, 1), (description, 1, 0)] {
        let code = call!("cuGreenCtxCreate"(&mut green => *mut u64, description => u64, 0 => i32, flags => u32));
        assert_eq!(code, expected);
    }
    let (mut context, mut resource) = (0u64, NONE);
    assert_eq!(call!("cuCtxFromGreenCtx"(&mut context => *mut u64, green => u64)), 0);
    assert_eq!(
        call!("cuGreenCtxGetDevResource"(green => u64, &mut resource => *mut Resource, 1 => u32)),
        0
    );
    assert_eq!(resource.counts()[0], 32);
    assert_eq!(
        call!("cuCtxGetDevResource"(context => u64, &mut resource => *mut Resource, 1 => u32)),
        0
    );
    assert_eq!((resource.counts()[0], split(&resource, 9, 0, 8).1.len()), (32, 4));
    assert_eq!(
        call!("cuCtxGetDevResource"(plain => u64, &mut resource => *mut Resource, 1 => u32)),
        0
    );
    assert_eq!(resource.counts()[0], 132);

    let mut stream = 0u64;
    assert_eq!(
        call!("cuGreenCtxStreamCreate"(&mut stream => *mut u64, green => u64, 0 => u32, 0 => i32)),
        1
    );
    assert_eq!(
        call!("cuGreenCtxStreamCreate"(&mut stream => *mut u64, green => u64, 1 => u32, 0 => i32)),
        0
    );
    let (mut of_stream, mut plainly) = (0u64, 1u64);
    assert_eq!(call!("cuStreamGetGreenCtx"(stream => u64, &mut of_stream => *mut u64)), 0);
    assert_eq!(of_stream, green);
    of_stream = 0;
    assert_eq!(
        call!("cuStreamGetCtx"(stream => u64, &mut plainly => *mut u64, &mut of_stream => *mut u64)),
        0
    );
    assert_eq!((plainly, of_stream), (0, green), "one of the two");
    assert_eq!(call!("cuStreamGetGreenCtx"(0 => u64, &mut of_stream => *mut u64)), 0);
    assert_eq!(of_stream, 0);

    assert_eq!(call!("cuCtxSetCurrent"(context => u64)), 0);
    let memory = allocate(4);
    upload(memory, &[41u32]);
    let function = kernel(
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry more(.param .u64 at) { .reg .b64 %a; .reg .b32 %v; \
         ld.param.u64 %a, [at]; ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret; }\0",
        "more",
    );
    let mut arguments = [&raw const memory];
    let code = call!("cuLaunchKernel"(
        function => u64, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 0 => u32, stream => u64,
        arguments.as_mut_ptr() => *mut *const u64, std::ptr::null() => *const std::ffi::c_void
    ));
    assert_eq!(code, 0);
    let mut event = 0u64;
    assert_eq!(call!("cuEventCreate"(&mut event => *mut u64, 0 => u32)), 0);
    assert_eq!(call!("cuGreenCtxRecordEvent"(green => u64, event => u64)), 0);
    assert_eq!(call!("cuGreenCtxWaitEvent"(green => u64, event => u64)), 0);
    assert_eq!(call!("cuCtxRecordEvent"(plain => u64, event => u64)), 0);
    assert_eq!(call!("cuCtxWaitEvent"(plain => u64, event => u64)), 0);
    assert_eq!(call!("cuEventQuery"(event => u64)), 0);
    assert_eq!(download::<u32>(memory, 1), [42]);

    assert_eq!(call!("cuGreenCtxDestroy"(green => u64)), 0);
    assert_eq!(call!("cuGreenCtxDestroy"(green => u64)), 201);
    assert_eq!(call!("cuCtxFromGreenCtx"(&mut context => *mut u64, green => u64)), 201);
    assert_eq!(call!("cuStreamQuery"(stream => u64)), 400, "it ended with its context");
}
