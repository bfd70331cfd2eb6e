//! An endless wait is reported, and the waiting call returns an error.

use crate::common::{allocate, context, download, upload};

#[test]
fn an_endless_wait_is_an_error() {
    if !crate::common::is_alone("endless_waits::an_endless_wait_is_an_error") {
        return;
    }
    // SAFETY: the process runs only this test, and no other thread has started.
    unsafe { std::env::set_var("LANEWORK_WAIT_SECONDS", "1") };
    let first = context();
    let (mut stream, flag) = (0u64, allocate(8));
    upload(flag, &[0u64]);
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    let code = call!("cuStreamWaitValue64"(stream => u64, flag => u64, 1 => u64, 1 => u32));
    assert_eq!(code, 0);
    assert_eq!(call!("cuStreamSynchronize"(stream => u64)), 702);
    // As after a kernel that never ends.
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 702);
    assert_eq!(call!("cuCtxDestroy"(first => u64)), 0);
    context();
    let flag = allocate(8);
    upload(flag, &[0u64]);
    assert_eq!(download::<u64>(flag, 1), [0]);

    // In a nested graph, for which the calling thread waits.
    let (mut inner, mut outer, mut node, mut executable) = (0u64, 0u64, 0u64, 0u64);
    assert_eq!(call!("cuGraphCreate"(&mut inner => *mut u64, 0 => u32)), 0);
    assert_eq!(call!("cuGraphCreate"(&mut outer => *mut u64, 0 => u32)), 0);
    let operation = [1u64, flag, 7, 1, 0, 0]; // waits for 7
    let parameters = [0u64, 1, operation.as_ptr() as u64, 0];
    let none = std::ptr::null::<u64>();
    let code = call!("cuGraphAddBatchMemOpNode"(
        &mut node => *mut u64, inner => u64, none => *const u64, 0 => usize, parameters.as_ptr() => *const u64
    ));
    assert_eq!(code, 0);
    let code = call!("cuGraphAddChildGraphNode"(
        &mut node => *mut u64, outer => u64, none => *const u64, 0 => usize, inner => u64
    ));
    assert_eq!(code, 0);
    let code =
        call!("cuGraphInstantiateWithFlags"(&mut executable => *mut u64, outer => u64, 0 => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuGraphLaunch"(executable => u64, 0 => u64)), 702);
}
