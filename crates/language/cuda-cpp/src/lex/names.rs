//! Interned names. Keywords, and names that the compiler knows, have fixed numbers.

use std::collections::HashMap;
use std::rc::Rc;

/// An interned string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// The names of one compilation.
#[derive(Debug)]
pub struct Interner {
    numbers: HashMap<Rc<str>, Name>,
    texts: Vec<Rc<str>>,
}

impl Default for Interner {
    fn default() -> Interner {
        let mut interner = Interner { numbers: HashMap::new(), texts: Vec::new() };
        for text in KNOWN {
            interner.intern(text);
        }
        interner
    }
}

impl Interner {
    /// Interns a string.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        let text: Rc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, name);
        name
    }

    /// The name of a string, if it was interned before.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }
}

/// Assigns consecutive numbers to names.
macro_rules! known {
    ($($keyword:ident $text:literal)*; $($name:ident $other:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, dead_code)]
        enum Number { $($keyword,)* LAST_KEYWORD, $($name,)* }
        const KNOWN: &[&str] = &[$($text,)* "<keywords end>", $($other,)*];
        /// The names that the compiler knows.
        #[allow(missing_docs, dead_code)] // the list names all keywords
        pub mod known {
            use super::{Name, Number};
            $(pub const $keyword: Name = Name(Number::$keyword as u32);)*
            $(pub const $name: Name = Name(Number::$name as u32);)*
        }
        impl Name {
            /// Whether the name is a keyword of C++.
            pub fn is_keyword(self) -> bool {
                self.0 < Number::LAST_KEYWORD as u32
            }
        }
    };
}

known! {
    ALIGNAS "alignas" ALIGNOF "alignof" ASM "asm" ASM_GNU "__asm__" ASM_SHORT "__asm" AUTO "auto" BOOL "bool"
    BREAK "break" CASE "case" CATCH "catch" CHAR "char" CHAR16 "char16_t" CHAR32 "char32_t" CLASS "class"
    CONST "const" CONSTEXPR "constexpr" CONST_CAST "const_cast" CONTINUE "continue" DECLTYPE "decltype"
    DEFAULT "default" DELETE "delete" DO "do" DOUBLE "double" DYNAMIC_CAST "dynamic_cast" ELSE "else" ENUM "enum"
    EXPLICIT "explicit" EXPORT "export" EXTERN "extern" FALSE "false" FLOAT "float" FOR "for" FRIEND "friend"
    GOTO "goto" IF "if" INLINE "inline" INT "int" LONG "long" MUTABLE "mutable" NAMESPACE "namespace" NEW "new"
    NOEXCEPT "noexcept" NULLPTR "nullptr" OPERATOR "operator" PRIVATE "private" PROTECTED "protected"
    PUBLIC "public" REGISTER "register" REINTERPRET_CAST "reinterpret_cast" RETURN "return" SHORT "short"
    SIGNED "signed" SIZEOF "sizeof" STATIC "static" STATIC_ASSERT "static_assert" STATIC_CAST "static_cast"
    STRUCT "struct" SWITCH "switch" TEMPLATE "template" THIS "this" THREAD_LOCAL "thread_local" THROW "throw"
    TRUE "true" TRY "try" TYPEDEF "typedef" TYPEID "typeid" TYPENAME "typename" UNION "union" UNSIGNED "unsigned"
    USING "using" VIRTUAL "virtual" VOID "void" VOLATILE "volatile" WCHAR "wchar_t" WHILE "while"
    RESTRICT "__restrict__" RESTRICT_SHORT "__restrict" INLINE_GNU "__inline__" INLINE_SHORT "__inline"
    FORCE_INLINE "__forceinline__" NO_INLINE "__noinline__" ATTRIBUTE "__attribute__" DECLSPEC "__declspec"
    GLOBAL "__global__" DEVICE "__device__" HOST "__host__" SHARED "__shared__" CONSTANT "__constant__"
    MANAGED "__managed__" GRID_CONSTANT "__grid_constant__" LAUNCH_BOUNDS "__launch_bounds__"
    CLUSTER_DIMS "__cluster_dims__" MAX_REGISTERS "__maxnreg__" EXTENSION "__extension__" ALIGN "__align__"
    BUILTIN_ALIGN "__builtin_align__" TYPEOF "__typeof__" INT128 "__int128" SIGNED_GNU "__signed__"
    VOLATILE_GNU "__volatile__" CONST_GNU "__const" CONST_EVAL "consteval" CONST_INIT "constinit"
    ;
    DEFINED "defined" HAS_INCLUDE "__has_include" VA_ARGS "__VA_ARGS__" VA_OPT "__VA_OPT__" INCLUDE "include"
    DEFINE "define" UNDEF "undef" IFDEF "ifdef" IFNDEF "ifndef" ELIF "elif" ENDIF "endif" PRAGMA "pragma"
    ERROR "error" WARNING "warning" LINE "line" ONCE "once" UNROLL "unroll" NO_UNROLL "nounroll" PRAGMA_OP "_Pragma"
    OVERRIDE "override" FINAL "final" FILE_MACRO "__FILE__" LINE_MACRO "__LINE__" COUNTER_MACRO "__COUNTER__"
    FUNCTION_NAME "__func__" FUNCTION_GNU "__FUNCTION__" FUNCTION_PRETTY "__PRETTY_FUNCTION__" STD "std"
    CALL_OPERATOR "operator()" BEGIN "begin" END "end" INITIALIZER_LIST "initializer_list" EMPTY ""
    ALIGNED "aligned" X "x" Y "y" Z "z" W "w" MAIN "main" HAS_ATTRIBUTE "__has_attribute"
    HAS_BUILTIN "__has_builtin" HAS_CPP_ATTRIBUTE "__has_cpp_attribute" SIZE_T "size_t" GET "get"
    NV_GLOBAL "cluster_dims"
}
