//! PTX as text: staged code, `ptx!`, and printing.

use lanework::prelude::*;

#[kernel]
fn population(x: &[u32], out: &mut [u32]) {
    let i = thread_idx.x;
    let v = x[i];
    let count = ptx!("popc.b32 {}, {};", out(u32), in(v));
    let (low, high) = ptx!(
        "{{ .reg .u64 wide; mul.wide.u32 wide, {v}, {by}; mov.b64 {{{low}, {high}}}, wide; }}",
        low = out(u32),
        high = out(u32),
        v = in(v),
        by = in(0x1234_5678u32)
    );
    ptx!("st.global.u32 {}, {};", in(&out[i + 64]), in(high));
    out[i] = count;
    out[i + 32] = low;
}

#[test]
fn inline_ptx_reads_and_writes() {
    for device in Device::for_tests("language") {
        let values: Vec<u32> = (0..32u32).map(|v| v.wrapping_mul(0x9e37_79b9)).collect();
        let x = device.upload(&values).unwrap();
        let mut out = device.zeros::<u32>(96).unwrap();
        population(&x, &mut out).grid(1).block(32).launch(&device).unwrap();
        let out = out.download().unwrap();
        for (i, v) in values.iter().enumerate() {
            let wide = u64::from(*v) * 0x1234_5678;
            assert_eq!(out[i], v.count_ones());
            assert_eq!((out[i + 32], out[i + 64]), (wide as u32, (wide >> 32) as u32));
        }
    }
}

#[kernel]
fn misspelt(out: &mut [u32]) {
    out[0] = ptx!("mov.u32 {}, 1", out(u32));
}

#[test]
fn inline_ptx_that_does_not_parse_is_an_error_value() {
    let device = Device::emulator();
    let mut out = device.zeros::<u32>(1).unwrap();
    let error = misspelt(&mut out).module().unwrap_err().to_string();
    assert!(error.contains("is not valid PTX"), "{error}");
}

#[kernel]
fn greetings(x: &[f32], n: u32) {
    if thread_idx.x == 1 {
        println!("{}% of {n} is {:.2}, {:x}", thread_idx.x, x[0], -1i64);
        print!("{:>5}|{:<5}|{:05}\n", 7u8, -7i32, 42u64);
    }
}

#[test]
fn formats_become_printfs() {
    let device = Device::emulator();
    let x = device.zeros::<f32>(1).unwrap();
    let module = greetings(&x, 3).module().unwrap();
    let texts: Vec<String> = module
        .variables()
        .filter_map(|v| match &v.init {
            Some(lanework::ptx::Initializer::List(bytes)) => Some(bytes.iter()),
            _ => None,
        })
        .map(|bytes| {
            bytes
                .filter_map(|b| match b {
                    lanework::ptx::Initializer::Value(lanework::ptx::Immediate::Integer(b)) => {
                        char::from_u32(*b as u32)
                    }
                    _ => None,
                })
                .collect()
        })
        .collect();
    assert_eq!(texts, ["%u%% of %u is %.2f, %llx\n\0", "%5u|%-5d|%05llu\n\0"]);
}

#[kernel]
fn hello() {
    println!("thread {} says {:.1}", thread_idx.x, 0.5f32);
}

#[test]
fn printing_runs() {
    for device in Device::for_tests("language") {
        hello().grid(1).block(2).launch(&device).unwrap();
        device.synchronize().unwrap();
    }
}

#[kernel]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < y.len() as u32 {
        y[i] = a * x[i] + y[i];
    }
}

#[kernel(block = (t, 8), min_blocks = 2)]
fn padded<E: Element>(src: &[E], dst: &mut [E], n: u32, #[constant] t: u32) {
    let tile = shared::<E>([t, t + 1]);
    let (x, y) = (block_idx.x * t + thread_idx.x, block_idx.y * t + thread_idx.y);
    #[unroll]
    for k in (0..t).step_by(8) {
        tile[[thread_idx.y + k, thread_idx.x]] = src[(y + k) * n + x];
    }
    sync_threads();
    let (x, y) = (block_idx.y * t + thread_idx.x, block_idx.x * t + thread_idx.y);
    #[unroll]
    for k in (0..t).step_by(8) {
        dst[(y + k) * n + x] = tile[[thread_idx.x, thread_idx.y + k]];
    }
}

/// Compares with a golden file; `LANEWORK_BLESS=1` writes it.
fn golden(name: &str, module: &lanework::ptx::Module) {
    let path = format!("{}/tests/language/golden/{name}.ptx", env!("CARGO_MANIFEST_DIR"));
    // The path of the source depends on the folder of the build.
    let mut module = module.clone();
    module.files = vec!["text.rs".to_owned()];
    let text = module.to_string();
    if std::env::var_os("LANEWORK_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text, expected,
        "{name}.ptx changed: run with LANEWORK_BLESS=1 and review the difference"
    );
}

#[test]
fn staged_ptx_is_as_reviewed() {
    let device = Device::emulator();
    let x = device.zeros::<f32>(1).unwrap();
    let mut y = device.zeros::<f32>(1).unwrap();
    golden("saxpy", &saxpy(2.0, &x, &mut y).module().unwrap());
    golden("padded", &padded(&x, &mut y, 1, 32).module().unwrap());
    golden("greetings", &greetings(&x, 1).module().unwrap());
}

#[test]
fn staged_ptx_parses_back_to_itself() {
    let device = Device::emulator();
    let x = device.zeros::<f32>(1).unwrap();
    let mut y = device.zeros::<f32>(1).unwrap();
    let words = device.zeros::<u32>(1).unwrap();
    let mut counts = device.zeros::<u32>(1).unwrap();
    for module in [
        saxpy(2.0, &x, &mut y).module().unwrap(),
        padded(&x, &mut y, 1, 32).module().unwrap(),
        greetings(&x, 1).module().unwrap(),
        population(&words, &mut counts).module().unwrap(),
    ] {
        let text = module.to_string();
        let parsed = lanework::ptx::Module::parse(&text).unwrap();
        parsed.validate().unwrap();
        assert_eq!(parsed.to_string(), text);
    }
}

#[test]
fn staging_twice_gives_the_same_text() {
    let device = Device::emulator();
    let x = device.zeros::<f32>(1).unwrap();
    let mut y = device.zeros::<f32>(1).unwrap();
    let mut text = || padded(&x, &mut y, 1, 32).module().unwrap().to_string();
    assert_eq!(text(), text());
}
