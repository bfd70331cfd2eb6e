//! Mangled names (Itanium C++ ABI, section 5.1), with substitutions; C functions, which the linker finds by their names.

use super::super::templates::TemplateArgument;
use super::{Analyzer, FunctionRecord, Signature};
use crate::syntax::BuiltinType;
use crate::typed::FunctionNumber;
use crate::types::{TypeId, TypeKind};

/// Components that `S_` may refer to.
#[derive(Default)]
struct Mangler {
    known: Vec<String>,
}

impl Mangler {
    /// A reference to a component that occurred before; else its text, which this remembers.
    fn substitute(&mut self, plain: &str, text: String) -> String {
        if let Some(at) = self.known.iter().position(|known| known == plain) {
            return match at {
                0 => "S_".to_owned(),
                _ => format!("S{}_", base36(at - 1)),
            };
        }
        self.known.push(plain.to_owned());
        text
    }
}

fn base36(mut number: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((number % 36) as u32, 36).unwrap_or('0').to_ascii_uppercase());
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

fn builtin(kind: BuiltinType) -> &'static str {
    use BuiltinType::*;
    match kind {
        Void => "v",
        Bool => "b",
        Char => "c",
        SignedChar => "a",
        UnsignedChar => "h",
        WideChar => "w",
        Char16 => "Ds",
        Char32 => "Di",
        Short => "s",
        UnsignedShort => "t",
        Int => "i",
        UnsignedInt => "j",
        Long => "l",
        UnsignedLong => "m",
        LongLong => "x",
        UnsignedLongLong => "y",
        Float => "f",
        Double => "d",
        LongDouble => "e",
    }
}

