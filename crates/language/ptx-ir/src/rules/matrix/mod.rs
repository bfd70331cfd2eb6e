//! `ldmatrix`, `stmatrix`, `movmatrix` and `mma`.
//! `wmma`.

pub mod tensor_memory;
pub mod warpgroup;

use crate::error::LoweringResult;
use crate::kernel::{Opcode, Operand, Reg};
use crate::opcode::matrix::{BitOp, Fragment, MatrixOp, Multiply, Number, Part, Shape, Sparse};
use crate::rules::context::Cx;
use crate::rules::memory::access::{elements, resolve, space};
use lanework_ptx::ScalarType;

/// The type of the registers that hold a fragment.
fn register_type(number: Number) -> ScalarType {
    if number == Number::F64 { ScalarType::B64 } else { ScalarType::B32 }
}

/// Operand `i` as `count` sources.
pub fn sources(
    cx: &mut Cx<'_, '_>,
    i: usize,
    count: usize,
    number: Number,
) -> LoweringResult<Vec<Operand>> {
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
pub fn destinations(
    cx: &mut Cx<'_, '_>,
    i: usize,
    count: usize,
    number: Number,
) -> LoweringResult<Vec<Option<Reg>>> {
    let mut dst = Vec::new();
    for operand in elements(cx, i, count as u8)? {
        dst.push(cx.destination(&operand, register_type(number))?);
    }
    Ok(dst)
}

pub fn emit(
    cx: &mut Cx<'_, '_>,
    op: MatrixOp,
    dst: Vec<Option<Reg>>,
    src: Vec<Operand>,
) -> LoweringResult {
    let guard = cx.guard;
    cx.lowering.emit(Opcode::Matrix(op), dst, src, guard);
    Ok(())
}

/// `ldmatrix`.
pub fn ldmatrix(cx: &mut Cx<'_, '_>) -> LoweringResult {
    rows(cx, false)
}

/// `stmatrix`.
pub fn stmatrix(cx: &mut Cx<'_, '_>) -> LoweringResult {
    rows(cx, true)
}

/// `movmatrix`.
pub fn movmatrix(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.allow(&["sync", "aligned", "m8n8", "trans"])?;
    cx.operands(2)?;
    if !cx.has("m8n8") || !cx.has("trans") || cx.ty()? != ScalarType::B16 {
        return Err(cx.unknown("only `.m8n8.trans.b16` exists"));
    }
    let src = sources(cx, 1, 1, Number::F16)?;
    let dst = destinations(cx, 0, 1, Number::F16)?;
    emit(cx, MatrixOp::Transpose, dst, src)
}

fn rows(cx: &mut Cx<'_, '_>, store: bool) -> LoweringResult {
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

/// The type that a modifier names.
fn number(modifier: &str) -> Option<Number> {
    Some(match modifier {
        "f16" => Number::F16,
        "bf16" => Number::Bf16,
        "tf32" => Number::Tf32,
        "e4m3" => Number::E4m3,
        "e5m2" => Number::E5m2,
        "f32" => Number::F32,
        "f64" => Number::F64,
        "s8" => Number::S8,
        "u8" => Number::U8,
        "s4" => Number::S4,
        "u4" => Number::U4,
        "b1" => Number::B1,
        "s32" => Number::S32,
        _ => return None,
    })
}

/// The shape that a modifier names, `m16n8k16`.
fn shape_of(modifier: &str) -> Option<Shape> {
    let (m, rest) = modifier.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
}

/// The types among the modifiers, in order.
pub fn numbers(cx: &Cx<'_, '_>) -> Vec<Number> {
    cx.instruction.modifiers.iter().filter_map(|m| number(m)).collect()
}

/// The shape among the modifiers.
pub fn shape(cx: &Cx<'_, '_>) -> LoweringResult<Shape> {
    let shape = cx.instruction.modifiers.iter().find_map(|m| shape_of(m));
    shape.ok_or_else(|| cx.unknown("a shape is missing"))
}

/// Refuses modifiers that are neither in `known`, nor types, nor shapes.
pub fn allow(cx: &Cx<'_, '_>, known: &[&str]) -> LoweringResult {
    let rest = cx.instruction.modifiers.iter();
    let rest = rest.filter(|m| number(m).is_some() || shape_of(m).is_some());
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
        Number::E4m3 | Number::E5m2 => &[(16, 8, 16), (16, 8, 32)],
        Number::B1 => &[(8, 8, 128), (16, 8, 128), (16, 8, 256)],
        Number::F32 | Number::S32 => &[],
    }
}

/// The shapes of `mma.sp`.
fn sparse_shapes(number: Number) -> &'static [(usize, usize, usize)] {
    match number {
        Number::F16 | Number::Bf16 => &[(16, 8, 16), (16, 8, 32)],
        Number::Tf32 => &[(16, 8, 8), (16, 8, 16)],
        Number::S8 | Number::U8 => &[(16, 8, 32), (16, 8, 64)],
        Number::S4 | Number::U4 => &[(16, 8, 64), (16, 8, 128)],
        Number::E4m3 | Number::E5m2 => &[(16, 8, 64)],
        _ => &[],
    }
}

/// Whether accumulators may have a type, by the type of A.
fn accumulates(a: Number, c: Number) -> bool {
    match a {
        Number::F16 | Number::E4m3 | Number::E5m2 => matches!(c, Number::F16 | Number::F32),
        Number::Bf16 | Number::Tf32 => c == Number::F32,
        Number::F64 => c == Number::F64,
        _ => c == Number::S32,
    }
}

