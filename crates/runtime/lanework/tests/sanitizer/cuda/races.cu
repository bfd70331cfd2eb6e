// Unordered accesses in shared and in global memory.

// launch no_barrier: block=64 zeros:f32:64
extern "C" __global__ void no_barrier(float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x; // SEEN
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
}

// launch with_barrier: block=64 zeros:f32:64
extern "C" __global__ void with_barrier(float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// launch reused_too_soon: block=64 iota:f32:256 zeros:f32:64 u32:4
extern "C" __global__ void reused_too_soon(const float *in, float *out, unsigned rounds) {
    __shared__ float tile[64];
    float sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        tile[threadIdx.x] = in[64 * round + threadIdx.x]; // BUG race
        __syncthreads();
        sum += tile[63 - threadIdx.x]; // SEEN
    }
    out[threadIdx.x] = sum;
}

// launch reused_right: block=64 iota:f32:256 zeros:f32:64 u32:4
extern "C" __global__ void reused_right(const float *in, float *out, unsigned rounds) {
    __shared__ float tile[64];
    float sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        tile[threadIdx.x] = in[64 * round + threadIdx.x];
        __syncthreads();
        sum += tile[63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// launch one_place: block=64 zeros:u32:1
extern "C" __global__ void one_place(unsigned *out) {
    __shared__ unsigned place;
    place = threadIdx.x; // BUG race
    __syncthreads();
    if (threadIdx.x == 0)
        *out = place;
}

// launch one_value: block=64 zeros:u32:1 u32:9
extern "C" __global__ void one_value(unsigned *out, unsigned value) {
    __shared__ unsigned place;
    place = value;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = place;
}

// launch no_warp_sync: block=32 zeros:f32:32
extern "C" __global__ void no_warp_sync(float *out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x; // SEEN
    out[threadIdx.x] = tile[31 - threadIdx.x]; // BUG race
}

// launch with_warp_sync: block=32 zeros:f32:32
extern "C" __global__ void with_warp_sync(float *out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

// launch half_warp_sync: block=32 zeros:f32:32
extern "C" __global__ void half_warp_sync(float *out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x; // SEEN
    __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = tile[31 - threadIdx.x]; // BUG race
}

// launch half_warp_right: block=32 zeros:f32:32
extern "C" __global__ void half_warp_right(float *out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = tile[threadIdx.x ^ 15];
}

// launch tree_no_sync: block=32 zeros:f32:1
extern "C" __global__ void tree_no_sync(float *out) {
    __shared__ float sums[64];
    sums[threadIdx.x] = threadIdx.x;
    sums[threadIdx.x + 32] = 0;
    __syncthreads();
    sums[threadIdx.x] += sums[threadIdx.x + 16]; // BUG race
    sums[threadIdx.x] += sums[threadIdx.x + 8]; // MAYBE race
    sums[threadIdx.x] += sums[threadIdx.x + 4]; // MAYBE race
    if (threadIdx.x == 0)
        *out = sums[0];
}

// launch tree_right: block=64 zeros:f32:1
extern "C" __global__ void tree_right(float *out) {
    __shared__ float sums[64];
    sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (threadIdx.x < step)
            sums[threadIdx.x] += sums[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = sums[0];
}

// launch tree_no_barrier: block=128 zeros:f32:1
extern "C" __global__ void tree_no_barrier(float *out) {
    __shared__ float sums[128];
    sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (threadIdx.x < step)
            sums[threadIdx.x] += sums[threadIdx.x + step]; // BUG race
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sums[0];
}

// launch plain_bins: block=64 iota:u32:64 zeros:u32:8
extern "C" __global__ void plain_bins(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] % 8]++; // BUG race
    __syncthreads();
    if (threadIdx.x < 8)
        out[threadIdx.x] = bins[threadIdx.x];
}

// launch atomic_then_read: block=128 iota:u32:128 zeros:u32:8
extern "C" __global__ void atomic_then_read(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] % 8], 1); // SEEN
    if (threadIdx.x < 8)
        out[threadIdx.x] = bins[threadIdx.x]; // BUG race
}

// launch plain_then_atomic: block=64 zeros:u32:1
extern "C" __global__ void plain_then_atomic(unsigned *out) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = 0; // SEEN
    atomicAdd(&sum, threadIdx.x); // BUG race
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}

