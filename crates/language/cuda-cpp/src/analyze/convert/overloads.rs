//! Overload resolution.

use super::super::scopes::Binding;
use super::super::templates::TemplateArgument;
use super::Analyzer;
use crate::lex::Name;
use crate::source::{SourceProblem, Span};
use crate::syntax::Derivation;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

/// A viable function, and the costs of calling it.
struct OverloadCandidate {
    number: FunctionNumber,
    /// Conversion costs of `this` and of the arguments.
    costs: Vec<u32>,
    is_template: bool,
    weight: usize,
    /// Whether it is a template with a parameter pack, which loses against one without.
    pack: bool,
    /// Number of template parameters. Of two templates that match equally well, the one with fewer requires more types to
    /// agree.
    parameters: usize,
}

impl Analyzer {
    /// The best function for the arguments; reports an error if no function is viable.
    pub(in crate::analyze) fn choose(
        &mut self,
        list: &[FunctionNumber],
        explicit: &[TemplateArgument],
        object: Option<&Typed>,
        values: &[Typed],
        span: Span,
        name: Name,
    ) -> Option<FunctionNumber> {
        let candidates = self.candidates(list, explicit, object, values, span);
        match best(&candidates) {
            Ok(number) => Some(number),
            Err(ties) if ties.is_empty() => {
                self.no_candidate(list, explicit, values, span, name);
                None
            }
            Err(ties) => {
                // A directive `using namespace std` of another file of the program must not make the user's `swap` ambiguous.
                let builtin = |number: &FunctionNumber| {
                    self.parser.map.is_builtin(self.function(*number).syntax.span)
                };
                let own: Vec<_> = ties.iter().copied().filter(|tie| !builtin(tie)).collect();
                if let [only] = own.as_slice() {
                    return Some(*only);
                }
                self.ambiguous(ties, span, name);
                None
            }
        }
    }

    /// The best operator for the operands, among members of the first one's class and other functions.
    pub(in crate::analyze) fn choose_operator(
        &mut self,
        members: &[FunctionNumber],
        others: &[FunctionNumber],
        operands: &[Typed],
        span: Span,
        name: Name,
    ) -> Option<FunctionNumber> {
        let mut candidates =
            self.candidates(members, &[], operands.first(), operands.get(1..)?, span);
        candidates.extend(self.candidates(others, &[], None, operands, span));
        match best(&candidates) {
            Ok(number) => Some(number),
            Err(ties) if ties.is_empty() => {
                let (list, values) = match others {
                    [] => (members, operands.get(1..)?),
                    _ => (others, operands),
                };
                self.no_candidate(list, &[], values, span, name);
                None
            }
            Err(ties) => {
                let member = ties.iter().find(|&&number| self.function(number).record.is_some());
                if let (Some(&member), false) = (member, others.is_empty()) {
                    return Some(member);
                }
                self.ambiguous(ties, span, name);
                None
            }
        }
    }

    fn ambiguous(&mut self, ties: Vec<FunctionNumber>, span: Span, name: Name) {
        let text = self.text(name).to_owned();
        let mut problem = SourceProblem::error(span, format!("the call to `{text}` is ambiguous"));
        for number in ties.into_iter().take(3) {
            let place = self.function(number).syntax.span;
            problem = problem.note(place, "this function matches");
        }
        self.report(
            problem.help("cast the arguments to the parameter types of the intended function"),
        );
    }

    /// As [`Self::choose`], but reports no errors.
    pub(in crate::analyze) fn choose_quietly(
        &mut self,
        list: &[FunctionNumber],
        values: &[Typed],
        span: Span,
    ) -> Option<FunctionNumber> {
        let candidates = self.candidates(list, &[], None, values, span);
        best(&candidates).ok()
    }