impl Analyzer {
    /// The symbol of a function.
    pub fn symbol(&mut self, number: FunctionNumber) -> String {
        let record = self.function(number).clone();
        let text = self.text(record.name).to_owned();
        if (record.syntax.extern_c || text == "main") && record.record.is_none() {
            return text;
        }
        let mut mangler = Mangler::default();
        let mut name =
            if record.is_constructor { "C1".to_owned() } else { format!("{}{text}", text.len()) };
        if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let clean: String =
                text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            name = format!("{}{clean}{}", clean.len() + number.0.to_string().len(), number.0);
        }
        let home = match record.of_template {
            Some(template) => self.function(template).scope,
            None => record.scope,
        };
        let path = self.path(home);
        if path.is_empty() {
            if !record.arguments.is_empty() {
                mangler.known.push(name.clone());
            }
        } else {
            mangler.known.push(path.clone());
            if !record.arguments.is_empty() {
                mangler.known.push(format!("{path}{name}"));
            }
        }
        let arguments = if record.arguments.is_empty() {
            String::new()
        } else {
            self.mangle_list(&record.arguments, &mut mangler)
        };
        let constant =
            if record.syntax.signature.is_const && record.record.is_some() { "K" } else { "" };
        let mut symbol = if path.is_empty() {
            format!("_Z{name}{arguments}")
        } else {
            format!("_ZN{constant}{path}{name}{arguments}E")
        };
        let Some(signature) = self.signature(number) else { return symbol };
        if !record.arguments.is_empty() && !record.is_constructor {
            symbol.push_str(&self.mangle_type(signature.result, &mut mangler));
        }
        // For an instance, the ABI requires the template's types with `T_`. Using the types of the arguments
        // instead is correct unless parameters depend on them.
        let template =
            record.of_template.and_then(|template| self.function(template).template.clone());
        for (at, parameter) in signature.parameters.iter().enumerate() {
            let written = record.syntax.signature.parameters.get(at);
            let dependent = written.zip(template.as_ref()).and_then(|(written, list)| {
                self.mangle_dependent(&written.kind, written.kind.derived.len(), list, &mut mangler)
            });
            let text = match dependent {
                Some(text) => text,
                None => {
                    let ty = self.types.bare(parameter.ty);
                    self.mangle_type(ty, &mut mangler)
                }
            };
            symbol.push_str(&text);
        }
        if signature.parameters.is_empty() {
            symbol.push('v');
        }
        if signature.variadic {
            symbol.push('z');
        }
        symbol
    }

    /// The mangled form of a parameter type that names a template parameter, such as `PKT_`.
    fn mangle_dependent(
        &mut self,
        kind: &crate::syntax::TypeSyntax,
        count: usize,
        parameters: &[crate::syntax::TemplateParameterSyntax],
        mangler: &mut Mangler,
    ) -> Option<String> {
        let plain = dependent_text(kind, count, parameters)?;
        if let Some(at) = mangler.known.iter().position(|known| *known == plain) {
            return Some(if at == 0 { "S_".to_owned() } else { format!("S{}_", base36(at - 1)) });
        }
        let constant = count == 0 && kind.is_const && !kind.derived.is_empty();
        let text = if constant {
            let inner = plain.get(1..).unwrap_or_default().to_owned();
            format!("K{}", mangler.substitute(&inner, inner.clone()))
        } else if count == 0 {
            plain.clone()
        } else {
            let inner = self.mangle_dependent(kind, count - 1, parameters, mangler)?;
            format!("{}{inner}", plain.get(..1).unwrap_or_default())
        };
        Some(mangler.substitute(&plain, text))
    }

    fn mangle_type(&mut self, ty: TypeId, mangler: &mut Mangler) -> String {
        let plain = self.plain_mangled(ty);
        let (is_const, is_volatile) = (self.types.is_const(ty), self.types.is_volatile(ty));
        if (is_const || is_volatile) && !matches!(self.types.kind(ty), TypeKind::Array(..)) {
            if let Some(at) = mangler.known.iter().position(|known| *known == plain) {
                return if at == 0 { "S_".to_owned() } else { format!("S{}_", base36(at - 1)) };
            }
            let bare = self.types.bare(ty);
            let inner = self.mangle_type(bare, mangler);
            let marks = format!(
                "{}{}",
                if is_volatile { "V" } else { "" },
                if is_const { "K" } else { "" }
            );
            return mangler.substitute(&plain, format!("{marks}{inner}"));
        }
        if let Some(at) = mangler.known.iter().position(|known| *known == plain) {
            return if at == 0 { "S_".to_owned() } else { format!("S{}_", base36(at - 1)) };
        }
        match self.types.kind(ty).clone() {
            TypeKind::Builtin(kind) => builtin(kind).to_owned(),
            TypeKind::Pointer(to) => {
                let inner = self.mangle_type(to, mangler);
                mangler.substitute(&plain, format!("P{inner}"))
            }
            TypeKind::Reference(to) => {
                let inner = self.mangle_type(to, mangler);
                mangler.substitute(&plain, format!("R{inner}"))
            }
            TypeKind::RvalueReference(to) => {
                let inner = self.mangle_type(to, mangler);
                mangler.substitute(&plain, format!("O{inner}"))
            }
            TypeKind::Record(record) => {
                if let Some((_, arguments)) = self.record_templates.get(&record).cloned() {
                    let full = self.types.record(record).mangled.clone();
                    let list = self.mangle_arguments(&arguments);
                    let name = full.strip_suffix(&list).unwrap_or(&full).to_owned();
                    let name = mangler.substitute(&name, name.clone());
                    let list = self.mangle_list(&arguments, mangler);
                    return mangler.substitute(&plain, format!("{name}{list}"));
                }
                mangler.substitute(&plain, plain.clone())
            }
            TypeKind::Enumeration(_) => mangler.substitute(&plain, plain.clone()),
            _ => mangler.substitute(&plain, plain.clone()),
        }
    }

    fn mangle_list(&mut self, list: &[TemplateArgument], mangler: &mut Mangler) -> String {
        let mut text = String::from("I");
        for argument in list {
            match argument {
                TemplateArgument::Type(ty) => text.push_str(&self.mangle_type(*ty, mangler)),
                TemplateArgument::Pack(list) => {
                    let inner = self.mangle_list(list, mangler);
                    text.push('J');
                    text.push_str(inner.get(1..).unwrap_or("E"));
                }
                other => text.push_str(&self.plain_argument(other)),
            }
        }
        text.push('E');
        text
    }

    /// Mangles template arguments without substitutions.
    pub(in crate::analyze) fn mangle_arguments(&self, list: &[TemplateArgument]) -> String {
        let list: Vec<String> = list.iter().map(|argument| self.plain_argument(argument)).collect();
        format!("I{}E", list.concat())
    }

    fn plain_argument(&self, argument: &TemplateArgument) -> String {
        match argument {
            TemplateArgument::Type(ty) => self.plain_mangled(*ty),
            TemplateArgument::Value(bits, ty) => {
                let kind = self.plain_mangled(*ty);
                let value = *bits as i64;
                if value < 0 && self.types.is_signed(*ty) {
                    format!("L{kind}n{}E", value.unsigned_abs())
                } else {
                    format!("L{kind}{bits}E")
                }
            }
            TemplateArgument::Function(number) => {
                let function = self.function(*number);
                let text = self.text(function.name);
                let own = match function.arguments.is_empty() {
                    true => String::new(),
                    false => self.mangle_arguments(&function.arguments),
                };
                let kinds = function.signature.iter().flat_map(|known| &known.parameters);
                let kinds: String = kinds.map(|known| self.plain_mangled(known.ty)).collect();
                format!("XadL_Z{}{text}{own}{kinds}EE", text.len())
            }
            TemplateArgument::Template(number) => {
                let text = self.text(self.templates[*number].name);
                format!("{}{text}", text.len())
            }
            TemplateArgument::Pack(list) => {
                let list: Vec<String> =
                    list.iter().map(|argument| self.plain_argument(argument)).collect();
                format!("J{}E", list.concat())
            }
        }
    }

    /// Mangles a type without substitutions.
    fn plain_mangled(&self, ty: TypeId) -> String {
        let mut marks = String::new();
        if !matches!(self.types.kind(ty), TypeKind::Array(..)) {
            if self.types.is_volatile(ty) {
                marks.push('V');
            }
            if self.types.is_const(ty) {
                marks.push('K');
            }
        }
        let inner = match self.types.kind(ty) {
            TypeKind::Builtin(kind) => builtin(*kind).to_owned(),
            TypeKind::NullPointer => "Dn".to_owned(),
            TypeKind::Pointer(to) => format!("P{}", self.plain_mangled(*to)),
            TypeKind::MemberPointer(class, member, is_const) => {
                let mark = if *is_const { "K" } else { "" };
                format!("M{}{mark}{}", self.plain_mangled(*class), self.plain_mangled(*member))
            }
            TypeKind::Reference(to) => format!("R{}", self.plain_mangled(*to)),
            TypeKind::RvalueReference(to) => format!("O{}", self.plain_mangled(*to)),
            TypeKind::Array(element, count) => {
                format!("A{}_{}", count.unwrap_or(0), self.plain_mangled(*element))
            }
            TypeKind::Function(function) => {
                let list: Vec<String> =
                    function.parameters.iter().map(|&ty| self.plain_mangled(ty)).collect();
                let list = if list.is_empty() { "v".to_owned() } else { list.concat() };
                format!("F{}{list}E", self.plain_mangled(function.result))
            }
            TypeKind::Record(record) => nested(&self.types.record(*record).mangled),
            TypeKind::Enumeration(id) => nested(&self.types.enumerations[id.0 as usize].mangled),
            TypeKind::Auto => "Da".to_owned(),
            TypeKind::Error => "v".to_owned(),
        };
        format!("{marks}{inner}")
    }

    /// The symbol of a variable. Symbols of `local` variables need not match other compilers' names.
    pub(in crate::analyze) fn variable_symbol(&mut self, name: &str, local: bool) -> String {
        let path = self.path(self.scope);
        let base = match self.frame.as_ref().map(|frame| frame.function) {
            Some(function) if local => {
                // A local entity: `_ZZ`, the function, `E`, the entity's name.
                let symbol = self.symbol(function);
                let encoding = match symbol.strip_prefix("_Z") {
                    Some(encoding) => encoding.to_owned(),
                    None => format!("{}{symbol}", symbol.len()),
                };
                format!("_ZZ{encoding}E{}{name}", name.len())
            }
            _ if path.is_empty() => name.to_owned(),
            _ => format!("_ZN{path}{}{name}E", name.len()),
        };
        if !local {
            return base;
        }
        let taken = |symbol: &str| self.variables.iter().any(|variable| variable.symbol == symbol);
        if !taken(&base) {
            return base;
        }
        let mut at = self.variables.len();
        loop {
            let symbol = format!("{base}_{at}");
            if !taken(&symbol) {
                return symbol;
            }
            at += 1;
        }
    }
}

