//! Sampling (CUDA C++ Programming Guide, "Texture Fetching"): the nearest texel, or the mean of the nearest
//! ones with weights of 8 fractional bits, by the addressing modes.
//!
//! Not measured on a GPU. Positions are computed in double precision, weights are rounded to the nearest of
//! 1/256, the mean is rounded once to f32; cubes are filtered within a face.

use crate::instructions::texture::object::{
    AddressMode, Channel, Image, ImageShape, Sampler, Texel,
};
use std::sync::OnceLock;

/// Weights are multiples of one over this.
const STEPS: f64 = 256.0;
/// Positions beyond this are treated as infinite.
const FAR: f64 = (1u64 << 40) as f64;

/// A texel by its index in each dimension; `None` is the border.
pub type Index = Option<[u64; 3]>;

/// The index of a texel in one dimension; `None` in the border.
fn index(at: i64, extent: u32, mode: AddressMode) -> Option<u64> {
    let extent = i64::from(extent);
    if (0..extent).contains(&at) {
        return Some(at as u64);
    }
    let index = match mode {
        AddressMode::Clamp => at.clamp(0, extent - 1),
        AddressMode::Wrap => at.rem_euclid(extent),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * extent);
            at.min(2 * extent - 1 - at)
        }
        AddressMode::Border => return None,
    };
    Some(index as u64)
}

/// The largest integer that is not above a position.
fn floor(at: f64) -> i64 {
    let toward_zero = at as i64;
    toward_zero - i64::from(toward_zero as f64 > at)
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
    texel(image, sampler, std::array::from_fn(|d| floor(at[d]) + offset[d]))
}

/// Rounds a nonnegative weight to the filter's precision.
pub fn rounded(weight: f64) -> f64 {
    (weight * STEPS + 0.5) as i64 as f64 / STEPS
}

/// The lower of the two texels that a position is between, and the weight of the upper one.
fn between(at: f64) -> (i64, f64) {
    let low = floor(at - 0.5);
    (low, rounded(at - 0.5 - low as f64))
}

/// The weighted mean of the texels around a position in `axes` dimensions; `read` reads a texel.
///
/// # Errors
/// The error of reading a texel.
pub fn filtered<E>(
    image: &Image,
    sampler: &Sampler,
    at: [f64; 3],
    offset: [i64; 3],
    axes: usize,
    read: impl Fn(Index) -> Result<[u32; 4], E>,
) -> Result<[u32; 4], E> {
    let mut indices = [[Some(0); 2]; 3];
    let mut weights = [[1.0, 0.0]; 3];
    for d in 0..axes {
        let (low, upper) = between(at[d]);
        weights[d] = [1.0 - upper, upper];
        indices[d] =
            [0, 1].map(|step| index(low + step + offset[d], image.extent[d], sampler.address[d]));
    }
    let mut sum = [0f64; 4];
    for corner in 0..1usize << axes {
        let side = |d: usize| corner >> d & 1;
        let weight = weights[0][side(0)] * weights[1][side(1)] * weights[2][side(2)];
        if weight == 0.0 {
            continue;
        }
        let place = [0, 1, 2].map(|d| indices[d][side(d)]);
        let index = match place {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => None,
        };
        for (sum, channel) in sum.iter_mut().zip(read(index)?) {
            *sum += weight * f64::from(f32::from_bits(channel));
        }
    }
    Ok(sum.map(|channel| (channel as f32).to_bits()))
}

/// The four texels that a linear filter in two dimensions weighs, in the order of `tld4`.
pub fn gathered(image: &Image, sampler: &Sampler, at: [f64; 3], offset: [i64; 3]) -> [Index; 4] {
    let low = at.map(|at| between(at).0);
    [[0, 1], [1, 1], [1, 0], [0, 0]]
        .map(|[x, y]| texel(image, sampler, [low[0] + offset[0] + x, low[1] + offset[1] + y, 0]))
}

/// A face of a cube: +x, -x, +y, -y, +z, -z.
#[derive(Clone, Copy)]
pub struct Face(u64);

impl Face {
    /// The components of a vector along the face's s and t axes, and along its outward normal.
    pub fn turn(self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match self.0 {
            0 => [-z, -y, x],
            1 => [z, -y, -x],
            2 => [x, z, y],
            3 => [x, -z, -y],
            4 => [x, -y, z],
            _ => [-x, -y, -z],
        }
    }
}

/// The cube face of a direction, and the direction's components relative to it (the guide's "Cubemap Textures").
pub fn face_parts(direction: [f32; 3]) -> (Face, [f32; 3]) {
    let [x, y, z] = direction;
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (axis, major) = if ax >= ay && ax >= az {
        (0, x)
    } else if ay >= az {
        (2, y)
    } else {
        (4, z)
    };
    let face = Face(axis + u64::from(major < 0.0 || major.is_nan()));
    (face, face.turn(direction))
}

