//! The lowest `.version` and `.target` that cover what a module uses, so the oldest driver that can run it accepts it.
//!
//! The needs of instructions are in their table, measured with ptxas 12.9 (13.2 for newer instructions) by lowering
//! version and target until ptxas reported an error. `measured.txt` holds the results; a test compares the table with
//! them. This file has the first version of each target.

use crate::ast::Specific::{self, Architecture, Portable};
use crate::ast::*;
use crate::instructions::{Modifier, NamedSpecial, Opcode, Requirement};
use crate::types::ScalarType;

/// The requirement of a module without special features. PTX 6.0 introduced warp instructions with a member mask; sm_50
/// is the oldest target that current drivers accept.
const LEAST: Requirement = Requirement::portable((6, 0), 50);

/// Parameters of an entry beyond this many bytes need a newer version.
const PARAMETER_BYTES: u64 = 4352;

impl Module {
    /// The lowest PTX version, architecture and suffix that cover the module's features. If the module uses features specific to
    /// two different architectures, no target has both, and this returns the higher architecture.
    ///
    /// Limit: operands have no types here, so this does not recognize the few features that depend on an operand's type
    /// (a predicate as the last operand of `cp.async`).
    pub fn lowest_requirements(&self) -> (Version, u32, Specific) {
        let mut need = LEAST;
        for item in &self.items {
            match item {
                Item::Variable(variable) => add_variable(&mut need, variable),
                Item::Function(function) => add_function(&mut need, function),
                Item::Directive(words) if words.starts_with(".alias") => {
                    need.add(Requirement::version(6, 3));
                }
                Item::Directive(_) => {}
            }
        }
        for (architecture, specific, version) in TARGETS {
            if (architecture, specific) == (need.architecture, need.specific) {
                need.version = need.version.max(version);
            }
        }
        let (major, minor) = need.version;
        (Version { major, minor }, need.architecture, need.specific)
    }

    /// Sets `.version` and `.target` to [`Module::lowest_requirements`]. Keeps the options.
    pub fn set_lowest_requirements(&mut self) {
        let (version, architecture, specific) = self.lowest_requirements();
        self.version = version;
        self.target.architecture = architecture;
        self.target.specific = specific;
    }
}

impl Instruction {
    /// The number of the lowest target that has the instruction, such as 90 for sm_90; at least 50.
    ///
    /// ```
    /// use lanework_ptx::Instruction;
    ///
    /// assert_eq!(Instruction::new("add.f32x2", Vec::new()).lowest_architecture(), 100);
    /// ```
    pub fn lowest_architecture(&self) -> u32 {
        let mut need = LEAST;
        add_instruction(&mut need, self);
        need.architecture
    }
}

fn add_variable(need: &mut Requirement, variable: &Variable) {
    add_type(need, variable.ty);
    if variable.init.as_ref().is_some_and(is_masked) {
        need.add(Requirement::version(7, 1)); // Initializers: the mask() operator
    }
}

fn is_masked(init: &Initializer) -> bool {
    match init {
        Initializer::Masked { .. } => true,
        Initializer::List(list) => list.iter().any(is_masked),
        Initializer::Value(_) | Initializer::Address { .. } | Initializer::Fields(_) => false,
    }
}

/// Fundamental Types: `.b128` is the only one that is not in every version.
fn add_type(need: &mut Requirement, ty: ScalarType) {
    if ty == ScalarType::B128 {
        need.add(Requirement::portable((8, 3), 70));
    }
}

fn add_function(need: &mut Requirement, function: &Function) {
    let parameter_bytes: u64 = function.params.iter().map(Variable::size).sum();
    if function.entry && parameter_bytes > PARAMETER_BYTES {
        need.add(Requirement::portable((8, 1), 70));
    }
    for directive in &function.directives {
        let word = match directive {
            FunctionDirective::RequiredCluster(_) => "reqnctapercluster",
            FunctionDirective::Other(words) => words.split_whitespace().next().unwrap_or_default(),
            _ => continue,
        };
        need.add(match word {
            // Cluster Dimension Directives
            "reqnctapercluster" | "explicitcluster" | "maxclusterrank" => {
                Requirement::portable((7, 8), 90)
            }
            "blocksareclusters" => Requirement::portable((9, 0), 90),
            "noreturn" => Requirement::version(6, 4), // Performance-Tuning Directives: .noreturn
            "abi_preserve" | "abi_preserve_control" => Requirement::version(9, 0),
            _ => continue,
        });
    }
    add_statements(need, function.body.as_deref().unwrap_or_default());
}

