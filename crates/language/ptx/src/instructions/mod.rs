//! The instruction table: every opcode with the forms of its modifiers and operands, the PTX versions and targets that
//! they need, and the rule that lowers it.
//!
//! Each file of this folder is a chapter: a macro that appends its rows to the rows of the previous chapters, so that one
//! list defines [`Opcode`]. An example of a row:
//!
//! ```text
//! Dp4a "dp4a" integer::dp4a, Dp2a "dp2a" integer::dp2a [
//!     form("u32|s32 u32|s32", "d:s32 a:u32 a:u32 a:s32").only("dp4a"),
//!     needs("", "5.0 sm_61")] // section of the manual
//! ```
//!
//! A row lists opcodes with the same syntax, each with its lowering rule (a function of `ptx-ir`), then their forms and
//! needs. `.only("dp4a")` restricts a form or a need to some of the opcodes. [`notation`] explains the forms.
//!
//! A need is a PTX version, a target, or both: `8.6 sm_100a before sm_120`. The target, its suffix, and the first later
//! target that lacks the form (`before`) are optional. The modifiers of a need are groups, and every group
//! must be present. In a group, `|` separates alternatives, `a.b` is both in this order, and `x*` any modifier that
//! starts with `x`. `!` before a group means that none of it may be present. `3+` means that the instruction has at
//! least 3 operands. `gone` rows name the version and target that removed forms.
//!
//! `# Logic` before a row starts a [`Section`], which lasts until the next one. The coverage table has the same sections.
//! `Instruction::samples` makes an example of each form, with operands.

#[macro_use]
mod arithmetic;
#[macro_use]
mod control;
#[macro_use]
mod matrix;
#[macro_use]
mod memory;
mod modifier;
pub(crate) mod notation;
mod special;

pub use modifier::Modifier;
pub use special::{NamedSpecial, SpecialName, SpecialShape};

use crate::types::Specific;
use notation::InstructionForm;
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

/// A form of some opcodes, or a need of some of their forms.
struct TableRow {
    /// The opcodes to which it applies; all opcodes of the row if empty.
    only: &'static str,
    modifiers: &'static str,
    content: RowContent,
}

enum RowContent {
    /// A form with its operands.
    Form(&'static str),
    /// A version and a target.
    Need(&'static str),
    /// The version and target that removed it, its description, and the remedy.
    Gone(&'static str, &'static str, &'static str),
}

const fn form(modifiers: &'static str, operands: &'static str) -> TableRow {
    TableRow { only: "", modifiers, content: RowContent::Form(operands) }
}

const fn needs(modifiers: &'static str, version_and_target: &'static str) -> TableRow {
    TableRow { only: "", modifiers, content: RowContent::Need(version_and_target) }
}

const fn gone(
    modifiers: &'static str,
    since: &'static str,
    what: &'static str,
    help: &'static str,
) -> TableRow {
    TableRow { only: "", modifiers, content: RowContent::Gone(since, what, help) }
}

impl TableRow {
    const fn only(self, opcodes: &'static str) -> TableRow {
        TableRow { only: opcodes, ..self }
    }
}

/// A section of the instruction table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Section {
    /// Arithmetic on integers and floats.
    #[default]
    Arithmetic,
    /// Logic and shifts.
    Logic,
    /// Comparison and selection.
    Comparison,
    /// Conversion and movement.
    Conversion,
    /// Loads, stores, caches and stack memory.
    Memory,
    /// Atomics and reductions in memory.
    Atomics,
    /// Communication between the lanes of a warp.
    Warp,
    /// Control flow, synchronization, asynchronous copies, textures and surfaces.
    Control,
    /// Matrices and tensor memory.
    Matrices,
    /// Video instructions.
    Video,
}

/// Opcodes with the same rows.
struct TableGroup {
    /// The section that starts here, if any.
    section: &'static [Section],
    opcodes: &'static [Opcode],
    rows: &'static [TableRow],
}

/// Defines the opcodes, their rows, and the macro that gives `ptx-ir` the lowering rule of each opcode.
macro_rules! define {
    ([] ($dollar:tt)
        $($(# $section:ident)? $($opcode:ident $name:literal $($rule:ident)::+),+ [$($row:expr),*])*
    ) => {
        /// An opcode: the word before the first dot of an instruction.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode {
            $($(#[doc = concat!("`", $name, "`")] $opcode,)+)*
            /// A word that is not in the table; [`Instruction::name`](crate::Instruction::name) has its text.
            #[default]
            Unknown,
        }

        impl Opcode {
            /// Every opcode of the table.
            pub const ALL: &[Opcode] = &[$($(Opcode::$opcode,)+)*];

            /// The word before the first dot.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Opcode::$opcode => $name,)+)*
                    Opcode::Unknown => "?",
                }
            }
        }

        const ROWS: &[TableGroup] = &[$(TableGroup {
            section: &[$(Section::$section)?],
            opcodes: &[$(Opcode::$opcode,)+],
            rows: &[$($row,)*],
        },)*];

        /// Calls a macro with `Opcode => rule,` for each opcode; the rule is a path to a function.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! for_each_lowering_rule {
            ($dollar then:ident) => { $dollar then! { $($($opcode => $($rule)::+,)+)* } };
        }
    };
}

arithmetic! { [matrix memory control define] ($) }

impl Opcode {
    /// The opcode called `name`; [`Opcode::Unknown`] if the table has none.
    pub fn from_name(name: &str) -> Opcode {
        static BY_NAME: OnceLock<HashMap<&str, Opcode>> = OnceLock::new();
        let by_name = BY_NAME
            .get_or_init(|| Opcode::ALL.iter().map(|opcode| (opcode.name(), *opcode)).collect());
        by_name.get(name).copied().unwrap_or_default()
    }

    /// The section of the table that has its row.
    pub fn section(self) -> Section {
        table().get(self as usize).map_or(Section::default(), |entry| entry.section)
    }

    /// The forms, in table order.
    pub(crate) fn forms(self) -> &'static [InstructionForm] {
        table().get(self as usize).map_or(&[], |entry| &entry.forms)
    }

    /// The needs of the forms.
    pub(crate) fn needs(self) -> &'static [Need] {
        table().get(self as usize).map_or(&[], |entry| &entry.needs)
    }

