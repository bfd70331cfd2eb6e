//! A front end for CUDA C++: compiles device code to PTX without NVIDIA's compiler.
//!
//! Each stage is a module that uses only earlier ones: `source` (files, positions, problems), `lex`,
//! `preprocess`, `syntax` (the tree), `parse`, `types`, `typed` (the tree with types), `analyze` (names, overloads,
//! templates, conversions) with `evaluate` (constants), and `lower` (to the IR of `lanework-ssa`, which optimizes it
//! and writes PTX). `headers` contains CUDA's headers as C++ text that the same stages compile.
//!
//! ```
//! let source = "__global__ void twice(float* x) { x[threadIdx.x] *= 2; }";
//! let options = lanework_cuda_cpp::CompileOptions::default();
//! let ptx = lanework_cuda_cpp::compile(source, "twice.cu", &options, &mut lanework_cuda_cpp::NoFiles).unwrap();
//! assert!(ptx.text.contains(".entry _Z5twicePf"));
//! ```

mod analyze;
mod evaluate;
mod headers;
mod lex;
mod lower;
mod parse;
mod preprocess;
mod source;
mod syntax;
mod typed;
mod types;

pub use lower::names::{
    DebugArray, DebugField, DebugNames, DebugParameter, DebugType, DebugVariable, KernelParameter,
    KernelSignature,
};
pub use preprocess::{Loader, NoFiles};
pub use source::Diagnostic;

use analyze::Analyzer;
use parse::Parser;
use preprocess::Preprocessor;
use source::{Problems, Severity, SourceMap, SourceProblem};

/// Target and macros of a compilation.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The number after `sm_`.
    pub architecture: u32,
    /// Whether to use features that only this architecture has: `sm_90a`.
    pub specific: bool,
    /// Whether functions may be defined in other files, because the result will be linked. Host code then needs no `main`,
    /// and every function is checked, but the result contains none.
    pub part: bool,
    /// Whether the result is for a debugger: statements are not optimized, and named variables stay in memory.
    pub debug: bool,
    /// Macro definitions, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            architecture: 80,
            specific: false,
            part: false,
            debug: false,
            defines: Vec::new(),
        }
    }
}

/// Compiled source.
#[derive(Clone, Debug)]
pub struct CompiledPtx {
    /// The PTX.
    pub text: String,
    /// Warnings; may be empty.
    pub warnings: String,
    /// The warnings as data.
    pub diagnostics: Vec<Diagnostic>,
    /// The kernels that the PTX contains.
    pub kernels: Vec<KernelSignature>,
    /// The names of variables, if the result is for a debugger.
    pub names: DebugNames,
}

/// Errors of a source that did not compile.
#[derive(Clone, Debug, Default)]
pub struct CompileFailure {
    /// The errors and warnings, as text with source lines.
    pub text: String,
    /// Whether the source uses a construct that this compiler does not support; other errors may be consequences.
    pub unsupported: bool,
    /// The errors and warnings as data.
    pub diagnostics: Vec<Diagnostic>,
}

