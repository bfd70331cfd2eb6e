//! Functions: declarations, signatures, instances and bodies.

mod arrays;
mod body;
mod constructors;
mod control;
mod declare;
mod kinds;
mod lambdas;
mod locals;
mod mangle;
mod members;
mod statements;

pub use kinds::ImplicitMember;
pub(super) use kinds::{Postponed, ThrowingCalls, UserConversion, VirtualFunctions};
pub(super) use locals::names_itself;

use super::Analyzer;
use super::templates::TemplateArgument;
use crate::lex::Name;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId};
use std::collections::HashMap;
use std::rc::Rc;

/// The statements of a block.
type List = Vec<TypedStatement>;

/// A parameter of a signature.
#[derive(Clone, Debug)]
pub struct SignatureParameter {
    /// Its name.
    pub name: Option<Name>,
    /// Its type.
    pub ty: TypeId,
    /// The default argument.
    pub default: Option<Rc<Expression>>,
    /// `__restrict__`.
    pub restrict: bool,
    /// Whether it is part of a pack.
    pub pack: bool,
    /// The position of its declaration.
    pub span: Span,
}

/// Parameters and result, without `this`.
#[derive(Clone, Debug)]
pub struct Signature {
    /// The result; `auto` until the body is analyzed.
    pub result: TypeId,
    /// The parameters, with packs expanded.
    pub parameters: Vec<SignatureParameter>,
    /// C's `...`.
    pub variadic: bool,
}

/// Progress of the analysis of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyState {
    /// Not used yet.
    Unused,
    /// Queued for analysis.
    Queued,
    /// Being analyzed.
    Started,
    /// Analyzed, or failed.
    Done,
}

/// A captured variable: name, offset in the closure, type, and whether it is captured by reference.
pub(super) type CaptureField = (Name, u64, TypeId, bool);

/// A function, or a function template.
#[derive(Clone, Debug)]
pub struct FunctionRecord {
    /// Its name.
    pub name: Name,
    /// Its name in messages.
    pub display: String,
    /// Its declaration, which a definition replaces.
    pub syntax: Rc<FunctionSyntax>,
    /// The scope of its parameters' types.
    pub scope: usize,
    /// The template parameters, if it is a template.
    pub template: Option<Rc<Vec<TemplateParameterSyntax>>>,
    /// The class, if it is a member function.
    pub record: Option<RecordId>,
    /// Whether it is a member function without `this`.
    pub is_static: bool,
    /// Whether it is a constructor.
    pub is_constructor: bool,
    /// The signature, if already computed.
    pub signature: Option<Rc<Signature>>,
    /// The template arguments, if it is an instance.
    pub arguments: Rc<[TemplateArgument]>,
    /// The template, if it is an instance.
    pub of_template: Option<FunctionNumber>,
    /// The instances, if it is a template.
    pub instances: HashMap<Rc<[TemplateArgument]>, FunctionNumber>,
    /// The analyzed body.
    pub body: Option<Rc<TypedBody>>,
    /// Progress of the analysis of the body.
    pub state: BodyState,
    /// The kind and the text of the intrinsic, if calls lower to one.
    pub intrinsic: Option<(String, String)>,
    /// The captures of a lambda; `this` comes last, if it is captured.
    pub(super) captures: Option<Rc<(Vec<CaptureField>, Option<TypeId>)>>,
    /// The base's constructor, if this is an inherited one.
    pub inherits: Option<FunctionNumber>,
    /// Whether parameters are declared `auto`; each has an invented template parameter.
    pub(super) generic: bool,
    /// Whether calls choose the function by the object's class at run time.
    pub(super) is_virtual: bool,
    /// The member function that the compiler supplies, if the class declares none.
    pub(super) implicit: Option<ImplicitMember>,
}

/// The function that is being analyzed.
pub(super) struct Frame {
    pub serial: u32,
    pub function: FunctionNumber,
    pub body: TypedBody,
    /// The declared result type; `None` until it is deduced.
    pub result: Option<TypeId>,
    /// `*this`.
    pub this: Option<Typed>,
    pub labels: HashMap<Name, (u32, bool, Span)>,
    pub loops: u32,
    pub switches: u32,
    /// Destructors of the objects of the open blocks, with their numbers.
    pub cleanups: Vec<(u32, TypedStatement)>,
    /// Number of cleanups so far.
    pub cleanup_count: u32,
    /// Length of `cleanups` at the target of `break` and `continue`, for each open loop or `switch`.
    pub breaks: Vec<usize>,
    pub continues: Vec<usize>,
}

