//! Objects of a constant evaluation: initialization, places, loads and stores.

use super::{FUNCTION, Interpreter};
use crate::typed::*;
use crate::types::TypeId;

impl Interpreter<'_> {
    pub(super) fn is_aggregate(&self, ty: TypeId) -> bool {
        self.analyzer.types.is_aggregate(ty)
    }

    /// Initializes the object at an address with a value of any type.
    pub(super) fn initialize(&mut self, value: &Typed, place: u64) -> Option<()> {
        self.spend()?;
        let ty = value.ty;
        if !self.is_aggregate(ty) {
            let bits = self.scalar(value)?;
            return self.store(place, ty, bits);
        }
        let size = self.analyzer.types.size(ty);
        match &value.kind {
            TypedKind::Load(object) => {
                let from = self.place(object)?;
                let bytes = self.read(from, size)?.to_vec();
                self.write(place, &bytes)
            }
            TypedKind::Aggregate(parts, zero) => {
                if *zero {
                    self.write(place, &vec![0; size as usize])?;
                }
                for (offset, bits, part) in parts {
                    match bits {
                        Some(bits) => {
                            let value = self.scalar(part)?;
                            self.store_bits(place + offset, part.ty, *bits, value)?;
                        }
                        None => self.initialize(part, place + offset)?,
                    }
                }
                Some(())
            }
            TypedKind::Repeat(element, count) => {
                let step = self.analyzer.types.size(element.ty);
                (0..*count).try_for_each(|at| self.initialize(element, place + at * step))
            }
            TypedKind::ConstructorCall(function, arguments) => {
                let mut values = vec![place];
                for argument in arguments {
                    values.push(self.argument(argument)?);
                }
                self.call(*function, values, 0).map(|_| ())
            }
            TypedKind::Call(function, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.argument(argument)?);
                }
                self.call(*function, values, place).map(|_| ())
            }
            TypedKind::Conditional(condition, yes, no) => {
                let chosen = if self.scalar(condition)? != 0 { yes } else { no };
                self.initialize(chosen, place)
            }
            TypedKind::Comma(first, second) => {
                self.run(first)?;
                self.initialize(second, place)
            }
            _ if value.lvalue => {
                let from = self.place(value)?;
                let bytes = self.read(from, size)?.to_vec();
                self.write(place, &bytes)
            }
            _ => None,
        }
    }

    /// Evaluates an argument: a scalar, or the address of a new object.
    pub(super) fn argument(&mut self, value: &Typed) -> Option<u64> {
        if !self.is_aggregate(value.ty) {
            return self.scalar(value);
        }
        let size = self.analyzer.types.size(value.ty);
        let place = self.object(size)?;
        self.initialize(value, place)?;
        Some(place)
    }

    fn store(&mut self, place: u64, ty: TypeId, bits: u64) -> Option<()> {
        let size = self.analyzer.types.size(ty) as usize;
        self.write(place, bits.to_le_bytes().get(..size)?)
    }

    fn load(&mut self, place: u64, ty: TypeId) -> Option<u64> {
        let size = self.analyzer.types.size(ty);
        let bytes = self.read(place, size)?;
        let mut padded = [0; 8];
        padded.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(self.analyzer.types.normalize(ty, u64::from_le_bytes(padded)))
    }

    fn store_bits(
        &mut self,
        place: u64,
        ty: TypeId,
        (start, width): (u8, u8),
        value: u64,
    ) -> Option<()> {
        let old = self.load(place, ty)?;
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        let new = old & !(mask << start) | (value & mask) << start;
        self.store(place, ty, new)
    }

    /// The value of an object; handles bit fields.
    pub(super) fn value_at(&mut self, object: &Typed) -> Option<u64> {
        let place = self.place(object)?;
        let value = self.load(place, object.ty)?;
        let TypedKind::Field(_, _, Some((start, width))) = object.kind else { return Some(value) };
        let shifted = value << (64 - u32::from(start) - u32::from(width)).min(63);
        let shift = 64 - u32::from(width);
        Some(if self.analyzer.types.is_signed(object.ty) {
            ((shifted as i64) >> shift) as u64
        } else {
            shifted >> shift
        })
    }

    pub(super) fn assign_to(&mut self, object: &Typed, value: u64) -> Option<()> {
        let place = self.place(object)?;
        match object.kind {
            TypedKind::Field(_, _, Some(bits)) => self.store_bits(place, object.ty, bits, value),
            _ => self.store(place, object.ty, value),
        }
    }

    /// The address of an object.
    pub(super) fn place(&mut self, value: &Typed) -> Option<u64> {
        self.spend()?;
        match &value.kind {
            TypedKind::Local(local) => {
                if let Some(locals) = &self.locals {
                    return locals.get(local.0 as usize).copied();
                }
                if let Some(&known) = self.outer.get(local) {
                    return Some(known);
                }
                let bytes = self.analyzer.local_bytes(*local)?;
                let place = self.object(bytes.bytes.len() as u64)?;
                self.write(place, &bytes.bytes)?;
                self.outer.insert(*local, place);
                Some(place)
            }
            TypedKind::Variable(variable) => self.variable(*variable),
            TypedKind::Function(function) => Some(FUNCTION | u64::from(function.0)),
            TypedKind::Dereference(pointer) => self.scalar(pointer).filter(|&pointer| pointer != 0),
            TypedKind::Field(object, offset, _) => self.place(object)?.checked_add(*offset),
            TypedKind::Temporary(inner) => {
                let size = self.analyzer.types.size(inner.ty);
                let place = self.object(size.max(1))?;
                self.initialize(inner, place)?;
                Some(place)
            }
            TypedKind::Assign(object, _) | TypedKind::CompoundAssign(_, object, ..) => {
                self.run(value)?;
                self.place(object)
            }
            TypedKind::Increment(object, _, false) => {
                self.run(value)?;
                self.place(object)
            }
            TypedKind::Conditional(condition, yes, no) => {
                let chosen = if self.scalar(condition)? != 0 { yes } else { no };
                self.place(chosen)
            }
            TypedKind::Comma(first, second) => {
                self.run(first)?;
                self.place(second)
            }
            _ => None,
        }
    }
}
