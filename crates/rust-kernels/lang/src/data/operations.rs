//! Operations on values, written once for all types because they work on leaves.

use crate::data::leaves::{
    Data, Handle, Item, Kind, Leaf, Part, Parts, Places, Values, Variables, leaves,
};
use crate::data::place::Place;
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Class, Register, Value, extended, memory_type};
use crate::scalar::compare::{Relation, relate};
use crate::scalar::var::Var;
use lanework_ptx::ScalarType;

fn build<T: Data, K: Kind>(items: impl IntoIterator<Item = Item>) -> T::Of<K> {
    let parts: Vec<Part> = items.into_iter().map(Part).collect();
    T::build::<K>(&mut Parts::new(&parts))
}

fn parts<T: Data, K: Kind>(value: T::Of<K>) -> Vec<Part> {
    let mut out = Vec::new();
    T::parts::<K>(value, &mut out);
    out
}

/// The values of a handle's leaves.
pub(crate) fn values<T: Data>(handle: Handle<T>) -> Vec<Value> {
    let value = |part: Part| match part.0 {
        Item::Value(value) => value,
        Item::Memory { .. } => unreachable!("handles are made of values"),
    };
    parts::<T, Values>(handle).into_iter().map(value).collect()
}

/// The handle with these leaves.
pub(crate) fn handle<T: Data>(values: impl IntoIterator<Item = Value>) -> Handle<T> {
    build::<T, Values>(values.into_iter().map(Item::Value))
}

/// The handle of an ordinary value.
pub fn constant<T: Data>(value: T) -> Handle<T> {
    let mut bits = Vec::new();
    value.bits(&mut bits);
    handle::<T>(bits.into_iter().map(Value::Constant))
}

/// The place of a value in memory.
pub(crate) fn place<T: Data, K: Kind>(at: Place<T>) -> T::Of<K> {
    build::<T, K>(leaves::<T>().into_iter().map(|leaf| at.part(leaf.offset as i64).0))
}

/// Registers for a value.
pub(crate) fn declare<T: Data>() -> Handle<T> {
    handle::<T>(registers(&leaves::<T>(), false).into_iter().map(Value::Register))
}

/// A variable without a value.
pub(crate) fn variable<T: Data>() -> T::Of<Variables> {
    let registers = registers(&leaves::<T>(), true);
    build::<T, Variables>(registers.into_iter().map(|r| Item::Value(Value::Register(r))))
}

fn registers(leaves: &[Leaf], mutable: bool) -> Vec<Register> {
    with(|b| leaves.iter().map(|leaf| b.register(leaf.ty, mutable)).collect())
}

/// `out = value`, where `out` was declared.
pub(crate) fn assign<T: Data>(out: Handle<T>, value: Handle<T>) {
    store(&leaves::<T>(), &parts::<T, Values>(out), &values::<T>(value));
}

/// Assigns values to variables, declared registers or places.
fn store(leaves: &[Leaf], targets: &[Part], values: &[Value]) {
    with(|b| {
        for ((leaf, target), value) in leaves.iter().zip(targets).zip(values) {
            match target.0 {
                Item::Value(Value::Register(register)) => b.assign(register, *value, leaf.ty),
                Item::Value(_) => {}
                Item::Memory { .. } => b.store_leaf(*target, leaf.ty, *value),
            }
        }
    });
}

/// `target = source`, one leaf.
pub(crate) fn store_part(leaf: Leaf, target: Part, source: Part) {
    if let Item::Value(value) = source.0 {
        store(&[leaf], &[target], &[value]);
    }
}

/// Whether [`select`] exists for a `T`.
pub(crate) fn selectable<T: Data>() -> bool {
    let leaves = leaves::<T>();
    !leaves.is_empty() && leaves.iter().all(|leaf| leaf.ty != ScalarType::Pred)
}

/// `condition ? first : second`, both computed.
pub(crate) fn select<T: Data>(
    condition: Var<bool>,
    first: Handle<T>,
    second: Handle<T>,
) -> Handle<T> {
    let (first, second, leaves) = (values::<T>(first), values::<T>(second), leaves::<T>());
    handle::<T>(with(|b| -> Vec<Value> {
        let sides = first.into_iter().zip(second).zip(&leaves);
        sides.map(|((x, y), leaf)| select_leaf(b, condition, leaf.ty, x, y)).collect()
    }))
}

