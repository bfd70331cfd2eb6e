// Atomics mixed with plain accesses: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

// pair zero_then_add: grid=4 block=64 zeros:u32:1
template <bool RIGHT> __device__ void zero_then_add(unsigned *sum) {
    if (!RIGHT && blockIdx.x == 0 && threadIdx.x == 0)
        *sum = 0; // BUG race
    __syncthreads();
    atomicAdd(sum, 1);
}
PAIR(zero_then_add, (unsigned *sum), (sum))

// pair zero_fence_add: grid=4 block=64 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void zero_fence_add(unsigned *sum, unsigned *ready) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *sum = 0; // BUG race
        __threadfence();
        if (RIGHT)
            atomicExch(ready, 1);
    }
    if (RIGHT && threadIdx.x == 0) {
        while (*(volatile unsigned *)ready == 0) {
        }
        __threadfence();
    }
    __syncthreads();
    atomicAdd(sum, 1);
}
PAIR(zero_fence_add, (unsigned *sum, unsigned *ready), (sum, ready))

// pair zero_shared: block=64 zeros:u32:1
template <bool RIGHT> __device__ void zero_shared(unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0; // BUG race
    if (RIGHT)
        __syncthreads();
    atomicAdd(&count, threadIdx.x); // MAYBE uninitialized
    __syncthreads();
    if (threadIdx.x == 40)
        *out = count;
}
PAIR(zero_shared, (unsigned *out), (out))

// pair zero_after_use: block=64 zeros:u32:2
template <bool RIGHT> __device__ void zero_after_use(unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        atomicAdd(&count, threadIdx.x);
        __syncthreads();
        if (threadIdx.x == 0) {
            out[round] = count; // MAYBE race
            count = 0;          // BUG race
        }
        if (RIGHT)
            __syncthreads();
    }
}
PAIR(zero_after_use, (unsigned *out), (out))

// pair zero_by_half: block=64 zeros:u32:1
template <bool RIGHT> __device__ void zero_by_half(unsigned *out) {
    __shared__ unsigned bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0; // BUG race
    if (RIGHT)
        __syncthreads();
    else
        __syncwarp();
    atomicAdd(&bins[(threadIdx.x * 7) % 32], 1); // MAYBE uninitialized
    __syncthreads();
    atomicAdd(out, bins[threadIdx.x / 2]);
}
PAIR(zero_by_half, (unsigned *out), (out))

// pair peek_before_adds: grid=4 block=64 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void peek_before_adds(unsigned *sum, unsigned *out) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = RIGHT ? atomicAdd(sum, 0) : *sum; // BUG race
    __syncthreads();
    atomicAdd(sum, 1);
}
PAIR(peek_before_adds, (unsigned *sum, unsigned *out), (sum, out))

// pair peek_at_the_end: grid=4 block=64 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void peek_at_the_end(unsigned *sum, unsigned *out) {
    atomicAdd(sum, 1);
    __syncthreads();
    if (blockIdx.x == 3 && threadIdx.x == 0)
        *out = RIGHT ? atomicAdd(sum, 0) : *sum; // BUG race
}
PAIR(peek_at_the_end, (unsigned *sum, unsigned *out), (sum, out))

// pair last_block: grid=4 block=32 zeros:f32:4 zeros:u32:1 zeros:f32:1
template <bool RIGHT> __device__ void last_block(float *part, unsigned *count, float *out) {
    if (threadIdx.x != 0)
        return;
    part[blockIdx.x] = blockIdx.x;
    __threadfence();
    unsigned ticket = atomicAdd(count, 1);
    __threadfence();
    if (RIGHT ? ticket == gridDim.x - 1 : blockIdx.x == gridDim.x - 1) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += part[i]; // BUG race
        *out = sum;
    }
}
PAIR(last_block, (float *part, unsigned *count, float *out), (part, count, out))

// pair ticket_fence: grid=4 block=64 zeros:f32:4 zeros:u32:1 zeros:f32:1
template <bool RIGHT> __device__ void ticket_fence(float *part, unsigned *count, float *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x; // BUG race
        if (RIGHT)
            __threadfence();
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += part[i];
        *out = sum;
        *count = 0;
    }
}
PAIR(ticket_fence, (float *part, unsigned *count, float *out), (part, count, out))

// pair reset_by_last: grid=4 block=32 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void reset_by_last(unsigned *count, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    __threadfence();
    unsigned ticket = atomicAdd(count, 1);
    __threadfence();
    if (!RIGHT || ticket == gridDim.x - 1)
        *count = 0; // BUG race
    if (ticket == gridDim.x - 1)
        *out = 7;
}
PAIR(reset_by_last, (unsigned *count, unsigned *out), (count, out))

