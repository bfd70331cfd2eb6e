//! `wgmma` on typed tiles: every type, swizzle and direction, from shared memory and from registers.

use crate::host::{Host, Numbers, compare};
use crate::{accepted, devices};
use half::{bf16, f16};
use lanework::lang::tensor_cores::{GROUP_PRODUCTS, GroupProduct, MatrixElement, SwizzleMode};
use lanework::prelude::*;

/// `a` is 64 x K by rows, `b` N x K by rows.
#[kernel]
fn by_rows<T, U, D, S, const N: u32, const K: u32>(
    a: &[T::Storage],
    b: &[U::Storage],
    c: &mut [D::Storage],
) where
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement,
    S: SwizzleMode,
{
    let of_a = SharedTile::<T, 64, K, S>::new();
    let of_b = SharedTile::<U, N, K, S>::new();
    let pipe = CopyPipeline::<1>::new();
    pipe.copy_tile(of_a, a.matrix(K), (0, 0), (thread_idx.x, 128));
    pipe.copy_tile(of_b, b.matrix(K), (0, 0), (thread_idx.x, 128));
    pipe.commit();
    pipe.wait();
    fence_proxy_async_shared();
    sync_threads();
    let mut sums = Accumulator::<D, N>::of(FragmentC::load(c.matrix(N), 0, 0));
    sums.multiply(of_a, of_b.t());
    sums.finish().store(c.matrix(N), 0, 0);
}

/// `a` is K x 64 by rows, `b` K x N by rows; the product is taken twice, once with `a` from registers.
#[kernel]
fn by_columns<T, S, const N: u32, const K: u32>(a: &[T::Storage], b: &[T::Storage], c: &mut [f32])
where
    T: GroupProduct<T, f32>,
    S: SwizzleMode,
{
    let of_a = SharedTile::<T, K, 64, S>::new();
    let of_b = SharedTile::<T, K, N, S>::new();
    let pipe = CopyPipeline::<1>::new();
    pipe.copy_tile(of_a, a.matrix(64), (0, 0), (thread_idx.x, 128));
    pipe.copy_tile(of_b, b.matrix(N), (0, 0), (thread_idx.x, 128));
    pipe.commit();
    pipe.wait();
    fence_proxy_async_shared();
    sync_threads();
    let mut sums = Accumulator::<f32, N>::zero();
    sums.set_product(of_a.t(), of_b);
    let row = thread_idx.x / 32 * 16;
    let fragments = [
        FragmentA::<T, 16, 16>::load(of_a.t(), row, 0),
        FragmentA::<T, 16, 16>::load(of_a.t(), row, 16),
        FragmentA::<T, 16, 16>::load(of_a.t(), row, 32),
        FragmentA::<T, 16, 16>::load(of_a.t(), row, 48),
    ];
    sums.multiply_fragments(fragments, of_b);
    sums.finish().store(c.matrix(N), 0, 0);
}

fn check<T, U, D, S, const N: u32, const K: u32>()
where
    T: GroupProduct<U, D> + Host,
    U: Host,
    D: Host,
    S: SwizzleMode,
{
    let (a, b) = (Numbers::random::<T>(64, K, 1), Numbers::random::<U>(N, K, 2));
    let c = Numbers::random::<D>(64, N, 3);
    let want = a.times(&b.t(), &c);
    for device in devices("wgmma by rows", (9, 0)) {
        let left = device.upload(&a.stored::<T>()).expect("memory");
        let right = device.upload(&b.stored::<U>()).expect("memory");
        let mut sum = device.upload(&c.stored::<D>()).expect("memory");
        let what = format!("{} n{N} k{K}, swizzle of {}", T::NAME, S::BYTES);
        let launch = by_rows::<T, U, D, S, N, K>(&left, &right, &mut sum);
        accepted(&launch);
        launch.grid(1).block(128).launch(&device).unwrap_or_else(|e| panic!("{what}: {e}"));
        compare::<D>(&what, &sum.download().expect("results"), &want);
    }
}

