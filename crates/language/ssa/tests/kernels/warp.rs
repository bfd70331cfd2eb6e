//! Kernels with shuffles, local variables and calls.

use crate::dsl::*;
use lanework_ssa::ValueType::{F32, I32};
use lanework_ssa::*;

const POINTER: ValueType = ValueType::POINTER;

/// Softmax of a row of `n` numbers by one warp.
pub fn softmax() -> SsaModule {
    let mut module = module();
    let mut k = KernelBuilder::new("softmax", &[POINTER, POINTER, I32]);
    let [x, y, n] = [0, 1, 2].map(|index| k.parameter(index));
    let row = k.special(SpecialValue::BlockIndex(0));
    let lane = k.special(SpecialValue::ThreadIndex(0));
    let start = k.mul(row, n);
    let warp = k.i32(32);
    let lowest = k.f32(f32::NEG_INFINITY);
    let most = k.variable(lowest);
    k.count(lane, n, warp, |k, i| {
        let index = k.add(start, i);
        let value = k.load_f32(x, index);
        let old = k.use_variable(most);
        let new = k.float(FloatArithmetic::Maximum, FloatMode::default(), &[old, value]);
        k.define_variable(most, new);
    });
    let maximum = |k: &mut KernelBuilder, a, b| {
        k.float(FloatArithmetic::Maximum, FloatMode::default(), &[a, b])
    };
    reduce(&mut k, most, maximum);
    let zero = k.f32(0.0);
    let sum = k.variable(zero);
    let exponential = |k: &mut KernelBuilder, index| {
        let value = k.load_f32(x, index);
        let most = k.use_variable(most);
        let value = k.float(FloatArithmetic::Subtract, FloatMode::CONTRACT, &[value, most]);
        let scale = k.f32(std::f32::consts::LOG2_E);
        let value = k.fmul(value, scale);
        k.ptx_value("ex2.approx.ftz.f32 %0, %1;", F32, &[value], PtxEffects::PURE)
    };
    k.count(lane, n, warp, |k, i| {
        let index = k.add(start, i);
        let value = exponential(k, index);
        let old = k.use_variable(sum);
        let new = k.fadd(old, value);
        k.define_variable(sum, new);
    });
    reduce(&mut k, sum, |k, a, b| k.fadd(a, b));
    k.count(lane, n, warp, |k, i| {
        let index = k.add(start, i);
        let value = exponential(k, index);
        let sum = k.use_variable(sum);
        let value = k.float(FloatArithmetic::Divide, FloatMode::default(), &[value, sum]);
        k.store_f32(y, index, value);
    });
    module.add_function(k.end());
    module
}

/// Reduces a variable over the lanes of a warp.
fn reduce(
    k: &mut KernelBuilder,
    variable: VariableId,
    combine: impl Fn(&mut KernelBuilder, ValueId, ValueId) -> ValueId,
) {
    let half = k.i32(16);
    let distance = k.variable(half);
    k.repeat(
        UnrollHint::Automatic,
        |k| {
            let (distance, zero) = (k.use_variable(distance), k.i32(0));
            k.compare_integers(IntegerCondition::GreaterSigned, distance, zero)
        },
        |k| {
            let own = k.use_variable(variable);
            let (lane, clamp, mask) = (k.use_variable(distance), k.i32(31), k.i32(-1));
            let (other, _) = k.shuffle(ShuffleMode::Butterfly, own, lane, clamp, mask);
            let new = combine(k, own, other);
            k.define_variable(variable, new);
            let (old, one) = (k.use_variable(distance), k.i32(1));
            let next = k.integer(IntegerBinary::ShiftRightSigned, old, one);
            k.define_variable(distance, next);
        },
    );
}

/// Inclusive scan of each warp's 32 numbers.
pub fn scan() -> SsaModule {
    let mut module = module();
    let mut k = KernelBuilder::new("scan", &[POINTER, POINTER]);
    let [x, y] = [0, 1].map(|index| k.parameter(index));
    let i = k.thread(0);
    let thread = k.special(SpecialValue::ThreadIndex(0));
    let mask = k.i32(31);
    let lane = k.integer(IntegerBinary::And, thread, mask);
    let address = k.at(x, i, 4);
    let value = k.load(I32, address, MemoryFlags::aligned(4));
    let value = k.variable(value);
    let one = k.i32(1);
    let distance = k.variable(one);
    k.repeat(
        UnrollHint::Full,
        |k| {
            let (distance, end) = (k.use_variable(distance), k.i32(32));
            k.less(distance, end)
        },
        |k| {
            let current = k.use_variable(distance);
            let own = k.use_variable(value);
            let (clamp, all) = (k.i32(0), k.i32(-1));
            let (other, _) = k.shuffle(ShuffleMode::Up, own, current, clamp, all);
            let takes = k.compare_integers(IntegerCondition::GreaterOrEqualSigned, lane, current);
            k.when(takes, |k| {
                let sum = k.add(own, other);
                k.define_variable(value, sum);
            });
            let one = k.i32(1);
            let next = k.integer(IntegerBinary::ShiftLeft, current, one);
            k.define_variable(distance, next);
        },
    );
    let address = k.at(y, i, 4);
    let value = k.use_variable(value);
    k.store(address, value, MemoryFlags::aligned(4));
    module.add_function(k.end());
    module
}

