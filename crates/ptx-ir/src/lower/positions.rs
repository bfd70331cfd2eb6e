//! Source positions: what `.loc` says of instructions, and the calls that compilers inlined.

use crate::error::SourceLocation;
use lanework_ptx::{Instruction, Location, Module};
use std::collections::HashMap;

/// Inlined calls that are followed outwards.
const MAX_DEPTH: usize = 64;

/// The positions of a module's instructions, in the order of the text.
pub struct Positions<'m> {
    module: &'m Module,
    /// The last position that a `.loc` of the function gave.
    place: Option<SourceLocation>,
    /// Where the places of `.loc` were inlined at, those that say so.
    inlined: HashMap<[u32; 3], [u32; 3]>,
    /// The file of the last `.loc` and those that it was inlined into, by number.
    files: Box<[u32]>,
}

impl<'m> Positions<'m> {
    /// Those of a module.
    pub fn new(module: &'m Module) -> Positions<'m> {
        Positions { module, place: None, inlined: HashMap::new(), files: Box::default() }
    }

    /// A `.loc` that stands alone says where an inlined call was.
    pub fn directive(&mut self, text: &str) {
        if let Some(words) = text.strip_prefix(".loc")
            && let (Some(place), Some(outer)) = (three(words), inlined_at(words))
        {
            self.inlined.insert(place, outer);
        }
    }

    /// The position of the next instruction, and the numbers of its source file and of those that it was
    /// inlined into, the innermost first.
    pub fn next(&mut self, instruction: &Instruction) -> (Option<SourceLocation>, Box<[u32]>) {
        // Line 0 is no line: compilers say it of what they made themselves, and of what came from two.
        let location = match instruction.location.as_ref().map(|l| self.source(l)) {
            Some(place) if place.line == 0 => self.place.clone(),
            place => place,
        };
        let position = instruction.location.as_ref().filter(|position| position.line > 0);
        if let Some(position) = position {
            self.files = self.chain_of(position);
        } else if location.is_none() {
            self.files = Box::default();
        }
        self.place.clone_from(&location);
        (location, self.files.clone())
    }

    /// Goes into an inlined function; gives what [`Positions::leave`] takes at its end.
    pub fn enter(&mut self) -> Option<SourceLocation> {
        self.place.take()
    }

    /// Comes back from an inlined function.
    pub fn leave(&mut self, place: Option<SourceLocation>) {
        self.place = place;
    }

    /// The file of a `.loc` and those that it was inlined into.
    fn chain_of(&self, location: &Location) -> Box<[u32]> {
        let first = [location.file, location.line, location.column];
        let chain = std::iter::successors(Some(first), |place| self.inlined.get(place).copied());
        chain.take(MAX_DEPTH).map(|[file, ..]| file).collect()
    }

    /// The source position of a `.loc`. One in a toolkit's header stands for the place in the user's
    /// file that it was inlined at.
    fn source(&mut self, location: &Location) -> SourceLocation {
        let mut place = [location.file, location.line, location.column];
        if let Some(outer) = location.inlined.as_deref().and_then(inlined_at) {
            self.inlined.insert(place, outer);
        }
        let file = |number: u32| {
            let index = (number as usize).checked_sub(1);
            index.and_then(|i| self.module.files.get(i)).cloned().unwrap_or_default()
        };
        for _ in 0..MAX_DEPTH {
            match self.inlined.get(&place) {
                Some(outer) if file(place[0]).contains("/include/") => place = *outer,
                _ => break,
            }
        }
        SourceLocation { file: file(place[0]), line: place[1], column: place[2] }
    }
}

/// The first three numbers of a text.
fn three(words: &str) -> Option<[u32; 3]> {
    let mut numbers = words.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    let mut next = || numbers.next()?.parse().ok();
    Some([next()?, next()?, next()?])
}

/// The place after `inlined_at`.
fn inlined_at(words: &str) -> Option<[u32; 3]> {
    three(words.split_once("inlined_at")?.1)
}
