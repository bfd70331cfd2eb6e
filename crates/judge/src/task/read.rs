//! Reads a task file. Everything that can be told without a candidate is told here, with line and column.

use super::{
    Allowance, Extent, Factor, Launch, Limits, Parameter, ParameterKind, Reference, Role, Task,
    TaskError, Tolerance, Values,
};
use crate::document::{Expression, Source, Table, Value};
use crate::element::Element;
use crate::formula::{Formula, Names};
use std::path::Path;
use std::time::Duration;

/// What stands at the top of a task file.
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
    /// Reads the text of a task file.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn read(file: &Path, text: &str) -> Result<Task, TaskError> {
        let name = file.display().to_string();
        let source = Source { name: &name, text };
        let top = source.parse()?.table(&TOP)?;
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
        let reference = top.need("reference", "say what is right: [reference]")?;
        for one in reference.one_or_more() {
            let read = task.read_reference(&one)?;
            task.references.push(read);
        }
        task.outputs_have_references(reference)?;
        let derived = matches!(task.tolerance, Tolerance::Derived { .. });
        let float = task.parameters.iter().any(|one| one.is_output() && one.element.is_float());
        if derived && float && task.references.iter().any(|one| one.output().is_none()) {
            let why =
                "how far a result may be from that of a kernel or a program cannot be derived";
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
            let help = "the least of any solution, such as bytes = \"8 * n\" and flops = \"2 * n\"";
            let bytes = table.need("bytes", help)?.expression()?;
            task.work = Some((bytes, table.need("flops", help)?.expression()?));
        }
        task.try_timed()?;
        Ok(task)
    }

    /// Evaluates all expressions once, so that a mistake in one is not found in the middle of a run.
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
                format!("nothing says what is right for `{name}`"),
                "write [[reference]] once for each output",
            )),
            None => Ok(()),
        }
    }

    fn array(&self, value: &Value<'_>) -> Result<usize, TaskError> {
        let name = value.string()?;
        let arrays = self.parameters.iter().filter(|one| one.is_array());
        let known: Vec<&str> = arrays.map(|one| one.name.as_str()).collect();
        match self.parameter(&name) {
            Some((number, parameter)) if parameter.is_array() => Ok(number),
            _ => Err(value.error(
                format!("`{name}` is no array"),
                format!("there are: {}", known.join(", ")),
            )),
        }
    }

    fn output(&self, table: &Table<'_>) -> Result<usize, TaskError> {
        let mut outputs = self.parameters.iter().enumerate().filter(|(_, one)| one.is_output());
        let Some(value) = table.get("output") else {
            if let (Some((only, _)), None) = (outputs.next(), outputs.next()) {
                return Ok(only);
            }
            table.need("output", "the parameter that this is the reference of")?;
            return Ok(0);
        };
        let number = self.array(value)?;
        match self.parameters[number].is_output() {
            true => Ok(number),
            false => Err(value.error("that is not an output", "its kind must be out or inout")),
        }
    }

    fn factor(&self, table: &Table<'_>, name: &str, default: f64) -> Result<Factor, TaskError> {
        let Some(value) = table.get(name) else { return Ok(Factor::Number(default)) };
        let Ok(text) = value.string() else { return Ok(Factor::Number(value.number()?)) };
        match self.parameter(&text) {
            Some((number, parameter)) if !parameter.is_array() => Ok(Factor::Parameter(number)),
            _ => Err(value.error(format!("`{text}` is no scalar parameter"), "")),
        }
    }

    fn rank(&self, number: usize) -> usize {
        match &self.parameters[number].kind {
            ParameterKind::Array { shape, .. } => shape.len(),
            _ => 0,
        }
    }

    fn read_reference(&self, value: &Value<'_>) -> Result<Reference, TaskError> {
        const OPERATIONS: [&str; 7] =
            ["gemm", "softmax", "layer_norm", "rms_norm", "scan", "kernel", "command"];
        let any = value.table(&[])?;
        if any.get("value").is_some() {
            return self.read_formula(&value.table(&["output", "index", "value"])?);
        }
        if any.get("command").is_some() {
            let table = value.table(&["command"])?;
            let command = table.need("command", "")?.one_or_more();
            let command: Vec<String> =
                command.iter().map(Value::string).collect::<Result<_, _>>()?;
            return Ok(Reference::Command { command });
        }
        if any.get("kernel").is_some() {
            let table = value.table(&["kernel", "entry", "launch"])?;
            let file = self.folder.join(table.need("kernel", "")?.string()?);
            let entry = table.get("entry").map_or(Ok(self.entry.clone()), Value::string)?;
            let launch = match (table.get("launch"), &self.launch) {
                (Some(launch), _) => Launch::read(launch)?,
                (None, Some(launch)) => launch.clone(),
                (None, None) => {
                    table.need("launch", "the reference's own launch: its grid and block")?;
                    return Err(value.error("it has no launch", ""));
                }
            };
            return Ok(Reference::Kernel { file, entry, launch });
        }
        let help = "value = \"a formula\" with index = [\"i\"], operation = \"gemm\" or another, kernel = \"file.cu\", or command = [\"program\"]";
        let operation = any.need("operation", help)?;
        let known = |name: &str| OPERATIONS.into_iter().find(|known| *known == name);
        match operation.one_of(known, &OPERATIONS[..5])? {
            "gemm" => self.read_product(value),
            "softmax" => {
                let table = value.table(&["operation", "output", "input"])?;
                let (output, input) = self.output_and_input(&table)?;
                Ok(Reference::Softmax { output, input })
            }
            "scan" => {
                let table = value.table(&["operation", "output", "input", "exclusive"])?;
                let (output, input) = self.output_and_input(&table)?;
                let exclusive = table.get("exclusive").map_or(Ok(false), Value::boolean)?;
                Ok(Reference::Scan { output, input, exclusive })
            }
            norm => {
                let known = ["operation", "output", "input", "weight", "bias", "epsilon"];
                let table = value.table(&known)?;
                let (output, input) = self.output_and_input(&table)?;
                let row = |name: &str| table.get(name).map(|value| self.array(value)).transpose();
                let (weight, bias) = (row("weight")?, row("bias")?);
                let epsilon = self.factor(&table, "epsilon", 1e-5)?;
                let centred = norm == "layer_norm";
                Ok(Reference::Norm { output, input, weight, bias, epsilon, centred })
            }
        }
    }

    fn output_and_input(&self, table: &Table<'_>) -> Result<(usize, usize), TaskError> {
        let input = table.need("input", "the array that it is of")?;
        let (output, number) = (self.output(table)?, self.array(input)?);
        let (of_output, of_input) = (self.rank(output), self.rank(number));
        if of_output != of_input || of_input == 0 {
            return Err(input.error("input and output must have shapes of the same length", ""));
        }
        Ok((output, number))
    }

    fn read_product(&self, value: &Value<'_>) -> Result<Reference, TaskError> {
        let known =
            ["operation", "output", "a", "b", "alpha", "beta", "transpose_a", "transpose_b"];
        let table = value.table(&known)?;
        let matrix = |name: &str| -> Result<usize, TaskError> {
            let value = table.need(name, "a matrix: an array of two extents")?;
            let number = self.array(value)?;
            match self.rank(number) {
                2 => Ok(number),
                rank => Err(value.error(format!("it has {rank} extents, a matrix has 2"), "")),
            }
        };
        let flag = |name: &str| table.get(name).map_or(Ok(false), Value::boolean);
        let output = self.output(&table)?;
        if self.rank(output) != 2 {
            return Err(value.error("the output is no matrix: it needs two extents", ""));
        }
        Ok(Reference::Product {
            output,
            a: matrix("a")?,
            b: matrix("b")?,
            transposed: (flag("transpose_a")?, flag("transpose_b")?),
            alpha: self.factor(&table, "alpha", 1.0)?,
            beta: self.factor(&table, "beta", 0.0)?,
        })
    }

    fn read_formula(&self, table: &Table<'_>) -> Result<Reference, TaskError> {
        let output = self.output(table)?;
        let index =
            table.need("index", "the names of the output's indices, such as index = [\"i\"]")?;
        let indices: Vec<String> =
            index.one_or_more().iter().map(Value::string).collect::<Result<_, _>>()?;
        if indices.len() != self.rank(output) {
            let (rank, given) = (self.rank(output), indices.len());
            return Err(index.error(format!("the output has {rank} extents, not {given}"), ""));
        }
        let text =
            table.need("value", "a formula, such as value = \"x[i] + y[i]\"")?.expression()?;
        let formula = Formula::resolve(&text.node, &self.names(indices))
            .map_err(|error| text.error_at(error.at, error.why))?;
        Ok(Reference::Formula { output, formula: Box::new(formula) })
    }

    /// What names mean in formulas; parameters by their number.
    fn names(&self, indices: Vec<String>) -> Names {
        let array = |one: &Parameter| match &one.kind {
            ParameterKind::Array { shape, .. } => (one.name.clone(), shape.len()),
            // A name that nobody can write keeps the numbers of the others.
            _ => (String::new(), 0),
        };
        let scalar =
            |one: &Parameter| if one.is_array() { String::new() } else { one.name.clone() };
        Names {
            arrays: self.parameters.iter().map(array).collect(),
            scalars: self.parameters.iter().map(scalar).collect(),
            extents: self.extents.iter().map(|one| one.name.clone()).collect(),
            indices,
        }
    }
}

