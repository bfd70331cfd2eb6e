//! `mma` of every type and shape, and fragments loaded from and stored to every layout.

use crate::host::{Host, Numbers, compare};
use crate::{accepted, devices};
use half::{bf16, f16};
use lanework::lang::tensor_cores::{MatrixElement, PRODUCTS, Product, SwizzleMode};
use lanework::prelude::*;

#[kernel]
fn product<T, U, D, const M: u32, const N: u32, const K: u32>(
    a: &[T::Storage],
    b: &[U::Storage],
    c: &mut [D::Storage],
) where
    T: Product<U, D, M, N, K>,
    U: MatrixElement,
    D: MatrixElement,
{
    let left = FragmentA::<T, M, K>::load(a.matrix(K / T::UNIT), 0, 0);
    let right = FragmentB::<U, K, N>::load(b.matrix(N), 0, 0);
    let mut sum = FragmentC::<D, M, N>::load(c.matrix(N), 0, 0);
    sum.mma(left, right);
    sum.store(c.matrix(N), 0, 0);
}

fn check<T, U, D, const M: u32, const N: u32, const K: u32>(architecture: (u32, u32))
where
    T: Product<U, D, M, N, K> + Host,
    U: Host,
    D: Host,
{
    let a = Numbers::random::<T>(M, K, 1);
    let b = Numbers::random::<U>(K, N, 2);
    let c = Numbers::random::<D>(M, N, 3);
    let want = a.times(&b, &c);
    for device in devices("mma of every shape", architecture) {
        let left = device.upload(&a.stored::<T>()).expect("memory");
        let right = device.upload(&b.stored_along_rows::<U>()).expect("memory");
        let mut sum = device.upload(&c.stored::<D>()).expect("memory");
        let launch = product::<T, U, D, M, N, K>(&left, &right, &mut sum);
        accepted(&launch);
        launch
            .grid(1)
            .block(32)
            .launch(&device)
            .unwrap_or_else(|e| panic!("{} m{M}n{N}k{K}: {e}", T::NAME));
        compare::<D>(T::NAME, &sum.download().expect("results"), &want);
    }
}

macro_rules! products {
    ($(fn $test:ident { $($a:ident $b:ident $d:ident $m:literal $n:literal $k:literal $architecture:expr;)* })*) => {
        $(
            #[test]
            fn $test() {
                $(check::<$a, $b, $d, $m, $n, $k>($architecture);)*
            }
        )*

        /// Factors of the tests above.
        const CHECKED: &[([&str; 3], [u32; 3])] = &[$($(
            ([<$a>::NAME, <$b>::NAME, <$d>::NAME], [$m, $n, $k]),
        )*)*];
    };
}

