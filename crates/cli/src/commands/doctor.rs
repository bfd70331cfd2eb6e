//! `lanework doctor`: the parts of this installation, a test of each, and the commands that add the missing ones.

use crate::args::DoctorArgs;
use crate::program::driver;
use lanework::Device;
use lanework::time::sass::tools::{find, lister};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json};
use lanework_terminal::progress::Progress;
use lanework_terminal::table::{Column, Table, listed, shown};
use lanework_terminal::words;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A kernel that every compiler accepts.
const KERNEL: &str = "extern \"C\" __global__ void square(float *x, int n) {\n    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) x[i] = x[i] * x[i];\n}\n";

/// Time limit of a test.
const LONGEST: Duration = Duration::from_secs(60);

/// The result of a test.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum PartState {
    Works,
    Missing,
    Broken,
}

impl PartState {
    fn name(self) -> &'static str {
        match self {
            PartState::Works => "works",
            PartState::Missing => "missing",
            PartState::Broken => "BROKEN",
        }
    }
}

/// A command that adds, repairs or uses a part, and its effect.
#[derive(Serialize)]
struct Next {
    command: String,
    effect: &'static str,
}

impl Next {
    fn new(command: impl Into<String>, effect: &'static str) -> Next {
        Next { command: command.into(), effect }
    }
}

/// A part of the installation.
#[derive(Serialize)]
struct TestedPart {
    name: &'static str,
    state: PartState,
    /// The version, the place, or the reason.
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

/// The end of a process.
struct Tested {
    worked: bool,
    output: String,
    errors: String,
}

/// Tests every part and prints the table.
///
/// # Errors
/// [`Failure::Check`] if a part that is installed does not work.
pub fn run(args: &DoctorArgs) -> Outcome {
    let folder = tempfile::Builder::new().prefix("lanework").tempdir()?;
    let kernel = folder.path().join("square.cu");
    std::fs::write(&kernel, KERNEL)?;
    let parts = {
        let progress = Progress::new("testing");
        let test = |name: &'static str, part: &dyn Fn() -> Result<TestedPart, Failure>| {
            progress.say(name);
            part()
        };
        vec![
            test("command", &|| Ok(command()))?,
            test("emulator", &|| emulator(&kernel))?,
            test("NVRTC", &|| compiler("NVRTC", "nvrtc", &kernel))?,
            test("nvcc", &|| compiler("nvcc", "nvcc", &kernel))?,
            test("clang", &|| compiler("clang", "clang", &kernel))?,
            test("ptxas", &|| Ok(assembler("ptxas")))?,
            test("nvdisasm", &|| Ok(assembler("nvdisasm")))?,
            test("driver", &|| libraries(folder.path()))?,
            test("GPU", &|| gpu())?,
            test("Python", &|| Ok(python()))?,
        ]
    };
    if args.json {
        print_json(&parts)?;
    } else {
        print(&text(&parts))?;
    }
    let broken: Vec<&str> =
        parts.iter().filter(|part| part.state == PartState::Broken).map(|part| part.name).collect();
    match broken.is_empty() {
        true => Ok(()),
        false => Err(Failure::Check(format!("installed, but not working: {}", broken.join(", ")))),
    }
}

fn text(parts: &[TestedPart]) -> String {
    let mut table = Table::new([
        Column::name("component"),
        Column::text("state"),
        Column::text("detail").rank(0),
    ]);
    for part in parts {
        table.row([
            words::term(part.name).into_owned(),
            words::term(part.state.name()).into_owned(),
            words::say(&part.detail).into_owned(),
        ]);
    }
    let mut text = shown(&table);
    // The first command for ptxas installs nvdisasm, too.
    let no_ptxas = parts.iter().any(|part| part.name == "ptxas" && part.next.is_some());
    let shown_of = |part: &&TestedPart| !(no_ptxas && part.name == "nvdisasm");
    for Next { command, effect } in
        parts.iter().filter(shown_of).filter_map(|part| part.next.as_ref())
    {
        text.push_str(&format!("\n  {command}\n{}", listed("      ", effect)));
    }
    text
}

