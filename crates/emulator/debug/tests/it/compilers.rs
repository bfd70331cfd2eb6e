//! PTX of other compilers. nvcc 13.5 for `tests/data/scale.cu`: values by name with `-G`, lines and registers with `-lineinfo`.
//! Numba for `tests/data/scale_numba.py`, and Triton: lines and registers.

use crate::common::{expect, launch_script, ptx_script, upload};
use lanework_emulator::Emulator;

const SOURCE: &str = include_str!("../data/scale.cu");

/// Runs a script on the kernel of a PTX text: `k(x, y, 40, {3, {0.5, 0.25}})`.
fn script(text: &str, commands: &str) -> String {
    let x: Vec<u8> = (0..40).flat_map(|i| (i as f32 / 2.0).to_le_bytes()).collect();
    let pair = [&3i32.to_le_bytes()[..], &0.5f32.to_le_bytes(), &0.25f32.to_le_bytes()].concat();
    let numbers = [40i32.to_le_bytes().to_vec(), pair];
    ptx_script((text, SOURCE), ([2, 1, 1], [32, 1, 1]), (&[x, vec![0; 160]], &numbers), commands)
}

#[test]
fn device_debug_information_gives_values_in_registers_and_memory() {
    let output = script(
        include_str!("../data/debug.ptx"),
        "args
         print p.b[1]
         break 10 if i == 35 && j == 2
         continue
         locals
         print v
         print i + j
         print tile[3]
         print x[i]
         who wrote tile[3]
         lanes j
         step
         bt
         stepi 2
         print r
         finish
         next
         print s
         next
         print v
         goto end
         print y[35]",
    );
    expect(
        &output,
        &[
            "n = 40",
            "p = {a: 3, b: [0.5, 0.25]}",
            "p.b[1] = 0.25",
            "breakpoint 1: thread (3,0,0) of block (1,0,0)",
            "j = 2",
            "i = 35",
            "i + j = 37",
            "tile[3] = 17.5",
            "x[i] = 17.5",
            "by thread (3,0,0) of block (1,0,0), /src/scale.cu:8",
            "lane  3 # 2",
            "#0 square at /src/scale.cu:2",
            "> print r\nr = 104976.0",
            "> print s\ns = 104976.25",
            "> print v\nv = 210276.5",
            "> print y[35]\ny[35] = 210297.0",
        ],
    );
}

#[test]
fn line_information_gives_lines_and_registers() {
    let output = script(
        include_str!("../data/lines.ptx"),
        "break 7 if threadIdx.x == 4
         continue
         locals
         print n
         print (x as f32*)[4]
         registers
         next
         rnext
         print tile[0..2]",
    );
    expect(
        &output,
        &["scale.cu:7", "thread (4,0,0)", "no local variables are known here", "%r", "scale.cu:"],
    );
}

#[test]
fn a_kernel_of_triton_has_lines_registers_and_the_calls_that_its_compiler_inlined() {
    let text =
        include_str!("../../../../laboratory/lab/data/compilers/triton.masked_sum.sm_80.ptx");
    let source = include_str!("../../../../laboratory/lab/data/compilers/triton_kernels.py");
    let x: Vec<u8> = (0..256).flat_map(|_| 0f32.to_le_bytes()).collect();
    let values = [200u32.to_le_bytes().to_vec(), vec![0; 8], vec![0; 8]];
    let output = ptx_script(
        (text, source),
        ([1; 3], [128, 1, 1]),
        (&[x, vec![0; 4]], &values),
        "break triton_kernels.py:9
         continue
         print %r8
         lanes %p2
         break instruction shfl
         continue
         bt
         print %r17",
    );
    expect(
        &output,
        &[
            "triton_kernels.py:9 in masked_sum",
            "    9 |     tl.atomic_add(out, tl.sum(tl.exp(v), axis=0))",
            "%r8 = 0xc8 (i32 200",
            "lane  0 # true",
            "breakpoint 2",
            "#0 inlined function at ",
            "standard.py:314",
            "triton_kernels.py:9",
            "f32 2.0)",
        ],
    );
}

