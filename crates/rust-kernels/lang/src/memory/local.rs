//! Arrays at indices known only at run time: `a[i]` of an array of variables, of run-time values or of
//! constants.
//!
//! An array of variables stays in registers until it is first indexed by a run-time value. From then on
//! its elements are in local memory: accesses by such an index are loads and stores, and after staging
//! `Builder::spill` inserts a load before every use of one of its registers and a store after every assignment.
//! An array of constants is a table in constant memory. Any other array is copied into local memory
//! before the access. In memory an array has the same layout as on the host.

use crate::data::convert::{Given, To, Valued};
use crate::data::handles::{Memory, MovedSlice, Slice, SliceMut};
use crate::data::leaves::{Data, Handle, Places, leaves};
use crate::data::operations::{self, stored_type};
use crate::data::place::{Base, Place, ReadPlace, Space, stepped};
use crate::data::variable::{IntoVariable, Target};
use crate::emit::builder::Builder;
use crate::emit::current::{Abandon, here, with};
use crate::emit::frames::{Block, Line};
use crate::emit::value::{Class, Index, Register, Value, extended, literal, wrap};
use crate::memory::access::At;
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared_slice::{Ends, Subslice};
use crate::memory::slice::{IntoSlice, IntoSliceMut};
use crate::scalar::number::{Extent, IndexValue, Integer};
use crate::scalar::var::{Read, Var};
use lanework_abi::IndexKind;
use lanework_ptx::{
    AddressBase, Guard, Immediate, Initializer, Instruction, Linkage, Operand, ScalarType,
    StateSpace, Statement, Variable,
};
use std::collections::HashMap;

/// The place of element `index` of an array, after a check.
#[track_caller]
fn place_of<X: Valued>(array: &[X], index: Index) -> Place<X::Value> {
    here();
    let size = X::Value::size();
    let cells = cells(array);
    with(|b| {
        b.check(index, Value::Constant(array.len() as u64), "array", IndexKind::Array);
        let (space, symbol, offset) = home(b, &cells, size * array.len() as u64);
        let first: Place<X::Value> = Place::new(space, Base::Symbol(symbol), offset);
        stepped(b, first, index, size as i64)
    })
}

impl<X: Valued, I: Integer, const N: usize> Get<Var<I>> for [X; N] {
    type Output = Handle<X::Value>;
    #[track_caller]
    fn get(&self, index: Var<I>) -> Handle<X::Value> {
        operations::load(place_of(self, index.parts()))
    }
}

impl<X, I: Integer, V, const N: usize> Put<Var<I>, V> for [X; N]
where
    X: Target + Valued<Value = <X as Target>::Value>,
    V: To<<X as Target>::Value>,
{
    #[track_caller]
    fn put(&self, index: Var<I>, value: V) {
        operations::save(place_of(self, index.parts()), value.to());
    }
}

/// An array of the thread, as a slice of local memory.
#[track_caller]
pub(crate) fn slice_of<X: Valued>(array: &[X]) -> SliceMut<X::Value> {
    let length = Value::Constant(array.len() as u64);
    if array.is_empty() {
        let base = Value::Constant(0);
        return SliceMut::new(Memory { base, length, name: "array", space: Space::Local });
    }
    let first = Index { value: Value::Constant(0), ty: ScalarType::U64 };
    let place = place_of(array, first);
    let base = with(|b| place.address(b));
    SliceMut::new(Memory { base, length, name: "array", space: place.space })
}

impl<X: Valued<Value = T>, T: Data, const N: usize> IntoSlice<T> for [X; N] {
    #[track_caller]
    fn into_slice(self) -> Slice<T> {
        slice_of(&self).into()
    }
}

#[diagnostic::do_not_recommend]
impl<X: Valued<Value = T>, T: Data, const N: usize> To<&'static [T]> for [X; N] {
    #[track_caller]
    fn to(self) -> Slice<T> {
        self.into_slice()
    }
}