    fn candidates(
        &mut self,
        list: &[FunctionNumber],
        explicit: &[TemplateArgument],
        object: Option<&Typed>,
        values: &[Typed],
        span: Span,
    ) -> Vec<OverloadCandidate> {
        let mut candidates: Vec<OverloadCandidate> = Vec::new();
        for &number in list {
            let is_template = self.function(number).template.is_some();
            if !explicit.is_empty() && !is_template {
                continue;
            }
            let (chosen, weight) = if is_template {
                let count = self.function(number).syntax.signature.parameters.len();
                let open = self
                    .function(number)
                    .syntax
                    .signature
                    .parameters
                    .iter()
                    .any(|parameter| parameter.pack);
                if values.len() > count && !open && !self.function(number).syntax.signature.variadic
                {
                    continue;
                }
                let made = self.trial(|this| {
                    let (arguments, weight) =
                        this.deduce_function(number, explicit, values, span)?;
                    let instance = this.instance_of(number, &arguments, span)?;
                    this.signature(instance)?;
                    Some((instance, weight))
                });
                match made.flatten() {
                    Some(made) => made,
                    None => continue,
                }
            } else {
                (number, 0)
            };
            if let Some(costs) = self.costs(chosen, object, values) {
                if self.hidden(chosen, &candidates) {
                    continue;
                }
                candidates.retain(|other| !self.hides(chosen, other.number));
                let list = &self.function(number).syntax.signature.parameters;
                let pack = is_template && list.iter().any(|parameter| parameter.pack);
                let parameters =
                    self.function(number).template.as_ref().map_or(0, |list| list.len());
                let candidate = OverloadCandidate {
                    number: chosen,
                    costs,
                    is_template,
                    weight,
                    pack,
                    parameters,
                };
                candidates.push(candidate);
            }
        }
        candidates
    }

    /// Whether a using-declaration of a class names a function of its base.
    fn names_member(&self, class: RecordId, number: FunctionNumber, name: Name) -> bool {
        let scope = self.types.record(class).scope;
        match self.scopes[scope].names.get(&name) {
            Some(Binding::Functions(list)) => list.contains(&number),
            _ => false,
        }
    }

    fn hidden(&self, number: FunctionNumber, candidates: &[OverloadCandidate]) -> bool {
        candidates.iter().any(|other| self.hides(other.number, number))
    }

    /// Whether a member function hides one of a base class that a using-declaration names.
    fn hides(&self, derived: FunctionNumber, base: FunctionNumber) -> bool {
        let (new, old) = (self.function(derived), self.function(base));
        let (Some(class), Some(from)) = (new.record, old.record) else { return false };
        if class == from || new.is_constructor || self.types.base_offset(class, from).is_none() {
            return false;
        }
        let (Some(a), Some(b)) = (&new.signature, &old.signature) else { return false };
        new.syntax.signature.is_const == old.syntax.signature.is_const
            && a.parameters.iter().map(|p| p.ty).eq(b.parameters.iter().map(|p| p.ty))
    }

    fn costs(
        &mut self,
        number: FunctionNumber,
        object: Option<&Typed>,
        values: &[Typed],
    ) -> Option<Vec<u32>> {
        let signature = self.signature(number)?;
        let required =
            signature.parameters.iter().filter(|parameter| parameter.default.is_none()).count();
        if values.len() < required
            || values.len() > signature.parameters.len() && !signature.variadic
        {
            return None;
        }
        let mut costs = Vec::new();
        let record = self.function(number);
        if let (Some(object), true, false) =
            (object, record.record.is_some() && !record.is_constructor, record.is_static)
        {
            let is_const = record.syntax.signature.is_const;
            let object_const = self.types.is_const(object.ty);
            if object_const && !is_const {
                return None;
            }
            let class = self.types.record_of(object.ty);
            let base = record.record == class
                || class.is_some_and(|class| self.names_member(class, number, record.name));
            let base = if base { super::EXACT } else { super::CONVERSION };
            costs.push(base + u32::from(is_const && !object_const));
        }
        for (at, value) in values.iter().enumerate() {
            costs.push(match signature.parameters.get(at) {
                Some(parameter) => self.conversion(value, parameter.ty)?,
                None => 64,
            });
        }
        Some(costs)
    }

