//! The planted kernels: read from the comments in their source, and launched.
//!
//! `// launch NAME: grid=2 block=64 shared=128 zeros:f32:100 u32:7` precedes a kernel, with the word
//! `cooperative` for a cooperative launch, and `proxy-fences` for these checks. `// BUG
//! kind` marks a line that must be reported, `// MAYBE kind` a line that may be. A kernel without marks
//! is correct. `// pair NAME: ..` precedes a template of two kernels: `NAME_bug`, to which the marks
//! apply, and its repaired version `NAME_right`, which must have no findings.

use lanework::{Buffer, Device, Dim3, PtxArg, PtxShape, ReportKind, Result};

/// A source and its PTX.
pub struct Unit {
    /// CUDA C++, or handwritten PTX.
    pub cuda: &'static str,
    /// PTX.
    pub ptx: &'static str,
}

macro_rules! unit {
    ($name:literal) => {
        Unit {
            cuda: include_str!(concat!("cuda/", $name, ".cu")),
            ptx: include_str!(concat!("ptx/", $name, ".ptx")),
        }
    };
}

/// All sources.
pub const UNITS: &[Unit] = &[
    unit!("bounds"),
    unit!("uninitialized"),
    unit!("races"),
    unit!("order"),
    unit!("spins"),
    unit!("residents"),
    unit!("calls"),
    unit!("hopper"),
    unit!("hops"),
    unit!("pipelines"),
    unit!("products"),
    unit!("clusters"),
    unit!("heap"),
    unit!("atomics"),
    unit!("flags"),
    unit!("signals"),
    unit!("warps"),
    unit!("tiles"),
    unit!("groups"),
    unit!("readonly"),
    unit!("matrices"),
    unit!("copies"),
    unit!("proxies"),
    unit!("reports"),
    unit!("extents"),
    unit!("unwritten"),
    unit!("classes"),
    unit!("patterns"),
    Unit { cuda: include_str!("ptx/registers.ptx"), ptx: include_str!("ptx/registers.ptx") },
];

/// One kernel, its launch, and its bugs.
#[derive(Debug)]
pub struct Planted {
    /// Its name.
    pub name: String,
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Whether the launch is cooperative.
    pub cooperative: bool,
    /// Whether the launch also checks proxy fences after reads.
    pub proxy_fences: bool,
    /// Its arguments, as `zeros:f32:32` or `u32:7`.
    pub arguments: Vec<String>,
    /// The findings that must be reported, by line.
    pub bugs: Vec<(ReportKind, u32)>,
    /// The findings that may be reported.
    pub maybe: Vec<(ReportKind, u32)>,
}

/// The kernels of a source.
pub fn planted(cuda: &str) -> Vec<Planted> {
    let mut kernels: Vec<Planted> = Vec::new();
    let mut right: Vec<Planted> = Vec::new();
    for (line, text) in (1..).zip(cuda.lines()) {
        if let Some(launch) = text.strip_prefix("// launch ") {
            kernels.push(launch_of(launch, ""));
        }
        if let Some(launch) = text.strip_prefix("// pair ") {
            right.push(launch_of(launch, "_right"));
            kernels.push(launch_of(launch, "_bug"));
        }
        for (word, sure) in [("// BUG ", true), ("// MAYBE ", false)] {
            if let (Some((_, kinds)), Some(kernel)) = (text.split_once(word), kernels.last_mut()) {
                let list = if sure { &mut kernel.bugs } else { &mut kernel.maybe };
                let kind = |name| ReportKind::named(name).expect("a kind");
                list.extend(kinds.split_whitespace().map(|name| (kind(name), line)));
            }
        }
    }
    kernels.extend(right);
    kernels
}

