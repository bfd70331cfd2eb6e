//! Ten planted bugs. In each test, commands trace the bug to its cause.

use crate::common::{TestLaunch, traces};

/// A launch with arrays of words.
fn launch<'a>(
    source: &'a str,
    shape: (u32, u32),
    arrays: &[Vec<u32>],
    numbers: &[u32],
) -> TestLaunch<'a> {
    TestLaunch { source, shape, arrays: arrays.to_vec(), numbers: numbers.to_vec() }
}

#[test]
fn a_race_is_traced_to_the_read_before_the_write() {
    let source = "\
__global__ void reverse(const unsigned* x, unsigned* y) {
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = x[t];
    y[t] = tile[63 - t];
}
";
    let launch = launch(source, (1, 64), &[(100..164).collect(), vec![0; 64]], &[]);
    traces(
        &launch,
        "findings
         goto end
         print y[0]
         who wrote y[0]
         break 5 if t == 0
         rcontinue
         print tile[63 - t]
         who wrote tile[63]
         order reversed
         goto end
         print y[0]
         print y[63]",
        &[
            "race",
            "> print y[0]\ny[0] = 3452816845",
            "thread (0,0,0) of block (0,0,0), k.cu:5",
            "breakpoint 1: thread (0,0,0) of block (0,0,0), k.cu:5",
            "tile[63 - t] = 3452816845 (not written yet)",
            "no step before step",
            "> print y[0]\ny[0] = 163",
            "y[63] = 3452816845",
        ],
    );
}

#[test]
fn a_wrong_index_is_traced_to_the_thread_that_wrote_the_element() {
    let source = "\
__global__ void transpose(const unsigned* x, unsigned* y, unsigned rows, unsigned cols) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        unsigned row = i / cols, col = i % cols;
        y[col * cols + row] = x[i];
    }
}
";
    let launch = launch(source, (1, 32), &[(0..12).collect(), vec![0; 32]], &[4, 3]);
    traces(
        &launch,
        "goto end
         print y[0..12]
         who wrote y[3]
         break 5 if col * cols + row == 3
         rcontinue
         locals
         print col * rows + row",
        &[
            "y[0..12] = [0, 3, 6, 9,",
            "0 -> 9 by thread (1,0,0) of block (0,0,0), thread (9,0,0) of block (0,0,0), k.cu:5",
            "breakpoint 1: thread (1,0,0) of block (0,0,0), k.cu:5",
            "row = 0",
            "col = 1",
            "col * rows + row = 4",
        ],
    );
}

#[test]
fn a_missing_wait_is_traced_to_the_copy_that_came_later() {
    let source = "\
__global__ void copy(const unsigned* x, unsigned* y) {
    __shared__ __align__(16) unsigned tile[32];
    unsigned t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[t]);
    asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(to), \"l\"(x + t));
    asm volatile(\"cp.async.commit_group;\");
    y[t] = tile[t];
    asm volatile(\"cp.async.wait_group 0;\");
}
";
    let launch = launch(source, (1, 32), &[(1..33).collect(), vec![0; 32]], &[]);
    traces(
        &launch,
        "findings
         finding 1
         print tile[t]
         who wrote tile[t]",
        &["1: ", "k.cu:7", "k.cu:5"],
    );
}

#[test]
fn a_divergent_barrier_is_traced_to_the_lanes_that_did_not_come() {
    let source = "\
__global__ void half(unsigned* y) {
    unsigned t = threadIdx.x;
    if (t < 16) {
        y[t] = t;
        __syncthreads();
    }
    y[t] += 1;
}
";
    let launch = launch(source, (1, 32), &[vec![0; 32]], &[]);
    traces(
        &launch,
        "continue
         warps
         thread 20
         when left",
        &[
            "fault",
            "barrier divergence",
            "################................",
            "thread (20,0,0) of block (0,0,0): its last step was step",
        ],
    );
}

#[test]
fn an_uninitialized_read_is_traced_to_a_variable_without_a_write() {
    let source = "\
__global__ void sums(const unsigned* x, unsigned* y, unsigned n) {
    unsigned sum;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i];
    y[threadIdx.x] = sum;
}
";
    let launch = launch(source, (1, 32), &[(0..64).collect(), vec![0; 32]], &[64]);
    traces(
        &launch,
        "break 4
         continue
         print sum
         who wrote sum
         next
         next
         print sum
         who wrote sum",
        &[
            "breakpoint 1",
            "sum = 3452816845 (not written yet)",
            "no step before step",
            "sum = 3452816845",
            "sum: 3452816845 -> 3452816845 by thread (0,0,0)",
        ],
    );
}