// pair reset_then_read: grid=4 block=32 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void reset_then_read(unsigned *count, unsigned *out) {
    __shared__ unsigned ticket;
    if (threadIdx.x == 0)
        ticket = atomicAdd(count, 1);
    __syncthreads();
    if (threadIdx.x == 5 && (RIGHT ? ticket == 3 : blockIdx.x == 3))
        *out = *count; // MAYBE race
    if (threadIdx.x == 6 && !RIGHT && ticket == 0)
        *out = *count; // BUG race
}
PAIR(reset_then_read, (unsigned *count, unsigned *out), (count, out))

// pair own_lock_word: grid=4 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:4
template <bool RIGHT> __device__ void own_lock_word(unsigned *lock, unsigned *sum, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (!RIGHT)
        out[blockIdx.x] = *lock; // BUG race
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    if (RIGHT)
        out[blockIdx.x] = *lock;
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}
PAIR(own_lock_word, (unsigned *lock, unsigned *sum, unsigned *out), (lock, sum, out))

// pair unlock: grid=4 block=32 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void unlock(unsigned *lock, unsigned *sum) {
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += 1; // MAYBE race
    __threadfence();
    if (RIGHT)
        atomicExch(lock, 0);
    else
        *lock = 0; // BUG race
}
PAIR(unlock, (unsigned *lock, unsigned *sum), (lock, sum))

// pair unlock_fence: grid=4 block=32 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void unlock_fence(unsigned *lock, unsigned *sum) {
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += 1; // BUG race
    if (RIGHT)
        __threadfence();
    else
        __threadfence_block();
    atomicExch(lock, 0);
}
PAIR(unlock_fence, (unsigned *lock, unsigned *sum), (lock, sum))

// pair lock_of_blocks: grid=2 block=64 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void lock_of_blocks(unsigned *lock, unsigned *sum) {
    if (threadIdx.x % 32 != 0)
        return;
    if (RIGHT)
        while (atomicCAS(lock, 0, 1) != 0) {
        }
    else
        while (atomicCAS_block(lock, 0, 1) != 0) { // BUG race
        }
    __threadfence();
    *sum += 1; // MAYBE race
    __threadfence();
    atomicExch(lock, 0); // MAYBE race
}
PAIR(lock_of_blocks, (unsigned *lock, unsigned *sum), (lock, sum))

// pair mixed_sizes: block=64 zeros:u64:1
template <bool RIGHT> __device__ void mixed_sizes(unsigned long long *word) {
    if (threadIdx.x < 32 && !RIGHT)
        atomicAdd((unsigned *)word, 1u); // BUG race
    else
        atomicAdd(word, 1ull);
}
PAIR(mixed_sizes, (unsigned long long *word), (word))

// pair mixed_sizes_phases: block=64 zeros:u64:1
template <bool RIGHT> __device__ void mixed_sizes_phases(unsigned long long *word) {
    if (threadIdx.x < 32)
        atomicAdd((unsigned *)word + 1, 1u); // BUG race
    if (RIGHT)
        __syncthreads();
    if (threadIdx.x >= 32)
        atomicMax(word, 5ull);
}
PAIR(mixed_sizes_phases, (unsigned long long *word), (word))

// pair mixed_sizes_shared: block=64 zeros:u64:1
template <bool RIGHT> __device__ void mixed_sizes_shared(unsigned long long *out) {
    __shared__ unsigned long long word;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    if (threadIdx.x % 2 == 0 || RIGHT)
        atomicAdd(&word, 1ull);
    else
        atomicOr((unsigned *)&word, 1u); // BUG race
    __syncthreads();
    if (threadIdx.x == 0)
        *out = word;
}
PAIR(mixed_sizes_shared, (unsigned long long *out), (out))

// pair mixed_sizes_blocks: grid=2 block=32 zeros:u64:2
template <bool RIGHT> __device__ void mixed_sizes_blocks(unsigned long long *words) {
    unsigned long long *word = words + (RIGHT ? blockIdx.x : 0);
    if (blockIdx.x == 0)
        atomicExch((unsigned *)word, threadIdx.x); // BUG race
    else
        atomicCAS(word, 0ull, 9ull);
}
PAIR(mixed_sizes_blocks, (unsigned long long *words), (words))

// pair exchange_then_read: block=64 zeros:u32:2
template <bool RIGHT> __device__ void exchange_then_read(unsigned *out) {
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        word = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&word, 5);
    if (RIGHT)
        __syncthreads();
    if (threadIdx.x == 32)
        *out = word; // BUG race
}
PAIR(exchange_then_read, (unsigned *out), (out))

// pair atomics_of_the_block: grid=4 block=64 zeros:u32:4
template <bool RIGHT> __device__ void atomics_of_the_block(unsigned *sums) {
    unsigned *sum = sums + (RIGHT ? blockIdx.x : 0);
    atomicAdd_block(sum, 1); // BUG race
}
PAIR(atomics_of_the_block, (unsigned *sums), (sums))

