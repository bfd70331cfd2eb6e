//! Matrices in shared memory as `tcgen05` takes them (PTX manual, "Shared memory descriptor").
//!
//! The layouts are those of `wgmma` ([`crate::matrix::descriptor`]), and one more; the fields stand elsewhere.

use crate::matrix::descriptor::Descriptor;
use lanework_ptx::Swizzle;

/// Reads a descriptor; `across` says that M or N is contiguous.
///
/// # Errors
/// When it is none, in words.
pub fn read(bits: u64, across: bool) -> Result<Descriptor, String> {
    let field = |at: u32| (bits >> at & 0x3fff) << 4;
    let wrong = |what: &str| Err(format!("{bits:#018x} is not a matrix descriptor: {what}"));
    if bits >> 46 & 7 != 1 {
        return wrong("bits 46 to 48 must be 0b001 (a descriptor of `wgmma` has zeros there)");
    }
    if bits >> 53 & 0xff != 0 {
        return wrong("bits 53 to 60 must be 0");
    }
    if bits >> 52 & 1 != 0 {
        return wrong("bit 52 asks for absolute addresses, which only K = 96 of sm_103a has");
    }
    let swizzle = match bits >> 61 {
        0 => Swizzle::None,
        1 => Swizzle::B128By32,
        2 => Swizzle::B128,
        4 => Swizzle::B64,
        6 => Swizzle::B32,
        other => return wrong(&format!("there is no swizzle {other}")),
    };
    if swizzle == Swizzle::B128By32 && !across {
        return wrong(
            "the swizzle of 128 bytes in units of 32 is for matrices that are transposed",
        );
    }
    let base = (bits >> 49 & 7) << 7;
    Ok(Descriptor { start: field(0), leading: field(16), stride: field(32), swizzle, base })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_the_manual_says() {
        let bits = 0x123 | 0x10 << 16 | 0x40u64 << 32 | 1 << 46 | 2 << 61;
        let this = read(bits, false).unwrap();
        assert_eq!((this.start, this.leading, this.stride), (0x1230, 0x100, 0x400));
        assert_eq!((this.swizzle, this.base), (Swizzle::B128, 0));
        assert!(read(bits & !(1 << 46), false).unwrap_err().contains("wgmma"));
        assert!(read(bits & !(7 << 61) | 3 << 61, false).unwrap_err().contains("swizzle 3"));
        assert!(read(bits & !(7 << 61) | 1 << 61, false).is_err());
        assert!(read(bits & !(7 << 61) | 1 << 61, true).is_ok());
    }
}
