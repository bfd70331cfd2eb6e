//! One lane of a texture instruction: objects by their handles, samples and queries.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::texture::object::{Channel, Image, ImageShape, Object, Sampler};
use crate::instructions::texture::sample;
use crate::instructions::texture::sample::{
    Choice, Level, choose, face, filtered, gathered, has_shape, is_float, lacking, nearest,
    positions, texel,
};
use crate::machine::context::Context;
use crate::memory::guest;
use half::f16;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::texture::{Geometry, TextureQuery};

/// One lane.
pub struct TextureLane<'a> {
    /// The block's context.
    pub context: &'a Context,
    /// The warp's number.
    pub warp: u32,
    /// The lane.
    pub lane: u32,
}

/// A request for a sample.
pub struct Sample {
    /// The shape of the texture.
    pub geometry: Geometry,
    /// Whether coordinates are integers.
    pub fetch: bool,
    /// The words of the coordinates, as PTX writes them.
    pub words: [u32; 4],
    /// The mipmap level.
    pub level: Level,
    /// Offsets in texels.
    pub offset: [i64; 3],
    /// For `tld4`, the component.
    pub gather: Option<u8>,
}

pub(crate) type Checked<T> = Result<T, RawFault>;

pub(crate) fn shape(geometry: Geometry) -> ImageShape {
    match geometry {
        Geometry::Line | Geometry::Lines => ImageShape::Line,
        Geometry::Plane | Geometry::Planes => ImageShape::Plane,
        Geometry::Volume => ImageShape::Volume,
        Geometry::Cube | Geometry::Cubes => ImageShape::Cube,
    }
}

impl<'a> TextureLane<'a> {
    pub(crate) fn wrong(&self, note: String) -> RawFault {
        RawFault::of_lanes(FaultKind::Texture, MemorySpace::Global, 1 << self.lane, note)
    }

    /// The object of a handle, and whether the handle is its own rather than the address of a variable that holds one.
    fn object(&self, handle: u64) -> Option<(&'a Object, bool)> {
        let context: &'a Context = self.context;
        // SAFETY: the launch borrows the memory under its lock until its workers have ended.
        let objects = unsafe { &(*context.memory).objects };
        if let Some(object) = objects.get(handle) {
            return Some((object, true));
        }
        let space = MemorySpace::Generic;
        let aligned = handle.is_multiple_of(8);
        let host = self.context.lane_host(space, self.warp, self.lane, handle, 8);
        let host = host.filter(|_| aligned)?;
        let mut bytes = [0; 8];
        // SAFETY: `lane_host` found eight bytes in memory that the launch keeps allocated.
        unsafe { guest::read_bytes(host, &mut bytes) };
        objects.get(u64::from_le_bytes(bytes)).map(|object| (object, false))
    }

    fn bound(&self, levels: &'a [Image], sampler: Sampler, direct: bool) -> Bound<'a> {
        let first = levels[0].address;
        let end = levels.iter().map(|level| level.address + level.span()).max().unwrap_or(first);
        let span = end - first;
        // SAFETY: the launch borrows the memory under its lock until its workers have ended.
        let host = unsafe { (*self.context.memory).locate(first, span) };
        Bound { levels, sampler, host, span, direct }
    }

    /// The texture of a handle, with another sampler if that sampler's handle is not 0.
    pub fn texture(&self, handle: u64, sampler: u64) -> Checked<Bound<'a>> {
        let (levels, own, direct) = match self.object(handle) {
            Some((Object::Texture(levels, sampler), direct)) => (levels, *sampler, direct),
            Some(_) => {
                return Err(
                    self.wrong(format!("{handle:#x} is a surface or sampler, not a texture"))
                );
            }
            None => return Err(self.wrong(format!("{handle:#x} is not the handle of a texture"))),
        };
        match sampler {
            0 => Ok(self.bound(levels, own, direct)),
            handle => match self.object(handle) {
                // The texture, not the sampler, determines how texels are read.
                Some((Object::Sampler(sampler), own_handle)) => {
                    let normalized = sampler.normalized && own.normalized;
                    let Sampler { as_float, srgb, .. } = own;
                    let sampler = Sampler { as_float, srgb, normalized, ..*sampler };
                    Ok(self.bound(levels, sampler, direct && own_handle))
                }
                _ => Err(self.wrong(format!("{handle:#x} is not the handle of a sampler"))),
            },
        }
    }

