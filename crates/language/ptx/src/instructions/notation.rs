//! The notation of instruction forms: the valid combinations of modifiers, and their operands.
//!
//! A form is text in a notation close to the PTX manual's, parsed once. Each form was compared with ptxas.
//!
//! Modifiers: `|` separates alternatives; `?` makes a slot optional; `^` requires it directly after the opcode or after
//! another such slot; `$name` is a set; `x*` is any modifier with this prefix; `...` is any others; `>p` adds an
//! operand if the modifier is present. As in ptxas, modifiers other than `^` may come in any order, except that types must be in order.
//!
//! Operands: `d` a destination register, `a` a value, `r` a register, `i` an integer literal, `p` a predicate value,
//! `q` a predicate destination, `m` memory in brackets, `t` tensor memory in brackets, `w` a matrix (a descriptor or
//! tensor memory), `g` the coordinates of an image or tensor with its address, `[map, {x, y}]`, `x` anything, `*`
//! anything from here on. A number is an integer literal, with the value that samples have. A capital letter also allows
//! wider registers, and `M` narrower addresses. Flags: `s` allows a special register; `v` a variable, for its address; `k` a vector of parts of
//! the value; `_` may be discarded; `o` may be absent; `b` a literal is a barrier, below 16; `t` a literal is a number
//! of threads, a multiple of 32; `c` a literal is a number of tensor memory columns. `:b32` fixes the type, `:1` uses the
//! second type of the modifiers, `:w` the type with twice the bits of the first; the default is the first. `/p` allows a second, predicate
//! destination. A count before the letter makes it a vector; `V` is a vector of as many elements as `.v2`, `.v4` or
//! `.v8` says, or as the shape and repeat count of a tensor memory load or store; `Vg` has as many coordinates as `.1d`
//! to `.5d` says.

use crate::instructions::Modifier;
use crate::types::ScalarType;

/// Sets of modifiers by name.
const SETS: &[(&str, &str)] = &[
    ("$int", "u16|u32|u64|s16|s32|s64"),
    ("$byte", "u8|u16|u32|u64|s8|s16|s32|s64"),
    ("$memory", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"),
    ("$half", "f16|f16x2"),
    ("$brain", "bf16|bf16x2"),
    ("$round", "rn|rz|rm|rp"),
    ("$integral", "rni|rzi|rmi|rpi"),
    ("$compare", "eq|ne|lt|le|gt|ge"),
    ("$unordered", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("$bool", "and|or|xor"),
    ("$scope", "cta|cluster|gpu|sys"),
    ("$shared", "shared|shared::cta|shared::cluster"),
    ("$vector", "v2|v4|v8"),
    ("$pair", "cta_group::1|cta_group::2"),
    ("$movement", "32x32b|16x64b|16x128b|16x256b"),
    ("$steps", "x1|x2|x4|x8|x16|x32|x64|x128"),
    ("$rank", "1d|2d|3d|4d|5d"),
    ("$several", "x2|x4|x8|x16|x32|x64|x128"),
    ("$float", "kind::f16|kind::tf32|kind::i8"),
    ("$keepa", "collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard"),
    ("$keepb", "collector::b0::*|collector::b1::*|collector::b2::*|collector::b3::*"),
];

/// One form of an instruction.
pub struct InstructionForm {
    pub slots: Vec<ModifierSlot>,
    operands: Vec<OperandSpec>,
    /// Whether other modifiers and operands may follow.
    pub open: bool,
}

pub struct ModifierSlot {
    /// The alternatives as written in the row, for messages.
    names: Vec<&'static str>,
    pub alternatives: Vec<Modifier>,
    pub optional: bool,
    leading: bool,
    adds: Option<OperandSpec>,
    typed: bool,
    space: bool,
}

/// The requirements on an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperandSpec {
    pub kind: OperandKind,
    pub ty: OperandType,
    /// Whether registers may be wider than the type.
    pub wide: bool,
    pub special: bool,
    pub variable: bool,
    /// Whether a vector of the parts of the value is allowed.
    pub parts: bool,
    pub discard: bool,
    pub optional: bool,
    /// The allowed literals.
    pub literals: AllowedLiterals,
    /// The literal in samples.
    pub sample: u8,
    /// Whether a second, predicate destination is allowed.
    pub pair: bool,
    /// Elements of a vector; 0 takes the number from the modifiers.
    pub elements: Option<u8>,
}

/// The literals allowed as an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AllowedLiterals {
    Any,
    /// 0 to 15.
    Barrier,
    /// A multiple of 32.
    Threads,
    /// A power of two from 32 to 512.
    Columns,
}

