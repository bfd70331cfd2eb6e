//! Matrices in shared memory for `tcgen05` (PTX manual, "Shared memory descriptor").
//!
//! The layouts are the ones of `wgmma` ([`crate::instructions::matrix::group::operands`]) and one more; the fields are at other bits.

use crate::instructions::matrix::group::operands::Descriptor;
use crate::instructions::tensor_memory::element::Element;
use lanework_ptx::Swizzle;
use lanework_ptx_ir::opcode::matrix::ElementType;
use lanework_ptx_ir::opcode::tensor_memory::{MultiplyKind, TmemMultiply};

/// Reads a descriptor; `across` is whether M or N is contiguous.
///
/// # Errors
/// If the descriptor is invalid: the reason.
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

/// Shape and types of a product.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InstructionDescriptor {
    /// Rows, summed over both blocks if two take part.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Elements of A.
    pub a: Element,
    /// Elements of B.
    pub b: Element,
    /// Elements of D: f16, f32 or s32.
    pub d: ElementType,
    /// Whether products are negated.
    pub negated: bool,
    /// Whether M or N is contiguous in shared memory, of A and B.
    pub across: [bool; 2],
    /// Whether integer results are clamped.
    pub saturate: bool,
    /// For A and B: which byte of a word of tensor memory holds the first scale factor.
    pub factor_bytes: [usize; 2],
    /// Whether scale factors are powers of two (UE8M0), not UE4M3.
    pub powers: bool,
}

impl InstructionDescriptor {
    /// Decodes an instruction descriptor.
    ///
    /// # Errors
    /// A message, if they do not match the instruction.
    pub fn read(bits: u32, this: &TmemMultiply) -> Result<InstructionDescriptor, String> {
        let field = |at: u32, count: u32| (bits >> at & ((1 << count) - 1)) as usize;
        let bit = |at: u32| field(at, 1) != 0;
        let wrong = |what: String| Err(format!("instruction descriptor {bits:#010x}: {what}"));
        if bit(2) != this.sparse {
            return wrong("its sparsity bit contradicts the instruction".to_owned());
        }
        let scaled = this.kind.is_scaled();
        if bit(6) || !scaled && (bit(23) || bit(29)) || scaled && field(24, 3) != 0 {
            return wrong("a reserved bit is set".to_owned());
        }
        let types = |at: u32| Element::from_number(this.kind, field(at, 3));
        let (Some(a), Some(b)) = (types(7), types(10)) else {
            return wrong(format!(
                "types {} and {} of A and B do not belong to this kind",
                field(7, 3),
                field(10, 3)
            ));
        };
        let d = match (scaled, field(4, 2), this.kind) {
            (true, ..) | (false, 1, MultiplyKind::F16 | MultiplyKind::Tf32) => ElementType::F32,
            (_, 1, MultiplyKind::F8f6f4) => ElementType::F32,
            (_, 0, MultiplyKind::F8f6f4) => ElementType::F16,
            (_, 0, MultiplyKind::F16) if a == Element::F16 && b == Element::F16 => ElementType::F16,
            (_, 2, MultiplyKind::I8) => ElementType::S32,
            (_, other, _) => {
                return wrong(format!("type {other} of D is not valid for these A and B"));
            }
        };
        let found = InstructionDescriptor {
            m: field(24, 5) * 16,
            n: field(17, 6) * 8,
            a,
            b,
            d,
            negated: bit(13) != bit(14),
            across: [bit(15), bit(16)],
            saturate: !scaled && bit(3),
            factor_bytes: [field(29, 2), field(4, 2)],
            powers: bit(23),
        };
        if found.saturate && d != ElementType::S32 {
            return wrong("only integers saturate".to_owned());
        }
        if d == ElementType::S32 && (bit(13) || bit(14)) {
            return wrong("integers are not negated".to_owned());
        }
        for (at, element) in [(0, a), (1, b)] {
            // In A in tensor memory, K is always contiguous.
            let in_tensor_memory = at == 0 && this.a_in_tensor_memory;
            if found.across[at] && (element.bits() < 8 || in_tensor_memory) {
                return wrong(format!("{} cannot be transposed here", ["A", "B"][at]));
            }
        }
        found
            .check_shape(this)
            .map_or_else(wrong, |()| found.check_factors(this).map_or_else(wrong, |()| Ok(found)))
    }

