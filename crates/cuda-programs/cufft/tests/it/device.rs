//! The stand-in loaded by `dlopen` after the driver, as programs do: streams, graphs, work areas and invalid calls.

use crate::common::{allocate, context, download, get, libraries, upload};
use crate::naive::{Number, Random, error, transform};

const C2C: i32 = 0x29;
const R2C: i32 = 0x2a;
const Z2Z: i32 = 0x69;

fn plan(size: i32, kind: i32, batch: i32) -> i32 {
    context();
    let mut made = 0;
    assert_eq!(
        call!("cufftPlan1d", &mut made => &mut i32, size => i32, kind => i32, batch => i32),
        0
    );
    made
}

fn signal(count: usize) -> Vec<Number> {
    let mut random = Random::new(count as u64);
    (0..count).map(|_| [random.unit(), random.unit()]).collect()
}

fn z2z(plan: i32, from: u64, to: u64, direction: i32) -> i32 {
    call!("cufftExecZ2Z", plan => i32, from => u64, to => u64, direction => i32)
}

#[test]
fn a_round_trip_scales_by_the_length() {
    let (forth, at) = (plan(60, Z2Z, 2), allocate(16 * 120));
    let signal = signal(120);
    upload(at, &signal);
    assert_eq!(z2z(forth, at, at, -1), 0);
    let wanted: Vec<Number> =
        signal.chunks(60).flat_map(|part| transform(&[60], part, false)).collect();
    assert!(error(&wanted, &download(at, 120)) < 1e-14);
    assert_eq!(z2z(forth, at, at, 1), 0);
    let scaled: Vec<Number> = signal.iter().map(|number| number.map(|part| 60.0 * part)).collect();
    assert!(error(&scaled, &download(at, 120)) < 1e-14);
}

#[test]
fn the_last_dimension_of_a_plan_is_contiguous() {
    context();
    let signal = signal(6 * 5 * 4);
    let (from, to) = (allocate(16 * 120), allocate(16 * 120));
    upload(from, &signal);
    let (mut planar, mut cubic) = (0, 0);
    assert_eq!(call!("cufftPlan2d", &mut planar => &mut i32, 6 => i32, 20 => i32, Z2Z => i32), 0);
    assert_eq!(
        call!("cufftPlan3d", &mut cubic => &mut i32, 6 => i32, 5 => i32, 4 => i32, Z2Z => i32),
        0
    );
    assert_eq!(z2z(planar, from, to, -1), 0);
    assert!(error(&transform(&[6, 20], &signal, false), &download(to, 120)) < 1e-14);
    assert_eq!(z2z(cubic, from, to, 1), 0);
    assert!(error(&transform(&[6, 5, 4], &signal, true), &download(to, 120)) < 1e-14);
}

#[test]
fn a_node_of_a_graph_transforms_at_each_launch() {
    let made = plan(12, Z2Z, 1);
    let cuda = &libraries().cuda;
    let create: extern "C" fn(*mut usize, u32) -> i32 = get(cuda, "cuStreamCreate");
    let begin: extern "C" fn(usize, i32) -> i32 = get(cuda, "cuStreamBeginCapture_v2");
    let end: extern "C" fn(usize, *mut usize) -> i32 = get(cuda, "cuStreamEndCapture");
    let instantiate: extern "C" fn(*mut usize, usize, u64) -> i32 =
        get(cuda, "cuGraphInstantiateWithFlags");
    let launch: extern "C" fn(usize, usize) -> i32 = get(cuda, "cuGraphLaunch");
    let (mut stream, mut graph, mut ready) = (0, 0, 0);
    assert_eq!(create(&mut stream, 1), 0);
    let (from, to) = (allocate(16 * 12), allocate(16 * 12));
    assert_eq!(call!("cufftSetStream", made => i32, stream => usize), 0);
    assert_eq!(begin(stream, 1), 0);
    assert_eq!(z2z(made, from, to, -1), 0);
    assert_eq!((end(stream, &mut graph), instantiate(&mut ready, graph, 0)), (0, 0));
    // The graph keeps its copy of the plan.
    assert_eq!(call!("cufftDestroy", made => i32), 0);
    for count in [12, 24] {
        let signal = &signal(count)[count - 12..];
        upload(from, signal);
        assert_eq!(launch(ready, stream), 0);
        assert!(error(&transform(&[12], signal, false), &download(to, 12)) < 1e-14);
    }
}

