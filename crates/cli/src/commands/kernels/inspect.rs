//! `lanework inspect`: the contents of a module, without running it.

use crate::args::{InspectArgs, InspectFileArgs, InspectProgramArgs};
use crate::kernel_file::source::ptx_of;
use crate::problem::subject::{RungSelection, each_trial};
use crate::program;
use lanework::emulator::Options;
use lanework::ptx::cpp_names::is_called;
use lanework::ptx::{Function, Module, StateSpace, Statement, Target, Variable};
use lanework::tool::Record;
use lanework::{Device, Error, Job, PtxModule};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_data, print_json, thousands};
use lanework_terminal::table::{Column, Table, listed, prose, shown};
use lanework_terminal::words;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A module in JSON.
#[derive(Serialize)]
struct ModuleJson {
    version: String,
    target: String,
    lowest_version: String,
    lowest_target: String,
    /// Why the emulator cannot run any entry; `null` if it can.
    emulator: Option<String>,
    /// Errors that ptxas would report: undeclared names, wrong types and similar.
    invalid: Vec<String>,
    /// Entries that the emulator does not run, and why.
    refused: BTreeMap<String, String>,
    /// Device functions that no entry calls and the emulator does not run, and why.
    refused_functions: BTreeMap<String, String>,
    entries: Vec<EntryJson>,
}

/// An entry in JSON.
#[derive(Serialize)]
struct EntryJson {
    name: String,
    parameters: Vec<ParameterJson>,
    registers: BTreeMap<String, u32>,
    /// Estimated registers per thread, from the values that are live at the same time; `null` if the emulator cannot
    /// run it.
    registers_per_thread: Option<u32>,
    /// Bytes of local memory of a thread, arrays and spills; `null` as above.
    local_bytes: Option<u32>,
    static_shared: u64,
    required_block: Option<[u32; 3]>,
    max_threads: Option<u32>,
    instructions: BTreeMap<String, u32>,
}

/// A parameter in JSON.
#[derive(Serialize)]
struct ParameterJson {
    name: String,
    kind: String,
    bytes: u64,
}

/// Shows entries, parameters, registers, shared memory, the instruction mix, versions, and what the
/// emulator does not support.
///
/// # Errors
/// If the file cannot be read or is not PTX, or when ptxas would refuse the module.
pub fn run(args: &InspectFileArgs) -> Outcome {
    let ptx = ptx_of(&args.file, &args.source)?;
    let module =
        Module::parse(&ptx.text).map_err(|problems| Error::Ptx(Box::new(ptx.named(problems))))?;
    fits(&module, args.memory_limit)?;
    let found = describe(&module, &|device| ptx.load(device), args.memory_limit);
    if args.json {
        print_json(&found)?;
    } else {
        show(&found)?;
    }
    // The message lists the first problems with their lines.
    match module.validate() {
        Ok(()) => Ok(()),
        Err(problems) => Err(Failure::Check(ptx.named(problems).to_string())),
    }
}

/// Shows the kernels of rungs for a problem. For a single rung, also shows the PTX.
///
/// # Errors
/// Unknown names, and problems that do not fit.
pub fn run_rungs(args: &InspectArgs) -> Outcome {
    let asked = RungSelection { target: &args.ladder, rungs: &args.rungs, problem: &args.problem };
    let mut kernels: Vec<KernelJson> = Vec::new();
    each_trial(&asked, &mut |name, trial| {
        let modules = match trial.job()? {
            Job::Kernel(kernel) => vec![kernel.module().clone()],
            Job::Kernels(kernels) => kernels.iter().map(|kernel| kernel.module().clone()).collect(),
            Job::Ptx(kernel) => vec![kernel.module().module().clone()],
            Job::Vendor(_) => Vec::new(),
        };
        for module in modules {
            let ptx = module.to_string();
            let memory = Options::default().limits.memory;
            let module = describe(&module, &|device| device.load_ptx(&ptx), memory);
            kernels.push(KernelJson { kernel: name.to_owned(), module, ptx });
        }
        Ok(())
    })?;
    if args.json {
        return print_json(&kernels);
    }
    let rungs: BTreeSet<&str> = kernels.iter().map(|one| one.kernel.as_str()).collect();
    for (index, one) in kernels.iter().enumerate() {
        print(&format!("{}{}: ", if index > 0 { "\n" } else { "" }, one.kernel))?;
        show(&one.module)?;
        if rungs.len() == 1 {
            print_data(&format!("\n{}\n", one.ptx.trim_end()))?;
        }
    }
    Ok(())
}

