//! The heading: versions and targets that exist, and whether they know what the module uses.

use super::Checker;
use crate::ast::*;
use crate::requirements;

/// The newest PTX version whose forms are known here.
const NEWEST: Version = Version { major: 9, minor: 4 };
/// The options of `.target`.
const OPTIONS: [&str; 5] =
    ["debug", "texmode_unified", "texmode_independent", "map_f64_to_f32", "debug_only"];

impl Checker<'_> {
    /// `.version` and `.target`.
    pub(super) fn heading(&mut self) {
        let (version, target) = (self.module.version, &self.module.target);
        // Later versions of the same major one add forms, and what is written in forms that are known means the same.
        if version.major > NEWEST.major {
            let message = format!("PTX {version} is not known; the newest known is {NEWEST}");
            self.complain(0, message, Some("correct `.version`"));
        }
        match requirements::version_of(target) {
            None => {
                let message = format!("there is no target `{target}`");
                self.complain(0, message, Some("name an architecture, such as sm_80 or sm_90a"));
            }
            Some(first) if first > version => {
                let message =
                    format!("PTX {version} does not know {target}, which came with {first}");
                self.complain(0, message, Some("raise `.version`, or lower `.target`"));
            }
            Some(_) => {}
        }
        let debug = target.options.iter().any(|option| option == "debug");
        let sections =
            |item: &Item| matches!(item, Item::Directive(d) if d.starts_with(".section"));
        if debug && !self.module.items.iter().any(sections) {
            let message =
                "`.target` asks for debug information, and the module has none".to_owned();
            self.complain(0, message, Some("remove `debug`, or compile with -g"));
        }
        for option in &target.options {
            if !OPTIONS.contains(&option.as_str()) {
                let message = format!("`.target` has no option `{option}`");
                self.complain(0, message, Some("remove it"));
            }
        }
    }

    /// Whether version and target know an instruction.
    pub(super) fn requirement(&mut self, instruction: &Instruction) {
        let (version, target) = (self.module.version, &self.module.target);
        if let Some(lack) = requirements::lacks(instruction, version, target) {
            let message = format!("`{}` needs {lack}", instruction.name());
            let help = "raise `.version` and `.target`, or use another instruction";
            self.complain(instruction.text_line, message, Some(help));
        }
    }
}
