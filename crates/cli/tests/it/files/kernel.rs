//! Kernels from elsewhere: PTX files run and inspected as their users would.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

const SAXPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/saxpy.ptx");

fn lanework(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanework")).args(args).output().expect("the command runs")
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error of a command that must end with `code`, free of panics.
fn fails(code: i32, args: &[&str]) -> String {
    let output = lanework(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("has a bug"), "{stderr}");
    stderr
}

/// A .npy file of floats.
fn npy(values: &[f32]) -> Vec<u8> {
    let mut dictionary =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.len());
    while (10 + dictionary.len() + 1) % 64 != 0 {
        dictionary.push(' ');
    }
    dictionary.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((dictionary.len() as u16).to_le_bytes());
    file.extend(dictionary.as_bytes());
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    file
}

#[test]
fn a_ptx_file_runs_on_the_users_arrays_and_writes_them_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(place("x.npy"), npy(&[1.0, 2.0, 3.0])).expect("written");
    fs::write(place("y.npy"), npy(&[10.0, 20.0, 30.0])).expect("written");
    let (x, y) = (format!("in:{}", place("x.npy")), format!("inout:{}", place("y.npy")));
    let run = ["run", SAXPY, "--entry", "saxpy", "--grid", "1", "--block", "32", "--device"];
    let arguments = ["emulator", "--arg", "f32:2.0", "--arg", &x, "--arg", &y, "--arg", "u32:3"];
    let text = stdout(&lanework(&[&run[..], &arguments].concat()));
    assert!(text.contains("saxpy ran on Lanework emulator"), "{text}");
    assert_eq!(fs::read(place("y.npy")).expect("a file"), npy(&[12.0, 24.0, 36.0]));
    assert_eq!(fs::read(place("x.npy")).expect("a file"), npy(&[1.0, 2.0, 3.0]));
}

#[test]
fn arguments_are_positional_or_named_and_take_the_types_of_the_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(place("x.npy"), npy(&[1.0, 2.0, 3.0])).expect("written");
    let source = "__global__ void scale(float factor, const float* in, float* out, int n) {\n\
        int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = factor * in[i];\n}\n";
    fs::write(place("scale.cu"), source).expect("written");
    let (file, x, y) = (place("scale.cu"), place("x.npy"), format!("out={}", place("y.npy")));
    let run = [
        "run",
        &file,
        "--compiler",
        "own",
        "--device",
        "emulator",
        "--grid",
        "auto",
        "--block",
        "2",
    ];
    for arguments in [&["2.5", &x, "zeros:3", "3"][..], &["n=3", "2.5", "out=uninit:3", &x]] {
        let output = lanework(&[&run[..], arguments, &["-o", &y]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stdout(&output).contains("ran on"), "{said}");
        assert!(said.contains("--grid 2: a block covers 2 of the 3 elements of in"), "{said}");
        assert_eq!(fs::read(place("y.npy")).expect("a file"), npy(&[2.5, 5.0, 7.5]));
    }
    let stderr = fails(2, &[&run[..], &["2.5", &x]].concat());
    let signature = "kernel: scale(float factor, const float *in, float *out, int n)";
    assert!(stderr.contains(signature) && stderr.contains("missing: out, n"), "{stderr}");
    // The command line that the message suggests works.
    let line =
        stderr.lines().find_map(|line| line.split_once("help: lanework ")).expect("a line").1;
    let words: Vec<&str> = line.split(' ').collect();
    assert!(stdout(&lanework(&words)).contains("ran on"), "{line}");
    let beyond = ["run", &file, "--compiler", "own", "--device", "emulator", "--block", "4"];
    let fault = fails(1, &[&beyond[..], &["2.5", &x, "zeros:3", "4"]].concat());
    assert!(fault.contains("at in+12, `in`") || fault.contains("at out+12, `out`"), "{fault}");
}

#[test]
fn compiled_files_are_cached_by_their_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let run = |text: &str| {
        fs::write(place("beside.cuh"), format!("#define VALUE {text}\n")).expect("written");
        let source = "#include \"beside.cuh\"\n__global__ void k(int* out) { *out = VALUE; }\n";
        fs::write(place("k.cu"), source).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_lanework"))
            .args(["run", &place("k.cu"), "--compiler", "own", "--device", "emulator"])
            .args(["uninit:1", "-o", &format!("out={}", place("out.npy"))])
            .env("LANEWORK_CACHE_DIR", place("cache"))
            .output()
            .expect("the command runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let bytes = fs::read(place("out.npy")).expect("a file");
        (said.contains("the PTX is from the cache"), bytes[bytes.len() - 4])
    };
    assert_eq!(run("7"), (false, 7));
    assert_eq!(run("7"), (true, 7));
    assert_eq!(run("8"), (false, 8));
    assert_eq!(run("7"), (true, 7));
}

