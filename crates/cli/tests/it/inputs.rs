//! Arrays in the layouts and types that newcomers have, and options that are not used or contradict the input.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn lanework(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanework")).args(args).output().expect("the command runs")
}

/// Standard output and error of a command that must succeed.
fn succeeds(args: &[&str]) -> (String, String) {
    let output = lanework(args);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{args:?}: {:?}\n{err}", output.status);
    (out, err)
}

/// Standard error of a command line that must be refused.
fn refused(args: &[&str]) -> String {
    let output = lanework(args);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{args:?}\n{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("has a bug"), "{args:?}\n{stderr}");
    stderr
}

/// A folder of the user's files.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a .npy file as numpy does; returns its path.
    fn npy(&self, name: &str, descr: &str, fortran: bool, shape: &[u64], bytes: &[u8]) -> String {
        let extents: String = shape.iter().map(|extent| format!("{extent}, ")).collect();
        let order = if fortran { "True" } else { "False" };
        let mut header =
            format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': ({extents}), }}");
        header.push_str(&" ".repeat(63 - (10 + header.len()) % 64));
        header.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(bytes);
        fs::write(self.path(name), file).expect("written");
        self.path(name).display().to_string()
    }

    /// Little-endian floats in C order.
    fn floats(&self, name: &str, shape: &[u64], numbers: &[f32]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.npy(name, "'<f4'", false, shape, &bytes)
    }

    fn text(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("written");
        self.path(name).display().to_string()
    }
}

/// Header and bytes of a .npy file.
fn parts(path: &Path) -> (String, Vec<u8>) {
    let file = fs::read(path).expect("a file");
    let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
    let header = String::from_utf8(file[10..10 + length].to_vec()).expect("text");
    (header, file[10 + length..].to_vec())
}

fn floats_of(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|x| f32::from_le_bytes(x.try_into().expect("four"))).collect()
}

const KERNEL: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 y, .param .f32 f, .param .u32 n)
{
    .reg .b32 %r<3>; .reg .f32 %f<4>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd1, [y]; ld.param.f32 %f1, [f]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p bra END;
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3]; mul.f32 %f3, %f1, %f2; st.global.f32 [%rd3], %f3;
END:
    ret;
}
";

#[test]
fn big_endian_numbers_are_converted_and_said_once() {
    let files = Files::new();
    for (descr, bytes) in [
        ("'>f4'", (1..=10).flat_map(|x| (x as f32).to_be_bytes()).collect::<Vec<u8>>()),
        ("'>f8'", (1..=10).flat_map(|x| f64::from(x).to_be_bytes()).collect()),
        ("'>i8'", (1..=10).flat_map(|x| i64::from(x).to_be_bytes()).collect()),
        ("'>u4'", (1..=10u32).flat_map(u32::to_be_bytes).collect()),
    ] {
        let input = files.npy("big.npy", descr, false, &[10], &bytes);
        let (out, err) = succeeds(&["run", "sum-squares/one-thread", "--input", &input]);
        assert!(out.contains(" 385 ") && out.contains("verified"), "{descr}: {out}");
        assert_eq!(err.matches("converted from big-endian").count(), 1, "{descr}: {err}");
    }
}

