//! The stand-in loaded by `dlopen` after the driver, as programs do: filling device memory, streams, graphs and invalid calls.

use crate::common::{allocate, context, download, get, libraries};
use std::ffi::c_void;

fn generator(kind: i32, host: bool) -> usize {
    context();
    let mut made = 0;
    let name = if host { "curandCreateGeneratorHost" } else { "curandCreateGenerator" };
    assert_eq!(call!(name, &mut made => &mut usize, kind => i32), 0);
    made
}

#[test]
fn device_and_host_numbers_are_equal() {
    for kind in [100, 121, 141, 142, 161, 200, 202] {
        let (device, host) = (generator(kind, false), generator(kind, true));
        let at = allocate(4 * 5000);
        let mut numbers = vec![0f32; 5000];
        // In pieces: each call continues the sequence.
        for piece in [0, 2500] {
            let to = at + 4 * piece as u64;
            assert_eq!(
                call!("curandGenerateUniform", device => usize, to => u64, 2500 => usize),
                0
            );
        }
        let to = numbers.as_mut_ptr();
        assert_eq!(call!("curandGenerateUniform", host => usize, to => *mut f32, 5000 => usize), 0);
        assert_eq!(download::<f32>(at, 5000), numbers, "{kind}");
        assert_eq!(call!("curandDestroyGenerator", device => usize), 0);
        assert_eq!(call!("curandDestroyGenerator", device => usize), 101);
    }
}

#[test]
fn each_graph_launch_continues_the_sequence() {
    let (first, whole) = (generator(161, false), generator(161, false));
    let cuda = &libraries().cuda;
    let create: extern "C" fn(*mut usize, u32) -> i32 = get(cuda, "cuStreamCreate");
    let begin: extern "C" fn(usize, i32) -> i32 = get(cuda, "cuStreamBeginCapture_v2");
    let end: extern "C" fn(usize, *mut usize) -> i32 = get(cuda, "cuStreamEndCapture");
    let instantiate: extern "C" fn(*mut usize, usize, u64) -> i32 =
        get(cuda, "cuGraphInstantiateWithFlags");
    let launch: extern "C" fn(usize, usize) -> i32 = get(cuda, "cuGraphLaunch");
    let (mut stream, mut graph, mut ready) = (0, 0, 0);
    assert_eq!(create(&mut stream, 1), 0);
    let (at, all) = (allocate(4 * 100), allocate(4 * 300));
    assert_eq!(call!("curandSetStream", first => usize, stream => usize), 0);
    assert_eq!(begin(stream, 1), 0);
    assert_eq!(call!("curandGenerate", first => usize, at => u64, 100 => usize), 0);
    assert_eq!((end(stream, &mut graph), instantiate(&mut ready, graph, 0)), (0, 0));
    assert_eq!(download::<u32>(at, 100), [0; 100], "nothing is drawn at capture");
    assert_eq!(call!("curandGenerate", whole => usize, all => u64, 300 => usize), 0);
    let wanted: Vec<u32> = download(all, 300);
    for part in wanted.chunks(100) {
        assert_eq!(launch(ready, stream), 0);
        assert_eq!(download::<u32>(at, 100), part);
    }
}

#[test]
fn misuse_gives_a_status() {
    let (xorwow, sobol, wide) =
        (generator(101, false), generator(201, false), generator(203, true));
    let at = allocate(4 * 64);
    let normal = |generator: usize, count: usize| call!("curandGenerateNormal", generator => usize, at => u64, count => usize, 0.0 => f32, 1.0 => f32);
    assert_eq!((normal(xorwow, 63), normal(xorwow, 64), normal(sobol, 63)), (105, 0, 0));
    let dimensions = |generator: usize, count: u32| call!("curandSetQuasiRandomGeneratorDimensions", generator => usize, count => u32);
    assert_eq!([0, 20_001, 20_000, 3].map(|count| dimensions(sobol, count)), [104, 104, 0, 0]);
    assert_eq!((dimensions(xorwow, 2), normal(sobol, 64), normal(sobol, 63)), (103, 105, 0));
    assert_eq!(call!("curandSetPseudoRandomGeneratorSeed", sobol => usize, 1 => u64), 103);
    let order = |generator: usize, order: i32| call!("curandSetGeneratorOrdering", generator => usize, order => i32);
    assert_eq!((order(sobol, 101), order(xorwow, 201), order(xorwow, 103)), (104, 104, 0));
    assert_eq!((order(wide, 104), order(wide, 201)), (104, 0));
    let bits = |generator: usize, to: u64, count: usize| call!("curandGenerate", generator => usize, to => u64, count => usize);
    assert_eq!(bits(wide, at, 4), 103);
    assert_eq!(call!("curandGenerateLongLong", xorwow => usize, at => u64, 4 => usize), 103);
    // Null, host memory, past the end of the allocation, more bytes than any memory, unknown generator. An empty range is valid.
    let own = [0u32; 4];
    assert_eq!(bits(xorwow, 0, 4), 201);
    assert_eq!(bits(xorwow, own.as_ptr() as u64, 4), 201);
    assert_eq!(bits(xorwow, at, 1000), 201);
    assert_eq!(bits(xorwow, at, usize::MAX), 104);
    assert_eq!((bits(0, at, 4), bits(77, at, 4), bits(xorwow, 0, 0)), (101, 101, 0));
    let poisson = |mean: f64| call!("curandGeneratePoisson", xorwow => usize, at => u64, 4 => usize, mean => f64);
    assert_eq!([0.0, -1.0, f64::NAN, 400_001.0, 5.0].map(poisson), [104, 104, 104, 104, 0]);
    assert_eq!(call!("curandSetGeneratorOffset", generator(142, true) => usize, 1 => u64), 103);
    let mut made = 0;
    assert_eq!(call!("curandCreateGenerator", &mut made => &mut usize, 7 => i32), 103);
    assert_eq!(call!("curandCreateGenerator", std::ptr::null_mut() => *mut usize, 101 => i32), 101);
    assert_eq!(call!("curandGetVersion", std::ptr::null_mut() => *mut i32), 104);
}

#[test]
fn a_distribution_for_kernels_is_a_table_on_the_device() {
    context();
    for (mean, method) in [(5.0, 5), (3000.0, 7)] {
        let mut at = 0;
        assert_eq!(call!("curandCreatePoissonDistribution", mean => f64, &mut at => &mut u64), 0);
        let record: Vec<u64> = download(at, 6);
        assert_eq!((f64::from_bits(record[3]), f64::from_bits(record[4])), (mean.sqrt(), mean));
        assert_eq!((record[0], record[5] as u32), (at, method));
        assert_eq!(call!("curandDestroyDistribution", at => u64), 0);
        assert_eq!(call!("curandDestroyDistribution", at => u64), 101);
    }
    let null = std::ptr::null_mut::<c_void>();
    assert_eq!(call!("curandCreatePoissonDistribution", 5.0 => f64, null => *mut c_void), 101);
}
