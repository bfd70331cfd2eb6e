//! The printer: a module as PTX text that `ptxas`, the driver and this crate's parser accept.
//!
//! It prints a `.loc` where the source location changes.

use crate::ast::*;
use std::fmt::{self, Display, Formatter};

impl Display for Version {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let suffix = match self.specific {
            Specific::Portable => "",
            Specific::Family => "f",
            Specific::Architecture => "a",
        };
        write!(f, "sm_{}{suffix}", self.architecture)?;
        self.options.iter().try_for_each(|option| write!(f, ", {option}"))
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}", self.version)?;
        writeln!(f, ".target {}", self.target)?;
        writeln!(f, ".address_size 64")?;
        for (index, file) in self.files.iter().enumerate() {
            let escaped = file.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, ".file {} \"{escaped}\"", index + 1)?;
        }
        for item in &self.items {
            writeln!(f)?;
            match item {
                Item::Variable(variable) => writeln!(f, "{variable};")?,
                Item::Function(function) => writeln!(f, "{function}")?,
                Item::Directive(words) => writeln!(f, "{words}")?,
            }
        }
        Ok(())
    }
}

impl Display for Linkage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Linkage::Internal => "",
            Linkage::Extern => ".extern ",
            Linkage::Visible => ".visible ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        })
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.linkage, self.space)?;
        // `.attribute(...)` belongs to the variable and comes first; `.ptr ...` to the type.
        let (first, last): (Vec<_>, Vec<_>) =
            self.attributes.iter().partition(|word| word.starts_with(".attribute"));
        first.iter().try_for_each(|word| write!(f, " {word}"))?;
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        if self.vector > 1 {
            write!(f, " .v{}", self.vector)?;
        }
        write!(f, " {}", self.ty)?;
        last.iter().try_for_each(|word| write!(f, " {word}"))?;
        write!(f, " {}", self.name)?;
        for dim in &self.dims {
            match dim {
                Some(extent) => write!(f, "[{extent}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &self.init {
            Some(init) => write!(f, " = {init}"),
            None => Ok(()),
        }
    }
}

impl Display for Initializer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Value(value) => write!(f, "{value}"),
            Initializer::Address { name, offset, generic } => {
                if *generic {
                    write!(f, "generic({name})")?;
                } else {
                    f.write_str(name)?;
                }
                signed_offset(f, *offset)
            }
            Initializer::Masked { mask, address } => write!(f, "{mask:#X}({address})"),
            Initializer::List(list) => {
                f.write_str("{")?;
                separated(f, list)?;
                f.write_str("}")
            }
            Initializer::Fields(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                write!(f, "{{ {} }}", fields.join(", "))
            }
        }
    }
}

impl Display for FunctionDirective {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shape = |[x, y, z]: [u32; 3]| format!("{x}, {y}, {z}");
        match self {
            FunctionDirective::MaxBlock(b) => write!(f, ".maxntid {}", shape(*b)),
            FunctionDirective::RequiredBlock(b) => write!(f, ".reqntid {}", shape(*b)),
            FunctionDirective::MinBlocksPerSm(n) => write!(f, ".minnctapersm {n}"),
            FunctionDirective::MaxRegisters(n) => write!(f, ".maxnreg {n}"),
            FunctionDirective::RequiredCluster(c) => write!(f, ".reqnctapercluster {}", shape(*c)),
            FunctionDirective::Other(words) if words.starts_with("pragma") => {
                write!(f, ".{words};")
            }
            FunctionDirective::Other(words) => write!(f, ".{words}"),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.linkage, if self.entry { ".entry " } else { ".func " })?;
        if !self.returns.is_empty() {
            f.write_str("(")?;
            separated(f, &self.returns)?;
            f.write_str(") ")?;
        }
        write!(f, "{}(", self.name)?;
        for (index, param) in self.params.iter().enumerate() {
            write!(f, "{}\n    {param}", if index > 0 { "," } else { "" })?;
        }
        f.write_str(if self.params.is_empty() { ")" } else { "\n)" })?;
        for directive in &self.directives {
            write!(f, "\n{directive}")?;
        }
        let Some(body) = &self.body else { return f.write_str(";") };
        f.write_str("\n{\n")?;
        BodyPrinter { location: None }.statements(f, body, 1)?;
        f.write_str("}")
    }
}

