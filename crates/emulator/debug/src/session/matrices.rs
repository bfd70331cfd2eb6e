//! Tensor-core fragments: the matrices that registers of a warp, or of a warpgroup, form at an instruction (PTX manual,
//! "Matrix Fragments for mma"; for `wgmma`, each warp holds 16 rows).

use crate::data::types::{DataType, FloatKind, NumericValue, number};
use crate::session::Session;
use crate::timeline::WarpState;
use lanework_ptx_ir::kernel::{Inst, Opcode, Operand};
use lanework_ptx_ir::opcode::matrix::{
    ElementType, Fragment, GroupMultiply, MatrixOp, MatrixOperand, Multiply, Shape,
};

/// A matrix in registers.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterMatrix {
    /// Its name in the manual: A, B, C or D.
    pub name: &'static str,
    /// The type of its elements.
    pub element: ElementType,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// The elements, row by row; `None` for those of a warp that has ended.
    pub values: Vec<Option<NumericValue>>,
}

/// The matrices of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionMatrices {
    /// The instruction.
    pub instruction: u32,
    /// Its matrices in registers.
    pub matrices: Vec<RegisterMatrix>,
    /// Which other matrices it has, in shared memory.
    pub elsewhere: Vec<&'static str>,
}

/// The name of an element type.
pub fn element_name(element: ElementType) -> &'static str {
    match element {
        ElementType::F16 => "f16",
        ElementType::Bf16 => "bf16",
        ElementType::Tf32 => "tf32",
        ElementType::E4m3 => "e4m3",
        ElementType::E5m2 => "e5m2",
        ElementType::F32 => "f32",
        ElementType::F64 => "f64",
        ElementType::S8 => "s8",
        ElementType::U8 => "u8",
        ElementType::S4 => "s4",
        ElementType::U4 => "u4",
        ElementType::B1 => "b1",
        ElementType::S32 => "s32",
    }
}

/// Decodes an element from its bits.
fn decode(element: ElementType, bits: u64) -> NumericValue {
    let float = |kind, bits: u64| {
        let found = number(&DataType::Float(kind), &bits.to_le_bytes());
        found.unwrap_or(NumericValue::Integer(bits.into()))
    };
    let signed = |width: u32| {
        let shift = 64 - width;
        NumericValue::Integer(((bits << shift) as i64 >> shift).into())
    };
    match element {
        ElementType::F16 => float(FloatKind::F16, bits),
        ElementType::Bf16 => float(FloatKind::BF16, bits),
        ElementType::Tf32 => float(FloatKind::F32, bits & !0x1fff),
        ElementType::F32 => float(FloatKind::F32, bits),
        ElementType::F64 => float(FloatKind::F64, bits),
        // The upper half of an f16.
        ElementType::E5m2 => float(FloatKind::F16, bits << 8),
        ElementType::E4m3 => {
            let sign = if bits & 0x80 != 0 { -1.0 } else { 1.0 };
            let (exponent, fraction) = ((bits >> 3 & 0xf) as i32, (bits & 7) as f64);
            NumericValue::Float(match (exponent, bits & 0x7f) {
                (_, 0x7f) => f64::NAN,
                (0, _) => sign * fraction * 2f64.powi(-9),
                _ => sign * (1.0 + fraction / 8.0) * 2f64.powi(exponent - 7),
            })
        }
        ElementType::S8 => signed(8),
        ElementType::S4 => signed(4),
        ElementType::S32 => signed(32),
        ElementType::U8 | ElementType::U4 | ElementType::B1 => NumericValue::Integer(bits.into()),
    }
}

/// The matrix of a fragment; for a warpgroup, the fragments of its warps, one below the other.
fn matrix(
    name: &'static str,
    fragment: Fragment,
    warps: &[&WarpState],
    operands: &[Operand],
) -> RegisterMatrix {
    let (rows, columns) = fragment.extents();
    let mut values = vec![None; rows * columns * warps.len()];
    let bits = fragment.number.bits();
    let per_register = fragment.number.per_register();
    for (band, warp) in warps.iter().enumerate() {
        for (lane, i) in (0..32 * fragment.elements()).map(|at| (at % 32, at / 32)) {
            let Some(operand) = operands.get(i / per_register) else { continue };
            let word = match operand {
                Operand::Reg(register) => {
                    let lanes = warp.registers.get(*register as usize).and_then(Option::as_ref);
                    lanes.map(|lanes| lanes[lane])
                }
                Operand::Const(value) => Some(*value),
                Operand::Truth(_) | Operand::DynamicShared(_) => None,
            };
            let (row, column) = fragment.place(lane, i);
            let place = values.get_mut((band * rows + row) * columns + column);
            if let (Some(word), Some(place)) = (word, place) {
                let own = word >> (i % per_register * bits) & (u64::MAX >> (64 - bits));
                *place = Some(decode(fragment.number, own));
            }
        }
    }
    RegisterMatrix { name, element: fragment.number, rows: rows * warps.len(), columns, values }
}

/// The destinations as operands.
fn destinations(inst: &Inst) -> Vec<Operand> {
    inst.dst.iter().map(|dst| dst.map_or(Operand::Truth(false), Operand::Reg)).collect()
}