#[test]
fn fortran_order_is_converted_for_ladders_and_for_kernels() {
    let files = Files::new();
    let columns: Vec<u8> = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]
        .iter()
        .flat_map(|&x: &i32| (x as f32).to_be_bytes())
        .collect();
    let input = files.npy("f.npy", "'>f4'", true, &[3, 4], &columns);
    let output = files.path("t.npy").display().to_string();
    let (_, err) = succeeds(&["run", "transpose/padded", "--input", &input, "--output", &output]);
    assert_eq!(err.matches("note: ").count(), 1, "{err}");
    assert!(err.contains("big-endian to little-endian and from Fortran order to C order"), "{err}");
    let (header, bytes) = parts(&files.path("t.npy"));
    assert!(
        header.contains("'<f4'") && header.contains("(4, 3)") && header.contains("False"),
        "{header}"
    );
    assert_eq!(floats_of(&bytes), [0., 4., 8., 1., 5., 9., 2., 6., 10., 3., 7., 11.]);
    let ptx = files.text("scale.ptx", KERNEL);
    let y = format!("inout:{input}");
    let args = ["run", &ptx, "--block", "12", "--arg", &y, "--arg", "f32:2", "--arg", "u32:12"];
    let (_, err) = succeeds(&args);
    assert_eq!(err.matches("note: ").count(), 1, "{err}");
    let (header, bytes) = parts(&files.path("f.npy"));
    assert!(
        header.contains("'<f4'") && header.contains("(3, 4)") && header.contains("False"),
        "{header}"
    );
    assert_eq!(floats_of(&bytes), (0..12).map(|x| 2.0 * x as f32).collect::<Vec<_>>());
}

#[test]
fn every_type_of_numpy_is_handled_or_refused_with_a_remedy() {
    let files = Files::new();
    for (descr, size) in [
        ("'|b1'", 1),
        ("'|i1'", 1),
        ("'|u1'", 1),
        ("'<i2'", 2),
        ("'>u2'", 2),
        ("'<f2'", 2),
        ("'>i4'", 4),
        ("'<u4'", 4),
        ("'<f4'", 4),
        ("'>f8'", 8),
        ("'<i8'", 8),
        ("'>u8'", 8),
        ("'<c8'", 8),
    ] {
        let input = files.npy("x.npy", descr, false, &[2, 3], &vec![1; 6 * size]);
        let output = files.path("y.npy").display().to_string();
        succeeds(&["run", "transpose/naive", "--input", &input, "--output", &output]);
        let (header, _) = parts(&files.path("y.npy"));
        assert!(header.contains(&descr.replace('>', "<")), "{descr}: {header}");
    }
    for (descr, size, remedy) in [
        ("'<c16'", 16, "a.real"),
        ("'<f16'", 16, "astype"),
        ("'|V2'", 2, "--type bf16"),
        ("'|O'", 8, "Python objects"),
        ("'<U4'", 16, "astype"),
        ("'|S3'", 3, "astype"),
        ("'<M8[ns]'", 8, "astype"),
        ("[('x', '<f4'), ('y', '<i4')]", 8, "one field"),
    ] {
        let input = files.npy("x.npy", descr, false, &[2, 3], &vec![1; 6 * size]);
        let why = refused(&["run", "transpose/naive", "--input", &input]);
        assert!(why.contains("x.npy") && why.contains(remedy), "{descr}: {why}");
    }
    // Complex numbers can be moved, but not squared as the integers of their bits.
    let input = files.npy("c.npy", "'<c8'", false, &[4], &[0; 32]);
    let why = refused(&["run", "sum-squares/one-thread", "--input", &input]);
    assert!(why.contains("complex"), "{why}");
}

#[test]
fn bf16_arrays_are_given_by_their_bits() {
    let files = Files::new();
    let bits: Vec<u8> = [0x3f80u16, 0x4000, 0x4040].iter().flat_map(|x| x.to_le_bytes()).collect();
    let input = files.npy("b.npy", "'<u2'", false, &[3], &bits);
    let (out, _) =
        succeeds(&["run", "sum-squares/one-thread", "--type", "bf16", "--input", &input]);
    assert!(out.contains(" 14 "), "{out}");
}

