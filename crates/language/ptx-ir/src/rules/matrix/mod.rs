//! Rules of `ldmatrix`, `stmatrix`, `movmatrix`, `mma` and `wmma`.

pub mod tensor_memory;
pub mod warpgroup;

use crate::LoweringResult;
use crate::kernel::{Opcode, Operand, Reg};
use crate::opcode::matrix::{
    BitOp, ElementType, Fragment, MatrixOp, MatrixOperand, Multiply, Shape, Sparse,
};
use crate::rules::context::Cx;
use crate::rules::memory::access::{elements, resolve, space};
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::ScalarType;

/// The type of the registers that hold a fragment.
fn register_type(number: ElementType) -> ScalarType {
    if number == ElementType::F64 { ScalarType::B64 } else { ScalarType::B32 }
}

/// Operand `i` as `count` sources.
pub fn sources(
    cx: &mut Cx<'_, '_>,
    i: usize,
    count: usize,
    number: ElementType,
) -> LoweringResult<Vec<Operand>> {
    let ty = match number {
        // Literal operands of accumulators are floats.
        ElementType::F32 => ScalarType::F32,
        ElementType::F64 => ScalarType::F64,
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
    number: ElementType,
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
    cx.operands(2)?;
    if !cx.has(M8n8) || !cx.has(Trans) || cx.ty()? != ScalarType::B16 {
        return Err(cx.unsupported("only `.m8n8.trans.b16` exists"));
    }
    let src = sources(cx, 1, 1, ElementType::F16)?;
    let dst = destinations(cx, 0, 1, ElementType::F16)?;
    emit(cx, MatrixOp::Transpose, dst, src)
}

fn rows(cx: &mut Cx<'_, '_>, store: bool) -> LoweringResult {
    let known = [Sync, Aligned, M8n8, X1, X2, X4, Trans, Shared, SharedCta];
    cx.allow(&known)?;
    cx.operands(2)?;
    if !cx.has(M8n8) || cx.ty()? != ScalarType::B16 {
        return Err(cx.unsupported("a shape other than `.m8n8` or a type other than `.b16`"));
    }
    let count = [X1, X2, X4].into_iter().find(|count| cx.has(*count)).and_then(Modifier::repeats);
    let count = count.ok_or_else(|| cx.unsupported("`.x1`, `.x2` or `.x4` is missing"))?;
    let (address, registers) = if store { (0, 1) } else { (1, 0) };
    let (base, offset, named) = cx.address(address)?;
    let space = resolve(space(cx), named);
    let transposed = cx.has(Trans);
    let op = MatrixOp::Rows { store, count, transposed, space, offset: offset as u64 };
    let (mut src, mut dst) = (vec![base], Vec::new());
    if store {
        src.extend(sources(cx, registers, count, ElementType::F16)?);
    } else {
        dst = destinations(cx, registers, count, ElementType::F16)?;
    }
    emit(cx, op, dst, src)
}

/// The type that a modifier names.
fn number(modifier: Modifier) -> Option<ElementType> {
    Some(match modifier {
        Type(ScalarType::F16) => ElementType::F16,
        Type(ScalarType::Bf16) => ElementType::Bf16,
        Tf32 => ElementType::Tf32,
        E4m3 => ElementType::E4m3,
        E5m2 => ElementType::E5m2,
        Type(ScalarType::F32) => ElementType::F32,
        Type(ScalarType::F64) => ElementType::F64,
        Type(ScalarType::S8) => ElementType::S8,
        Type(ScalarType::U8) => ElementType::U8,
        S4 => ElementType::S4,
        U4 => ElementType::U4,
        B1 => ElementType::B1,
        Type(ScalarType::S32) => ElementType::S32,
        _ => return None,
    })
}

/// The shape that a modifier names, `m16n8k16`.
fn shape_of(modifier: Modifier) -> Option<Shape> {
    match modifier {
        Modifier::Shape { m, n, k } => Some(Shape { m: m.into(), n: n.into(), k: k.into() }),
        _ => None,
    }
}

/// The types among the modifiers, in order.
pub fn numbers(cx: &Cx<'_, '_>) -> Vec<ElementType> {
    cx.instruction.modifiers.iter().copied().filter_map(number).collect()
}

/// The shape among the modifiers.
pub fn shape(cx: &Cx<'_, '_>) -> LoweringResult<Shape> {
    let shape = cx.instruction.modifiers.iter().copied().find_map(shape_of);
    shape.ok_or_else(|| cx.unsupported("a shape is missing"))
}

/// Refuses modifiers that are neither in `known`, nor types, nor shapes.
pub fn allow(cx: &Cx<'_, '_>, known: &[Modifier]) -> LoweringResult {
    let rest = cx.instruction.modifiers.iter().copied();
    let rest = rest.filter(|m| number(*m).is_some() || shape_of(*m).is_some());
    let more: Vec<Modifier> = known.iter().copied().chain(rest).collect();
    cx.allow(&more)
}

/// The shapes of `mma.sync` for elements of a type.
fn mma_shapes(number: ElementType) -> &'static [(usize, usize, usize)] {
    match number {
        ElementType::F16 | ElementType::Bf16 => &[(16, 8, 8), (16, 8, 16)],
        ElementType::Tf32 => &[(16, 8, 4), (16, 8, 8)],
        ElementType::F64 => &[(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)],
        ElementType::S8 | ElementType::U8 => &[(8, 8, 16), (16, 8, 16), (16, 8, 32)],
        ElementType::S4 | ElementType::U4 => &[(8, 8, 32), (16, 8, 32), (16, 8, 64)],
        ElementType::E4m3 | ElementType::E5m2 => &[(16, 8, 16), (16, 8, 32)],
        ElementType::B1 => &[(8, 8, 128), (16, 8, 128), (16, 8, 256)],
        ElementType::F32 | ElementType::S32 => &[],
    }
}