impl Frame {
    /// Adds a statement that runs on every way out of the current block.
    pub fn add_cleanup(&mut self, statement: TypedStatement) {
        self.cleanup_count += 1;
        self.cleanups.push((self.cleanup_count, statement));
    }

    pub fn label(&mut self, name: Name, span: Span) -> u32 {
        let next = self.labels.len() as u32;
        self.labels.entry(name).or_insert((next, false, span)).0
    }
}

impl Analyzer {
    pub(super) fn function(&self, number: FunctionNumber) -> &FunctionRecord {
        &self.functions[number.0 as usize]
    }

    fn function_mut(&mut self, number: FunctionNumber) -> &mut FunctionRecord {
        &mut self.functions[number.0 as usize]
    }

    /// The signature of a function, which must not be a template.
    pub fn signature(&mut self, number: FunctionNumber) -> Option<Rc<Signature>> {
        if let Some(known) = &self.function(number).signature {
            return Some(known.clone());
        }
        let (syntax, scope) = (self.function(number).syntax.clone(), self.function(number).scope);
        let frame = self.frame.take();
        let made = self.within(scope, |this| this.make_signature(&syntax));
        self.frame = frame;
        let made = Rc::new(made?);
        self.function_mut(number).signature = Some(made.clone());
        Some(made)
    }

    pub(super) fn make_signature(&mut self, syntax: &FunctionSyntax) -> Option<Signature> {
        let mut parameters = Vec::new();
        let errors = self.parser.problems.errors();
        // Later types may use parameters: `decltype(a + b)`.
        let scope = self.add_scope(self.scope);
        self.within(scope, |this| {
            for parameter in &syntax.signature.parameters {
                let restrict = matches!(
                    parameter.kind.derived.last(),
                    Some(Derivation::Pointer { is_restrict: true, .. })
                );
                let kinds = if parameter.pack {
                    this.expand_type(&parameter.kind, parameter.span)
                } else {
                    let ty = this.type_of(&parameter.kind);
                    vec![this.parameter_type(ty)]
                };
                let names: Vec<_> =
                    kinds.iter().map(|&ty| this.probe_binding(ty, parameter.span)).collect();
                if let Some(name) = parameter.name {
                    let binding = if parameter.pack {
                        super::scopes::Binding::LocalPack(names.into())
                    } else {
                        names
                            .into_iter()
                            .next()
                            .unwrap_or(super::scopes::Binding::Type(TypeId::ERROR))
                    };
                    this.scopes[scope].names.insert(name, binding);
                }
                for ty in kinds {
                    if this.types.bare(ty) == TypeId::VOID {
                        this.error(parameter.span, "a parameter cannot have type `void`");
                    }
                    parameters.push(SignatureParameter {
                        name: parameter.name,
                        ty,
                        default: parameter.default.clone(),
                        restrict,
                        pack: parameter.pack,
                        span: parameter.span,
                    });
                }
            }
            let result = match (&syntax.signature.trailing, &syntax.name.last().conversion) {
                (Some(trailing), _) => this.type_of(trailing),
                (None, Some(conversion)) => this.type_of(conversion),
                (None, None) => this.type_of(&syntax.result),
            };
            if this.parser.problems.errors() > errors {
                return None;
            }
            Some(Signature { result, parameters, variadic: syntax.signature.variadic })
        })
    }

    fn probe_binding(&mut self, ty: TypeId, span: Span) -> super::scopes::Binding {
        // A named parameter is an lvalue, even if its type is `T &&`.
        let value = self.declval(ty);
        super::scopes::Binding::Alias(Rc::new(Typed { expiring: false, span, ..value }))
    }

    /// A value of a type that is never evaluated (`std::declval`).
    pub(super) fn declval(&mut self, ty: TypeId) -> Typed {
        let lvalue = self.types.is_reference(ty);
        let expiring = matches!(self.types.kind(ty), crate::types::TypeKind::RvalueReference(_));
        let inner = self.types.referred(ty);
        let pointer = self.types.pointer(inner);
        let null = Typed {
            kind: TypedKind::Constant(0),
            ty: pointer,
            lvalue: false,
            expiring: false,
            span: Span::default(),
        };
        let object = Typed {
            kind: TypedKind::Dereference(Box::new(null)),
            ty: inner,
            lvalue: true,
            expiring,
            span: Span::default(),
        };
        if lvalue || self.types.bare(inner) == TypeId::VOID {
            return object;
        }
        Typed {
            kind: TypedKind::Load(Box::new(object)),
            ty: inner,
            lvalue: false,
            expiring: false,
            span: Span::default(),
        }
    }

