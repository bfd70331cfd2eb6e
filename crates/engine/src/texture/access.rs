//! One lane of a texture or surface instruction.

use super::object::{Image, ImageShape, Object, Sampler};
use super::sample::{
    around, channels, face, gathered, has_shape, is_float, mean, nearest, positions, texel,
};
use crate::alu::atomic::{combine, replace};
use crate::fault::{FaultKind, RawFault};
use crate::guest;
use crate::machine::Context;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::atomic::AtomicOp;
use lanework_ptx_ir::opcode::texture::{Geometry, Outside, Query, Surface};

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

type Done<T> = Result<T, RawFault>;

fn shape(geometry: Geometry) -> ImageShape {
    match geometry {
        Geometry::Line | Geometry::Lines => ImageShape::Line,
        Geometry::Plane | Geometry::Planes => ImageShape::Plane,
        Geometry::Volume => ImageShape::Volume,
        Geometry::Cube | Geometry::Cubes => ImageShape::Cube,
    }
}

impl Lane<'_> {
    fn wrong(&self, note: String) -> RawFault {
        RawFault::of_lanes(FaultKind::Texture, MemorySpace::Global, 1 << self.lane, note)
    }

    /// The object of a handle, or of the variable at an address that holds one.
    fn object(&self, handle: u64) -> Option<Object> {
        // SAFETY: the launch holds the memory's lock while blocks run.
        let objects = unsafe { &(*self.context.memory).objects };
        if let Some(object) = objects.get(handle) {
            return Some(*object);
        }
        let space = MemorySpace::Generic;
        let aligned = handle.is_multiple_of(8);
        let host = self.context.lane_host(space, self.warp, self.lane, handle, 8);
        let host = host.filter(|_| aligned)?;
        let mut bytes = [0; 8];
        // SAFETY: eight bytes are there, as was just checked.
        unsafe { guest::read_bytes(host, &mut bytes) };
        objects.get(u64::from_le_bytes(bytes)).copied()
    }

    fn texture(&self, handle: u64, sampler: u64) -> Done<(Image, Sampler)> {
        let (image, own) = match self.object(handle) {
            Some(Object::Texture(image, sampler)) => (image, sampler),
            Some(_) => {
                return Err(
                    self.wrong(format!("{handle:#x} is no texture, but a surface or sampler"))
                );
            }
            None => return Err(self.wrong(format!("{handle:#x} is the handle of no texture"))),
        };
        match sampler {
            0 => Ok((image, own)),
            handle => match self.object(handle) {
                // How texels are read is the texture's.
                Some(Object::Sampler(sampler)) => {
                    let normalized = sampler.normalized && own.normalized;
                    Ok((image, Sampler { as_float: own.as_float, normalized, ..sampler }))
                }
                _ => Err(self.wrong(format!("{handle:#x} is the handle of no sampler"))),
            },
        }
    }

    fn surface(&self, handle: u64) -> Done<Image> {
        match self.object(handle) {
            Some(Object::Surface(image)) => Ok(image),
            Some(_) => {
                Err(self.wrong(format!("{handle:#x} is no surface, but a texture or sampler")))
            }
            None => Err(self.wrong(format!("{handle:#x} is the handle of no surface"))),
        }
    }

    fn host(&self, address: u64, bytes: u64) -> Done<*mut u8> {
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
    pub fn sample(&self, handle: u64, sampler: u64, ask: &Sample) -> Done<[u32; 4]> {
        let (image, sampler) = self.texture(handle, sampler)?;
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
            let Some([x, y, z]) = index else { return Ok([0; 4]) };
            let size = image.texel.bytes();
            let mut bytes = [0; 16];
            let host = self.host(image.at(x * size, y, plane + z), size)?;
            // SAFETY: so many bytes are there, as was just checked.
            unsafe { guest::read_bytes(host, &mut bytes[..size as usize]) };
            Ok(channels(&bytes[..size as usize], image.texel, &sampler))
        };
        let used = |d: usize, value: i64| if d < axes { value } else { 0 };
        if image.shape == ImageShape::Buffer {
            let x = at[0] as i32 as i64 + offset[0];
            if !fetch {
                return Err(
                    self.wrong("linear memory is fetched by integer coordinates".to_owned())
                );
            }
            let inside = (0..i64::from(image.extent[0])).contains(&x);
            return read(0, inside.then_some([x as u64, 0, 0]));
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
        let mut texels = Vec::with_capacity(8);
        for (index, weight) in around(&image, &plain, place, offset, axes) {
            texels.push((read(plane, index)?, weight));
        }
        Ok(mean(texels.into_iter()))
    }

    /// The address of a place in a surface; `None` where it is dropped.
    fn place(&self, image: &Image, surface: Surface, words: [u32; 4]) -> Done<Option<u64>> {
        let geometry = surface.geometry;
        if !has_shape(image, shape(geometry), geometry.is_layered()) {
            return Err(self.wrong(format!(
                "the instruction takes the surface for another shape: it is {:?} with {} layers",
                image.shape, image.layers
            )));
        }
        let bytes = i64::from(surface.bytes) * i64::from(surface.count);
        let scale = if surface.texels { image.texel.bytes() as i64 } else { 1 };
        let at: [i64; 3] = std::array::from_fn(|d| {
            let word = words[d + usize::from(geometry.is_layered())];
            if d < geometry.axes() { i64::from(word as i32) } else { 0 }
        });
        let layer = if geometry.is_layered() { i64::from(words[0]) } else { 0 };
        let x = at[0] * scale;
        if x % bytes != 0 {
            return Err(self
                .wrong(format!("misaligned surface access: {bytes} bytes at byte {x} of a row")));
        }
        let [_, height, depth] = image.extent.map(i64::from);
        let most = [
            image.row_bytes() as i64 - bytes,
            height - 1,
            depth - 1,
            i64::from(image.layers.max(1)) - 1,
        ];
        let mut place = [x, at[1], at[2], layer];
        let outside = place.iter().zip(most).any(|(at, most)| !(0..=most).contains(at));
        if outside {
            match surface.outside {
                Outside::Zero => return Ok(None),
                Outside::Clamp if most[0] >= 0 => {
                    for (at, most) in place.iter_mut().zip(most) {
                        *at = (*at).clamp(0, most);
                    }
                }
                _ => {
                    return Err(self.wrong(format!(
                        "access outside a surface: {bytes} bytes at byte {x} of row {}, plane {}; it has {} bytes, {height} rows and {} planes",
                        at[1],
                        at[2].max(layer),
                        image.row_bytes(),
                        depth.max(i64::from(image.layers)),
                    )));
                }
            }
        }
        let [x, y, z, layer] = place.map(|at| at as u64);
        Ok(Some(image.at(x, y, z + layer)))
    }

    /// The elements of a load.
    pub fn load(&self, handle: u64, surface: Surface, words: [u32; 4]) -> Done<[u64; 4]> {
        let image = self.surface(handle)?;
        let mut out = [0; 4];
        let Some(address) = self.place(&image, surface, words)? else { return Ok(out) };
        let size = usize::from(surface.bytes);
        let mut bytes = [0; 32];
        let bytes = &mut bytes[..size * usize::from(surface.count)];
        let host = self.host(address, bytes.len() as u64)?;
        // SAFETY: so many bytes are there, as was just checked.
        unsafe { guest::read_bytes(host, bytes) };
        for (to, from) in out.iter_mut().zip(bytes.chunks_exact(size)) {
            let mut word = [0; 8];
            word[..size].copy_from_slice(from);
            *to = u64::from_le_bytes(word);
        }
        Ok(out)
    }

    /// Stores elements.
    pub fn store(
        &self,
        handle: u64,
        surface: Surface,
        words: [u32; 4],
        data: [u64; 4],
    ) -> Done<()> {
        let image = self.surface(handle)?;
        let mut surface = surface;
        if surface.texels {
            // A formatted store writes the channels that the format has.
            if image.texel.bits != 32 {
                return Err(
                    self.wrong("a formatted store to channels of other than 32 bits".to_owned())
                );
            }
            surface.count = surface.count.min(image.texel.channels);
            if surface.count < image.texel.channels {
                return Err(self
                    .wrong("a formatted store of fewer channels than the format has".to_owned()));
            }
        }
        let Some(address) = self.place(&image, surface, words)? else { return Ok(()) };
        let size = usize::from(surface.bytes);
        let mut bytes = Vec::with_capacity(32);
        for word in &data[..usize::from(surface.count)] {
            bytes.extend_from_slice(&word.to_le_bytes()[..size]);
        }
        let host = self.host(address, bytes.len() as u64)?;
        // SAFETY: so many bytes are there, as was just checked.
        unsafe { guest::write_bytes(host, &bytes) };
        self.written(address, bytes.len() as u64);
        Ok(())
    }

    /// Combines a value with what is there.
    pub fn reduce(
        &self,
        handle: u64,
        surface: Surface,
        op: AtomicOp,
        words: [u32; 4],
        value: u64,
    ) -> Done<()> {
        let image = self.surface(handle)?;
        let Some(address) = self.place(&image, surface, words)? else { return Ok(()) };
        let host = self.host(address, u64::from(surface.bytes))?;
        let combine = combine(op);
        // SAFETY: so many bytes are there, aligned to their number, as was just checked.
        unsafe { replace(host, surface.bytes, |there| combine(there, value, 0)) };
        self.written(address, u64::from(surface.bytes));
        Ok(())
    }

    /// Notes that bytes are initialised, where that is followed.
    fn written(&self, address: u64, bytes: u64) {
        // SAFETY: the launch holds the memory's lock while blocks run.
        let found = unsafe { (*self.context.memory).find(address) };
        if let Some((start, allocation)) = found
            && let Some(written) = &allocation.written
        {
            written.set(address - start, bytes);
        }
    }

    /// The answer to a question.
    pub fn ask(&self, handle: u64, query: Query) -> Done<u32> {
        let object = self.object(handle);
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