impl Parameter {
    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.kind, ParameterKind::Array { .. })
    }

    /// Whether the kernel writes results to it.
    pub fn is_output(&self) -> bool {
        matches!(self.kind, ParameterKind::Array { role: Role::Out | Role::InOut, .. })
    }
}

impl Reference {
    /// The output that this is of; `None` where it is of all.
    pub fn output(&self) -> Option<usize> {
        match self {
            Reference::Formula { output, .. }
            | Reference::Product { output, .. }
            | Reference::Softmax { output, .. }
            | Reference::Norm { output, .. }
            | Reference::Scan { output, .. } => Some(*output),
            Reference::Kernel { .. } | Reference::Command { .. } => None,
        }
    }
}

fn extents(top: &Table<'_>) -> Result<Vec<Extent>, TaskError> {
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
                    format!("{number} is no multiple of {multiple_of} from {low} to {high}"),
                    "",
                )),
                false => Err(value.error(format!("{number} is not from {low} to {high}"), "")),
            }
        };
        if multiple_of == 0 || low > high || low.next_multiple_of(multiple_of) > high {
            return Err(range.error("no number is in this range", ""));
        }
        let timed = table.need("timed", "its value where the kernel is timed")?;
        let edges = match table.get("edges") {
            Some(edges) => edges.array()?.iter().map(within).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let (timed, name) = (within(timed)?, name.clone());
        extents.push(Extent { name, range: (low, high), multiple_of, edges, timed, derived: None });
    }
    Ok(extents)
}