#[test]
fn options_that_contradict_the_array_are_refused() {
    let files = Files::new();
    let input = files.floats("a.npy", &[3, 4], &[1.0; 12]);
    let square = files.floats("s.npy", &[4, 4], &[1.0; 16]);
    for (line, words) in [
        (
            &["run", "transpose/padded", "--rows", "7", "--input", &input][..],
            "--rows 7 contradicts --input, which has 3",
        ),
        (&["run", "transpose/padded", "--cols", "5", "--input", &input], "--cols 5 contradicts"),
        (&["run", "transpose/padded", "--size", "64", "--input", &input], "--size 64 is not used"),
        (
            &["run", "transpose/padded", "--type", "i32", "--input", &input],
            "--input holds f32, not i32",
        ),
        (
            &["run", "sum-squares/chunked", "--size", "5", "--input", &input],
            "--size 5 contradicts --input, which has 12",
        ),
        (&["run", "sgemm/shared", "--a", &input, "--k", "5"], "--k 5 contradicts --a, which has 4"),
        (
            &["run", "sgemm/shared", "--a", &input, "--b", &square, "--n", "5"],
            "--n 5 contradicts --b",
        ),
        (
            &["run", "sgemm/shared", "--a", &input, "--b", &square, "--size", "8"],
            "--size 8 is not used",
        ),
        (&["run", "sgemm/shared", "--a", &square, "--b", &square, "--c", &square], "beta is 0"),
        (
            &["run", "sgemm/shared", "--a", &square, "--b", &square, "--seed", "3"],
            "--seed 3 is not used",
        ),
        (
            &["run", "vector-add/one-each", "--a", &input, "--size", "13"],
            "--size 13 contradicts --a",
        ),
        (&["check", "transpose/padded", "--rows", "7", "--input", &input], "--rows 7 contradicts"),
        (
            &["profile", "transpose/padded", "--rows", "7", "--input", &input],
            "--rows 7 contradicts",
        ),
        (&["look", "transpose/padded", "--rows", "7", "--input", &input], "--rows 7 contradicts"),
        (&["climb", "transpose", "--rows", "7", "--input", &input], "--rows 7 contradicts"),
    ] {
        let why = refused(line);
        assert!(why.contains(words) && why.contains("help: "), "{line:?}: {why}");
    }
    // Options that agree with the arrays are accepted.
    succeeds(&["run", "transpose/padded", "--rows", "3", "--cols", "4", "--input", &input]);
    succeeds(&["run", "sgemm/shared", "--a", &square, "--b", &square, "--size", "4"]);
}

#[test]
fn options_that_nothing_uses_are_refused() {
    for (line, words) in [
        (&["run", "matmul/naive", "--block", "16"][..], "--block 16 is not used by naive"),
        (
            &["run", "sum-squares/one-thread", "--block", "64"],
            "--block 64 is not used by one-thread",
        ),
        (
            &["climb", "transpose", "--rungs", "vectorized,swizzled", "--block", "8"],
            "--block 8 is not used",
        ),
        (&["look", "int-matmul/naive", "--tile", "4"], "--tile 4 is not used"),
        (
            &["climb", "transpose", "--size", "64", "--rows", "3", "--cols", "4"],
            "--size 64 is not used",
        ),
        (
            &["climb", "transpose", "--size", "64", "--device", "emulator", "--time-limit", "3"],
            "--time-limit 3 is not used",
        ),
        (
            &["sweep", "transpose", "--size", "64", "--device", "emulator", "--time-limit", "3"],
            "--time-limit 3 is not used",
        ),
        (&["climb", "--all", "--type", "u8"], "--all climbs every ladder"),
    ] {
        let why = refused(line);
        assert!(why.contains(words), "{line:?}: {why}");
    }
}