/// A kernel of a program, in JSON.
#[derive(Serialize)]
struct KernelJson {
    kernel: String,
    module: ModuleJson,
    ptx: String,
}

/// Shows the kernels that a program launches, each with its PTX.
///
/// # Errors
/// If the program launches no kernel of that name.
pub fn run_program(args: &InspectProgramArgs) -> Outcome {
    let ended = program::run(&args.program, "inspect", &[])?;
    let mut shown: Vec<KernelJson> = Vec::new();
    for record in ended.records() {
        let Record::Module(kernel, _, ptx) = record else { continue };
        let known = shown.iter().any(|one| one.ptx == *ptx);
        let wanted = args
            .kernel
            .as_ref()
            .is_none_or(|name| kernel.split(' ').any(|entry| is_called(entry, name)));
        if known || !wanted {
            continue;
        }
        let module = Module::parse(ptx).map_err(|problems| Error::Ptx(Box::new(problems)))?;
        let module =
            describe(&module, &|device| device.load_ptx(ptx), Options::default().limits.memory);
        shown.push(KernelJson { kernel: kernel.clone(), module, ptx: ptx.clone() });
    }
    if shown.is_empty() {
        ended.own()?;
        return Err(ended.without_kernel(&match &args.kernel {
            Some(name) => format!("the program does not launch `{name}`"),
            None => "no PTX of the program's kernels was recorded".to_owned(),
        }));
    }
    if args.program.json {
        print_json(&shown)?;
    } else {
        for one in &shown {
            show(&one.module)?;
            print_data(&format!("\n{}\n", one.ptx.trim_end()))?;
        }
    }
    ended.own()
}

/// Refuses a module whose variables exceed the limit, before anything is allocated for them.
fn fits(module: &Module, limit: u64) -> Outcome {
    let in_memory = |v: &&Variable| matches!(v.space, StateSpace::Global | StateSpace::Const);
    let sizes = module.variables().filter(in_memory).map(Variable::size);
    let bytes = sizes.fold(0, u64::saturating_add);
    if bytes <= limit {
        return Ok(());
    }
    let largest = module.variables().filter(in_memory).max_by_key(|v| v.size());
    let largest = largest.map_or("", |v| v.name.as_str());
    Err(Failure::input(
        format_args!(
            "the module's variables take {} bytes, `{largest}` most of them; the limit is {}",
            thousands(bytes),
            thousands(limit)
        ),
        "make them smaller, or raise --memory-limit",
    ))
}

/// Wraps a sentence that ends with an error, but keeps the line breaks of the error's location and help.
fn refusal(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, rest)) => format!("{}{}\n", prose(first), words::say(rest)),
        None => prose(text),
    }
}

fn show(found: &ModuleJson) -> Outcome {
    let mut text = format!(
        "PTX {} for {}; its instructions need PTX {} and {}\n",
        found.version, found.target, found.lowest_version, found.lowest_target
    );
    match &found.emulator {
        None if found.refused.is_empty() && found.refused_functions.is_empty() => {
            text.push_str("the emulator runs all of it\n");
        }
        None => {
            for (name, why) in found.refused.iter().chain(&found.refused_functions) {
                text.push_str(&refusal(&format!("the emulator does not run {name}: {why}")));
            }
        }
        Some(_) if !found.invalid.is_empty() => {
            text.push_str("the emulator does not run it: it is not valid PTX\n");
        }
        Some(why) => {
            text.push_str(&refusal(&format!("the emulator does not run it: {why}")));
        }
    }
    for entry in &found.entries {
        text.push_str(&format!("\nentry {}\n", entry.name));
        let mut rows =
            Table::new([Column::name("parameter"), Column::label("type"), Column::number("bytes")]);
        for parameter in &entry.parameters {
            let bytes = parameter.bytes.to_string();
            rows.row([parameter.name.clone(), parameter.kind.clone(), bytes]);
        }
        if !rows.is_empty() {
            text.push_str(&shown(&rows));
        }
        let list = |counts: &BTreeMap<String, u32>| {
            let mut counts: Vec<(&String, &u32)> = counts.iter().collect();
            counts.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
            let words: Vec<String> =
                counts.iter().map(|(name, count)| format!("{name}\u{a0}{count}")).collect();
            words.join(", ")
        };
        text.push_str(&listed("registers: ", &list(&entry.registers)));
        if let (Some(registers), Some(local)) = (entry.registers_per_thread, entry.local_bytes) {
            let local = thousands(u64::from(local));
            text.push_str(&format!(
                "per thread: ~{registers} registers (estimated), {local} bytes of local memory\n"
            ));
        }
        text.push_str(&format!("static shared memory: {} bytes\n", entry.static_shared));
        if let Some([x, y, z]) = entry.required_block {
            text.push_str(&format!("required block: {x}x{y}x{z}\n"));
        }
        if let Some(most) = entry.max_threads {
            text.push_str(&format!("threads per block: at most {most}\n"));
        }
        text.push_str(&listed("instructions: ", &list(&entry.instructions)));
    }
    print(&text)
}

