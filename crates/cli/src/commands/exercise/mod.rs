//! `lanework exercise`: writes an exercise's kernel to the current folder, checks the edited kernel, and gives hints.

use crate::args::{ExerciseArgs, FindingsFiles, KernelArgs};
use crate::findings::checked::Checked;
use crate::kernel_file::source::linked_ptx;
use crate::kernel_file::{
    Launched, Ready, arguments, check_arguments, emulator, find_entry, given, launch, maps,
    signature, upload,
};
use clap::Parser;
use lanework::emulator::Blocks;
use lanework_exercises::{Exercise, Missed, all};
use lanework_lab::Array;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, write};
use lanework_terminal::table::{listed, prose};
use std::path::{Path, PathBuf};

/// Instructions of a warp after which an exercise counts as an endless loop.
const STUCK_AFTER: u64 = 1_000_000;

/// Lists the exercises, writes one, or checks it.
///
/// # Errors
/// An unknown number, a file that cannot be written or compiled, and a kernel that does not reach the goal yet.
pub fn run(args: &ExerciseArgs) -> Outcome {
    let exercises = all();
    let Some(number) = args.number else {
        let mut text = String::new();
        let mut open = None;
        for (index, one) in exercises.iter().enumerate() {
            let number = index + 1;
            let file = file_of(number);
            let is_solved = file.exists() && matches!(check(one, &file), Ok(None));
            if !is_solved {
                open.get_or_insert(number);
            }
            let mark = if is_solved { "solved" } else { "" };
            text.push_str(&listed(&format!("  {number}  {:<15}{mark:<8}", one.title), one.task));
        }
        return print(&(text + &next(open.unwrap_or(1), open.is_none())));
    };
    let one = (number as usize).checked_sub(1).and_then(|index| exercises.get(index));
    let Some(one) = one else {
        return Err(Failure::input(
            format_args!("there is no exercise {number}"),
            format_args!("give 1 to {}; `lanework exercise` lists them", exercises.len()),
        ));
    };
    let file = file_of(number as usize);
    if args.again || !file.exists() {
        write(&file, one.source)?;
        return print(&format!(
            "{}{}",
            prose(&format!("{} is written: {}", file.display(), one.task)),
            prose(&format!(
                "Edit it; then `lanework exercise {number}` checks it, and --hint shows all hints."
            ))
        ));
    }
    if args.hint {
        let hints = one.hints.iter().map(|hint| listed("  hint: ", hint));
        return print(&hints.collect::<String>());
    }
    match check(one, &file)? {
        None => {
            let after = number as usize + 1;
            let is_last = after > exercises.len();
            let solved = prose(&format!("exercise {number} is solved"));
            print(&(solved + &next(after, is_last)))
        }
        Some(Miss { why, help }) => Err(Failure::Check(format!("{why}\n  = help: {help}"))),
    }
}

/// The file of an exercise.
fn file_of(number: usize) -> PathBuf {
    PathBuf::from(format!("exercise-{number}.cu"))
}

/// The next step: the exercise with this number, or a ladder after the last one.
fn next(number: usize, is_over: bool) -> String {
    if is_over {
        return prose(
            "Next: `lanework climb transpose --explain padded` shows these ideas in kernels of a ladder.",
        );
    }
    let task = if file_of(number).exists() { "checks your kernel" } else { "writes the kernel" };
    prose(&format!("Next: `lanework exercise {number}` {task}."))
}

/// The reason why a kernel is not a solution, and what helps.
struct Miss {
    why: String,
    help: &'static str,
}

