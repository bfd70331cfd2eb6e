//! Exercises and rungs of ladders in one form: a kernel to change, its launch and its goals.

use lanework::emulator::Counters;
use lanework_exercises::{Exercise, Goal, Ladder, Missed, Rung, all, ladders};
use lanework_terminal::words::are_chinese;
use std::path::PathBuf;

/// A kernel to change until it is right and reaches the goal.
pub struct Task {
    /// The name in the command: a number, or a ladder and a rung.
    pub name: String,
    /// The subject.
    pub title: &'static str,
    /// The task, in one sentence.
    pub text: &'static str,
    /// The file of the learner's kernel.
    pub file: PathBuf,
    /// The kernel to start with.
    pub source: &'static str,
    /// Grid, block and arguments.
    pub launch: String,
    /// Hints, from vague to direct.
    pub hints: Vec<&'static str>,
    /// The declaration.
    pub of: Declared,
}

/// The declaration of a task.
pub enum Declared {
    /// An exercise.
    Exercise(Exercise),
    /// A rung.
    Rung(&'static Ladder, usize),
}

impl Task {
    /// The exercises.
    pub fn exercises() -> Vec<Task> {
        let task = |(index, one): (usize, Exercise)| Task {
            name: format!("{}", index + 1),
            title: one.title,
            text: one.task,
            file: PathBuf::from(format!("exercise-{}.cu", index + 1)),
            source: one.source,
            launch: one.launch.to_owned(),
            hints: one.hints.to_vec(),
            of: Declared::Exercise(one),
        };
        all().into_iter().enumerate().map(task).collect()
    }

    /// The rungs of a ladder. Each starts with the kernel of the rung before.
    pub fn rungs(ladder: &'static Ladder) -> impl Iterator<Item = Task> {
        let task = move |(at, rung): (usize, &'static Rung)| {
            let idea = rung.idea()[usize::from(are_chinese())];
            Task {
                name: format!("{}/{}", ladder.name, rung.name),
                title: rung.name,
                text: idea,
                file: PathBuf::from(format!("{}-{}.cu", ladder.name, rung.name)),
                source: ladder.rungs[at.saturating_sub(1)].source(),
                launch: rung.launch(ladder.small),
                hints: vec![idea],
                of: Declared::Rung(ladder, at),
            }
        };
        ladder.rungs.iter().enumerate().map(task)
    }

    /// The task with a name.
    pub fn named(name: &str) -> Option<Task> {
        let rungs = ladders().iter().flat_map(Task::rungs);
        Task::exercises().into_iter().chain(rungs).find(|task| task.name == name)
    }

    /// The next exercise or rung of the ladder.
    pub fn following(&self) -> Option<Task> {
        let after = |tasks: Vec<Task>| {
            let mut tasks = tasks.into_iter().skip_while(|task| task.name != self.name);
            tasks.nth(1)
        };
        match self.of {
            Declared::Exercise(_) => after(Task::exercises()),
            Declared::Rung(ladder, _) => after(Task::rungs(ladder).collect()),
        }
    }

    /// Whether it is a rung.
    pub fn is_rung(&self) -> bool {
        matches!(self.of, Declared::Rung(..))
    }

    /// The rung of a ladder.
    pub fn rung(&self) -> Option<(&'static Ladder, &'static Rung)> {
        match self.of {
            Declared::Exercise(_) => None,
            Declared::Rung(ladder, at) => Some((ladder, &ladder.rungs[at])),
        }
    }

    /// A kernel that reaches the goal of a rung.
    pub fn solution(&self) -> Option<&'static str> {
        self.rung().map(|(_, rung)| rung.source())
    }

    /// The limits of a rung, as text.
    pub fn goals(&self) -> Vec<String> {
        let Some((ladder, rung)) = self.rung() else { return Vec::new() };
        let text = |goal: &Goal| match goal.most < f64::MAX {
            true => format!("{}: at most {}", goal.name, goal.most),
            false => format!("{}: at least {}", goal.name, goal.least),
        };
        let counts = rung.goals.iter().map(text);
        let time = rung.most_us.map(|most| {
            format!("predicted time on an H200 for n = {}: at most {most} us", ladder.large)
        });
        counts.chain(time).collect()
    }

    /// Whether it has limits for counters.
    pub fn has_limits(&self) -> bool {
        self.rung().is_none_or(|(_, rung)| !rung.goals.is_empty())
    }

    /// The first limit that the counters of a kernel with the right result do not keep.
    pub fn missed(&self, counters: &Counters) -> Option<Missed> {
        match &self.of {
            Declared::Exercise(exercise) => exercise.missed(counters),
            Declared::Rung(ladder, at) => ladder.rungs[*at]
                .missed(counters)
                .map(|missed| Missed { help: self.text, ..missed }),
        }
    }

    /// The name of the kernel to start with. The file may have more kernels.
    pub fn kernel(&self) -> Option<&'static str> {
        let (_, after) = self.source.split_once("__global__ void ")?;
        Some(after.split_once('(')?.0)
    }
}