#[test]
fn a_command_that_would_run_or_look_for_nothing_is_refused() {
    for (line, words) in [
        (&["check", "sgemm/cublas", "--size", "64"][..], "cublas is skipped: "),
        (&["check", "matmul/shared", "--block", "64"], "shared is skipped: a tile of 64x64"),
        (&["profile", "matmul/shared", "--block", "64"], "shared is skipped: a tile of 64x64"),
        (&["look", "matmul/shared", "--block", "64"], "shared is skipped: a tile of 64x64"),
        (&["climb", "matmul", "--rungs", "shared", "--block", "64"], "shared is skipped"),
        (&["sweep", "matmul", "--rungs", "shared", "--block", "64"], "shared is skipped"),
        (
            &["climb", "sgemm", "--size", "64", "--rungs", "cublas", "--device", "emulator"],
            "cublas is skipped",
        ),
        (&["check", "transpose/naive", "--rungs", "padded"], "--rungs names others"),
        (&["profile", "transpose/naive", "--rungs", "padded"], "--rungs names others"),
        (
            &["check", "transpose/naive", "--only", "race", "--skip", "race"],
            "exclude every kind of error",
        ),
    ] {
        let why = refused(line);
        assert!(why.contains(words), "{line:?}: {why}");
    }
    let (_, err) =
        succeeds(&["check", "matmul", "--size", "64", "--rungs", "shared,naive", "--block", "64"]);
    assert!(err.contains("note: shared is skipped"), "{err}");
}

#[test]
fn numbers_out_of_all_reason_are_refused() {
    for (line, words) in [
        (&["profile", "transpose/padded", "--size", "64", "--sample", "0"][..], "greater than 0"),
        (&["streams", "--streams", "100000"], "the limit is 128"),
        (&["streams", "--streams", "9", "--chunks", "8"], "1 would idle"),
        (&["streams", "--streams", "0"], "greater than 0"),
        (&["streams", "--chunks", "0"], "greater than 0"),
        (&["streams", "--size", "2^22", "--chunks", "2^20"], "the limit is 65536"),
        (&["climb", "sgemm", "--size", "32", "--alpha", "1e300"], "--alpha 1e300"),
        (&["climb", "sgemm", "--size", "32", "--beta", "nan"], "--beta NaN"),
        (&["climb", "transpose", "--size", "0"], "no elements"),
        (&["climb", "transpose", "--size", "2^40"], "exceeds 2^32 - 1"),
        (&["climb", "transpose", "--block", "0"], "has 0 threads"),
        (&["climb", "sum-squares", "--block", "5000"], "1 to 1024"),
        (&["climb", "matmul", "--block", "0"], "computes nothing"),
        (&["climb", "int-matmul", "--tile", "0"], "use a tile of"),
        (&["climb", "sgemm", "--size", "32", "--lda", "8"], "--lda 8 is less"),
        (&["climb", "transpose", "--size", "2^31"], "larger than any memory"),
        (&["climb", "transpose", "--size", "2^20"], "GB free"),
        (&["climb", "matmul", "--size", "2^31"], "larger than any memory"),
        (&["climb", "sgemm", "--m", "1", "--n", "2^31", "--k", "2^31"], "larger than any memory"),
        (
            &["climb", "sgemm", "--size", "64", "--m", "2^31", "--ldc", "2^31"],
            "larger than any memory",
        ),
        (&["climb", "int-matmul", "--size", "2^20"], "GB free"),
        (&["climb", "vector-add", "--size", "2^40"], "2^31 elements"),
        (&["climb", "sum-squares", "--size", "2^40"], "exceed the limit"),
        (&["look", "transpose/padded", "--size", "64", "--block-index", "999"], "no block 999"),
        (&["look", "transpose/padded", "--size", "64", "--warp", "999"], "warp 999"),
        (&["look", "transpose/padded", "--size", "64", "--line", "1"], "line 1"),
        (&["hello", "--blocks", "0"], "1 to 32"),
    ] {
        let why = refused(line);
        assert!(why.contains(words), "{line:?}: {why}");
    }
}

