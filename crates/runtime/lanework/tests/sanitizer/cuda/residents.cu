// needs sm_90
// Blocks that wait for each other. As many blocks as the device can hold are resident at the same time.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// launch stencil: cooperative grid=5 block=96 iota:f32:1000 zeros:f32:1000 u32:1000 u32:6
extern "C" __global__ void stencil(float *a, float *b, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        const float *from = s & 1 ? b : a;
        float *to = s & 1 ? a : b;
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            float left = i > 0 ? from[i - 1] : 0.f;
            float right = i + 1 < n ? from[i + 1] : 0.f;
            to[i] = 0.25f * left + 0.5f * from[i] + 0.25f * right;
        }
        grid.sync();
    }
}

// launch stencil_in_place: cooperative grid=5 block=96 iota:f32:1000 u32:1000 u32:6
extern "C" __global__ void stencil_in_place(float *a, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            if (i > 0)
                a[i] = 0.5f * (a[i - 1] + a[i]); // BUG race
        grid.sync();
    }
}

// launch sync_in_branch: cooperative grid=4 block=32 zeros:u32:4
extern "C" __global__ void sync_in_branch(unsigned *out) {
    out[blockIdx.x] = 1;
    if (blockIdx.x != 2)
        cg::this_grid().sync(); // BUG deadlock
}

// launch barrier_by_hand: grid=64 block=64 zeros:u32:1 zeros:u32:64 zeros:u32:64
extern "C" __global__ void barrier_by_hand(unsigned *arrived, unsigned *mine, unsigned *sums) {
    if (threadIdx.x == 0) {
        mine[blockIdx.x] = blockIdx.x;
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x < gridDim.x) {
        unsigned value = mine[threadIdx.x];
        atomicAdd(sums + blockIdx.x, value);
    }
}

// launch barrier_without_fence: grid=8 block=64 zeros:u32:1 zeros:u32:64 zeros:u32:64
extern "C" __global__ void barrier_without_fence(unsigned *arrived, unsigned *mine, unsigned *sums) {
    if (threadIdx.x == 0) {
        mine[blockIdx.x] = blockIdx.x; // BUG race
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) {
        }
    }
    __syncthreads();
    if (threadIdx.x < gridDim.x)
        atomicAdd(sums + blockIdx.x, mine[threadIdx.x]);
}

// launch later_block: grid=32 block=32 zeros:u32:33 zeros:u32:32
extern "C" __global__ void later_block(unsigned *turn, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned after = 1;
        if (blockIdx.x + 1 < gridDim.x)
            while ((after = *(volatile unsigned *)(turn + blockIdx.x + 1)) == 0) {
            }
        out[blockIdx.x] = after;
        __threadfence();
        atomicExch(turn + blockIdx.x, after + 1);
    }
}

// launch later_block_never_fits: grid=300 block=1024 zeros:u32:301 zeros:u32:300
extern "C" __global__ void later_block_never_fits(unsigned *turn, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned after = 1;
        if (blockIdx.x + 1 < gridDim.x)
            while ((after = *(volatile unsigned *)(turn + blockIdx.x + 1)) == 0) { // BUG deadlock
            }
        out[blockIdx.x] = after;
        __threadfence();
        atomicExch(turn + blockIdx.x, after + 1);
    }
}

// launch work_queue: grid=16 block=64 zeros:u32:1 zeros:u32:1 zeros:u32:1024 u32:200
extern "C" __global__ void work_queue(unsigned *head, unsigned *done, unsigned *out, unsigned tasks) {
    __shared__ unsigned task;
    for (;;) {
        if (threadIdx.x == 0)
            task = atomicAdd(head, 1);
        __syncthreads();
        unsigned mine = task;
        __syncthreads();
        if (mine >= tasks)
            break;
        atomicAdd(out + (mine * 37 + threadIdx.x) % 1024, mine);
        if (threadIdx.x == 0)
            atomicAdd(done, 1);
    }
    // No block exits before all tasks are done.
    if (threadIdx.x == 0)
        while (*(volatile unsigned *)done < tasks) {
        }
}

