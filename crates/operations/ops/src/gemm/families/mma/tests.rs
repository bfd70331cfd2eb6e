//! Products of small integers (exact) in every type and layout on a sanitized emulator.

use super::*;
use crate::gemm::{GemmElement, gemm};
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::Device;

/// Factors of `T`, results of `O`; `of` and `back` convert integers.
struct Check<T, O> {
    capability: (u32, u32),
    precision: Precision,
    of: fn(i32) -> T,
    back: fn(O) -> f64,
    from: fn(f64) -> O,
}

impl<T: GemmElement, O: GemmElement> Check<T, O> {
    /// Checks two products of m x k by k x n, and that gaps are not written.
    fn run(
        &self,
        [m, n, k]: [usize; 3],
        by_rows: (bool, bool),
        gap: usize,
        first: usize,
    ) -> Result<()> {
        let device = Device::emulator().sanitized();
        let whole = |i: usize, seed: usize| (i * 7 + seed + i / 5) as i32 % 5 - 2;
        let strides = |rows: usize, columns: usize, by_rows: bool| match by_rows {
            true => [rows * (columns + gap), columns + gap, 1],
            false => [columns * (rows + gap), 1, rows + gap],
        };
        let (of_a, of_b) = (strides(m, k, by_rows.0), strides(k, n, by_rows.1));
        let of_c = strides(m, n, true);
        let numbers = |length: usize, seed: usize| -> Vec<T> {
            (0..length).map(|i| (self.of)(whole(i, seed))).collect()
        };
        let on_a = device.upload(&numbers(2 * of_a[0] + first, 1))?;
        let on_b = device.upload(&numbers(2 * of_b[0] + first, 3))?;
        let mut c = device.upload(&vec![(self.from)(3.0); 2 * of_c[0] + first])?;
        let tensor_a = Tensor::with_strides(&on_a, [2, m, k], of_a, first)?;
        let tensor_b = Tensor::with_strides(&on_b, [2, k, n], of_b, first)?;
        let to = TensorMut::with_strides(&mut c, [2, m, n], of_c, first)?;
        let product = gemm(tensor_a, tensor_b).precision(self.precision).alpha(2.0).beta(-1.0);
        let problem = product.relu().problem(to)?;
        let mut layout = WorkspaceLayout::default();
        let recipe = of_capability(problem, &mut layout, self.capability)?;
        let scratch = Workspace::new(&device).reserve(&layout)?;
        Plan::new(recipe(&scratch)?, [scratch]).launch()?;
        let c = c.download()?;
        let mut want = vec![3.0; c.len()];
        for (batch, row, column) in (0..2 * m * n).map(|i| (i / (m * n), i / n % m, i % n)) {
            let place = |of: [usize; 3], i, j| first + batch * of[0] + i * of[1] + j * of[2];
            let product = |at| whole(place(of_a, row, at), 1) * whole(place(of_b, at, column), 3);
            let sum: i32 = (0..k).map(product).sum();
            want[place(of_c, row, column)] = f64::from((2 * sum - 3).max(0));
        }
        let got: Vec<f64> = c.into_iter().map(self.back).collect();
        assert!(got == want, "{m} x {n} x {k}, {by_rows:?}, gap {gap}, from {first} on");
        Ok(())
    }

    /// Runs every layout on a large stack: in unoptimized builds, the emulator calls one handler per product, each
    /// from the previous one.
    fn layouts(self) -> Result<()> {
        let all = move || {
            self.run([130, 40, 72], (true, false), 0, 0)?;
            self.run([16, 144, 33], (true, true), 7, 0)?;
            self.run([32, 16, 80], (false, true), 16, 0)?;
            self.run([9, 5, 70], (false, false), 3, 1)
        };
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(all);
        thread.expect("a thread").join().expect("no panic")
    }
}

#[test]
fn products_of_16_bit_factors_are_exact_where_sums_are() -> Result<()> {
    let (capability, precision) = ((8, 0), Precision::Full);
    let of = |x: i32| f16::from_f32(x as f32);
    let half = Check { capability, precision, of, back: f16::to_f64, from: f16::from_f64 };
    half.layouts()?;
    let of = |x: i32| bf16::from_f32(x as f32);
    let wide = Check { capability, precision, of, back: f64::from, from: |x| x as f32 };
    wide.layouts()
}

#[test]
fn products_of_f16_before_cp_async_are_exact_where_sums_are() -> Result<()> {
    let of = |x: i32| f16::from_f32(x as f32);
    let (capability, precision) = ((7, 5), Precision::Full);
    Check { capability, precision, of, back: f64::from, from: |x| x as f32 }.layouts()
}

#[test]
fn products_of_tf32_and_bytes_are_exact_where_sums_are() -> Result<()> {
    let (capability, precision) = ((8, 0), Precision::TensorFloat32);
    let of = |x: i32| x as f32;
    Check { capability, precision, of, back: f64::from, from: |x| x as f32 }.layouts()?;
    let of = |x: i32| x as i8;
    let bytes = Check { capability, precision, of, back: f64::from, from: |x| x as i32 };
    bytes.layouts()?;
    Check { capability, precision, of, back: f64::from, from: |x| x as f32 }.layouts()
}

/// `ptxas` output for the kernel of a 64 x 64 x 64 product, compiled for the oldest supported GPU.
fn compiled<T: GemmElement, O: GemmElement>(
    ptxas: &std::ffi::OsStr,
    capability: (u32, u32),
) -> Result<(String, String)> {
    let device = Device::emulator();
    let (x, mut c) = (device.zeros::<T>(64 * 64)?, device.zeros::<O>(64 * 64)?);
    let square = || Tensor::new(&x, [64, 64]);
    let product = gemm(square()?, square()?.t()).precision(Precision::TensorFloat32);
    let problem = product.problem(TensorMut::new(&mut c, [64, 64])?)?;
    let mut layout = WorkspaceLayout::default();
    let recipe = of_capability(problem, &mut layout, capability)?;
    let scratch = Workspace::new(&device).reserve(&layout)?;
    let steps = recipe(&scratch)?;
    let module = steps[0].module();
    let target = module.target.to_string();
    let name = format!("lanework_mma_{}_{}_{target}", std::process::id(), T::KIND.name());
    let path = std::env::temp_dir().join(name).with_extension("ptx");
    std::fs::write(&path, module.to_string()).expect("a place for temporary files");
    let mut command = std::process::Command::new(ptxas);
    command.args([&format!("-arch={target}"), "-v", "-o", "/dev/null"]).arg(&path);
    let output = command.output().expect("PTXAS names a program");
    std::fs::remove_file(&path).expect("written above");
    Ok((target, String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[test]
fn ptxas_takes_the_kernels_for_the_oldest_gpus_that_have_the_products() -> Result<()> {
    let Some(ptxas) = std::env::var_os("PTXAS") else {
        eprintln!("SKIPPED: registers of products by mma: PTXAS does not name a ptxas");
        return Ok(());
    };
    for (wanted, (target, said)) in [
        ("sm_75", compiled::<f16, f32>(&ptxas, (7, 5))?),
        ("sm_80", compiled::<f16, f16>(&ptxas, (8, 0))?),
        ("sm_80", compiled::<bf16, f32>(&ptxas, (8, 0))?),
        ("sm_80", compiled::<f32, f32>(&ptxas, (8, 0))?),
        ("sm_80", compiled::<i8, i32>(&ptxas, (8, 0))?),
    ] {
        assert_eq!(target, wanted);
        assert!(said.contains("0 bytes spill stores") && !said.contains("error"), "{said}");
    }
    Ok(())
}