#[test]
fn options_of_a_kernel_in_a_file_fit_it_or_are_refused() {
    let files = Files::new();
    let ptx = files.text("scale.ptx", KERNEL);
    let y = files.path("y.npy").display().to_string();
    let out = format!("out:{y}:f32:4");
    let good: [&str; 8] =
        ["--block", "4", "--arg", "zeros:f32:4", "--arg", "f32:2", "--arg", "u32:4"];
    succeeds(&[&["run", &ptx], &good[..]].concat());
    for (line, words) in [
        (
            &["run", "--arg", "zeros:f32:4", "--arg", "i32:2", "--arg", "u32:4"][..],
            "argument 2 of `scale`, `f`, is a .f32; i32 was given",
        ),
        (
            &["run", "--arg", "zeros:f32:4", "--arg", "f64:2", "--arg", "u32:4"],
            "is a .f32; f64 was given",
        ),
        (
            &["check", "--arg", "zeros:f32:4", "--arg", "f32:2", "--arg", "f32:4"],
            "is a .u32; f32 was given",
        ),
        (
            &["profile", "--arg", "zeros:f32:4", "--arg", "f32:2", "--arg", "u64:4"],
            "is a .u32; u64 was given",
        ),
        (
            &["run", "--arg", "zeros:f32:4", "--arg", "zeros:f32:4", "--arg", "u32:4"],
            "an array was given",
        ),
        (
            &["run", "--arg", "f32:1", "--arg", "f32:2", "--arg", "u32:4"],
            "is a .u64; f32 was given",
        ),
        (
            &["run", "--arg", "zeros:f32:4", "--arg", "f32:1e300", "--arg", "u32:4"],
            "1e300 does not fit f32",
        ),
        (
            &["run", "--arg", "zeros:f32:4", "--arg", "f32:2", "--arg", "i32:4294967295"],
            "does not fit i32",
        ),
        (&["run", "--arg", &out, "--arg", &out, "--arg", "u32:4"], "two arguments are written to"),
        (&["run", "--grid", "0"], "no dimension can be 0"),
        (&["run", "--block", "4x0"], "no dimension can be 0"),
        (&["run", "--max-instructions", "0"], "greater than 0"),
        (&["run", "--memory-limit", "0"], "greater than 0"),
        (&["run", "--time-limit", "0"], "greater than 0"),
        (&["run", "--compare", "emulator"], "does not name two devices"),
        (
            &["run", "--device", "cuda:0", "--max-instructions", "5"],
            "--max-instructions is not used on cuda:0",
        ),
        (&["run", "--device", "cuda:0", "--fidelity"], "--fidelity is not used on cuda:0"),
        (&["check", "--fidelity"], "--fidelity is not used here"),
        (&["profile", "--fidelity"], "--fidelity is not used here"),
        (&["profile", "--sample", "0"], "greater than 0"),
    ] {
        let has_arguments = line.contains(&"--arg");
        let rest = if has_arguments { &line[1..] } else { &[&line[1..], &good[2..]].concat()[..] };
        let why = refused(&[&[line[0], &ptx], rest].concat());
        assert!(why.contains(words), "{line:?}: {why}");
    }
}

#[test]
fn right_products_of_everyday_data_are_verified() {
    let files = Files::new();
    let tenths = files.floats("tenths.npy", &[64, 64], &[0.1; 4096]);
    let mut random = 1u32;
    let uniform: Vec<f32> = (0..4096)
        .map(|_| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) as f32 / (1 << 24) as f32
        })
        .collect();
    let uniform = files.floats("uniform.npy", &[64, 64], &uniform);
    for rung in ["sgemm/shared", "sgemm/uncoalesced", "matmul/naive", "matmul/kahan"] {
        for data in [&tenths, &uniform] {
            let (out, _) = succeeds(&["run", rung, "--a", data, "--b", data]);
            assert!(out.contains("verified"), "{rung}: {out}");
        }
    }
}

#[test]
fn commands_that_moved_to_another_program_are_named() {
    for command in ["book", "conform", "coverage", "experiments", "fidelity"] {
        let why = refused(&[command, "--help"]);
        let there = format!("cargo run --release -p lanework-lab-cli -- {command}\n");
        assert!(why.contains(&format!("`{command}` moved to lanework-lab")), "{why}");
        assert!(why.ends_with(&there), "{why}");
    }
}
