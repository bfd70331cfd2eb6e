//! Macros of a program whose files are compiled as one. `#pragma lanework_file` starts a file of the program: it sees no
//! macros of the files before, nor those of their headers until it includes these headers itself.

use crate::lex::Name;
use std::collections::HashMap;
use std::rc::Rc;

/// Macros of the headers of earlier files; `M` is the type of a definition.
pub(super) struct UnitMacros<M> {
    /// Macros by the header that defined them.
    defined: HashMap<String, Vec<(Name, Rc<M>)>>,
    /// By header: the headers that it includes.
    includes: HashMap<String, Vec<String>>,
}

impl<M> Default for UnitMacros<M> {
    fn default() -> UnitMacros<M> {
        UnitMacros { defined: HashMap::new(), includes: HashMap::new() }
    }
}

impl<M> UnitMacros<M> {
    /// Keeps a macro that a header defined for an earlier file.
    pub(super) fn keep(&mut self, header: String, name: Name, found: Rc<M>) {
        self.defined.entry(header).or_default().push((name, found));
    }

    /// The kept macros of a header that `from` includes, and those of the headers that it includes.
    pub(super) fn of_header(&mut self, from: &str, header: &str) -> Vec<(Name, Rc<M>)> {
        let list = self.includes.entry(from.to_owned()).or_default();
        if !list.iter().any(|known| known == header) {
            list.push(header.to_owned());
        }
        let (mut found, mut seen, mut waiting) = (Vec::new(), Vec::new(), vec![header.to_owned()]);
        while let Some(header) = waiting.pop() {
            if seen.contains(&header) {
                continue;
            }
            found.extend(self.defined.get(&header).into_iter().flatten().cloned());
            waiting.extend(self.includes.get(&header).into_iter().flatten().cloned());
            seen.push(header);
        }
        found
    }
}
