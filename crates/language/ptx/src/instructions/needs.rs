//! Needs of a form: a PTX version, a target, or both, as `8.6 sm_100a before sm_120`.
//!
//! A suffix of the target and the first later target that lacks the form are optional, and so is the target.
//!
//! The modifiers of a need are groups, and every group must be present. In a group, `|` separates alternatives, `a.b` is both in this
//! order, and `x*` any modifier that starts with `x`. `!` before a group means that none of it may be present. `3+` means that the
//! instruction has at least 3 operands.

use crate::instructions::Modifier;
use crate::types::Specific;

/// No architecture is this late.
const NEVER: u32 = u32::MAX;

/// A version and a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Requirement {
    pub version: (u8, u8),
    pub architecture: u32,
    pub specific: Specific,
    /// The first architecture that no longer has it.
    pub until: u32,
}

impl Requirement {
    /// A version on any target.
    pub const fn version(major: u8, minor: u8) -> Self {
        Requirement::portable((major, minor), 0)
    }

    /// A version on an architecture and those after it.
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
    /// The least number of operands.
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
        // A test reads every row.
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
    use crate::instructions::Opcode;

    #[test]
    fn every_requirement_is_readable() {
        for opcode in Opcode::ALL {
            assert!(opcode.needs().iter().all(|n| n.requirement.version.0 < u8::MAX), "{opcode}");
        }
    }
}
