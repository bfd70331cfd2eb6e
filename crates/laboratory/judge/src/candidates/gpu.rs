//! A candidate on a GPU: runs the drawn problems again, the timed problem on fresh data before and after timing, and
//! measures the time.
//!
//! A worker process that holds no reference makes the launches. Each problem is an arena drawn here: arrays in random
//! order, a canary around each, undefined arrays poisoned. This process compares the returned bytes, bit for bit
//! where the kernel must not write.

use crate::candidates::candidate::Candidate;
use crate::candidates::case::Case;
use crate::candidates::outputs::compare;
use crate::candidates::run::Results;
use crate::problems::prepared::{Prepared, Unjudged};
use crate::problems::problem::{Argument, Problem};
use crate::task::{Role, Task, Values};
use crate::verdict::{Reason, TimedProblem};
use crate::workers::worker::{LaunchOrder, RunOrder, Slot, TimeOrder, Worker, temporary};
use rand::{Rng, RngCore, rngs::StdRng, seq::SliceRandom};
use std::path::Path;
use std::time::Duration;

/// The GPU, and the time limit for timing on it.
#[derive(Clone, Debug)]
pub struct OnGpu {
    /// The device, as accepted by `Device::open`.
    pub device: String,
    /// How to start the worker.
    pub worker: Worker,
    /// Maximum seconds of sampling; 0 disables timing.
    pub seconds: u64,
}

/// Number of drawn problems to run on the GPU.
const TRIED: usize = 12;
/// Runs of the timed problem before timing, and again after it.
const AROUND: usize = 2;
/// Time allowed for the driver, the compilation and copies.
const OVERHEAD: Duration = Duration::from_secs(120);
/// Minimum bytes between arrays, and the alignment of arrays.
const GUARD: usize = 256;

/// One problem's memory.
struct Arena {
    bytes: Vec<u8>,
    /// Offset of each array; `None` for scalars.
    offsets: Vec<Option<usize>>,
}

impl Arena {
    fn draw(problem: &Problem, random: &mut StdRng) -> Arena {
        let mut order: Vec<usize> = (0..problem.arguments.len()).collect();
        order.shuffle(random);
        let mut arena = Arena { bytes: Vec::new(), offsets: vec![None; order.len()] };
        arena.guard(random);
        for number in order {
            let argument = &problem.arguments[number];
            let Argument::Array { before, .. } = argument else { continue };
            let start = arena.bytes.len();
            arena.offsets[number] = Some(start);
            arena.bytes.resize(start + argument.bytes() as usize, 0);
            match before.is_empty() {
                true => random.fill_bytes(&mut arena.bytes[start..]),
                false => arena.bytes[start..].copy_from_slice(before),
            }
            arena.guard(random);
        }
        arena
    }

    /// Writes a canary up to the next aligned offset.
    fn guard(&mut self, random: &mut StdRng) {
        let start = self.bytes.len();
        let steps = random.random_range(1..5);
        self.bytes.resize((start + GUARD).next_multiple_of(GUARD) + steps * GUARD, 0);
        random.fill_bytes(&mut self.bytes[start..]);
    }

    /// Extracts the results from an arena after a run, and checks that only writable arrays changed.
    fn results(&self, task: &Task, problem: &Problem, after: &[u8]) -> Result<Results, Reason> {
        if after.len() != self.bytes.len() {
            return Err(Reason::new("fault", "the device's memory could not be read"));
        }
        let mut results = Results::new();
        let mut guarded = vec![true; after.len()];
        for (number, argument) in problem.arguments.iter().enumerate() {
            let (Some(start), Argument::Array { role, .. }) = (self.offsets[number], argument)
            else {
                continue;
            };
            let range = start..start + argument.bytes() as usize;
            guarded[range.clone()].fill(false);
            match role {
                Role::In if after[range.clone()] != self.bytes[range.clone()] => {
                    let name = &task.parameters[number].name;
                    let why = format!("it wrote to the input `{name}` on the GPU");
                    return Err(Reason::new("input-changed", why));
                }
                Role::Out | Role::InOut => results.push((number, after[range].to_vec())),
                Role::In | Role::Scratch => {}
            }
        }
        let changed = |at: &usize| guarded[*at] && after[*at] != self.bytes[*at];
        match (0..after.len()).find(changed) {
            Some(_) => Err(Reason::new("canary", "it wrote outside of the buffers on the GPU")),
            None => Ok(results),
        }
    }
}