/// The role of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    Destination,
    Value,
    Register,
    Literal,
    Predicate,
    PredicateDestination,
    Memory,
    TensorMemory,
    Matrix,
    /// An address with coordinates.
    Coordinates,
    Anything,
    Rest,
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandType {
    Modifier(usize),
    Double,
    Fixed(ScalarType),
}

/// The result of matching modifiers against a form.
#[derive(Debug, Default)]
pub struct FormMatch {
    /// Types in order.
    pub types: Vec<ScalarType>,
    /// State spaces in order.
    pub spaces: Vec<Modifier>,
    /// Elements of `.v2`, `.v4` or `.v8`; dimensions of a tensor.
    pub elements: Option<u8>,
    /// Whether it is a tensor memory load or store.
    pub movement: bool,
    /// The operands.
    pub operands: Vec<OperandSpec>,
}

/// Why modifiers do not match a form.
#[derive(Debug, PartialEq)]
pub enum Mismatch {
    /// This modifier is not valid here; all modifiers before it are valid.
    Extra(usize),
    /// One of these is missing.
    Missing(String),
}

impl InstructionForm {
    pub fn read(modifiers: &'static str, operands: &'static str) -> InstructionForm {
        let words = || modifiers.split_whitespace();
        InstructionForm {
            slots: words().filter(|word| *word != "...").map(ModifierSlot::read).collect(),
            operands: operands.split_whitespace().map(OperandSpec::read).collect(),
            open: words().any(|word| word == "..."),
        }
    }

    /// Matches the modifiers of an instruction against this form.
    pub fn matches(&self, modifiers: &[Modifier]) -> Result<FormMatch, Mismatch> {
        let mut found = FormMatch { operands: self.operands.clone(), ..FormMatch::default() };
        let filled = self.fill(modifiers, |slot, modifier| {
            found.operands.extend(slot.adds);
            if slot.typed {
                found.types.extend(modifier.scalar_type());
            }
            if slot.space {
                found.spaces.push(modifier);
            }
            found.elements = modifier.vector_length().or(modifier.dimensions()).or(found.elements);
        });
        let filled = filled.map_err(Mismatch::Extra)?;
        if let Some(registers) = moved_registers(modifiers) {
            let Some(registers) = registers else {
                return Err(Mismatch::Extra(modifiers.len() - 1));
            };
            (found.elements, found.movement) = (Some(registers), true);
        }
        match self.missing(filled) {
            Some(slot) => Err(Mismatch::Missing(slot.names.join("`, `."))),
            None => Ok(found),
        }
    }

    /// Whether each operand is a single value, and no other modifiers may follow.
    pub fn has_values_only(&self) -> bool {
        !self.open && self.operands.iter().all(OperandSpec::is_value)
    }

    /// Each combination of the modifiers, in the order of the slots.
    pub fn combinations(&self) -> Vec<Vec<Modifier>> {
        self.slots.iter().fold(vec![Vec::new()], |all, slot| {
            let none = slot.optional.then_some(None);
            let choices = none.into_iter().chain(slot.alternatives.iter().copied().map(Some));
            let with = |before: &Vec<Modifier>| {
                let before = before.clone();
                choices.clone().map(move |choice| before.iter().copied().chain(choice).collect())
            };
            all.iter().flat_map(with).collect()
        })
    }

