//! A front end for CUDA C++: compiles device code to PTX without NVIDIA's compiler.
//!
//! The stages are modules, each of which uses only earlier ones: `source` (files, positions, problems), `lex`,
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

pub use preprocess::{Loader, NoFiles};

use analyze::Analyzer;
use parse::Parser;
use preprocess::Preprocessor;
use source::SourceMap;
use source::diagnostics::{Problems, Severity, SourceProblem};

/// Target and macros of a compilation.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The number after `sm_`.
    pub architecture: u32,
    /// Whether to use features that only this architecture has: `sm_90a`.
    pub specific: bool,
    /// Whether functions may be defined in other files, because the result will be linked.
    pub part: bool,
    /// Macro definitions, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions { architecture: 80, specific: false, part: false, defines: Vec::new() }
    }
}

/// Compiled source.
#[derive(Clone, Debug)]
pub struct CompiledPtx {
    /// The PTX.
    pub text: String,
    /// Warnings; empty if there are none.
    pub warnings: String,
}

/// Why a source did not compile.
#[derive(Clone, Debug)]
pub struct CompileFailure {
    /// The errors and warnings, as text with source lines.
    pub text: String,
    /// Whether the source uses a construct that this compiler does not support; other errors may be consequences.
    pub unsupported: bool,
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
    #[cfg(not(target_family = "wasm"))]
    {
        // Recursion is limited, but the limit may need more stack than the calling thread has.
        let run =
            |scope: &std::thread::Scope<'_, '_>| -> Option<Result<CompiledPtx, CompileFailure>> {
                let builder = std::thread::Builder::new().stack_size(256 << 20);
                let _ = scope;
                std::thread::scope(|inner| {
                    builder
                        .spawn_scoped(inner, || compile_here(source, name, options, loader))
                        .ok()?
                        .join()
                        .ok()
                })
            };
        let failed =
            CompileFailure { text: "error: the compiler failed".to_owned(), unsupported: true };
        std::thread::scope(run).unwrap_or(Err(failed))
    }
    #[cfg(target_family = "wasm")]
    compile_here(source, name, options, loader)
}

fn compile_here(
    source: &str,
    name: &str,
    options: &CompileOptions,
    loader: &mut dyn Loader,
) -> Result<CompiledPtx, CompileFailure> {
    let mut map = SourceMap::default();
    let mut names = lex::Interner::default();
    let mut problems = Problems::default();
    let mut preprocessor = Preprocessor::new(&mut map, &mut names, &mut problems, loader);
    preprocessor.predefine(options.architecture, &options.defines);
    for (header, text) in headers::ALWAYS {
        preprocessor.file(header, text, true);
    }
    preprocessor.file(name, source, false);
    let tokens = preprocessor.finish();
    let mut parser = Parser::new(tokens, names, problems, map);
    let items = parser.unit();
    let mut analyzer = Analyzer::new(parser);
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
    let module = lower::lower(&mut analyzer, module, options.part);
    if analyzer.parser.problems.failed() {
        return Err(failure(&analyzer));
    }
    let compiled = lanework_ssa::compile(module, &lanework_ssa::Optimization::default());
    match compiled {
        Ok(module) => {
            let warnings = analyzer.parser.problems.render(&analyzer.parser.map);
            Ok(CompiledPtx { text: module.to_string(), warnings })
        }
        Err(why) => {
            let problem =
                SourceProblem::unsupported(source::Span::default(), format!("this code ({why})"));
            analyzer.parser.problems.push(problem);
            Err(failure(&analyzer))
        }
    }
}

fn failure(analyzer: &Analyzer) -> CompileFailure {
    let problems = &analyzer.parser.problems;
    // Other errors may be consequences of an unsupported construct.
    let unsupported =
        problems.list().iter().any(|problem| problem.severity == Severity::Unsupported);
    CompileFailure { text: problems.render(&analyzer.parser.map), unsupported }
}
