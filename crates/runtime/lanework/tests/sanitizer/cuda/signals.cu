// One lane signals or waits for its whole warp: each kernel in a wrong and a right version. If the lanes reach the accesses together, the
// wrong version relies on lockstep; if they may not, it has a race.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

__device__ unsigned address(void *at) { return (unsigned)__cvta_generic_to_shared(at); }
__device__ void init(unsigned long long *at, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(at)), "r"(count) : "memory");
}
__device__ unsigned long long arrive(unsigned long long *at) {
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(address(at)) : "memory");
    return state;
}
__device__ void wait(unsigned long long *at, unsigned long long state) {
    asm volatile("{ .reg .pred p; again: mbarrier.test_wait.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(address(at)),
                 "l"(state)
                 : "memory");
}
__device__ unsigned acquired(unsigned *at) {
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
__device__ void release(unsigned *at, unsigned value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

// pair one_lane_arrives: block=64 zeros:u32:32
template <bool RIGHT> __device__ void one_lane_arrives(unsigned *out) {
    __shared__ unsigned tile[32];
    __shared__ unsigned long long full;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init(&full, 33);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[lane] = lane; // MAYBE warp-synchronous
        if (RIGHT)
            __syncwarp();
        if (lane == 0)
            arrive(&full);
    } else {
        wait(&full, arrive(&full));
        out[lane] = tile[31 - lane]; // BUG warp-synchronous
    }
}
PAIR(one_lane_arrives, (unsigned *out), (out))

// pair one_lane_waits: block=64 zeros:u32:32
template <bool RIGHT> __device__ void one_lane_waits(unsigned *out) {
    __shared__ unsigned tile[32];
    __shared__ unsigned long long full;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init(&full, 33);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[lane] = lane; // MAYBE warp-synchronous
        arrive(&full);
    } else {
        if (lane == 7)
            wait(&full, arrive(&full));
        if (RIGHT)
            __syncwarp();
        out[lane] = tile[31 - lane]; // BUG warp-synchronous
    }
}
PAIR(one_lane_waits, (unsigned *out), (out))

// pair a_vote_before_the_arrival: block=64 zeros:u32:32
template <bool RIGHT> __device__ void a_vote_before_the_arrival(unsigned *out) {
    __shared__ unsigned tile[32];
    __shared__ unsigned long long full;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init(&full, 33);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[lane] = lane; // MAYBE warp-synchronous
        if (RIGHT)
            __syncwarp();
        if (__any_sync(~0u, lane == 3) && lane == 0)
            arrive(&full);
    } else {
        wait(&full, arrive(&full));
        out[lane] = tile[31 - lane]; // BUG warp-synchronous
    }
}
PAIR(a_vote_before_the_arrival, (unsigned *out), (out))

// pair refilled_too_early: block=64 zeros:u32:32
template <bool RIGHT> __device__ void refilled_too_early(unsigned *out) {
    __shared__ unsigned tile[32];
    __shared__ unsigned long long empty;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        init(&empty, 33);
    tile[lane] = 1;
    __syncthreads();
    if (threadIdx.x < 32) {
        out[lane] = tile[31 - lane]; // MAYBE warp-synchronous
        if (RIGHT)
            __syncwarp();
        if (lane == 0)
            arrive(&empty);
    } else {
        wait(&empty, arrive(&empty));
        tile[lane] = 2 + lane; // BUG warp-synchronous
    }
}
PAIR(refilled_too_early, (unsigned *out), (out))

// pair one_lane_releases: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void one_lane_releases(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 3 + threadIdx.x; // MAYBE warp-synchronous
        if (RIGHT)
            __syncwarp();
        if (threadIdx.x == 0)
            release(flag, 1);
    } else {
        while (acquired(flag) == 0) {
        }
        out[threadIdx.x] = data[31 - threadIdx.x]; // BUG warp-synchronous
    }
}
PAIR(one_lane_releases, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair all_fence_one_signals: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void all_fence_one_signals(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 3 + threadIdx.x; // MAYBE warp-synchronous
        __threadfence();
        if (RIGHT)
            __syncwarp();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        while (acquired(flag) == 0) {
        }
        out[threadIdx.x] = data[31 - threadIdx.x]; // BUG warp-synchronous
    }
}
PAIR(all_fence_one_signals, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair one_lane_polls: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void one_lane_polls(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 3 + threadIdx.x; // MAYBE warp-synchronous
        __syncwarp();
        if (threadIdx.x == 0)
            release(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (acquired(flag) == 0) {
            }
        if (RIGHT)
            __syncwarp();
        out[threadIdx.x] = data[31 - threadIdx.x]; // BUG warp-synchronous
    }
}
PAIR(one_lane_polls, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair a_ticket_by_shuffle: grid=3 block=32 zeros:u32:96 zeros:u32:1 zeros:u32:96
template <bool RIGHT> __device__ void a_ticket_by_shuffle(unsigned *parts, unsigned *count, unsigned *out) {
    parts[32 * blockIdx.x + threadIdx.x] = threadIdx.x; // MAYBE warp-synchronous
    __syncwarp();
    unsigned ticket = 0;
    if (threadIdx.x == 0) {
        __threadfence();
        ticket = atomicAdd(count, 1);
        __threadfence();
    }
    if (RIGHT)
        __syncwarp();
    if (__shfl_sync(~0u, ticket, 0) == 2)
        for (unsigned block = 0; block < 3; block++)
            out[32 * block + threadIdx.x] = parts[32 * block + threadIdx.x]; // BUG warp-synchronous
}
PAIR(a_ticket_by_shuffle, (unsigned *parts, unsigned *count, unsigned *out), (parts, count, out))

// pair half_a_warp: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void half_a_warp(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 3 + threadIdx.x; // MAYBE warp-synchronous
        if (RIGHT)
            __syncwarp();
        else if (threadIdx.x < 16)
            __syncwarp(0xffff);
        if (threadIdx.x == 0)
            release(flag, 1);
    } else {
        while (acquired(flag) == 0) {
        }
        out[threadIdx.x] = data[threadIdx.x]; // BUG warp-synchronous
    }
}
PAIR(half_a_warp, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// Two warp barriers in a row: lane 0 takes part in both, so the first half's writes are visible to the last lane.
// launch lanes_in_a_row: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
extern "C" __global__ void lanes_in_a_row(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 3 + threadIdx.x;
        if (threadIdx.x < 16)
            __syncwarp(0xffff);
        if (threadIdx.x == 0 || threadIdx.x >= 16)
            __syncwarp(0xffff0001);
        if (threadIdx.x == 31)
            release(flag, 1);
    } else {
        while (acquired(flag) == 0) {
        }
        out[threadIdx.x] = data[31 - threadIdx.x];
    }
}

// pair other_lanes_write: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void other_lanes_write(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x != 0)
            data[threadIdx.x] = 3 + threadIdx.x; // BUG race
        if (RIGHT)
            __syncwarp();
        if (threadIdx.x == 0)
            release(flag, 1);
    } else {
        while (acquired(flag) == 0) {
        }
        out[threadIdx.x] = data[31 - threadIdx.x];
    }
}
PAIR(other_lanes_write, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair other_lanes_read: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void other_lanes_read(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 3 + threadIdx.x;
        __syncwarp();
        if (threadIdx.x == 0)
            release(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (acquired(flag) == 0) {
            }
        if (RIGHT)
            __syncwarp();
        if (threadIdx.x != 0)
            out[threadIdx.x] = data[31 - threadIdx.x]; // BUG race
    }
}
PAIR(other_lanes_read, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))