    /// The result type of a function. If it is `auto`, analyzes the body.
    pub(super) fn result_of(&mut self, number: FunctionNumber, span: Span) -> Option<TypeId> {
        let signature = self.signature(number)?;
        if !self.contains_auto(signature.result) {
            return Some(signature.result);
        }
        if self.function(number).state == BodyState::Started {
            self.error(
                span,
                "the return type of this function is not known yet; write it instead of `auto`",
            );
            return None;
        }
        self.analyze_body(number);
        let result = self.signature(number)?.result;
        if self.contains_auto(result) { None } else { Some(result) }
    }

    /// Queues the body of a function for analysis.
    pub(super) fn need(&mut self, number: FunctionNumber) {
        if self.unevaluated {
            return;
        }
        if self.host {
            self.exceptions.call(self.frame.as_ref().map(|frame| frame.function), number);
        }
        let is_kernel = self.function(number).syntax.specifiers.global;
        if self.only_types && !is_kernel {
            let caller = self.frame.as_ref().map(|frame| frame.function);
            if let Some(caller) = caller {
                self.postponed.entry(caller).or_default().callees.push(number);
            }
            return;
        }
        self.need_postponed(number);
        let number = self.linked(number);
        let record = self.function(number);
        let flags = &record.syntax.specifiers;
        // Initializers of the host's variables, which device code does not run.
        if !self.host
            && self.frame.is_none()
            && !flags.device
            && !flags.global
            && !flags.is_constexpr
            && record.captures.is_none()
            && record.implicit.is_none()
            && !self.parser.map.is_builtin(record.syntax.span)
        {
            return;
        }
        if record.state == BodyState::Unused && !(self.host && is_kernel) {
            self.function_mut(number).state = BodyState::Queued;
            self.queue.push_back(number);
        }
    }

    /// Queues what a function needs, if only the type of its result has been asked for so far.
    pub(super) fn need_postponed(&mut self, number: FunctionNumber) {
        let Some(postponed) = self.postponed.remove(&number) else { return };
        if postponed.failed {
            // Analyzed again, so that its errors appear.
            self.function_mut(number).state = BodyState::Unused;
        }
        postponed.callees.into_iter().for_each(|callee| self.need(callee));
    }

    /// The functions where analysis starts: kernels, and (to find their errors) device functions in the user's files.
    pub(super) fn roots(&mut self) {
        let count = self.functions.len();
        let mut unused = Vec::new();
        for at in 0..count {
            let record = &self.functions[at];
            let flags = &record.syntax.specifiers;
            let has_body = record.syntax.body.is_some();
            // Declaring a specialization also makes an instance of the general template, which nothing may use.
            let implicit = record.of_template.is_some_and(|template| {
                Rc::ptr_eq(&record.syntax, &self.function(template).syntax)
            });
            if record.template.is_some()
                || implicit
                || !has_body
                || !flags.global && self.parser.map.is_builtin(record.syntax.span)
            {
                continue;
            }
            if flags.global {
                self.need(FunctionNumber(at as u32));
            } else if flags.device {
                unused.push(FunctionNumber(at as u32));
            }
        }
        while let Some(next) = self.queue.pop_front() {
            if self.parser.problems.full() {
                return;
            }
            self.analyze_body(next);
        }
        // Unsupported constructs do not matter if only unused functions need them.
        for number in unused {
            let before = self.parser.problems.list().len();
            let mark = self.parser.problems.mark();
            self.need(number);
            while let Some(next) = self.queue.pop_front() {
                self.analyze_body(next);
            }
            let unsupported =
                |problem: &SourceProblem| problem.severity != crate::source::Severity::Error;
            if self.parser.problems.list().iter().skip(before).all(unsupported) {
                self.parser.problems.rewind(mark);
            }
        }
    }
}

impl Analyzer {
    /// Analyzes the body of a function immediately, for constant evaluation.
    pub fn ready(&mut self, number: FunctionNumber) -> Option<()> {
        if self.functions.get(number.0 as usize)?.state != BodyState::Started {
            self.analyze_body(number);
        }
        self.function(number).body.as_ref().map(|_| ())
    }
}

impl Analyzer {
    /// The value of a constant expression in the scope of a function's declaration.
    pub fn constant_in(&mut self, number: FunctionNumber, value: &Expression) -> Option<u64> {
        let scope = self.function(number).scope;
        let typed = self.within(scope, |this| this.expression(value));
        if typed.ty == TypeId::ERROR {
            return None;
        }
        self.constant_value(&typed)
    }
}
