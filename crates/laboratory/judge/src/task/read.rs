//! Reads a task file: its parameters, extents and tolerance. Reports every mistake that is detectable without a
//! candidate, with line and column.

mod references;

use super::{
    Allowance, Launch, Limits, Parameter, ParameterKind, Reference, Role, Task, TaskError,
    Tolerance, Values,
};
use crate::task::{ELEMENTS, Element, Extent, named};
use crate::text::document::{Expression, Source, Table, Value};
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
            let why = "the tolerance cannot be derived if the reference is a kernel or a program";
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
        let of_reference = self.references.iter().filter_map(|reference| match reference {
            Reference::Kernel { launch, .. } => Some(launch.as_ref()),
            _ => None,
        });
        for launch in self.launch.iter().chain(of_reference) {
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

pub fn extents(top: &Table<'_>) -> Result<Vec<Extent>, TaskError> {
    let Some(table) = top.get("extents") else { return Ok(Vec::new()) };
    let mut extents = Vec::new();
    for (name, value) in table.table(&[])?.entries() {
        if !value.is_table() {
            let derived = Some(value.expression()?);
            extents.push(Extent {
                name: name.clone(),
                range: (0, 0),
                multiple_of: 1,
                edges: Vec::new(),
                timed: 0,
                derived,
            });
            continue;
        }
        let table = value.table(&["range", "multiple_of", "edges", "timed"])?;
        let range =
            table.need("range", "the smallest and the largest, such as range = [1, 4096]")?;
        let ends = range.array()?;
        let [low, high] = &ends[..] else {
            return Err(range.error("expected two numbers", "such as range = [1, 4096]"));
        };
        let (low, high) = (low.whole()?, high.whole()?);
        let multiple_of = table.get("multiple_of").map_or(Ok(1), Value::whole)?;
        let fits = |value: u64| (low..=high).contains(&value) && value.is_multiple_of(multiple_of);
        let within = |value: &Value<'_>| -> Result<u64, TaskError> {
            let number = value.whole()?;
            match fits(number) {
                true => Ok(number),
                false if multiple_of > 1 => Err(value.error(
                    format!("{number} is not a multiple of {multiple_of} from {low} to {high}"),
                    "",
                )),
                false => Err(value.error(format!("{number} is not between {low} and {high}"), "")),
            }
        };
        if multiple_of == 0 || low > high || low.next_multiple_of(multiple_of) > high {
            return Err(range.error("no number is in this range", ""));
        }
        let timed = table.need("timed", "its value in the timed problem")?;
        let edges = match table.get("edges") {
            Some(edges) => edges.array()?.iter().map(within).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let (timed, name) = (within(timed)?, name.clone());
        extents.push(Extent { name, range: (low, high), multiple_of, edges, timed, derived: None });
    }
    Ok(extents)
}

pub fn parameters(top: &Table<'_>) -> Result<Vec<Parameter>, TaskError> {
    const KINDS: [&str; 5] = ["in", "out", "inout", "scratch", "scalar"];
    let list = top.need("parameters", "the kernel's parameters in order")?;
    let mut parameters: Vec<Parameter> = Vec::new();
    for one in list.array()? {
        let table =
            one.table(&["name", "kind", "element", "shape", "range", "value", "choices", "draw"])?;
        let name = table.need("name", "a name for messages and formulas")?;
        let text = name.string()?;
        if parameters.iter().any(|known| known.name == text) {
            return Err(name.error(format!("`{text}` is declared twice"), ""));
        }
        let names = ELEMENTS.map(Element::name);
        let element =
            table.need("element", "the element type, such as f32")?.one_of(named, &names)?;
        let kind = table.need("kind", "in, out, inout, scratch or scalar")?;
        let known = |name: &str| KINDS.into_iter().find(|known| *known == name);
        let role = match kind.one_of(known, &KINDS)? {
            "in" => Some(Role::In),
            "out" => Some(Role::Out),
            "inout" => Some(Role::InOut),
            "scratch" => Some(Role::Scratch),
            _ => None,
        };
        let kind = match role {
            Some(role) => array_kind(&table, role)?,
            None => scalar_kind(&table)?,
        };
        parameters.push(Parameter { name: text, element, kind });
    }
    Ok(parameters)
}

fn array_kind(table: &Table<'_>, role: Role) -> Result<ParameterKind, TaskError> {
    let shape = table.need("shape", "its extents, such as shape = [\"m\", \"n\"]")?;
    let shape: Vec<Expression> =
        shape.one_or_more().iter().map(Value::expression).collect::<Result<_, _>>()?;
    let range = match table.get("range") {
        None => None,
        Some(value) => match &value.array()?[..] {
            [low, high] => Some(Box::new([low.expression()?, high.expression()?])),
            _ => {
                return Err(value.error(
                    "expected two numbers: the lower bound, and the exclusive upper bound",
                    "",
                ));
            }
        },
    };
    Ok(ParameterKind::Array { role, shape, range })
}

fn scalar_kind(table: &Table<'_>) -> Result<ParameterKind, TaskError> {
    if let Some(choices) = table.get("choices") {
        let numbers = choices.array()?.iter().map(Value::number).collect::<Result<Vec<_>, _>>()?;
        return match numbers.is_empty() {
            true => Err(choices.error("the list of choices is empty", "")),
            false => Ok(ParameterKind::Chosen(numbers)),
        };
    }
    if let Some(draw) = table.get("draw") {
        return match &draw.array()?[..] {
            [low, high] if low.number()? < high.number()? => {
                Ok(ParameterKind::Drawn(low.number()?, high.number()?))
            }
            _ => Err(draw.error("expected two numbers, the smaller first", "")),
        };
    }
    let help = "value = \"n\" for one that follows from the extents, choices = [1, 0.5], or draw = [-2, 2]";
    Ok(ParameterKind::Computed(table.need("value", help)?.expression()?))
}

pub fn tolerance(top: &Table<'_>) -> Result<Tolerance, TaskError> {
    let Some(value) = top.get("tolerance") else {
        return Ok(Tolerance::Derived { arithmetic: None, function_units: None });
    };
    let table = value.table(&[
        "exact",
        "arithmetic",
        "function_units",
        "relative",
        "absolute",
        "reason",
    ])?;
    if table.get("exact").map_or(Ok(false), Value::boolean)? {
        return Ok(Tolerance::Exact);
    }
    let number = |name: &str| match table.get(name) {
        Some(value) => match value.number()? {
            number if number >= 0.0 && number.is_finite() => Ok(Some(number)),
            number => Err(value.error(format!("{number} is not a valid tolerance"), "")),
        },
        None => Ok(None),
    };
    if let (None, None) = (table.get("relative"), table.get("absolute")) {
        let floats = [Element::F32, Element::F64, Element::F16, Element::Bf16];
        let names = floats.map(Element::name);
        let float = |name: &str| named(name).filter(|element| element.is_float());
        let arithmetic = table.get("arithmetic").map(|value| value.one_of(float, &names));
        let function_units = number("function_units")?;
        return Ok(Tolerance::Derived { arithmetic: arithmetic.transpose()?, function_units });
    }
    let reason =
        table.need("reason", "state why this tolerance replaces the derived one")?.string()?;
    Ok(Tolerance::Stated {
        relative: number("relative")?.unwrap_or(0.0),
        absolute: number("absolute")?.unwrap_or(0.0),
        reason,
    })
}
