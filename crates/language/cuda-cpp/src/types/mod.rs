//! Interned types: equal types have equal numbers. They print as C++ text.

mod properties;

pub use properties::FieldPlace;

use crate::lex::Name;
use crate::source::Span;
use crate::syntax::{BuiltinType, Expression};
use std::collections::HashMap;
use std::rc::Rc;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// A class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// An enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumerationId(pub u32);

/// Kind of a type, without qualifiers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// A fundamental type.
    Builtin(BuiltinType),
    /// `std::nullptr_t`.
    NullPointer,
    /// `T*`.
    Pointer(TypeId),
    /// `T C::*`: the class, the member's type, and whether it is a `const` member function.
    MemberPointer(TypeId, TypeId, bool),
    /// `T&`.
    Reference(TypeId),
    /// `T&&`.
    RvalueReference(TypeId),
    /// `T[n]`; `T[]` without a size.
    Array(TypeId, Option<u64>),
    /// A function type.
    Function(Rc<FunctionType>),
    /// A class.
    Record(RecordId),
    /// An enumeration.
    Enumeration(EnumerationId),
    /// `auto`, not deduced yet.
    Auto,
    /// The type of an erroneous expression.
    Error,
}

/// A function's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// The result.
    pub result: TypeId,
    /// The parameters.
    pub parameters: Vec<TypeId>,
    /// C's `...`.
    pub variadic: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct QualifiedType {
    kind: TypeKind,
    is_const: bool,
    is_volatile: bool,
}

/// A data member.
#[derive(Clone, Debug)]
pub struct RecordField {
    /// Its name; empty for an anonymous union or struct.
    pub name: Name,
    /// Its type.
    pub kind: TypeId,
    /// Offset in bytes.
    pub offset: u64,
    /// The alignment that `alignas` asks for; 0 if the type determines it.
    pub align: u64,
    /// Bit fields: first bit in the unit at `offset`, and width.
    pub bits: Option<(u8, u8)>,
    /// The default initializer.
    pub default: Option<Rc<Expression>>,
    /// Whether it may change in a constant object.
    pub is_mutable: bool,
}

/// A class.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Its name in messages, with template arguments.
    pub name: String,
    /// Its part of mangled names.
    pub mangled: String,
    /// Direct bases and their offsets.
    pub bases: Vec<(TypeId, u64)>,
    /// Data members.
    pub fields: Vec<RecordField>,
    /// `union`.
    pub is_union: bool,
    /// Whether its members are known.
    pub complete: bool,
    /// The scope of its members.
    pub scope: usize,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// The largest alignment of its members in bytes; 0 for no limit.
    pub pack: u8,
    /// Whether it declares constructors.
    pub has_constructors: bool,
    /// Whether a base or member has a constructor that must run.
    pub needs_construction: bool,
    /// Whether it, a base or a member has a destructor with a body.
    pub has_destructor: bool,
    /// Whether it defines an `operator=` for any type.
    pub assigns: bool,
    /// Whether it declares or inherits virtual functions: its objects refer to a table of them.
    pub polymorphic: bool,
    /// Whether a base or member has a type that only host code knows, so that its layout is unknown.
    pub partial: bool,
    /// The index of the base whose table it shares.
    pub primary: Option<usize>,
    /// Its definition.
    pub span: Span,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// Its name in messages.
    pub name: String,
    /// Its part of mangled names.
    pub mangled: String,
    /// The underlying type.
    pub underlying: TypeId,
    /// `enum class`.
    pub scoped: bool,
    /// The scope of its enumerators.
    pub scope: usize,
}

/// All types of a translation unit.
#[derive(Debug)]
pub struct TypeTable {
    list: Vec<QualifiedType>,
    numbers: HashMap<QualifiedType, TypeId>,
    /// Classes by number.
    pub records: Vec<Record>,
    /// Enumerations by number.
    pub enumerations: Vec<Enumeration>,
}