/// Prints statements and remembers the position last printed.
struct BodyPrinter<'a> {
    location: Option<&'a Location>,
}

impl<'a> BodyPrinter<'a> {
    fn statements(
        &mut self,
        f: &mut Formatter<'_>,
        statements: &'a [Statement],
        depth: usize,
    ) -> fmt::Result {
        let indent = "    ".repeat(depth);
        for statement in statements {
            match statement {
                Statement::Registers(registers) => writeln!(f, "{indent}{registers};")?,
                Statement::Variable(variable) => writeln!(f, "{indent}{variable};")?,
                Statement::Label(label) => writeln!(f, "{label}:")?,
                Statement::Directive(words) if words.starts_with(".loc ") => {
                    self.location = None;
                    writeln!(f, "{indent}{words}")?;
                }
                Statement::Directive(words) => writeln!(f, "{indent}{words};")?,
                Statement::Block(inner) => {
                    writeln!(f, "{indent}{{")?;
                    self.statements(f, inner, depth + 1)?;
                    writeln!(f, "{indent}}}")?;
                }
                Statement::Instruction(instruction) => {
                    if instruction.location.is_some()
                        && instruction.location.as_ref() != self.location
                    {
                        self.location = instruction.location.as_ref();
                        writeln!(f, "{indent}{}", self.location.expect("is some"))?;
                    }
                    writeln!(f, "{indent}{instruction};")?;
                }
            }
        }
        Ok(())
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".loc {} {} {}", self.file, self.line, self.column)?;
        match &self.inlined {
            Some(words) => write!(f, ", {words}"),
            None => Ok(()),
        }
    }
}

impl Display for Registers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".reg")?;
        if self.vector > 1 {
            write!(f, " .v{}", self.vector)?;
        }
        write!(f, " {} ", self.ty)?;
        for (index, (name, count)) in self.names.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            match count {
                Some(count) => write!(f, "{name}<{count}>")?,
                None => f.write_str(name)?,
            }
        }
        Ok(())
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, guard.register)?;
        }
        match &self.unknown_name {
            Some(name) => f.write_str(name)?,
            None => {
                f.write_str(self.opcode.name())?;
                self.modifiers.iter().try_for_each(|modifier| write!(f, ".{modifier}"))?;
            }
        }
        if !self.operands.is_empty() {
            f.write_str(" ")?;
            separated(f, &self.operands)?;
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => f.write_str(name),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Immediate(value) => write!(f, "{value}"),
            Operand::Vector(elements) => {
                f.write_str("{")?;
                separated(f, elements)?;
                f.write_str("}")
            }
            Operand::Pair(a, b) => write!(f, "{a}|{b}"),
            Operand::Offset(name, offset) => {
                f.write_str(name)?;
                signed_offset(f, *offset)
            }
            Operand::Address(address) => {
                match &address.base {
                    AddressBase::Name(name) => write!(f, "[{name}")?,
                    AddressBase::Absolute(value) => write!(f, "[{value}")?,
                }
                signed_offset(f, address.offset)?;
                for extra in &address.extra {
                    write!(f, ", {extra}")?;
                }
                f.write_str("]")
            }
            Operand::Arguments(arguments) => {
                f.write_str("(")?;
                separated(f, arguments)?;
                f.write_str(")")
            }
        }
    }
}

impl Display for Immediate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Immediate::Integer(value) if *value > i128::from(i64::MAX) => write!(f, "{value:#x}"),
            Immediate::Integer(value) => write!(f, "{value}"),
            Immediate::F32(bits) => write!(f, "0f{bits:08X}"),
            Immediate::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

/// `+8`, `+-8` (ptxas rejects a bare minus), or nothing for zero.
fn signed_offset(f: &mut Formatter<'_>, offset: i64) -> fmt::Result {
    if offset == 0 { Ok(()) } else { write!(f, "+{offset}") }
}

/// Items separated by a comma and a space.
fn separated<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
    }
    Ok(())
}