#[test]
fn a_wrong_library_of_nvrtc_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.cu");
    fs::write(&file, "__global__ void k() {}\n").expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_lanework"))
        .args(["run", file.to_str().expect("UTF-8"), "--device", "emulator"])
        .env("LANEWORK_NVRTC", folder.path().join("libnvrtc.so.13"))
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("LANEWORK_NVRTC names"), "{said}");
}

#[test]
fn a_fault_names_the_argument_and_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("z.npy");
    let output_argument = format!("out:{}:f32:99", output.to_str().expect("UTF-8"));
    let stderr = fails(
        1,
        &[
            "run",
            SAXPY,
            "--grid",
            "4",
            "--block",
            "32",
            "--device",
            "emulator",
            "--arg",
            "f32:1",
            "--arg",
            "rand:f32:100",
            "--arg",
            &output_argument,
            "--arg",
            "u32:100",
        ],
    );
    assert!(stderr.contains("at y+396, `y` is 396 bytes"), "{stderr}");
    assert!(stderr.contains("out-of-bounds"), "{stderr}");
    assert!(!output.exists());
}

#[test]
fn an_empty_array_has_no_byte_to_read_or_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    fs::write(place("none.npy"), npy(&[])).expect("written");
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry";
    let declared = ".reg .b64 %rd1; .reg .b32 %r1; ld.param.u64 %rd1, [x];";
    for (name, access) in [
        ("read.ptx", "ld.global.u8 %r1, [%rd1];"),
        ("written.ptx", "mov.b32 %r1, 1; st.global.u8 [%rd1], %r1;"),
    ] {
        let text = format!("{head} k(.param .u64 x) {{ {declared} {access} ret; }}\n");
        fs::write(place(name), text).expect("written");
        let (file, array) = (place(name), format!("inout:{}", place("none.npy")));
        for command in [&["run", &file, "--device", "emulator"][..], &["check", &file]] {
            let args = [command, &["--block", "1", "--arg", &array]].concat();
            let output = lanework(&args);
            let said = format!("{output:?}");
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains("is 0 bytes") || said.contains("out-of-bounds"), "{said}");
        }
    }
    let text = format!("{head} k(.param .u64 x) {{ ret; }}\n");
    fs::write(place("idle.ptx"), text).expect("written");
    let array = format!("inout:{}", place("none.npy"));
    stdout(&lanework(&["run", &place("idle.ptx"), "--device", "emulator", "--arg", &array]));
    assert_eq!(fs::read(place("none.npy")).expect("a file"), npy(&[]));
}

#[test]
fn bad_input_gives_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("broken.ptx");
    fs::write(&broken, ".version 8.0\n.target sm_80\n.entry k { add.s32 %r1 %r2, 3; }\n")
        .expect("written");
    let broken = broken.to_str().expect("UTF-8");
    let twice = folder.path().join("twice.ptx");
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    fs::write(&twice, format!("{head}.entry k() {{ bra l; }}\n.entry k() {{ ret; }}\n"))
        .expect("written");
    let twice = twice.to_str().expect("UTF-8");
    let archive = folder.path().join("a.npz");
    fs::write(&archive, b"PK\x03\x04").expect("written");
    let archive = archive.to_str().expect("UTF-8");
    for (args, words) in [
        (&["run", "no-such.ptx"][..], "cannot be read"),
        (&["run", "no-such.cu"], "cannot be read"),
        (&["run", broken, "--device", "emulator"], "broken.ptx:3:24"),
        (&["inspect", broken], "expected"),
        (&["run", twice, "--device", "emulator"], "`k` is declared twice"),
        (&["run", twice, "--device", "emulator"], "no label `l`"),
        (&["run", SAXPY, "--entry", "k", "--device", "emulator"], "available: saxpy"),
        (
            &["run", SAXPY, "--arg", "f32:1", "--device", "emulator"],
            "arguments given: 1, needed: 4",
        ),
        (&["run", SAXPY, "--device", "emulator"], "missing: a, x, y, n"),
        (&["run", SAXPY, "--arg", "f31:1"], "TYPE:VALUE"),
        (&["run", SAXPY, "--grid", "0x"], "whole numbers"),
        (&["run", SAXPY, "--shared", "48kB"], "give a number of bytes, such as 49152"),
        (&["run", SAXPY, "--arg", "in:"], "a file is missing after `in:`"),
        (
            &["run", SAXPY, "1", &format!("x=in:{archive}"), "zeros:f32:1", "1"],
            "np.save('a.npy', a)",
        ),
        (&["check", "./a.out"], "`./a.out` is neither a .ptx or .cu file nor a ladder"),
        (&["profile", "/dev/null"], "lanework exec --check -- PROGRAM"),
        (&["run", "a.out"], "neither"),
        (&["look", "./transpose/padded"], "neither"),
        (&["bench", "x.cubin"], "neither"),
        (&["check", archive], "neither"),
        (&["check", "transpos"], "did you mean transpose?"),
    ] {
        let stderr = fails(2, args);
        assert!(stderr.contains(words), "{args:?}: no `{words}` in\n{stderr}");
    }
}