fn select_leaf(b: &mut Builder, condition: Var<bool>, ty: ScalarType, x: Value, y: Value) -> Value {
    let (x, y) = (extended(x, ty), extended(y, ty));
    let ty = Class::of(ty).bits_type();
    let name = format!("selp.{}", ty.name());
    b.pure(&name, ty, &[(x, ty), (y, ty), (condition.value, ScalarType::Pred)])
}

/// The current value of a value of any kind; it reflects later assignments.
#[track_caller]
pub fn read_view<T: Data, K: Kind>(value: T::Of<K>) -> Handle<T> {
    here();
    let (parts, leaves) = (parts::<T, K>(value), leaves::<T>());
    handle::<T>(with(|b| -> Vec<Value> {
        parts.iter().zip(&leaves).map(|(part, leaf)| b.read_leaf(*part, leaf.ty)).collect()
    }))
}

/// The current value of a value of any kind, unaffected by later assignments.
#[track_caller]
pub fn read_copy<T: Data, K: Kind>(value: T::Of<K>) -> Handle<T> {
    let leaves = leaves::<T>();
    let values = values::<T>(read_view::<T, K>(value));
    handle::<T>(with(|b| -> Vec<Value> {
        let leaves = values.into_iter().zip(&leaves);
        leaves.map(|(value, leaf)| b.copied(value, leaf.ty)).collect()
    }))
}

impl Builder {
    /// A copy of a value that may belong to a variable.
    pub(crate) fn copied(&mut self, value: Value, ty: ScalarType) -> Value {
        match value {
            Value::Register(register) if register.mutable => {
                let name = format!("mov.{}", register.class.bits_type().name());
                self.pure(&name, ty, &[(value, ty)])
            }
            _ => value,
        }
    }

    fn read_leaf(&mut self, part: Part, ty: ScalarType) -> Value {
        let Item::Memory { space, base, offset } = part.0 else {
            let Item::Value(value) = part.0 else { unreachable!("the other case") };
            return value;
        };
        let address = Place::<u8>::new(space, base, offset).operand(self);
        let stored = stored_type(ty);
        let loaded = self.emit_to(
            &format!("ld.{}.{}", space.word(), stored.name()),
            ty_of(ty),
            vec![address],
        );
        self.unstored(loaded, ty)
    }

    /// Converts a loaded leaf of type `ty` from its memory representation.
    pub(crate) fn unstored(&mut self, loaded: Value, ty: ScalarType) -> Value {
        match ty {
            ScalarType::Pred => {
                relate(self, Relation::Ne, ScalarType::U8, loaded, Value::Constant(0))
            }
            _ => loaded,
        }
    }

    fn store_leaf(&mut self, part: Part, ty: ScalarType, value: Value) {
        let Item::Memory { space, base, offset } = part.0 else { return };
        self.before_store(space);
        let value = match ty {
            ScalarType::Pred => crate::scalar::cast::cast(self, value, ty, ScalarType::U8),
            _ => value,
        };
        let address = Place::<u8>::new(space, base, offset).operand(self);
        let operands = vec![address, self.operand(value, ty_of(ty))];
        self.emit(&format!("st.{}.{}", space.word(), stored_type(ty).name()), operands);
    }
}

/// The type of a leaf's register when it was just loaded.
fn ty_of(ty: ScalarType) -> ScalarType {
    if ty == ScalarType::Pred { ScalarType::U8 } else { ty }
}

/// The type of a leaf in memory: a `bool` is a byte.
pub(crate) fn stored_type(ty: ScalarType) -> ScalarType {
    memory_type(ty_of(ty))
}

/// Loads a value from memory.
#[track_caller]
pub(crate) fn load<T: Data>(at: Place<T>) -> Handle<T> {
    read_view::<T, Places>(place::<T, Places>(at))
}

/// Stores a value in memory.
#[track_caller]
pub(crate) fn save<T: Data>(at: Place<T>, value: Handle<T>) {
    here();
    let targets = parts::<T, Places>(place::<T, Places>(at));
    store(&leaves::<T>(), &targets, &values::<T>(value));
}

/// `target = value` for a value of a struct or an enum.
#[track_caller]
pub fn set<T: Data, K: Kind>(target: T::Of<K>, value: Handle<T>) {
    here();
    store(&leaves::<T>(), &parts::<T, K>(target), &values::<T>(value));
}