// launch named_barrier_wrong: block=128 zeros:f32:64
extern "C" __global__ void named_barrier_wrong(float *out) {
    __shared__ float tile[64];
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = threadIdx.x; // SEEN
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[threadIdx.x - 64] = tile[threadIdx.x - 64]; // BUG race
    }
}

// launch named_barrier_right: block=128 zeros:f32:64
extern "C" __global__ void named_barrier_right(float *out) {
    __shared__ float tile[64];
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = threadIdx.x;
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[threadIdx.x - 64] = tile[threadIdx.x - 64];
    }
}

// launch arrive_is_no_wait: block=128 zeros:f32:128
extern "C" __global__ void arrive_is_no_wait(float *out) {
    __shared__ float tile[128];
    tile[threadIdx.x] = threadIdx.x; // SEEN
    if (threadIdx.x < 64)
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    else
        asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x < 64)
        out[threadIdx.x] = tile[threadIdx.x + 64]; // BUG race
}

// launch half_block_barrier: block=128 zeros:f32:128
extern "C" __global__ void half_block_barrier(float *out) {
    __shared__ float tile[128];
    tile[threadIdx.x] = threadIdx.x; // SEEN
    asm volatile("bar.sync %0, 64;" ::"r"(threadIdx.x / 64 + 1) : "memory");
    out[threadIdx.x] = tile[127 - threadIdx.x]; // BUG race
}

// launch transpose_no_barrier: block=16x16 iota:f32:256 zeros:f32:256
extern "C" __global__ void transpose_no_barrier(const float *in, float *out) {
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x]; // SEEN
    out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // BUG race
}

// launch bytes: block=64 zeros:u8:64
extern "C" __global__ void bytes(unsigned char *out) {
    __shared__ unsigned char tile[64];
    tile[threadIdx.x] = threadIdx.x; // SEEN
    out[threadIdx.x] = tile[(threadIdx.x + 1) % 64]; // BUG race
}

// launch bytes_right: block=64 zeros:u8:64
extern "C" __global__ void bytes_right(unsigned char *out) {
    __shared__ unsigned char tile[64];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[threadIdx.x];
}

// launch broadcast: block=64 zeros:f32:64 f32:2
extern "C" __global__ void broadcast(float *out, float x) {
    __shared__ float value;
    if (threadIdx.x == 0)
        value = x * x; // SEEN
    out[threadIdx.x] = value; // BUG race
}

// launch stencil_in_place: block=64 zeros:f32:64
extern "C" __global__ void stencil_in_place(float *out) {
    __shared__ float tile[66];
    tile[threadIdx.x + 1] = threadIdx.x;
    if (threadIdx.x == 0)
        tile[0] = tile[65] = 0;
    __syncthreads();
    float x = tile[threadIdx.x] + tile[threadIdx.x + 2]; // SEEN
    tile[threadIdx.x + 1] = x; // BUG race
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1];
}

// launch scan_no_second_barrier: block=64 zeros:u32:64
extern "C" __global__ void scan_no_second_barrier(unsigned *out) {
    __shared__ unsigned sums[64];
    sums[threadIdx.x] = 1;
    for (int step = 1; step < 64; step *= 2) {
        __syncthreads();
        unsigned x = threadIdx.x >= step ? sums[threadIdx.x - step] : 0; // SEEN
        sums[threadIdx.x] += x; // BUG race
    }
    __syncthreads();
    out[threadIdx.x] = sums[threadIdx.x];
}