#[test]
fn an_entry_is_found_by_its_name_in_cpp() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mangled.ptx");
    let entries = ["_Z4waitPf", "_Z3addILi4EEvi", "_Z3addILi8EEvi"]
        .map(|name| format!(".visible .entry {name}() {{ ret; }}\n"));
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    fs::write(&file, format!("{head}{}", entries.concat())).expect("written");
    let file = file.to_str().expect("UTF-8");
    let run = ["run", file, "--device", "emulator", "--entry"];
    let text = stdout(&lanework(&[&run[..], &["wait"]].concat()));
    assert!(text.starts_with("wait ran"), "{text}");
    let unclear = fails(2, &[&run[..], &["add"]].concat());
    assert!(unclear.contains("several entries are called `add`"), "{unclear}");
    assert!(unclear.contains("add<4> (_Z3addILi4EEvi), add<8> (_Z3addILi8EEvi)"), "{unclear}");
    let one = [&run[..], &["add<8>"]].concat();
    assert!(stdout(&lanework(&one)).starts_with("add<8> ran"));
}

#[test]
fn a_struct_is_given_by_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    // struct { float a; unsigned n; const float* x; } p: y[0] = p.a + p.x[p.n]
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .align 8 .b8 p[16], .param .u64 y)\n{\n\
        .reg .f32 %f<4>; .reg .b32 %r<2>; .reg .b64 %rd<6>;\n\
        ld.param.f32 %f1, [p]; ld.param.u32 %r1, [p+4]; ld.param.u64 %rd1, [p+8]; ld.param.u64 %rd2, [y];\n\
        mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;\n\
        ld.global.f32 %f2, [%rd4]; add.f32 %f3, %f1, %f2; st.global.f32 [%rd2], %f3; ret;\n}\n";
    fs::write(place("k.ptx"), text).expect("written");
    fs::write(place("x.npy"), npy(&[1.0, 2.0, 30.0])).expect("written");
    let (file, out) = (place("k.ptx"), format!("out:{}:f32:1", place("y.npy")));
    let part = format!("struct:f32:0.5,u32:2,in:{}", place("x.npy"));
    let run = ["run", &file, "--device", "emulator", "--arg"];
    stdout(&lanework(&[&run[..], &[&part, "--arg", &out]].concat()));
    assert_eq!(fs::read(place("y.npy")).expect("written"), npy(&[30.5]));
    let checked =
        lanework(&["check", &file, "--grid", "1", "--arg", &part, "--arg", "zeros:f32:1"]);
    assert!(stdout(&checked).contains("nothing to report"));
    for (given, words) in [
        ("f32:1", "is a struct of 16 bytes; f32 was given"),
        ("struct:f32:1,u32:2", "a struct of 8 bytes was given"),
        ("struct:f32:1,u32", "give TYPE:VALUE"),
    ] {
        let stderr = fails(2, &[&run[..], &[given, "--arg", &out]].concat());
        assert!(stderr.contains(words), "{given}: {stderr}");
    }
}