const BUILTINS: [BuiltinType; 19] = [
    BuiltinType::Void,
    BuiltinType::Bool,
    BuiltinType::Char,
    BuiltinType::SignedChar,
    BuiltinType::UnsignedChar,
    BuiltinType::WideChar,
    BuiltinType::Char16,
    BuiltinType::Char32,
    BuiltinType::Short,
    BuiltinType::UnsignedShort,
    BuiltinType::Int,
    BuiltinType::UnsignedInt,
    BuiltinType::Long,
    BuiltinType::UnsignedLong,
    BuiltinType::LongLong,
    BuiltinType::UnsignedLongLong,
    BuiltinType::Float,
    BuiltinType::Double,
    BuiltinType::LongDouble,
];

#[allow(missing_docs)]
impl TypeId {
    pub const VOID: TypeId = TypeId::builtin(BuiltinType::Void);
    pub const BOOL: TypeId = TypeId::builtin(BuiltinType::Bool);
    pub const CHAR: TypeId = TypeId::builtin(BuiltinType::Char);
    pub const INT: TypeId = TypeId::builtin(BuiltinType::Int);
    pub const UNSIGNED: TypeId = TypeId::builtin(BuiltinType::UnsignedInt);
    pub const LONG: TypeId = TypeId::builtin(BuiltinType::Long);
    pub const UNSIGNED_LONG: TypeId = TypeId::builtin(BuiltinType::UnsignedLong);
    pub const LONG_LONG: TypeId = TypeId::builtin(BuiltinType::LongLong);
    pub const UNSIGNED_LONG_LONG: TypeId = TypeId::builtin(BuiltinType::UnsignedLongLong);
    pub const FLOAT: TypeId = TypeId::builtin(BuiltinType::Float);
    pub const DOUBLE: TypeId = TypeId::builtin(BuiltinType::Double);
    pub const LONG_DOUBLE: TypeId = TypeId::builtin(BuiltinType::LongDouble);
    pub const NULL: TypeId = TypeId(19);
    pub const AUTO: TypeId = TypeId(20);
    pub const ERROR: TypeId = TypeId(21);

    pub const fn builtin(kind: BuiltinType) -> TypeId {
        TypeId(kind as u32)
    }
}

impl Default for TypeTable {
    fn default() -> TypeTable {
        let mut table = TypeTable {
            list: Vec::new(),
            numbers: HashMap::new(),
            records: Vec::new(),
            enumerations: Vec::new(),
        };
        for kind in BUILTINS {
            table.intern(TypeKind::Builtin(kind));
        }
        table.intern(TypeKind::NullPointer);
        table.intern(TypeKind::Auto);
        table.intern(TypeKind::Error);
        table
    }
}

impl TypeTable {
    /// The number of an unqualified type.
    pub fn intern(&mut self, kind: TypeKind) -> TypeId {
        self.qualified(kind, false, false)
    }

    fn qualified(&mut self, kind: TypeKind, is_const: bool, is_volatile: bool) -> TypeId {
        let found = QualifiedType { kind, is_const, is_volatile };
        if let Some(&number) = self.numbers.get(&found) {
            return number;
        }
        let number = TypeId(self.list.len() as u32);
        self.list.push(found.clone());
        self.numbers.insert(found, number);
        number
    }

    /// The kind of a type.
    pub fn kind(&self, id: TypeId) -> &TypeKind {
        &self.list[id.0 as usize].kind
    }

    /// Whether a type is `const`. An array is `const` if its elements are.
    pub fn is_const(&self, id: TypeId) -> bool {
        match self.kind(id) {
            TypeKind::Array(element, _) => self.is_const(*element),
            _ => self.list[id.0 as usize].is_const,
        }
    }

    /// Whether a type is `volatile`.
    pub fn is_volatile(&self, id: TypeId) -> bool {
        match self.kind(id) {
            TypeKind::Array(element, _) => self.is_volatile(*element),
            _ => self.list[id.0 as usize].is_volatile,
        }
    }