/// Runs the kernel of a file. Returns the reason why it is not a solution; `None` if it is.
///
/// # Errors
/// A file that does not compile, and findings of the sanitizer.
fn check(exercise: &Exercise, file: &Path) -> Result<Option<Miss>, Failure> {
    let words = ["lanework run", "--compiler", "own"].map(str::to_owned).into_iter();
    let words = words.chain([file.display().to_string()]);
    let words = words.chain(exercise.launch.split(' ').map(str::to_owned));
    let args = KernelArgs::parse_from(words);
    let ptx = linked_ptx(args.files(), &args.source)?;
    let device = emulator(&args, Some(STUCK_AFTER)).sanitized();
    let module = ptx.load(&device)?;
    let entry = find_entry(&module, kernel_of(exercise))?;
    let signature = signature(&module, &entry, &args);
    let (ready, _) = arguments(&args, &signature)?;
    check_arguments(&module, &signature, &ready)?;
    let launched = launch(&device, &module, &entry, args.shape(), &ready);
    let after = match launched {
        Ok(launched) => launched,
        Err(error) => {
            let mut checked = Checked::default();
            checked.add(&entry, Err(error), Some((&args.names(), &ptx.text)))?;
            let shown = checked.show(&FindingsFiles::default(), false, None);
            shown.map_err(|failure| with_hint(failure, exercise))?;
            return Ok(Some(Miss {
                why: "the kernel stopped".to_owned(),
                help: exercise.hints[0],
            }));
        }
    };
    if let Some(why) = wrong(exercise, &ready, &after) {
        // The hints are about the flaw of the kernel as it was written: this kernel computes something else.
        return Ok(Some(Miss { why, help: exercise.task }));
    }
    let device = emulator(&args, Some(STUCK_AFTER));
    let module = ptx.load(&device)?;
    let buffers = upload(&device, &ready)?;
    let maps = maps(&ready, &buffers)?;
    let given = given(&ready, &buffers, &maps);
    let counters = module.profile(&entry, args.shape(), &given, Blocks::All)?.counters;
    Ok(exercise.missed(&counters).map(|Missed { why, help }| Miss { why, help }))
}

/// The name of an exercise's kernel. The file may have more kernels.
fn kernel_of(exercise: &Exercise) -> Option<&'static str> {
    let (_, after) = exercise.source.split_once("__global__ void ")?;
    Some(after.split_once('(')?.0)
}

/// A failure with the first hint below.
fn with_hint(failure: Failure, exercise: &Exercise) -> Failure {
    match failure {
        Failure::Check(text) => Failure::Check(format!("{text}\n  = help: {}", exercise.hints[0])),
        other => other,
    }
}

/// The first wrong element of the result.
fn wrong(exercise: &Exercise, ready: &[Ready], after: &Launched) -> Option<String> {
    let floats = |array: &Array| -> Vec<f32> {
        array.bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    };
    let inputs = ready.iter().filter_map(|argument| match argument {
        Ready::Memory { array, .. } => Some(floats(array)),
        _ => None,
    });
    let inputs: Vec<Vec<f32>> = inputs.collect();
    let place = after.arrays.iter().rposition(Option::is_some)?;
    let got = floats(after.arrays[place].as_ref()?);
    let want = (exercise.expected)(&inputs);
    let differs =
        |(got, want): (&f32, &f32)| (got - want).abs() > 1e-4 * want.abs().max(1.0) || got.is_nan();
    let index = got.iter().zip(&want).position(differs)?;
    let at = 4 * index as u64;
    let is_unwritten =
        after.unwritten[place].iter().any(|(start, bytes)| (*start..start + bytes).contains(&at));
    let want = want[index];
    Some(match is_unwritten {
        true => format!("element {index} of the result was never written, should be {want}"),
        false => format!("element {index} of the result is {}, should be {want}", got[index]),
    })
}

#[cfg(test)]
mod tests {
    use super::{check, next};
    use lanework_exercises::all;

    #[test]
    fn a_wrong_result_points_to_the_task_and_not_to_a_finding() {
        let folder = tempfile::tempdir().unwrap();
        let (file, exercises) = (folder.path().join("1.cu"), all());
        let head = exercises[0].source.split('{').next().unwrap();
        std::fs::write(&file, format!("{head}{{ if (threadIdx.x == 0) z[0] = 1.0f; }}")).unwrap();
        let Ok(Some(miss)) = check(&exercises[0], &file) else { panic!("a wrong result") };
        assert!(miss.why.starts_with("element 0 of the result is 1, should be "), "{}", miss.why);
        assert_eq!(miss.help, exercises[0].task);
        // Memory that was never written has no value.
        std::fs::write(&file, format!("{head}{{ }}")).unwrap();
        let Ok(Some(miss)) = check(&exercises[0], &file) else { panic!("no result") };
        assert!(miss.why.starts_with("element 0 of the result was never written"), "{}", miss.why);
    }

    #[test]
    fn the_next_step_is_the_first_exercise_that_is_not_solved() {
        assert!(next(2, false).starts_with("Next: `lanework exercise 2` writes the kernel."));
        assert!(next(9, true).contains("lanework climb"));
    }