fn describe(
    module: &Module,
    load: &dyn Fn(&Device) -> lanework::Result<PtxModule>,
    memory_limit: u64,
) -> ModuleJson {
    let (version, architecture, specific) = module.lowest_requirements();
    let lowest = Target { architecture, specific, options: Vec::new() };
    let mut options = Options::default();
    options.limits.memory = memory_limit;
    let loaded = load(&Device::emulator_within(options));
    let refused = |of: fn(&PtxModule) -> Vec<(String, String)>| {
        loaded.as_ref().map(|module| of(module).into_iter().collect()).unwrap_or_default()
    };
    let invalid = module.validate().err().map(|problems| {
        problems
            .iter()
            .map(|problem| format!("line {}: {}", problem.line, problem.message))
            .collect()
    });
    let shared = module.variables().filter(|v| is_shared(v)).map(Variable::size);
    let shared_by_all = shared.fold(0, u64::saturating_add);
    ModuleJson {
        version: module.version.to_string(),
        target: module.target.to_string(),
        lowest_version: version.to_string(),
        lowest_target: lowest.to_string(),
        emulator: loaded.as_ref().err().map(ToString::to_string),
        invalid: invalid.unwrap_or_default(),
        refused: refused(PtxModule::refused),
        refused_functions: refused(PtxModule::refused_functions),
        entries: module
            .entries()
            .map(|entry| {
                let used = loaded.as_ref().ok().and_then(|module| module.resources(&entry.name));
                let used = used.filter(|used| used.registers > 0);
                EntryJson {
                    registers_per_thread: used.as_ref().map(|used| used.registers),
                    local_bytes: used.as_ref().map(|used| used.local_bytes),
                    ..describe_entry(entry, shared_by_all)
                }
            })
            .collect(),
    }
}

fn is_shared(variable: &Variable) -> bool {
    variable.space == StateSpace::Shared
}

fn describe_entry(entry: &Function, shared_by_all: u64) -> EntryJson {
    let mut found = EntryJson {
        name: entry.name.clone(),
        parameters: entry.params.iter().map(describe_parameter).collect(),
        registers: BTreeMap::new(),
        registers_per_thread: None,
        local_bytes: None,
        static_shared: shared_by_all,
        required_block: entry.required_block(),
        max_threads: entry.max_threads(),
        instructions: BTreeMap::new(),
    };
    if let Some(body) = &entry.body {
        collect(body, &mut found);
    }
    found
}

fn describe_parameter(parameter: &Variable) -> ParameterJson {
    let pointer = parameter.attributes.iter().any(|word| word.contains("ptr"));
    let array: String =
        parameter.dims.iter().map(|dim| format!("[{}]", dim.unwrap_or(0))).collect();
    let kind = format!(".{}{array}{}", parameter.ty.name(), if pointer { " pointer" } else { "" });
    let bytes = parameter.size();
    ParameterJson { name: parameter.name.clone(), kind, bytes }
}

/// Adds the declarations and instructions of a body, nested scopes included.
fn collect(body: &[Statement], found: &mut EntryJson) {
    for statement in body {
        match statement {
            Statement::Registers(registers) => {
                let counts = registers.names.iter().map(|(_, count)| count.unwrap_or(1));
                let before = found.registers.entry(registers.ty.name().to_owned()).or_default();
                *before = counts.fold(*before, u32::saturating_add);
            }
            Statement::Variable(variable) if is_shared(variable) => {
                found.static_shared = found.static_shared.saturating_add(variable.size());
            }
            Statement::Instruction(instruction) => {
                *found.instructions.entry(instruction.word(0)).or_default() += 1;
            }
            Statement::Block(inner) => collect(inner, found),
            _ => {}
        }
    }
}
