//! The scanner: converts source text to preprocessing tokens with interned names. Keywords, and names that the compiler
//! knows, have fixed numbers. The scanner never fails: a character that starts no token becomes [`TokenKind::Stray`].

pub mod literals;

use crate::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Identifier(Name),
    /// A number literal, unparsed.
    Number(Name),
    /// A string literal, unparsed, with prefix and quotes.
    Text(Name),
    /// A character literal, unparsed.
    Character(Name),
    /// An operator or delimiter.
    Punctuation(Punctuation),
    /// A character that starts no token.
    Stray(char),
    /// A directive that survives preprocessing: `#pragma unroll`. The tokens of its line follow it.
    Pragma,
    /// The end of the text, or of a pragma's line.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its position in the source.
    pub span: Span,
    /// Whether white space precedes it.
    pub spaced: bool,
    /// Whether it is the first token of its line.
    pub starts_line: bool,
    /// Whether it names a macro that must not be expanded again.
    pub frozen: bool,
}

impl Token {
    /// Whether the token is this operator or delimiter.
    pub fn is(&self, punctuation: Punctuation) -> bool {
        self.kind == TokenKind::Punctuation(punctuation)
    }

    /// The name, if it is a name.
    pub fn name(&self) -> Option<Name> {
        if let TokenKind::Identifier(name) = self.kind { Some(name) } else { None }
    }

    /// Whether the token is this name or keyword.
    pub fn is_name(&self, name: Name) -> bool {
        self.kind == TokenKind::Identifier(name)
    }
}

/// Lists the operators, longest first.
macro_rules! punctuations {
    ($($name:ident $text:literal)*) => {
        /// An operator or delimiter. `>>` and `>>=` are several tokens, because `>` may close template arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Punctuation { $($name,)* }

        impl Punctuation {
            /// Every operator, longest first.
            pub const ALL: &[Punctuation] = &[$(Punctuation::$name,)*];

            /// The text.
            pub const fn text(self) -> &'static str {
                match self { $(Punctuation::$name => $text,)* }
            }
        }
    };
}

punctuations! {
    Ellipsis "..." ShiftLeftAssign "<<=" Spaceship "<=>" ArrowStar "->*"
    HashHash "##" ShiftLeft "<<" LessEqual "<=" GreaterEqual ">=" EqualEqual "==" NotEqual "!=" AndAnd "&&"
    OrOr "||" Increment "++" Decrement "--" AddAssign "+=" SubtractAssign "-=" MultiplyAssign "*="
    DivideAssign "/=" RemainderAssign "%=" AndAssign "&=" OrAssign "|=" XorAssign "^=" Arrow "->"
    ColonColon "::" DotStar ".*"
    Hash "#" BraceOpen "{" BraceClose "}" BracketOpen "[" BracketClose "]" ParenOpen "(" ParenClose ")"
    Semicolon ";" Colon ":" Question "?" Dot "." Comma "," Plus "+" Minus "-" Star "*" Slash "/" Percent "%"
    And "&" Or "|" Xor "^" Tilde "~" Not "!" Assign "=" Less "<" Greater ">"
}

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
    CALL_OPERATOR "operator()" LAMBDA_FUNCTION "__invoke" BEGIN "begin" END "end" INITIALIZER_LIST "initializer_list" EMPTY ""
    ALIGNED "aligned" X "x" Y "y" Z "z" W "w" MAIN "main" HAS_ATTRIBUTE "__has_attribute"
    HAS_BUILTIN "__has_builtin" HAS_CPP_ATTRIBUTE "__has_cpp_attribute" SIZE_T "size_t" GET "get"
    NV_GLOBAL "cluster_dims" PACK "pack" PUSH "push" POP "pop" PACKED "packed" PACKED_GNU "__packed__"
}

/// Splits a file that starts at position `start` into tokens. The last token is [`TokenKind::End`].
pub fn scan(text: &str, start: u32, names: &mut Interner) -> Vec<Token> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, start };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let (spaced, starts_line) = scanner.skip_blanks();
        let from = scanner.at;
        let kind = scanner.token(names);
        let span = Span { low: start + from as u32, high: start + scanner.at as u32, expansion: 0 };
        tokens.push(Token { kind, span, spaced, starts_line, frozen: false });
        if kind == TokenKind::End {
            return tokens;
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    start: u32,
}