#[test]
fn a_kernel_that_never_ends_is_stopped_at_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let endless = folder.path().join("endless.ptx");
    fs::write(
        &endless,
        ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { l: bra l; }\n",
    )
    .expect("written");
    let endless = endless.to_str().expect("UTF-8");
    // Only the emulator has this limit, so the option alone selects the emulator.
    for device in [&["--device", "emulator"][..], &[]] {
        let args = [&["run", endless, "--max-instructions", "100000"], device].concat();
        let stderr = fails(1, &args);
        assert!(stderr.contains("100000"), "{stderr}");
    }
}

#[test]
fn inspect_tells_entries_parameters_and_instructions() {
    let output = stdout(&lanework(&["inspect", SAXPY, "--json"]));
    let found: Value = serde_json::from_str(&output).expect("JSON");
    let entry = &found["entries"][0];
    assert_eq!(entry["name"], "saxpy");
    assert_eq!(entry["parameters"].as_array().map(Vec::len), Some(4));
    assert_eq!(entry["instructions"]["fma"], 1);
    assert_eq!(entry["registers"]["f32"], 5);
    assert!(
        entry["registers_per_thread"].as_u64().is_some_and(|n| (5..20).contains(&n)),
        "{entry}"
    );
    assert_eq!(entry["local_bytes"], 0);
    assert_eq!(found["emulator"], Value::Null);
    assert!(stdout(&lanework(&["inspect", SAXPY])).contains("the emulator runs all of it"));
}

#[test]
fn two_devices_are_compared() {
    let output = lanework(&[
        "run",
        SAXPY,
        "--grid",
        "4",
        "--block",
        "32",
        "--compare",
        "emulator,emulator",
        "--arg",
        "f32:1",
        "--arg",
        "rand:f32:100",
        "--arg",
        "rand:f32:100:2",
        "--arg",
        "u32:100",
    ]);
    assert!(stdout(&output).contains("bit for bit the same"));
}

/// Writes the rank of each block of a cluster, plus one, to its tile of 4 x 8 floats.
const TILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tiles.ptx");

#[test]
fn tensor_maps_and_clusters_are_given_by_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("z.npy").to_str().expect("UTF-8").to_owned();
    let output = format!("out:{place}:f32:6x8");
    let run =
        ["run", TILES, "--grid", "2", "--block", "32", "--cluster", "2", "--device", "emulator"];
    let map = ["--arg", "tensormap:4x8:zeros:f32:6x8", "--arg", &output];
    let text = stdout(&lanework(&[&run[..], &map, &["--arg", "tensormap:4x8:arg:2"]].concat()));
    assert!(text.contains("written to"), "{text}");
    let bytes = fs::read(&place).expect("a file");
    let values: Vec<f32> = bytes[bytes.len() - 192..]
        .chunks(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect();
    assert_eq!((values[0], values[31]), (1.0, 1.0), "the tile of rank 0");
    assert_eq!((values[32], values[47]), (2.0, 2.0), "the rows of rank 1 that are inside");
    let said = fails(2, &[&run[..], &map, &["--arg", "tensormap:4x8:arg:3"]].concat());
    assert!(said.contains("argument 3 is not memory"), "{said}");
    let said = fails(2, &[&run[..], &map, &["--arg", "tensormap:4x3:arg:2"]].concat());
    assert!(said.contains("12 bytes, not a multiple of 16"), "{said}");
}

#[test]
fn several_files_are_linked() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let user = "\n.extern .func (.param .b32 r) scaled (.param .b32 a)
        .extern .global .u32 offset;
        .func (.param .b32 r) twice (.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, x;
            st.param.b32 [r], x; ret; }
        .visible .entry k(.param .u64 out) { .reg .b64 p; .reg .b32 x, y; .param .b32 a, b;
            ld.param.u64 p, [out]; st.param.b32 [a], 5; call (b), scaled, (a); ld.param.b32 x, [b];
            call (b), twice, (a); ld.param.b32 y, [b]; add.u32 x, x, y;
            ld.global.u32 y, [offset]; add.u32 x, x, y; st.global.u32 [p], x; ret; }";
    let library = "\n.visible .global .u32 offset = 7;
        .func (.param .b32 r) twice (.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; mul.lo.u32 x, x, 100;
            st.param.b32 [r], x; ret; }
        .visible .func (.param .b32 r) scaled (.param .b32 a) { .param .b32 p, q; .reg .b32 x;
            ld.param.b32 x, [a]; st.param.b32 [p], x; call (q), twice, (p); ld.param.b32 x, [q];
            st.param.b32 [r], x; ret; }";
    fs::write(place("main.ptx"), format!("{head}{user}")).expect("written");
    fs::write(place("library.ptx"), format!("{head}{library}")).expect("written");
    let (main, library_file) = (place("main.ptx"), place("library.ptx"));
    let out = format!("out:{}:u32:1", place("z.npy"));
    for files in [[&main, &library_file], [&library_file, &main]] {
        stdout(&lanework(&["run", files[0], files[1], "--device", "emulator", "--arg", &out]));
        let file = fs::read(place("z.npy")).expect("a file");
        assert_eq!(file[file.len() - 4..], 517u32.to_le_bytes());
    }
    let alone = fails(2, &["run", &main, "--device", "emulator", "--arg", "zeros:u32:1"]);
    assert!(alone.contains("`scaled`"), "{alone}");
    let twice = fails(2, &["run", &main, &main, "--device", "emulator", "--arg", "zeros:u32:1"]);
    assert!(twice.contains("`k` is defined in") && twice.contains("main.ptx"), "{twice}");
    fs::write(place("bad.ptx"), format!("{head}.entry j() {{ mov.b32 1 2; }}")).expect("written");
    let bad = fails(2, &["run", &main, &place("bad.ptx"), "--device", "emulator"]);
    assert!(bad.contains("bad.ptx") && bad.contains("expected `;`"), "{bad}");
}