    fn no_candidate(
        &mut self,
        list: &[FunctionNumber],
        explicit: &[TemplateArgument],
        values: &[Typed],
        span: Span,
        name: Name,
    ) {
        let text = match self.text(name) {
            "<constructor>" => "constructor".to_owned(),
            text => text.to_owned(),
        };
        let shown: Vec<String> = values.iter().map(|value| self.show(value.ty)).collect();
        if let Some(argument) = self.takes_address(list, explicit, values, span) {
            let span = argument.span;
            let variable = self.parser.map.text(span).to_owned();
            let message = format!("`{text}` takes the address of a variable, not its value");
            let problem = SourceProblem::error(span, message);
            self.report(
                problem
                    .label(format!("its type is {}", self.show(argument.ty)))
                    .help(format!("pass the address: `&{variable}`")),
            );
            return;
        }
        // If there is only one candidate, its own errors are more helpful.
        if let [only] = list {
            let only = *only;
            let display = self.function(only).display.clone();
            let place = self.function(only).syntax.span;
            if self.function(only).template.is_none()
                && let Some(signature) = self.signature(only)
            {
                let required = signature.parameters.iter().filter(|p| p.default.is_none()).count();
                let most = signature.parameters.len();
                if values.len() < required || values.len() > most {
                    let wanted = if required == most {
                        format!("{most}")
                    } else {
                        format!("{required} to {most}")
                    };
                    let plural = if wanted == "1" { "argument" } else { "arguments" };
                    let message = format!(
                        "`{display}` takes {wanted} {plural}, but {} are given",
                        values.len()
                    );
                    let problem = SourceProblem::error(span, message).note(place, "declared here");
                    self.report(problem);
                    return;
                }
                for (value, parameter) in values.iter().zip(&signature.parameters) {
                    if self.conversion(value, parameter.ty).is_none() {
                        let name = parameter
                            .name
                            .map_or(String::new(), |name| format!(" `{}`", self.text(name)));
                        let before = self.parser.problems.mark();
                        self.convert(value.clone(), parameter.ty, value.span);
                        if self.parser.problems.mark() != before {
                            self.parser
                                .problems
                                .amend(parameter.span, format!("parameter{name} of `{display}`"));
                            return;
                        }
                    }
                }
            } else {
                let errors = self.parser.problems.errors();
                let deduced = self.deduce_function(only, explicit, values, span);
                if let Some((arguments, _)) = deduced {
                    let made = self.instance_of(only, &arguments, span);
                    let signature = made.and_then(|made| self.signature(made));
                    if let Some(signature) = signature {
                        for (value, parameter) in values.iter().zip(&signature.parameters) {
                            if self.conversion(value, parameter.ty).is_none() {
                                self.convert(value.clone(), parameter.ty, value.span);
                            }
                        }
                    }
                }
                if self.parser.problems.errors() > errors {
                    return;
                }
                let message = format!(
                    "the template arguments of `{text}` cannot be deduced from ({})",
                    shown.join(", ")
                );
                let mut problem = SourceProblem::error(span, message);
                if !self.parser.map.is_builtin(place) {
                    problem = problem.note(place, "declared here");
                }
                let help = self.shallow_pointer(only, values).unwrap_or_else(|| {
                    "give them in angle brackets, or make the arguments' types agree".to_owned()
                });
                self.report(problem.help(help));
                return;
            }
        }
        let mut problem =
            SourceProblem::error(span, format!("no `{text}` takes ({})", shown.join(", ")));
        for &number in list.iter().take(3) {
            let place = self.function(number).syntax.span;
            if !self.parser.map.is_builtin(place) {
                problem = problem.note(place, "this function does not match");
            }
        }
        self.report(problem);
    }

