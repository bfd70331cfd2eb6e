// Loops that wait for something that never happens, and correct loops that look similar.

// launch flag_never_set: block=64 zeros:u32:1 zeros:u32:64
extern "C" __global__ void flag_never_set(volatile unsigned *flag, unsigned *out) {
    if (threadIdx.x < 32) {
        while (*flag == 0) { // BUG deadlock
        }
    }
    out[threadIdx.x] = 1;
}

// launch flag_set: block=64 zeros:u32:64
extern "C" __global__ void flag_set(unsigned *out) {
    __shared__ volatile unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (flag == 0) {
        }
    } else if (threadIdx.x == 63) {
        unsigned x = 1;
        for (int i = 0; i < 100000; i++)
            x = x * 1664525u + 1013904223u;
        out[0] = x;
        __threadfence();
        flag = 1;
    }
}

// launch flag_of_own_warp: block=32 zeros:u32:32
extern "C" __global__ void flag_of_own_warp(unsigned *out) {
    __shared__ volatile unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncwarp();
    if (threadIdx.x == 7) {
        while (flag == 0) {
        }
    } else if (threadIdx.x == 9) {
        out[0] = 3;
        __threadfence();
        flag = 1;
    }
    out[threadIdx.x + 0 * flag] = 1; // MAYBE race warp-synchronous
}

// launch lock_never_released: block=64 zeros:u32:1 zeros:u32:1
extern "C" __global__ void lock_never_released(unsigned *lock, unsigned *sum) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { // BUG deadlock
        }
        __threadfence();
        *sum += 1;
        __threadfence();
        if (*sum > 100)
            atomicExch(lock, 0);
    }
}

// launch lock_of_lanes: block=32 zeros:u32:1 zeros:u32:1
extern "C" __global__ void lock_of_lanes(unsigned *lock, unsigned *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *(volatile unsigned *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

// launch lock_of_lanes_kept: block=32 zeros:u32:1 zeros:u32:1
extern "C" __global__ void lock_of_lanes_kept(unsigned *lock, unsigned *sum) {
    while (atomicCAS(lock, 0, 1) != 0) { // BUG deadlock
    }
    __threadfence();
    *(volatile unsigned *)sum += 1;
}

// launch round_and_round: block=64 zeros:u32:64
extern "C" __global__ void round_and_round(unsigned *out) {
    __shared__ volatile unsigned left;
    if (threadIdx.x == 0)
        left = 3;
    __syncthreads();
    unsigned seen = left;
    while (seen != 0) { // BUG deadlock
        __syncthreads();
        seen = left;
    }
    out[threadIdx.x] = 1;
}

// launch rounds_that_end: block=64 zeros:u32:64
extern "C" __global__ void rounds_that_end(unsigned *out) {
    __shared__ volatile unsigned left;
    if (threadIdx.x == 0)
        left = 9000;
    __syncthreads();
    unsigned seen = left;
    while (seen != 0) {
        __syncthreads();
        if (threadIdx.x == 0)
            left--;
        __syncthreads();
        seen = left;
    }
    out[threadIdx.x] = 1;
}

// launch counted_tries: block=64 zeros:u32:1 zeros:u32:64
extern "C" __global__ void counted_tries(volatile unsigned *flag, unsigned *out) {
    int tries = 0;
    while (*flag == 0 && tries < 20000)
        tries++;
    out[threadIdx.x] = tries;
}

// launch earlier_block: grid=4 block=32 zeros:u32:4 zeros:u32:4
extern "C" __global__ void earlier_block(volatile unsigned *turn, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned before = 0;
        if (blockIdx.x > 0)
            while ((before = turn[blockIdx.x - 1]) == 0) {
            }
        out[blockIdx.x] = before;
        __threadfence();
        turn[blockIdx.x] = before + 1;
    }
}

// launch blocks_in_vain: grid=3 block=32 zeros:u32:4 zeros:u32:4
extern "C" __global__ void blocks_in_vain(volatile unsigned *turn, unsigned *out) {
    if (threadIdx.x == 0) {
        while (turn[3] == 0) { // BUG deadlock
        }
        out[blockIdx.x] = 1;
    }
}
