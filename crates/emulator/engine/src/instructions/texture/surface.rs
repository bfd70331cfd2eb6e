//! One lane of a surface instruction (PTX manual, "Surface Instructions"): places, loads, stores, reductions.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::alu::atomic::{combine, replace};
use crate::instructions::texture::access::{Bound, Checked, TextureLane, shape};
use crate::instructions::texture::object::Image;
use crate::instructions::texture::sample::has_shape;
use crate::memory::guest;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::memory::AtomicOp;
use lanework_ptx_ir::opcode::texture::{OutOfBounds, SurfaceAccess};

impl TextureLane<'_> {
    /// The address of a position in a surface; `None` if the access is dropped.
    fn place(
        &self,
        image: &Image,
        surface: SurfaceAccess,
        words: [u32; 4],
    ) -> Checked<Option<u64>> {
        let geometry = surface.geometry;
        if !has_shape(image, shape(geometry), geometry.is_layered()) {
            return Err(self.wrong(format!(
                "the instruction expects a surface of another shape: it is {:?} with {} layers",
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
                OutOfBounds::Zero => return Ok(None),
                OutOfBounds::Clamp if most[0] >= 0 => {
                    for (at, most) in place.iter_mut().zip(most) {
                        *at = (*at).clamp(0, most);
                    }
                }
                _ => {
                    let note = format!(
                        "access outside a surface: {bytes} bytes at byte {x} of row {}, plane {}; it has {} bytes, {height} rows and {} planes",
                        at[1],
                        at[2].max(layer),
                        image.row_bytes(),
                        depth.max(i64::from(image.layers)),
                    );
                    let (kind, space) = (FaultKind::SurfacePlace, MemorySpace::Global);
                    return Err(RawFault::of_lanes(kind, space, 1 << self.lane, note));
                }
            }
        }
        let [x, y, z, layer] = place.map(|at| at as u64);
        Ok(Some(image.at(x, y, z + layer)))
    }

    /// The elements of a load.
    pub fn load(
        &self,
        bound: &Bound<'_>,
        surface: SurfaceAccess,
        words: [u32; 4],
    ) -> Checked<[u64; 4]> {
        let mut out = [0; 4];
        let Some(address) = self.place(bound.image(), surface, words)? else { return Ok(out) };
        let size = usize::from(surface.bytes);
        let mut bytes = [0; 32];
        let bytes = &mut bytes[..size * usize::from(surface.count)];
        let host = self.host(bound, address, bytes.len() as u64)?;
        // SAFETY: `host` found this many bytes in one allocation, which the launch keeps allocated.
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
        bound: &Bound<'_>,
        surface: SurfaceAccess,
        words: [u32; 4],
        data: [u64; 4],
    ) -> Checked<()> {
        let mut surface = surface;
        if surface.texels {
            // A formatted store writes only the channels of the format.
            let image = bound.image();
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
        let Some(address) = self.place(bound.image(), surface, words)? else { return Ok(()) };
        let size = usize::from(surface.bytes);
        let mut bytes = [0; 32];
        let bytes = &mut bytes[..size * usize::from(surface.count)];
        for (to, word) in bytes.chunks_exact_mut(size).zip(data) {
            to.copy_from_slice(&word.to_le_bytes()[..size]);
        }
        let host = self.host(bound, address, bytes.len() as u64)?;
        // SAFETY: `host` found this many bytes in one allocation, which the launch keeps allocated.
        unsafe { guest::write_bytes(host, bytes) };
        self.written(address, bytes.len() as u64);
        Ok(())
    }

    /// Combines a value with the old contents.
    pub fn reduce(
        &self,
        bound: &Bound<'_>,
        surface: SurfaceAccess,
        op: AtomicOp,
        words: [u32; 4],
        value: u64,
    ) -> Checked<()> {
        let Some(address) = self.place(bound.image(), surface, words)? else { return Ok(()) };
        let bytes = u64::from(surface.bytes);
        // An image of small texels may start anywhere, and its rows end anywhere.
        if !address.is_multiple_of(bytes) {
            return Err(
                self.wrong(format!("misaligned surface reduction: {bytes} bytes at {address:#x}"))
            );
        }
        let host = self.host(bound, address, bytes)?;
        let combine = combine(op);
        // SAFETY: `host` found the bytes in one allocation, which the launch keeps allocated. The address is a multiple of
        // their number, and so is the host's, as allocations start at multiples of 256 or have the host's own addresses.
        unsafe { replace(host, surface.bytes, |there| combine(there, value, 0)) };
        self.written(address, u64::from(surface.bytes));
        Ok(())
    }

    /// Marks bytes as initialized, if that is tracked.
    fn written(&self, address: u64, bytes: u64) {
        // SAFETY: the launch borrows the memory under its lock until its workers have ended.
        let found = unsafe { (*self.context.memory).find(address) };
        if let Some((start, allocation)) = found
            && let Some(written) = &allocation.written
        {
            written.set(address - start, bytes);
        }
    }
}
