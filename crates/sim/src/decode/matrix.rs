//! `ldmatrix`, `stmatrix`, `mma` and `wmma`.

use super::Cx;
use super::memory::{elements, resolve, space};
use crate::ir::{Action, Reg, Src};
use crate::lower::Rule;
use crate::matrix::ops::{Fragment, MatrixOp, Multiply, Number, Part, Shape};
use lanework_ptx::ScalarType;

/// The type of the registers that hold a fragment.
fn register_type(number: Number) -> ScalarType {
    if number == Number::F64 { ScalarType::B64 } else { ScalarType::B32 }
}

/// Operand `i` as `count` sources.
fn sources(cx: &mut Cx<'_, '_>, i: usize, count: usize, number: Number) -> Rule<Vec<Src>> {
    let ty = match number {
        // Literal operands of accumulators are floats.
        Number::F32 => ScalarType::F32,
        Number::F64 => ScalarType::F64,
        _ => register_type(number),
    };
    let operands = elements(cx, i, count as u8)?;
    operands.iter().map(|operand| cx.source(operand, ty)).collect()
}

/// Operand `i` as `count` destinations.
fn destinations(
    cx: &mut Cx<'_, '_>,
    i: usize,
    count: usize,
    number: Number,
) -> Rule<Vec<Option<Reg>>> {
    let mut dst = Vec::new();
    for operand in elements(cx, i, count as u8)? {
        let register = cx.destination(&operand)?;
        if let Some(register) = register {
            cx.check_width(register, register_type(number))?;
        }
        dst.push(register);
    }
    Ok(dst)
}

fn emit(cx: &mut Cx<'_, '_>, op: MatrixOp, dst: Vec<Option<Reg>>, src: Vec<Src>) -> Rule {
    let guard = cx.guard;
    cx.lowering.emit(Action::Matrix(op), dst, src, guard);
    Ok(())
}

/// `ldmatrix`.
pub fn ldmatrix(cx: &mut Cx<'_, '_>) -> Rule {
    rows(cx, false)
}

/// `stmatrix`.
pub fn stmatrix(cx: &mut Cx<'_, '_>) -> Rule {
    rows(cx, true)
}

const SPACES: &[&str] = &["shared", "shared::cta", "global"];

fn rows(cx: &mut Cx<'_, '_>, store: bool) -> Rule {
    let known = ["sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta"];
    cx.allow(&known)?;
    cx.operands(2)?;
    if !cx.has("m8n8") || cx.ty()? != ScalarType::B16 {
        return Err(cx.unknown("a shape other than `.m8n8` or a type other than `.b16`"));
    }
    let count = [("x1", 1), ("x2", 2), ("x4", 4)].into_iter().find(|(name, _)| cx.has(name));
    let (_, count) = count.ok_or_else(|| cx.unknown("`.x1`, `.x2` or `.x4` is missing"))?;
    let (address, registers) = if store { (0, 1) } else { (1, 0) };
    let (base, offset, named) = cx.address(address)?;
    let space = resolve(space(cx), named);
    let transposed = cx.has("trans");
    let op = MatrixOp::Rows { store, count, transposed, space, offset: offset as u64 };
    let (mut src, mut dst) = (vec![base], Vec::new());
    if store {
        src.extend(sources(cx, registers, count, Number::F16)?);
    } else {
        dst = destinations(cx, registers, count, Number::F16)?;
    }
    emit(cx, op, dst, src)
}

/// The types among the modifiers, in order.
fn numbers(cx: &Cx<'_, '_>) -> Vec<Number> {
    cx.instruction.modifiers.iter().filter_map(|m| Number::from_name(m)).collect()
}

/// The shape among the modifiers.
fn shape(cx: &Cx<'_, '_>) -> Rule<Shape> {
    let shape = cx.instruction.modifiers.iter().find_map(|m| Shape::from_name(m));
    shape.ok_or_else(|| cx.unknown("a shape is missing"))
}

/// Refuses modifiers that are neither in `known`, nor types, nor shapes.
fn allow(cx: &Cx<'_, '_>, known: &[&str]) -> Rule {
    let rest = cx.instruction.modifiers.iter();
    let rest = rest.filter(|m| Number::from_name(m).is_some() || Shape::from_name(m).is_some());
    let more: Vec<&str> = known.iter().copied().chain(rest.map(String::as_str)).collect();
    cx.allow(&more)
}

/// The shapes of `mma.sync` for elements of a type.
fn mma_shapes(number: Number) -> &'static [(usize, usize, usize)] {
    match number {
        Number::F16 | Number::Bf16 => &[(16, 8, 8), (16, 8, 16)],
        Number::Tf32 => &[(16, 8, 4), (16, 8, 8)],
        Number::F64 => &[(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)],
        Number::S8 | Number::U8 => &[(8, 8, 16), (16, 8, 16), (16, 8, 32)],
        Number::S4 | Number::U4 => &[(8, 8, 32), (16, 8, 32), (16, 8, 64)],
        Number::F32 | Number::S32 => &[],
    }
}

