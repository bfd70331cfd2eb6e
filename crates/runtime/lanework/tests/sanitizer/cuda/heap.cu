// Memory of the kernels' own `malloc`.

// launch heap_right: block=4 zeros:u32:4
extern "C" __global__ void heap_right(unsigned *out) {
    unsigned *block = (unsigned *)malloc(64);
    for (unsigned i = 0; i < 16; i++)
        block[i] = i + threadIdx.x;
    out[threadIdx.x] = block[15 - threadIdx.x];
    free(block);
}

// launch heap_read: block=4 zeros:u32:4 u32:16
extern "C" __global__ void heap_read(unsigned *out, unsigned n) {
    unsigned *block = (unsigned *)malloc(4 * n);
    for (unsigned i = 0; i < n; i++)
        block[i] = i;
    out[threadIdx.x] = block[n + threadIdx.x]; // BUG out-of-bounds
    free(block);
}

// launch heap_write: block=1 zeros:u32:4 u32:13
extern "C" __global__ void heap_write(unsigned *out, unsigned n) {
    unsigned char *block = (unsigned char *)malloc(n);
    for (unsigned i = 0; i <= n; i++)
        block[i] = i; // BUG out-of-bounds
    out[0] = block[1];
    free(block);
}

// launch heap_before: block=2 zeros:u32:4 i32:-1
extern "C" __global__ void heap_before(int *out, int first) {
    int *block = (int *)malloc(16);
    block[first] = 1; // BUG out-of-bounds
    block[0] = 2;
    out[threadIdx.x] = block[0];
    free(block);
}

// launch heap_freed: block=4 zeros:u32:4
extern "C" __global__ void heap_freed(unsigned *out) {
    volatile unsigned *block = (unsigned *)malloc(64);
    block[3] = 1;
    free((void *)block);
    out[threadIdx.x] = block[3]; // BUG use-after-free
}

// launch heap_freed_by_another: block=64 zeros:u32:64
extern "C" __global__ void heap_freed_by_another(unsigned *out) {
    __shared__ unsigned *block;
    if (threadIdx.x == 0)
        block = (unsigned *)malloc(256);
    __syncthreads();
    block[threadIdx.x] = threadIdx.x; // MAYBE use-after-free
    if (threadIdx.x == 0)
        free(block);
    out[threadIdx.x] = block[threadIdx.x]; // BUG use-after-free
}

// launch heap_shared_right: block=64 zeros:u32:64
extern "C" __global__ void heap_shared_right(unsigned *out) {
    __shared__ unsigned *block;
    if (threadIdx.x == 0)
        block = (unsigned *)malloc(256);
    __syncthreads();
    block[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = block[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(block);
}

// launch heap_race: block=64 zeros:u32:64
extern "C" __global__ void heap_race(unsigned *out) {
    __shared__ unsigned *block;
    if (threadIdx.x == 0)
        block = (unsigned *)malloc(256);
    __syncthreads();
    block[threadIdx.x] = threadIdx.x; // SEEN
    out[threadIdx.x] = block[63 - threadIdx.x]; // BUG race
}

// launch heap_freed_twice: block=1 zeros:u32:4
extern "C" __global__ void heap_freed_twice(unsigned *out) {
    volatile unsigned *block = (unsigned *)malloc(64);
    block[3] = 1;
    out[0] = block[3];
    free((void *)block);
    free((void *)block); // BUG use-after-free
}

// launch heap_freed_inside: block=1 zeros:u32:4
extern "C" __global__ void heap_freed_inside(unsigned *out) {
    volatile unsigned *block = (unsigned *)malloc(64);
    block[3] = 1;
    out[0] = block[3];
    free((void *)(block + 4)); // BUG out-of-bounds
}

// launch heap_freed_other: block=1 zeros:u32:4
extern "C" __global__ void heap_freed_other(unsigned *out) {
    out[0] = 1;
    free(out); // BUG out-of-bounds
}

// launch heap_unwritten: block=1 zeros:u32:4
extern "C" __global__ void heap_unwritten(unsigned *out) {
    volatile unsigned *block = (unsigned *)malloc(64);
    block[2] = 1;
    out[0] = block[3]; // BUG uninitialized
    free((void *)block);
}