impl<X: Target + Valued<Value = T>, T: Data, const N: usize> IntoSliceMut<T> for [X; N] {
    #[track_caller]
    fn into_slice_mut(self) -> SliceMut<T> {
        slice_of(&self)
    }
}

impl<T: Data, const N: usize> IntoSlice<T> for ReadPlace<[T; N]> {
    #[track_caller]
    fn into_slice(self) -> Slice<T> {
        Slice::new(memory_of(self.place))
    }
}

impl<T: Data, const N: usize> IntoSlice<T> for Place<[T; N]> {
    #[track_caller]
    fn into_slice(self) -> Slice<T> {
        Slice::new(memory_of(self))
    }
}

impl<T: Data, const N: usize> IntoSliceMut<T> for Place<[T; N]> {
    #[track_caller]
    fn into_slice_mut(self) -> SliceMut<T> {
        SliceMut::new(memory_of(self))
    }
}

/// An array in memory as a slice.
fn memory_of<T: Data, const N: usize>(place: Place<[T; N]>) -> Memory {
    here();
    with(|b| {
        if matches!(place.space, Space::Shared | Space::Cluster) {
            b.error(
                "an array in shared memory is not a slice of global memory",
                "take the shared array: `fn f(x: Shared<T>)`, or copy it into a variable first",
            );
        }
        let base = place.address(b);
        Memory { base, length: Value::Constant(N as u64), name: "array", space: place.space }
    })
}

impl<X: Valued, const N: usize> Subslice for [X; N] {
    type Part = SliceMut<X::Value>;
    fn elements(&self) -> Var<usize> {
        Var::constant(N)
    }
    #[track_caller]
    fn part(self, ends: Ends) -> SliceMut<X::Value> {
        slice_of(&self).part(ends)
    }
}

impl<T: Data, const N: usize> Subslice for Place<[T; N]> {
    type Part = SliceMut<T>;
    fn elements(&self) -> Var<usize> {
        Var::constant(N)
    }
    #[track_caller]
    fn part(self, ends: Ends) -> SliceMut<T> {
        SliceMut::new(memory_of(self)).part(ends)
    }
}

impl<T: Data, const N: usize> Subslice for ReadPlace<[T; N]> {
    type Part = Slice<T>;
    fn elements(&self) -> Var<usize> {
        Var::constant(N)
    }
    #[track_caller]
    fn part(self, ends: Ends) -> Slice<T> {
        Slice::new(memory_of(self.place)).part(ends)
    }
}

/// A slice of the host is a table.
impl<T: Data> To<&'static [T]> for &'static [T]
where
    T: Valued<Value = T>,
{
    fn to(self) -> Slice<T> {
        let cells = cells(self);
        let bytes = T::size() * self.len() as u64;
        let length = Value::Constant(self.len() as u64);
        with(|b| {
            let base = match of_constants(b, &cells, bytes, false) {
                Some((_, symbol)) => b.wide_address(symbol),
                None => Value::Constant(0),
            };
            Slice::new(Memory { base, length, name: "table", space: Space::Global })
        })
    }
}

impl<T: Data + Valued<Value = T>> Valued for &'static [T] {
    type Value = &'static [T];
    const IN_MEMORY: bool = true;
}

impl<T: Data + Valued<Value = T>> IntoVariable for &'static [T] {
    type Variable = MovedSlice<Slice<T>>;
    fn into_variable(self) -> MovedSlice<Slice<T>> {
        self.to().into_variable()
    }
}

impl<T: Data + Valued<Value = T>> Read for &'static [T] {
    type Value = &'static [T];
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

/// The scalars of an array's elements, with their places.
fn cells<X: Valued>(array: &[X]) -> Vec<Cell> {
    let (size, mut cells) = (X::Value::size(), Vec::new());
    for (k, element) in array.iter().enumerate() {
        let values = operations::values::<X::Value>(element.to());
        for (value, leaf) in values.into_iter().zip(leaves::<X::Value>()) {
            cells.push(Cell { value, ty: leaf.ty, offset: k as u64 * size + leaf.offset });
        }
    }
    cells
}