/// Mangles a type that names a template parameter, without substitutions.
fn dependent_text(
    kind: &crate::syntax::TypeSyntax,
    count: usize,
    parameters: &[crate::syntax::TemplateParameterSyntax],
) -> Option<String> {
    use crate::syntax::{BaseType, Derivation};
    if count == 0 {
        let BaseType::Named(name) = &kind.base else { return None };
        let simple = name.simple()?;
        let at = parameters.iter().position(|parameter| parameter.name == Some(simple))?;
        let number = if at == 0 { String::new() } else { base36(at - 1) };
        // A parameter's top-level `const` does not belong to the function's type.
        let constant = if kind.is_const && !kind.derived.is_empty() { "K" } else { "" };
        return Some(format!("{constant}T{number}_"));
    }
    let inner = dependent_text(kind, count - 1, parameters)?;
    let mark = match kind.derived.get(count - 1)? {
        Derivation::Pointer { .. } | Derivation::Array(_) => "P",
        Derivation::Reference => "R",
        Derivation::RvalueReference => "O",
        Derivation::Function(_) | Derivation::MemberPointer { .. } => return None,
    };
    Some(format!("{mark}{inner}"))
}

/// Encloses a path of several names in `N` and `E`.
fn nested(path: &str) -> String {
    let digits: String = path.chars().take_while(char::is_ascii_digit).collect();
    let length: usize = digits.parse().unwrap_or(0);
    let rest = path.get(digits.len() + length..).unwrap_or("");
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        format!("N{path}E")
    } else {
        path.to_owned()
    }
}