// pair scope_in_between: grid=2 block=64 zeros:u32:1
template <bool RIGHT> __device__ void scope_in_between(unsigned *sum) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && !RIGHT)
        atomicAdd_block(sum, 1); // BUG race
    __syncthreads();
    atomicAdd(sum, 1);
}
PAIR(scope_in_between, (unsigned *sum), (sum))

// pair count_then_read: block=64 zeros:u32:64
template <bool RIGHT> __device__ void count_then_read(unsigned *out) {
    __shared__ unsigned bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    if (RIGHT)
        __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x / 8]; // BUG race
}
PAIR(count_then_read, (unsigned *out), (out))

// pair check_before_max: grid=4 block=32 zeros:u32:1 iota:u32:128
template <bool RIGHT> __device__ void check_before_max(unsigned *most, const unsigned *in) {
    unsigned x = in[blockIdx.x * 32 + threadIdx.x];
    unsigned seen = 0;
    if (RIGHT)
        seen = *(volatile unsigned *)most;
    else
        seen = *most; // BUG race
    if (x > seen)
        atomicMax(most, x);
}
PAIR(check_before_max, (unsigned *most, const unsigned *in), (most, in))

// pair swap_loop: grid=4 block=32 zeros:u32:1 zeros:u32:4
template <bool RIGHT> __device__ void swap_loop(unsigned *sum, unsigned *out) {
    unsigned old = *sum, assumed;
    do {
        assumed = old;
        old = atomicCAS(sum, assumed, assumed * 3 + 1);
    } while (old != assumed);
    if (!RIGHT && threadIdx.x == 0)
        out[blockIdx.x] = *sum; // BUG race
}
PAIR(swap_loop, (unsigned *sum, unsigned *out), (sum, out))

// pair push_then_size: block=64 zeros:u32:1 zeros:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void push_then_size(unsigned *head, unsigned *list, unsigned *out) {
    if (threadIdx.x % 3 == 0)
        list[atomicAdd(head, 1)] = threadIdx.x;
    if (RIGHT)
        __syncthreads();
    if (threadIdx.x == 50)
        *out = *head; // BUG race
}
PAIR(push_then_size, (unsigned *head, unsigned *list, unsigned *out), (head, list, out))

// pair push_then_pop: block=64 zeros:u32:1 zeros:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void push_then_pop(unsigned *head, unsigned *list, unsigned *out) {
    if (threadIdx.x < 32)
        list[atomicAdd(head, 1)] = threadIdx.x;
    if (RIGHT)
        __syncthreads();
    if (threadIdx.x >= 32) {
        unsigned at = atomicSub(head, 1) - 1;
        if (at < 64)
            atomicAdd(out, list[at]); // BUG race
    }
}
PAIR(push_then_pop, (unsigned *head, unsigned *list, unsigned *out), (head, list, out))

// pair normalise: grid=4 block=32 zeros:f32:1 zeros:u32:1
template <bool RIGHT> __device__ void normalise(float *sum, unsigned *count) {
    atomicAdd(sum, 1.0f);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bool last = RIGHT ? atomicAdd(count, 1) == gridDim.x - 1 : blockIdx.x == 0;
        __threadfence();
        if (last)
            *sum /= 128; // BUG race
    }
}
PAIR(normalise, (float *sum, unsigned *count), (sum, count))

// pair min_and_plain: grid=2 block=32 iota:u32:32
template <bool RIGHT> __device__ void min_and_plain(unsigned *least) {
    if (blockIdx.x == 0 || RIGHT)
        atomicMin(&least[threadIdx.x], threadIdx.x / 2);
    else
        least[threadIdx.x] = threadIdx.x / 3; // BUG race
}
PAIR(min_and_plain, (unsigned *least), (least))

// pair bits: block=64 zeros:u32:4
template <bool RIGHT> __device__ void bits(unsigned *mask) {
    if (RIGHT)
        atomicOr(&mask[threadIdx.x / 32], 1u << threadIdx.x % 32);
    else
        mask[threadIdx.x / 32] |= 1u << threadIdx.x % 32; // BUG race
}
PAIR(bits, (unsigned *mask), (mask))

// pair half_atomic: block=64 zeros:f32:1
template <bool RIGHT> __device__ void half_atomic(float *sum) {
    if (threadIdx.x % 2 == 0 || RIGHT)
        atomicAdd(sum, 1.0f);
    else
        *sum += 1.0f; // BUG race
}
PAIR(half_atomic, (float *sum), (sum))

// pair spin_on_shared: block=64 zeros:u32:1
template <bool RIGHT> __device__ void spin_on_shared(unsigned *out) {
    __shared__ unsigned turn, value;
    if (threadIdx.x == 0)
        turn = value = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 4; // BUG race
        if (RIGHT)
            __threadfence_block();
        atomicExch(&turn, 1);
    }
    if (threadIdx.x == 32) {
        while (atomicAdd(&turn, 0) == 0) {
        }
        __threadfence_block();
        *out = value;
    }
}
PAIR(spin_on_shared, (unsigned *out), (out))