impl Scanner<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// The length of a line continuation at `at`.
    fn splice(&self, at: usize) -> usize {
        match self.bytes.get(at..) {
            Some([b'\\', b'\n', ..]) => 2,
            Some([b'\\', b'\r', b'\n', ..]) => 3,
            _ => 0,
        }
    }

    /// Skips white space and comments. Returns whether there were any, and whether a new line began.
    fn skip_blanks(&mut self) -> (bool, bool) {
        let before = self.at;
        let mut line = self.at == 0;
        loop {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    line = true;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.bytes.len() && self.byte(0) != b'\n' {
                        self.at += self.splice(self.at).max(1);
                    }
                }
                (b'/', b'*') => {
                    let rest = self.text.get(self.at + 2..).unwrap_or("");
                    self.at += rest.find("*/").map_or(rest.len() + 2, |end| end + 4);
                }
                (b'\\', _) if self.splice(self.at) > 0 => self.at += self.splice(self.at),
                (0xef, 0xbb) if self.at == 0 => self.at += 3,
                _ => return (self.at > before, line),
            }
            self.at = self.at.min(self.bytes.len());
        }
    }

    fn token(&mut self, names: &mut Interner) -> TokenKind {
        let Some(&first) = self.bytes.get(self.at) else { return TokenKind::End };
        let _ = self.start;
        match first {
            b'0'..=b'9' => TokenKind::Number(self.number(names)),
            b'.' if self.byte(1).is_ascii_digit() => TokenKind::Number(self.number(names)),
            b'"' => TokenKind::Text(self.quoted(self.at, b'"', names)),
            b'\'' => TokenKind::Character(self.quoted(self.at, b'\'', names)),
            b'_' | b'$' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.word(names),
            _ => self.punctuation(),
        }
    }

    fn punctuation(&mut self) -> TokenKind {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let begins = |p: &&Punctuation| rest.starts_with(p.text().as_bytes());
        if let Some(&found) = Punctuation::ALL.iter().find(begins) {
            self.at += found.text().len();
            return TokenKind::Punctuation(found);
        }
        let stray = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('?');
        self.at += stray.len_utf8();
        TokenKind::Stray(stray)
    }

    /// Skips the bytes that `belongs` accepts, and returns their text without line continuations.
    fn take(&mut self, belongs: impl Fn(u8, u8) -> bool) -> String {
        let mut text = Vec::new();
        let mut last = 0;
        loop {
            let splice = self.splice(self.at);
            let next = self.bytes.get(self.at + splice).copied().unwrap_or(0);
            if next == 0 || !belongs(next, last) {
                break;
            }
            text.push(next);
            last = next;
            self.at += splice + 1;
        }
        String::from_utf8(text).unwrap_or_default()
    }

    fn number(&mut self, names: &mut Interner) -> Name {
        let text = self.take(|byte, last| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'.' | b'_')
                || byte == b'\''
                || (matches!(byte, b'+' | b'-') && matches!(last, b'e' | b'E' | b'p' | b'P'))
        });
        // `0xE+1` is scanned as a sum, which is what programs mean.
        let sign = text.rfind(['+', '-']);
        if let Some(sign) = sign
            && (text.starts_with("0x") || text.starts_with("0X"))
            && !text.contains(['p', 'P'])
        {
            self.at -= text.len() - sign;
            return names.intern(&text[..sign]);
        }
        names.intern(&text)
    }

    fn word(&mut self, names: &mut Interner) -> TokenKind {
        let from = self.at;
        let text = self.take(|byte, _| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
        });
        if matches!(text.as_str(), "L" | "u" | "U" | "u8" | "R" | "LR" | "uR" | "UR" | "u8R") {
            match self.byte(0) {
                b'"' if text.ends_with('R') => return TokenKind::Text(self.raw(from, names)),
                b'"' => return TokenKind::Text(self.quoted(from, b'"', names)),
                b'\'' if !text.ends_with('R') => {
                    return TokenKind::Character(self.quoted(from, b'\'', names));
                }
                _ => {}
            }
        }
        let name = match text.as_str() {
            "and" => return TokenKind::Punctuation(Punctuation::AndAnd),
            "or" => return TokenKind::Punctuation(Punctuation::OrOr),
            "not" => return TokenKind::Punctuation(Punctuation::Not),
            "bitand" => return TokenKind::Punctuation(Punctuation::And),
            "bitor" => return TokenKind::Punctuation(Punctuation::Or),
            "xor" => return TokenKind::Punctuation(Punctuation::Xor),
            "compl" => return TokenKind::Punctuation(Punctuation::Tilde),
            "and_eq" => return TokenKind::Punctuation(Punctuation::AndAssign),
            "or_eq" => return TokenKind::Punctuation(Punctuation::OrAssign),
            "xor_eq" => return TokenKind::Punctuation(Punctuation::XorAssign),
            "not_eq" => return TokenKind::Punctuation(Punctuation::NotEqual),
            _ => names.intern(&text),
        };
        TokenKind::Identifier(name)
    }

    /// Scans a quoted literal, from its prefix at `from` to its end or the end of the line.
    fn quoted(&mut self, from: usize, quote: u8, names: &mut Interner) -> Name {
        let mut text: Vec<u8> = self.bytes.get(from..self.at).unwrap_or_default().to_vec();
        text.push(quote);
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'\n' {
                break;
            }
            let splice = self.splice(self.at);
            if splice > 0 {
                self.at += splice;
                continue;
            }
            self.at += 1;
            text.push(byte);
            if byte == quote {
                break;
            }
            if byte == b'\\'
                && let Some(&escaped) = self.bytes.get(self.at)
            {
                text.push(escaped);
                self.at += 1;
            }
        }
        // It can stop inside a character only at the end of the text.
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        text.extend(self.suffix().bytes());
        names.intern(&String::from_utf8_lossy(&text))
    }

    /// The suffix of a literal that a literal operator defines. Other words after a literal are macros, as in `"%"PRIu64`.
    fn suffix(&mut self) -> String {
        let before = self.at;
        let text = self.take(|byte, _| byte.is_ascii_alphanumeric() || byte == b'_');
        if text.starts_with('_') || matches!(text.as_str(), "s" | "sv") {
            return text;
        }
        self.at = before;
        String::new()
    }

    /// Scans a raw string; it is interned as an ordinary string with escapes.
    fn raw(&mut self, _from: usize, names: &mut Interner) -> Name {
        let rest = self.text.get(self.at + 1..).unwrap_or("");
        let delimiter = rest.split('(').next().unwrap_or("").to_owned();
        let body = rest.get(delimiter.len() + 1..).unwrap_or("");
        let close = format!("){delimiter}\"");
        let length = body.find(&close).unwrap_or(body.len());
        let inner = body.get(..length).unwrap_or("");
        self.at = (self.at + 2 + delimiter.len() + length + close.len()).min(self.bytes.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let escaped = inner.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let suffix = self.suffix();
        names.intern(&format!("\"{escaped}\"{suffix}"))
    }
}
