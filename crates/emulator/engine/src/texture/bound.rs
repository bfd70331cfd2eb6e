//! What a handle names, looked up once for the lanes of a warp that use it.

use super::object::{Channel, Image, Sampler};
use super::sample::lacking;
use super::srgb;
use crate::guest;
use half::f16;

/// A texture or surface that lanes access, and how it is read.
pub struct Bound<'a> {
    /// The images of its mipmap levels; a surface has one.
    pub levels: &'a [Image],
    /// How a texture is read.
    pub sampler: Sampler,
    /// Where the first texel of level 0 lies, where one allocation holds all of all levels.
    pub host: Option<*mut u8>,
    /// Bytes from there that are the allocation's for sure.
    pub span: u64,
    /// The handle itself names it for every lane: no variable that holds one.
    pub direct: bool,
}

impl Bound<'_> {
    /// The image of level 0.
    pub fn image(&self) -> &Image {
        &self.levels[0]
    }

    /// Where bytes of the image lie on the host, `address` being where a kernel finds them.
    pub fn place(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = address.checked_sub(self.image().address)?;
        let fits = offset <= self.span && bytes <= self.span - offset;
        self.host.filter(|_| fits).map(|host| host.wrapping_add(offset as usize))
    }

    /// The four channels of a texel as registers hold them: bits of floats, or integers.
    ///
    /// # Safety
    /// A texel lies there; who writes it at the same time does so by [`guest`].
    pub unsafe fn channels(&self, texel: *const u8) -> [u32; 4] {
        let format = self.image().texel;
        let bits = u32::from(format.bits);
        let float = format.channel == Channel::Float || self.sampler.as_float;
        let mut out = lacking(float);
        for (i, to) in out.iter_mut().take(format.channels.into()).enumerate() {
            let at = texel.wrapping_add(i * usize::from(format.bits / 8));
            // SAFETY: the texel lies in the image, as this function requires; channels are aligned, since images are.
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
                // The fourth channel, which is not a colour, is linear.
                (Channel::Unsigned, true) if self.sampler.srgb && i < 3 => {
                    srgb::linear(word as u8).to_bits()
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
