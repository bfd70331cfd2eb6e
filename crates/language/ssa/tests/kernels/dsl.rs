//! Lowers statements as a C++ front end does: `int` is signed without overflow, and addresses add sign-extended
//! products.

use lanework_ssa::ValueType::{F32, I1, I8, I32, I64};
use lanework_ssa::*;
use std::ops::{Deref, DerefMut};

/// Builds a kernel.
pub struct KernelBuilder {
    builder: FunctionBuilder,
}

impl Deref for KernelBuilder {
    type Target = FunctionBuilder;

    fn deref(&self) -> &FunctionBuilder {
        &self.builder
    }
}

impl DerefMut for KernelBuilder {
    fn deref_mut(&mut self) -> &mut FunctionBuilder {
        &mut self.builder
    }
}

/// An empty module for sm_80.
pub fn module() -> SsaModule {
    let target =
        lanework_ptx::Target { architecture: 80, specific: Default::default(), options: vec![] };
    let mut module = SsaModule::new(target, lanework_ptx::Version { major: 8, minor: 0 });
    module.add_file("kernel.cu");
    module
}

/// A `__shared__` array.
pub fn shared(module: &mut SsaModule, name: &str, size: u64) -> GlobalId {
    module.add_global(GlobalVariable {
        name: name.to_owned(),
        space: AddressSpace::Shared,
        size,
        align: 4,
        linkage: GlobalLinkage::Internal,
        initial: None,
        managed: false,
    })
}

impl KernelBuilder {
    pub fn new(name: &str, parameters: &[ValueType]) -> KernelBuilder {
        KernelBuilder::with_linkage(name, FunctionLinkage::Kernel, parameters, &[])
    }

    pub fn with_linkage(
        name: &str,
        linkage: FunctionLinkage,
        parameters: &[ValueType],
        returns: &[ValueType],
    ) -> KernelBuilder {
        let mut function = SsaFunction::new(name, linkage);
        function.parameters = parameters.iter().map(|ty| FunctionParameter::scalar(*ty)).collect();
        function.returns = returns.to_vec();
        let mut builder = FunctionBuilder::new(function);
        builder.set_position(SourcePosition { file: 1, line: 1, column: 1, inlined: 0 });
        KernelBuilder { builder }
    }

    pub fn finish(self) -> SsaFunction {
        self.builder.finish()
    }

    pub fn end(mut self) -> SsaFunction {
        self.return_values(&[]);
        self.finish()
    }

    pub fn add(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.integer_no_wrap(IntegerBinary::Add, a, b)
    }

    pub fn mul(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.integer_no_wrap(IntegerBinary::Multiply, a, b)
    }

    pub fn fadd(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.float(FloatArithmetic::Add, FloatMode::CONTRACT, &[a, b])
    }

    pub fn fmul(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.float(FloatArithmetic::Multiply, FloatMode::CONTRACT, &[a, b])
    }

    pub fn less(&mut self, a: ValueId, b: ValueId) -> ValueId {
        self.compare_integers(IntegerCondition::LessSigned, a, b)
    }

    /// `blockIdx * blockDim + threadIdx`, unsigned.
    pub fn thread(&mut self, axis: u8) -> ValueId {
        let block = self.special(SpecialValue::BlockIndex(axis));
        let size = self.special(SpecialValue::BlockSize(axis));
        let base = self.integer(IntegerBinary::Multiply, block, size);
        let thread = self.special(SpecialValue::ThreadIndex(axis));
        self.integer(IntegerBinary::Add, base, thread)
    }

    /// `&pointer[index]` with elements of `size` bytes.
    pub fn at(&mut self, pointer: ValueId, index: ValueId, size: i64) -> ValueId {
        let index = self.convert(ValueConversion::SignExtend, index, I64);
        let size = self.i64(size);
        let offset = self.integer(IntegerBinary::Multiply, index, size);
        self.pointer_add(pointer, offset)
    }

    pub fn load_f32(&mut self, pointer: ValueId, index: ValueId) -> ValueId {
        let address = self.at(pointer, index, 4);
        self.load(F32, address, MemoryFlags::aligned(4))
    }