/// The matrices of a product of one warp.
fn of_product(
    this: &Multiply,
    inst: &Inst,
    warp: &WarpState,
) -> Result<Vec<RegisterMatrix>, String> {
    if this.quads.is_some() {
        return Err("the layout of m8n8k4 in f16 is not supported; `lanes %r1` prints a register"
            .to_owned());
    }
    let [a, b, c] = this.registers;
    let operands = |from: usize, count: usize| inst.src.get(from..from + count).unwrap_or(&[]);
    let stored = if this.sparse.is_some() { this.shape.k / 2 } else { this.shape.k };
    let fragment = |part, k, number| Fragment { part, shape: Shape { k, ..this.shape }, number };
    let k = this.shape.k;
    let of_a = fragment(MatrixOperand::A, stored, this.a);
    let of_b = fragment(MatrixOperand::B, k, this.b);
    Ok(vec![
        matrix("A", of_a, &[warp], operands(0, a)),
        matrix("B", of_b, &[warp], operands(a, b)),
        matrix("C", fragment(MatrixOperand::C, k, this.c), &[warp], operands(a + b, c)),
        matrix("D", fragment(MatrixOperand::C, k, this.d), &[warp], &destinations(inst)),
    ])
}

/// The matrices of a product of a warpgroup.
fn of_group(this: &GroupMultiply, inst: &Inst, warps: &[&WarpState]) -> Vec<RegisterMatrix> {
    let stored = if this.sparse.is_some() { this.k / 2 } else { this.k };
    let shape = |k| Shape { m: 16, n: this.n, k };
    let a = Fragment { part: MatrixOperand::A, shape: shape(stored), number: this.a };
    let d = Fragment { part: MatrixOperand::C, shape: shape(this.k), number: this.d };
    // The sources start with the descriptor of B and the predicate.
    let of_a = this.registers.then(|| inst.src.get(2..6)).flatten();
    let of_a = of_a.map(|operands| matrix("A", a, warps, operands));
    of_a.into_iter().chain([matrix("D", d, warps, &destinations(inst))]).collect()
}

/// The matrix of `wmma.load` or `wmma.store`, or the 8x8 matrices of `ldmatrix` and `stmatrix`.
fn of_rows(operands: &[Operand], fragment: Fragment, warp: &WarpState) -> RegisterMatrix {
    let name = match fragment.part {
        MatrixOperand::A => "A",
        MatrixOperand::B => "B",
        MatrixOperand::C => "C",
    };
    matrix(name, fragment, &[warp], operands)
}

impl Session<'_> {
    /// The matrices of the current thread's instruction, or of the next instruction on matrices after it in the code.
    ///
    /// # Errors
    /// If the launch has ended, or there is no such instruction.
    pub fn matrices(&self) -> Result<InstructionMatrices, String> {
        let place = self.place();
        let moment = self.moment().ok_or("the launch has ended; go back with `rcontinue`")?;
        let block = moment.block(place.block);
        let block = block.ok_or("the thread's block is not in the stopped cluster")?;
        let insts = self.scope().kernel.insts.iter();
        let of_matrices = insts.filter_map(|inst| match inst.opcode {
            Opcode::Matrix(op) if inst.origin >= place.instruction => Some((inst, op)),
            _ => None,
        });
        let (inst, op) = of_matrices.min_by_key(|(inst, _)| inst.origin).ok_or(
            "no instruction from here on works on matrices (mma, wmma, wgmma, ldmatrix, stmatrix)",
        )?;
        let warp = (place.thread / 32) as usize;
        let own = block.warps.get(warp).ok_or("the warp does not exist")?;
        let (mut matrices, mut elsewhere) = (Vec::new(), Vec::new());
        match op {
            MatrixOp::Multiply(this) => matrices = of_product(&this, inst, own)?,
            MatrixOp::Group(this) => {
                let group = block.warps.iter().skip(warp / 4 * 4).take(4);
                matrices = of_group(&this, inst, &group.collect::<Vec<_>>());
                elsewhere = if this.registers { vec!["B"] } else { vec!["A", "B"] };
            }
            MatrixOp::Tile { store, fragment, .. } => {
                let operands = if store { inst.src[2..].to_vec() } else { destinations(inst) };
                matrices.push(of_rows(&operands, fragment, own));
            }
            MatrixOp::Rows { store, count, .. } => {
                let operands = if store { inst.src[1..].to_vec() } else { destinations(inst) };
                let shape = Shape { m: 8, n: 8, k: 8 };
                let number = ElementType::F16;
                let fragment = Fragment { part: MatrixOperand::A, shape, number };
                matrices = (0..count)
                    .map(|at| of_rows(operands.get(at..=at).unwrap_or(&[]), fragment, own))
                    .collect();
            }
            MatrixOp::Transpose => {
                let shape = Shape { m: 8, n: 8, k: 8 };
                let number = ElementType::F16;
                let fragment = Fragment { part: MatrixOperand::A, shape, number };
                matrices.push(of_rows(&inst.src, fragment, own));
            }
        }
        Ok(InstructionMatrices { instruction: inst.origin, matrices, elsewhere })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_floats_have_their_values() {
        let value = |element, bits| decode(element, bits).float();
        assert_eq!(value(ElementType::E4m3, 0x38), 1.0);
        assert_eq!(value(ElementType::E4m3, 0x7e), 448.0);
        assert_eq!(value(ElementType::E4m3, 0x81), -(2f64.powi(-9)));
        assert!(value(ElementType::E4m3, 0xff).is_nan());
        assert_eq!(value(ElementType::E5m2, 0x3c), 1.0);
        assert_eq!(value(ElementType::E5m2, 0x7b), 57344.0);
        assert_eq!(value(ElementType::S4, 0xf), -1.0);
        assert_eq!(value(ElementType::U4, 0xf), 15.0);
        assert_eq!(value(ElementType::Tf32, 0x3f80_1fff), 1.0);
    }
}
