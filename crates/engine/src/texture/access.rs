//! One lane of a texture instruction: objects by their handles, samples and questions.

use super::bound::Bound;
use super::object::{Image, ImageShape, Object, Sampler};
use super::sample::{face, filtered, gathered, has_shape, is_float, nearest, positions, texel};
use crate::fault::{FaultKind, RawFault};
use crate::guest;
use crate::machine::Context;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::texture::{Geometry, Query};

/// One lane.
pub struct Lane<'a> {
    /// The block's context.
    pub context: &'a Context,
    /// The warp's number.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
}

/// What a sample asks for.
pub struct Sample {
    /// The shape of the texture.
    pub geometry: Geometry,
    /// Coordinates are integers.
    pub fetch: bool,
    /// The words of the coordinates, as PTX writes them.
    pub words: [u32; 4],
    /// Offsets in texels.
    pub offset: [i64; 3],
    /// For `tld4`, the component.
    pub gather: Option<u8>,
}

pub(super) type Done<T> = Result<T, RawFault>;

pub(super) fn shape(geometry: Geometry) -> ImageShape {
    match geometry {
        Geometry::Line | Geometry::Lines => ImageShape::Line,
        Geometry::Plane | Geometry::Planes => ImageShape::Plane,
        Geometry::Volume => ImageShape::Volume,
        Geometry::Cube | Geometry::Cubes => ImageShape::Cube,
    }
}

