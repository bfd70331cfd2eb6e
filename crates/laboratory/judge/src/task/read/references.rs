//! The references of a task file.

use crate::references::formula::{Formula, Names};
use crate::task::{Factor, Launch, Parameter, ParameterKind, Reference, Task, TaskError};
use crate::text::document::{Table, Value};

impl Task {
    fn array(&self, value: &Value<'_>) -> Result<usize, TaskError> {
        let name = value.string()?;
        let arrays = self.parameters.iter().filter(|one| one.is_array());
        let known: Vec<&str> = arrays.map(|one| one.name.as_str()).collect();
        match self.parameter(&name) {
            Some((number, parameter)) if parameter.is_array() => Ok(number),
            _ => Err(value.error(
                format!("`{name}` is not an array"),
                format!("available: {}", known.join(", ")),
            )),
        }
    }

    fn output(&self, table: &Table<'_>) -> Result<usize, TaskError> {
        let mut outputs = self.parameters.iter().enumerate().filter(|(_, one)| one.is_output());
        let Some(value) = table.get("output") else {
            if let (Some((only, _)), None) = (outputs.next(), outputs.next()) {
                return Ok(only);
            }
            table.need("output", "the parameter that this reference computes")?;
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
            _ => Err(value.error(format!("`{text}` is not a scalar parameter"), "")),
        }
    }

    fn rank(&self, number: usize) -> usize {
        match &self.parameters[number].kind {
            ParameterKind::Array { shape, .. } => shape.len(),
            _ => 0,
        }
    }

    /// Reads a reference.
    ///
    /// # Errors
    /// The mistake, with its line and column.
    pub(super) fn read_reference(&self, value: &Value<'_>) -> Result<Reference, TaskError> {
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
            return Ok(Reference::Kernel { file, entry, launch: Box::new(launch) });
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
                let centered = norm == "layer_norm";
                Ok(Reference::Norm { output, input, weight, bias, epsilon, centered })
            }
        }
    }

    fn output_and_input(&self, table: &Table<'_>) -> Result<(usize, usize), TaskError> {
        let input = table.need("input", "the array that the operation reads")?;
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
            return Err(value.error("the output is not a matrix: it needs two extents", ""));
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

    /// The names in formulas, with parameters by number.
    fn names(&self, indices: Vec<String>) -> Names {
        let array = |one: &Parameter| match &one.kind {
            ParameterKind::Array { shape, .. } => (one.name.clone(), shape.len()),
            // An empty name, which no formula can write, keeps the numbers of the others.
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