// launch double_buffer: block=64 iota:f32:256 zeros:f32:64 u32:4
extern "C" __global__ void double_buffer(const float *in, float *out, unsigned rounds) {
    __shared__ float tile[2][64];
    float sum = 0;
    for (unsigned round = 0; round < rounds; round++) {
        tile[round % 2][threadIdx.x] = in[64 * round + threadIdx.x];
        __syncthreads();
        sum += tile[round % 2][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}

// launch double_buffer_wrong: block=64 iota:f32:256 zeros:f32:64 u32:4
extern "C" __global__ void double_buffer_wrong(const float *in, float *out, unsigned rounds) {
    __shared__ float tile[2][64];
    float sum = 0;
    tile[0][threadIdx.x] = 0;
    __syncthreads();
    for (unsigned round = 1; round < rounds; round++) {
        sum += tile[(round + 1) % 2][63 - threadIdx.x]; // BUG race
        tile[round % 2][threadIdx.x] = in[64 * round + threadIdx.x]; // BUG race
    }
    out[threadIdx.x] = sum;
}

// launch lockstep_volatile: block=64 iota:f32:64 zeros:f32:1
extern "C" __global__ void lockstep_volatile(const float *in, float *out) {
    __shared__ volatile float sums[64];
    unsigned i = threadIdx.x;
    sums[i] = in[i];
    __syncthreads();
    if (i < 32)
        sums[i] += sums[i + 32];
    if (i < 16)
        sums[i] += sums[i + 16]; // BUG warp-synchronous
    if (i < 8)
        sums[i] += sums[i + 8]; // BUG warp-synchronous
    if (i == 0)
        *out = sums[0];
}

// launch lockstep_right: block=64 iota:f32:64 zeros:f32:1
extern "C" __global__ void lockstep_right(const float *in, float *out) {
    __shared__ volatile float sums[64];
    unsigned i = threadIdx.x;
    sums[i] = in[i];
    __syncthreads();
    if (i < 32)
        for (unsigned step = 32; step > 0; step /= 2) {
            float sum = i < step ? sums[i] + sums[i + step] : 0;
            __syncwarp();
            sums[i] = sum;
            __syncwarp();
        }
    if (i == 0)
        *out = sums[0];
}

// launch volatile_is_no_lock: grid=2 block=1 zeros:u32:1 u32:7
extern "C" __global__ void volatile_is_no_lock(volatile unsigned *sum, unsigned value) {
    *sum += value + blockIdx.x; // BUG race
}

// launch volatile_turns: block=64 zeros:u32:8
extern "C" __global__ void volatile_turns(unsigned *out) {
    __shared__ volatile unsigned turn;
    __shared__ unsigned value;
    if (threadIdx.x == 0)
        turn = value = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (unsigned i = 0; i < 4; i++) {
            while (turn != threadIdx.x / 32) {
            }
            __threadfence_block();
            out[2 * i + threadIdx.x / 32] = value;
            value = i;
            __threadfence_block();
            turn = 1 - threadIdx.x / 32;
        }
}

// launch flag_in_shared: block=64 zeros:f32:1 f32:5
extern "C" __global__ void flag_in_shared(float *out, float x) {
    __shared__ volatile unsigned ready;
    __shared__ float value;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = x;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (ready == 0) {
        }
        __threadfence_block();
        *out = value;
    }
}

// launch flag_no_fence: block=64 zeros:f32:1 f32:5
extern "C" __global__ void flag_no_fence(float *out, float x) {
    __shared__ volatile unsigned ready;
    __shared__ float value;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = x; // SEEN
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (ready == 0) {
        }
        *out = value; // BUG race
    }
}

// launch global_one_place: grid=4 block=32 zeros:u32:1
extern "C" __global__ void global_one_place(unsigned *out) {
    if (threadIdx.x == 0)
        *out = blockIdx.x; // BUG race
}

// launch global_one_value: grid=4 block=32 zeros:u32:1
extern "C" __global__ void global_one_value(unsigned *found) {
    *found = 1;
}

// launch global_sum: grid=4 block=32 zeros:f32:1
extern "C" __global__ void global_sum(float *sum) {
    if (threadIdx.x == 0)
        *sum += blockIdx.x + 1; // BUG race
}

// launch global_sum_right: grid=4 block=32 zeros:f32:1
extern "C" __global__ void global_sum_right(float *sum) {
    if (threadIdx.x == 0)
        atomicAdd(sum, blockIdx.x + 1);
}

// launch global_bins: grid=4 block=64 zeros:u32:16
extern "C" __global__ void global_bins(unsigned *bins) {
    bins[(blockIdx.x * 7 + threadIdx.x) % 16]++; // BUG race
}

// launch global_stencil: grid=4 block=32 iota:f32:130
extern "C" __global__ void global_stencil(float *x) {
    unsigned i = blockIdx.x * 32 + threadIdx.x + 1;
    float left = x[i - 1]; // BUG race
    float right = x[i + 1]; // BUG race
    x[i] = left + right; // BUG race
}

// launch global_in_block: block=64 zeros:f32:64 zeros:f32:64
extern "C" __global__ void global_in_block(float *work, float *out) {
    work[threadIdx.x] = threadIdx.x; // SEEN
    out[threadIdx.x] = work[63 - threadIdx.x]; // BUG race
}