    /// The index of the first modifier that has no slot; `None` if each has one, even if the form needs more. If the form allows
    /// any other modifiers (`...`) but one that it requires is missing, 0.
    pub fn first_extra(&self, modifiers: &[Modifier]) -> Option<usize> {
        match self.fill(modifiers, |_, _| {}) {
            Ok(filled) if self.open && self.missing(filled).is_some() => Some(0),
            filled => filled.err(),
        }
    }

    /// A slot that is empty, but needed.
    fn missing(&self, filled: u64) -> Option<&ModifierSlot> {
        let mut empty = self.slots.iter().enumerate().filter(|(place, _)| filled >> place & 1 == 0);
        empty.find(|(_, slot)| !slot.optional).map(|(_, slot)| slot)
    }

    /// Gives each modifier its slot. Returns the filled slots as a bit mask, or the index of the first modifier without
    /// a slot.
    fn fill(
        &self,
        modifiers: &[Modifier],
        mut each: impl FnMut(&ModifierSlot, Modifier),
    ) -> Result<u64, usize> {
        let mut filled = 0;
        for (index, modifier) in modifiers.iter().copied().enumerate() {
            let empty = |place: usize| filled >> place & 1 == 0;
            let places = self.slots.iter().enumerate();
            let leading = places.take_while(|(at, slot)| slot.leading && !empty(*at)).count();
            // Types must be in order: a type cannot match while an earlier one is missing.
            let in_order = |place: usize| {
                let mut before = self.slots[..place].iter().enumerate();
                before.all(|(at, slot)| !slot.typed || slot.optional || !empty(at))
            };
            let fits = |(place, slot): &(usize, &ModifierSlot)| {
                empty(*place)
                    && slot.alternatives.contains(&modifier)
                    && (!slot.typed || in_order(*place))
                    && (!slot.leading || *place == index && leading == index)
            };
            match self.slots.iter().enumerate().find(fits) {
                Some((place, slot)) => {
                    filled |= 1 << place;
                    each(slot, modifier);
                }
                // ptxas accepts these any number of times.
                None if matches!(modifier, Modifier::Sync | Modifier::Aligned)
                    && modifiers[..index].contains(&modifier) => {}
                None if self.open => {}
                None => return Err(index),
            }
        }
        Ok(filled)
    }
}

impl FormMatch {
    /// The type of an operand.
    pub fn type_of(&self, spec: &OperandSpec) -> ScalarType {
        let first = self.types.first().copied().unwrap_or(ScalarType::B32);
        match (spec.kind, spec.ty) {
            (OperandKind::Predicate | OperandKind::PredicateDestination, _) => ScalarType::Pred,
            (_, OperandType::Fixed(ty)) => ty,
            (_, OperandType::Modifier(index)) => self.types.get(index).copied().unwrap_or(first),
            (_, OperandType::Double) => double(first),
        }
    }

    /// The types of the operands, destination first, without optional ones; `None` if an operand is not one value.
    pub fn operand_types(&self) -> Option<Vec<ScalarType>> {
        let needed = self.operands.iter().filter(|spec| !spec.optional);
        needed.map(|spec| spec.is_value().then(|| self.type_of(spec))).collect()
    }
}

/// The type with twice the bits.
fn double(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::U16 => ScalarType::U32,
        ScalarType::S16 => ScalarType::S32,
        ScalarType::U32 => ScalarType::U64,
        ScalarType::S32 => ScalarType::S64,
        other => other,
    }
}

impl InstructionForm {
    #[cfg(test)]
    pub fn modifiers(&self) -> impl Iterator<Item = Modifier> {
        self.slots.iter().flat_map(|slot| slot.alternatives.iter().copied())
    }
}

