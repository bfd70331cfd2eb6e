//! Source positions of instructions (`.loc`), and the calls that compilers inlined.

use crate::SourceLocation;
use lanework_ptx::{Instruction, Module};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum depth of inlined calls that are followed outward.
const MAX_DEPTH: usize = 64;

/// The positions of a module's instructions, in the order of the text.
pub struct Positions<'m> {
    module: &'m Module,
    /// The last position that a `.loc` of the function gave.
    place: Option<SourceLocation>,
    /// The call position of each inlined `.loc` position.
    inlined: HashMap<[u32; 3], [u32; 3]>,
    /// File numbers of the last `.loc` and of the files it was inlined into.
    files: Box<[u32]>,
    /// The calls around the last position, the innermost first.
    callers: Arc<[SourceLocation]>,
    /// Of these, the calls around the function that is being lowered.
    outside: Arc<[SourceLocation]>,
}

/// The position of an instruction.
pub struct Position {
    /// In the user's source.
    pub location: Option<SourceLocation>,
    /// Its source file number and the numbers of the files it was inlined into, innermost first.
    pub files: Box<[u32]>,
    /// The enclosing inlined calls in the user's source, innermost first.
    pub callers: Arc<[SourceLocation]>,
}

/// The position around a call, which [`Positions::leave`] restores.
pub struct CallSite {
    place: Option<SourceLocation>,
    callers: Arc<[SourceLocation]>,
    outside: Arc<[SourceLocation]>,
}

impl<'m> Positions<'m> {
    /// The positions of a module.
    pub fn new(module: &'m Module) -> Positions<'m> {
        Positions {
            module,
            place: None,
            inlined: HashMap::new(),
            files: Box::default(),
            callers: Arc::default(),
            outside: Arc::default(),
        }
    }

    /// Records a standalone `.loc`, the position of an inlined call.
    pub fn directive(&mut self, text: &str) {
        if let Some(words) = text.strip_prefix(".loc")
            && let Some(place) = three(words)
        {
            self.note(place, inlined_at(words));
        }
    }

    /// Records where the position of a `.loc` was inlined; the same position may have been inlined elsewhere before.
    fn note(&mut self, place: [u32; 3], outer: Option<[u32; 3]>) {
        match outer {
            Some(outer) => self.inlined.insert(place, outer),
            None => self.inlined.remove(&place),
        };
    }

    /// The position of the next instruction.
    pub fn next(&mut self, instruction: &Instruction) -> Position {
        // Compilers use line 0 for code without one source line; keep the previous position.
        match instruction.location.as_ref() {
            None => {
                self.place = None;
                (self.files, self.callers) = (Box::default(), Arc::clone(&self.outside));
            }
            Some(position) if position.line == 0 => {}
            Some(position) => {
                let here = [position.file, position.line, position.column];
                self.note(here, position.inlined.as_deref().and_then(inlined_at));
                let chain = self.chain_of(here);
                self.files = chain.iter().map(|[file, ..]| *file).collect();
                self.take(&chain);
            }
        }
        let (location, files) = (self.place.clone(), self.files.clone());
        Position { location, files, callers: Arc::clone(&self.callers) }
    }

    /// Enters a function that is inlined at a call.
    pub fn enter(&mut self) -> CallSite {
        let place = self.place.take();
        let around = place.iter().chain(self.callers.iter()).cloned().collect();
        let outside = std::mem::replace(&mut self.outside, around);
        let callers = std::mem::replace(&mut self.callers, Arc::clone(&self.outside));
        CallSite { place, callers, outside }
    }

    /// Returns from it.
    pub fn leave(&mut self, site: CallSite) {
        CallSite { place: self.place, callers: self.callers, outside: self.outside } = site;
    }

    /// A position and the positions of its inlined calls, innermost first.
    fn chain_of(&self, place: [u32; 3]) -> Vec<[u32; 3]> {
        let chain = std::iter::successors(Some(place), |place| self.inlined.get(place).copied());
        chain.take(MAX_DEPTH).collect()
    }

    /// Sets the source position from such a chain. A position in a toolkit header is replaced by its call position in the
    /// user's file, if any.
    fn take(&mut self, chain: &[[u32; 3]]) {
        let file = |number: u32| {
            let index = (number as usize).checked_sub(1);
            index.and_then(|i| self.module.files.get(i)).map_or("", String::as_str)
        };
        let of_user = |place: &[u32; 3]| !file(place[0]).contains("/include/");
        let first = chain.iter().position(of_user).unwrap_or(chain.len().saturating_sub(1));
        let source = |[number, line, column]: [u32; 3]| SourceLocation {
            file: file(number).to_owned(),
            line,
            column,
        };
        let place = chain.get(first).map(|place| source(*place));
        let outer = chain.iter().skip(first + 1).filter(|place| of_user(place) && place[1] > 0);
        let callers: Vec<SourceLocation> = outer.map(|place| source(*place)).collect();
        let inlined = self.callers.len().saturating_sub(self.outside.len());
        if self.callers.get(..inlined) != Some(&callers[..]) {
            self.callers = callers.into_iter().chain(self.outside.iter().cloned()).collect();
        }
        self.place = place;
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