/// The cube face of a direction, and the position on it from 0 to 1.
pub fn face(direction: [f32; 3]) -> (u64, [f32; 2]) {
    let (Face(number), [s, t, major]) = face_parts(direction);
    (number, [s, t].map(|part| (part / major + 1.0) / 2.0))
}

/// Whether a texel of this format is read as floats.
pub fn is_float(texel: Texel, sampler: &Sampler) -> bool {
    texel.channel == Channel::Float || sampler.as_float
}

/// Default channels of a sample: 0, 0 and 0, and 1 for the last.
pub fn lacking(float: bool) -> [u32; 4] {
    [0, 0, 0, if float { 1f32.to_bits() } else { 1 }]
}

/// Whether an image has the shape that an instruction requires. A plane of one row is a line, too: programs make arrays of height 1 and read
/// them by `tex1D`.
pub fn has_shape(image: &Image, shape: ImageShape, layered: bool) -> bool {
    let line = match image.shape {
        ImageShape::Linear => true,
        ImageShape::Plane => image.extent[1] == 1,
        _ => false,
    };
    let same = image.shape == shape || line && shape == ImageShape::Line;
    same && (image.layers > 0) == layered
}

// The mipmap level to read, and the weight of the next one (CUDA C++ Programming Guide, "Texture Fetching"; the Vulkan
// specification's "Level-of-Detail Operation" has the formulas in full).
//
// Not measured on a GPU. The level is the base-2 logarithm of the longer of the two gradients,
// which a GPU approximates. The sampler's bias is added to it, then the sampler's limits apply.
// Weights are rounded to the nearest multiple of 1/256. Filtering is isotropic: a sampler that
// requests more is refused if a gradient would make a difference.

/// The mipmap level of a sample.
#[derive(Clone, Copy)]
pub enum Level {
    /// An explicit level, possibly fractional.
    Number(f32),
    /// Changes of the coordinates from one pixel to the next, in x and in y.
    Gradient([[f32; 3]; 2]),
}

/// Two levels to read, and the weight of the second one.
pub struct Choice {
    /// The levels; the second equals the first if its weight is 0.
    pub levels: [usize; 2],
    /// The weight of the second level.
    pub upper: f64,
}

/// The levels of a texture that a sample reads.
pub fn choose(level: Level, coordinates: [f32; 3], images: &[Image], sampler: &Sampler) -> Choice {
    let last = images.len() - 1;
    if last == 0 {
        return Choice { levels: [0, 0], upper: 0.0 };
    }
    let number = match level {
        Level::Number(number) => f64::from(number),
        Level::Gradient(gradients) => {
            let length = |gradient| squared_length(&images[0], coordinates, gradient);
            length(gradients[0]).max(length(gradients[1])).log2() / 2.0
        }
    };
    let mip = sampler.mip;
    // A NaN becomes the least level.
    let number = (number + f64::from(mip.bias)).max(mip.least.into()).min(mip.most.into());
    let number = number.max(0.0).min(last as f64);
    if !mip.linear {
        let nearest = (number + 0.5) as usize;
        return Choice { levels: [nearest.min(last); 2], upper: 0.0 };
    }
    let low = number as usize;
    let upper = rounded(number - low as f64);
    Choice { levels: [low, if upper == 0.0 { low } else { low + 1 }], upper }
}

/// The squared number of texels of level 0 that a pixel covers along one gradient.
fn squared_length(image: &Image, coordinates: [f32; 3], gradient: [f32; 3]) -> f64 {
    let gradient = match image.shape {
        ImageShape::Cube => on_face(coordinates, gradient),
        _ => gradient.map(f64::from),
    };
    let parts = gradient.iter().zip(image.extent);
    parts.map(|(part, extent)| (part * f64::from(extent)).powi(2)).sum()
}

/// The change of the place on a cube's face as the direction changes: the derivative of (part / major + 1) / 2.
fn on_face(direction: [f32; 3], change: [f32; 3]) -> [f64; 3] {
    let (face, parts) = face_parts(direction);
    let [s, t, major] = parts.map(f64::from);
    let [ds, dt, dmajor] = face.turn(change).map(f64::from);
    let of = |part: f64, change: f64| (change * major - part * dmajor) / (2.0 * major * major);
    [of(s, ds), of(t, dt), 0.0]
}

/// The linear value of a channel of 8 bits. A GPU's table may differ in the last bits; it was not measured.
pub fn linear(channel: u8) -> f32 {
    static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
    TABLE.get_or_init(|| std::array::from_fn(|channel| of(channel as f64 / 255.0) as f32))
        [usize::from(channel)]
}

fn of(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use crate::instructions::texture::sample::*;

    #[test]
    fn srgb_is_monotonic_and_half_of_the_light_is_at_188() {
        assert_eq!([linear(0), linear(255)], [0.0, 1.0]);
        assert!((1..=255).all(|channel| linear(channel - 1) < linear(channel)));
        assert!((linear(188) - 0.502_886_5).abs() < 1e-6, "{}", linear(188));
        // Below the knee the curve is linear.
        assert_eq!(linear(10), (10.0 / 255.0 / 12.92) as f32);
    }
}
