//! Semantic analysis: converts the syntax tree to the typed tree.
//!
//! Templates are instantiated by analyzing their syntax again, in a scope that binds the parameters. Templates that
//! are not instantiated are not checked. The body of a function is analyzed when the function is first used.

mod convert;
mod expressions;
mod functions;
mod items;
mod launches;
mod objects;
mod records;
mod scopes;
mod templates;
mod types;
mod variables;

pub use functions::FunctionRecord;
pub use templates::TemplateArgument;

use crate::lex::Name;
use crate::parse::Parser;
use crate::source::{SourceProblem, Span};
use crate::syntax::{Declaration, RecordSyntax};
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeTable};
use functions::Frame;
use scopes::{Binding, NameScope};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use templates::TemplateRecord;

/// Maximum nesting depth of instantiations and of recursive analysis.
const DEEPEST: usize = 220;
/// Maximum number of functions of a translation unit that are analyzed.
const MOST_FUNCTIONS: usize = 20_000;

/// The type of a value; whether it is an lvalue, whether it expires, and whether the conversion is a cast; the target type.
type ConversionKey = (TypeId, bool, bool, bool, TypeId);

/// The value of a constant local variable.
#[derive(Clone)]
struct ConstantLocal {
    ty: TypeId,
    bytes: Rc<ConstantBytes>,
}

/// Overloaded functions; the type of the target chooses one of them.
struct OverloadSet {
    name: Name,
    functions: Vec<FunctionNumber>,
    /// Explicit template arguments.
    explicit: Vec<TemplateArgument>,
}

/// The analyzer; after analysis, it holds the results.
pub struct Analyzer {
    /// The parser, which parses bodies on demand.
    pub parser: Parser,
    /// All types.
    pub types: TypeTable,
    /// All functions.
    pub functions: Vec<FunctionRecord>,
    /// All variables of the module.
    pub variables: Vec<ModuleVariable>,
    scopes: Vec<NameScope>,
    scope: usize,
    templates: Vec<TemplateRecord>,
    /// By class: the template and the arguments that it is an instance of.
    record_templates: HashMap<RecordId, (usize, Rc<[TemplateArgument]>)>,
    /// String literals, by the type of their characters and their bytes.
    texts: HashMap<(TypeId, Vec<u8>), VariableNumber>,
    queue: VecDeque<FunctionNumber>,
    frame: Option<Frame>,
    frames: u32,
    depth: usize,
    /// The instantiations around the current position, for notes in messages.
    around: Vec<(Span, String)>,
    /// Values of constant locals, by frame and local.
    constants: HashMap<(u32, LocalNumber), ConstantLocal>,
    /// The declared types of local variables of all functions: a lambda may use those of the functions around it.
    local_types: HashMap<(u32, LocalNumber), TypeId>,
    /// Remaining steps for constant evaluation.
    pub fuel: u64,
    unevaluated: bool,
    /// Whether a body is analyzed only for the type of its result.
    only_types: bool,
    /// The needs of the functions whose bodies were analyzed only for that.
    postponed: HashMap<FunctionNumber, functions::Postponed>,
    /// Braced lists that are arguments, by source position.
    lists: HashMap<(u32, u32), Rc<crate::syntax::Expression>>,
    /// Overloaded functions that are arguments, by source position.
    overloads: HashMap<(u32, u32), Rc<OverloadSet>>,
    /// Whether a converting constructor or operator is currently being searched.
    converting: bool,
    /// Whether a cast is being converted, which may use `explicit` conversion operators.
    casting: bool,
    /// Whether host code is analyzed, instead of device code.
    pub host: bool,
    /// Whether the source is a part of a program: it may have no `main`.
    pub part: bool,
    /// Initializations of global variables before `main`.
    pub at_start: Vec<TypedStatement>,
    destructors: HashMap<RecordId, FunctionNumber>,
    /// Copy and move functions that the compiler supplies.
    supplied: HashMap<(RecordId, functions::ImplicitMember), FunctionNumber>,
    /// By class: its defaulted constructors that have parameters.
    defaulted: HashMap<RecordId, Vec<FunctionNumber>>,
    /// Member functions in the order of their declarations.
    declared: HashMap<RecordId, Vec<FunctionNumber>>,
    virtuals: HashMap<RecordId, functions::VirtualFunctions>,
    /// Tables of virtual functions: by class, and offset of the part that refers to the table.
    tables: HashMap<(RecordId, u64), VariableNumber>,
    type_objects: HashMap<TypeId, VariableNumber>,
    /// Static members of instances of class templates that an explicit specialization defines.
    explicit_statics: HashSet<VariableNumber>,
    /// By intrinsic function whose address is taken: a function that calls it.
    wrappers: HashMap<FunctionNumber, FunctionNumber>,
    /// Whether a virtual function is called without regard to the object's class: `Base::f()`.
    direct: bool,
    /// User-defined conversions found so far, by value and target.
    conversions: HashMap<ConversionKey, Option<(functions::UserConversion, u32)>>,
    /// Local arrays whose lengths are in other local variables, outermost first.
    variable_arrays: HashMap<(u32, LocalNumber), Rc<[LocalNumber]>>,
    /// Number of values analyzed so far that need a destructor.
    destroyed: u32,
    /// Closures whose types deduction has used, by lambda and scope: analyzing such a lambda again gives the same type.
    closures: Vec<(Rc<crate::syntax::LambdaSyntax>, usize, Typed)>,
    /// Whether new closures are added to these.
    keeps_closures: bool,
    /// The types of classes without a name, by their syntax and scope.
    unnamed: HashMap<(*const RecordSyntax, usize), (Rc<RecordSyntax>, TypeId)>,
    /// Which functions call which, and which may throw, in host code.
    exceptions: functions::ThrowingCalls,
}