/// Five-point stencil.
pub fn stencil() -> SsaModule {
    let mut module = module();
    let mut k = KernelBuilder::new("stencil", &[POINTER, POINTER, I32]);
    let [from, to, n] = [0, 1, 2].map(|index| k.parameter(index));
    let (x, y) = (k.thread(0), k.thread(1));
    let (zero, minus_one) = (k.i32(0), k.i32(-1));
    let last = k.add(n, minus_one);
    let positive = |k: &mut KernelBuilder, value| {
        k.compare_integers(IntegerCondition::GreaterSigned, value, zero)
    };
    let inside = positive(&mut k, x);
    let inside = k.and_then(inside, |k| positive(k, y));
    let inside = k.and_then(inside, |k| k.less(x, last));
    let inside = k.and_then(inside, |k| k.less(y, last));
    k.when(inside, |k| {
        let at = |k: &mut KernelBuilder, dx, dy| {
            let dy = k.i32(dy);
            let row = k.add(y, dy);
            let index = k.mul(row, n);
            let index = k.add(index, x);
            let dx = k.i32(dx);
            let index = k.add(index, dx);
            k.load_f32(from, index)
        };
        let mut sum = at(k, -1, 0);
        for (dx, dy) in [(1, 0), (0, -1), (0, 1)] {
            let value = at(k, dx, dy);
            sum = k.fadd(sum, value);
        }
        let quarter = k.f32(0.25);
        let result = k.fmul(sum, quarter);
        let index = k.mul(y, n);
        let index = k.add(index, x);
        k.store_f32(to, index, result);
    });
    module.add_function(k.end());
    module
}

/// A structure passed by address to a device function, and a local array in an unrolled loop.
pub fn locals() -> SsaModule {
    let mut module = module();
    // struct Pair { float sum; float product; }; void add(Pair* pair, float x)
    let mut add = KernelBuilder::with_linkage("add", FunctionLinkage::Device, &[POINTER, F32], &[]);
    let [pair, x] = [0, 1].map(|index| add.parameter(index));
    let flags = MemoryFlags::aligned(4);
    let old = add.load(F32, pair, flags);
    let new = add.fadd(old, x);
    add.store(pair, new, flags);
    let product = add.pointer_offset(pair, 4);
    let old = add.load(F32, product, flags);
    let new = add.fmul(old, x);
    add.store(product, new, flags);
    let add = module.add_function(add.end());

    let mut k = KernelBuilder::new("locals", &[POINTER, POINTER]);
    let [from, to] = [0, 1].map(|index| k.parameter(index));
    let i = k.thread(0);
    let (pair, copy, array) = (k.create_slot(8, 4), k.create_slot(8, 4), k.create_slot(32, 4));
    let [pair, copy, array] = [pair, copy, array].map(|slot| k.slot_address(slot));
    let array = k.generic(array);
    let eight = k.i32(8);
    k.times(8, |k, j| {
        let index = k.mul(i, eight);
        let index = k.add(index, j);
        let value = k.load_f32(from, index);
        k.store_f32(array, j, value);
    });
    let (zero, one) = (k.f32(0.0), k.f32(1.0));
    k.store(pair, zero, flags);
    let second = k.pointer_offset(pair, 4);
    k.store(second, one, flags);
    let pair_pointer = k.generic(pair);
    k.times(8, |k, j| {
        let value = k.load_f32(array, j);
        k.call(add, &[], &[pair_pointer, value]);
    });
    k.copy_memory(copy, pair, 8, 4);
    let second = k.pointer_offset(copy, 4);
    let (sum, product) = (k.load(F32, copy, flags), k.load(F32, second, flags));
    let result = k.fadd(sum, product);
    k.store_f32(to, i, result);
    module.add_function(k.end());
    module
}

/// A recursive function; its calls are not inlined.
pub fn recursion() -> SsaModule {
    let mut module = module();
    let declared = SsaFunction::new("fibonacci", FunctionLinkage::Device);
    let fibonacci = module.add_function(declared);
    let mut f = KernelBuilder::with_linkage("fibonacci", FunctionLinkage::Device, &[I32], &[I32]);
    let n = f.parameter(0);
    let two = f.i32(2);
    let small = f.less(n, two);
    f.when(small, |f| f.return_values(&[n]));
    let step = |f: &mut KernelBuilder, by| {
        let by = f.i32(by);
        let less = f.add(n, by);
        f.call(fibonacci, &[I32], &[less])[0]
    };
    let (a, b) = (step(&mut f, -1), step(&mut f, -2));
    let sum = f.add(a, b);
    f.return_values(&[sum]);
    module.define_function(fibonacci, f.finish());
    let mut k = KernelBuilder::new("recursion", &[POINTER]);
    let to = k.parameter(0);
    let i = k.special(SpecialValue::ThreadIndex(0));
    let value = k.call(fibonacci, &[I32], &[i])[0];
    let address = k.at(to, i, 4);
    k.store(address, value, MemoryFlags::aligned(4));
    module.add_function(k.end());
    module
}