fn parameters(top: &Table<'_>) -> Result<Vec<Parameter>, TaskError> {
    const KINDS: [&str; 5] = ["in", "out", "inout", "scratch", "scalar"];
    let list = top.need("parameters", "the kernel's parameters in order")?;
    let mut parameters: Vec<Parameter> = Vec::new();
    for one in list.array()? {
        let table =
            one.table(&["name", "kind", "element", "shape", "range", "value", "choices", "draw"])?;
        let name = table.need("name", "a name for messages and formulas")?;
        let text = name.string()?;
        if parameters.iter().any(|known| known.name == text) {
            return Err(name.error(format!("`{text}` is there twice"), ""));
        }
        let names = Element::ALL.map(Element::name);
        let element = table
            .need("element", "the element type, such as f32")?
            .one_of(Element::named, &names)?;
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
            [low, high] => Some([low.expression()?, high.expression()?]),
            _ => return Err(value.error("expected two: from, and below what", "")),
        },
    };
    Ok(ParameterKind::Array { role, shape, range })
}

fn scalar_kind(table: &Table<'_>) -> Result<ParameterKind, TaskError> {
    if let Some(choices) = table.get("choices") {
        let numbers = choices.array()?.iter().map(Value::number).collect::<Result<Vec<_>, _>>()?;
        return match numbers.is_empty() {
            true => Err(choices.error("there is nothing to choose from", "")),
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

fn tolerance(top: &Table<'_>) -> Result<Tolerance, TaskError> {
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
        let named = |name: &str| Element::named(name).filter(|element| element.is_float());
        let arithmetic = table.get("arithmetic").map(|value| value.one_of(named, &names));
        let function_units = number("function_units")?;
        return Ok(Tolerance::Derived { arithmetic: arithmetic.transpose()?, function_units });
    }
    let reason =
        table.need("reason", "say why this much, and not what roundings allow")?.string()?;
    Ok(Tolerance::Stated {
        relative: number("relative")?.unwrap_or(0.0),
        absolute: number("absolute")?.unwrap_or(0.0),
        reason,
    })
}

/// The kinds that are drawn: those that the task names, or all that have one right treatment in its formulas.
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
