//! Operators and delimiters.

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
