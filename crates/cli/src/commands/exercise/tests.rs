//! Tests of the exercises and ladders.

use super::check::check;
use super::task::{Declared, Task};
use super::{climb, next};
use lanework_exercises::ladders;
use std::path::Path;

/// An exercise whose file, in a folder, has this text.
fn exercise(folder: &Path, number: usize, text: &str) -> Task {
    let task = Task::exercises().swap_remove(number - 1);
    let file = folder.join(format!("{number}.cu"));
    std::fs::write(&file, text).unwrap();
    Task { file, ..task }
}

/// The source of an exercise, and with its flaw repaired.
fn sources(number: usize) -> [String; 2] {
    let task = Task::exercises().swap_remove(number - 1);
    let Declared::Exercise(one) = &task.of else { panic!("a rung") };
    let (flaw, fix) = one.solution;
    assert!(one.source.contains(flaw), "{number}");
    [one.source.to_owned(), one.source.replace(flaw, fix)]
}

#[test]
fn a_wrong_result_points_to_the_task_and_not_to_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let [source, _] = sources(1);
    let head = source.split('{').next().unwrap();
    let task =
        exercise(folder.path(), 1, &format!("{head}{{ if (threadIdx.x == 0) z[0] = 1.0f; }}"));
    let Ok(Some(miss)) = check(&task) else { panic!("a wrong result") };
    assert!(miss.why.starts_with("element 0 of the result is 1, should be "), "{}", miss.why);
    assert_eq!(miss.help, task.text);
    // Memory that was never written has no value.
    let task = exercise(folder.path(), 1, &format!("{head}{{ }}"));
    let Ok(Some(miss)) = check(&task) else { panic!("no result") };
    assert!(miss.why.starts_with("element 0 of the result was never written"), "{}", miss.why);
}

#[test]
fn the_next_step_is_the_first_exercise_that_is_not_solved() {
    let second = Task::exercises().swap_remove(1);
    assert!(next(&second).starts_with("Next: `lanework exercise 2` writes the kernel."));
    assert!(climb().contains("lanework climb"));
    let last = Task::exercises().pop().unwrap();
    assert!(last.following().is_none());
    let first = Task::named("transpose/naive").unwrap();
    assert_eq!(first.following().unwrap().name, "transpose/row-order");
    assert!(Task::named("transpose/padded").unwrap().following().is_none());
    assert!(Task::named("transpose/none").is_none() && Task::named("0").is_none());
}

#[test]
fn more_kernels_in_the_file_do_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let [_, solution] = sources(1);
    let more = "__global__ void fill(float *x) { x[threadIdx.x] = 0; }\n";
    assert!(matches!(check(&exercise(folder.path(), 1, &(more.to_owned() + &solution))), Ok(None)));
}

#[test]
fn a_kernel_that_avoids_the_lesson_is_no_solution() {
    let folder = tempfile::tempdir().unwrap();
    let serial =
        "float s = 0; for (int i = 0; i < 256; i++) s += x[i]; if (threadIdx.x == 0) *total = s;";
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
        (5, "if (threadIdx.x == 0) *total = 0; __syncthreads(); atomicAdd(total, x[threadIdx.x]);"),
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
        let [source, _] = sources(number);
        let start = source.find("__global__").unwrap();
        let head = source[start..].split('{').next().unwrap();
        let task = exercise(folder.path(), number, &format!("{head}{{ {body} }}"));
        let Ok(Some(miss)) = check(&task) else { panic!("exercise {number}") };
        assert!(miss.why.starts_with("the result is right; "), "{number}: {}", miss.why);
    }
}

#[test]
fn each_exercise_fails_unchanged_and_passes_with_its_fix() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=Task::exercises().len() {
        let [source, solution] = sources(number);
        assert!(!matches!(check(&exercise(folder.path(), number, &source)), Ok(None)), "{number}");
        let task = exercise(folder.path(), number, &solution);
        let why = check(&task).map(|miss| miss.map(|miss| miss.why));
        assert!(matches!(why, Ok(None)), "{number}: {why:?}");
        assert!(task.hints.len() > 1, "{number}");
    }
}

#[test]
fn each_rung_is_missed_by_the_rung_before_and_reached_by_its_own_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for task in ladders().iter().flat_map(Task::rungs) {
        let file = folder.path().join(&task.file);
        let task = Task { file, ..task };
        let solution = task.solution().expect("a kernel");
        std::fs::write(&task.file, solution).unwrap();
        let why = check(&task).map(|miss| miss.map(|miss| miss.why));
        assert!(matches!(why, Ok(None)), "{}: {why:?}", task.name);
        // A ladder starts with its first rung.
        if task.source != solution {
            std::fs::write(&task.file, task.source).unwrap();
            assert!(!matches!(check(&task), Ok(None)), "{}", task.name);
            count += 1;
        }
    }
    assert_eq!(count, 24);
}