// launch producer_and_consumers: grid=5 block=32 zeros:u32:1 zeros:u32:64 zeros:u32:64
extern "C" __global__ void producer_and_consumers(unsigned *ready, unsigned *data, unsigned *out) {
    if (blockIdx.x == gridDim.x - 1) {
        for (int round = 1; round <= 8; round++) {
            data[32 * (round & 1) + threadIdx.x] = round * 100 + threadIdx.x;
            __threadfence();
            __syncwarp();
            if (threadIdx.x == 0) {
                atomicExch(ready, round * 16);
                while (*(volatile unsigned *)ready != round * 16 + gridDim.x - 1) {
                }
                __threadfence();
            }
            __syncwarp();
        }
        return;
    }
    unsigned sum = 0;
    for (int round = 1; round <= 8; round++) {
        if (threadIdx.x == 0) {
            while (*(volatile unsigned *)ready < round * 16) {
            }
            __threadfence();
        }
        __syncwarp();
        sum += data[32 * (round & 1) + threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(ready, 1);
        }
    }
    atomicAdd(out + threadIdx.x, sum);
}

// launch look_back: grid=40 block=128 iota:u32:5120 zeros:u32:5120 zeros:u32:1 zeros:u64:40
extern "C" __global__ void look_back(const unsigned *in, unsigned *out, unsigned *ticket, unsigned long long *state) {
    __shared__ unsigned tile, before, sums[128];
    if (threadIdx.x == 0)
        tile = gridDim.x - 1 - (gridDim.x - 1 - atomicAdd(ticket, 1));
    __syncthreads();
    unsigned x = in[tile * 128 + threadIdx.x];
    sums[threadIdx.x] = x;
    __syncthreads();
    for (unsigned step = 1; step < 128; step *= 2) {
        unsigned add = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += add;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        unsigned total = sums[127];
        // Flag 1: the value is the sum of this tile. Flag 2: the sum of all tiles up to this one. Value and flag are one word.
        unsigned prefix = 0;
        if (tile > 0) {
            atomicExch(state + tile, (1ull << 32) | total);
            for (int look = tile - 1;;) {
                unsigned long long word = *(volatile unsigned long long *)(state + look);
                if (word >> 32 == 0)
                    continue;
                prefix += (unsigned)word;
                if (word >> 32 == 2)
                    break;
                look--;
            }
        }
        atomicExch(state + tile, (2ull << 32) | (prefix + total));
        before = prefix;
    }
    __syncthreads();
    out[tile * 128 + threadIdx.x] = before + sums[threadIdx.x];
}

// launch look_ahead: grid=40 block=32 zeros:u32:1 zeros:u64:40 zeros:u32:40
extern "C" __global__ void look_ahead(unsigned *unused, unsigned long long *state, unsigned *out) {
    // The same, but tiles are numbered from the end: early blocks wait for late ones.
    unsigned tile = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) {
        unsigned prefix = 0;
        if (tile > 0) {
            atomicExch(state + tile, (1ull << 32) | tile);
            for (int look = tile - 1;;) {
                unsigned long long word = *(volatile unsigned long long *)(state + look);
                if (word >> 32 == 0) {
                    __nanosleep(100);
                    continue;
                }
                prefix += (unsigned)word;
                if (word >> 32 == 2)
                    break;
                look--;
            }
        }
        atomicExch(state + tile, (2ull << 32) | (prefix + tile));
        out[tile] = prefix;
    }
}

// launch lock_of_blocks: grid=20 block=64 zeros:u32:1 zeros:u32:1
extern "C" __global__ void lock_of_blocks(unsigned *lock, unsigned *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        *(volatile unsigned *)sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// launch lock_of_blocks_kept: grid=20 block=64 zeros:u32:1 zeros:u32:1
extern "C" __global__ void lock_of_blocks_kept(unsigned *lock, unsigned *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { // BUG deadlock
        }
        __threadfence();
        *(volatile unsigned *)sum += 1;
        if (*(volatile unsigned *)sum > 3)
            atomicExch(lock, 0);
    }
}