fn add_statements(need: &mut Requirement, statements: &[Statement]) {
    for statement in statements {
        match statement {
            Statement::Registers(registers) => add_type(need, registers.ty),
            Statement::Variable(variable) => add_variable(need, variable),
            Statement::Instruction(instruction) => add_instruction(need, instruction),
            Statement::Block(inner) => add_statements(need, inner),
            Statement::Label(_) | Statement::Directive(_) => {}
        }
    }
}

fn add_instruction(need: &mut Requirement, instruction: &Instruction) {
    let (modifiers, operands) = (&instruction.modifiers, instruction.operands.len());
    let found = instruction.opcode.needs().iter().filter(|n| n.applies(modifiers, operands));
    found.for_each(|found| need.add(found.requirement));
    for operand in &instruction.operands {
        add_special_register(need, operand);
    }
    if instruction.location.as_ref().is_some_and(|l| l.inlined.is_some()) {
        need.add(Requirement::version(7, 2)); // Debugging Directives: .loc, function_name
    }
}

fn add_special_register(need: &mut Requirement, operand: &Operand) {
    match operand {
        Operand::Name(name) => {
            let special = name.split('.').next().and_then(NamedSpecial::from_name);
            special.and_then(|found| found.need).into_iter().for_each(|found| need.add(found));
        }
        Operand::Vector(elements) => elements.iter().for_each(|e| add_special_register(need, e)),
        _ => {}
    }
}

/// The first version that supports a target; `None` for an unknown target.
pub(crate) fn first_version(target: &Target) -> Option<Version> {
    let old = OLD_TARGETS.iter().map(|(number, version)| (*number, Specific::Portable, *version));
    let mut all = TARGETS.into_iter().chain(old);
    let matches = |(number, specific, _): &(u32, Specific, (u8, u8))| {
        (*number, *specific) == (target.architecture, target.specific)
    };
    all.find(matches).map(|(_, _, (major, minor))| Version { major, minor })
}

/// The PTX version that introduced an instruction for this target, if it is lower than for older targets.
fn earlier_version(instruction: &Instruction, architecture: u32) -> Option<(u8, u8)> {
    let eight_bits = instruction.has(Modifier::E4m3x2) || instruction.has(Modifier::E5m2x2);
    let earlier = instruction.opcode == Opcode::Cvt && eight_bits && architecture >= 90;
    earlier.then_some((7, 8)) // manual, "Data Movement: cvt"
}

/// Describes a requirement of an instruction that a version and target do not meet.
pub(crate) fn unmet_requirement(
    instruction: &Instruction,
    version: Version,
    target: &Target,
) -> Option<String> {
    let mut need = Requirement::version(0, 0);
    add_instruction(&mut need, instruction);
    let had = earlier_version(instruction, target.architecture).unwrap_or(need.version);
    let (major, minor) = had.min(need.version);
    let needed = Version { major, minor };
    if needed > version {
        return Some(format!("PTX {needed}; the module says {version}"));
    }
    let here = target.architecture;
    let suffix = need.specific == Specific::Portable || target.specific != Specific::Portable;
    let lowest =
        Target { architecture: need.architecture, specific: need.specific, options: Vec::new() };
    if here >= need.until {
        let until = need.until - 1;
        return Some(format!("{lowest}, and no target after sm_{until}; the module says {target}"));
    }
    (here < need.architecture || !suffix).then(|| format!("{lowest}; the module says {target}"))
}

/// The first version that supports each target (manual, "PTX Module Directives: .target").
const TARGETS: [(u32, Specific, (u8, u8)); 27] = [
    (72, Portable, (6, 1)),
    (75, Portable, (6, 3)),
    (80, Portable, (7, 0)),
    (86, Portable, (7, 1)),
    (87, Portable, (7, 4)),
    (88, Portable, (9, 0)),
    (89, Portable, (7, 8)),
    (90, Portable, (7, 8)),
    (90, Architecture, (8, 0)),
    (100, Portable, (8, 6)),
    (100, Architecture, (8, 6)),
    (100, Specific::Family, (8, 8)),
    (101, Portable, (8, 6)),
    (101, Architecture, (8, 6)),
    (101, Specific::Family, (8, 8)),
    (103, Portable, (8, 8)),
    (103, Architecture, (8, 8)),
    (103, Specific::Family, (8, 8)),
    (110, Portable, (9, 0)),
    (110, Architecture, (9, 0)),
    (110, Specific::Family, (9, 0)),
    (120, Portable, (8, 7)),
    (120, Architecture, (8, 7)),
    (120, Specific::Family, (8, 8)),
    (121, Portable, (8, 8)),
    (121, Architecture, (8, 8)),
    (121, Specific::Family, (8, 8)),
];

