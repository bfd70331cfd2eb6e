//! Kernels with memory accesses and loops.

use crate::dsl::*;
use lanework_ssa::ValueType::{F32, I32};
use lanework_ssa::*;

const POINTER: ValueType = ValueType::POINTER;

pub fn saxpy() -> SsaModule {
    let mut module = module();
    let mut k = KernelBuilder::new("saxpy", &[I32, F32, POINTER, POINTER]);
    let [n, a, x, y] = [0, 1, 2, 3].map(|index| k.parameter(index));
    let i = k.thread(0);
    let inside = k.less(i, n);
    k.when(inside, |k| {
        let xi = k.load_f32(x, i);
        let product = k.fmul(a, xi);
        let yi = k.load_f32(y, i);
        let sum = k.fadd(product, yi);
        k.store_f32(y, i, sum);
    });
    module.add_function(k.end());
    module
}

pub fn gemm() -> SsaModule {
    let mut module = module();
    let (tile_a, tile_b) = (shared(&mut module, "As", 1024), shared(&mut module, "Bs", 1024));
    let mut k = KernelBuilder::new("gemm", &[POINTER, POINTER, POINTER, I32]);
    let [a, b, c, n] = [0, 1, 2, 3].map(|index| k.parameter(index));
    let (tx, ty) =
        (k.special(SpecialValue::ThreadIndex(0)), k.special(SpecialValue::ThreadIndex(1)));
    let edge = k.i32(16);
    let (by, bx) = (k.special(SpecialValue::BlockIndex(1)), k.special(SpecialValue::BlockIndex(0)));
    let row = k.integer(IntegerBinary::Multiply, by, edge);
    let row = k.integer(IntegerBinary::Add, row, ty);
    let col = k.integer(IntegerBinary::Multiply, bx, edge);
    let col = k.integer(IntegerBinary::Add, col, tx);
    let zero = k.f32(0.0);
    let sum = k.variable(zero);
    let tiles = k.integer(IntegerBinary::DivideSigned, n, edge);
    let (from, one) = (k.i32(0), k.i32(1));
    let tile_index = |k: &mut KernelBuilder, row, col| {
        let sixteen = k.i32(16);
        let index = k.mul(row, sixteen);
        k.add(index, col)
    };
    k.count(from, tiles, one, |k, t| {
        let (tile_a, tile_b) = (k.array(tile_a), k.array(tile_b));
        let index = k.mul(row, n);
        let step = k.mul(t, edge);
        let index = k.add(index, step);
        let index = k.add(index, tx);
        let value = k.load_f32(a, index);
        let to = tile_index(k, ty, tx);
        k.store_f32(tile_a, to, value);
        let step = k.mul(t, edge);
        let index = k.add(step, ty);
        let index = k.mul(index, n);
        let index = k.add(index, col);
        let value = k.load_f32(b, index);
        k.store_f32(tile_b, to, value);
        k.barrier();
        k.times(16, |k, i| {
            let from = tile_index(k, ty, i);
            let x = k.load_f32(tile_a, from);
            let from = tile_index(k, i, tx);
            let y = k.load_f32(tile_b, from);
            let product = k.fmul(x, y);
            let old = k.use_variable(sum);
            let new = k.fadd(old, product);
            k.define_variable(sum, new);
        });
        k.barrier();
    });
    let index = k.mul(row, n);
    let index = k.add(index, col);
    let value = k.use_variable(sum);
    k.store_f32(c, index, value);
    module.add_function(k.end());
    module
}

pub fn naive() -> SsaModule {
    let mut module = module();
    let mut k = KernelBuilder::new("naive", &[POINTER, POINTER, POINTER, I32]);
    let [a, b, c, n] = [0, 1, 2, 3].map(|index| k.parameter(index));
    let (row, col) = (k.thread(1), k.thread(0));
    let inside = k.less(row, n);
    let inside = k.and_then(inside, |k| k.less(col, n));
    k.when(inside, |k| {
        let zero = k.f32(0.0);
        let sum = k.variable(zero);
        let (from, one) = (k.i32(0), k.i32(1));
        k.count(from, n, one, |k, i| {
            let index = k.mul(row, n);
            let index = k.add(index, i);
            let x = k.load_f32(a, index);
            let index = k.mul(i, n);
            let index = k.add(index, col);
            let y = k.load_f32(b, index);
            let product = k.fmul(x, y);
            let old = k.use_variable(sum);
            let new = k.fadd(old, product);
            k.define_variable(sum, new);
        });
        let index = k.mul(row, n);
        let index = k.add(index, col);
        let value = k.use_variable(sum);
        k.store_f32(c, index, value);
    });
    module.add_function(k.end());
    module
}

