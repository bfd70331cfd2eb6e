//! A kernel that samples at several coordinates, and an independent implementation of the guide's formulas.

use lanework_emulator::{
    AddressMode, Channel, Emulator, Fault, Image, ImageShape, LaunchConfig, Options, Texel,
};
use lanework_ptx::Module;

pub const FLOAT: Texel = Texel { channel: Channel::Float, bits: 32, channels: 1 };

pub fn device() -> Emulator {
    Emulator::new(Options { verify: true, ..Options::default() })
}

pub fn module(globals: &str, body: &str) -> Module {
    Module::parse(&format!(
        ".version 8.0\n.target sm_80{}\n.address_size 64\n{globals}\n\
         .visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %r<16>; .reg .f32 %f<16>; .reg .b64 %l<16>; .reg .pred %p<4>; .reg .b16 %h<4>;\n\
         ld.param.u64 %l0, [object]; ld.param.u64 %l1, [in]; ld.param.u64 %l2, [out];\n\
         mov.u32 %r0, %tid.x; mul.wide.u32 %l3, %r0, 16; add.s64 %l1, %l1, %l3; add.s64 %l2, %l2, %l3;\n\
         ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%l1]; ld.global.v4.b32 {{%r1, %r2, %r3, %r4}}, [%l1];\n\
         {body}\n ret;\n}}\n",
        if globals.contains("samplerref") { ", texmode_independent" } else { "" },
    ))
    .expect("the text parses")
}

/// Uploads the bytes of an image.
pub fn image(
    device: &Emulator,
    shape: ImageShape,
    texel: Texel,
    extent: [u32; 3],
    layers: u32,
    bytes: &[u8],
) -> Image {
    let address = device.allocate(bytes.len() as u64, "image").expect("memory");
    device.write(address, bytes).expect("in bounds");
    let pitch = u64::from(extent[0]) * texel.bytes();
    Image { shape, texel, address, extent, layers, pitch }
}

/// Samples at each input; returns the four result words of each.
pub fn run(
    device: &Emulator,
    module: &Module,
    object: u64,
    inputs: &[[u32; 4]],
) -> Result<Vec<[u32; 4]>, Fault> {
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let place = |name| device.allocate(bytes.len() as u64, name).expect("memory");
    let (from, to) = (place("in"), place("out"));
    device.write(from, &bytes).expect("in bounds");
    device.fill(to, 0, bytes.len() as u64).expect("in bounds");
    let program = device.load(module).expect("the module loads");
    let launch = LaunchConfig::new("k", [1, 1, 1], [inputs.len() as u32, 1, 1]);
    let arguments = [object, from, to].map(u64::to_le_bytes);
    device.run(&program, &launch, &arguments.each_ref().map(|a| &a[..]))?;
    let mut out = vec![0; bytes.len()];
    device.read(to, &mut out).expect("in bounds");
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Ok(out.chunks(16).map(|c| std::array::from_fn(|i| word(&c[4 * i..]))).collect())
}

pub fn floats(values: &[[f32; 4]]) -> Vec<[u32; 4]> {
    values.iter().map(|v| v.map(f32::to_bits)).collect()
}

pub fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * i % 97) as f32 - 11.5).collect()
}

pub fn bytes_of(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// The index of a texel by its addressing mode, as in the guide; `None` for the border.
pub fn reference_index(at: i64, n: i64, mode: AddressMode) -> Option<usize> {
    let index = match mode {
        AddressMode::Clamp => at.max(0).min(n - 1),
        AddressMode::Wrap => at - n * at.div_euclid(n),
        AddressMode::Mirror if at.div_euclid(n) % 2 == 0 => at.rem_euclid(n),
        AddressMode::Mirror => n - 1 - at.rem_euclid(n),
        AddressMode::Border if at < 0 || at >= n => return None,
        AddressMode::Border => at,
    };
    Some(index as usize)
}

/// The linearly filtered value of a 2D image at texel position `at`.
pub fn reference_linear(
    values: &[f32],
    [w, h]: [i64; 2],
    at: [f64; 2],
    modes: [AddressMode; 2],
) -> f32 {
    let texel =
        |x: i64, y: i64| match (reference_index(x, w, modes[0]), reference_index(y, h, modes[1])) {
            (Some(x), Some(y)) => f64::from(values[y * w as usize + x]),
            _ => 0.0,
        };
    let split = |at: f64| {
        let low = (at - 0.5).floor();
        (low as i64, ((at - 0.5 - low) * 256.0).round() / 256.0)
    };
    let ((i, a), (j, b)) = (split(at[0]), split(at[1]));
    let row = |j| (1.0 - a) * texel(i, j) + a * texel(i + 1, j);
    ((1.0 - b) * row(j) + b * row(j + 1)) as f32
}
