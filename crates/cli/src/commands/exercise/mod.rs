//! `lanework exercise`: writes the kernel of an exercise, or of a ladder's rung, to the current folder, checks the edited kernel, and gives
//! hints. The page of the lab has the same exercises and ladders as lessons.

mod check;
mod task;
#[cfg(test)]
mod tests;

use crate::args::ExerciseArgs;
use check::{Miss, check};
use lanework_exercises::{Ladder, ladders};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, write};
use lanework_terminal::table::{listed, prose};
use lanework_terminal::words::are_chinese;
use task::Task;

/// Lists the exercises and the ladders, writes the kernel of one, or checks it.
///
/// # Errors
/// An unknown name, a file that cannot be written or compiled, and a kernel that does not reach the goal yet.
pub fn run(args: &ExerciseArgs) -> Outcome {
    let Some(name) = &args.name else { return print(&overview()) };
    if let Some(ladder) = ladders().iter().find(|ladder| ladder.name == *name) {
        return print(&rungs(ladder));
    }
    let Some(task) = Task::named(name) else {
        return Err(Failure::input(
            format_args!("there is no exercise {name}"),
            format_args!(
                "give 1 to {}, a ladder, or a rung as in transpose/padded; `lanework exercise` lists them",
                Task::exercises().len()
            ),
        ));
    };
    if args.again || !task.file.exists() {
        write(&task.file, task.source)?;
        let goals = task.goals().into_iter().map(|goal| listed("  goal: ", &goal));
        let name = &task.name;
        return print(&format!(
            "{}{}{}",
            prose(&format!("{} is written: {}", task.file.display(), task.text)),
            goals.collect::<String>(),
            prose(&match task.is_rung() {
                false => format!(
                    "Edit it; then `lanework exercise {name}` checks it, and --hint shows all hints."
                ),
                true => format!(
                    "Edit it; then `lanework exercise {name}` checks it, and --hint shows a kernel that reaches the goal."
                ),
            })
        ));
    }
    if args.hint {
        return print(&match task.solution() {
            Some(kernel) => kernel.to_owned(),
            None => task.hints.iter().map(|hint| listed("  hint: ", hint)).collect(),
        });
    }
    match check(&task)? {
        None => print(&(prose(&format!("exercise {} is solved", task.name)) + &after(&task))),
        Some(Miss { why, help }) => Err(Failure::Check(format!("{why}\n  = help: {help}"))),
    }
}

/// The exercises with their states, the ladders, and the next step.
fn overview() -> String {
    let mut text = String::new();
    let mut open = None;
    for task in Task::exercises() {
        let is_solved = task.file.exists() && matches!(check(&task), Ok(None));
        let mark = if is_solved { "solved" } else { "" };
        text.push_str(&listed(&format!("  {}  {:<15}{mark:<8}", task.name, task.title), task.text));
        if !is_solved {
            open.get_or_insert(task);
        }
    }
    text.push_str(&prose("Ladders, from a simple kernel to a fast one:"));
    for ladder in ladders() {
        let title = ladder.title[usize::from(are_chinese())];
        text.push_str(&listed(&format!("  {:<26}", ladder.name), title));
    }
    text + &open.map_or_else(climb, |task| next(&task))
}

/// The rungs of a ladder with their states, and the next step.
fn rungs(ladder: &'static Ladder) -> String {
    let mut text = String::new();
    let mut open = None;
    for task in Task::rungs(ladder) {
        let is_solved = task.file.exists() && matches!(check(&task), Ok(None));
        let mark = if is_solved { "solved" } else { "" };
        text.push_str(&listed(&format!("  {:<26}{mark:<8}", task.name), task.text));
        if !is_solved {
            open.get_or_insert(task);
        }
    }
    text + &open.map_or_else(climb, |task| next(&task))
}

/// The step after a solved task.
fn after(task: &Task) -> String {
    task.following().map_or_else(climb, |task| next(&task))
}

fn next(task: &Task) -> String {
    let step = if task.file.exists() { "checks your kernel" } else { "writes the kernel" };
    prose(&format!("Next: `lanework exercise {}` {step}.", task.name))
}

/// The step after the last exercise or rung.
fn climb() -> String {
    prose(
        "Next: `lanework climb transpose --explain padded` shows these ideas in kernels of a ladder.",
    )
}
