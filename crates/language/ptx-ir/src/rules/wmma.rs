//! `wmma`.

use super::access::{resolve, space};
use super::context::Cx;
use super::matrix::{
    accumulates, allow, bit_op, destinations, emit, layout, multiply, numbers, shape, sources,
};
use crate::kernel::Operand;
use crate::lower::unsupported::LoweringResult;
use crate::opcode::matrix::{Fragment, MatrixOp, Multiply, Number, Part};
use lanework_ptx::ScalarType;

const SPACES: &[&str] = &["shared", "shared::cta", "global"];

/// The shapes of `wmma` for elements of a type.
fn wmma_shapes(number: Number) -> &'static [(usize, usize, usize)] {
    match number {
        Number::F16 | Number::Bf16 | Number::S8 | Number::U8 => {
            &[(16, 16, 16), (32, 8, 16), (8, 32, 16)]
        }
        Number::Tf32 => &[(16, 16, 8)],
        Number::F64 => &[(8, 8, 4)],
        Number::S4 | Number::U4 => &[(8, 8, 32)],
        Number::B1 => &[(8, 8, 128)],
        _ => &[],
    }
}

/// `wmma.load`, `wmma.store` and `wmma.mma`.
pub fn wmma(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let known = ["sync", "aligned", "row", "col", "load", "store", "mma", "a", "b", "c", "d", "rn"];
    let more = ["satfinite", "xor", "and", "popc"];
    allow(cx, &[&known, SPACES, &more].concat())?;
    if cx.has("mma") { wmma_multiply(cx) } else { wmma_tile(cx) }
}

/// Registers of a fragment of `wmma`: a and b of f16 have eight in every shape.
fn wmma_registers(fragment: Fragment) -> usize {
    match (fragment.part, fragment.number) {
        (Part::A | Part::B, Number::F16) => 8,
        _ => fragment.registers(),
    }
}

fn wmma_multiply(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let (a, b, c, d) = match numbers(cx)[..] {
        [d, c] => (Number::F16, Number::F16, c, d),
        [d, a, b, c] => (a, b, c, d),
        _ => return Err(cx.unknown("two or four types are expected")),
    };
    let shape = shape(cx)?;
    if !wmma_shapes(a).contains(&(shape.m, shape.n, shape.k)) {
        return Err(cx.unknown("this shape for this type"));
    }
    let registers = |part, number| wmma_registers(Fragment { part, shape, number });
    let counts = [registers(Part::A, a), registers(Part::B, b), registers(Part::C, c)];
    if a.bits() < 8 && layout(cx) != ["row", "col"] {
        return Err(cx.unknown("a layout other than `.row.col`"));
    }
    let mut this = Multiply::new(shape, [a, b, c, d], counts);
    this.saturate = cx.has("satfinite");
    this.bits = bit_op(cx, a)?;
    multiply(cx, this)
}

fn wmma_tile(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let store = cx.has("store");
    let part = match (cx.has("a"), cx.has("b")) {
        (true, false) if !store => Part::A,
        (false, true) if !store => Part::B,
        (false, false) if cx.has(if store { "d" } else { "c" }) => Part::C,
        _ => return Err(cx.unknown("no matrix is named")),
    };
    let shape = shape(cx)?;
    let [number] = numbers(cx)[..] else {
        return Err(cx.unknown("one type is expected"));
    };
    let exists = match part {
        Part::A | Part::B => wmma_shapes(number).contains(&(shape.m, shape.n, shape.k)),
        Part::C => {
            use Number::*;
            [F16, Bf16, Tf32, F64, S8, S4, B1].into_iter().any(|a| {
                accumulates(a, number) && wmma_shapes(a).contains(&(shape.m, shape.n, shape.k))
            })
        }
    };
    if !exists {
        return Err(cx.unknown("this shape for this type"));
    }
    let by_rows = match (cx.has("row"), cx.has("col")) {
        (true, false) => true,
        (false, true) => false,
        _ => return Err(cx.unknown("one of `.row` and `.col` is expected")),
    };
    if number.bits() < 8 && by_rows != (part == Part::A) {
        return Err(
            cx.unknown("A lies by rows and B by columns where elements are less than a byte")
        );
    }
    let fragment = Fragment { part, shape, number };
    let (address, registers) = if store { (0, 1) } else { (1, 0) };
    let (base, offset, named) = cx.address(address)?;
    let space = resolve(space(cx), named);
    let stride = if cx.instruction.operands.len() == 2 {
        // The stride of a matrix that stands alone in memory.
        let (rows, columns) = fragment.extents();
        Operand::Const(if by_rows { columns } else { rows } as u64)
    } else {
        cx.operands(3)?;
        cx.src(2, ScalarType::B32)?
    };
    let (mut src, mut dst) = (vec![base, stride], Vec::new());
    if store {
        src.extend(sources(cx, registers, fragment.registers(), number)?);
    } else {
        dst = destinations(cx, registers, wmma_registers(fragment), number)?;
    }
    let offset = offset as u64;
    emit(cx, MatrixOp::Tile { store, fragment, by_rows, space, offset }, dst, src)
}