impl Case<'_> {
    /// Runs and times a candidate on a GPU.
    ///
    /// # Errors
    /// If references or processes fail; the inner error is the candidate's.
    pub fn on_gpu(
        &mut self,
        candidate: &Candidate,
        on: &OnGpu,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Result<(), Reason>, Unjudged> {
        progress("generating the timed problem");
        let task = self.ready.task;
        let mut around = Vec::new();
        for _ in 0..2 * AROUND {
            let extents = task.timed()?;
            let kind = task.values.iter().find(|kind| **kind == Values::Uniform);
            let kind = kind.or(task.values.first()).copied().unwrap_or(Values::Uniform);
            around.push(self.ready.prepare(task.problem(
                extents,
                kind,
                self.random.random(),
            )?)?);
        }
        let (before, after) = around.split_at(AROUND);
        let rounds: Vec<&Prepared> =
            self.rounds.iter().take(TRIED).chain(before).chain(after).collect();
        let timed = rounds.len() - AROUND - 1;
        let folder = temporary()?;
        let disk = |error: std::io::Error| {
            let help = "set TMPDIR to a folder with room";
            Unjudged::Failed(format!("an arena cannot be written: {error}"), help.to_owned())
        };
        let (mut arenas, mut runs) = (Vec::new(), Vec::new());
        for (number, prepared) in rounds.iter().enumerate() {
            let problem = &prepared.problem;
            let shape = match candidate.launch.shape(&problem.extents) {
                Ok(shape) => shape,
                Err(error) => return Ok(Err(Reason::new("launch", error.to_string()))),
            };
            let arena = Arena::draw(problem, &mut self.random);
            std::fs::write(folder.path().join(format!("{number}.before")), &arena.bytes)
                .map_err(disk)?;
            runs.push(RunOrder { shape: shape.into(), arguments: slots(problem, &arena) });
            arenas.push(arena);
        }
        let order = LaunchOrder {
            device: on.device.clone(),
            ptx: candidate.ptx.clone(),
            entry: task.entry.clone(),
            runs,
            timed: match on.seconds {
                0 => None,
                seconds => Some(self.time_order(&rounds[timed].problem, timed, seconds)?),
            },
        };
        progress("timing");
        let limit = OVERHEAD + Duration::from_secs(on.seconds) + task.limits.launch;
        let answer = match on.worker.launch(&order, folder.path(), limit)? {
            Ok(answer) => answer,
            Err(why) => return Ok(Err(Reason::new("endless", format!("on the GPU {why}")))),
        };
        let found = self.compare_all(&rounds, &arenas, folder.path(), timed, &answer);
        self.verdict.launches += answer.runs as u64;
        if let Err(reason) = found {
            return Ok(Err(reason));
        }
        if let Some(why) = answer.failed {
            return Ok(Err(Reason::new("fault", format!("on the GPU: {why}"))));
        }
        self.verdict.timed_problem = TimedProblem::Gpu;
        self.verdict.problems.extend(around.iter().map(|one| one.problem.record()));
        let invalid = answer.time.as_ref().and_then(|time| time.invalid.clone());
        self.verdict.time = answer.time;
        Ok(invalid.map_or(Ok(()), |why| Err(Reason::new("implausible", why))))
    }

    fn time_order(
        &self,
        problem: &Problem,
        run: usize,
        seconds: u64,
    ) -> Result<TimeOrder, Unjudged> {
        let task = self.ready.task;
        let value = |one| task.value(one, &problem.extents);
        let work = match &task.work {
            Some((bytes, flops)) => Some((value(bytes)?, value(flops)?)),
            None => None,
        };
        let floats = task.parameters.iter().filter(|one| one.is_array());
        let mut names: Vec<(String, String)> =
            problem.extents.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        names.push(("seed".to_owned(), problem.seed.to_string()));
        Ok(TimeOrder {
            run,
            work,
            touched: problem.arguments.iter().map(Argument::bytes).sum(),
            element_bytes: floats.map(|one| one.element.bytes()).min(),
            problem: names.into_iter().collect(),
            seconds,
        })
    }

    /// Compares the arena of every run, and of every timed copy.
    fn compare_all(
        &self,
        rounds: &[&Prepared],
        arenas: &[Arena],
        folder: &Path,
        timed: usize,
        answer: &crate::workers::worker::Answer,
    ) -> Result<(), Reason> {
        let task = self.ready.task;
        let check = |number: usize, file: String, said: &str| {
            let after = std::fs::read(folder.join(file)).unwrap_or_default();
            let prepared = rounds[number];
            let results = arenas[number].results(task, &prepared.problem, &after)?;
            compare(task, prepared, &results).map(drop).map_err(|reason| {
                let kind =
                    if number + 2 * AROUND >= rounds.len() { "timed-problem" } else { "wrong" };
                Reason { kind: kind.to_owned(), why: format!("{said}: {}", reason.why), ..reason }
            })
        };
        for number in 0..answer.runs {
            let said = if number > timed { "on the GPU, after timing" } else { "on the GPU" };
            check(number, format!("{number}.after"), said)?;
        }
        // An array that is both input and output has accumulated many launches by now.
        let once =
            |argument: &Argument| !matches!(argument, Argument::Array { role: Role::InOut, .. });
        if rounds[timed].problem.arguments.iter().all(once) {
            for copy in 0..answer.copies {
                check(timed, format!("{copy}.timed"), "in the launches that were timed")?;
            }
        }
        Ok(())
    }
}