/// The shapes of `mma.sp`.
fn sparse_shapes(number: ElementType) -> &'static [(usize, usize, usize)] {
    match number {
        ElementType::F16 | ElementType::Bf16 => &[(16, 8, 16), (16, 8, 32)],
        ElementType::Tf32 => &[(16, 8, 8), (16, 8, 16)],
        ElementType::S8 | ElementType::U8 => &[(16, 8, 32), (16, 8, 64)],
        ElementType::S4 | ElementType::U4 => &[(16, 8, 64), (16, 8, 128)],
        ElementType::E4m3 | ElementType::E5m2 => &[(16, 8, 64)],
        _ => &[],
    }
}

/// Whether accumulators may have a type, by the type of A.
fn accumulates(a: ElementType, c: ElementType) -> bool {
    match a {
        ElementType::F16 | ElementType::E4m3 | ElementType::E5m2 => {
            matches!(c, ElementType::F16 | ElementType::F32)
        }
        ElementType::Bf16 | ElementType::Tf32 => c == ElementType::F32,
        ElementType::F64 => c == ElementType::F64,
        _ => c == ElementType::S32,
    }
}

/// The modifiers `.row` and `.col`, in order.
pub fn layout(cx: &Cx<'_, '_>) -> Vec<Modifier> {
    cx.instruction.modifiers.iter().copied().filter(|m| matches!(m, Row | Col)).collect()
}

/// The bit operation of a single-bit product.
fn bit_op(cx: &Cx<'_, '_>, a: ElementType) -> LoweringResult<Option<BitOp>> {
    match (cx.has(Xor), cx.has(And), cx.has(Popc), a == ElementType::B1) {
        (true, false, true, true) => Ok(Some(BitOp::Xor)),
        (false, true, true, true) => Ok(Some(BitOp::And)),
        (false, false, false, false) => Ok(None),
        _ => Err(cx.unsupported("`.xor.popc` or `.and.popc` is only for `.b1`")),
    }
}

