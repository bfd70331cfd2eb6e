//! Virtual functions: which function overrides which, the tables that objects refer to, and calls through them.
//!
//! An object of a polymorphic class starts with a pointer to a table: the description of its class, the offset of the
//! part that refers to the table, then for each virtual function its address and the offset to the part that declares it.

use super::{Analyzer, VirtualFunctions};
use crate::analyze::TemplateArgument;
use crate::source::Span;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};
use std::rc::Rc;

/// Bytes of a table before the first function, and bytes of a function.
pub(in crate::analyze) const TABLE_START: u64 = 16;
pub(in crate::analyze) const TABLE_STEP: u64 = 16;

impl Analyzer {
    fn is_destructor(&self, number: FunctionNumber) -> bool {
        self.text(self.function(number).name).starts_with('~')
    }

    /// Whether a function overrides another one of a base.
    fn overrides(&mut self, number: FunctionNumber, base: FunctionNumber) -> bool {
        match (self.is_destructor(number), self.is_destructor(base)) {
            (true, true) => return true,
            (false, false) => {}
            _ => return false,
        }
        let (own, other) = (self.function(number), self.function(base));
        if own.name != other.name
            || own.syntax.signature.is_const != other.syntax.signature.is_const
            || own.syntax.signature.parameters.len() != other.syntax.signature.parameters.len()
        {
            return false;
        }
        let (Some(own), Some(other)) = (self.signature(number), self.signature(base)) else {
            return false;
        };
        let mut pairs = own.parameters.iter().zip(&other.parameters);
        pairs.all(|(a, b)| self.types.bare(a.ty) == self.types.bare(b.ty))
    }

    fn polymorphic_base(&self, base: TypeId) -> Option<RecordId> {
        self.types.record_of(base).filter(|&base| self.types.record(base).polymorphic)
    }

    /// Finds the virtual functions of a class whose members are declared.
    pub(in crate::analyze) fn collect_virtuals(&mut self, id: RecordId) {
        let declared = self.declared.remove(&id).unwrap_or_default();
        let bases = self.types.record(id).bases.clone();
        let primary = bases.iter().position(|(base, _)| self.polymorphic_base(*base).is_some());
        if primary.is_none() && !declared.iter().any(|&number| self.function(number).is_virtual) {
            return;
        }
        let record = self.types.record_mut(id);
        (record.polymorphic, record.needs_construction) = (true, true);
        record.primary = primary;
        let own_slots = primary.and_then(|at| self.polymorphic_base(bases[at].0));
        let mut slots = own_slots.map_or(Vec::new(), |base| self.virtuals[&base].slots.clone());
        let mut others = Vec::new();
        for (at, (base, _)) in bases.iter().enumerate() {
            if Some(at) != primary
                && let Some(base) = self.polymorphic_base(*base)
            {
                others.extend(self.virtuals[&base].slots.clone());
            }
        }
        for &number in &declared {
            let mut found = false;
            for slot in &mut slots {
                if self.overrides(number, *slot) {
                    (*slot, found) = (number, true);
                }
            }
            for &slot in &others {
                found |= self.overrides(number, slot);
            }
            if !found && self.function(number).is_virtual {
                slots.push(number);
            }
            self.functions[number.0 as usize].is_virtual |= found;
        }
        let inherited = slots.iter().chain(&others).any(|&slot| self.is_destructor(slot));
        if inherited {
            self.types.record_mut(id).has_destructor = true;
            let own = self.destructor_of(id);
            self.functions[own.0 as usize].is_virtual = true;
            for slot in &mut slots {
                if self.is_destructor(*slot) {
                    *slot = own;
                }
            }
        }
        self.virtuals.insert(id, VirtualFunctions { declared, slots });
    }

    /// The functions of the table to which the part `part` of an object at an offset refers.
    fn table_entries(
        &mut self,
        class: RecordId,
        offset: u64,
        part: RecordId,
    ) -> Vec<FunctionNumber> {
        let Some(own) = self.virtuals.get(&class).cloned() else { return Vec::new() };
        if class == part {
            return own.slots;
        }
        for (base, at) in self.types.record(class).bases.clone() {
            let Some(base) = self.polymorphic_base(base).filter(|_| at <= offset) else { continue };
            if !self.parts_with_tables(base).contains(&(offset - at, part)) {
                continue;
            }
            let mut list = self.table_entries(base, offset - at, part);
            for slot in &mut list {
                if self.is_destructor(*slot) {
                    *slot = self.destructor_of(class);
                }
                for &number in &own.declared {
                    if self.overrides(number, *slot) {
                        *slot = number;
                    }
                }
            }
            return list;
        }
        Vec::new()
    }