products! {
    fn floats_are_multiplied_in_every_shape {
    f16 f16 f32 16 8 8 (7, 5); f16 f16 f32 16 8 16 (8, 0);
    f16 f16 f16 16 8 8 (7, 5); f16 f16 f16 16 8 16 (8, 0);
    bf16 bf16 f32 16 8 8 (8, 0); bf16 bf16 f32 16 8 16 (8, 0);
    Tf32 Tf32 f32 16 8 4 (8, 0); Tf32 Tf32 f32 16 8 8 (8, 0);
    f64 f64 f64 8 8 4 (8, 0); f64 f64 f64 16 8 4 (9, 0);
    f64 f64 f64 16 8 8 (9, 0); f64 f64 f64 16 8 16 (9, 0);
    }
    fn floats_of_8_bits_are_multiplied_in_every_shape {
    E4m3 E4m3 f32 16 8 16 (8, 9); E4m3 E4m3 f32 16 8 32 (8, 9);
    E4m3 E5m2 f32 16 8 16 (8, 9); E4m3 E5m2 f32 16 8 32 (8, 9);
    E5m2 E4m3 f32 16 8 16 (8, 9); E5m2 E4m3 f32 16 8 32 (8, 9);
    E5m2 E5m2 f32 16 8 16 (8, 9); E5m2 E5m2 f32 16 8 32 (8, 9);
    E4m3 E4m3 f16 16 8 16 (8, 9); E4m3 E4m3 f16 16 8 32 (8, 9);
    E4m3 E5m2 f16 16 8 16 (8, 9); E4m3 E5m2 f16 16 8 32 (8, 9);
    E5m2 E4m3 f16 16 8 16 (8, 9); E5m2 E4m3 f16 16 8 32 (8, 9);
    E5m2 E5m2 f16 16 8 16 (8, 9); E5m2 E5m2 f16 16 8 32 (8, 9);
    }
    fn integers_are_multiplied_in_every_shape {
    i8 i8 i32 8 8 16 (7, 5); i8 i8 i32 16 8 16 (8, 0); i8 i8 i32 16 8 32 (8, 0);
    i8 u8 i32 8 8 16 (7, 5); i8 u8 i32 16 8 16 (8, 0); i8 u8 i32 16 8 32 (8, 0);
    u8 i8 i32 8 8 16 (7, 5); u8 i8 i32 16 8 16 (8, 0); u8 i8 i32 16 8 32 (8, 0);
    u8 u8 i32 8 8 16 (7, 5); u8 u8 i32 16 8 16 (8, 0); u8 u8 i32 16 8 32 (8, 0);
    }
    fn narrow_integers_are_multiplied_in_every_shape {
    S4 S4 i32 8 8 32 (7, 5); S4 S4 i32 16 8 32 (8, 0); S4 S4 i32 16 8 64 (8, 0);
    S4 U4 i32 8 8 32 (7, 5); S4 U4 i32 16 8 32 (8, 0); S4 U4 i32 16 8 64 (8, 0);
    U4 S4 i32 8 8 32 (7, 5); U4 S4 i32 16 8 32 (8, 0); U4 S4 i32 16 8 64 (8, 0);
    U4 U4 i32 8 8 32 (7, 5); U4 U4 i32 16 8 32 (8, 0); U4 U4 i32 16 8 64 (8, 0);
    B1 B1 i32 8 8 128 (8, 0); B1 B1 i32 16 8 128 (8, 0); B1 B1 i32 16 8 256 (8, 0);
    }
}

#[test]
fn every_group_product_is_checked() {
    assert_eq!(CHECKED, PRODUCTS);
}

/// A and B by rows and by columns, through tiles of every swizzle, with `ldmatrix` where it can load them.
#[kernel]
fn through_tiles<T, S, const K: u32>(a: &[T::Storage], b: &[T::Storage], c: &mut [f32])
where
    T: Product<T, f32, 16, 8, K>,
    S: SwizzleMode,
{
    let lane = thread_idx.x;
    let left = SharedTile::<T, 16, 128, S>::new();
    let left_down = SharedTile::<T, 128, 64, S>::new();
    let right = SharedTile::<T, 128, 64, S>::new();
    let right_down = SharedTile::<T, 16, 128, S>::new();
    for i in (0..2048u32).step_by(32) {
        let at = i + lane;
        left[[at / 128, at % 128]] = a[at];
        left_down[[at % 128, at / 128]] = a[at];
        right[[at % 128, at / 128]] = b[at];
        right_down[[at / 128, at % 128]] = b[at];
    }
    sync_warp(FULL_MASK);
    let mut sums = [[FragmentC::<f32, 16, 8>::zero(); 2]; 4];
    #[unroll]
    for k in (0..128).step_by(K as usize) {
        let a_rows = FragmentA::<T, 16, K>::load(left, 0, k);
        let a_columns = FragmentA::<T, 16, K>::load(left_down.t(), 0, k);
        let of_rows = FragmentB::<T, K, 8>::load_pair(right, k, 0);
        let of_columns = FragmentB::<T, K, 8>::load_pair(right_down.t(), k, 0);
        #[unroll]
        for i in 0..2 {
            sums[0][i].mma(a_rows, of_rows[i]);
            sums[1][i].mma(a_columns, of_columns[i]);
            sums[2][i].mma(a_rows, FragmentB::<T, K, 8>::load(right_down.t(), k, 8 * i));
            sums[3][i].mma(a_columns, FragmentB::<T, K, 8>::load(right, k, 8 * i));
        }
    }
    #[unroll]
    for which in 0..4 {
        #[unroll]
        for i in 0..2 {
            sums[which][i].store(c.matrix(64), 0, 16 * which + 8 * i);
        }
    }
}