fn command() -> TestedPart {
    let missing: Vec<&str> = [
        ("history", cfg!(feature = "history")),
        ("host", cfg!(all(unix, feature = "host"))),
        ("judge", cfg!(feature = "judge")),
        ("mcp", cfg!(feature = "mcp")),
        ("report", cfg!(feature = "report")),
    ]
    .into_iter()
    .filter_map(|(feature, built)| (!built).then_some(feature))
    .collect();
    let place =
        std::env::current_exe().map_or_else(|_| "-".to_owned(), |path| path.display().to_string());
    let version = env!("CARGO_PKG_VERSION");
    TestedPart {
        name: "command",
        state: PartState::Works,
        detail: match missing.is_empty() {
            true => format!("version {version}, {place}"),
            false => format!("version {version}, {place}, without {}", missing.join(", ")),
        },
        next: (!missing.is_empty()).then(|| {
            Next::new(
                "cargo build --release -p lanework-cli",
                "builds the command with all its features",
            )
        }),
    }
}

/// Checks a kernel that Lanework's own compiler compiles.
fn emulator(kernel: &Path) -> Result<TestedPart, Failure> {
    let tested = compiled_by("own", kernel)?;
    Ok(match tested.worked {
        true => TestedPart {
            name: "emulator",
            state: PartState::Works,
            detail: "compiled and checked a kernel of 1,024 threads".to_owned(),
            next: None,
        },
        false => broken("emulator", &tested, None),
    })
}

/// Compiles a kernel by one of the compilers of other vendors.
fn compiler(name: &'static str, choice: &str, kernel: &Path) -> Result<TestedPart, Failure> {
    let tested = compiled_by(choice, kernel)?;
    if tested.worked {
        let detail = match on_path(choice) {
            Some(place) => format!("compiled a kernel, {}", place.display()),
            None => "compiled a kernel".to_owned(),
        };
        return Ok(TestedPart { name, state: PartState::Works, detail, next: None });
    }
    let named = (choice == "nvrtc").then(|| std::env::var_os("LANEWORK_NVRTC")).flatten();
    let next = (choice == "nvrtc").then(|| {
        Next::new("pip install nvidia-cuda-nvrtc", "adds NVIDIA's compiler for .cu files")
    });
    let absent = tested.errors.contains("is CUDA C++, and there is no")
        || tested.errors.contains("clang finds no CUDA toolkit");
    Ok(match absent && named.is_none() {
        true => TestedPart {
            name,
            state: PartState::Missing,
            detail: "not found; Lanework's own compiler is used instead".to_owned(),
            next,
        },
        false => broken(name, &tested, next),
    })
}

/// Finds one of the two tools whose machine code `predict` reads, where `predict` finds it.
fn assembler(name: &'static str) -> TestedPart {
    let place = match name {
        "nvdisasm" => find("ptxas").map_or_else(|| find(name), |ptxas| lister(&ptxas)),
        _ => find(name),
    };
    let Some(place) = place else {
        return TestedPart {
            name,
            state: PartState::Missing,
            detail: "`lanework predict` uses its own model of ptxas".to_owned(),
            next: Some(match name {
                "ptxas" => Next::new(
                    "pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm",
                    "adds ptxas and nvdisasm, which make predicted times more exact",
                ),
                _ => Next::new(
                    "pip install nvidia-cuda-nvdisasm",
                    "adds nvdisasm: `lanework predict` needs it next to ptxas",
                ),
            }),
        };
    };
    let tested = finished(Command::new(&place).arg("--version"));
    match tested.worked {
        true => TestedPart {
            name,
            state: PartState::Works,
            detail: place.display().to_string(),
            next: None,
        },
        false => broken(name, &tested, None),
    }
}

/// Runs a kernel through the library that CUDA programs load in place of NVIDIA's driver. The process also loads the
/// stand-ins for NVIDIA's other libraries.
fn libraries(folder: &Path) -> Result<TestedPart, Failure> {
    let name = "driver";
    let Some(place) = driver::folder() else {
        return Ok(TestedPart {
            name,
            state: PartState::Missing,
            detail: "compiled CUDA programs cannot run: the libraries that they load are not next to this command; `lanework run program.cu` needs none".to_owned(),
            next: Some(
                Next::new("LANEWORK_DRIVER=CHECKOUT/target/release lanework doctor", "uses the libraries that `cargo build --release` builds in a checkout"),
            ),
        });
    };
    let links = folder.join("links");
    std::fs::create_dir(&links)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["hello", "--device", "cuda:0", "--blocks", "1", "--threads", "2x1"]);
    command.envs(driver::environment(&links, None, None)?);
    let tested = finished(&mut command);
    // The loader names each library that it cannot load, and starts the program without it.
    let lacks = tested.errors.contains("cannot be preloaded");
    let ran = tested.output.matches("Hello World from Thread").count() == 2;
    Ok(match tested.worked && ran && !lacks {
        true => TestedPart {
            name,
            state: PartState::Works,
            detail: format!(
                "ran a kernel, with {} libraries of {}",
                driver::installed(&place),
                place.display()
            ),
            next: Some(Next::new(
                "lanework exec --check -- ./program",
                "checks every kernel of a CUDA program",
            )),
        },
        false => broken(name, &tested, None),
    })
}