/// The same for targets that PTX 6.0 has.
const OLD_TARGETS: [(u32, (u8, u8)); 18] = [
    (10, (1, 0)),
    (11, (1, 0)),
    (12, (1, 2)),
    (13, (1, 2)),
    (20, (2, 0)),
    (21, (2, 0)),
    (30, (3, 0)),
    (32, (4, 0)),
    (35, (3, 1)),
    (37, (4, 1)),
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (61, (5, 0)),
    (62, (5, 0)),
    (70, (6, 0)),
    (71, (6, 0)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Need;
    use crate::parse_instructions;

    fn module_of(statements: Vec<Statement>) -> Module {
        let text = ".version 1.0\n.target sm_10\n.entry k {}";
        let mut module = Module::parse(text).expect("a module");
        if let Item::Function(function) = &mut module.items[0] {
            function.body = Some(statements);
        }
        module
    }

    fn shown((version, architecture, specific): (Version, u32, Specific)) -> String {
        let options = Vec::new();
        format!("{version} {}", Target { architecture, specific, options })
    }

    fn of_module(text: &str) -> String {
        let text = format!(".version 1.0\n.target sm_10\n{text}");
        shown(Module::parse(&text).unwrap_or_else(|e| panic!("{e}")).lowest_requirements())
    }

    /// The table agrees with ptxas on every measured instruction.
    #[test]
    fn agrees_with_ptxas() {
        let mut wrong = Vec::new();
        let lines =
            include_str!("requirements/measured.txt").lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            let (expected, text) = line.split_once(" | ").expect("`version target | instruction`");
            let statements = parse_instructions(text).unwrap_or_else(|e| panic!("{e}"));
            let found = shown(module_of(statements).lowest_requirements());
            if found != expected {
                wrong.push(format!("{text} needs {expected}, the table has {found}"));
            }
        }
        assert!(lines.count() > 200);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Every need of the table (opcodes may share one) applies to a measured instruction.
    #[test]
    fn every_need_is_measured() {
        let mut instructions = Vec::new();
        for line in
            include_str!("requirements/measured.txt").lines().filter(|line| !line.starts_with('#'))
        {
            let text = line.split_once(" | ").expect("a separator").1;
            instructions.extend(parse_instructions(text).unwrap_or_else(|e| panic!("{e}")));
        }
        let of = |opcode: &Opcode| opcode.needs().iter();
        let applied: Vec<&Need> = instructions
            .iter()
            .flat_map(|statement| match statement {
                Statement::Instruction(i) => {
                    of(&i.opcode).filter(|n| n.applies(&i.modifiers, i.operands.len())).collect()
                }
                _ => Vec::new(),
            })
            .collect();
        let needs =
            Opcode::ALL.iter().flat_map(|opcode| of(opcode).map(move |need| (opcode, need)));
        let unused: Vec<_> = needs.filter(|(_, need)| !applied.contains(need)).collect();
        assert!(
            unused.is_empty(),
            "add lines to requirements/measured.txt for these needs: {unused:?}"
        );
    }

    /// Behavior of ptxas 13.0.88: sm_90 has conversions of 8-bit floats since its first version, sm_89 only since three
    /// versions later. `activemask` and the suffixes of state spaces are older than the oldest version that drivers
    /// accept.
    #[test]
    fn a_newer_target_may_get_an_instruction_earlier() {
        let lacks_at = |text: &str, version: (u8, u8), architecture: u32| {
            let statements = parse_instructions(text).unwrap_or_else(|e| panic!("{e}"));
            let Some(Statement::Instruction(instruction)) = statements.first() else { panic!() };
            let target = Target { architecture, specific: Specific::Portable, options: Vec::new() };
            unmet_requirement(instruction, Version { major: version.0, minor: version.1 }, &target)
        };
        let cvt = "cvt.rn.satfinite.e4m3x2.f32 h0, f1, f2;";
        assert_eq!(lacks_at(cvt, (7, 8), 90), None);
        assert_eq!(lacks_at(cvt, (8, 1), 89), None);
        assert_eq!(lacks_at(cvt, (7, 7), 90).as_deref(), Some("PTX 7.8; the module says 7.7"));
        assert_eq!(lacks_at(cvt, (8, 0), 89).as_deref(), Some("PTX 8.1; the module says 8.0"));
        assert_eq!(lacks_at("activemask.b32 r0;", (6, 5), 30), None);
        assert!(lacks_at("activemask.b32 r0;", (6, 5), 20).is_some());
        assert_eq!(lacks_at("ld.shared::cta.u32 r0, [r1];", (7, 8), 35), None);
    }

    /// Behavior of ptxas 13.5: only sm_90a has wgmma, but later targets have setmaxnreg and tensormap.replace; tensor
    /// memory ended before sm_120. Scopes of atomics and half precision are older than PTX 6.0.
    #[test]
    fn some_architecture_specific_instructions_end() {
        let lacks_at = |text: &str, version: (u8, u8), architecture: u32, specific: Specific| {
            let statements = parse_instructions(text).unwrap_or_else(|e| panic!("{e}"));
            let Some(Statement::Instruction(instruction)) = statements.first() else { panic!() };
            let target = Target { architecture, specific, options: Vec::new() };
            unmet_requirement(instruction, Version { major: version.0, minor: version.1 }, &target)
        };
        let (architecture, family) = (Specific::Architecture, Specific::Family);
        for text in [
            "setmaxnreg.inc.sync.aligned.u32 64;",
            "tensormap.replace.tile.rank.global.b1024.b32 [q1], 3;",
        ] {
            for (number, specific) in [(90, architecture), (100, architecture), (120, family)] {
                assert_eq!(lacks_at(text, (9, 0), number, specific), None, "{text} {number}");
            }
            assert!(lacks_at(text, (9, 0), 100, Specific::Portable).is_some());
        }
        assert_eq!(
            lacks_at("wgmma.fence.sync.aligned;", (9, 0), 100, architecture).as_deref(),
            Some("sm_90a, and no target after sm_90; the module says sm_100a")
        );
        let fence = "tcgen05.fence::before_thread_sync;";
        assert_eq!(lacks_at(fence, (9, 0), 110, family), None);
        assert!(lacks_at(fence, (9, 0), 120, architecture).is_some());
        let gather = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes \
                      [r1], [q1, {r2, r3, r4, r5, r6}], [r7];";
        assert_eq!(lacks_at(gather, (8, 6), 100, Specific::Portable), None);
        let portable = Specific::Portable;
        assert_eq!(lacks_at("atom.cta.global.add.u32 r0, [q1], r1;", (5, 0), 60, portable), None);
        assert_eq!(lacks_at("fma.rn.f16 h0, h1, h2, h3;", (4, 2), 53, portable), None);
        assert!(lacks_at("neg.f16 h0, h1;", (5, 0), 60, portable).is_some());
    }

    #[test]
    fn declarations_and_directives_have_requirements() {
        assert_eq!(of_module(".entry k(.param .b8 p[4352]) { ret; }"), "6.0 sm_50");
        assert_eq!(of_module(".entry k(.param .b8 p[4356]) { ret; }"), "8.1 sm_70");
        assert_eq!(of_module(".entry k .reqnctapercluster 2 { ret; }"), "7.8 sm_90");
        assert_eq!(of_module(".func f .noreturn;"), "6.4 sm_50");
        assert_eq!(of_module(".global .b8 x[1] = {0xFF(y)};"), "7.1 sm_50");
        assert_eq!(of_module(".entry k { { .reg .b128 %w; } }"), "8.3 sm_70");
        assert_eq!(
            of_module(".entry k { .loc 1 1 1, function_name a, inlined_at 1 2 3 ret; }"),
            "7.2 sm_50"
        );
    }

    #[test]
    fn the_highest_requirement_wins_and_a_suffix_is_kept() {
        assert_eq!(
            of_module(".entry k { wgmma.fence.sync.aligned; tanh.approx.f32 a, b; }"),
            "8.0 sm_90a"
        );
        assert_eq!(
            of_module(".entry k { redux.sync.add.u32 a, b, c; fence.sc.cta; }"),
            "7.0 sm_80"
        );
    }

    #[test]
    fn setting_the_lowest_requirements_keeps_the_options() {
        let text = ".version 8.8\n.target sm_100a, debug\n.entry k { bar.sync 0; }";
        let mut module = Module::parse(text).expect("a module");
        module.set_lowest_requirements();
        assert_eq!(module.target.to_string(), "sm_50, debug");
        assert_eq!(module.version, Version { major: 6, minor: 0 });
    }
}