    fn check_shape(&self, this: &TmemMultiply) -> Result<(), String> {
        let (m, n) = (self.m, self.n);
        let scaled = this.kind.is_scaled();
        let rows: &[usize] = match (this.stationary, this.pair, scaled) {
            (true, ..) => &[32, 64, 128],
            (_, false, true) => &[128],
            (_, false, false) => &[64, 128],
            (_, true, true) if this.sparse => &[256],
            (_, true, _) => &[128, 256],
        };
        let integers = this.kind == MultiplyKind::I8;
        let step = if this.pair { 16 } else { 8 };
        let wide = if this.pair { 32 } else { 16 };
        let bytes_across = self.across[1] && self.b.bits() == 8;
        let columns = match () {
            () if this.stationary && this.sparse => n == 64 || n == 128,
            () if this.stationary => [64, 128, 256].contains(&n),
            () if integers && this.pair => n.is_multiple_of(wide),
            () if integers => n <= 32 || n.is_multiple_of(wide),
            () if bytes_across => n.is_multiple_of(wide),
            () => n.is_multiple_of(step),
        };
        if !rows.contains(&m) {
            return Err(format!("M = {m} is not a shape of this instruction (shapes: {rows:?})"));
        }
        if !columns || !(8..=256).contains(&n) {
            return Err(format!("N = {n} is not a shape of this instruction"));
        }
        Ok(())
    }

    fn check_factors(&self, this: &TmemMultiply) -> Result<(), String> {
        if this.factors == 0 {
            return Ok(());
        }
        let fits = |first: &usize| first.is_multiple_of(this.factors) && first + this.factors <= 4;
        if !self.factor_bytes.iter().all(fits) {
            let [a, b] = self.factor_bytes;
            return Err(format!(
                "scale factor ids {a} and {b} do not fit {} factors of a row",
                this.factors
            ));
        }
        // UE4M3 requires one factor per 16 elements.
        if !self.powers && this.factors != 4 {
            return Err("scale factors of UE4M3 are for blocks of 16".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::tensor_memory::descriptor::*;

    #[test]
    fn descriptor_fields_have_the_bits_of_the_manual() {
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

#[cfg(test)]
mod instruction_descriptor_tests {
    use crate::instructions::tensor_memory::descriptor::*;

    fn dense(kind: MultiplyKind) -> TmemMultiply {
        TmemMultiply {
            kind,
            pair: false,
            a_in_tensor_memory: false,
            sparse: false,
            stationary: false,
            factors: 0,
            kept_lanes: 0,
            zero_columns: false,
            halvings: 0,
        }
    }

    #[test]
    fn descriptor_fields_have_the_bits_of_the_manual() {
        let bits = 1 << 4 | 1 << 7 | 1 << 10 | 1 << 16 | (256 / 8) << 17 | (128 / 16) << 24;
        let this = InstructionDescriptor::read(bits, &dense(MultiplyKind::F16)).unwrap();
        assert_eq!((this.m, this.n, this.a, this.d), (128, 256, Element::Bf16, ElementType::F32));
        assert_eq!((this.across, this.negated), ([false, true], false));
    }

    #[test]
    fn invalid_descriptor_fields_are_refused() {
        let good = 1 << 4 | (64 / 8) << 17 | (64 / 16) << 24;
        let read = |bits, this: &TmemMultiply| InstructionDescriptor::read(bits, this);
        let f16 = dense(MultiplyKind::F16);
        assert!(read(good, &f16).is_ok());
        for (bits, why) in [
            (good | 1 << 2, "sparsity"),
            (good | 1 << 6, "reserved"),
            (good | 2 << 7, "types"),
            (good & !(3 << 4) | 2 << 4, "type 2 of D"),
            (good & !(31 << 24) | 6 << 24, "M = 96"),
            (good & !(63 << 17), "N = 0"),
            (good | 1 << 3, "saturate"),
        ] {
            let error = read(bits, &f16).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let pair = TmemMultiply { pair: true, ..f16 };
        assert!(read(good & !(31 << 24) | 16 << 24, &pair).is_ok());
        assert!(read(good & !(31 << 24 | 63 << 17) | 16 << 24 | 3 << 17, &pair).is_err(), "N = 24");
        let stationary = TmemMultiply { stationary: true, ..f16 };
        assert!(read(good & !(31 << 24) | 2 << 24, &stationary).is_ok(), "M = 32");
    }
}