/// The arguments of Numba's `scale(x, y, 3.0)`. An array is a structure: owner, parent, elements, their size, data, shape and
/// stride.
fn numba_arguments(emulator: &Emulator) -> Vec<Vec<u8>> {
    let x: Vec<u8> = (0..40).flat_map(|i| (i as f32 / 2.0).to_le_bytes()).collect();
    let mut arguments: Vec<Vec<u8>> = Vec::new();
    for array in [x, vec![0; 160]] {
        let data = upload(emulator, &array);
        let parts = [0, 0, 40, 4, data, 40, 4];
        arguments.extend(parts.map(|part: u64| part.to_le_bytes().to_vec()));
    }
    arguments.push(3f32.to_le_bytes().to_vec());
    arguments
}

#[test]
fn a_kernel_of_numba_has_lines_and_registers() {
    let text = include_str!("../data/numba_lines.ptx");
    let source = include_str!("../data/scale_numba.py");
    let output = launch_script(
        (text, source),
        ([2, 1, 1], [32, 1, 1]),
        &numba_arguments,
        "break scale_numba.py:9 if threadIdx.x == 3
         continue
         break instruction st.global
         continue
         bt
         print %f2
         lanes %f2
         next
         rcontinue
         list 1",
    );
    expect(
        &output,
        &[
            "scale_numba.py:9 in ",
            "scale",
            "y[i] = value + 1.0",
            "breakpoint 2",
            "#0 ",
            "scale_numba.py:9",
            "%f2 = 0x",
            "lane  3 #",
        ],
    );
}

#[test]
fn a_kernel_that_numba_compiled_for_debugging_has_names() {
    let text = include_str!("../data/numba_debug.ptx");
    let source = include_str!("../data/scale_numba.py");
    let output = launch_script(
        (text, source),
        ([2, 1, 1], [32, 1, 1]),
        &numba_arguments,
        "break scale_numba.py:9
         continue
         thread 5
         locals
         print value
         print i
         print factor",
    );
    // Numba passes `x` as seven parameters, so the position of `factor` among those of the source says nothing.
    expect(
        &output,
        &[
            "scale_numba.py:9",
            "> print value",
            "value = 7.5",
            "i = 5",
            "`factor` is not a name here",
        ],
    );
}

const NEIGHBORS: &str = include_str!("../data/neighbors.cu");

/// Runs a script on `neighbors(x, y, 40)`, where `x[i]` is `i * i`.
fn neighbors(text: &str, commands: &str) -> String {
    let x: Vec<u8> = (0..40i32).flat_map(|i| (i * i).to_le_bytes()).collect();
    let values = [40i32.to_le_bytes().to_vec()];
    let shape = ([1, 1, 1], [64, 1, 1]);
    ptx_script((text, NEIGHBORS), shape, (&[x, vec![0; 160]], &values), commands)
}

#[test]
fn a_wrong_neighbor_is_traced_into_a_device_function_that_nvcc_compiled() {
    let output = neighbors(
        include_str!("../data/neighbors.ptx"),
        "goto end
         print y[5]
         who wrote y[5]
         break 10 if i == 5
         rcontinue
         print from
         print x[from]
         break 4
         rcontinue
         thread 5
         bt
         print j
         print i
         up
         print i
         print n
         down",
    );
    expect(
        &output,
        &[
            "y[5] = -11\n",
            "by thread (5,0,0) of block (0,0,0)",
            "neighbors.cu:10",
            "breakpoint 1: thread (5,0,0)",
            "> print from\nfrom = 6\n",
            "> print x[from]\nx[from] = 36\n",
            "neighbors.cu:4 in left",
            "#0 left at /src/neighbors.cu:4",
            "#1 neighbors at /src/neighbors.cu:9",
            "> print j\nj = 6\n",
            "> print i\ni = 5\n",
            "#1 neighbors at /src/neighbors.cu:9",
            "> print i\ni = 5\n",
            "> print n\nn = 40\n",
            "#0 left at",
        ],
    );
}

#[test]
fn calls_that_nvcc_inlined_have_names_and_lines() {
    let output = neighbors(
        include_str!("../data/neighbors_lines.ptx"),
        "break 3 if threadIdx.x == 5
         continue
         bt
         up
         list 0
         down
         down",
    );
    expect(
        &output,
        &[
            "neighbors.cu:3 in left",
            "#0 left at /src/neighbors.cu:3",
            "#1 neighbors at /src/neighbors.cu:9",
            "> up\n#1 neighbors at /src/neighbors.cu:9",
            "    9 |         int from = left(i, n);",
            "> down\n#0 left",
            "this is the innermost call",
        ],
    );
}
