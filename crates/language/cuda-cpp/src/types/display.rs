//! Formats types as C++ text.

use super::{TypeId, TypeKind, TypeTable};
use crate::syntax::BuiltinType;

impl BuiltinType {
    /// The type's C++ name.
    pub fn text(self) -> &'static str {
        use BuiltinType::*;
        match self {
            Void => "void",
            Bool => "bool",
            Char => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            WideChar => "wchar_t",
            Char16 => "char16_t",
            Char32 => "char32_t",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned int",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Float => "float",
            Double => "double",
        }
    }
}

impl TypeTable {
    /// The text of a type in messages.
    pub fn display(&self, id: TypeId) -> String {
        self.declare(id, String::new(), 0)
    }

    fn declare(&self, id: TypeId, inner: String, depth: usize) -> String {
        if depth > 32 {
            return "...".to_owned();
        }
        let found = &self.list[id.0 as usize];
        let mut words = String::new();
        if found.is_const {
            words.push_str("const ");
        }
        if found.is_volatile {
            words.push_str("volatile ");
        }
        let gap =
            |inner: &str| if inner.is_empty() || inner.starts_with(['*', '&']) { "" } else { " " };
        let named = |name: &str| format!("{words}{name}{}{inner}", gap(&inner));
        match &found.kind {
            TypeKind::Builtin(kind) => named(kind.text()),
            TypeKind::NullPointer => named("nullptr_t"),
            TypeKind::Pointer(to) => self.declare(*to, format!("*{words}{inner}"), depth + 1),
            TypeKind::Reference(to) => self.declare(*to, format!("&{inner}"), depth + 1),
            TypeKind::RvalueReference(to) => self.declare(*to, format!("&&{inner}"), depth + 1),
            TypeKind::Array(element, count) => {
                let count = count.map_or(String::new(), |count| count.to_string());
                let inner =
                    if inner.starts_with(['*', '&']) { format!("({inner})") } else { inner };
                self.declare(*element, format!("{inner}[{count}]"), depth + 1)
            }
            TypeKind::Function(function) => {
                let list: Vec<String> =
                    function.parameters.iter().map(|&kind| self.display(kind)).collect();
                let inner =
                    if inner.starts_with(['*', '&']) { format!("({inner})") } else { inner };
                self.declare(function.result, format!("{inner}({})", list.join(", ")), depth + 1)
            }
            TypeKind::Record(record) => named(&self.record(*record).name),
            TypeKind::Enumeration(id) => named(&self.enumerations[id.0 as usize].name),
            TypeKind::Auto => named("auto"),
            TypeKind::Error => named("<unknown type>"),
        }
    }
}
