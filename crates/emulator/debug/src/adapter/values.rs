//! Scopes, variables and expressions of a call.

use super::state::{Adapter, Answer, Expandable, ScopeKind};
use crate::data::evaluate::{EvaluatedValue as Found, ThreadPlace};
use crate::data::parse::{Expression, parse};
use crate::data::types::{DataType, NumericValue, text};
use serde_json::{Value, json};

/// Maximum number of array elements in one reply.
const MOST_ELEMENTS: u64 = 1000;

/// The scopes of a call.
const SCOPES: [(&str, ScopeKind); 4] = [
    ("Locals", ScopeKind::Locals),
    ("Arguments", ScopeKind::Arguments),
    ("Shared memory", ScopeKind::Shared),
    ("Registers", ScopeKind::Registers),
];

impl Adapter<'_, '_, '_> {
    /// The place of the frame that a request names; without one, of the selected thread.
    fn frame_place(&self, given: &Value) -> Result<ThreadPlace, String> {
        let Some(id) = given["frameId"].as_u64().filter(|id| *id > 0) else {
            return Ok(self.console.session.place());
        };
        let frame = self.frames.get(id as usize - 1);
        frame.map(|frame| frame.place).ok_or_else(|| "the frame is from an earlier stop".to_owned())
    }

    /// The number by which an editor expands something.
    fn reference(&mut self, of: Expandable) -> usize {
        self.expandable.push(of);
        self.expandable.len()
    }

    /// `scopes`.
    pub(super) fn scopes(&mut self, given: &Value) -> Answer {
        let place = self.frame_place(given)?;
        let mut scopes = Vec::new();
        for (name, kind) in SCOPES {
            let reference = self.reference(Expandable::Scope(kind, place));
            let mut scope = json!({
                "name": name, "variablesReference": reference,
                "expensive": kind == ScopeKind::Registers,
            });
            match kind {
                ScopeKind::Locals => scope["presentationHint"] = "locals".into(),
                ScopeKind::Arguments => scope["presentationHint"] = "arguments".into(),
                ScopeKind::Registers => scope["presentationHint"] = "registers".into(),
                ScopeKind::Shared => {}
            }
            scopes.push(scope);
        }
        Ok(json!({ "scopes": scopes }))
    }

    /// `variables`.
    pub(super) fn variables(&mut self, given: &Value) -> Answer {
        let reference = given["variablesReference"].as_u64().unwrap_or(0) as usize;
        let of = reference.checked_sub(1).and_then(|index| self.expandable.get(index)).cloned();
        let (kind, place) = match of.ok_or("the value is from an earlier stop")? {
            Expandable::Scope(kind, place) => (kind, place),
            Expandable::Value(expression, place) => return self.expand(&expression, place),
        };
        let scope = std::sync::Arc::clone(self.console.session.scope());
        let names: Vec<String> = match kind {
            ScopeKind::Locals => {
                scope.locals(place.instruction).iter().map(|of| of.name.clone()).collect()
            }
            ScopeKind::Arguments => scope.parameter_names(),
            ScopeKind::Shared => scope.shared_names(),
            ScopeKind::Registers => {
                scope.register_names().iter().map(|(name, _)| (*name).to_owned()).collect()
            }
        };
        let mut found = Vec::new();
        for name in names {
            let expression = parse(&name)?;
            match self.console.session.evaluate_for(&expression, place) {
                Ok(value) => found.push(self.variable(name, expression, (&value, place))),
                // Omit registers of other functions: they have no value here.
                Err(_) if kind == ScopeKind::Registers => {}
                Err(why) => {
                    found.push(json!({ "name": name, "value": why, "variablesReference": 0 }));
                }
            }
        }
        Ok(json!({ "variables": found }))
    }

    /// A value with its name; arrays and structures can be expanded.
    fn variable(
        &mut self,
        name: String,
        expression: Expression,
        (value, place): (&Found, ThreadPlace),
    ) -> Value {
        let parts = match &value.ty {
            DataType::Array(_, count) => Some(("indexedVariables", (*count).min(MOST_ELEMENTS))),
            DataType::Record(record) => Some(("namedVariables", record.fields.len() as u64)),
            _ => None,
        };
        let reference = match parts {
            Some(_) => self.reference(Expandable::Value(expression, place)),
            None => 0,
        };
        let mut made = json!({
            "name": name, "value": value.text(), "type": value.ty.to_string(),
            "variablesReference": reference, "presentationHint": { "attributes": ["readOnly"] },
        });
        if let Some((kind, count)) = parts {
            made[kind] = count.into();
        }
        made
    }

    /// The elements of an array, or the members of a structure.
    fn expand(&mut self, of: &Expression, place: ThreadPlace) -> Answer {
        let value = self.console.session.evaluate_for(of, place)?;
        let base = || Box::new(of.clone());
        let parts: Vec<(String, Expression)> = match &value.ty {
            DataType::Array(_, count) => (0..(*count).min(MOST_ELEMENTS))
                .map(|index| {
                    let at = Box::new(Expression::Literal(NumericValue::Integer(index.into())));
                    (format!("[{index}]"), Expression::Index(base(), at))
                })
                .collect(),
            DataType::Record(record) => {
                let member =
                    |name: &String| (name.clone(), Expression::Member(base(), name.clone()));
                record.fields.iter().map(|field| member(&field.name)).collect()
            }
            ty => {
                return Err(format!(
                    "a value of type {ty} has no parts: {}",
                    text(ty, &value.bytes)
                ));
            }
        };
        let mut found = Vec::new();
        for (name, expression) in parts {
            let value = self.console.session.evaluate_for(&expression, place)?;
            found.push(self.variable(name, expression, (&value, place)));
        }
        Ok(json!({ "variables": found }))
    }

    /// `evaluate`: an expression, or in the debug console a command.
    pub(super) fn evaluate(&mut self, given: &Value, events: &mut Vec<Value>) -> Answer {
        let asked = given["expression"].as_str().unwrap_or_default().to_owned();
        let place = self.frame_place(given)?;
        let value = parse(&asked).and_then(|expression| {
            let value = self.console.session.evaluate_for(&expression, place)?;
            Ok(self.variable(String::new(), expression, (&value, place)))
        });
        match (value, given["context"].as_str()) {
            (Ok(found), _) => Ok(json!({
                "result": found["value"], "type": found["type"],
                "variablesReference": found["variablesReference"],
            })),
            (Err(why), Some("repl")) => match self.command(&asked, events) {
                Some(answer) => answer,
                None => Err(why),
            },
            (Err(why), _) => Err(why),
        }
    }
}