    #[test]
    fn more_kernels_in_the_file_do_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let (file, exercises) = (folder.path().join("1.cu"), all());
        let exercise = &exercises[0];
        let (flaw, fix) = exercise.solution;
        let more = "__global__ void fill(float *x) { x[threadIdx.x] = 0; }\n";
        std::fs::write(&file, more.to_owned() + &exercise.source.replace(flaw, fix)).unwrap();
        assert!(matches!(check(exercise, &file), Ok(None)));
    }

    #[test]
    fn a_kernel_that_avoids_the_lesson_is_no_solution() {
        let folder = tempfile::tempdir().unwrap();
        let exercises = all();
        let serial = "float s = 0; for (int i = 0; i < 256; i++) s += x[i]; if (threadIdx.x == 0) *total = s;";
        let one_thread =
            "if (blockIdx.x + threadIdx.x == 0) for (int i = 0; i < n; i++) z[i] = x[i] + y[i];";
        for (number, body) in [
            (1, one_thread),
            (
                2,
                "int row = threadIdx.y + 8 * blockIdx.y, column = threadIdx.x + 32 * blockIdx.x; __shared__ float t[8][33]; t[threadIdx.y][threadIdx.x] = x[row * n + column]; __syncthreads(); int at = threadIdx.y * 32 + threadIdx.x; y[(8 * blockIdx.y + at % 8) * n + 32 * blockIdx.x + at / 8] = 2.0f * t[at % 8][at / 8];",
            ),
            (
                4,
                "__shared__ float t[1024]; if (threadIdx.x + threadIdx.y == 0) for (int i = 0; i < 1024; i++) { t[i] = x[i]; y[i % 32 * 32 + i / 32] = t[i]; }",
            ),
            (
                5,
                "if (threadIdx.x == 0) *total = 0; __syncthreads(); atomicAdd(total, x[threadIdx.x]);",
            ),
            (
                7,
                "__shared__ float t[256]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); if (threadIdx.x == 0) { float s = 0; for (int i = 0; i < 256; i++) s += t[i]; *total = s; }",
            ),
            (
                2,
                "if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0) for (int i = 0; i < n * n; i++) y[i] = 2.0f * x[i];",
            ),
            (
                3,
                "__shared__ float t[256]; if (threadIdx.x == 0) for (int i = 0; i < 256; i++) { t[i] = x[i]; y[255 - i] = t[i]; }",
            ),
            (
                5,
                "__shared__ float t[256]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); if (threadIdx.x == 0) { float s = 0; for (int i = 0; i < 256; i++) s += t[i]; *total = s; }",
            ),
            (3, "y[threadIdx.x] = x[255 - threadIdx.x];"),
            (4, "y[threadIdx.x * 32 + threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];"),
            (5, serial),
            (7, serial),
            (
                8,
                "if (blockIdx.x + threadIdx.x == 0) for (int i = 0; i < 1024; i++) bins[(int)(x[i] * x[i] * 8) & 7] += 1;",
            ),
        ] {
            let exercise = &exercises[number - 1];
            let start = exercise.source.find("__global__").unwrap();
            let head = exercise.source[start..].split('{').next().unwrap();
            let file = folder.path().join(format!("{number}.cu"));
            std::fs::write(&file, format!("{head}{{ {body} }}")).unwrap();
            let Ok(Some(miss)) = check(exercise, &file) else { panic!("exercise {number}") };
            assert!(miss.why.starts_with("the result is right; "), "{number}: {}", miss.why);
        }
    }

    #[test]
    fn each_exercise_fails_unchanged_and_passes_with_its_fix() {
        let folder = tempfile::tempdir().unwrap();
        for (index, exercise) in all().iter().enumerate() {
            let (flaw, fix) = exercise.solution;
            let file = folder.path().join(format!("{index}.cu"));
            std::fs::write(&file, exercise.source).unwrap();
            assert!(!matches!(check(exercise, &file), Ok(None)), "{index}");
            assert!(exercise.source.contains(flaw), "{index}");
            std::fs::write(&file, exercise.source.replace(flaw, fix)).unwrap();
            let why = check(exercise, &file).map(|miss| miss.map(|miss| miss.why));
            assert!(matches!(why, Ok(None)), "{index}: {why:?}");
            assert!(exercise.hints.len() > 1, "{index}");
        }
    }
}