impl Analyzer {
    /// Creates an analyzer without declarations.
    pub fn new(parser: Parser) -> Analyzer {
        Analyzer {
            parser,
            types: TypeTable::default(),
            functions: Vec::new(),
            variables: Vec::new(),
            scopes: vec![NameScope::default()],
            scope: 0,
            templates: Vec::new(),
            record_templates: HashMap::new(),
            texts: HashMap::new(),
            queue: VecDeque::new(),
            frame: None,
            frames: 0,
            depth: 0,
            around: Vec::new(),
            constants: HashMap::new(),
            local_types: HashMap::new(),
            fuel: 20_000_000,
            unevaluated: false,
            only_types: false,
            postponed: HashMap::new(),
            lists: HashMap::new(),
            overloads: HashMap::new(),
            converting: false,
            casting: false,
            host: false,
            part: false,
            at_start: Vec::new(),
            destructors: HashMap::new(),
            supplied: HashMap::new(),
            defaulted: HashMap::new(),
            declared: HashMap::new(),
            virtuals: HashMap::new(),
            tables: HashMap::new(),
            type_objects: HashMap::new(),
            explicit_statics: HashSet::new(),
            wrappers: HashMap::new(),
            direct: false,
            conversions: HashMap::new(),
            variable_arrays: HashMap::new(),
            destroyed: 0,
            closures: Vec::new(),
            keeps_closures: false,
            unnamed: HashMap::new(),
            exceptions: functions::ThrowingCalls::default(),
        }
    }

    /// Analyzes the declarations of a translation unit, and every function that kernels need.
    pub fn unit(&mut self, items: &[Declaration]) {
        for item in items {
            self.item(item);
            if self.parser.problems.full() {
                return;
            }
        }
        if self.host {
            self.host_roots();
        } else {
            self.find_launches();
            self.roots();
        }
        while let Some(next) = self.queue.pop_front() {
            if self.parser.problems.full() {
                return;
            }
            self.analyze_body(next);
        }
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.parser.names.text(name)
    }

    /// Reports a problem, with the enclosing instantiations.
    fn report(&mut self, mut problem: SourceProblem) {
        for (span, text) in self.around.iter().rev().take(4) {
            problem = problem.note(*span, text.clone());
        }
        self.parser.problems.push(problem);
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(SourceProblem::error(span, message));
    }

    fn unsupported(&mut self, span: Span, what: impl std::fmt::Display) {
        self.report(SourceProblem::unsupported(span, what));
    }

    /// An erroneous expression, which causes no further errors.
    fn bad(&self, span: Span) -> Typed {
        Typed { kind: TypedKind::Error, ty: TypeId::ERROR, lvalue: true, expiring: false, span }
    }

    /// Runs `f`. If it reports errors, drops them and returns `None`.
    fn trial<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mark = self.parser.problems.mark();
        let errors = self.parser.problems.errors();
        let result = f(self);
        if self.parser.problems.errors() > errors {
            self.parser.problems.rewind(mark);
            return None;
        }
        Some(result)
    }

    /// Runs `f` in another scope.
    fn within<T>(&mut self, scope: usize, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = f(self);
        self.scope = outer;
        result
    }

    /// Runs `f` in a new block scope.
    fn block<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.add_scope(self.scope);
        self.within(scope, f)
    }

    /// Runs `f` one level deeper; reports an error if the nesting is too deep.
    fn deeper<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST {
            self.error(span, "templates or expressions are nested too deeply here");
            return None;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        Some(result)
    }

    /// The text of a type in messages.
    fn show(&self, ty: TypeId) -> String {
        format!("`{}`", self.types.display(ty))
    }

    fn bind(&mut self, name: Name, binding: Binding) {
        let scope = self.scope;
        self.bind_in(scope, name, binding);
    }
}