impl Analyzer {
    /// The definition that the linker finds for a function. C functions are found by name, so another file of the program
    /// may declare other parameter types, if they are passed alike. Other functions are found by the names of their
    /// parameters' types, so these may be classes that two files define.
    pub fn linked(&mut self, number: FunctionNumber) -> FunctionNumber {
        let record = self.function(number);
        let (name, span) = (record.name, record.syntax.span);
        if self.is_defined(record) || self.parser.map.is_builtin(span) {
            return number;
        }
        let is_c = |record: &FunctionRecord| record.syntax.extern_c && record.record.is_none();
        if !is_c(record) {
            return self.linked_by_symbol(number).unwrap_or(number);
        }
        let of_name = |record: &FunctionRecord| {
            record.name == name && is_c(record) && self.is_defined(record)
        };
        let Some(found) = self.functions.iter().position(of_name) else { return number };
        let found = FunctionNumber(found as u32);
        let Some((own, other)) = self.signature(number).zip(self.signature(found)) else {
            return number;
        };
        let types = |signature: &Signature| {
            let parameters = signature.parameters.iter().map(|parameter| parameter.ty);
            parameters.chain([signature.result]).collect::<Vec<_>>()
        };
        let (own, other) = (types(&own), types(&other));
        let mut shape = |ty: TypeId| {
            let is_void = self.types.bare(ty) == TypeId::VOID;
            let size = if is_void { 0 } else { self.types.size(ty) };
            (size, self.types.is_float(ty), self.types.is_aggregate(ty))
        };
        let is_alike =
            own.len() == other.len() && own.iter().zip(&other).all(|(a, b)| shape(*a) == shape(*b));
        if is_alike { found } else { number }
    }

    /// The defined function of another file with the symbol of a function that this file only declares.
    fn linked_by_symbol(&mut self, number: FunctionNumber) -> Option<FunctionNumber> {
        let name = without_file(self.text(self.function(number).name));
        let is_member = self.function(number).record.is_some();
        let candidates: Vec<FunctionNumber> = (0..self.functions.len())
            .map(|at| FunctionNumber(at as u32))
            .filter(|&other| {
                let record = self.function(other);
                without_file(self.text(record.name)) == name
                    && record.template.is_none()
                    && record.record.is_some() == is_member
                    && self.is_defined(record)
            })
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let wanted = without_file(&self.symbol(number));
        candidates.into_iter().find(|&other| without_file(&self.symbol(other)) == wanted)
    }
}

/// A name or mangled symbol as if no name in it had been renamed for a second file of the program: `9f__file2` is `1f`.
fn without_file(symbol: &str) -> String {
    let mut text = symbol.to_owned();
    while let Some(at) = text.find(OF_FILE) {
        let digits = text[at + OF_FILE.len()..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + OF_FILE.len() + digits;
        // The length before the name counts the suffix.
        let length = (1..=at).find_map(|start| {
            let first = text.get(start..)?.chars().next()?;
            let number = text.get(..start)?.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let starts = !first.is_ascii_digit() && number < start;
            let is_length = starts && text.get(number..start)?.parse() == Ok(end - start);
            is_length.then_some((number, start))
        });
        let head = match length {
            Some((number, start)) => {
                format!("{}{}{}", &text[..number], at - start, &text[start..at])
            }
            None => text[..at].to_owned(),
        };
        text = head + &text[end..];
    }
    text
}

/// The suffix, before the number of the file, that the command appends to a name that two files of a program define.
const OF_FILE: &str = "__file";

#[cfg(test)]
mod tests {
    use super::without_file;

    #[test]
    fn a_symbol_loses_what_was_appended_for_its_file() {
        assert_eq!(without_file("_Z3runP13Params__file2i"), "_Z3runP6Paramsi");
        assert_eq!(without_file("_Z10run__file3N2ns9A__file12E"), "_Z3runN2ns1AE");
        assert_eq!(without_file("helper__file2"), "helper");
        assert_eq!(without_file("_Z3runi"), "_Z3runi");
    }
}