fn check_tiles<T, S, const K: u32>(architecture: (u32, u32))
where
    T: Product<T, f32, 16, 8, K> + Host,
    S: SwizzleMode,
{
    let a = Numbers::random::<T>(16, 128, 4);
    let b = Numbers::random::<T>(16, 128, 5);
    let zero = Numbers { rows: 16, columns: 16, at: vec![0; 256] };
    let once = a.times(&b.t(), &zero);
    let at = (0..16 * 64).map(|i| once.at[i / 64 * 16 + i % 16]).collect();
    let want = Numbers { rows: 16, columns: 64, at };
    for device in devices("fragments of tiles", architecture) {
        let left = device.upload(&a.stored::<T>()).expect("memory");
        let right = device.upload(&b.stored::<T>()).expect("memory");
        let mut sum = device.zeros::<f32>(16 * 64).expect("memory");
        through_tiles::<T, S, K>(&left, &right, &mut sum)
            .grid(1)
            .block(32)
            .launch(&device)
            .unwrap_or_else(|e| panic!("{} {}: {e}", T::NAME, S::BYTES));
        let what = format!("{}, swizzle of {}", T::NAME, S::BYTES);
        compare::<f32>(&what, &sum.download().expect("results"), &want);
    }
}

#[test]
fn fragments_come_from_tiles_of_every_layout() {
    check_tiles::<bf16, Swizzle32, 16>((8, 0));
    check_tiles::<bf16, Swizzle64, 16>((8, 0));
    check_tiles::<bf16, Swizzle128, 16>((8, 0));
    check_tiles::<f16, NoSwizzle, 16>((8, 0));
    check_tiles::<f16, Swizzle32, 8>((7, 5));
    check_tiles::<E4m3, Swizzle64, 32>((8, 9));
    check_tiles::<E5m2, NoSwizzle, 32>((8, 9));
}

/// `stmatrix` and each lane's stores, by rows and by columns, leave the same matrix.
#[kernel]
pub fn stores(x: &[f32], y: &mut [bf16]) {
    let tile = SharedTile::<bf16, 16, 32, Swizzle64>::new();
    let down = SharedTile::<bf16, 32, 16, Swizzle32>::new();
    let plain = shared::<bf16>([16, 40]);
    let sums = [
        FragmentC::<f32, 16, 16>::load(x.matrix(32), 0, 0).to::<bf16>(),
        FragmentC::<f32, 16, 16>::load(x.matrix(32), 0, 16).to::<bf16>(),
    ];
    sums[0].store_matrix(tile, 0, 0);
    sums[1].store(tile, 0, 16);
    sums[0].store_matrix(down.t(), 0, 0);
    sums[1].store(down.t(), 0, 16);
    sums[0].store_matrix(plain, 0, 0);
    sums[1].store(plain, 0, 16);
    sync_warp(FULL_MASK);
    for i in (0..512u32).step_by(32) {
        let at = i + thread_idx.x;
        let (row, column) = (at / 32, at % 32);
        y[at] = tile[[row, column]];
        y[512 + at] = down[[column, row]];
        y[1024 + at] = plain[[row, column]];
    }
}

#[test]
fn results_are_stored_in_every_layout() {
    let x = Numbers::random::<bf16>(16, 32, 7);
    for device in devices("stored results", (9, 0)) {
        let from = device.upload(&x.stored::<f32>()).expect("memory");
        let mut to = device.zeros::<bf16>(3 * 512).expect("memory");
        stores(&from, &mut to).grid(1).block(32).launch(&device).expect("runs");
        for part in to.download().expect("results").chunks(512) {
            compare::<bf16>("stored", part, &x);
        }
    }
}

/// Elements report their positions and can be assigned, and rows are reduced over the quad.
#[kernel]
pub fn elements(y: &mut [f32]) {
    let mut sums = FragmentC::<f32, 16, 16>::zero();
    #[unroll]
    for i in 0..FragmentC::<f32, 16, 16>::ELEMENTS {
        let (row, column) = sums.position(i);
        sums[i] = (row * 16 + column) as f32;
        sums[i] *= 0.5;
    }
    let most = sums.row_max();
    let total = sums.row_sum();
    #[unroll]
    for i in 0..FragmentC::<f32, 16, 16>::ELEMENTS {
        let line = FragmentC::<f32, 16, 16>::row_of(i);
        sums[i] = sums[i] + most[line] + total[line] - total[line];
    }
    sums.store(y.matrix(16), 0, 0);
    if thread_idx.x == 0 {
        let [first, second] = total;
        y[256] = first;
        y[257] = second;
    }
}

