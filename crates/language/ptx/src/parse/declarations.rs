//! Declarations: registers, variables of every space, parameters, initial values.

use super::lexer::TokenKind;
use super::{Parsed, Parser};
use crate::ast::*;
use crate::types::{ScalarType, StateSpace};

/// The state space of textures in the first versions of PTX.
pub(super) const TEXTURES: &str = ".tex";

fn is_vector(word: &str) -> bool {
    matches!(word, ".v2" | ".v4")
}

/// The qualifiers before a variable's name.
struct Qualifiers {
    space: StateSpace,
    align: Option<u32>,
    vector: u8,
    ty: ScalarType,
    attributes: Vec<String>,
}

impl Qualifiers {
    fn named(&self, linkage: Linkage, name: &str) -> Variable {
        Variable {
            linkage,
            align: self.align,
            vector: self.vector,
            attributes: self.attributes.clone(),
            ..Variable::new(self.space, self.ty, name)
        }
    }
}

impl<'a> Parser<'a> {
    /// `.reg .v2 .b32 %r<10>, %s;`
    pub(super) fn registers(&mut self) -> Parsed<Registers> {
        let head = self.head()?;
        let mut names = Vec::new();
        loop {
            let name = self.word("a register name")?;
            let mut count = None;
            if self.eat(b'<') {
                count = Some(self.plain_number("the number of registers")?);
                self.expect(b'>', "after the number of registers")?;
            }
            self.registers.push((name, count, head.ty.size()));
            names.push((name.to_owned(), count));
            if !self.eat(b',') {
                break;
            }
        }
        self.semicolon("after the registers")?;
        Ok(Registers { vector: head.vector, ty: head.ty, names })
    }

    /// Any sequence of `.extern`, `.visible`, `.weak` and `.common`; the last one applies.
    pub(super) fn linkage(&mut self) -> Linkage {
        let mut linkage = Linkage::Internal;
        loop {
            linkage = match self.spelling() {
                ".extern" => Linkage::Extern,
                ".visible" => Linkage::Visible,
                ".weak" => Linkage::Weak,
                ".common" => Linkage::Common,
                _ => return linkage,
            };
            self.advance();
        }
    }

    /// A list of variables with common qualifiers, up to and including the semicolon.
    pub(super) fn variables(
        &mut self,
        linkage: Linkage,
        mut found: impl FnMut(Variable),
    ) -> Parsed<()> {
        let head = self.head()?;
        loop {
            let name = self.word("a variable name")?;
            let mut variable = head.named(linkage, name);
            variable.dims = self.dims()?;
            self.declare(name, &variable);
            if self.eat(b'=') {
                variable.init = Some(self.initializer()?);
            }
            found(variable);
            if !self.eat(b',') {
                return self.semicolon("after the variable");
            }
        }
    }

    /// One parameter or return value.
    pub(super) fn parameter(&mut self) -> Parsed<Variable> {
        let head = self.head()?;
        let name = self.word("a parameter name")?;
        let mut variable = head.named(Linkage::Internal, name);
        variable.dims = self.dims()?;
        self.declare(name, &variable);
        Ok(variable)
    }

    /// Records the size of an array's elements for later indexing.
    fn declare(&mut self, name: &'a str, variable: &Variable) {
        let former = match variable.dims.is_empty() {
            true => self.arrays.remove(name),
            false => self.arrays.insert(name, variable.ty.size()),
        };
        self.shadowed.push((name, former));
    }