    pub fn store_f32(&mut self, pointer: ValueId, index: ValueId, value: ValueId) {
        let address = self.at(pointer, index, 4);
        self.store(address, value, MemoryFlags::aligned(4));
    }

    pub fn load_u8(&mut self, pointer: ValueId, index: ValueId) -> ValueId {
        let address = self.at(pointer, index, 1);
        let byte = self.load(I8, address, MemoryFlags::aligned(1));
        self.convert(ValueConversion::ZeroExtend, byte, I32)
    }

    /// The address of a shared array as a generic pointer.
    pub fn array(&mut self, global: GlobalId) -> ValueId {
        let address = self.global_address(global, AddressSpace::Shared);
        self.generic(address)
    }

    pub fn variable(&mut self, value: ValueId) -> VariableId {
        let ty = self.value_type(value);
        let variable = self.declare_variable(ty);
        self.define_variable(variable, value);
        variable
    }

    pub fn when(&mut self, condition: ValueId, then: impl FnOnce(&mut KernelBuilder)) {
        let (yes, after) = (self.create_block(), self.create_block());
        self.branch(condition, yes, after);
        self.seal_block(yes);
        self.switch_to_block(yes);
        then(self);
        self.jump(after, &[]);
        self.seal_block(after);
        self.switch_to_block(after);
    }

    /// `a && b` as front ends lower it: a block parameter of type `I1`.
    pub fn and_then(
        &mut self,
        a: ValueId,
        b: impl FnOnce(&mut KernelBuilder) -> ValueId,
    ) -> ValueId {
        let (second, join) = (self.create_block(), self.create_block());
        let result = self.declare_variable(I1);
        let no = self.bool(false);
        self.define_variable(result, no);
        self.branch(a, second, join);
        self.seal_block(second);
        self.switch_to_block(second);
        let b = b(self);
        self.define_variable(result, b);
        self.jump(join, &[]);
        self.seal_block(join);
        self.switch_to_block(join);
        self.use_variable(result)
    }

    /// `while (condition) body`.
    pub fn repeat(
        &mut self,
        hint: UnrollHint,
        condition: impl FnOnce(&mut KernelBuilder) -> ValueId,
        body: impl FnOnce(&mut KernelBuilder),
    ) {
        let (header, inside, after) =
            (self.create_block(), self.create_block(), self.create_block());
        self.set_unroll(header, hint);
        self.jump(header, &[]);
        self.switch_to_block(header);
        let condition = condition(self);
        self.branch(condition, inside, after);
        self.seal_block(inside);
        self.switch_to_block(inside);
        body(self);
        self.jump(header, &[]);
        self.seal_block(header);
        self.seal_block(after);
        self.switch_to_block(after);
    }

    /// `for (int i = from; i < to; i += step) body`.
    pub fn count(
        &mut self,
        from: ValueId,
        to: ValueId,
        step: ValueId,
        body: impl FnOnce(&mut KernelBuilder, ValueId),
    ) {
        self.count_hinted(UnrollHint::Automatic, from, to, step, body);
    }

    pub fn count_hinted(
        &mut self,
        hint: UnrollHint,
        from: ValueId,
        to: ValueId,
        step: ValueId,
        body: impl FnOnce(&mut KernelBuilder, ValueId),
    ) {
        let i = self.variable(from);
        self.repeat(
            hint,
            |k| {
                let value = k.use_variable(i);
                k.less(value, to)
            },
            |k| {
                let value = k.use_variable(i);
                body(k, value);
                let value = k.use_variable(i);
                let next = k.add(value, step);
                k.define_variable(i, next);
            },
        );
    }

    /// `for (int i = 0; i < to; i++) body`.
    pub fn times(&mut self, to: i32, body: impl FnOnce(&mut KernelBuilder, ValueId)) {
        let (from, to, one) = (self.i32(0), self.i32(to), self.i32(1));
        self.count(from, to, one, body);
    }
}