/// Host code, for an interpreter.
#[derive(Clone, Debug)]
pub struct CompiledHost {
    /// Functions and variables, optimized. `main` is the function of that name.
    pub module: lanework_ssa::SsaModule,
    /// Warnings; may be empty.
    pub warnings: String,
    /// The warnings as data.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the device code of a CUDA C++ source.
///
/// # Errors
/// If the source has errors, or uses unsupported constructs.
pub fn compile(
    source: &str,
    name: &str,
    options: &CompileOptions,
    loader: &mut (dyn Loader + Send),
) -> Result<CompiledPtx, CompileFailure> {
    on_large_stack(|| {
        let (module, mut analyzer, names) = front(source, name, options, loader, false)?;
        let enabled = !options.debug;
        let optimization = lanework_ssa::Optimization { enabled, ..Default::default() };
        let compiled = lanework_ssa::compile(module, &optimization);
        match compiled {
            Ok(module) => {
                let kernels = lower::names::kernels(&mut analyzer);
                let problems = &analyzer.parser.problems;
                let warnings = problems.render(&analyzer.parser.map);
                let diagnostics = problems.diagnostics(&analyzer.parser.map);
                Ok(CompiledPtx { text: module.to_string(), warnings, diagnostics, kernels, names })
            }
            Err(why) => {
                let problem = SourceProblem::unsupported(
                    source::Span::default(),
                    format!("this code ({why})"),
                );
                analyzer.parser.problems.push(problem);
                Err(failure(&analyzer))
            }
        }
    })
}

/// Functions of host code that have this many instructions stay functions: a call costs little in the interpreter, and a
/// `main` that contains everything takes long to compile.
const HOST_INLINED: usize = 200;

/// Compiles the host code of a CUDA C++ program: `main` and what it uses. Functions of the C library and of the CUDA
/// runtime stay declarations, unless the built-in headers define them in C++.
///
/// # Errors
/// If the source has errors, or uses unsupported constructs.
///
/// ```
/// let source = "#include <cstdio>\nint main() { printf(\"hello\\n\"); }";
/// let options = lanework_cuda_cpp::CompileOptions::default();
/// let mut files = lanework_cuda_cpp::NoFiles;
/// let host = lanework_cuda_cpp::compile_host(source, "hello.cu", &options, &mut files).unwrap();
/// assert!(host.module.functions.iter().any(|function| function.name == "main"));
/// ```
pub fn compile_host(
    source: &str,
    name: &str,
    options: &CompileOptions,
    loader: &mut (dyn Loader + Send),
) -> Result<CompiledHost, CompileFailure> {
    on_large_stack(|| {
        let (mut module, analyzer, _) = front(source, name, options, loader, true)?;
        let options = lanework_ssa::Optimization {
            largest_inlined: HOST_INLINED,
            division_faults: true,
            ..Default::default()
        };
        lanework_ssa::optimize(&mut module, &options);
        let warnings = analyzer.parser.problems.render(&analyzer.parser.map);
        let diagnostics = analyzer.parser.problems.diagnostics(&analyzer.parser.map);
        Ok(CompiledHost { module, warnings, diagnostics })
    })
}

/// Runs the compiler on a thread with a large stack. Recursion is limited, but the limit may exceed the stack of the
/// caller's thread.
fn on_large_stack<T: Send>(
    run: impl FnOnce() -> Result<T, CompileFailure> + Send,
) -> Result<T, CompileFailure> {
    #[cfg(not(target_family = "wasm"))]
    {
        let failed = CompileFailure {
            text: "error: the compiler failed".to_owned(),
            unsupported: true,
            diagnostics: Vec::new(),
        };
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            builder.spawn_scoped(scope, run).ok()?.join().ok()
        })
        .unwrap_or(Err(failed))
    }
    #[cfg(target_family = "wasm")]
    run()
}

/// Compiles device or host code up to the lowered module.
fn front(
    source: &str,
    name: &str,
    options: &CompileOptions,
    loader: &mut dyn Loader,
    host: bool,
) -> Result<(lanework_ssa::SsaModule, Analyzer, DebugNames), CompileFailure> {
    let mut map = SourceMap::default();
    let mut names = lex::Interner::default();
    let mut problems = Problems::default();
    let mut preprocessor = Preprocessor::new(&mut map, &mut names, &mut problems, loader);
    preprocessor.predefine(options.architecture, host, &options.defines);
    for (header, text) in headers::ALWAYS {
        preprocessor.file(header, text, true);
    }
    if host {
        for (header, text) in headers::HOST {
            preprocessor.file(header, text, true);
        }
    }
    preprocessor.file(name, source, false);
    let tokens = preprocessor.finish();
    let mut parser = Parser::new(tokens, names, problems, map);
    let items = parser.unit();
    let mut analyzer = Analyzer::new(parser);
    analyzer.host = host;
    analyzer.part = options.part;
    analyzer.unit(&items);
    let specific = if options.specific {
        lanework_ptx::Specific::Architecture
    } else {
        lanework_ptx::Specific::default()
    };
    let target =
        lanework_ptx::Target { architecture: options.architecture, specific, options: Vec::new() };
    let version = lanework_ptx::Version { major: 8, minor: 7 };
    let module = lanework_ssa::SsaModule::new(target, version);
    if analyzer.parser.problems.failed() {
        return Err(failure(&analyzer));
    }
    let mode = lower::LoweringMode { part: options.part, debug: options.debug && !host };
    let (module, names) = lower::lower(&mut analyzer, module, mode);
    if analyzer.parser.problems.failed() {
        return Err(failure(&analyzer));
    }
    Ok((module, analyzer, names))
}

fn failure(analyzer: &Analyzer) -> CompileFailure {
    let problems = &analyzer.parser.problems;
    // Other errors may be consequences of an unsupported construct.
    let unsupported =
        problems.list().iter().any(|problem| problem.severity == Severity::Unsupported);
    let map = &analyzer.parser.map;
    CompileFailure {
        text: problems.render(map),
        unsupported,
        diagnostics: problems.diagnostics(map),
    }
}