/// Element `index` of an array of handles.
#[track_caller]
pub(crate) fn get<T: Data, const N: usize>(array: [Handle<T>; N], index: Var<usize>) -> Handle<T> {
    let array = array.map(Given::<T>);
    operations::load(place_of(&array, index.parts()))
}

/// `array[index] = value`
#[track_caller]
pub(crate) fn put<T: Data, X: Valued<Value = T>>(array: &[X], index: Var<usize>, value: Handle<T>) {
    operations::save(place_of(array, index.parts()), value);
}

impl<X: Valued, I: Integer, const N: usize> At<Var<I>> for [X; N] {
    type Element = <X::Value as Data>::Of<Places>;
    #[track_caller]
    fn at(&self, index: Var<I>) -> Self::Element {
        operations::place::<X::Value, Places>(place_of(self, index.parts()))
    }
}

/// Slices of constants: `const TABLE: &[f32] = &[..];`.
impl<X: Valued, I: Integer, const N: usize> Locate<Var<I>> for [X; N] {
    type Place = <X::Value as Data>::Of<Places>;
    #[track_caller]
    fn locate(&self, index: Var<I>) -> Self::Place {
        operations::place::<X::Value, Places>(place_of(self, index.parts()))
    }
}

impl<X: Valued, I: Integer> Get<Var<I>> for &[X] {
    type Output = Handle<X::Value>;
    #[track_caller]
    fn get(&self, index: Var<I>) -> Handle<X::Value> {
        operations::load(place_of(self, index.parts()))
    }
}

impl<X: Read, I: Extent> Get<I> for &[X] {
    type Output = X::Value;
    #[track_caller]
    fn get(&self, index: I) -> X::Value {
        here();
        match index.extent().and_then(|at| <[X]>::get(self, at)) {
            Some(element) => element.view(),
            None => {
                with(|b| {
                    b.error(
                        format!(
                            "this index is out of range: the slice has {} elements",
                            self.len()
                        ),
                        "correct the index or the slice's length",
                    );
                });
                std::panic::resume_unwind(Box::new(Abandon))
            }
        }
    }
}

/// One scalar of an array: its value or its variable's register, its type, its offset in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    pub(crate) ty: ScalarType,
    pub(crate) offset: u64,
}

/// Bytes of tables that a kernel may put in constant memory; further tables are in global memory.
const CONSTANT_BYTES: u64 = 60 << 10;

impl Builder {
    /// The 64-bit address of an array in its space, set at the kernel's top.
    pub fn wide_address(&mut self, symbol: usize) -> Value {
        if let Some(register) = self.locals.addresses.get(&symbol) {
            return Value::Register(*register);
        }
        let register = self.register(ScalarType::U64, false);
        self.locals.addresses.insert(symbol, register);
        let operands =
            vec![Operand::Name(register.name()), Operand::Name(self.symbols[symbol].clone())];
        self.at_top("mov.u64", register, operands);
        Value::Register(register)
    }

    /// A new symbol for an array in local memory.
    fn local_symbol(&mut self) -> usize {
        let name = self.unique("local_array");
        self.symbols.push(name);
        self.symbols.len() - 1
    }

    /// Declares an array in local memory.
    pub(crate) fn declare_local(&mut self, symbol: usize, bytes: u64) {
        self.variables.push(Variable {
            align: Some(16),
            dims: vec![Some(bytes)],
            ..Variable::new(StateSpace::Local, ScalarType::B8, self.symbols[symbol].clone())
        });
    }
}