/// Runs a kernel on the GPU.
fn gpu() -> Result<TestedPart, Failure> {
    let name = "GPU";
    let found = match Device::gpus() {
        Ok(found) => found,
        Err(error) => {
            let detail = error.to_string();
            return Ok(TestedPart { name, state: PartState::Missing, detail, next: None });
        }
    };
    let Some(first) = found.first() else {
        let detail = "the driver finds no GPU".to_owned();
        return Ok(TestedPart { name, state: PartState::Missing, detail, next: None });
    };
    let mut command = Command::new(std::env::current_exe()?);
    let tested = finished(command.args([
        "hello",
        "--device",
        &first.id,
        "--blocks",
        "1",
        "--threads",
        "2x1",
    ]));
    Ok(match tested.worked {
        true => TestedPart {
            name,
            state: PartState::Works,
            detail: format!("ran a kernel on {}, one of {}", first.name, found.len()),
            next: Some(Next::new(
                format!("lanework climb transpose --device {}", first.id),
                "measures the ladder on the GPU",
            )),
        },
        false => broken(name, &tested, None),
    })
}

/// Imports the Python package: by the Python that started this command, if one did.
fn python() -> TestedPart {
    let name = "Python";
    let starter = std::env::var_os("LANEWORK_PYTHON").filter(|python| !python.is_empty());
    let mut command = Command::new(starter.unwrap_or_else(|| "python3".into()));
    let tested = finished(command.args(["-c", "import lanework; print(lanework.__file__)"]));
    if tested.worked {
        return TestedPart {
            name,
            state: PartState::Works,
            detail: tested.output.trim().to_owned(),
            next: None,
        };
    }
    let next = Some(Next::new(
        "scripts/python.sh",
        "in a checkout, builds the Python package with the command and the driver",
    ));
    match tested.errors.contains("No module named 'lanework'") || tested.errors.is_empty() {
        true => TestedPart {
            name,
            state: PartState::Missing,
            detail: "the package is not installed".to_owned(),
            next,
        },
        false => broken(name, &tested, next),
    }
}

fn broken(name: &'static str, tested: &Tested, next: Option<Next>) -> TestedPart {
    TestedPart { name, state: PartState::Broken, detail: reason(tested), next }
}

/// The first error of a test, in one line.
fn reason(tested: &Tested) -> String {
    let lines = || tested.errors.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().find_map(|line| line.strip_prefix("error: "));
    error.or_else(|| lines().next_back()).unwrap_or("it ended without a message").to_owned()
}

/// The file of a program on the `PATH`, or in the toolkit that `CUDA_HOME` names.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let toolkit = std::env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(toolkit).collect();
    folders.into_iter().map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Checks the kernel with this command, in English, after one of the compilers has compiled it.
fn compiled_by(compiler: &str, kernel: &Path) -> Result<Tested, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("check").arg(kernel).args([
        "--compiler",
        compiler,
        "--grid",
        "4",
        "--block",
        "256",
    ]);
    command.args(["--arg", "rand:f32:1000", "--arg", "i32:1000"]);
    Ok(finished(command.env("LANEWORK_LANG", "en").env("COLUMNS", "1000")))
}

/// Runs a process until it ends or reaches the time limit.
fn finished(command: &mut Command) -> Tested {
    let failed = |errors: String| Tested { worked: false, output: String::new(), errors };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return failed(String::new()),
        Err(error) => return failed(error.to_string()),
    };
    let started = Instant::now();
    // The tests print less than a pipe holds.
    while matches!(child.try_wait(), Ok(None)) {
        if started.elapsed() > LONGEST {
            let _ = (child.kill(), child.wait());
            return failed(format!("no answer after {} seconds", LONGEST.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    match child.wait_with_output() {
        Ok(ended) => Tested {
            worked: ended.status.success(),
            output: String::from_utf8_lossy(&ended.stdout).into_owned(),
            errors: String::from_utf8_lossy(&ended.stderr).into_owned(),
        },
        Err(error) => failed(error.to_string()),
    }
}