    /// The forms that a version removed.
    pub(crate) fn removals(self) -> &'static [Removal] {
        table().get(self as usize).map_or(&[], |entry| &entry.removals)
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The rows of one opcode.
#[derive(Default)]
struct OpcodeRows {
    section: Section,
    forms: Vec<InstructionForm>,
    needs: Vec<Need>,
    removals: Vec<Removal>,
}

/// The rows by opcode.
fn table() -> &'static [OpcodeRows] {
    static TABLE: OnceLock<Vec<OpcodeRows>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: Vec<_> = Opcode::ALL.iter().map(|_| OpcodeRows::default()).collect();
        let mut current = Section::default();
        for TableGroup { section: start, opcodes, rows } in ROWS {
            current = start.first().copied().unwrap_or(current);
            for opcode in *opcodes {
                let OpcodeRows { section, forms, needs, removals } = &mut table[*opcode as usize];
                *section = current;
                let mine = |row: &&TableRow| {
                    row.only.is_empty() || row.only.split(' ').any(|name| name == opcode.name())
                };
                for row in rows.iter().filter(mine) {
                    match row.content {
                        RowContent::Form(o) => forms.push(InstructionForm::read(row.modifiers, o)),
                        RowContent::Need(n) => needs.push(Need::read(row.modifiers, n)),
                        RowContent::Gone(since, what, help) => {
                            let need = Need::read(row.modifiers, since);
                            removals.push(Removal { need, what, help });
                        }
                    }
                }
            }
        }
        table
    })
}

/// Higher than every architecture.
const NEVER: u32 = u32::MAX;

/// A version and a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Requirement {
    pub version: (u8, u8),
    pub architecture: u32,
    pub specific: Specific,
    /// The first later architecture that lacks the form.
    pub until: u32,
}

impl Requirement {
    /// A version on any target.
    pub const fn version(major: u8, minor: u8) -> Self {
        Requirement::portable((major, minor), 0)
    }

    /// A version on an architecture and on later ones.
    pub const fn portable(version: (u8, u8), architecture: u32) -> Requirement {
        Requirement { version, architecture, specific: Specific::Portable, until: NEVER }
    }

    /// Raises this requirement to cover `other` too.
    pub fn add(&mut self, other: Requirement) {
        self.version = self.version.max(other.version);
        self.architecture = self.architecture.max(other.architecture);
        self.specific = self.specific.max(other.specific);
        self.until = self.until.min(other.until);
    }

    /// Reads `8.6 sm_100a before sm_120`.
    fn read(text: &str) -> Option<Requirement> {
        let mut words = text.split(' ');
        let (major, minor) = words.next()?.split_once('.')?;
        let mut requirement = Requirement::version(major.parse().ok()?, minor.parse().ok()?);
        if let Some(target) = words.next() {
            let number = target.strip_prefix("sm_")?;
            if number.ends_with('a') {
                requirement.specific = Specific::Architecture;
            }
            requirement.architecture = number.trim_end_matches('a').parse().ok()?;
        }
        if words.next() == Some("before") {
            requirement.until = words.next()?.strip_prefix("sm_")?.parse().ok()?;
        }
        Some(requirement)
    }
}