pub fn histogram() -> SsaModule {
    let mut module = module();
    let bins = shared(&mut module, "bins", 1024);
    let mut k = KernelBuilder::new("histogram", &[POINTER, POINTER, I32]);
    let [data, counts, n] = [0, 1, 2].map(|index| k.parameter(index));
    let bins = k.array(bins);
    let thread = k.special(SpecialValue::ThreadIndex(0));
    let size = k.special(SpecialValue::BlockSize(0));
    let count = k.i32(256);
    k.count(thread, count, size, |k, i| {
        let zero = k.i32(0);
        let address = k.at(bins, i, 4);
        k.store(address, zero, MemoryFlags::aligned(4));
    });
    k.barrier();
    let first = k.thread(0);
    let blocks = k.special(SpecialValue::GridSize(0));
    let stride = k.integer(IntegerBinary::Multiply, blocks, size);
    let add = |k: &mut KernelBuilder, address, value| {
        k.atomic(
            AtomicOperation::Add,
            ThreadScope::Device,
            MemoryOrdering::Relaxed,
            address,
            value,
        );
    };
    k.count(first, n, stride, |k, i| {
        let byte = k.load_u8(data, i);
        let address = k.at(bins, byte, 4);
        let one = k.i32(1);
        add(k, address, one);
    });
    k.barrier();
    k.count(thread, count, size, |k, i| {
        let from = k.at(bins, i, 4);
        let value = k.load(I32, from, MemoryFlags::aligned(4));
        let to = k.at(counts, i, 4);
        add(k, to, value);
    });
    module.add_function(k.end());
    module
}

pub fn transpose() -> SsaModule {
    let mut module = module();
    let tile = shared(&mut module, "tile", 33 * 32 * 4);
    let mut k = KernelBuilder::new("transpose", &[POINTER, POINTER, I32]);
    let [from, to, n] = [0, 1, 2].map(|index| k.parameter(index));
    let tile = k.array(tile);
    let (tx, ty) =
        (k.special(SpecialValue::ThreadIndex(0)), k.special(SpecialValue::ThreadIndex(1)));
    let edge = k.i32(32);
    let width = k.i32(33);
    let corner = |k: &mut KernelBuilder, axis, thread| {
        let block = k.special(SpecialValue::BlockIndex(axis));
        let start = k.integer(IntegerBinary::Multiply, block, edge);
        k.integer(IntegerBinary::Add, start, thread)
    };
    let (x, y) = (corner(&mut k, 0, tx), corner(&mut k, 1, ty));
    let (zero, eight) = (k.i32(0), k.i32(8));
    k.count(zero, edge, eight, |k, j| {
        let row = k.add(y, j);
        let index = k.mul(row, n);
        let index = k.add(index, x);
        let value = k.load_f32(from, index);
        let row = k.add(ty, j);
        let index = k.mul(row, width);
        let index = k.add(index, tx);
        k.store_f32(tile, index, value);
    });
    k.barrier();
    let (x, y) = (corner(&mut k, 1, tx), corner(&mut k, 0, ty));
    k.count(zero, edge, eight, |k, j| {
        let column = k.add(ty, j);
        let index = k.mul(tx, width);
        let index = k.add(index, column);
        let value = k.load_f32(tile, index);
        let row = k.add(y, j);
        let index = k.mul(row, n);
        let index = k.add(index, x);
        k.store_f32(to, index, value);
    });
    module.add_function(k.end());
    module
}

pub fn reduction() -> SsaModule {
    let mut module = module();
    let partial = shared(&mut module, "partial", 1024);
    let mut k = KernelBuilder::new("reduction", &[POINTER, POINTER, I32]);
    let [x, out, n] = [0, 1, 2].map(|index| k.parameter(index));
    let partial = k.array(partial);
    let thread = k.special(SpecialValue::ThreadIndex(0));
    let block = k.special(SpecialValue::BlockIndex(0));
    let size = k.i32(256);
    let i = k.integer(IntegerBinary::Multiply, block, size);
    let i = k.integer(IntegerBinary::Add, i, thread);
    let zero = k.f32(0.0);
    let value = k.variable(zero);
    let inside = k.less(i, n);
    k.when(inside, |k| {
        let loaded = k.load_f32(x, i);
        k.define_variable(value, loaded);
    });
    let value = k.use_variable(value);
    k.store_f32(partial, thread, value);
    k.barrier();
    let half = k.i32(128);
    let width = k.variable(half);
    k.repeat(
        UnrollHint::Automatic,
        |k| {
            let (width, zero) = (k.use_variable(width), k.i32(0));
            k.compare_integers(IntegerCondition::GreaterSigned, width, zero)
        },
        |k| {
            let current = k.use_variable(width);
            let takes_part = k.less(thread, current);
            k.when(takes_part, |k| {
                let other = k.add(thread, current);
                let other = k.load_f32(partial, other);
                let own = k.load_f32(partial, thread);
                let sum = k.fadd(own, other);
                k.store_f32(partial, thread, sum);
            });
            k.barrier();
            let one = k.i32(1);
            let next = k.integer(IntegerBinary::ShiftRightSigned, current, one);
            k.define_variable(width, next);
        },
    );
    let zero = k.i32(0);
    let is_first = k.compare_integers(IntegerCondition::Equal, thread, zero);
    k.when(is_first, |k| {
        let sum = k.load_f32(partial, zero);
        k.store_f32(out, block, sum);
    });
    module.add_function(k.end());
    module
}