#[test]
fn without_auto_allocation_a_work_area_is_required() {
    context();
    let (mut made, mut size, mut told) = (0, 0, 0);
    assert_eq!(call!("cufftCreate", &mut made => &mut i32), 0);
    assert_eq!(call!("cufftSetAutoAllocation", made => i32, 0 => i32), 0);
    assert_eq!(
        call!("cufftMakePlan1d", made => i32, 16 => i32, Z2Z => i32, 3 => i32, &mut size => &mut usize),
        0
    );
    assert_eq!(call!("cufftGetSize", made => i32, &mut told => &mut usize), 0);
    assert_eq!((size, told), (16 * 16 * 3, size));
    assert_eq!(
        call!("cufftEstimate1d", 16 => i32, Z2Z => i32, 3 => i32, &mut told => &mut usize),
        0
    );
    assert_eq!(told, size);
    let at = allocate(16 * 48);
    assert_eq!(z2z(made, at, at, -1), 13);
    let area = |at: u64| call!("cufftSetWorkArea", made => i32, at => u64);
    assert_eq!((area(allocate(size / 2)), z2z(made, at, at, -1)), (0, 6));
    assert_eq!((area(allocate(size)), z2z(made, at, at, -1)), (0, 0));
}

#[test]
fn misuse_gives_a_status() {
    let (single, real) = (plan(8, C2C, 1), plan(8, R2C, 1));
    let at = allocate(64);
    let c2c = |plan: i32, from: u64, to: u64, direction: i32| call!("cufftExecC2C", plan => i32, from => u64, to => u64, direction => i32);
    // Invalid direction, null, host memory, misaligned address, past the end of the allocation.
    assert_eq!([0, 2, i32::MIN, 1].map(|direction| c2c(single, at, at, direction)), [4, 4, 4, 0]);
    let own = [0f32; 16];
    assert_eq!((c2c(single, 0, at, 1), c2c(single, at, 0, 1)), (4, 4));
    assert_eq!(
        (c2c(single, at, own.as_ptr() as u64, 1), c2c(single, own.as_ptr() as u64, at, 1)),
        (6, 6)
    );
    assert_eq!((c2c(single, at + 4, at, 1), c2c(single, at, at + 8, 1)), (6, 6));
    assert_eq!(c2c(plan(9, C2C, 1), at, at, 1), 6);
    // Wrong type, unknown plan, plan not made yet, plan made twice, destroyed plan.
    assert_eq!((c2c(real, at, at, 1), z2z(single, at, at, 1), c2c(0, at, at, 1)), (1, 1, 1));
    assert_eq!(call!("cufftExecR2C", real => i32, at => u64, at => u64), 0);
    let (mut made, mut size) = (0, 0);
    assert_eq!(call!("cufftCreate", &mut made => &mut i32), 0);
    assert_eq!(c2c(made, at, at, 1), 1);
    assert_eq!(call!("cufftGetSize", made => i32, &mut size => &mut usize), 1);
    let make = |size: i32, kind: i32, batch: i32| {
        let mut work = 0;
        call!("cufftMakePlan1d", made => i32, size => i32, kind => i32, batch => i32, &mut work => &mut usize)
    };
    assert_eq!((make(0, C2C, 1), make(-3, C2C, 1), make(8, C2C, 0), make(8, 7, 1)), (8, 8, 8, 3));
    assert_eq!((make(8, C2C, 1), make(8, C2C, 1)), (0, 1));
    let destroy = |plan: i32| call!("cufftDestroy", plan => i32);
    assert_eq!((destroy(made), destroy(made), destroy(-1)), (0, 1, 0));
    let null = std::ptr::null_mut::<i32>();
    assert_eq!(call!("cufftPlan1d", null => *mut i32, 8 => i32, C2C => i32, 1 => i32), 4);
    assert_eq!(
        call!("cufftPlanMany", &mut made => &mut i32, 4 => i32, [2; 4].as_ptr() => *const i32, null => *mut i32, 1 => i32, 16 => i32,
        null => *mut i32, 1 => i32, 16 => i32, C2C => i32, 1 => i32),
        4
    );
    assert_eq!(call!("cufftGetVersion", null => *mut i32), 4);
}

#[test]
fn unimplemented_functions_report_it() {
    let made = plan(8, C2C, 1);
    assert_eq!(
        call!("cufftXtSetCallback", made => i32, std::ptr::null() => *const u8, 0 => i32, std::ptr::null() => *const u8),
        16
    );
    assert_eq!(call!("cufftXtSetGPUs", made => i32, 2 => i32, [0, 1].as_ptr() => *const i32), 16);
    assert_eq!(call!("cufftXtMalloc", made => i32, std::ptr::null() => *const u8, 0 => i32), 16);
}