/// Location of an array's scalars: space, symbol and offset of the first byte.
pub(crate) fn home(b: &mut Builder, cells: &[Cell], bytes: u64) -> (Space, usize, i64) {
    if let Some((symbol, offset)) = of_variables(b, cells, bytes) {
        return (Space::Local, symbol, offset);
    }
    if let Some((space, symbol)) = of_constants(b, cells, bytes, true) {
        return (space, symbol, 0);
    }
    (Space::Local, copied(b, cells, bytes), 0)
}

/// The block of an array of variables.
fn of_variables(b: &mut Builder, cells: &[Cell], bytes: u64) -> Option<(usize, i64)> {
    let registers: Vec<Register> = cells
        .iter()
        .map(|cell| match cell.value {
            Value::Register(register) if register.mutable => Some(register),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let locals = &mut b.locals;
    let (first, at) = (registers.first()?, cells.first()?.offset);
    if let Some(&(block, offset, _)) = locals.homes.get(first)
        && registers.iter().zip(cells).all(|(register, cell)| {
            let home = locals.homes.get(register);
            home.is_some_and(|h| h.0 == block && h.1 + at == offset + cell.offset)
        })
    {
        return Some((locals.blocks[block].symbol, offset as i64 - at as i64));
    }
    // Variables that are in smaller blocks move to the new block.
    let (block, symbol) = (b.locals.blocks.len(), b.local_symbol());
    b.locals.blocks.push(Block { symbol, bytes, moved: None });
    for (register, cell) in registers.into_iter().zip(cells) {
        let before = b.locals.homes.insert(register, (block, cell.offset, cell.ty));
        if let Some((old, offset, _)) = before {
            b.locals.blocks[old].moved = Some((block, cell.offset - offset));
        }
    }
    Some((symbol, 0))
}

/// The table of an array of constants.
fn of_constants(
    b: &mut Builder,
    cells: &[Cell],
    bytes: u64,
    constant_memory: bool,
) -> Option<(Space, usize)> {
    let constant = |cell: &Cell| match extended(cell.value, cell.ty) {
        Value::Constant(bits) => Some(bits),
        _ => None,
    };
    let bits: Vec<u64> = cells.iter().map(constant).collect::<Option<_>>()?;
    let (ty, init) = table(cells, &bits, bytes)?;
    let (count, init) = (init.len() as u64, Some(Initializer::List(init)));
    let space_of = |space| match space {
        StateSpace::Const => Space::Const,
        _ => Space::Global,
    };
    let fits = constant_memory && b.locals.constant_bytes + bytes <= CONSTANT_BYTES;
    let known = b.globals.iter().find(|g| {
        let right = constant_memory || g.space == StateSpace::Global;
        right && g.init == init && g.ty == ty && !g.dims.is_empty()
    });
    let (name, space) = match known.map(|g| (g.name.clone(), space_of(g.space))) {
        Some(known) => known,
        None => {
            let space = if fits { StateSpace::Const } else { StateSpace::Global };
            if fits {
                b.locals.constant_bytes += bytes.next_multiple_of(16);
            }
            let name = b.unique("table");
            b.globals.push(Variable {
                linkage: Linkage::Internal,
                align: Some(16),
                dims: vec![Some(count)],
                init,
                ..Variable::new(space, ty, &name)
            });
            (name, space_of(space))
        }
    };
    let symbol = b.symbols.iter().position(|symbol| *symbol == name).unwrap_or_else(|| {
        b.symbols.push(name);
        b.symbols.len() - 1
    });
    Some((space, symbol))
}

/// The type and values of a table: scalars if all have one type, else bytes.
fn table(cells: &[Cell], bits: &[u64], bytes: u64) -> Option<(ScalarType, Vec<Initializer>)> {
    let ty = stored_type(cells.first()?.ty);
    let size = u64::from(ty.size());
    let whole = cells
        .iter()
        .enumerate()
        .all(|(k, cell)| stored_type(cell.ty) == ty && cell.offset == k as u64 * size);
    if whole && size * cells.len() as u64 == bytes {
        let value = |bits: &u64| {
            Initializer::Value(match ty {
                ScalarType::F32 | ScalarType::F64 => literal(*bits, ty),
                _ => Immediate::Integer(i128::from(wrap(i128::from(*bits), ty))),
            })
        };
        return Some((ty, bits.iter().map(value).collect()));
    }
    let mut raw = vec![0u8; bytes as usize];
    for (cell, bits) in cells.iter().zip(bits) {
        let (at, size) = (cell.offset as usize, stored_type(cell.ty).size() as usize);
        raw.get_mut(at..at + size)?.copy_from_slice(&bits.to_le_bytes()[..size]);
    }
    let byte = |byte: u8| Initializer::Value(Immediate::Integer(byte.into()));
    Some((ScalarType::B8, raw.into_iter().map(byte).collect()))
}

/// A copy of the scalars in local memory. Reuses an earlier copy that is known to be current.
fn copied(b: &mut Builder, cells: &[Cell], bytes: u64) -> usize {
    let key = b.computation("local.copy", cells.iter().map(|cell| cell.value));
    if let Some(Value::Constant(symbol)) = b.known(&key) {
        return symbol as usize;
    }
    let symbol = b.local_symbol();
    b.declare_local(symbol, bytes);
    for cell in cells {
        let (value, ty) = match cell.ty {
            ScalarType::Pred => {
                let byte = crate::scalar::cast::cast(b, cell.value, cell.ty, ScalarType::U8);
                (byte, ScalarType::U8)
            }
            ty => (cell.value, ty),
        };
        let address = Operand::address(b.symbols[symbol].clone(), cell.offset as i64);
        let operands = vec![address, b.operand(value, ty)];
        b.emit(&format!("st.local.{}", stored_type(ty).name()), operands);
    }
    b.remember(key, Value::Constant(symbol as u64));
    symbol
}

/// Rewrites the body for the arrays that were indexed at run time.
pub(crate) fn spill(b: &mut Builder) {
    if b.locals.blocks.is_empty() {
        return;
    }
    let places = place_blocks(b);
    let mut homes = HashMap::new();
    for (register, (block, offset, ty)) in &b.locals.homes {
        let (name, start) = &places[*block];
        let home = Operand::address(name.clone(), (start + offset) as i64);
        homes.insert(register.name(), Home { register: *register, ty: *ty, place: home });
    }
    rename(b, &places);
    for line in std::mem::take(&mut b.lines) {
        let mut uses = Vec::new();
        let (dest, guard) = match &line {
            Line::Op { instruction, dest, .. } => {
                let skip = usize::from(dest.is_some());
                instruction.operands.iter().skip(skip).for_each(|o| names(o, &mut uses));
                uses.extend(instruction.guard.as_ref().map(|guard| guard.register.clone()));
                (*dest, instruction.guard.clone())
            }
            Line::Statement(statement) => {
                statement_names(statement, &mut uses);
                (None, None)
            }
            Line::Label(_) => (None, None),
        };
        let location = match &line {
            Line::Op { instruction, .. } => instruction.location.clone(),
            _ => None,
        };
        let first = b.lines.len();
        uses.sort();
        uses.dedup();
        for name in &uses {
            if let Some(home) = homes.get(name) {
                load(b, home);
            }
        }
        b.lines.push(line);
        if let Some(home) = dest.and_then(|dest| homes.get(&dest.name())) {
            store(b, home, guard);
        }
        for line in &mut b.lines[first..] {
            if let Line::Op { instruction, .. } = line {
                instruction.location = location.clone();
            }
        }
    }
}

/// A variable in local memory.
struct Home {
    register: Register,
    ty: ScalarType,
    place: Operand,
}

/// Declares the blocks that hold variables, and returns the symbol and offset of every block.
fn place_blocks(b: &mut Builder) -> Vec<(String, u64)> {
    let mut places = Vec::new();
    for block in 0..b.locals.blocks.len() {
        let (mut last, mut offset) = (block, 0);
        while let Some((next, further)) = b.locals.blocks[last].moved {
            (last, offset) = (next, offset + further);
        }
        let (symbol, bytes) = (b.locals.blocks[last].symbol, b.locals.blocks[last].bytes);
        if last == block {
            b.declare_local(symbol, bytes);
        }
        places.push((b.symbols[symbol].clone(), offset));
    }
    places
}

/// Redirects accesses to a block whose variables moved to another block.
fn rename(b: &mut Builder, places: &[(String, u64)]) {
    let mut moved = HashMap::new();
    for (block, place) in b.locals.blocks.iter().zip(places) {
        if block.moved.is_some() {
            moved.insert(b.symbols[block.symbol].clone(), place.clone());
        }
    }
    if moved.is_empty() {
        return;
    }
    for line in b.prologue.iter_mut().chain(&mut b.lines) {
        let Line::Op { instruction, .. } = line else { continue };
        for operand in &mut instruction.operands {
            match operand {
                Operand::Name(name) => {
                    if let Some((new, offset)) = moved.get(name) {
                        *operand = Operand::Offset(new.clone(), *offset as i64);
                    }
                }
                Operand::Address(address) => {
                    if let AddressBase::Name(name) = &mut address.base
                        && let Some((new, offset)) = moved.get(name)
                    {
                        *name = new.clone();
                        address.offset += *offset as i64;
                    }
                }
                _ => {}
            }
        }
    }
}

fn load(b: &mut Builder, home: &Home) {
    let Home { register, ty, place } = home;
    let name = format!("ld.local.{}", stored_type(*ty).name());
    let target = Operand::Name(register.name());
    if register.class == Class::Predicate {
        let word = b.register(ScalarType::U32, false);
        op(b, &name, vec![Operand::Name(word.name()), place.clone()], Some(word));
        let operands = vec![target, Operand::Name(word.name()), Operand::integer(0)];
        op(b, "setp.ne.u32", operands, Some(*register));
    } else {
        op(b, &name, vec![target, place.clone()], Some(*register));
    }
}

fn store(b: &mut Builder, home: &Home, guard: Option<Guard>) {
    let Home { register, ty, place } = home;
    let mut value = Operand::Name(register.name());
    if register.class == Class::Predicate {
        let word = b.register(ScalarType::U32, false);
        let operands =
            vec![Operand::Name(word.name()), Operand::integer(1), Operand::integer(0), value];
        op(b, "selp.u32", operands, Some(word));
        value = Operand::Name(word.name());
    }
    let name = format!("st.local.{}", stored_type(*ty).name());
    let mut instruction = Instruction::new(&name, vec![place.clone(), value]);
    instruction.guard = guard;
    b.lines.push(Line::Op { instruction, dest: None, pure: false });
}

fn op(b: &mut Builder, name: &str, operands: Vec<Operand>, dest: Option<Register>) {
    let instruction = Instruction::new(name, operands);
    b.lines.push(Line::Op { instruction, dest, pure: false });
}

/// The registers that an operand names.
fn names(operand: &Operand, out: &mut Vec<String>) {
    match operand {
        Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => {
            out.push(name.clone());
        }
        Operand::Immediate(_) => {}
        Operand::Vector(list) | Operand::Arguments(list) => {
            list.iter().for_each(|operand| names(operand, out));
        }
        Operand::Pair(a, b) => {
            names(a, out);
            names(b, out);
        }
        Operand::Address(address) => {
            if let AddressBase::Name(name) = &address.base {
                out.push(name.clone());
            }
            address.extra.iter().for_each(|operand| names(operand, out));
        }
    }
}

fn statement_names(statement: &Statement, out: &mut Vec<String>) {
    match statement {
        Statement::Instruction(instruction) => {
            instruction.operands.iter().for_each(|operand| names(operand, out));
        }
        Statement::Block(inner) => inner.iter().for_each(|inner| statement_names(inner, out)),
        _ => {}
    }
}
