// Flags between blocks and warps, by fences, releases and acquires: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

__device__ void until(unsigned *flag, unsigned value) {
    while (*(volatile unsigned *)flag < value) {
    }
    __threadfence();
}
__device__ unsigned acquired(unsigned *at) {
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
__device__ unsigned relaxed(unsigned *at) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
__device__ void release(unsigned *at, unsigned value) {
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
__device__ void relax(unsigned *at, unsigned value) {
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

// pair plain_flag: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void plain_flag(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // MAYBE race
        __threadfence();
        if (RIGHT)
            atomicExch(flag, 1);
        else
            *flag = 1; // BUG race
    } else {
        until(flag, 1);
        __threadfence();
        *out = *data;
    }
}
PAIR(plain_flag, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair no_fence: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void no_fence(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // BUG race
        if (RIGHT)
            __threadfence();
        atomicExch(flag, 1);
    } else {
        until(flag, 1);
        __threadfence();
        *out = *data;
    }
}
PAIR(no_fence, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair small_fence: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void small_fence(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // BUG race
        if (RIGHT)
            __threadfence();
        else
            __threadfence_block();
        atomicExch(flag, 1);
    } else {
        until(flag, 1);
        __threadfence();
        *out = *data;
    }
}
PAIR(small_fence, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair late_fence: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void late_fence(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        if (RIGHT)
            *data = 3;
        __threadfence();
        if (!RIGHT)
            *data = 3; // BUG race
        atomicExch(flag, 1);
        __threadfence();
    } else {
        until(flag, 1);
        __threadfence();
        *out = *data;
    }
}
PAIR(late_fence, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair store_release: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void store_release(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // BUG race
        if (RIGHT)
            release(flag, 1);
        else
            relax(flag, 1);
    } else {
        while (acquired(flag) == 0) {
        }
        *out = *data;
    }
}
PAIR(store_release, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair fence_and_relaxed: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void fence_and_relaxed(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // BUG race
        if (RIGHT)
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        relax(flag, 1);
    } else {
        while (relaxed(flag) == 0) {
        }
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        *out = *data;
    }
}
PAIR(fence_and_relaxed, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair reduction_releases: grid=3 block=32 zeros:u32:2 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void reduction_releases(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x < 2) {
        data[blockIdx.x] = 3; // BUG race
        if (RIGHT)
            asm volatile("red.release.gpu.add.u32 [%0], 1;" ::"l"(flag) : "memory");
        else
            asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        while (acquired(flag) < 2) {
        }
        *out = data[0] + data[1];
    }
}
PAIR(reduction_releases, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair release_sequence: grid=3 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void release_sequence(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // BUG race
        release(flag, 1);
    } else if (blockIdx.x == 1) {
        while (relaxed(flag) == 0) {
        }
        if (RIGHT)
            asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(flag) : "memory");
        else
            relax(flag, 2);
    } else {
        while (acquired(flag) < 2) {
        }
        *out = *data;
    }
}
PAIR(release_sequence, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair acquire_of_the_block: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void acquire_of_the_block(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // MAYBE race
        release(flag, 1);
    } else {
        unsigned seen = 0;
        while (seen == 0) {
            if (RIGHT)
                seen = acquired(flag);
            else
                asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); // BUG race
        }
        *out = *data;
    }
}
PAIR(acquire_of_the_block, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair consumer_resets: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void consumer_resets(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        if (RIGHT) {
            until(flag, 1);
            __threadfence();
            *out = *data;
        }
        *flag = 0; // BUG race
    }
}
PAIR(consumer_resets, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair other_thread_resets: grid=2 block=64 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void other_thread_resets(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            *data = 3;
            __threadfence();
            atomicExch(flag, 1);
        }
        return;
    }
    if (threadIdx.x == 0) {
        until(flag, 1);
        __threadfence();
        *out = *data;
    }
    if (RIGHT)
        __syncthreads();
    if (threadIdx.x == 40)
        *flag = 0; // BUG race
}
PAIR(other_thread_resets, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair one_polls_all_read: grid=2 block=64 zeros:u32:64 zeros:u32:1 zeros:u32:64
template <bool RIGHT> __device__ void one_polls_all_read(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            until(flag, 1);
        if (RIGHT)
            __syncthreads();
        out[threadIdx.x] = data[threadIdx.x]; // BUG race
    }
}
PAIR(one_polls_all_read, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair poll_without_fence: grid=2 block=64 zeros:u32:64 zeros:u32:1 zeros:u32:64
template <bool RIGHT> __device__ void poll_without_fence(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (*(volatile unsigned *)flag == 0) {
            }
        __syncthreads();
        if (RIGHT)
            __threadfence();
        out[threadIdx.x] = data[threadIdx.x]; // BUG race
    }
}
PAIR(poll_without_fence, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair all_write_one_signals: grid=2 block=64 zeros:u32:64 zeros:u32:1 zeros:u32:64
template <bool RIGHT> __device__ void all_write_one_signals(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x; // BUG race
        if (RIGHT)
            __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (threadIdx.x == 0)
            until(flag, 1);
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
PAIR(all_write_one_signals, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// pair chain_of_three: grid=3 block=32 zeros:u32:1 zeros:u32:2 zeros:u32:1
template <bool RIGHT> __device__ void chain_of_three(unsigned *data, unsigned *flags, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // BUG race
        release(&flags[0], 1);
    } else if (blockIdx.x == 1) {
        if (RIGHT)
            while (acquired(&flags[0]) == 0) {
            }
        release(&flags[1], 1);
    } else {
        while (acquired(&flags[1]) == 0) {
        }
        *out = *data;
    }
}
PAIR(chain_of_three, (unsigned *data, unsigned *flags, unsigned *out), (data, flags, out))

// pair wrong_flag: grid=2 block=32 zeros:u32:2 zeros:u32:2 zeros:u32:1
template <bool RIGHT> __device__ void wrong_flag(unsigned *data, unsigned *flags, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        data[0] = 3;
        release(&flags[0], 1);
        data[1] = 4; // BUG race
        release(&flags[1], 1);
    } else {
        while (acquired(&flags[RIGHT ? 1 : 0]) == 0) {
        }
        *out = data[0] + data[1];
    }
}
PAIR(wrong_flag, (unsigned *data, unsigned *flags, unsigned *out), (data, flags, out))

// pair look_back: grid=4 block=32 zeros:u32:4 zeros:u32:4
template <bool RIGHT> __device__ void look_back(unsigned *prefix, unsigned *flags) {
    if (threadIdx.x != 0)
        return;
    unsigned before = 0;
    if (blockIdx.x > 0) {
        until(&flags[blockIdx.x - 1], 1);
        __threadfence();
        before = prefix[blockIdx.x - 1];
    }
    prefix[blockIdx.x] = before + blockIdx.x; // BUG race
    if (RIGHT)
        __threadfence();
    *(volatile unsigned *)&flags[blockIdx.x] = 1;
}
PAIR(look_back, (unsigned *prefix, unsigned *flags), (prefix, flags))

// pair packed_look_back: grid=4 block=32 zeros:u64:4 zeros:u32:4
template <bool RIGHT> __device__ void packed_look_back(unsigned long long *state, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    unsigned before = 0;
    if (blockIdx.x > 0) {
        unsigned long long seen;
        do
            seen = *(volatile unsigned long long *)&state[blockIdx.x - 1];
        while (seen >> 32 == 0);
        before = (unsigned)seen;
    }
    unsigned long long mine = 1ull << 32 | (before + blockIdx.x);
    if (RIGHT)
        atomicExch(&state[blockIdx.x], mine);
    else
        state[blockIdx.x] = mine; // BUG race
    out[blockIdx.x] = before;
}
PAIR(packed_look_back, (unsigned long long *state, unsigned *out), (state, out))

// pair warps_hand_over: block=64 zeros:u32:32
template <bool RIGHT> __device__ void warps_hand_over(unsigned *out) {
    __shared__ unsigned data[32];
    __shared__ unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        data[threadIdx.x] = threadIdx.x; // BUG race
        __syncwarp();
        if (threadIdx.x == 0) {
            if (RIGHT)
                __threadfence_block();
            *(volatile unsigned *)&flag = 1;
        }
    } else {
        if (threadIdx.x == 32)
            until(&flag, 1);
        __threadfence_block();
        __syncwarp();
        out[threadIdx.x - 32] = data[63 - threadIdx.x];
    }
}
PAIR(warps_hand_over, (unsigned *out), (out))

// pair reused_slot: grid=3 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:2
template <bool RIGHT> __device__ void reused_slot(unsigned *slot, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *slot = 1;
        release(flag, 1);
        return;
    }
    while (acquired(flag) == 0) {
    }
    if (blockIdx.x == 1 && !RIGHT)
        *slot = 9; // BUG race
    else
        out[blockIdx.x - 1] = *slot;
}
PAIR(reused_slot, (unsigned *slot, unsigned *flag, unsigned *out), (slot, flag, out))

// pair sequential_fence: grid=2 block=32 zeros:u32:1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void sequential_fence(unsigned *data, unsigned *flag, unsigned *out) {
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        *data = 3; // BUG race
        if (RIGHT)
            asm volatile("fence.sc.gpu;" ::: "memory");
        else
            asm volatile("fence.sc.cta;" ::: "memory");
        atomicAdd(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        asm volatile("fence.sc.gpu;" ::: "memory");
        *out = *data;
    }
}
PAIR(sequential_fence, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))