    /// The qualifiers before a name: state space, alignment, vector size, type and the rest.
    fn head(&mut self) -> Parsed<Qualifiers> {
        // Before PTX 1.5 textures had their own state space: `.tex .u64 t` is `.global .texref t`.
        let texture = self.is_dotted(TEXTURES);
        let space = match texture {
            true => {
                self.advance();
                StateSpace::Global
            }
            false => self.space()?,
        };
        let mut head = Qualifiers {
            space,
            align: None,
            vector: 1,
            ty: ScalarType::B8,
            attributes: Vec::new(),
        };
        let mut typed = false;
        while self.kind() == TokenKind::Dotted {
            let word = self.spelling();
            let scalar = ScalarType::from_name(&word[1..]);
            match word {
                ".attribute" => {
                    let first = self.at;
                    self.advance();
                    self.parenthesized_words()?;
                    let words = self.normalized(first);
                    head.attributes.push(words);
                    continue;
                }
                ".align" if !typed && head.vector == 1 => {
                    self.advance();
                    head.align = Some(self.integer("an alignment in bytes")?);
                    continue;
                }
                _ if is_vector(word) && !typed => head.vector = word.as_bytes()[2] - b'0',
                _ => match scalar {
                    Some(scalar) if !typed => {
                        head.ty = scalar;
                        typed = true;
                    }
                    // OpenCL's images: `.param .u64 .ptr .texref p`.
                    Some(ScalarType::Texref | ScalarType::Samplerref | ScalarType::Surfref)
                        if head.attributes.last().is_some_and(|last| last == ".ptr") =>
                    {
                        head.attributes.push(word.to_owned());
                    }
                    _ if typed
                        && space == StateSpace::Param
                        && scalar.is_none()
                        && !is_vector(word) =>
                    {
                        head.attributes.push(word.to_owned());
                        self.advance();
                        let number = self.spelling().parse::<u32>();
                        if word == ".align" && !number.is_ok_and(u32::is_power_of_two) {
                            return Err(self.expected("an alignment, a power of two", None));
                        }
                        if self.kind() == TokenKind::Number {
                            head.attributes.push(self.spelling().to_owned());
                            self.advance();
                        }
                        continue;
                    }
                    _ => return Err(self.expected("a type such as `.b32`", None)),
                },
            }
            self.advance();
        }
        if texture && matches!(head.ty, ScalarType::U32 | ScalarType::U64) {
            head.ty = ScalarType::Texref;
        }
        if typed { Ok(head) } else { Err(self.expected("a type such as `.b32`", None)) }
    }

    fn space(&mut self) -> Parsed<StateSpace> {
        let space = match self.kind() {
            TokenKind::Dotted => StateSpace::from_name(&self.spelling()[1..]),
            _ => None,
        };
        match space {
            Some(space) => {
                self.advance();
                Ok(space)
            }
            None => Err(self.expected("a state space such as `.param`", None)),
        }
    }

    /// An uninterpreted `( ... )`, up to and including the closing parenthesis.
    fn parenthesized_words(&mut self) -> Parsed<()> {
        self.expect(b'(', "before the attribute")?;
        let mut open = 1;
        while open > 0 {
            match self.kind() {
                TokenKind::Punctuation(b'(') => open += 1,
                TokenKind::Punctuation(b')') => open -= 1,
                TokenKind::End
                | TokenKind::Unknown
                | TokenKind::Punctuation(b';' | b'{' | b'}') => {
                    return Err(self.expected("`)` after the attribute", None));
                }
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }

    /// `[4][]`, outermost first; none for a scalar.
    fn dims(&mut self) -> Parsed<Vec<Option<u64>>> {
        let mut dims = Vec::new();
        while self.eat(b'[') {
            if self.eat(b']') {
                dims.push(None);
            } else {
                dims.push(Some(self.integer("the number of elements")?));
                self.expect(b']', "after the number of elements")?;
            }
        }
        Ok(dims)
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        match self.kind() {
            TokenKind::Punctuation(b'{')
                if self.ahead(1).kind == TokenKind::Word
                    && self.ahead(2).kind == TokenKind::Punctuation(b'=') =>
            {
                self.advance();
                Ok(Initializer::Fields(self.list(b'}', "the fields", Self::field)?))
            }
            TokenKind::Punctuation(b'{') => self.nested(|p| {
                p.advance();
                Ok(Initializer::List(p.list(b'}', "the values", Self::initializer)?))
            }),
            TokenKind::Number if self.ahead(1).kind == TokenKind::Punctuation(b'(') => {
                let mask = self.absolute()?;
                self.advance();
                let address = Box::new(self.initial_address()?);
                self.expect(b')', "after the address")?;
                Ok(Initializer::Masked { mask, address })
            }
            TokenKind::Word if self.spelling() != "WARP_SZ" => self.initial_address(),
            _ => Ok(Initializer::Value(self.constant()?)),
        }
    }

    /// `filter_mode = nearest` or `width = 640`, of a texture, sampler or surface.
    fn field(&mut self) -> Parsed<(String, String)> {
        let name = self.word("the name of a field")?.to_owned();
        self.expect(b'=', "after the name of the field")?;
        let value = match self.kind() {
            TokenKind::Word => self.word("a value")?.to_owned(),
            _ => self.integer::<i64>("the value of a field")?.to_string(),
        };
        Ok((name, value))
    }

    /// `name+8` or `generic(name)+8`.
    fn initial_address(&mut self) -> Parsed<Initializer> {
        let mut name = self.word("the name of a variable or function")?.to_owned();
        let generic = name == "generic" && self.eat(b'(');
        if generic {
            name = self.word("the name of a variable or function")?.to_owned();
            self.expect(b')', "after the name")?;
        }
        Ok(Initializer::Address { name, offset: self.offset()?, generic })
    }
}