impl ModifierSlot {
    fn read(word: &'static str) -> ModifierSlot {
        let (word, optional) = match word.strip_suffix('?') {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (word, leading) = match word.strip_prefix('^') {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (word, adds) = match word.split_once('>') {
            Some((word, adds)) => (word, Some(OperandSpec::read(adds))),
            None => (word, None),
        };
        let set = |name: &'static str| {
            let set = SETS.iter().find(|(of, _)| *of == name);
            set.map_or(name, |(_, names)| *names).split('|')
        };
        let names: Vec<&str> = word.split('|').flat_map(set).collect();
        let alternatives: Vec<_> = names.iter().flat_map(|name| Modifier::matching(name)).collect();
        // The formats of copies to tensor memory must be in order, as types must.
        let format =
            |m: Modifier| matches!(m, Modifier::B8x16 | Modifier::B6x16P32 | Modifier::B4x16P64);
        let typed = alternatives.iter().all(|m| m.scalar_type().is_some() || format(*m));
        let space = alternatives.iter().all(|m| m.state_space().is_some());
        ModifierSlot { names, alternatives, optional, leading, adds, typed, space }
    }
}

/// The number of registers of a tensor memory load or store: its shape's number of registers times the repeat count;
/// `Some(None)` if there are too many.
fn moved_registers(modifiers: &[Modifier]) -> Option<Option<u8>> {
    let of_shape = |modifier: &Modifier| match modifier {
        Modifier::Size32x32b | Modifier::Size16x64b | Modifier::Size16x32bx2 => Some(1),
        Modifier::Size16x128b => Some(2),
        Modifier::Size16x256b => Some(4),
        _ => None,
    };
    let each: usize = modifiers.iter().find_map(of_shape)?;
    let steps = modifiers.iter().find_map(|modifier| modifier.repeats())?;
    Some(u8::try_from(each * steps).ok().filter(|registers| *registers <= 128))
}

impl OperandSpec {
    /// Whether it is a single value.
    fn is_value(&self) -> bool {
        use OperandKind::*;
        let kinds = [Destination, Value, Register, Predicate, PredicateDestination];
        self.elements.is_none() && kinds.contains(&self.kind)
    }

    fn read(word: &'static str) -> OperandSpec {
        let (word, pair) = match word.strip_suffix("/p") {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (letters, ty) = word.split_once(':').unwrap_or((word, "0"));
        let ty = match (ty, ScalarType::from_name(ty)) {
            (_, Some(ty)) => OperandType::Fixed(ty),
            ("w", _) => OperandType::Double,
            (index, _) => OperandType::Modifier(index.parse().unwrap_or(0)),
        };
        let digits: String = letters.chars().take_while(char::is_ascii_digit).collect();
        let letters = &letters[digits.len()..];
        let (elements, letters) = match letters.strip_prefix('V') {
            Some(rest) => (Some(0), rest),
            None if letters.is_empty() => (None, letters), // a number
            None => (digits.parse().ok(), letters),
        };
        let first = letters.chars().next().unwrap_or('i');
        let kind = match first.to_ascii_lowercase() {
            'd' => OperandKind::Destination,
            'a' => OperandKind::Value,
            'r' => OperandKind::Register,
            'i' => OperandKind::Literal,
            'p' => OperandKind::Predicate,
            'q' => OperandKind::PredicateDestination,
            'm' => OperandKind::Memory,
            't' => OperandKind::TensorMemory,
            'w' => OperandKind::Matrix,
            'g' => OperandKind::Coordinates,
            '*' => OperandKind::Rest,
            _ => OperandKind::Anything,
        };
        let has = |flag: char| letters.chars().skip(1).any(|c| c == flag);
        OperandSpec {
            kind,
            ty,
            wide: first.is_ascii_uppercase(),
            special: has('s'),
            variable: has('v'),
            parts: has('k'),
            discard: has('_'),
            optional: has('o'),
            literals: match () {
                () if has('b') => AllowedLiterals::Barrier,
                () if has('t') => AllowedLiterals::Threads,
                () if has('c') => AllowedLiterals::Columns,
                () => AllowedLiterals::Any,
            },
            sample: if letters.is_empty() { digits.parse().unwrap_or(1) } else { 1 },
            pair,
            elements,
        }
    }
}