    /// The argument whose address makes a call valid: `cudaMalloc(d, n)` for `cudaMalloc(&d, n)`.
    fn takes_address(
        &mut self,
        list: &[FunctionNumber],
        explicit: &[TemplateArgument],
        values: &[Typed],
        span: Span,
    ) -> Option<Typed> {
        let mark = self.parser.problems.mark();
        let found = values.iter().enumerate().find(|(at, value)| {
            let is_named =
                value.lvalue && !value.expiring && self.types.record_of(value.ty).is_none();
            if !is_named || self.parser.map.text(value.span).is_empty() {
                return false;
            }
            let mut changed = values.to_vec();
            changed[*at] = self.address_of((*value).clone());
            best(&self.candidates(list, explicit, None, &changed, span)).is_ok()
        });
        let found = found.map(|(_, value)| value.clone());
        self.parser.problems.rewind(mark);
        found
    }

    /// Creates a value of class type by calling a constructor.
    pub(in crate::analyze) fn construct_by(
        &mut self,
        number: FunctionNumber,
        ty: TypeId,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        // A copy of a class during a conversion may itself need conversions.
        let outer = std::mem::replace(&mut self.converting, false);
        let fitted = self.fit_arguments(number, values, span);
        self.converting = outer;
        if self.function(number).syntax.deleted {
            self.error(span, "this constructor is deleted");
            return None;
        }
        self.need(number);
        let ty = match self.types.kind(ty) {
            TypeKind::Record(_) => self.types.bare(ty),
            _ => ty,
        };
        let kind = TypedKind::ConstructorCall(number, fitted?);
        Some(Typed { kind, ty, lvalue: false, expiring: false, span })
    }
}

impl Analyzer {
    /// Help for a call in which an argument has fewer levels of pointers than the parameter, such as the address of a number
    /// instead of the address of a pointer.
    fn shallow_pointer(&self, number: FunctionNumber, values: &[Typed]) -> Option<String> {
        let signature = &self.function(number).syntax.signature;
        let mut pairs = values.iter().zip(&signature.parameters).enumerate();
        pairs.find_map(|(at, (value, parameter))| {
            let is_pointer = |part: &&Derivation| matches!(part, Derivation::Pointer { .. });
            let wanted = parameter.kind.derived.iter().filter(is_pointer).count();
            let mut ty = self.types.referred(value.ty);
            let mut found = 0;
            while let TypeKind::Pointer(inner) | TypeKind::Array(inner, _) = *self.types.kind(ty) {
                (ty, found) = (inner, found + 1);
            }
            let to = if wanted > 1 { "the address of a pointer" } else { "a pointer" };
            let shown = self.types.display(value.ty);
            (found < wanted).then(|| format!("argument {} must be {to}, not `{shown}`", at + 1))
        })
    }
}

/// The candidate that is better than all others, or those that tie for the best.
fn best(candidates: &[OverloadCandidate]) -> Result<FunctionNumber, Vec<FunctionNumber>> {
    let better = |a: &OverloadCandidate, b: &OverloadCandidate| {
        let pairs = || a.costs.iter().zip(&b.costs);
        if pairs().any(|(a, b)| a > b) {
            return false;
        }
        if pairs().any(|(a, b)| a < b) {
            return true;
        }
        match (a.is_template, b.is_template) {
            (false, true) => true,
            (true, false) => false,
            _ if a.weight == b.weight && a.pack == b.pack => a.parameters < b.parameters,
            _ if a.weight == b.weight => b.pack,
            _ => a.weight > b.weight,
        }
    };
    let mut winners: Vec<&OverloadCandidate> = Vec::new();
    for candidate in candidates {
        let beaten = candidates
            .iter()
            .any(|other| other.number != candidate.number && better(other, candidate));
        if !beaten && winners.iter().all(|winner| winner.number != candidate.number) {
            winners.push(candidate);
        }
    }
    match winners.as_slice() {
        [only] => Ok(only.number),
        many => Err(many.iter().map(|candidate| candidate.number).collect()),
    }
}
