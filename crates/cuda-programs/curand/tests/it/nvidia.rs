//! Compares with NVIDIA's own host generators if `LANEWORK_CURAND` names its `libcurand.so.10`. Skips MT19937 and
//! scrambled sequences, which differ; normal numbers differ in their last bits, because logarithms and sines do.

use libloading::Library;
use std::ffi::c_void;

// Makes cargo build the shared library.
use lanework_curand as _;

/// One step of a program: a function's name and the count of numbers.
type Step = (&'static str, usize);

/// Runs a library with a kind, an order, a seed, dimensions, an offset and steps. Returns the numbers as doubles, or a
/// negative status, and whether the numbers must be equal.
fn run(
    library: &Library,
    kind: i32,
    order: i32,
    setting: [u64; 3],
    steps: &[Step],
) -> Vec<(f64, bool)> {
    let [seed, dimensions, offset] = setting;
    // SAFETY: the types match cuRAND's header, and every buffer has room for all its numbers.
    unsafe {
        let mut generator = 0usize;
        let create = library
            .get::<extern "C" fn(*mut usize, i32) -> i32>(b"curandCreateGeneratorHost")
            .unwrap();
        assert_eq!(create(&mut generator, kind), 0);
        let number = |name: &str, value: u64| {
            let set = library.get::<extern "C" fn(usize, u64) -> i32>(name.as_bytes()).unwrap();
            f64::from(-set(generator, value))
        };
        let mut all = vec![];
        if seed != 0 {
            all.push((number("curandSetPseudoRandomGeneratorSeed", seed), true));
        }
        if dimensions != 0 {
            all.push((number("curandSetQuasiRandomGeneratorDimensions", dimensions), true));
        }
        all.push((number("curandSetGeneratorOrdering", order as u64), true));
        if offset != 0 {
            all.push((number("curandSetGeneratorOffset", offset), true));
        }
        for (name, count) in steps {
            let mut buffer = vec![0u64; *count];
            let (to, count) = (buffer.as_mut_ptr().cast::<c_void>(), *count);
            let symbol = format!("curand{name}");
            let status = match (name.contains("Normal"), name.contains("Double")) {
                (true, true) => library
                    .get::<extern "C" fn(usize, *mut c_void, usize, f64, f64) -> i32>(
                        symbol.as_bytes(),
                    )
                    .unwrap()(generator, to, count, 1.5, 0.5),
                (true, false) => library
                    .get::<extern "C" fn(usize, *mut c_void, usize, f32, f32) -> i32>(
                        symbol.as_bytes(),
                    )
                    .unwrap()(generator, to, count, 1.5, 0.5),
                _ => library
                    .get::<extern "C" fn(usize, *mut c_void, usize) -> i32>(symbol.as_bytes())
                    .unwrap()(generator, to, count),
            };
            if status != 0 {
                all.push((f64::from(-status), true));
                continue;
            }
            let float = |half: u64| f64::from(f32::from_bits(half as u32));
            for at in 0..count {
                let word = buffer[at];
                let half = buffer[at / 2] >> (at % 2 * 32) & 0xffff_ffff;
                let number = match *name {
                    "Generate" => half as f64,
                    "GenerateLongLong" => word as f64,
                    name if name.ends_with("Double") => f64::from_bits(word),
                    _ => float(half),
                };
                all.push((number, !name.contains("Normal")));
            }
        }
        all
    }
}

#[test]
fn numbers_match_nvidias_host_generators() {
    let Some(path) = std::env::var_os("LANEWORK_CURAND") else { return };
    // SAFETY: `LANEWORK_CURAND` names NVIDIA's library, whose initializers have no preconditions.
    let nvidia = unsafe { Library::new(path) }.expect("NVIDIA's library");
    let here = std::env::current_exe().expect("a path").parent().expect("a folder").to_owned();
    let name = "liblanework_curand.so";
    let near = [here.join(name), here.parent().expect("a folder").join(name)];
    let own = near.into_iter().find(|path| path.exists()).expect("cargo builds the library");
    // SAFETY: the stand-in runs no initializers.
    let own = unsafe { Library::new(own) }.expect("the stand-in");
    let mut compared = 0;
    for kind in [101, 121, 141, 161, 201, 203] {
        let quasi = kind > 200;
        let whole = if kind == 203 { "GenerateLongLong" } else { "Generate" };
        let orders: &[i32] = if quasi { &[201] } else { &[101, 103] };
        let settings: &[[u64; 3]] = match (quasi, kind) {
            (true, _) => &[[0, 3, 0], [0, 300, 5], [9, 20_000, 0], [0, 0, 1 << 33]],
            (_, 141) => &[[0; 3], [7, 0, 0], [0x1234_5678_9abc_def0, 0, 3]],
            _ => &[
                [0; 3],
                [7, 0, 0],
                [0x1234_5678_9abc_def0, 0, 3],
                [1, 0, 4100],
                [9, 4, 81_921 + (5 << 40)],
            ],
        };
        let programs: &[&[Step]] = &[
            &[(whole, 180_000), (whole, 120_000)],
            &[
                ("GenerateUniform", 60_000),
                (whole, 60_000),
                ("GenerateNormal", 12_000),
                (whole, 600),
            ],
            &[("GenerateUniformDouble", 60_000), (whole, 60_000)],
            &[("GenerateNormalDouble", 60_000), ("GenerateLogNormal", 6_000), (whole, 600)],
            &[
                ("GenerateNormal", 601),
                (whole, 7),
                ("GenerateNormal", 300),
                ("GenerateLogNormalDouble", 60_000),
            ],
        ];
        for order in orders {
            for setting in settings {
                for program in programs {
                    let [wanted, got] = [&nvidia, &own]
                        .map(|library| run(library, kind, *order, *setting, program));
                    assert_eq!(wanted.len(), got.len(), "{kind} {order} {setting:?} {program:?}");
                    for (at, ((wanted, exact), (got, _))) in wanted.iter().zip(&got).enumerate() {
                        let most = if *exact { 0.0 } else { 3e-6 * wanted.abs().max(1.0) };
                        assert!(
                            (wanted - got).abs() <= most,
                            "{kind} {order} {setting:?} {program:?}: number {at} is {got}, NVIDIA's {wanted}"
                        );
                    }
                    compared += wanted.len();
                }
            }
        }
    }
    println!("{compared} numbers were compared");
}
