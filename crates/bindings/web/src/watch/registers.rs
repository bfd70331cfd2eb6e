//! The registers that the steps of one warp write, for the page's steps.

use crate::watch::launching::Launching;
use lanework_debug::data::registers::register_names;
use lanework_emulator::{Blocks, Device, Fault, LaunchConfig, Observer};
use lanework_engine::event::Wants;
use lanework_engine::step_view::{StepVerdict, StepView};
use lanework_ptx::Module;
use lanework_ptx_ir::kernel::{Kernel, Reg};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of steps of the warp whose registers are recorded.
const STEPS: usize = 3000;

/// The registers that a step wrote, with their bits in each lane.
type Written = Vec<(Reg, [u64; 32])>;

/// The registers of a kernel and the values that each step of a warp wrote.
pub struct WarpRegisters {
    names: Vec<(Reg, String)>,
    /// By PTX instruction: the registers that it reads and writes.
    uses: Vec<[Vec<Reg>; 2]>,
    steps: Vec<Written>,
}

/// Records the steps of a warp.
struct Recorder {
    block: u64,
    warp: u32,
    kernel: Arc<Kernel>,
    /// By PTX instruction: the registers that it writes.
    writes: Arc<[Vec<Reg>]>,
    /// The instruction of the last step.
    last: Option<u32>,
    steps: Vec<Written>,
}

impl Observer for Recorder {
    fn fork(&self) -> Recorder {
        let (kernel, writes) = (Arc::clone(&self.kernel), Arc::clone(&self.writes));
        Recorder { kernel, writes, last: None, steps: Vec::new(), ..*self }
    }

    fn merge(&mut self, other: Recorder) {
        self.steps.extend(other.steps);
    }

    fn wants(&self) -> Wants {
        Wants::STEPS.with(Wants::ONE_WORKER)
    }

    fn step(&mut self, view: &StepView<'_>) -> StepVerdict {
        let next = StepVerdict::UntilStep(view.number() + 1);
        let place = view.place();
        if (place.block, place.warp) != (self.block, self.warp) {
            return next;
        }
        if let Some(last) = self.last {
            let written = self.writes.get(last as usize).map_or(&[][..], Vec::as_slice);
            let bits = written.iter().filter_map(|reg| Some((*reg, view.register(*reg)?)));
            self.steps.push(bits.collect());
        }
        self.last = Some(place.instruction);
        if self.steps.len() < STEPS { next } else { StepVerdict::UntilStep(u64::MAX) }
    }
}

/// Records the registers of a warp. The launch has no effect on memory.
///
/// # Errors
/// A fault of the kernel.
pub fn recorded(
    launching: &Launching<'_>,
    blocks: Blocks,
    (block, warp): (u64, u32),
) -> Result<Option<WarpRegisters>, Fault> {
    let entry = launching.config.entry;
    let module = Module::parse(launching.ptx).ok();
    let (Some(kernel), Some(module)) = (launching.program.kernel(entry), module) else {
        return Ok(None);
    };
    let gaps = launching.emulator.options().checks.is_some();
    let known = register_names(launching.program, &module, entry, gaps);
    let uses = uses(kernel, &known);
    let writes: Arc<[Vec<Reg>]> = uses.iter().map(|[_, writes]| writes.clone()).collect();
    let kernel = Arc::clone(kernel);
    let config = LaunchConfig { blocks, ..*launching.config };
    let steps = launching.emulator.without_effect(|on: &Device| {
        let mut recorder = Recorder { block, warp, kernel, writes, last: None, steps: Vec::new() };
        on.launch(launching.program, &config, launching.arguments, &mut recorder)?;
        Ok(recorder.steps)
    })?;
    let mut names: Vec<(Reg, String)> = known.into_iter().collect();
    names.sort();
    Ok(Some(WarpRegisters { names, uses, steps }))
}

/// By PTX instruction: the named registers that it reads and writes.
fn uses(kernel: &Kernel, names: &HashMap<Reg, String>) -> Vec<[Vec<Reg>; 2]> {
    let mut uses = vec![[Vec::new(), Vec::new()]; kernel.origins.len()];
    for inst in &kernel.insts {
        let Some([reads, writes]) = uses.get_mut(inst.origin as usize) else { continue };
        let add = |to: &mut Vec<Reg>, register: Reg| {
            if names.contains_key(&register) && !to.contains(&register) {
                to.push(register);
            }
        };
        inst.reads().for_each(|register| add(reads, register));
        inst.writes().for_each(|register| add(writes, register));
    }
    uses
}

/// A register's value, by the prefix that compilers give to names of its type.
fn value(name: &str, bits: u64) -> Value {
    let prefix = name.trim_start_matches('%').trim_end_matches(|c: char| c.is_ascii_digit());
    match prefix {
        "p" => json!(bits & 1),
        // JSON has no NaN and no infinity.
        "f" => match f32::from_bits(bits as u32) {
            float if float.is_finite() => json!(float),
            float => json!(float.to_string()),
        },
        "fd" => match f64::from_bits(bits) {
            float if float.is_finite() => json!(float),
            float => json!(float.to_string()),
        },
        "r" => json!(bits as u32 as i32),
        "rs" => json!(bits as u16 as i16),
        _ => json!(format!("{bits:#x}")),
    }
}

impl WarpRegisters {
    /// As JSON: names, uses by instruction, and by step the written registers, each as its index and one value for all lanes or 32 values.
    pub fn json(&self) -> Value {
        let index: HashMap<Reg, usize> =
            self.names.iter().enumerate().map(|(at, (register, _))| (*register, at)).collect();
        let written = |(register, bits): &(Reg, [u64; 32])| {
            let at = *index.get(register)?;
            let name = &self.names[at].1;
            Some(match bits.iter().all(|one| *one == bits[0]) {
                true => json!([at, value(name, bits[0])]),
                false => json!([at, bits.map(|bits| value(name, bits))]),
            })
        };
        let steps = self.steps.iter().map(|step| step.iter().filter_map(written).collect());
        let indices =
            |all: &Vec<Reg>| all.iter().filter_map(|register| index.get(register)).collect();
        let uses = self.uses.iter().map(|both| both.each_ref().map(indices));
        json!({
            "names": self.names.iter().map(|(_, name)| name).collect::<Vec<_>>(),
            "uses": uses.collect::<Vec<[Vec<&usize>; 2]>>(),
            "steps": steps.collect::<Vec<Vec<Value>>>(),
        })
    }
}