#[test]
fn a_fault_in_linked_code_names_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let user = ".extern .func f (.param .b64 p)\n.visible .entry k(.param .u64 out) { .reg .b64 p;
        .param .b64 a; ld.param.u64 p, [out]; st.param.b64 [a], p; call f, (a); ret; }";
    let library = ".visible .func f (.param .b64 p) { .reg .b64 q; ld.param.u64 q, [p];\n\n
        st.global.u32 [q+400], 1;\nret; }";
    fs::write(place("main.ptx"), format!("{head}{user}")).expect("written");
    fs::write(place("library.ptx"), format!("{head}{library}")).expect("written");
    let (main, library) = (place("main.ptx"), place("library.ptx"));
    let said = fails(1, &["run", &main, &library, "--device", "emulator", "--arg", "zeros:u32:1"]);
    assert!(said.contains(&format!("{library}:7")), "{said}");
}

#[test]
fn arrays_beyond_the_memory_limit_are_refused_before_they_are_made() {
    // 512 GiB: making the array would end the process.
    let huge =
        ["run", SAXPY, "--entry", "saxpy", "--arg", "f32:1", "--arg", "uninit:f64:68719476736"];
    for limit in [&["--device", "emulator"][..], &["--memory-limit", "1000000"][..]] {
        let rest = ["--arg", "zeros:f32:4", "--arg", "u32:4"];
        let said = fails(2, &[&huge[..], &rest, limit].concat());
        assert!(said.contains("549,755,813,888 bytes"), "{said}");
        assert!(said.contains("--memory-limit"), "{said}");
    }
}

#[test]
fn arrays_of_other_elements_than_the_kernels_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("last.cu");
    let source = "__global__ void last(float *x, int n) { x[n] = 1.0f; }\n\
        extern \"C\" __global__ void plain(float *x, int n) { x[n] = 1.0f; }\n";
    fs::write(&file, source).expect("written");
    let file = file.to_str().expect("UTF-8");
    for entry in ["last", "plain"] {
        let line = |array| {
            let before = ["check", file, "--compiler", "own", "--entry", entry];
            [&before[..], &["--grid", "1", "--block", "1", array, "100"]].concat()
        };
        let refused = fails(2, &line("zeros:f64:100"));
        assert!(refused.contains("is memory of f32; the array has elements of f64"), "{refused}");
        let refused = fails(2, &line("zeros:u32:100"));
        assert!(refused.contains("is memory of f32; the array has elements of u32"), "{refused}");
        // With elements of the kernel's type, or bytes, the access past the end is found.
        for array in ["zeros:100", "zeros:f32:100", "zeros:u8:400"] {
            fails(1, &line(array));
        }
    }
}