    /// The parts of an object that refer to tables: offsets and classes.
    pub(in crate::analyze) fn parts_with_tables(&self, class: RecordId) -> Vec<(u64, RecordId)> {
        let record = self.types.record(class);
        if !record.polymorphic {
            return Vec::new();
        }
        let mut list = vec![(0, class)];
        for (at, (base, offset)) in record.bases.iter().enumerate() {
            let Some(base) = self.types.record_of(*base) else { continue };
            for (inner, part) in self.parts_with_tables(base) {
                if record.primary != Some(at) || inner != 0 {
                    list.push((offset + inner, part));
                }
            }
        }
        list
    }

    /// The table of virtual functions of a part.
    fn table(&mut self, class: RecordId, offset: u64, part: RecordId) -> VariableNumber {
        let entries = self.table_entries(class, offset, part);
        entries.iter().for_each(|&number| self.need(number));
        if let Some(&known) = self.tables.get(&(class, offset)) {
            return known;
        }
        let ty = self.types.intern(TypeKind::Record(class));
        let description = self.type_object(ty);
        let mut bytes = vec![0; 8];
        bytes.extend(offset.to_le_bytes());
        let mut addresses = vec![(0, AddressTarget::Variable(description), 0)];
        for &number in &entries {
            let at = bytes.len() as u64;
            let pure = self.function(number).syntax.pure_virtual;
            let target = if pure { self.pure_virtual() } else { Some(number) };
            if let Some(target) = target {
                addresses.push((at, AddressTarget::Function(target), 0));
            }
            let home = self.function(number).record.unwrap_or(class);
            let home = self.types.base_offset(class, home).unwrap_or(0);
            bytes.extend([0; 8]);
            bytes.extend((home as i64 - offset as i64).to_le_bytes());
        }
        let symbol = format!("_ZTV{}_{offset}", self.types.record(class).mangled);
        let number = self.data_variable("table", symbol, bytes, addresses);
        self.tables.insert((class, offset), number);
        number
    }

    /// The function that pure virtual calls reach; `None` in device code.
    fn pure_virtual(&mut self) -> Option<FunctionNumber> {
        let name = self.parser.names.find("__lw_pure_virtual")?;
        match self.find_in(0, name, 0)? {
            super::scopes::Binding::Functions(list) => {
                let only = *list.first()?;
                self.need(only);
                Some(only)
            }
            _ => None,
        }
    }

    /// A variable of the compiler, with known bytes.
    pub(in crate::analyze) fn data_variable(
        &mut self,
        name: &str,
        symbol: String,
        bytes: Vec<u8>,
        addresses: Vec<(u64, AddressTarget, i64)>,
    ) -> VariableNumber {
        let count = bytes.len() as u64 / 8;
        let ty = self.types.intern(TypeKind::Array(TypeId::UNSIGNED_LONG, Some(count)));
        self.variables.push(ModuleVariable {
            name: name.to_owned(),
            symbol,
            ty,
            space: VariableSpace::Device,
            is_extern: false,
            visible: false,
            managed: false,
            align: 8,
            bytes: Some(Rc::new(ConstantBytes { bytes, addresses })),
            span: Span::default(),
        });
        VariableNumber(self.variables.len() as u32 - 1)
    }

    /// The description of a type at run time: its name, and its bases with their offsets.
    pub(in crate::analyze) fn type_object(&mut self, ty: TypeId) -> VariableNumber {
        let ty = self.types.bare(ty);
        if let Some(&known) = self.type_objects.get(&ty) {
            return known;
        }
        let text = match self.types.record_of(ty) {
            Some(record) => self.qualified_name(record),
            None => self.types.display(ty),
        };
        let units: Vec<u32> = text.bytes().map(u32::from).collect();
        let name = self.text_variable(&units, TypeId::CHAR, Span::default());
        let bases = self.types.record_of(ty).map(|record| self.types.record(record).bases.clone());
        let bases = bases.unwrap_or_default();
        let mangled = self.mangle_arguments(&[TemplateArgument::Type(ty)]);
        let units: Vec<u32> = mangled[1..mangled.len() - 1].bytes().map(u32::from).collect();
        let mangled = self.text_variable(&units, TypeId::CHAR, Span::default());
        let mut bytes = vec![0; 8];
        bytes.extend((bases.len() as u64).to_le_bytes());
        bytes.extend([0; 8]);
        let mut addresses =
            vec![(0, AddressTarget::Variable(name), 0), (16, AddressTarget::Variable(mangled), 0)];
        for (base, offset) in bases {
            let base = self.type_object(base);
            addresses.push((bytes.len() as u64, AddressTarget::Variable(base), 0));
            bytes.extend([0; 8]);
            bytes.extend(offset.to_le_bytes());
        }
        let symbol = format!("_ZTI$type{}", self.type_objects.len());
        let number = self.data_variable("type", symbol, bytes, addresses);
        self.type_objects.insert(ty, number);
        number
    }

