//! Cranelift, configured for this machine.

use super::layout::{CONVENTION, CodeLayout, Start, call_signature};
use super::translate::Translator;
use crate::process::Process;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, MemFlagsData, Signature, types};
use cranelift_codegen::isa::{OwnedTargetIsa, lookup};
use cranelift_codegen::settings::{self, Configurable, Flags};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

/// Operations from which a function counts as large: the time of the usual register allocation grows faster than the
/// function, and would exceed what better code can save.
const LARGE: usize = 800;

/// Compiles functions for this machine.
pub struct Compiler {
    isa: OwnedTargetIsa,
    /// For large functions: with register allocation in one pass.
    quick: OwnedTargetIsa,
    has_fma: bool,
    context: cranelift_codegen::Context,
    builder: FunctionBuilderContext,
}

impl Compiler {
    /// `None` if Cranelift does not support this machine.
    pub fn new() -> Option<Compiler> {
        Some(Compiler {
            isa: machine("backtracking")?,
            quick: machine("single_pass")?,
            has_fma: std::is_x86_feature_detected!("fma"),
            context: cranelift_codegen::Context::new(),
            builder: FunctionBuilderContext::new(),
        })
    }

    /// Compiles a function from one of its possible starts to machine code.
    pub fn function(
        &mut self,
        process: &Process,
        number: usize,
        start: Start,
        layout: &CodeLayout,
    ) -> Option<Vec<u8>> {
        let code = process.code(number);
        let parameters = match start {
            Start::Call => code.parameter_count as usize,
            Start::Loop(_) => 2,
        };
        self.context.clear();
        self.context.func.signature = call_signature(parameters);
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let translator = Translator::new(builder, process, &code, number, layout, self.has_fma);
        translator.translate(start)?.finalize(self.isa.frontend_config());
        self.bytes(code.ops.len() >= LARGE)
    }

    /// Code that calls a function with `arity` parameters. It takes the function's address, the top of the active
    /// calls, and the address of the arguments.
    pub fn bridge(&mut self, arity: usize) -> Option<Vec<u8>> {
        self.context.clear();
        let mut signature = Signature::new(CONVENTION);
        signature.params.extend([AbiParam::new(types::I64); 3]);
        signature.returns.extend([AbiParam::new(types::I64); 2]);
        self.context.func = Function::new();
        self.context.func.signature = signature;
        let mut builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let [function, top, words] = *builder.block_params(block) else { return None };
        let mut arguments = vec![top];
        for at in 0..arity {
            let flags = MemFlagsData::trusted();
            arguments.push(builder.ins().load(types::I64, flags, words, 8 * at as i32));
        }
        let callee = builder.import_signature(call_signature(arity));
        let call = builder.ins().call_indirect(callee, function, &arguments);
        let results = builder.inst_results(call).to_vec();
        builder.ins().return_(&results);
        builder.finalize(self.isa.frontend_config());
        self.bytes(false)
    }

    /// Compiles the function in the context.
    fn bytes(&mut self, is_large: bool) -> Option<Vec<u8>> {
        let isa = if is_large { &self.quick } else { &self.isa };
        let compiled = self.context.compile(&**isa, &mut ControlPlane::default());
        if let Err(why) = &compiled {
            debug_assert!(false, "{:?}", why.inner);
        }
        let code = compiled.ok()?;
        // Machine code has no symbols: all addresses are constants.
        code.buffer.relocs().is_empty().then(|| code.code_buffer().to_vec())
    }
}

/// This machine, with a way to allocate registers.
fn machine(allocation: &str) -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    flags.set("opt_level", "speed").ok()?;
    flags.set("regalloc_algorithm", allocation).ok()?;
    // Kernels and other threads change memory that host code polls, so no load may be removed.
    flags.set("enable_alias_analysis", "false").ok()?;
    flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }).ok()?;
    flags.set("unwind_info", "false").ok()?;
    let triple = "x86_64-unknown-linux-gnu".parse().ok()?;
    let mut isa = lookup(triple).ok()?;
    let features = [
        ("has_sse3", std::is_x86_feature_detected!("sse3")),
        ("has_ssse3", std::is_x86_feature_detected!("ssse3")),
        ("has_sse41", std::is_x86_feature_detected!("sse4.1")),
        ("has_sse42", std::is_x86_feature_detected!("sse4.2")),
        ("has_popcnt", std::is_x86_feature_detected!("popcnt")),
        ("has_avx", std::is_x86_feature_detected!("avx")),
        ("has_fma", std::is_x86_feature_detected!("fma")),
        ("has_bmi1", std::is_x86_feature_detected!("bmi1")),
        ("has_bmi2", std::is_x86_feature_detected!("bmi2")),
        ("has_lzcnt", std::is_x86_feature_detected!("lzcnt")),
    ];
    for (name, _) in features.iter().filter(|(_, present)| *present) {
        isa.enable(name).ok()?;
    }
    isa.finish(Flags::new(flags)).ok()
}