#[test]
fn elements_have_positions_and_rows_are_reduced() {
    for device in devices("elements of fragments", (8, 0)) {
        let mut to = device.zeros::<f32>(258).expect("memory");
        elements(&mut to).grid(1).block(32).launch(&device).expect("runs");
        let got = to.download().expect("results");
        for (i, got) in got[..256].iter().enumerate() {
            let most = (i / 16 * 16 + 15) as f32 * 0.5;
            assert_eq!(*got, i as f32 * 0.5 + most, "element {i}");
        }
        let total = |row: usize| (row * 16..row * 16 + 16).map(|i| i as f32 * 0.5).sum::<f32>();
        assert_eq!(got[256..], [total(0), total(8)]);
    }
}

/// A product in f64 whose sum is taken from and given to packed 16-bit elements.
#[kernel]
fn packed(x: &[f16], y: &mut [f16]) {
    let mut a = FragmentA::<f16, 16, 16>::load(x.matrix(16), 0, 0);
    #[unroll]
    for i in 0..8 {
        let old = a[i];
        a[i] = old + 1.0f32 as f16;
    }
    let mut bytes = FragmentA::<i8, 16, 32>::zero();
    #[unroll]
    for i in 0..16 {
        bytes[i] = -(i as i8);
    }
    let mut sum = FragmentC::<f16, 16, 8>::zero();
    sum.mma(a, FragmentB::<f16, 16, 8>::fill(1.0f32 as f16));
    #[unroll]
    for i in 0..4 {
        sum[i] = sum[i] + bytes[4 * i] as f16;
    }
    sum.store(y.matrix(8), 0, 0);
}

#[test]
fn packed_elements_are_read_and_assigned() {
    for device in devices("packed elements", (8, 0)) {
        let x: Vec<f16> = (0..256).map(|i| f16::from_f32((i % 7) as f32)).collect();
        let from = device.upload(&x).expect("memory");
        let mut to = device.zeros::<f16>(128).expect("memory");
        packed(&from, &mut to).grid(1).block(32).launch(&device).expect("runs");
        for (i, got) in to.download().expect("results").iter().enumerate() {
            let (row, column) = (i / 8, i % 8);
            let sum: f32 = x[row * 16..row * 16 + 16].iter().map(|v| v.to_f32() + 1.0).sum();
            let element = row / 8 * 2 + column % 2;
            assert_eq!(got.to_f32(), sum - 4.0 * element as f32, "row {row}, column {column}");
        }
    }
}

/// Device functions take fragments, tiles and matrices, and return fragments.
#[device]
fn quarter(tile: SharedTile<f16, 16, 16, Swizzle32>, column: u32) -> FragmentB<f16, 16, 8> {
    FragmentB::<f16, 16, 8>::load(tile, 0, column)
}

#[device]
fn add_product(sum: &mut FragmentC<f32, 16, 8>, x: Matrix<f16>, right: FragmentB<f16, 16, 8>) {
    sum.mma(FragmentA::<f16, 16, 16>::load(x, 0, 0), right);
    sum[0] += 1.0;
}

#[kernel]
fn by_functions(x: &[f16], y: &mut [f32]) {
    let tile = SharedTile::<f16, 16, 16, Swizzle32>::new();
    for i in (thread_idx.x..256).step_by(32) {
        tile[[i / 16, i % 16]] = x[i];
    }
    sync_warp(FULL_MASK);
    for half in 0..2u32 {
        let mut sum = FragmentC::<f32, 16, 8>::zero();
        add_product(&mut sum, x.matrix(16), quarter(tile, half * 8));
        sum.store(y.matrix(16), 0, half * 8);
    }
}

#[test]
fn device_functions_take_fragments_and_tiles() {
    let x = Numbers::random::<f16>(16, 16, 8);
    let zero = Numbers { rows: 16, columns: 16, at: vec![0; 256] };
    let mut want = x.times(&x, &zero);
    for (i, sum) in want.at.iter_mut().enumerate() {
        // Element 0 of each lane: the first of two columns, in the first eight rows.
        *sum += i32::from(i < 128 && i % 2 == 0);
    }
    for device in devices("fragments in device functions", (8, 0)) {
        let from = device.upload(&x.stored::<f16>()).expect("memory");
        let mut to = device.zeros::<f32>(256).expect("memory");
        by_functions(&from, &mut to).grid(1).block(32).launch(&device).expect("runs");
        compare::<f32>("device functions", &to.download().expect("results"), &want);
    }
}