    /// The type with added qualifiers. References do not change.
    pub fn with(&mut self, id: TypeId, is_const: bool, is_volatile: bool) -> TypeId {
        if !is_const && !is_volatile {
            return id;
        }
        match self.kind(id).clone() {
            TypeKind::Reference(_) | TypeKind::RvalueReference(_) | TypeKind::Function(_) => id,
            TypeKind::Array(element, count) => {
                let element = self.with(element, is_const, is_volatile);
                self.intern(TypeKind::Array(element, count))
            }
            kind => {
                let old = &self.list[id.0 as usize];
                let (is_const, is_volatile) =
                    (is_const || old.is_const, is_volatile || old.is_volatile);
                self.qualified(kind, is_const, is_volatile)
            }
        }
    }

    /// The type without its own qualifiers.
    pub fn bare(&mut self, id: TypeId) -> TypeId {
        match self.kind(id).clone() {
            TypeKind::Array(element, count) => {
                let element = self.bare(element);
                self.intern(TypeKind::Array(element, count))
            }
            kind => self.intern(kind),
        }
    }

    /// A pointer to a type.
    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(TypeKind::Pointer(to))
    }

    /// A reference to a type, with references collapsed.
    pub fn reference(&mut self, to: TypeId) -> TypeId {
        match self.kind(to) {
            TypeKind::Reference(_) => to,
            TypeKind::RvalueReference(inner) => {
                let inner = *inner;
                self.intern(TypeKind::Reference(inner))
            }
            _ => self.intern(TypeKind::Reference(to)),
        }
    }

    /// `T&&`, with references collapsed.
    pub fn rvalue_reference(&mut self, to: TypeId) -> TypeId {
        match self.kind(to) {
            TypeKind::Reference(_) | TypeKind::RvalueReference(_) => to,
            _ => self.intern(TypeKind::RvalueReference(to)),
        }
    }

    /// The type that a reference refers to, or the type itself.
    pub fn referred(&self, id: TypeId) -> TypeId {
        match self.kind(id) {
            TypeKind::Reference(to) | TypeKind::RvalueReference(to) => *to,
            _ => id,
        }
    }

    /// Whether a type is a reference.
    pub fn is_reference(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Reference(_) | TypeKind::RvalueReference(_))
    }

    /// The target type of a pointer.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.kind(id) {
            TypeKind::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// The class of a type.
    pub fn record_of(&self, id: TypeId) -> Option<RecordId> {
        match self.kind(id) {
            TypeKind::Record(record) => Some(*record),
            _ => None,
        }
    }

    /// A class by number.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// A class by number.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    /// Adds a class and returns it with its type.
    pub fn add_record(&mut self, record: Record) -> (RecordId, TypeId) {
        self.records.push(record);
        let id = RecordId(self.records.len() as u32 - 1);
        (id, self.intern(TypeKind::Record(id)))
    }

    /// The decayed type: arrays and functions become pointers, and qualifiers are removed.
    pub fn decay(&mut self, id: TypeId) -> TypeId {
        let id = self.referred(id);
        match self.kind(id).clone() {
            TypeKind::Array(element, _) => self.pointer(element),
            TypeKind::Function(_) => self.pointer(id),
            _ => self.bare(id),
        }
    }

    /// Whether a type is a class or an array; its objects are in memory.
    pub fn is_aggregate(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Record(_) | TypeKind::Array(..))
    }
}

impl TypeTable {
    /// Whether a string literal with characters of `kind` can initialize an array of `element`.
    pub fn is_text_of(&self, element: TypeId, kind: BuiltinType) -> bool {
        match kind {
            BuiltinType::Char => self.bits(element) == 8,
            kind => self.fundamental(element) == Some(kind),
        }
    }
}

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
            LongDouble => "long double",
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
            TypeKind::MemberPointer(class, member, is_const) => {
                let class = self.display(*class);
                let text = self.declare(*member, format!("*{class}::*{words}{inner}"), depth + 1);
                // The first `*` only made the function's declarator add parentheses.
                let text = text.replacen(&format!("*{class}::*"), &format!("{class}::*"), 1);
                if *is_const { format!("{text} const") } else { text }
            }
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
