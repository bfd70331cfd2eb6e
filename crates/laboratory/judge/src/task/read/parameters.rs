//! The parameters, extents and tolerance of a task file.

use crate::element::{ELEMENTS, Element, named};
use crate::task::{Extent, Parameter, ParameterKind, Role, TaskError, Tolerance};
use crate::text::document::{Expression, Table, Value};

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
                false => Err(value.error(format!("{number} is not from {low} to {high}"), "")),
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
