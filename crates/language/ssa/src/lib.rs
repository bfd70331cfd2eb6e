//! An SSA form for GPU kernels. A front end lowers its language to it with [`FunctionBuilder`]; [`compile`] optimizes
//! the module and writes it as PTX.
//!
//! ```
//! use lanework_ssa::*;
//!
//! // __global__ void twice(float* x) { x[threadIdx.x] *= 2; }
//! let mut function = SsaFunction::new("twice", FunctionLinkage::Kernel);
//! function.parameters.push(FunctionParameter::scalar(ValueType::POINTER));
//! let mut b = FunctionBuilder::new(function);
//! let thread = b.special(SpecialValue::ThreadIndex(0));
//! let thread = b.convert(ValueConversion::ZeroExtend, thread, ValueType::I64);
//! let four = b.constant(ValueType::I64, 4);
//! let offset = b.integer(IntegerBinary::Multiply, thread, four);
//! let address = b.pointer_add(b.parameter(0), offset);
//! let x = b.load(ValueType::F32, address, MemoryFlags::aligned(4));
//! let two = b.f32(2.0);
//! let product = b.float(FloatArithmetic::Multiply, FloatMode::CONTRACT, &[x, two]);
//! b.store(address, product, MemoryFlags::aligned(4));
//! b.return_values(&[]);
//!
//! let target = lanework_ptx::Target { architecture: 80, specific: Default::default(), options: vec![] };
//! let mut module = SsaModule::new(target, lanework_ptx::Version { major: 8, minor: 0 });
//! module.add_function(b.finish());
//! let ptx = compile(module, &Optimization::default())?.to_string();
//! assert!(ptx.contains("ld.global.f32"));
//! # Ok::<(), CompileError>(())
//! ```

mod analysis;
mod builder;
mod emit;
mod fold;
mod ir;
mod passes;
mod variables;
mod verify;

pub use builder::{FunctionBuilder, ShuffleMode};
pub use ir::*;
pub use passes::Optimization;
pub use verify::CompileError;
pub use verify::verify;

/// Optimizes a module and writes it as PTX.
///
/// # Errors
/// If inline PTX does not parse, or a value has the wrong type.
pub fn compile(
    mut module: SsaModule,
    options: &Optimization,
) -> Result<lanework_ptx::Module, CompileError> {
    passes::run(&mut module, options);
    emit::emit(&module)
}

/// Optimizes a module for an interpreter of this form: no products and sums are contracted, and aliases are resolved.
pub fn optimize(module: &mut SsaModule, options: &Optimization) {
    passes::improve(module, options);
    for function in &mut module.functions {
        passes::finish(function);
    }
}

/// The bits of an instruction's result, given the bits of its operands of type `from`. `None` if
/// constant folding does not know the result: the instruction does not compute a number, divides by
/// zero, or gives NaN.
#[doc(hidden)]
pub fn evaluate(
    kind: &InstructionKind,
    operands: &[u64],
    from: ValueType,
    to: ValueType,
) -> Option<u64> {
    Some(fold::evaluate(kind, operands, from, to)? & to.mask())
}