macro_rules! groups {
    ($($a:ident $b:ident $d:ident $swizzle:ident $n:literal $k:literal;)*) => {
        #[test]
        fn a_warpgroup_multiplies_every_type() {
            $(check::<$a, $b, $d, $swizzle, $n, $k>();)*
        }

        /// Factors of the test above.
        const CHECKED: &[[&str; 3]] = &[$([<$a>::NAME, <$b>::NAME, <$d>::NAME]),*];
    };
}

groups! {
    f16 f16 f32 Swizzle32 8 64; f16 f16 f16 Swizzle64 24 64;
    bf16 bf16 f32 Swizzle128 64 128;
    Tf32 Tf32 f32 Swizzle128 16 64;
    E4m3 E4m3 f32 Swizzle128 16 128; E4m3 E4m3 f16 NoSwizzle 24 32;
    E4m3 E5m2 f32 Swizzle64 32 128; E4m3 E5m2 f16 Swizzle32 8 32;
    E5m2 E4m3 f32 Swizzle32 16 64; E5m2 E4m3 f16 Swizzle64 16 64;
    E5m2 E5m2 f32 NoSwizzle 40 64; E5m2 E5m2 f16 Swizzle32 16 64;
    i8 i8 i32 Swizzle128 96 128; i8 u8 i32 Swizzle64 24 64;
    u8 i8 i32 NoSwizzle 8 64; u8 u8 i32 Swizzle32 32 32;
}

#[test]
fn every_group_product_is_checked() {
    assert_eq!(CHECKED, GROUP_PRODUCTS);
}

#[test]
fn tiles_without_a_swizzle_are_multiplied() {
    check::<bf16, bf16, f32, NoSwizzle, 40, 32>();
    check::<Tf32, Tf32, f32, NoSwizzle, 16, 16>();
    check::<bf16, bf16, f32, Swizzle64, 256, 32>();
}

fn check_columns<T, S, const N: u32>()
where
    T: GroupProduct<T, f32> + Host,
    S: SwizzleMode,
{
    let (a, b) = (Numbers::random::<T>(64, 64, 1), Numbers::random::<T>(64, N, 2));
    let zero = Numbers { rows: 64, columns: N as usize, at: vec![0; 64 * N as usize] };
    let want = a.times(&b, &a.times(&b, &zero));
    for device in devices("wgmma by columns", (9, 0)) {
        let left = device.upload(&a.t().stored::<T>()).expect("memory");
        let right = device.upload(&b.stored::<T>()).expect("memory");
        let mut sum = device.zeros::<f32>(64 * N as usize).expect("memory");
        let what = format!("{} n{N}, swizzle of {}", T::NAME, S::BYTES);
        let launch = by_columns::<T, S, N, 64>(&left, &right, &mut sum);
        accepted(&launch);
        launch.grid(1).block(128).launch(&device).unwrap_or_else(|e| panic!("{what}: {e}"));
        compare::<f32>(&what, &sum.download().expect("results"), &want);
    }
}

#[test]
fn a_warpgroup_multiplies_column_major_matrices() {
    check_columns::<bf16, Swizzle128, 192>();
    check_columns::<f16, Swizzle64, 64>();
    check_columns::<bf16, Swizzle32, 32>();
    check_columns::<f16, NoSwizzle, 48>();
}

/// In a cluster, a GPU's shared-memory addresses have the block's rank above their 18 bits. The emulator's addresses do not.
#[test]
fn descriptors_hold_no_rank_of_a_block() {
    let device = lanework::Device::emulator();
    let x = device.zeros::<f16>(64 * 64).unwrap();
    let mut c = device.zeros::<f32>(64 * 64).unwrap();
    let launch = by_columns::<f16, Swizzle128, 64, 64>(&x, &x, &mut c);
    let ptx = launch.module().unwrap().to_string();
    let masked =
        ptx.lines().filter(|line| line.trim().starts_with("and.b32") && line.contains("16383"));
    assert_eq!(masked.count(), 2, "{ptx}");
}
