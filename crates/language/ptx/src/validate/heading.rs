//! The heading: versions and targets that exist, and whether they know what the module uses.

use super::Checker;
use crate::ast::*;
use crate::requirements;

/// The newest PTX version whose forms are known here.
const NEWEST: Version = Version { major: 9, minor: 4 };
/// The options of `.target`.
const OPTIONS: [&str; 5] =
    ["debug", "texmode_unified", "texmode_independent", "map_f64_to_f32", "debug_only"];

/// The version from which instructions that exchange values in a warp name their lanes.
const MASKS_NEEDED: Version = Version { major: 6, minor: 4 };

/// The version from which instructions of `wmma` say that they are aligned.
const ALIGNED: Version = Version { major: 6, minor: 3 };

/// The version from which `wmma.mma` of floats does not saturate.
const UNSATURATED: Version = Version { major: 6, minor: 5 };

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
        // Manual, "Parallel Synchronization and Communication Instructions: shfl, vote (deprecated)".
        let without = matches!(instruction.opcode.as_str(), "shfl" | "vote")
            && !instruction.modifiers.iter().any(|modifier| modifier == "sync");
        if without && version >= MASKS_NEEDED && target.architecture >= 70 {
            let name = instruction.name();
            let message = format!(
                "`{name}` without `.sync` ended with PTX {MASKS_NEEDED} on sm_70 and later targets"
            );
            let help = "write it with `.sync` and, as its last operand, a mask of the lanes that take part";
            self.complain(instruction.text_line, message, Some(help));
        }
        self.old_matrices(instruction);
    }

    /// What `wmma` was in the versions that had it first (manual, "Warp-Level Matrix Multiply-Accumulate Instructions").
    fn old_matrices(&mut self, instruction: &Instruction) {
        if instruction.opcode != "wmma" {
            return;
        }
        let has = |word: &str| instruction.modifiers.iter().any(|modifier| modifier == word);
        let version = self.module.version;
        let name = instruction.name();
        if version >= ALIGNED && !has("aligned") {
            let message = format!("`{name}` without `.aligned` ended with PTX {ALIGNED}");
            self.complain(instruction.text_line, message, Some("write it with `.aligned`"));
        }
        if version >= UNSATURATED && has("satfinite") && (has("f16") || has("f32")) {
            let message =
                format!("`{name}`: floats with `.satfinite` ended with PTX {UNSATURATED}");
            self.complain(instruction.text_line, message, Some("remove `.satfinite`"));
        }
    }
}
