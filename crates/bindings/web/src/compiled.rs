//! Sources: their problems, kernels, device code and host code. The last compiled source is cached, because a page
//! sends several requests about one source.

use crate::request::RequestFailure;
use lanework_cuda_cpp::{
    CompileOptions, Diagnostic, KernelSignature, NoFiles, compile, compile_host,
};
use lanework_ptx::Module;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// The name of the source in messages.
pub const NAME: &str = "kernel.cu";

/// The targets, tried in this order, as the command does. Inline PTX may need the second one.
const TARGETS: [(u32, bool); 2] = [(80, false), (90, true)];

/// A source that compiled without errors.
pub struct CompiledSource {
    source: String,
    /// The device code.
    pub ptx: String,
    /// The device code, parsed.
    pub module: Arc<Module>,
    /// Its kernels.
    pub kernels: Vec<KernelSignature>,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it defines `main`.
    pub has_main: bool,
}

thread_local! {
    static LAST: RefCell<Option<Rc<CompiledSource>>> = const { RefCell::new(None) };
}

/// Whether a source has the word `main` before a parenthesis.
fn defines_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let before = text[..at].chars().next_back();
        let is_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        is_word && text[at + word.len()..].trim_start().starts_with('(')
    })
}

fn options((architecture, specific): (u32, bool)) -> CompileOptions {
    CompileOptions { architecture, specific, ..CompileOptions::default() }
}

/// Compiles a source. Compiles its host code only to find problems.
///
/// # Errors
/// The problems of a source that does not compile.
pub fn compiled(source: &str) -> Result<Rc<CompiledSource>, Vec<Diagnostic>> {
    let known = LAST.with_borrow(|last| last.clone().filter(|last| last.source == source));
    if let Some(known) = known {
        return Ok(known);
    }
    let mut failed = None;
    for target in TARGETS {
        let device = match compile(source, NAME, &options(target), &mut NoFiles) {
            Ok(device) => device,
            Err(failure) => {
                failed = failed.or(Some(failure.diagnostics));
                continue;
            }
        };
        let module = match Module::parse(&device.text) {
            Ok(module) if module.functions().next().is_none() || module.validate().is_ok() => {
                module
            }
            Ok(_) | Err(_) if target != TARGETS[1] => continue,
            Ok(module) => {
                failed = module.validate().err().map(|why| vec![plain_error(&why.to_string())]);
                continue;
            }
            Err(why) => {
                failed = Some(vec![plain_error(&why.to_string())]);
                continue;
            }
        };
        let made = Rc::new(CompiledSource {
            source: source.to_owned(),
            ptx: device.text,
            module: Arc::new(module),
            kernels: device.kernels,
            diagnostics: device.diagnostics,
            has_main: defines_main(source),
        });
        LAST.set(Some(made.clone()));
        return Ok(made);
    }
    Err(failed.unwrap_or_default())
}

/// An error without a source position.
fn plain_error(message: &str) -> Diagnostic {
    Diagnostic {
        severity: "error",
        message: message.to_owned(),
        label: String::new(),
        help: String::new(),
        notes: Vec::new(),
        file: String::new(),
        line: 0,
        column: 0,
        width: 1,
    }
}

/// The host code of a source.
///
/// # Errors
/// The problems of host code that does not compile.
pub fn host_code(source: &str) -> Result<lanework_cuda_cpp::CompiledHost, Vec<Diagnostic>> {
    compile_host(source, NAME, &options(TARGETS[0]), &mut NoFiles).map_err(|why| why.diagnostics)
}

/// The failure of a request about a source with these problems.
pub fn refused(diagnostics: &[Diagnostic]) -> RequestFailure {
    let first = diagnostics.iter().find(|one| one.severity != "warning");
    let place = first.filter(|one| one.line > 0).map(|one| format!("line {}: ", one.line));
    let message = first.map_or("the source does not compile", |one| one.message.as_str());
    let failure = RequestFailure::new(
        format!("{}{message}", place.unwrap_or_default()),
        first.map_or("", |one| one.help.as_str()),
    );
    RequestFailure { diagnostics: diagnostics_json(diagnostics), ..failure }
}

/// Problems as JSON, in the given order.
pub fn diagnostics_json(all: &[Diagnostic]) -> Value {
    let one = |one: &Diagnostic| {
        let notes = one.notes.iter().map(|(text, line)| json!({ "text": text, "line": line }));
        json!({
            "severity": one.severity,
            "message": one.message,
            "label": one.label,
            "help": one.help,
            "notes": notes.collect::<Vec<_>>(),
            "file": one.file,
            "line": one.line,
            "column": one.column,
            "width": one.width,
        })
    };
    Value::Array(all.iter().map(one).collect())
}

/// Compiles a source and describes it: problems, kernels with their parameters, PTX.
pub fn describe(source: &str) -> Value {
    let compiled = match compiled(source) {
        Ok(compiled) => compiled,
        Err(problems) => {
            return json!({ "ok": false, "diagnostics": diagnostics_json(&problems), "kernels": [], "has_main": defines_main(source) });
        }
    };
    let mut diagnostics = compiled.diagnostics.clone();
    let mut ok = true;
    if compiled.has_main
        && let Err(problems) = host_code(source)
    {
        ok = false;
        let is_new = |one: &Diagnostic| !compiled.diagnostics.contains(one);
        diagnostics.extend(problems.into_iter().filter(is_new));
    }
    json!({
        "ok": ok,
        "diagnostics": diagnostics_json(&diagnostics),
        "kernels": compiled.kernels.iter().map(kernel_json).collect::<Vec<_>>(),
        "has_main": compiled.has_main,
        "ptx": compiled.ptx,
    })
}

fn kernel_json(kernel: &KernelSignature) -> Value {
    let parameters = kernel.parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "declared": parameter.declared,
            "bytes": parameter.bytes,
            "pointer": parameter.pointee.is_some(),
            "const": parameter.is_const,
            "number": parameter.number,
            "lanes": parameter.lanes,
        })
    });
    json!({
        "entry": kernel.entry,
        "name": kernel.name,
        "line": kernel.line,
        "parameters": parameters.collect::<Vec<_>>(),
    })
}