/// `mma`.
pub fn mma(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let sparse = [Sp, SpOrderedMetadata];
    let known = [Sync, Aligned, Row, Col, Satfinite, Xor, And, Popc];
    allow(cx, &[&known[..], &sparse].concat())?;
    let [d, a, b, c] = numbers(cx)[..] else {
        return Err(cx.unsupported("four types are expected"));
    };
    let shape = shape(cx)?;
    let extents = (shape.m, shape.n, shape.k);
    let quads = extents == (8, 8, 4) && a == ElementType::F16;
    let sparse = sparse.iter().any(|name| cx.has(*name));
    let shapes = if sparse { sparse_shapes(a) } else { mma_shapes(a) };
    if !shapes.contains(&extents) && (!quads || sparse) {
        return Err(cx.unsupported("this shape for this type"));
    }
    let (by_rows, by_columns) = match layout(cx)[..] {
        [Row, Col] => (true, true),
        [a @ (Row | Col), b @ (Row | Col)] if quads => (a == Row, b == Col),
        _ => return Err(cx.unsupported("a layout other than `.row.col`")),
    };
    if quads {
        if (c, d) == (ElementType::F32, ElementType::F16) {
            return Err(cx.unsupported("an accumulator of f32 and a result of f16"));
        }
        let registers = [2, 2, if c == ElementType::F16 { 4 } else { 8 }];
        let quads = Some([by_rows, !by_columns]);
        let this = Multiply { quads, ..Multiply::new(shape, [a, b, c, d], registers) };
        return multiply(cx, this);
    }
    if d != c {
        return Err(cx.unsupported("an accumulator and a result of different types"));
    }
    let registers = |part, number| Fragment { part, shape, number }.registers();
    let halved = Shape { k: if sparse { shape.k / 2 } else { shape.k }, ..shape };
    let stored = Fragment { part: MatrixOperand::A, shape: halved, number: a };
    let counts =
        [stored.registers(), registers(MatrixOperand::B, b), registers(MatrixOperand::C, c)];
    let mut this = Multiply::new(shape, [a, b, c, d], counts);
    this.saturate = cx.has(Satfinite);
    this.bits = bit_op(cx, a)?;
    if sparse {
        this.sparse = Some(selector(cx, 5, shape.k, a)?);
    }
    multiply(cx, this)
}

/// The selector, operand `i`, of a sparse matrix of `k` columns.
pub fn selector(
    cx: &mut Cx<'_, '_>,
    i: usize,
    k: usize,
    number: ElementType,
) -> LoweringResult<Sparse> {
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
        _ => Err(cx.unsupported("a selector that names no lanes")),
    }
}