/// The requirement of the forms that have some modifiers.
#[derive(Debug, PartialEq)]
pub(crate) struct Need {
    groups: Vec<ModifierGroup>,
    /// The minimum number of operands.
    operands: usize,
    pub requirement: Requirement,
}

/// Alternatives: one must be present, or all must be absent.
#[derive(Debug, PartialEq)]
struct ModifierGroup {
    absent: bool,
    alternatives: Vec<Vec<Modifier>>,
}

impl Need {
    pub fn read(modifiers: &str, version_and_target: &str) -> Need {
        let count = |word: &str| word.strip_suffix('+').and_then(|n| n.parse().ok());
        let groups = modifiers.split_whitespace().filter(|word| count(word).is_none());
        // A test parses every row.
        let requirement = Requirement::read(version_and_target);
        Need {
            groups: groups.map(ModifierGroup::read).collect(),
            operands: modifiers.split_whitespace().find_map(count).unwrap_or(0),
            requirement: requirement.unwrap_or(Requirement::version(u8::MAX, 0)),
        }
    }

    /// Whether an instruction of the opcode, with these modifiers and this number of operands, needs this.
    pub fn applies(&self, modifiers: &[Modifier], operands: usize) -> bool {
        let has =
            |words: &Vec<Modifier>| modifiers.windows(words.len()).any(|window| window == words);
        operands >= self.operands
            && self.groups.iter().all(|group| group.alternatives.iter().any(has) != group.absent)
    }

    #[cfg(test)]
    pub fn modifiers(&self) -> impl Iterator<Item = Modifier> {
        self.groups.iter().flat_map(|group| group.alternatives.iter().flatten().copied())
    }
}

/// Forms that a version removed.
pub(crate) struct Removal {
    /// The removed forms, and the version and target that removed them.
    need: Need,
    what: &'static str,
    /// The remedy.
    pub help: &'static str,
}

impl Removal {
    /// Whether this version and architecture lack the form with these modifiers.
    pub fn applies(&self, modifiers: &[Modifier], version: (u8, u8), architecture: u32) -> bool {
        let Requirement { version: since, architecture: first, .. } = self.need.requirement;
        self.need.applies(modifiers, 0) && version >= since && architecture >= first
    }
}

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Requirement { version: (major, minor), architecture, .. } = self.need.requirement;
        write!(f, "{} removed in PTX {major}.{minor}", self.what)?;
        match architecture {
            0 => Ok(()),
            _ => write!(f, " for sm_{architecture} and later targets"),
        }
    }
}

impl ModifierGroup {
    fn read(word: &str) -> ModifierGroup {
        let (absent, word) = match word.strip_prefix('!') {
            Some(word) => (true, word),
            None => (false, word),
        };
        let alternatives =
            word.split('|').flat_map(|alternative| match alternative.contains('.') {
                true => vec![alternative.split('.').map(Modifier::from_word).collect()],
                false => {
                    Modifier::matching(alternative).into_iter().map(|word| vec![word]).collect()
                }
            });
        ModifierGroup { absent, alternatives: alternatives.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Opcode;

    #[test]
    fn rows_are_restricted_to_their_own_opcodes() {
        for TableGroup { opcodes, rows, .. } in ROWS {
            for row in *rows {
                for name in row.only.split_whitespace() {
                    assert!(
                        opcodes.contains(&Opcode::from_name(name)),
                        "{name}: {}",
                        row.modifiers
                    );
                }
            }
        }
    }

    #[test]
    fn every_opcode_has_a_form_and_every_word_is_known() {
        for opcode in Opcode::ALL {
            assert!(!opcode.forms().is_empty(), "{opcode}");
            let forms = opcode.forms().iter().flat_map(InstructionForm::modifiers);
            let needs = opcode.needs().iter().flat_map(Need::modifiers);
            assert!(forms.chain(needs).all(|modifier| modifier != Modifier::Unknown), "{opcode}");
        }
    }

    #[test]
    fn every_requirement_is_readable() {
        for opcode in Opcode::ALL {
            let gone = opcode.removals().iter().map(|removal| &removal.need);
            let mut all = opcode.needs().iter().chain(gone);
            assert!(all.all(|need| need.requirement.version.0 < u8::MAX), "{opcode}");
        }
    }
}
