//! Compiles a program with nvcc against NVIDIA's header, links it with the stand-in, and runs it on the emulator's
//! driver. `NVCC` names the compiler (default: `nvcc` in the path). Skipped if there is no compiler or no `cufft.h`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

// Makes cargo build the shared libraries.
use lanework_cufft as _;
use lanework_libcuda as _;

/// Transforms two rows of a cosine forward and back, scales them in a kernel, and prints the index of the largest
/// coefficient and the largest error.
const PROGRAM: &str = r#"
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>
#include <cufft.h>
__global__ void scale(float *x, int n, float by) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) x[at] *= by;
}
int main() {
    const int n = 90, rows = 2;
    float in[n * rows], out[n * rows];
    for (int at = 0; at < n * rows; at++) in[at] = cosf(6.2831853f * 7 * at / n);
    float *real; cufftComplex *half, host[n / 2 + 1];
    cudaMalloc(&real, sizeof in);
    cudaMalloc(&half, sizeof(cufftComplex) * (n / 2 + 1) * rows);
    cudaMemcpy(real, in, sizeof in, cudaMemcpyHostToDevice);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cufftHandle forth, back;
    int code = cufftPlan1d(&forth, n, CUFFT_R2C, rows) | cufftPlan1d(&back, n, CUFFT_C2R, rows);
    code |= cufftSetStream(forth, stream) | cufftSetStream(back, stream);
    code |= cufftExecR2C(forth, real, half);
    code |= cufftExecC2R(back, half, real);
    scale<<<1, 256, 0, stream>>>(real, n * rows, 1.0f / n);
    code |= cudaStreamSynchronize(stream);
    cudaMemcpy(out, real, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, half + n / 2 + 1, sizeof host, cudaMemcpyDeviceToHost);
    int most = 0;
    for (int at = 1; at <= n / 2; at++) if (hypotf(host[at].x, host[at].y) > hypotf(host[most].x, host[most].y)) most = at;
    float error = 0;
    for (int at = 0; at < n * rows; at++) error = fmaxf(error, fabsf(out[at] - in[at]));
    printf("status %d, coefficient %d of %.1f, %s\n", code, most, host[most].x, error < 1e-6f ? "back" : "lost");
    return code | cufftDestroy(forth) | cufftDestroy(back);
}
"#;

/// A shared library in this test's cargo folder.
fn built(name: &str) -> PathBuf {
    let here = std::env::current_exe().expect("a path").parent().expect("a folder").to_owned();
    let near = [here.join(name), here.parent().expect("a folder").join(name)];
    near.into_iter().find(|path| path.exists()).expect("cargo builds the library")
}

fn compile(folder: &Path) -> Result<(), String> {
    let compiler = std::env::var_os("NVCC").unwrap_or_else(|| OsString::from("nvcc"));
    // NVIDIA's Python packages install the libraries in a folder that the compiler does not search.
    let toolkit = Path::new(&compiler).parent().and_then(Path::parent).unwrap_or(Path::new(""));
    let output = Command::new(&compiler)
        .current_dir(folder)
        .args(["-gencode", "arch=compute_90,code=compute_90", "-o", "program", "program.cu"])
        .args(["-L.", "-lcufft", "-L"])
        .arg(toolkit.join("lib"))
        .output()
        .map_err(|error| format!("{} does not run: {error}", compiler.display()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn a_program_compiled_by_nvcc_runs() {
    let folder = std::env::temp_dir().join(format!("lanework-cufft-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("program.cu"), PROGRAM).expect("a file");
    let link = |library: &str, name: &str| {
        std::os::unix::fs::symlink(built(library), folder.join(name)).expect("a link");
    };
    link("liblanework_libcuda.so", "libcuda.so.1");
    link("liblanework_cufft.so", "libcufft.so.12");
    link("liblanework_cufft.so", "libcufft.so");
    let compiled = compile(&folder);
    let ran = compiled.map(|()| {
        Command::new(folder.join("program"))
            .env("LD_LIBRARY_PATH", &folder)
            .output()
            .expect("it runs")
    });
    let _ = std::fs::remove_dir_all(&folder);
    match ran {
        Err(why) if why.contains("does not run") || why.contains("cufft.h") => {
            eprintln!("SKIPPED: no CUDA compiler with cuFFT's header (NVCC names one): {why}");
        }
        Err(why) => panic!("the program is not compiled: {why}"),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(said, "status 0, coefficient 7 of 45.0, back\n", "{errors}");
            assert!(output.status.success(), "{errors}");
        }
    }
}