fn slots(problem: &Problem, arena: &Arena) -> Vec<Slot> {
    let slot = |(argument, offset): (&Argument, &Option<usize>)| match (argument, offset) {
        (Argument::Scalar { bytes, .. }, _) => Slot::Bytes(bytes.clone()),
        (_, offset) => Slot::Offset(offset.unwrap_or_default() as u64),
    };
    problem.arguments.iter().zip(&arena.offsets).map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use std::path::Path;

    #[test]
    fn arenas_detect_writes_outside_the_results() {
        let text = r#"
entry = "add"
parameters = [
  { name = "a", kind = "in", element = "f32", shape = ["n"] },
  { name = "c", kind = "out", element = "f32", shape = ["n"] },
  { name = "n", kind = "scalar", element = "u32", value = "n" },
]
extents = { n = { range = [1, 9], timed = 9 } }
launch = { grid = 1, block = 32 }
reference = { index = "i", value = "a[i]" }
"#;
        let task = Task::read(Path::new("t.toml"), text).unwrap_or_else(|error| panic!("{error}"));
        let problem =
            task.problem(task.timed().expect("extents"), Values::Uniform, 1).expect("drawn");
        for seed in 0..8 {
            let arena = Arena::draw(&problem, &mut StdRng::seed_from_u64(seed));
            let [a, c] = [0, 1].map(|number| arena.offsets[number].expect("an array"));
            assert!(a % GUARD == 0 && c % GUARD == 0 && arena.offsets[2].is_none());
            let kind = |at: usize| {
                let mut after = arena.bytes.clone();
                after[at] ^= 1;
                arena.results(&task, &problem, &after).map_err(|reason| reason.kind)
            };
            assert_eq!(kind(a + 35), Err("input-changed".to_owned()));
            for beside in [a - 1, a + 36, c - 1, c + 36, 0, arena.bytes.len() - 1] {
                assert_eq!(kind(beside), Err("canary".to_owned()), "{beside}");
            }
            let results = kind(c).expect("an output may change");
            assert_eq!((results.len(), results[0].0, results[0].1.len()), (1, 1, 36));
            assert!(arena.results(&task, &problem, &[]).is_err());
        }
    }
}
