//! What the emulator knows of each instruction, asked of its decoder form by form.

use super::catalogue::CHAPTERS;
use super::form::{Form, forms};
use super::text::question;
use lanework::sim::{Emulator, Fidelity, Options, fidelity};

/// How the emulator takes one form.
#[derive(Clone, Debug, PartialEq)]
pub enum Covered {
    /// Bit for bit as a GPU.
    Exact,
    /// Within a bound of the true value, as a GPU is.
    Within(&'static str),
    /// Not at all, and why.
    Refused(String),
}

/// What the emulator knows of one instruction.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// Its chapter in English and Chinese.
    pub chapter: [&'static str; 2],
    /// The instruction, such as `add`.
    pub opcode: String,
    /// Its forms.
    pub forms: Vec<(Form, Covered)>,
}

impl Coverage {
    /// Forms that are exact, within a bound, and refused.
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for (_, covered) in &self.forms {
            counts[match covered {
                Covered::Exact => 0,
                Covered::Within(_) => 1,
                Covered::Refused(_) => 2,
            }] += 1;
        }
        counts
    }

    /// The bounds of its approximations, each once.
    pub fn bounds(&self) -> Vec<&'static str> {
        let bounds = self.forms.iter().filter_map(|(_, covered)| match covered {
            Covered::Within(bound) => Some(*bound),
            _ => None,
        });
        let mut bounds: Vec<&str> = bounds.collect();
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    }

    /// The names of refused forms, each once; with its operands where another of the name is known.
    pub fn refused(&self) -> Vec<&str> {
        let is_refused = |covered: &Covered| matches!(covered, Covered::Refused(_));
        let known = |name: &str| self.forms.iter().any(|(f, c)| f.name == name && !is_refused(c));
        let refused = self.forms.iter().filter(|(_, covered)| is_refused(covered));
        let named = |form: &'_ Form| known(&form.name);
        let mut names: Vec<&str> = refused
            .map(|(form, _)| if named(form) { form.text.as_str() } else { form.name.as_str() })
            .collect();
        names.dedup();
        names
    }
}

/// Every instruction of the catalogue, in its order.
pub fn coverage() -> Vec<Coverage> {
    let emulator = Emulator::new(Options { workers: Some(1), ..Options::default() });
    let mut all: Vec<Coverage> = Vec::new();
    for form in forms() {
        let chapter = CHAPTERS[form.chapter].title;
        let covered = ask(&emulator, &form);
        let place = all.iter_mut().find(|c| c.opcode == form.opcode && c.chapter == chapter);
        match place {
            Some(coverage) => coverage.forms.push((form, covered)),
            None => all.push(Coverage {
                chapter,
                opcode: form.opcode.clone(),
                forms: vec![(form, covered)],
            }),
        }
    }
    all
}

fn ask(emulator: &Emulator, form: &Form) -> Covered {
    let module = match lanework::ptx::Module::parse(&question(form)) {
        Ok(module) => module,
        Err(problems) => return Covered::Refused(problems.to_string()),
    };
    match (emulator.load(&module), fidelity(&form.name)) {
        (Err(error), _) => Covered::Refused(error.message),
        (Ok(_), Fidelity::Exact) => Covered::Exact,
        (Ok(_), Fidelity::Within(bound)) => Covered::Within(bound.text),
    }
}