/// The shapes of `wmma` for elements of a type.
fn wmma_shapes(number: Number) -> &'static [(usize, usize, usize)] {
    match number {
        Number::F16 | Number::Bf16 | Number::S8 | Number::U8 => {
            &[(16, 16, 16), (32, 8, 16), (8, 32, 16)]
        }
        Number::Tf32 => &[(16, 16, 8)],
        Number::F64 => &[(8, 8, 4)],
        _ => &[],
    }
}

/// Whether accumulators may have a type, by the type of A.
fn accumulates(a: Number, c: Number) -> bool {
    match a {
        Number::F16 => matches!(c, Number::F16 | Number::F32),
        Number::Bf16 | Number::Tf32 => c == Number::F32,
        Number::F64 => c == Number::F64,
        _ => c == Number::S32,
    }
}

fn is_integer(number: Number) -> bool {
    matches!(number, Number::S8 | Number::U8 | Number::S4 | Number::U4)
}

/// `mma`.
pub fn mma(cx: &mut Cx<'_, '_>) -> Rule {
    allow(cx, &["sync", "aligned", "row", "col", "satfinite"])?;
    // Written once each, `.row.col` is the only layout of these shapes.
    let layout: Vec<&String> =
        cx.instruction.modifiers.iter().filter(|m| *m == "row" || *m == "col").collect();
    if layout != ["row", "col"] {
        return Err(cx.unknown("a layout other than `.row.col`"));
    }
    let [d, a, b, c] = numbers(cx)[..] else {
        return Err(cx.unknown("four types are expected"));
    };
    let shape = shape(cx)?;
    if !mma_shapes(a).contains(&(shape.m, shape.n, shape.k)) {
        return Err(cx.unknown("this shape for this type"));
    }
    if d != c {
        return Err(cx.unknown("an accumulator of another type than the result"));
    }
    let registers = |part, number| Fragment { part, shape, number }.registers();
    let counts = [registers(Part::A, a), registers(Part::B, b), registers(Part::C, c)];
    let saturate = cx.has("satfinite");
    multiply(cx, Multiply { shape, a, b, c, d, saturate, registers: counts })
}

fn multiply(cx: &mut Cx<'_, '_>, this: Multiply) -> Rule {
    let Multiply { shape, a, b, c, d, saturate, registers } = this;
    let alike = a == b || (is_integer(a) && is_integer(b) && a.bits() == b.bits());
    if !alike || !accumulates(a, c) || !accumulates(a, d) || (saturate && !is_integer(a)) {
        return Err(cx.unknown("this combination of types"));
    }
    cx.operands(4)?;
    let result = Fragment { part: Part::C, shape, number: d };
    let dst = destinations(cx, 0, result.registers(), d)?;
    let mut src = sources(cx, 1, registers[0], a)?;
    src.extend(sources(cx, 2, registers[1], b)?);
    src.extend(sources(cx, 3, registers[2], c)?);
    emit(cx, MatrixOp::Multiply(this), dst, src)
}

/// `wmma.load`, `wmma.store` and `wmma.mma`.
pub fn wmma(cx: &mut Cx<'_, '_>) -> Rule {
    let known = ["sync", "aligned", "row", "col", "load", "store", "mma", "a", "b", "c", "d", "rn"];
    allow(cx, &[&known, SPACES, &["satfinite"]].concat())?;
    if cx.has("mma") { wmma_multiply(cx) } else { wmma_tile(cx) }
}

/// Registers of a fragment of `wmma`: a and b of f16 have eight in every shape.
fn wmma_registers(fragment: Fragment) -> usize {
    match (fragment.part, fragment.number) {
        (Part::A | Part::B, Number::F16) => 8,
        _ => fragment.registers(),
    }
}

fn wmma_multiply(cx: &mut Cx<'_, '_>) -> Rule {
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
    let saturate = cx.has("satfinite");
    multiply(cx, Multiply { shape, a, b, c, d, saturate, registers: counts })
}

fn wmma_tile(cx: &mut Cx<'_, '_>) -> Rule {
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
            [Number::F16, Number::Bf16, Number::Tf32, Number::F64, Number::S8].into_iter().any(
                |a| accumulates(a, number) && wmma_shapes(a).contains(&(shape.m, shape.n, shape.k)),
            )
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
    let fragment = Fragment { part, shape, number };
    let (address, registers) = if store { (0, 1) } else { (1, 0) };
    let (base, offset, named) = cx.address(address)?;
    let space = resolve(space(cx), named);
    let stride = if cx.instruction.operands.len() == 2 {
        // The stride of a matrix that stands alone in memory.
        let (rows, columns) = fragment.extents();
        Src::Const(if by_rows { columns } else { rows } as u64)
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
