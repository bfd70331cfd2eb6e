//! Sampling (CUDA C++ Programming Guide, "Texture Fetching"): the nearest texel, or the mean of the nearest
//! ones with weights of 8 fractional bits, by the addressing modes.
//!
//! Not measured on a GPU. Positions are computed in double precision, weights are rounded to the nearest of
//! 1/256, the mean is rounded once to f32; cubes are filtered within a face.

use super::object::{AddressMode, Channel, Image, ImageShape, Sampler, Texel};
use half::f16;

/// Weights are multiples of one over this.
const STEPS: f64 = 256.0;
/// Positions beyond this are as good as infinite.
const FAR: f64 = (1u64 << 40) as f64;

/// A texel by its index in each dimension; `None` is the border.
pub type Index = Option<[u64; 3]>;

/// The index of a texel in one dimension; `None` in the border.
fn index(at: i64, extent: u32, mode: AddressMode) -> Option<u64> {
    let extent = i64::from(extent);
    let index = match mode {
        AddressMode::Clamp => at.clamp(0, extent - 1),
        AddressMode::Wrap => at.rem_euclid(extent),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * extent);
            at.min(2 * extent - 1 - at)
        }
        AddressMode::Border if (0..extent).contains(&at) => at,
        AddressMode::Border => return None,
    };
    Some(index as u64)
}

/// The texel at a position that counts texels.
pub fn texel(image: &Image, sampler: &Sampler, at: [i64; 3]) -> Index {
    let mut indices = [0; 3];
    for (d, to) in indices.iter_mut().enumerate() {
        *to = index(at[d], image.extent[d], sampler.address[d])?;
    }
    Some(indices)
}

/// Positions in texels, from coordinates as the sampler takes them.
pub fn positions(image: &Image, sampler: &Sampler, coordinates: [f32; 3]) -> [f64; 3] {
    std::array::from_fn(|d| {
        let scale = if sampler.normalized { f64::from(image.extent[d]) } else { 1.0 };
        let at = f64::from(coordinates[d]) * scale;
        if at.is_nan() { 0.0 } else { at.clamp(-FAR, FAR) }
    })
}

/// The nearest texel to a position.
pub fn nearest(image: &Image, sampler: &Sampler, at: [f64; 3], offset: [i64; 3]) -> Index {
    texel(image, sampler, std::array::from_fn(|d| at[d].floor() as i64 + offset[d]))
}

/// The lower of the two texels that a position lies between, and the weight of the upper one.
fn between(at: f64) -> (i64, f64) {
    let low = (at - 0.5).floor();
    (low as i64, ((at - 0.5 - low) * STEPS).round() / STEPS)
}

/// The texels around a position in `axes` dimensions, and their weights.
pub fn around(
    image: &Image,
    sampler: &Sampler,
    at: [f64; 3],
    offset: [i64; 3],
    axes: usize,
) -> impl Iterator<Item = (Index, f64)> {
    let low = at.map(between);
    (0..1usize << axes).map(move |corner| {
        let (mut place, mut weight) = ([0; 3], 1.0);
        for d in 0..axes {
            let upper = corner >> d & 1;
            place[d] = low[d].0 + upper as i64 + offset[d];
            weight *= if upper == 1 { low[d].1 } else { 1.0 - low[d].1 };
        }
        (texel(image, sampler, place), weight)
    })
}

/// The four texels that a linear filter in two dimensions weighs, in the order of `tld4`.
pub fn gathered(image: &Image, sampler: &Sampler, at: [f64; 3], offset: [i64; 3]) -> [Index; 4] {
    let low = at.map(|at| between(at).0);
    [[0, 1], [1, 1], [1, 0], [0, 0]]
        .map(|[x, y]| texel(image, sampler, [low[0] + offset[0] + x, low[1] + offset[1] + y, 0]))
}

/// The face that a direction meets, and where on it from 0 to 1 (the guide's "Cubemap Textures").
pub fn face([x, y, z]: [f32; 3]) -> (u64, [f32; 2]) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, major, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, x, -z, -y) } else { (1, -x, z, -y) }
    } else if ay >= az {
        if y >= 0.0 { (2, y, x, z) } else { (3, -y, x, -z) }
    } else if z >= 0.0 {
        (4, z, x, -y)
    } else {
        (5, -z, -x, -y)
    };
    (face, [s, t].map(|part| (part / major + 1.0) / 2.0))
}

/// Whether a texel of this format is read as floats.
pub fn is_float(texel: Texel, sampler: &Sampler) -> bool {
    texel.channel == Channel::Float || sampler.as_float
}

/// What a sample gives where the format has no such channel: 0, 0 and 0, and 1 for the last.
fn lacking(float: bool) -> [u32; 4] {
    [0, 0, 0, if float { 1f32.to_bits() } else { 1 }]
}

/// The four channels of a texel as registers hold them: bits of floats, or integers.
pub fn channels(bytes: &[u8], texel: Texel, sampler: &Sampler) -> [u32; 4] {
    let float = is_float(texel, sampler);
    let mut out = lacking(float);
    let size = usize::from(texel.bits / 8);
    for (to, from) in out.iter_mut().zip(bytes.chunks_exact(size)) {
        let mut word = [0; 4];
        word[..size].copy_from_slice(from);
        let word = u32::from_le_bytes(word);
        let spare = 32 - u32::from(texel.bits);
        let signed = (word << spare) as i32 >> spare;
        let most = |bits: u32| ((1u64 << bits) - 1) as f32;
        let bits = u32::from(texel.bits);
        *to = match (texel.channel, sampler.as_float) {
            (Channel::Float, _) if bits == 16 => f16::from_bits(word as u16).to_f32().to_bits(),
            (Channel::Float, _) => word,
            (Channel::Unsigned, true) => (word as f32 / most(bits)).to_bits(),
            (Channel::Signed, true) => (signed as f32 / most(bits - 1)).max(-1.0).to_bits(),
            (Channel::Unsigned, false) => word,
            (Channel::Signed, false) => signed as u32,
        };
    }
    out
}

/// The mean of texels by their weights.
pub fn mean(texels: impl Iterator<Item = ([u32; 4], f64)>) -> [u32; 4] {
    let mut sum = [0f64; 4];
    for (texel, weight) in texels.filter(|(_, weight)| *weight != 0.0) {
        for (sum, channel) in sum.iter_mut().zip(texel) {
            *sum += weight * f64::from(f32::from_bits(channel));
        }
    }
    sum.map(|channel| (channel as f32).to_bits())
}

/// Whether an image has the shape that an instruction takes it to have.
pub fn has_shape(image: &Image, shape: ImageShape, layered: bool) -> bool {
    let same =
        image.shape == shape || image.shape == ImageShape::Linear && shape == ImageShape::Line;
    same && (image.layers > 0) == layered
}