    /// The name of a class with its namespaces.
    fn qualified_name(&self, record: RecordId) -> String {
        let found = self.types.record(record);
        let mut text = found.name.clone();
        let mut scope = self.scopes[found.scope].parent;
        while let Some(here) = scope.and_then(|scope| self.scopes.get(scope)) {
            if let Some(mangled) = here.mangled.as_ref().filter(|_| here.is_namespace) {
                let name = mangled.trim_start_matches(|c: char| c.is_ascii_digit());
                text = match name {
                    "_GLOBAL__N_1" => format!("(anonymous namespace)::{text}"),
                    name => format!("{name}::{text}"),
                };
            }
            scope = here.parent;
        }
        text
    }

    /// The address of the description of a type.
    pub(in crate::analyze) fn type_object_address(&mut self, ty: TypeId, span: Span) -> Typed {
        let variable = self.type_object(ty);
        self.data_address(variable, span)
    }

    fn data_address(&mut self, variable: VariableNumber, span: Span) -> Typed {
        let ty = self.variables[variable.0 as usize].ty;
        let kind = TypedKind::Variable(variable);
        let object = Typed { kind, ty, lvalue: true, expiring: false, span };
        let address = self.address_of(object);
        Typed { ty: self.types.pointer(TypeId::VOID), ..address }
    }

    /// The addresses of the tables for a new object of a class, and their places in it.
    pub(in crate::analyze) fn table_addresses(
        &mut self,
        class: RecordId,
        span: Span,
    ) -> Vec<(u64, Typed)> {
        let parts = self.parts_with_tables(class);
        let mut list = Vec::new();
        for (offset, part) in parts {
            let table = self.table(class, offset, part);
            list.push((offset, self.data_address(table, span)));
        }
        list
    }

    /// Lets `*this` refer to the tables of the class whose constructor or destructor runs.
    pub(in crate::analyze) fn refer_to_tables(&mut self, statements: &mut Vec<TypedStatement>) {
        let Some(this) = self.frame.as_ref().and_then(|frame| frame.this.clone()) else { return };
        let Some(class) = self.types.record_of(this.ty) else { return };
        for (offset, address) in self.table_addresses(class, this.span) {
            let place = self.part(this.clone(), offset, address.ty, None);
            let (ty, span) = (address.ty, this.span);
            let kind = TypedKind::Assign(Box::new(place), Box::new(address));
            let value = Typed { kind, ty, lvalue: true, expiring: false, span };
            statements.push(TypedStatement { kind: TypedStatementKind::Expression(value), span });
        }
    }

    /// The class whose table contains a virtual function, and its place there.
    fn virtual_slot(&mut self, number: FunctionNumber, class: RecordId) -> Option<(RecordId, u64)> {
        let slots = self.virtuals.get(&class)?.slots.clone();
        for (at, slot) in slots.into_iter().enumerate() {
            if slot == number || self.overrides(number, slot) {
                return Some((class, at as u64));
            }
        }
        let bases = self.types.record(class).bases.clone();
        bases.into_iter().find_map(|(base, _)| {
            let base = self.polymorphic_base(base)?;
            self.virtual_slot(number, base)
        })
    }

    /// Calls a virtual function of an object whose class is known at run time only.
    pub(in crate::analyze) fn virtual_call(
        &mut self,
        number: FunctionNumber,
        object: Typed,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let class = self.function(number).record?;
        let (holder, slot) = self.virtual_slot(number, class)?;
        let object = self.as_base(object, holder)?;
        let this = self.address_of(object);
        let mut arguments = self.fit_arguments(number, values, span)?;
        let result = self.result_of(number, span)?;
        arguments.insert(0, this);
        self.exceptions.indirect(self.frame.as_ref().map(|frame| frame.function));
        let place = TABLE_START + slot * TABLE_STEP;
        Some(self.call_result(TypedKind::CallVirtual(place, arguments), result, span))
    }

    /// Reports an object of a class that has a pure virtual function.
    pub(in crate::analyze) fn check_concrete(&mut self, class: RecordId, span: Span) -> bool {
        let Some(number) = self.pure_function(class) else { return true };
        let name = self.types.record(class).name.clone();
        let message = format!("class `{name}` is abstract: it has a pure virtual function");
        let place = self.function(number).syntax.span;
        let problem = crate::source::SourceProblem::error(span, message);
        self.report(problem.note(place, "this function is not overridden"));
        false
    }

    /// The first pure virtual function of a class, which makes the class abstract.
    fn pure_function(&self, class: RecordId) -> Option<FunctionNumber> {
        let slots = &self.virtuals.get(&class)?.slots;
        slots.iter().copied().find(|&number| self.function(number).syntax.pure_virtual)
    }
}
