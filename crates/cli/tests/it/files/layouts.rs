//! The derived grid of kernels with random layouts: tiles of several shapes, blocks of one or two axes, with and without guards.
//! It must be the right one, or the command must ask; a wrong grid would give false errors and false predictions.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

/// Numbers that look random, the same in every run.
struct CaseNumbers(u64);

impl CaseNumbers {
    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        choices[(self.0 >> 33) as usize % choices.len()]
    }
}

/// A kernel that each block runs on one tile.
struct TiledKernel {
    source: String,
    block: String,
    arguments: String,
    grid: [u32; 2],
    /// Whether the tiles fill the array, or the kernel guards them.
    is_defined: bool,
}

fn layout(random: &mut CaseNumbers) -> TiledKernel {
    let (height, width) = (random.of(&[1u32, 3, 8, 32]), random.of(&[8u32, 32, 40]));
    let (across, down) = (random.of(&[2u32, 3, 7]), random.of(&[2u32, 3, 5]));
    let guards = random.of(&[true, false]);
    let (short_x, short_y) = match guards {
        true => (random.of(&[0, 0, 3, width - 1]), random.of(&[0, 0, height / 2])),
        false => (random.of(&[0, 0, 0, 5]), 0),
    };
    let (columns, rows) = (across * width - short_x, down * height - short_y);
    let turned = random.of(&[true, false]);
    let (x, y) = if turned { ("blockIdx.y", "blockIdx.x") } else { ("blockIdx.x", "blockIdx.y") };
    let (thread, threads, block) = match random.of(&[0, 0, 1]) {
        0 => {
            let count = random.of(&[32u32, 64, 96]);
            ("threadIdx.x".to_owned(), count.to_string(), count.to_string())
        }
        _ => {
            let block = random.of(&["8x4", "32x2", "16x8"]);
            let count = if block == "16x8" {
                "128"
            } else if block == "8x4" {
                "32"
            } else {
                "64"
            };
            (
                "threadIdx.y * blockDim.x + threadIdx.x".to_owned(),
                count.to_owned(),
                block.to_owned(),
            )
        }
    };
    let guard = if guards { "if (r < rows && c < columns) " } else { "" };
    let (parameters, body) = match random.of(&[0, 1, 2]) {
        0 => ("float *x, ", "x[r * columns + c] *= 2;"),
        1 => ("const float *a, float *x, ", "x[r * columns + c] = 2 * a[r * columns + c];"),
        // The result is transposed.
        _ => ("const float *a, float *x, ", "x[c * rows + r] = a[r * columns + c];"),
    };
    let mut source = format!("__global__ void kernel({parameters}int rows, int columns) {{\n");
    let _ = writeln!(source, "  for (int i = {thread}; i < {height} * {width}; i += {threads}) {{");
    let _ = writeln!(
        source,
        "    int r = {y} * {height} + i / {width}, c = {x} * {width} + i % {width};\n    {guard}{body}\n  }}\n}}"
    );
    let is_shaped = random.of(&[true, false]);
    let (one, two) = match is_shaped {
        true => (format!("{rows}x{columns}"), format!("{columns}x{rows}")),
        false => ((rows * columns).to_string(), (rows * columns).to_string()),
    };
    let memory = match (parameters.contains("*a"), body.contains("c * rows")) {
        (false, _) => format!("rand:{one}"),
        (true, false) => format!("rand:{one} zeros:{one}"),
        (true, true) => format!("rand:{one} zeros:{two}"),
    };
    TiledKernel {
        source,
        block,
        arguments: format!("{memory} {rows} {columns}"),
        grid: if turned { [down, across] } else { [across, down] },
        is_defined: guards || short_x == 0,
    }
}

fn checked(folder: &Path, layout: &TiledKernel) -> Output {
    let file = folder.join("kernel.cu");
    std::fs::write(&file, &layout.source).expect("written");
    Command::new(env!("CARGO_BIN_EXE_lanework"))
        .arg("check")
        .arg(&file)
        .args(["--compiler", "own", "--block", &layout.block])
        .args(layout.arguments.split(' '))
        .output()
        .expect("the command runs")
}

#[test]
fn the_grid_of_random_layouts_is_right_or_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = CaseNumbers(7);
    let (mut derived, cases) = (0, 60);
    for case in 0..cases {
        let layout = layout(&mut random);
        let output = checked(folder.path(), &layout);
        let text = String::from_utf8_lossy(&output.stderr);
        let TiledKernel { source, block, arguments, grid: [x, y], is_defined } = &layout;
        let about =
            format!("case {case}: --block {block} {arguments}, right: {x}x{y}\n{source}{text}");
        match output.status.code() {
            Some(2) => assert!(text.contains("help: lanework check"), "{about}"),
            code => {
                let shown = if *y == 1 { x.to_string() } else { format!("{x}x{y}") };
                assert!(text.contains(&format!("note: --grid {shown}: ")), "{about}");
                // Tiles that do not fill the array, without a guard, write what others write.
                assert!(!is_defined || code == Some(0), "{about}");
                derived += 1;
            }
        }
    }
    assert!(derived * 4 >= cases * 3, "only {derived} of {cases} grids were derived");
}