#[test]
fn a_kernel_that_faults_has_no_predicted_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("beyond.cu");
    let source =
        "__global__ void beyond(float *x) { extern __shared__ float s[]; s[threadIdx.x] = x[0]; }";
    fs::write(&file, source).expect("written");
    let file = file.to_str().expect("UTF-8");
    let before = ["predict", file, "--compiler", "own", "--grid", "8", "--block", "32"];
    let refused = fails(1, &[&before[..], &["--shared", "0", "zeros:1"]].concat());
    assert!(refused.contains("out-of-bounds shared write"), "{refused}");
    let output = lanework(&[&before[..], &["--shared", "128", "zeros:1"]].concat());
    assert!(output.status.success());
    // A forgotten --shared is asked for, with the bytes of a word for each thread.
    for shape in [&["--grid", "8", "--block", "32"][..], &["--block", "32"]] {
        for command in ["check", "run", "predict"] {
            let line = [&[command, file, "--compiler", "own"][..], shape, &["zeros:64"]].concat();
            let refused = fails(2, &line);
            assert!(refused.contains("--shared is not given"), "{refused}");
            assert!(refused.contains("--shared 128"), "{refused}");
        }
    }
}

#[test]
fn a_comparison_takes_a_macro_for_each_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sums.cu");
    let source = "__global__ void sums(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; \
                  float s = x[i]; for (int k = 0; k < STEPS; k++) s = s * s + 1; x[i] = s; }";
    fs::write(&file, source).expect("written");
    let file = file.to_str().expect("UTF-8");
    let shape = ["--grid", "64", "--block", "256", "zeros:16384", "--compiler", "own"];
    let compared = |command: &str, option: &str, macros: &[&str]| {
        lanework(&[&[command, file, option, file][..], macros, &shape].concat())
    };
    for (command, option) in [("predict", "--compare"), ("profile", "--against")] {
        let output = compared(command, option, &["-D", "STEPS=1", "-D", "STEPS=2000"]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("-D STEPS=1 for the first file and --define-b STEPS=2000"), "{text}");
        let output = compared(command, option, &["-D", "STEPS=1", "--define-b", "STEPS=2000"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        let differs = text.contains("is ") && text.contains("x faster") || text.contains("x fewer");
        assert!(differs, "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_source_that_nvrtc_refuses_is_compiled_by_laneworks_compiler() {
    let folder = tempfile::tempdir().expect("a folder");
    let (library, code) = (folder.path().join("libnvrtc.so"), folder.path().join("nvrtc.c"));
    // A library with NVRTC's functions that finds no header.
    let of_nvrtc = r#"
        #include <string.h>
        static const char log[] = "k.cu(1): catastrophic error: cannot open source file \"stdint.h\"\n";
        int nvrtcCreateProgram(void **p, const char *s, const char *n, int c, const char **h, const char **i) { *p = (void *)1; return 0; }
        int nvrtcCompileProgram(void *p, int n, const char **o) { return 6; }
        int nvrtcGetPTXSize(void *p, size_t *n) { return 1; }
        int nvrtcGetPTX(void *p, char *t) { return 1; }
        int nvrtcGetProgramLogSize(void *p, size_t *n) { *n = sizeof log; return 0; }
        int nvrtcGetProgramLog(void *p, char *t) { memcpy(t, log, sizeof log); return 0; }
        int nvrtcDestroyProgram(void **p) { return 0; }
        const char *nvrtcGetErrorString(int e) { return "NVRTC_ERROR_COMPILATION"; }
        int nvrtcVersion(int *a, int *b) { *a = 13; *b = 0; return 0; }
    "#;
    fs::write(&code, of_nvrtc).expect("written");
    let mut compiler = Command::new("cc");
    let built = compiler.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(&code).status();
    assert!(built.is_ok_and(|status| status.success()), "cc, which links Rust programs");
    let file = folder.path().join("k.cu");
    let of = |source: &str, options: &[&str]| {
        fs::write(&file, source).expect("written");
        Command::new(env!("CARGO_BIN_EXE_lanework"))
            .arg("check")
            .arg(&file)
            .args(options)
            .args(["--block", "64", "zeros:64"])
            .env("LANEWORK_NVRTC", &library)
            .env("PATH", "")
            .output()
            .expect("the command runs")
    };
    let sound = "#include <stdint.h>\n__global__ void k(uint32_t *x) { x[threadIdx.x] = 1; }\n";
    let output = of(sound, &[]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("NVRTC did not compile") && text.contains("stdint.h"), "{text}");
    // The choice of NVRTC is kept, and a source that both refuse has NVRTC's errors.
    for (source, options) in
        [(sound, &["--compiler", "nvrtc"][..]), ("__global__ void k(x) {}", &[])]
    {
        let output = of(source, options);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("NVRTC did not compile") && text.contains("cannot open"), "{text}");
    }
}