pub fn multiply(cx: &mut Cx<'_, '_>, this: Multiply) -> LoweringResult {
    let Multiply { shape, a, b, c, d, saturate, registers, .. } = this;
    if !alike(a, b) || !accumulates(a, c) || !accumulates(a, d) || (saturate && !saturates(a)) {
        return Err(cx.unsupported("this combination of types"));
    }
    cx.operands(if this.sparse.is_some() { 6 } else { 4 })?;
    let result = match (this.quads, d) {
        (None, _) => Fragment { part: MatrixOperand::C, shape, number: d }.registers(),
        (Some(_), ElementType::F16) => 4,
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
pub fn alike(a: ElementType, b: ElementType) -> bool {
    let eight_bits = |n| matches!(n, ElementType::E4m3 | ElementType::E5m2);
    let integer = |n: ElementType| n.is_integer() && n != ElementType::B1;
    a == b || (integer(a) && integer(b) && a.bits() == b.bits()) || (eight_bits(a) && eight_bits(b))
}

/// Whether sums of products of a type can be clamped.
fn saturates(a: ElementType) -> bool {
    a.is_integer() && a != ElementType::B1
}

const SPACES: &[Modifier] = &[Shared, SharedCta, Global];

/// The shapes of `wmma` for elements of a type.
fn wmma_shapes(number: ElementType) -> &'static [(usize, usize, usize)] {
    match number {
        ElementType::F16 | ElementType::Bf16 | ElementType::S8 | ElementType::U8 => {
            &[(16, 16, 16), (32, 8, 16), (8, 32, 16)]
        }
        ElementType::Tf32 => &[(16, 16, 8)],
        ElementType::F64 => &[(8, 8, 4)],
        ElementType::S4 | ElementType::U4 => &[(8, 8, 32)],
        ElementType::B1 => &[(8, 8, 128)],
        _ => &[],
    }
}

/// `wmma.load`, `wmma.store` and `wmma.mma`.
pub fn wmma(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let known = [Sync, Aligned, Row, Col, Load, Store, Mma, A, B, C, D, Rn];
    let more = [Satfinite, Xor, And, Popc];
    allow(cx, &[&known, SPACES, &more].concat())?;
    if cx.has(Mma) { wmma_multiply(cx) } else { wmma_tile(cx) }
}

/// Registers of a fragment of `wmma`: a and b of f16 have eight in every shape.
fn wmma_registers(fragment: Fragment) -> usize {
    match (fragment.part, fragment.number) {
        (MatrixOperand::A | MatrixOperand::B, ElementType::F16) => 8,
        _ => fragment.registers(),
    }
}

fn wmma_multiply(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let (a, b, c, d) = match numbers(cx)[..] {
        [d, c] => (ElementType::F16, ElementType::F16, c, d),
        [d, a, b, c] => (a, b, c, d),
        _ => return Err(cx.unsupported("two or four types are expected")),
    };
    let shape = shape(cx)?;
    if !wmma_shapes(a).contains(&(shape.m, shape.n, shape.k)) {
        return Err(cx.unsupported("this shape for this type"));
    }
    let registers = |part, number| wmma_registers(Fragment { part, shape, number });
    let counts = [
        registers(MatrixOperand::A, a),
        registers(MatrixOperand::B, b),
        registers(MatrixOperand::C, c),
    ];
    if a.bits() < 8 && layout(cx) != [Row, Col] {
        return Err(cx.unsupported("a layout other than `.row.col`"));
    }
    let mut this = Multiply::new(shape, [a, b, c, d], counts);
    this.saturate = cx.has(Satfinite);
    this.bits = bit_op(cx, a)?;
    multiply(cx, this)
}

fn wmma_tile(cx: &mut Cx<'_, '_>) -> LoweringResult {
    let store = cx.has(Store);
    let part = match (cx.has(A), cx.has(B)) {
        (true, false) if !store => MatrixOperand::A,
        (false, true) if !store => MatrixOperand::B,
        (false, false) if cx.has(if store { D } else { C }) => MatrixOperand::C,
        _ => return Err(cx.unsupported("no matrix is named")),
    };
    let shape = shape(cx)?;
    let [number] = numbers(cx)[..] else {
        return Err(cx.unsupported("one type is expected"));
    };
    let exists = match part {
        MatrixOperand::A | MatrixOperand::B => {
            wmma_shapes(number).contains(&(shape.m, shape.n, shape.k))
        }
        MatrixOperand::C => {
            use ElementType::*;
            [F16, Bf16, Tf32, F64, S8, S4, B1].into_iter().any(|a| {
                accumulates(a, number) && wmma_shapes(a).contains(&(shape.m, shape.n, shape.k))
            })
        }
    };
    if !exists {
        return Err(cx.unsupported("this shape for this type"));
    }
    let by_rows = match (cx.has(Row), cx.has(Col)) {
        (true, false) => true,
        (false, true) => false,
        _ => return Err(cx.unsupported("one of `.row` and `.col` is expected")),
    };
    if number.bits() < 8 && by_rows != (part == MatrixOperand::A) {
        return Err(cx.unsupported("elements smaller than a byte need A in `.row` and B in `.col`"));
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
