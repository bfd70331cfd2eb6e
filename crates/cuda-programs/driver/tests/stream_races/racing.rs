//! Programs with one race each, and the expected finding.

use crate::children::{FORGET, NONE, WAITS, WRITES, WRITES_LATE, spread};
use crate::gpu::*;
use crate::pools::Pool;

/// Name, program, and part of the finding.
pub const ALL: &[(&str, fn(), &str)] = &[
    (
        "two kernels",
        || {
            let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
            gpu.fill(x, a);
            gpu.fill(x, b);
        },
        "race between streams: kernel `fill` (launch 2, stream 2) writes 4096 bytes at cuMemAlloc+0, which kernel `fill` (launch 1, stream 1) writes",
    ),
    (
        "a reader without an event",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.fill(x, a);
            gpu.copy(y, x, b);
        },
        "kernel `copy` (launch 2, stream 2) reads 4096 bytes at cuMemAlloc+0, which kernel `fill` (launch 1, stream 1) writes",
    ),
    (
        "a writer after a reader",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.copy(y, x, a);
            gpu.fill(x, b);
        },
        "kernel `fill` (launch 2, stream 2) writes 4096 bytes at cuMemAlloc+0, which kernel `copy` (launch 1, stream 1) reads",
    ),
    (
        "an event that is recorded too early",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            let early = event();
            record(early, a);
            gpu.fill(x, a);
            wait(b, early);
            gpu.copy(y, x, b);
        },
        "race between streams",
    ),
    (
        "an event that is recorded after the wait",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            let late = event();
            gpu.fill(x, a);
            wait(b, late);
            record(late, a);
            gpu.copy(y, x, b);
        },
        "race between streams",
    ),
    (
        "an event that is recorded again on another stream",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            let event = event();
            gpu.fill(x, a);
            record(event, a);
            record(event, b);
            let c = non_blocking();
            wait(c, event);
            gpu.copy(y, x, c);
        },
        "race between streams",
    ),
    (
        "the wrong stream is synchronized",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.fill(x, a);
            synchronize(b);
            gpu.copy(y, x, b);
        },
        "race between streams",
    ),
    (
        "a query whose answer is ignored",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.fill(x, a);
            assert_eq!(call!("cuStreamQuery"(a => u64)), 600, "not ready");
            gpu.copy(y, x, b);
        },
        "race between streams",
    ),
    (
        "the default stream and one that does not block",
        || {
            let (gpu, x, y, (a, _)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.fill(x, 0);
            gpu.copy(y, x, a);
        },
        "a stream made with `cudaStreamNonBlocking` and the default stream do not wait for each other",
    ),
    (
        "a copy to the host of what a kernel writes",
        || {
            let (gpu, x, (a, _)) = (Gpu::new(), buffer(), two());
            gpu.fill(x, a);
            copy(pageable(), x);
        },
        "`cudaMemcpy` of 4096 bytes (the default stream) reads 4096 bytes at cuMemAlloc+0, which kernel `fill`",
    ),
    (
        "a copy from pageable memory is still under way",
        || {
            let (gpu, x, y, (a, _)) = (Gpu::new(), buffer(), buffer(), two());
            copy(x, pageable());
            gpu.copy(y, x, a);
        },
        "warning[pageable-copy]: pageable copy in flight: kernel `copy` (launch 1, stream 1) reads 4096 bytes at cuMemAlloc+0, which `cudaMemcpy` of 4096 bytes from pageable memory (the default stream) writes",
    ),
    (
        "a copy between buffers is still under way",
        || {
            let (gpu, x, y, (a, _)) = (Gpu::new(), buffer(), buffer(), two());
            copy(x, y);
            gpu.fill(y, a);
        },
        "kernel `fill` (launch 1, stream 1) writes 4096 bytes at cuMemAlloc+0, which `cudaMemcpy` of 4096 bytes (the default stream) reads",
    ),
    (
        "an asynchronous copy out of a buffer",
        || {
            let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
            copy_async(pinned(), x, a);
            gpu.fill(x, b);
        },
        "which `cudaMemcpyAsync` of 4096 bytes (stream 1) reads",
    ),
    (
        "pinned memory is filled while it is copied",
        || {
            let (x, h, (a, b)) = (buffer_of_context(), pinned(), two());
            copy_async(h, x, a);
            copy_async(x, h, b);
        },
        "race between streams: `cudaMemcpyAsync` of 4096 bytes (stream 2)",
    ),
    (
        "a fill",
        || {
            let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
            set_async(x, a);
            gpu.count(x, b);
        },
        "kernel `count` (launch 1, stream 2) changes by atomics 4096 bytes at cuMemAlloc+0, which `cudaMemsetAsync` of 4096 bytes (stream 1) writes",
    ),
    (
        "a fill of the default stream",
        || {
            let (gpu, x, (a, _)) = (Gpu::new(), buffer(), two());
            set(x);
            gpu.count(x, a);
        },
        "`cudaMemset` of device memory returns before it has ended",
    ),
    (
        "one word of overlap",
        || {
            let (gpu, x, (a, b)) = (Gpu::new(), buffer_of(2 * BYTES), two());
            gpu.fill(x, a);
            gpu.fill(x + BYTES as u64 - 4, b);
        },
        "writes 4 bytes at cuMemAlloc+4092",
    ),
    (
        "every other word",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.words(x, 1, a);
            gpu.copy(y, x, b);
        },
        "reads 2048 of the 4092 bytes at cuMemAlloc+4",
    ),
    (
        "columns that overlap",
        || {
            let (x, y, (a, b)) = (buffer_of_context(), buffer(), two());
            columns_async(x, 0, y, a);
            columns_async(x, 3, y, b);
        },
        "writes 256 of the 4036 bytes at cuMemAlloc+12",
    ),
    (
        "memory is used before it is allocated",
        || {
            let (gpu, (a, b)) = (Gpu::new(), two());
            gpu.fill(allocate_async(a), b);
        },
        "use before allocation: kernel `fill` (launch 1, stream 2) writes 4096 bytes at cuMemAlloc+0, which `cudaMallocAsync` (stream 1) allocates",
    ),
    (
        "memory is freed while it is used",
        || {
            let (gpu, (a, b)) = (Gpu::new(), two());
            let x = allocate_async(a);
            after(a, b);
            gpu.fill(x, b);
            free_async(x, a);
        },
        "use after free: `cudaFreeAsync` (stream 1) frees 4096 bytes at cuMemAlloc+0, which kernel `fill` (launch 1, stream 2) writes",
    ),
    (
        "branches of a graph",
        || {
            let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
            begin_capture(a);
            after(a, b);
            gpu.fill(x, a);
            gpu.fill(x, b);
            after(b, a);
            launch_graph(instantiate(end_capture(a)), a);
        },
        "race in a graph: kernel `fill` (launch 2, stream 1) writes 4096 bytes at cuMemAlloc+0, which kernel `fill` (launch 1, stream 1) writes, and no path of edges",
    ),
    (
        "a graph and a kernel",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            begin_capture(a);
            gpu.fill(x, a);
            let graph = instantiate(end_capture(a));
            launch_graph(graph, a);
            gpu.copy(y, x, b);
        },
        "race between streams: kernel `copy`",
    ),
    (
        "a variable of a module",
        || {
            let (gpu, x, (a, b)) = (Gpu::new(), buffer(), two());
            gpu.signal(gpu.counter, x, a);
            gpu.signal(gpu.counter, x + 4, b);
        },
        "4 bytes at shared_counter+0",
    ),
    (
        "a flag that the other kernel does not look at",
        || {
            let (gpu, x, flag, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.signal(x, flag, a);
            gpu.fill(x, b);
        },
        "race between streams: kernel `fill`",
    ),
    (
        "an earlier launch of a stream that goes on",
        || {
            let (gpu, x, y, (a, b)) = (Gpu::new(), buffer(), buffer(), two());
            gpu.fill(x, a);
            (0..200).for_each(|_| gpu.fill(y, a));
            let z = buffer_without_sync();
            gpu.copy(z, x, b);
        },
        "which kernel `fill` (launch 1, stream 1) writes",
    ),
    (
        "the host reads the result of a copy in flight",
        || {
            let (gpu, x, host, (a, _)) = (Gpu::new(), buffer(), pinned(), two());
            gpu.fill(x, a);
            copy_async(host, x, a);
            look(host);
            synchronize(a);
        },
        "reads cuMemAllocHost+0, which `cudaMemcpyAsync` of 4096 bytes (stream 1) writes, and nothing has waited for the copy",
    ),
    (
        "the host reads a single word of a copy in flight",
        || {
            let (x, (a, _)) = (filled(), two());
            let host = pinned_bytes(4);
            copy_bytes_async(host, x, 4, a);
            look(host);
        },
        "reads cuMemAllocHost+0, which `cudaMemcpyAsync` of 4 bytes (stream 1) writes",
    ),
    (
        "the host refills the source of a copy in flight",
        || {
            let (x, host, (a, _)) = (filled(), pinned(), two());
            copy_async(x, host, a);
            change(host + 8);
            synchronize(a);
        },
        "writes cuMemAllocHost+8, which `cudaMemcpyAsync` of 4096 bytes (stream 1) reads",
    ),
    (
        "the host waits for the wrong stream before it reads",
        || {
            let (x, host, (a, b)) = (filled(), pinned(), two());
            copy_async(host, x, a);
            synchronize(b);
            look(host);
        },
        "race with the host",
    ),
    (
        "the host reads managed memory that a kernel writes",
        || {
            let (gpu, x, (a, _)) = (Gpu::new(), managed(), two());
            gpu.fill(x, a);
            look(x + 16);
        },
        "race with the host: the host",
    ),
    (
        "the host changes managed memory that a kernel reads",
        || {
            let (gpu, x, y, (a, _)) = (Gpu::new(), managed(), buffer(), two());
            gpu.fill(x, a);
            synchronize(a);
            gpu.copy(y, x, a);
            change(x);
        },
        "reads, and nothing has waited for the kernel",
    ),
    (
        "the host reads what the last of two kernels writes, and the other one reads",
        || {
            let (gpu, x, y, (a, _)) = (Gpu::new(), managed(), managed(), two());
            gpu.fill(x, a);
            synchronize(a);
            gpu.copy(y, x, a);
            gpu.copy(x, y, a);
            look(x + 4);
        },
        "reads cuMemAllocManaged+4, which kernel `copy` (launch 3, stream 1) writes, and nothing",
    ),
    (
        "the host reads mapped memory that an earlier kernel writes",
        || {
            let (gpu, x, y, (a, _)) = (Gpu::new(), pinned(), buffer(), two());
            gpu.fill(x, a);
            (0..100).for_each(|_| gpu.fill(y, a));
            look(x);
        },
        "reads cuMemAllocHost+0, which kernel `fill` (launch 1, stream 1) writes, and nothing has waited for the kernel",
    ),
    (
        "the host reads what a graph copies",
        || {
            let (x, host, (a, _)) = (filled(), pinned(), two());
            begin_capture(a);
            copy_async(host, x, a);
            let graph = instantiate(end_capture(a));
            launch_graph(graph, a);
            look(host);
        },
        "which `a memcpy node` of 4096 bytes",
    ),
    (
        "a child that other threads of its parent do not wait for",
        || spread(filled(), 1, WRITES, [0, NONE]),
        "race with a child grid: the child grid `bump` writes 124 bytes at cuMemAlloc+4, which the parent grid `spread` writes",
    ),
    (
        "a parent that writes after a launch",
        || spread(filled(), 1, WRITES | WAITS | WRITES_LATE, [0, NONE]),
        "writes 4 bytes at cuMemAlloc+4, which the parent grid `spread` writes",
    ),
    (
        "children in two streams",
        || spread(filled(), 1, 0, [0x2000, 0x2001]),
        "race between child grids: the child grid `bump` writes 128 bytes",
    ),
    (
        "children that are forgotten",
        || spread(filled(), 1, 0, [FORGET, FORGET]),
        "race between child grids",
    ),
    ("children of two blocks", || spread(filled(), 2, 0, [0, NONE]), "race between child grids"),
    (
        "a kernel that leaves its part of a pool",
        || {
            let (gpu, pool) = Pool::new();
            let (x, _) = (pool.part(0, BYTES - 4), pool.part(8192, BYTES));
            gpu.fill(x, 0);
            synchronize_all();
        },
        "out-of-bounds write in a memory pool: 4 bytes at +4092 of `sub-allocation`, which has 4092 bytes",
    ),
    (
        "a part that went back to its pool",
        || {
            let (gpu, pool) = Pool::new();
            let x = pool.part(0, BYTES);
            gpu.fill(x, 0);
            synchronize_all();
            pool.free(x);
            gpu.fill(x, 0);
            synchronize_all();
        },
        "use after free: write of 4 bytes at +0 of `sub-allocation`",
    ),
    (
        "a fill that leaves its part of a pool",
        || {
            let (_, pool) = Pool::new();
            set(pool.part(4096, BYTES - 8));
        },
        "out-of-bounds copy or fill in a memory pool: 4096 bytes at +0 of `sub-allocation`, which has 4088 bytes",
    ),
    (
        "managed memory",
        || {
            let (gpu, x, (a, b)) = (Gpu::new(), managed(), two());
            gpu.fill(x, a);
            gpu.count(x, b);
        },
        "4096 bytes at cuMemAllocManaged+0",
    ),
];

/// A buffer in a program without kernels.
fn buffer_of_context() -> u64 {
    let _ = Gpu::new();
    buffer()
}

fn buffer_of(bytes: usize) -> u64 {
    crate::common::allocate(bytes)
}

fn buffer_without_sync() -> u64 {
    crate::common::allocate(BYTES)
}
