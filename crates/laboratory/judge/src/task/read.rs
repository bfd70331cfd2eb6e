//! Reads a task file. Reports every mistake that is detectable without a candidate, with line and column.

mod parameters;
mod references;

use super::{
    Allowance, Launch, Limits, Parameter, ParameterKind, Reference, Role, Task, TaskError,
    Tolerance, Values,
};
use crate::text::document::{Table, Value};
use crate::text::source::Source;
use parameters::{extents, parameters, tolerance};
use std::path::Path;
use std::time::Duration;

/// The top-level keys of a task file.
const TOP: [&str; 12] = [
    "entry",
    "about",
    "parameters",
    "extents",
    "launch",
    "declared_launch",
    "reference",
    "tolerance",
    "values",
    "allow",
    "work",
    "limits",
];

impl Task {
    /// Parses the text of a task file.
    ///
    /// # Errors
    /// The mistake, with its line and column.
    pub fn read(file: &Path, text: &str) -> Result<Task, TaskError> {
        let name = file.display().to_string();
        let source = Source { name: &name, text };
        let top = Value::parse(source)?.table(&TOP)?;
        if let Some(about) = top.get("about") {
            about.string()?;
        }
        let extents = extents(&top)?;
        let mut task = Task {
            folder: file.parent().unwrap_or(Path::new("")).to_owned(),
            entry: top.need("entry", "the kernel's name: entry = \"saxpy\"")?.string()?,
            parameters: parameters(&top)?,
            extents,
            launch: top.get("launch").map(Launch::read).transpose()?,
            declared_launch: match top.get("declared_launch") {
                Some(value) => value.boolean()?,
                None => false,
            },
            references: Vec::new(),
            tolerance: tolerance(&top)?,
            values: Vec::new(),
            allowed: Vec::new(),
            work: None,
            limits: limits(&top)?,
            file: name.clone(),
        };
        if task.launch.is_none() && !task.declared_launch {
            let help = "give the launch in a table [launch], or let candidates declare it: declared_launch = true";
            top.need("launch", help)?;
        }
        let reference = top.need("reference", "add a [reference]")?;
        for one in reference.one_or_more() {
            let read = task.read_reference(&one)?;
            task.references.push(read);
        }
        task.outputs_have_references(reference)?;
        let derived = matches!(task.tolerance, Tolerance::Derived { .. });
        let float = task.parameters.iter().any(|one| one.is_output() && one.element.is_float());
        if derived && float && task.references.iter().any(|one| one.output().is_none()) {
            let why = "the tolerance for a kernel or a program as reference cannot be derived";
            let help =
                "write [tolerance] with exact = true, or with relative, absolute and a reason";
            return Err(reference.error(why, help));
        }
        task.values = values(&top, &task)?;
        if let Some(allow) = top.get("allow") {
            let names = Allowance::ALL.map(|(name, _)| name);
            let named = |name: &str| Allowance::ALL.into_iter().find(|(known, _)| *known == name);
            let of = |value: &Value<'_>| Ok(value.one_of(named, &names)?.1);
            task.allowed = allow.one_or_more().iter().map(of).collect::<Result<_, TaskError>>()?;
        }
        if let Some(work) = top.get("work") {
            let table = work.table(&["bytes", "flops"])?;
            let help =
                "the minimum of any solution, such as bytes = \"8 * n\" and flops = \"2 * n\"";
            let bytes = table.need("bytes", help)?.expression()?;
            task.work = Some((bytes, table.need("flops", help)?.expression()?));
        }
        task.try_timed()?;
        Ok(task)
    }

    /// Evaluates all expressions once, so that a mistake does not surface in the middle of a run.
    fn try_timed(&self) -> Result<(), TaskError> {
        let extents = self.timed()?;
        for parameter in &self.parameters {
            match &parameter.kind {
                ParameterKind::Array { shape, .. } => drop(self.shape(shape, &extents)?),
                ParameterKind::Computed(value) => drop(self.value(value, &extents)?),
                _ => {}
            }
        }
        if let Some(launch) = &self.launch {
            launch.shape(&extents)?;
        }
        if let Some((bytes, flops)) = &self.work {
            self.value(bytes, &extents)?;
            self.value(flops, &extents)?;
        }
        Ok(())
    }

    fn outputs_have_references(&self, reference: &Value<'_>) -> Result<(), TaskError> {
        let mut outputs = self.parameters.iter().enumerate().filter_map(|(number, parameter)| {
            let ParameterKind::Array { role, .. } = parameter.kind else { return None };
            matches!(role, Role::Out | Role::InOut).then_some((number, &parameter.name))
        });
        let covered = |number: usize| {
            self.references.iter().any(|one| one.output().is_none_or(|output| output == number))
        };
        if !self.parameters.iter().any(Parameter::is_output) {
            return Err(reference.error("no parameter is an output", "give one kind = \"out\""));
        }
        match outputs.find(|(number, _)| !covered(*number)) {
            Some((_, name)) => Err(reference.error(
                format!("no expected result is given for `{name}`"),
                "write [[reference]] once for each output",
            )),
            None => Ok(()),
        }
    }
}

/// The kinds to draw: those that the task names, or all whose expected results are unambiguous in its formulas.
fn values(top: &Table<'_>, task: &Task) -> Result<Vec<Values>, TaskError> {
    let names = Values::ALL.map(Values::name);
    if let Some(given) = top.get("values") {
        let given = given.array()?;
        return given.iter().map(|value| value.one_of(Values::named, &names)).collect();
    }
    let mut without = Vec::new();
    for reference in &task.references {
        match reference {
            Reference::Formula { formula, .. } if formula.decides() => without.push(Values::Nan),
            Reference::Softmax { .. } => without.push(Values::Inf),
            Reference::Kernel { .. } | Reference::Command { .. } => {
                without.extend([Values::Nan, Values::Inf, Values::Large, Values::Denormal]);
            }
            _ => {}
        }
    }
    Ok(Values::ALL.into_iter().filter(|kind| !without.contains(kind)).collect())
}

fn limits(top: &Table<'_>) -> Result<Limits, TaskError> {
    let mut limits = Limits::default();
    let Some(value) = top.get("limits") else { return Ok(limits) };
    let known =
        ["launch_seconds", "compile_seconds", "source_bytes", "instructions", "rounds", "elements"];
    for (name, value) in value.table(&known)?.entries() {
        let number = value.whole()?;
        if number == 0 {
            return Err(value.error("expected a number above 0", ""));
        }
        match name.as_str() {
            "launch_seconds" => limits.launch = Duration::from_secs(number.min(86_400)),
            "compile_seconds" => limits.compile = Duration::from_secs(number.min(86_400)),
            "source_bytes" => limits.source = number,
            "instructions" => limits.instructions = Some(number),
            "rounds" => limits.rounds = number.min(10_000) as usize,
            _ => limits.elements = number,
        }
    }
    Ok(limits)
}