impl Lane<'_> {
    pub(super) fn wrong(&self, note: String) -> RawFault {
        RawFault::of_lanes(FaultKind::Texture, MemorySpace::Global, 1 << self.lane, note)
    }

    /// The object of a handle, and whether the handle is its own, not that of a variable that holds one.
    fn object(&self, handle: u64) -> Option<(Object, bool)> {
        // SAFETY: the launch holds the memory's lock while blocks run.
        let objects = unsafe { &(*self.context.memory).objects };
        if let Some(object) = objects.get(handle) {
            return Some((*object, true));
        }
        let space = MemorySpace::Generic;
        let aligned = handle.is_multiple_of(8);
        let host = self.context.lane_host(space, self.warp, self.lane, handle, 8);
        let host = host.filter(|_| aligned)?;
        let mut bytes = [0; 8];
        // SAFETY: eight bytes are there, as was just checked.
        unsafe { guest::read_bytes(host, &mut bytes) };
        objects.get(u64::from_le_bytes(bytes)).map(|object| (*object, false))
    }

    fn bound(&self, image: Image, sampler: Sampler, direct: bool) -> Bound {
        // SAFETY: the launch holds the memory's lock while blocks run.
        let host = unsafe { (*self.context.memory).locate(image.address, image.span()) };
        Bound { image, sampler, host, direct }
    }

    /// The texture of a handle, read as another sampler says where its handle is not 0.
    pub fn texture(&self, handle: u64, sampler: u64) -> Done<Bound> {
        let (image, own, direct) = match self.object(handle) {
            Some((Object::Texture(image, sampler), direct)) => (image, sampler, direct),
            Some(_) => {
                return Err(
                    self.wrong(format!("{handle:#x} is no texture, but a surface or sampler"))
                );
            }
            None => return Err(self.wrong(format!("{handle:#x} is the handle of no texture"))),
        };
        match sampler {
            0 => Ok(self.bound(image, own, direct)),
            handle => match self.object(handle) {
                // How texels are read is the texture's.
                Some((Object::Sampler(sampler), own_handle)) => {
                    let normalized = sampler.normalized && own.normalized;
                    let sampler = Sampler { as_float: own.as_float, normalized, ..sampler };
                    Ok(self.bound(image, sampler, direct && own_handle))
                }
                _ => Err(self.wrong(format!("{handle:#x} is the handle of no sampler"))),
            },
        }
    }

    /// The surface of a handle.
    pub fn surface(&self, handle: u64) -> Done<Bound> {
        match self.object(handle) {
            Some((Object::Surface(image), direct)) => {
                Ok(self.bound(image, Sampler::default(), direct))
            }
            Some(_) => {
                Err(self.wrong(format!("{handle:#x} is no surface, but a texture or sampler")))
            }
            None => Err(self.wrong(format!("{handle:#x} is the handle of no surface"))),
        }
    }

    /// Where bytes of an image lie on the host.
    pub(super) fn host(&self, bound: &Bound, address: u64, bytes: u64) -> Done<*mut u8> {
        if let Some(host) = bound.place(address, bytes) {
            return Ok(host);
        }
        // SAFETY: the launch holds the memory's lock while blocks run.
        let found = unsafe { (*self.context.memory).locate(address, bytes) };
        found.ok_or_else(|| {
            self.wrong(format!("the memory of the image is gone: {bytes} bytes at {address:#x}"))
        })
    }

    fn layer(image: &Image, word: u32) -> u64 {
        u64::from(word.min(image.layers.max(1) - 1))
    }

    /// The four results of a sample.
    pub fn sample(&self, bound: &Bound, ask: &Sample) -> Done<[u32; 4]> {
        let Bound { image, sampler, .. } = *bound;
        let Sample { geometry, fetch, words, offset, gather } = *ask;
        if !has_shape(&image, shape(geometry), geometry.is_layered()) {
            return Err(self.wrong(format!(
                "the instruction takes the texture for another shape: it is {:?} with {} layers",
                image.shape, image.layers
            )));
        }
        let at = if geometry.is_layered() {
            [words[1], words[2], words[3]]
        } else {
            [words[0], words[1], words[2]]
        };
        let mut plane = if geometry.is_layered() { Self::layer(&image, words[0]) } else { 0 };
        let axes = geometry.axes();
        let read = |plane: u64, index: Option<[u64; 3]>| -> Done<[u32; 4]> {
            let Some([x, y, z]) = index else { return Ok(sampler.border) };
            let size = image.texel.bytes();
            let host = self.host(bound, image.at(x * size, y, plane + z), size)?;
            // SAFETY: a texel is there, as was just checked.
            Ok(unsafe { bound.channels(host) })
        };
        let used = |d: usize, value: i64| if d < axes { value } else { 0 };
        if image.shape == ImageShape::Linear {
            let x = at[0] as i32 as i64 + offset[0];
            if !fetch {
                return Err(
                    self.wrong("linear memory is fetched by integer coordinates".to_owned())
                );
            }
            let inside = (0..i64::from(image.extent[0])).contains(&x);
            return if inside { read(0, Some([x as u64, 0, 0])) } else { Ok([0; 4]) };
        }
        if fetch {
            if image.shape == ImageShape::Cube {
                return Err(self.wrong("a cube has no integer coordinates".to_owned()));
            }
            let place = std::array::from_fn(|d| used(d, i64::from(at[d] as i32) + offset[d]));
            return read(plane, texel(&image, &sampler, place));
        }
        let mut coordinates: [f32; 3] =
            std::array::from_fn(|d| if d < axes { f32::from_bits(at[d]) } else { 0.0 });
        let (mut plain, mut axes) = (sampler, axes);
        if image.shape == ImageShape::Cube {
            let (side, [s, t]) = face(coordinates);
            plane = 6 * plane + side;
            (coordinates, axes) = ([s, t, 0.0], 2);
            plain.normalized = true;
        }
        let place = positions(&image, &plain, coordinates);
        if let Some(component) = gather {
            let mut out = [0; 4];
            for (to, index) in out.iter_mut().zip(gathered(&image, &plain, place, offset)) {
                *to = read(plane, index)?[usize::from(component)];
            }
            return Ok(out);
        }
        if !plain.linear || !is_float(image.texel, &plain) {
            return read(plane, nearest(&image, &plain, place, offset));
        }
        filtered(&image, &plain, place, offset, axes, |index| read(plane, index))
    }

    /// The answer to a question.
    pub fn ask(&self, handle: u64, query: Query) -> Done<u32> {
        let object = self.object(handle).map(|(object, _)| object);
        match query {
            Query::IsTexture => return Ok(matches!(object, Some(Object::Texture(..))).into()),
            Query::IsSampler => return Ok(matches!(object, Some(Object::Sampler(_))).into()),
            Query::IsSurface => return Ok(matches!(object, Some(Object::Surface(_))).into()),
            _ => {}
        }
        let (image, normalized) = match object {
            Some(Object::Texture(image, sampler)) => (image, sampler.normalized),
            Some(Object::Surface(image)) => (image, false),
            _ => {
                return Err(
                    self.wrong(format!("{handle:#x} is the handle of no texture or surface"))
                );
            }
        };
        Ok(match query {
            Query::Width => image.extent[0],
            Query::Height => image.extent[1],
            Query::Depth => image.extent[2],
            Query::Layers => image.layers,
            Query::Normalized => normalized.into(),
            _ => 1,
        })
    }
}