    /// The surface of a handle.
    pub fn surface(&self, handle: u64) -> Checked<Bound<'a>> {
        match self.object(handle) {
            Some((Object::Surface(image), direct)) => {
                Ok(self.bound(std::slice::from_ref(image), Sampler::default(), direct))
            }
            Some(_) => {
                Err(self.wrong(format!("{handle:#x} is a texture or sampler, not a surface")))
            }
            None => Err(self.wrong(format!("{handle:#x} is not the handle of a surface"))),
        }
    }

    /// The host address of bytes of an image.
    pub(crate) fn host(&self, bound: &Bound<'_>, address: u64, bytes: u64) -> Checked<*mut u8> {
        if let Some(host) = bound.place(address, bytes) {
            return Ok(host);
        }
        // SAFETY: the launch borrows the memory under its lock until its workers have ended.
        let found = unsafe { (*self.context.memory).locate(address, bytes) };
        found.ok_or_else(|| {
            self.wrong(format!("the memory of the image is gone: {bytes} bytes at {address:#x}"))
        })
    }

    fn layer(image: &Image, word: u32) -> u64 {
        u64::from(word.min(image.layers.max(1) - 1))
    }

    /// The four results of a sample.
    pub fn sample(&self, bound: &Bound<'_>, ask: &Sample) -> Checked<[u32; 4]> {
        let Bound { levels, sampler, .. } = *bound;
        let Sample { geometry, words, level, .. } = *ask;
        let image = bound.image();
        if !has_shape(image, shape(geometry), geometry.is_layered()) {
            return Err(self.wrong(format!(
                "the instruction expects a texture of another shape: it is {:?} with {} layers",
                image.shape, image.layers
            )));
        }
        let at = if geometry.is_layered() {
            [words[1], words[2], words[3]]
        } else {
            [words[0], words[1], words[2]]
        };
        if matches!(level, Level::Gradient(_)) && sampler.mip.anisotropy > 1 {
            return Err(self.wrong(format!(
                "anisotropic filtering ({} samples), which is not emulated; make the texture with an anisotropy of 1",
                sampler.mip.anisotropy
            )));
        }
        let Choice { levels: [low, high], upper } =
            choose(level, at.map(f32::from_bits), levels, &sampler);
        let below = self.sample_level(bound, &levels[low], at, ask)?;
        if upper == 0.0 {
            return Ok(below);
        }
        let above = self.sample_level(bound, &levels[high], at, ask)?;
        Ok(std::array::from_fn(|i| {
            let [below, above] = [below[i], above[i]].map(|word| f64::from(f32::from_bits(word)));
            ((below * (1.0 - upper) + above * upper) as f32).to_bits()
        }))
    }

    /// The four results of a sample of one level, at coordinates without the layer.
    fn sample_level(
        &self,
        bound: &Bound<'_>,
        image: &Image,
        at: [u32; 3],
        ask: &Sample,
    ) -> Checked<[u32; 4]> {
        let sampler = bound.sampler;
        let Sample { geometry, fetch, words, offset, gather, .. } = *ask;
        let mut plane = if geometry.is_layered() { Self::layer(image, words[0]) } else { 0 };
        let axes = geometry.axes();
        let read = |plane: u64, index: Option<[u64; 3]>| -> Checked<[u32; 4]> {
            let Some([x, y, z]) = index else { return Ok(sampler.border) };
            let size = image.texel.bytes();
            let host = self.host(bound, image.at(x * size, y, plane + z), size)?;
            // SAFETY: `host` found the bytes of the texel in one allocation, which the launch keeps allocated; kernels
            // write them by guest accesses.
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
            return read(plane, texel(image, &sampler, place));
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
        let place = positions(image, &plain, coordinates);
        if let Some(component) = gather {
            let mut out = [0; 4];
            for (to, index) in out.iter_mut().zip(gathered(image, &plain, place, offset)) {
                *to = read(plane, index)?[usize::from(component)];
            }
            return Ok(out);
        }
        if !plain.linear || !is_float(image.texel, &plain) {
            return read(plane, nearest(image, &plain, place, offset));
        }
        filtered(image, &plain, place, offset, axes, |index| read(plane, index))
    }

    /// The answer to a query about a mipmap level.
    pub fn ask(&self, handle: u64, query: TextureQuery, level: u64) -> Checked<u32> {
        let object = self.object(handle).map(|(object, _)| object);
        match query {
            TextureQuery::IsTexture => {
                return Ok(matches!(object, Some(Object::Texture(..))).into());
            }
            TextureQuery::IsSampler => return Ok(matches!(object, Some(Object::Sampler(_))).into()),
            TextureQuery::IsSurface => return Ok(matches!(object, Some(Object::Surface(_))).into()),
            _ => {}
        }
        let (levels, normalized) = match object {
            Some(Object::Texture(levels, sampler)) => (&levels[..], sampler.normalized),
            Some(Object::Surface(image)) => (std::slice::from_ref(image), false),
            _ => {
                return Err(
                    self.wrong(format!("{handle:#x} is not the handle of a texture or surface"))
                );
            }
        };
        let Some(image) = usize::try_from(level).ok().and_then(|level| levels.get(level)) else {
            return Err(
                self.wrong(format!("mipmap level {level} of a texture that has {}", levels.len()))
            );
        };
        Ok(match query {
            TextureQuery::Levels => levels.len() as u32,
            TextureQuery::Width => image.extent[0],
            TextureQuery::Height => image.extent[1],
            TextureQuery::Depth => image.extent[2],
            TextureQuery::Layers => image.layers,
            TextureQuery::Normalized => normalized.into(),
            _ => 1,
        })
    }
}