fn launch_of(text: &str, suffix: &str) -> Planted {
    let (name, words) = text.split_once(':').expect("a name");
    let mut kernel = Planted {
        name: format!("{name}{suffix}"),
        grid: Dim3::from(1),
        block: Dim3::from(1),
        shared: 0,
        cooperative: false,
        proxy_fences: false,
        arguments: Vec::new(),
        bugs: Vec::new(),
        maybe: Vec::new(),
    };
    let extent = |text: &str| -> u32 { text.parse().expect("an extent") };
    let shape = |text: &str| match text.split_once('x') {
        Some((x, y)) => Dim3::from((extent(x), extent(y))),
        None => Dim3::from(extent(text)),
    };
    for word in words.split_whitespace() {
        match word.split_once('=') {
            Some(("grid", text)) => kernel.grid = shape(text),
            Some(("block", text)) => kernel.block = shape(text),
            Some(("shared", text)) => kernel.shared = extent(text),
            None if word == "cooperative" => kernel.cooperative = true,
            None if word == "proxy-fences" => kernel.proxy_fences = true,
            _ => kernel.arguments.push(word.to_owned()),
        }
    }
    kernel
}

enum Value {
    Bytes(Vec<u8>),
    Memory(Buffer<u8>),
    Freed(Buffer<u8>),
}

fn value(device: &Device, text: &str) -> Result<Value> {
    let parts: Vec<&str> = text.split(':').collect();
    let size = |name: &str| name[1..].parse::<usize>().expect("a type") / 8;
    Ok(match parts[..] {
        [what, ty, count] => {
            let count: usize = count.parse().expect("a count");
            let bytes = count * size(ty);
            match what {
                "uninit" => Value::Memory(device.uninit_named(bytes, "unwritten")?),
                "freed" => Value::Freed(device.zeros(bytes)?),
                "iota" => {
                    let numbers = (0..count).flat_map(|i| match ty {
                        "f32" => (i as f32).to_le_bytes(),
                        _ => (i as u32).to_le_bytes(),
                    });
                    Value::Memory(device.upload(&numbers.collect::<Vec<u8>>())?)
                }
                _ => Value::Memory(device.zeros(bytes)?),
            }
        }
        [ty, number] => Value::Bytes(match ty {
            "f32" => number.parse::<f32>().expect("a number").to_le_bytes().to_vec(),
            _ => number.parse::<i128>().expect("a number").to_le_bytes()[..size(ty)].to_vec(),
        }),
        _ => panic!("{text} is not an argument"),
    })
}

/// Runs a kernel and waits for it.
///
/// # Errors
/// The error of the device, or the findings of a sanitized one.
pub fn run(device: &Device, unit: &Unit, kernel: &Planted) -> Result<()> {
    let module = device.load_ptx(unit.ptx)?;
    let values: Result<Vec<Value>> =
        kernel.arguments.iter().map(|text| value(device, text)).collect();
    let mut values = values?;
    let mut addresses = Vec::new();
    for value in &mut values {
        addresses.push(match value {
            Value::Bytes(bytes) => Some(bytes.clone()),
            Value::Freed(buffer) => {
                let bytes = address(buffer);
                *value = Value::Bytes(Vec::new());
                Some(bytes)
            }
            Value::Memory(_) => None,
        });
    }
    let arguments: Vec<PtxArg<'_>> = values
        .iter()
        .zip(addresses)
        .map(|(value, bytes)| match (value, bytes) {
            (Value::Memory(buffer), _) => PtxArg::Memory(buffer),
            (_, bytes) => PtxArg::Bytes(bytes.unwrap_or_default()),
        })
        .collect();
    let shape = PtxShape {
        grid: kernel.grid,
        block: kernel.block,
        dynamic_shared: kernel.shared,
        cluster: None,
        cooperative: kernel.cooperative,
    };
    // SAFETY: on the emulator every access is checked; on a GPU the process runs this kernel alone.
    unsafe { module.launch(&kernel.name, shape, &arguments) }?;
    Ok(())
}

/// The address of a buffer as an argument.
fn address(buffer: &Buffer<u8>) -> Vec<u8> {
    buffer.address().to_le_bytes().to_vec()
}