// launch global_in_block_right: block=64 zeros:f32:64 zeros:f32:64
extern "C" __global__ void global_in_block_right(float *work, float *out) {
    work[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = work[63 - threadIdx.x];
}

// launch global_neighbour: grid=2 block=32 zeros:f32:64 zeros:f32:64
extern "C" __global__ void global_neighbour(float *work, float *out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    work[i] = i; // SEEN
    __syncthreads();
    out[i] = work[63 - i]; // BUG race
}

// launch counter_peek: grid=4 block=32 zeros:u32:1 zeros:u32:4
extern "C" __global__ void counter_peek(unsigned *count, unsigned *out) {
    atomicAdd(count, 1); // SEEN
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = *count; // BUG race
}

// launch last_block: grid=8 block=64 iota:f32:512 uninit:f32:8 zeros:u32:1 zeros:f32:1
extern "C" __global__ void last_block(const float *in, float *parts, unsigned *count, float *out) {
    __shared__ float sums[64];
    __shared__ bool last;
    sums[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < 64; i++)
            sum += sums[i];
        parts[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += parts[i];
        *out = sum;
    }
}

// launch last_block_no_fence: grid=8 block=64 iota:f32:512 uninit:f32:8 zeros:u32:1 zeros:f32:1
extern "C" __global__ void last_block_no_fence(const float *in, float *parts, unsigned *count, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = in[blockIdx.x * 64]; // SEEN
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += parts[i]; // BUG race
        *out = sum;
    }
}

// launch last_block_no_barrier: grid=4 block=64 uninit:f32:256 zeros:u32:1 zeros:f32:64
extern "C" __global__ void last_block_no_barrier(float *parts, unsigned *count, float *out) {
    __shared__ bool last;
    parts[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // SEEN
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += parts[64 * i + threadIdx.x]; // BUG race
        out[threadIdx.x] = sum;
    }
}

// launch look_back: grid=8 block=32 uninit:u32:8 zeros:u32:8 zeros:u32:8
extern "C" __global__ void look_back(unsigned *sums, volatile unsigned *flags, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0) {
            }
            __threadfence();
            sum = sums[blockIdx.x - 1];
        }
        sums[blockIdx.x] = sum + blockIdx.x;
        __threadfence();
        flags[blockIdx.x] = 1;
        out[blockIdx.x] = sum;
    }
}

// launch look_back_no_fence: grid=8 block=32 uninit:u32:8 zeros:u32:8 zeros:u32:8
extern "C" __global__ void look_back_no_fence(unsigned *sums, volatile unsigned *flags, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0) {
            }
            sum = sums[blockIdx.x - 1]; // BUG race
        }
        sums[blockIdx.x] = sum + blockIdx.x; // SEEN
        flags[blockIdx.x] = 1;
        out[blockIdx.x] = sum;
    }
}

// launch block_fence_only: grid=2 block=32 uninit:u32:2 zeros:u32:2 zeros:u32:2
extern "C" __global__ void block_fence_only(unsigned *sums, volatile unsigned *flags, unsigned *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x > 0) {
            while (flags[blockIdx.x - 1] == 0) {
            }
            out[blockIdx.x] = sums[blockIdx.x - 1]; // BUG race
        }
        sums[blockIdx.x] = blockIdx.x; // SEEN
        __threadfence_block();
        flags[blockIdx.x] = 1;
    }
}

// launch block_atomics: grid=2 block=32 zeros:u32:1
extern "C" __global__ void block_atomics(unsigned *count) {
    atomicAdd_block(count, 1); // BUG race
}

// launch release_acquire: grid=2 block=32 uninit:u32:1 zeros:u32:1 zeros:u32:1
extern "C" __global__ void release_acquire(unsigned *value, unsigned *flag, unsigned *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            *value = 7;
            asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag)) : "memory");
        } else {
            unsigned ready;
            do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(__cvta_generic_to_global(flag)) : "memory");
            while (ready == 0);
            *out = *value;
        }
    }
}

// launch lock_missing: grid=4 block=32 zeros:u32:1 zeros:u32:1
extern "C" __global__ void lock_missing(unsigned *lock, unsigned *value) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        *value += blockIdx.x; // BUG race
        atomicExch(lock, 0);
    }
}

// launch lock_right: grid=4 block=32 zeros:u32:1 zeros:u32:1
extern "C" __global__ void lock_right(unsigned *lock, unsigned *value) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *value += blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
    }
}