/// A texture or surface that lanes access, and its sampler.
pub struct Bound<'a> {
    /// The images of its mipmap levels; a surface has one.
    pub levels: &'a [Image],
    /// The sampler of a texture.
    pub sampler: Sampler,
    /// Host address of level 0's first texel, if one allocation holds all levels.
    pub host: Option<*mut u8>,
    /// Bytes from there on that certainly belong to the allocation.
    pub span: u64,
    /// Whether the handle names the object directly for every lane, rather than through a variable that holds it.
    pub direct: bool,
}

impl Bound<'_> {
    /// The image of level 0.
    pub fn image(&self) -> &Image {
        &self.levels[0]
    }

    /// The host address of the image's bytes at guest address `address`.
    pub fn place(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = address.checked_sub(self.image().address)?;
        let fits = offset <= self.span && bytes <= self.span - offset;
        self.host.filter(|_| fits).map(|host| host.wrapping_add(offset as usize))
    }

    /// The four channels of a texel as registers hold them: bits of floats, or integers.
    ///
    /// # Safety
    /// The pointer is valid for a texel; concurrent writes to it go through [`guest`].
    pub unsafe fn channels(&self, texel: *const u8) -> [u32; 4] {
        let format = self.image().texel;
        let bits = u32::from(format.bits);
        let float = format.channel == Channel::Float || self.sampler.as_float;
        let mut out = lacking(float);
        for (i, to) in out.iter_mut().take(format.channels.into()).enumerate() {
            let at = texel.wrapping_add(i * usize::from(format.bits / 8));
            // SAFETY: the texel is in the image, as this function requires; channels are aligned, since images are.
            let word: u32 = unsafe {
                match bits {
                    8 => guest::load::<u8>(at).into(),
                    16 => guest::load(at.cast::<u16>()).into(),
                    _ => guest::load(at.cast::<u32>()),
                }
            };
            let spare = 32 - bits;
            let signed = (word << spare) as i32 >> spare;
            let most = |bits: u32| ((1u64 << bits) - 1) as f32;
            *to = match (format.channel, self.sampler.as_float) {
                (Channel::Float, _) if bits == 16 => f16::from_bits(word as u16).to_f32().to_bits(),
                (Channel::Float, _) => word,
                // The fourth channel, which is not a color, is linear.
                (Channel::Unsigned, true) if self.sampler.srgb && i < 3 => {
                    sample::linear(word as u8).to_bits()
                }
                (Channel::Unsigned, true) => (word as f32 / most(bits)).to_bits(),
                (Channel::Signed, true) => (signed as f32 / most(bits - 1)).max(-1.0).to_bits(),
                (Channel::Unsigned, false) => word,
                (Channel::Signed, false) => signed as u32,
            };
        }
        out
    }
}
