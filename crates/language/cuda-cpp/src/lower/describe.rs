//! Describes variables and their types for a debugger.

use super::FunctionLowering;
use super::module::ModuleLowering;
use super::names::{DebugArray, DebugField, DebugParameter, DebugType, DebugVariable, NamedSlot};
use crate::analyze::FunctionRecord;
use crate::source::Span;
use crate::syntax::BuiltinType;
use crate::typed::*;
use crate::types::{TypeId, TypeKind, TypeTable};
use lanework_ssa as ssa;
use std::sync::Arc;

/// How deep types are described: a list refers to its own type.
const DEPTH: u32 = 4;

impl FunctionLowering<'_, '_> {
    /// Names the stack slot of a local variable, and notes it for a debugger.
    pub(super) fn name_slot(&mut self, slot: ssa::SlotId, variable: &LocalVariable) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !variable.name.is_empty() && variable.name.chars().all(is_plain) {
            self.b.name_slot(slot, &variable.name);
        }
        if !self.module.debugs(variable) {
            return;
        }
        let first = self.module.position(variable.span).line;
        let last = self.block_ends.last().copied().filter(|last| *last >= first);
        let is_parameter = self.block_ends.is_empty()
            && self
                .body
                .parameters
                .iter()
                .any(|local| self.body.locals[local.0 as usize].span == variable.span);
        let lines = [if is_parameter { 0 } else { first }, last.unwrap_or(u32::MAX)];
        self.named.push(NamedSlot { slot, name: variable.name.clone(), ty: variable.ty, lines });
    }
}

impl ModuleLowering<'_> {
    /// Whether a debugger shows a local variable.
    pub(super) fn debugs(&self, variable: &LocalVariable) -> bool {
        let is_name = variable.name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let own = !self.analyzer.parser.map.is_builtin(variable.span);
        self.mode().debug && is_name && !variable.name.is_empty() && own
    }

    /// The line of the last byte of a span.
    pub(super) fn last_line(&mut self, span: Span) -> u32 {
        let last = Span { low: span.high.saturating_sub(1).max(span.low), ..span };
        self.position(last).line
    }

    /// Describes the variables of a function.
    pub(super) fn name_locals(
        &mut self,
        (record, body): (&FunctionRecord, &TypedBody),
        named: Vec<NamedSlot>,
        function: &ssa::SsaFunction,
    ) {
        for NamedSlot { slot, name, ty, lines } in named {
            let ty = self.describe(ty, DEPTH);
            let (function, memory) = (function.name.clone(), function.slot_variable(slot));
            self.names.variables.push(DebugVariable { function, name, ty, memory, lines });
        }
        if record.syntax.specifiers.global {
            for local in &body.parameters {
                let variable = &body.locals[local.0 as usize];
                let ty = self.describe(variable.ty, DEPTH);
                let (function, name) = (function.name.clone(), variable.name.clone());
                self.names.parameters.push(DebugParameter { function, name, ty });
            }
        }
    }

    /// Describes the variables of the module that were lowered.
    pub(super) fn name_arrays(&mut self) {
        let mut numbers: Vec<VariableNumber> = self.variables.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let variable = &self.analyzer.variables[number.0 as usize];
            let (name, ty) = (variable.symbol.clone(), variable.ty);
            let ty = self.describe(ty, DEPTH);
            self.names.arrays.push(DebugArray { name, ty });
        }
    }

    fn describe(&self, ty: TypeId, depth: u32) -> DebugType {
        let types: &TypeTable = &self.analyzer.types;
        let scalar = || match types.fundamental(ty) {
            Some(BuiltinType::Void) | None => DebugType::Void,
            Some(BuiltinType::Bool) => DebugType::Bool,
            Some(_) if types.is_float(ty) => DebugType::Float((types.bits(ty) / 8) as u8),
            Some(_) => {
                let bytes = (types.bits(ty) / 8) as u8;
                DebugType::Integer { bytes, signed: types.is_signed(ty) }
            }
        };
        match types.kind(ty) {
            TypeKind::Pointer(to) | TypeKind::Reference(to) | TypeKind::RvalueReference(to) => {
                let to = if depth > 0 { self.describe(*to, depth - 1) } else { DebugType::Void };
                DebugType::Pointer(Arc::new(to))
            }
            TypeKind::Array(element, count) => {
                DebugType::Array(Arc::new(self.describe(*element, depth)), count.unwrap_or(0))
            }
            TypeKind::Record(id) => {
                let record = types.record(*id);
                let field = |field: &crate::types::RecordField| DebugField {
                    name: self.analyzer.text(field.name).to_owned(),
                    offset: field.offset,
                    ty: match field.bits {
                        // The unit of a bit field.
                        Some(_) => DebugType::Integer { bytes: 4, signed: false },
                        None => self.describe(field.kind, depth.saturating_sub(1)),
                    },
                };
                let fields = if depth > 0 { &record.fields[..] } else { &[] };
                let fields: Vec<DebugField> = fields.iter().map(field).collect();
                DebugType::Record(record.name.as_str().into(), record.size, fields.into())
            }
            _ => scalar(),
        }
    }
}