/// The modifiers `.row` and `.col`, in order.
pub fn layout<'i>(cx: &Cx<'i, '_>) -> Vec<&'i str> {
    let modifiers = cx.instruction.modifiers.iter().map(String::as_str);
    modifiers.filter(|m| *m == "row" || *m == "col").collect()
}

/// What a product of bits counts.
fn bit_op(cx: &Cx<'_, '_>, a: Number) -> LoweringResult<Option<BitOp>> {
    match (cx.has("xor"), cx.has("and"), cx.has("popc"), a == Number::B1) {
        (true, false, true, true) => Ok(Some(BitOp::Xor)),
        (false, true, true, true) => Ok(Some(BitOp::And)),
        (false, false, false, false) => Ok(None),
        _ => Err(cx.unknown("`.xor.popc` or `.and.popc` is for `.b1`, and for nothing else")),
    }
}

/// `mma`.
pub fn mma(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let sparse = ["sp", "sp::ordered_metadata"];
    let known = ["sync", "aligned", "row", "col", "satfinite", "xor", "and", "popc"];
    allow(cx, &[&known[..], &sparse].concat())?;
    let [d, a, b, c] = numbers(cx)[..] else {
        return Err(cx.unknown("four types are expected"));
    };
    let shape = shape(cx)?;
    let extents = (shape.m, shape.n, shape.k);
    let quads = extents == (8, 8, 4) && a == Number::F16;
    let sparse = sparse.iter().any(|name| cx.has(name));
    let shapes = if sparse { sparse_shapes(a) } else { mma_shapes(a) };
    if !shapes.contains(&extents) && (!quads || sparse) {
        return Err(cx.unknown("this shape for this type"));
    }
    let (by_rows, by_columns) = match layout(cx)[..] {
        ["row", "col"] => (true, true),
        [a @ ("row" | "col"), b @ ("row" | "col")] if quads => (a == "row", b == "col"),
        _ => return Err(cx.unknown("a layout other than `.row.col`")),
    };
    if quads {
        if (c, d) == (Number::F32, Number::F16) {
            return Err(cx.unknown("an accumulator of f32 and a result of f16"));
        }
        let registers = [2, 2, if c == Number::F16 { 4 } else { 8 }];
        let quads = Some([by_rows, !by_columns]);
        let this = Multiply { quads, ..Multiply::new(shape, [a, b, c, d], registers) };
        return multiply(cx, this);
    }
    if d != c {
        return Err(cx.unknown("an accumulator of another type than the result"));
    }
    let registers = |part, number| Fragment { part, shape, number }.registers();
    let halved = Shape { k: if sparse { shape.k / 2 } else { shape.k }, ..shape };
    let stored = Fragment { part: Part::A, shape: halved, number: a };
    let counts = [stored.registers(), registers(Part::B, b), registers(Part::C, c)];
    let mut this = Multiply::new(shape, [a, b, c, d], counts);
    this.saturate = cx.has("satfinite");
    this.bits = bit_op(cx, a)?;
    if sparse {
        this.sparse = Some(selector(cx, 5, shape.k, a)?);
    }
    multiply(cx, this)
}

/// The selector, operand `i`, of a sparse matrix of `k` columns.
pub fn selector(cx: &mut Cx<'_, '_>, i: usize, k: usize, number: Number) -> LoweringResult<Sparse> {
    // Lanes of a quad that hold all of a row's metadata.
    let lanes = match (k, number.bits()) {
        (8, 32) | (16, 16) => 1,
        (16, 32) | (32, 16) | (32, 8) | (64, 4) => 2,
        _ => 4,
    };
    match cx.src(i, ScalarType::U32)? {
        Operand::Const(selector) if selector < 4 / lanes => {
            Ok(Sparse { selector: selector as u32 })
        }
        _ => Err(cx.unknown("a selector that names no lanes")),
    }
}

pub fn multiply(cx: &mut Cx<'_, '_>, this: Multiply) -> LoweringResult {
    let Multiply { shape, a, b, c, d, saturate, registers, .. } = this;
    if !alike(a, b) || !accumulates(a, c) || !accumulates(a, d) || (saturate && !saturates(a)) {
        return Err(cx.unknown("this combination of types"));
    }
    cx.operands(if this.sparse.is_some() { 6 } else { 4 })?;
    let result = match (this.quads, d) {
        (None, _) => Fragment { part: Part::C, shape, number: d }.registers(),
        (Some(_), Number::F16) => 4,
        (Some(_), _) => 8,
    };
    let dst = destinations(cx, 0, result, d)?;
    let mut src = sources(cx, 1, registers[0], a)?;
    src.extend(sources(cx, 2, registers[1], b)?);
    src.extend(sources(cx, 3, registers[2], c)?);
    if this.sparse.is_some() {
        src.push(cx.src(4, ScalarType::B32)?);
    }
    emit(cx, MatrixOp::Multiply(this), dst, src)
}

/// Whether A and B may have these types together.
pub fn alike(a: Number, b: Number) -> bool {
    let eight_bits = |n| matches!(n, Number::E4m3 | Number::E5m2);
    let integer = |n: Number| n.is_integer() && n != Number::B1;
    a == b || (integer(a) && integer(b) && a.bits() == b.bits()) || (eight_bits(a) && eight_bits(b))
}

/// Whether sums of products of a type can be clamped.
fn saturates(a: Number) -> bool {
    a.is_integer() && a != Number::B1
}

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