// launch ring_of_blocks: grid=6 block=32 zeros:u32:6 zeros:u32:6
extern "C" __global__ void ring_of_blocks(unsigned *turn, unsigned *out) {
    // Each block waits for the next one, and the last block for the first one.
    if (threadIdx.x == 0) {
        while (*(volatile unsigned *)(turn + (blockIdx.x + 1) % gridDim.x) == 0) { // BUG deadlock
        }
        atomicExch(turn + blockIdx.x, 1);
    }
    out[blockIdx.x] = 1;
}

// launch wait_with_barrier: grid=8 block=64 zeros:u32:1 zeros:u32:8
extern "C" __global__ void wait_with_barrier(unsigned *arrived, unsigned *out) {
    __shared__ unsigned seen;
    if (threadIdx.x == 0)
        atomicAdd(arrived, 1);
    do {
        __syncthreads();
        if (threadIdx.x == 0)
            seen = *(volatile unsigned *)arrived;
        __syncthreads();
    } while (seen < gridDim.x);
    if (threadIdx.x == 1)
        out[blockIdx.x] = seen;
}

// launch wait_with_backoff: grid=8 block=32 zeros:u32:1 zeros:u32:8
extern "C" __global__ void wait_with_backoff(unsigned *arrived, unsigned *out) {
    if (threadIdx.x == 0) {
        unsigned tries = 0, wait = 8;
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) {
            tries++;
            __nanosleep(wait);
            wait = wait < 256 ? 2 * wait : wait;
        }
        out[blockIdx.x] = tries;
    }
}

// launch barrier_of_clusters: grid=16 block=64 zeros:u32:1 zeros:u32:16 zeros:u32:16
extern "C" __global__ void __cluster_dims__(2, 1, 1) barrier_of_clusters(unsigned *arrived, unsigned *mine, unsigned *sums) {
    // Clusters wait for each other, and so do the blocks of each cluster.
    cg::cluster_group cluster = cg::this_cluster();
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        word = blockIdx.x + 1;
    cluster.sync();
    if (threadIdx.x == 0) {
        mine[blockIdx.x] = *cluster.map_shared_rank(&word, cluster.block_rank() ^ 1);
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) {
        }
        __threadfence();
    }
    cluster.sync();
    if (threadIdx.x < gridDim.x)
        atomicAdd(sums + blockIdx.x, mine[threadIdx.x]);
}

// launch warps_between_barriers: cooperative grid=6 block=128 zeros:u32:768 zeros:u32:768
extern "C" __global__ void warps_between_barriers(unsigned *a, unsigned *b) {
    // Each phase reads elements that other blocks wrote.
    cg::grid_group grid = cg::this_grid();
    unsigned i = grid.thread_rank(), n = grid.size();
    for (unsigned phase = 0; phase < 5; phase++) {
        a[i] = phase + i;
        grid.sync();
        b[i] = a[(i + 128 * phase + 5) % n];
        grid.sync();
    }
}

// launch one_barrier_of_two: cooperative grid=6 block=128 zeros:u32:768 zeros:u32:768
extern "C" __global__ void one_barrier_of_two(unsigned *a, unsigned *b) {
    cg::grid_group grid = cg::this_grid();
    unsigned i = grid.thread_rank(), n = grid.size();
    for (unsigned phase = 0; phase < 5; phase++) {
        a[i] = phase + i; // BUG race
        grid.sync();
        b[i] = a[(i + 128 * phase + 5) % n];
    }
}

// launch neighbours: cooperative grid=4 block=64 zeros:f32:256 zeros:f32:256
extern "C" __global__ void neighbours(float *a, float *b) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    a[i] = i;
    grid.sync();
    float next = a[(i + 77) % n];
    grid.sync();
    a[i] = b[i] = next;
}

// A barrier orders a block that leaves it late after writes before the barrier, not after later writes of blocks that left earlier.
// launch neighbours_too_early: cooperative grid=4 block=64 zeros:f32:256 zeros:f32:256
extern "C" __global__ void neighbours_too_early(float *a, float *b) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    a[i] = i;
    grid.sync();
    float next = a[(i + 77) % n];
    a[i] = b[i] = next; // BUG race
    grid.sync();
}
