//! Which mipmap level is read, and the weight of the next one (CUDA C++ Programming Guide, "Texture Fetching"; the
//! Vulkan specification's "Level-of-Detail Operation" has the formulas in full).
//!
//! Not measured on a GPU. The level is the logarithm of the longer of the two gradients, which a GPU approximates, then the
//! sampler's bias is added and its limits apply; weights are rounded to the nearest of 1/256. Filtering is isotropic: a
//! sampler that asks for more is refused where a gradient would make a difference.

use super::object::{Image, ImageShape, Sampler};
use super::sample::{face_parts, rounded};

/// How a sample says its level.
#[derive(Clone, Copy)]
pub enum Level {
    /// A number of it, perhaps with a fraction.
    Number(f32),
    /// Changes of the coordinates from one pixel to the next, in x and in y.
    Gradient([[f32; 3]; 2]),
}

/// Two levels to read, and the weight of the second one.
pub struct Choice {
    /// The levels; the second is the first where its weight is 0.
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

/// The square of how many texels of level 0 a pixel covers by one gradient.
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