#[test]
fn a_wrong_shuffle_mask_is_traced_to_the_lanes_it_leaves_out() {
    let source = "\
__global__ void sum(const unsigned* x, unsigned* y) {
    unsigned v = x[threadIdx.x];
    for (int by = 16; by > 0; by /= 2)
        v += __shfl_down_sync(0xffff, v, by);
    if (threadIdx.x == 0)
        y[0] = v;
}
";
    let launch = launch(source, (1, 32), &[vec![1; 32], vec![0; 1]], &[]);
    traces(
        &launch,
        "findings
         finding 1
         lanes v
         warps",
        &[
            "mask",
            "k.cu:4 in sum",
            "lane  0 # 1",
            "lane 31 # 1",
            "################################",
        ],
    );
}

#[test]
fn a_lost_update_is_traced_to_two_writes_of_the_same_value() {
    let source = "\
__global__ void count(unsigned* counter) {
    unsigned seen = *counter;
    *counter = seen + 1;
}
";
    let launch = launch(source, (3, 2), &[vec![0; 1]], &[]);
    traces(
        &launch,
        "goto end
         print *counter
         who wrote *counter 3
         who read *counter 3",
        &[
            "*counter = 3",
            "*counter: 0 -> 1 by thread (0,0,0) of block (0,0,0), thread (1,0,0) of block (0,0,0)",
            "*counter: 1 -> 2",
            "*counter: 2 -> 3",
            "*counter was 0",
        ],
    );
}

#[test]
fn an_index_past_a_tile_is_traced_to_its_loop() {
    let source = "\
__global__ void blur(const unsigned* x, unsigned* y) {
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x;
    tile[t] = x[t];
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k <= 1; k++)
        sum += tile[t + k];
    y[t] = sum;
}
";
    let launch = launch(source, (1, 32), &[(0..32).collect(), vec![0; 32]], &[]);
    traces(
        &launch,
        "break finding
         continue
         print t + k
         print tile[31]
         bt",
        &[
            "out-of-bounds shared read",
            "breakpoint 1: thread (31,0,0)",
            "k.cu:8",
            "t + k = 32",
            "tile[31] = 31",
            "#0 blur at k.cu:8",
        ],
    );
}

#[test]
fn a_stale_buffer_is_traced_to_the_step_that_wrote_it() {
    let source = "\
__global__ void stages(const unsigned* x, unsigned* y) {
    __shared__ unsigned buffer[2][32];
    unsigned t = threadIdx.x;
    buffer[0][t] = x[t];
    __syncthreads();
    for (int stage = 1; stage < 4; stage++) {
        buffer[stage % 2][t] = x[stage * 32 + t];
        __syncthreads();
        y[stage * 32 + t] = buffer[0][t];
        __syncthreads();
    }
}
";
    let launch = launch(source, (1, 32), &[(0..128).collect(), vec![0; 128]], &[]);
    traces(
        &launch,
        "break 9 if stage == 3
         continue
         print buffer[0][t]
         who wrote buffer[0][t]
         print buffer[1][t]
         goto 0
         watch y[96]
         continue
         print stage",
        &[
            "breakpoint 1",
            "buffer[0][t] = 64",
            "k.cu:7",
            "buffer[1][t] = 96",
            "breakpoint 2",
            "stage = 3",
        ],
    );
}

#[test]
fn a_wrong_grid_is_traced_to_elements_that_nobody_wrote() {
    let source = "\
__global__ void twice(const unsigned* x, unsigned* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}
";
    let launch = launch(source, (3, 64), &[(0..250).collect(), vec![0; 250]], &[250]);
    traces(
        &launch,
        "goto end
         who wrote y[191]
         who wrote y[192]
         print gridDim.x * blockDim.x
         print n * 20000000
         print 65536 * 65536
         print 3000000000 + n
         print n",
        &[
            "thread (63,0,0) of block (2,0,0)",
            "no step before step",
            "gridDim.x * blockDim.x = 192",
            // As in C++, modulo the type's range.
            "n * 20000000 = 705032704",
            "65536 * 65536 = 0",
            "3000000000 + n = 3000000250",
            "n = 250",
        ],
    );
}
