// Programs with one bug each in cooperative groups, member masks, scopes and fences, and their repaired versions: see
// `reported.h`.

#include "reported.h"

// A group of all lanes that synchronizes in a branch of some.
// expect group_in_branch: error[inactive-lane] | 24 lanes that are on another path | move it out of the branch at line
template <bool R> __global__ void branched(int *y) {
    auto g = cg::coalesced_threads();
    int v = T;
    if (g.thread_rank() < 8) {
        if (R) cg::coalesced_threads().sync(); else g.sync();
        v = 0;
    }
    y[T] = v;
}
void group_in_branch(bool right) { RUN(branched, 1, 32, device<int>(32)); }

// A tile of 32 shuffles although only its first half is in the branch.
// expect tile_in_branch: error[inactive-lane] | move it out of the branch at line
template <bool R> __global__ void halves(int *y) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    auto half = cg::tiled_partition<16>(cg::this_thread_block());
    int v = T;
    if (T < 16) v = R ? half.shfl_down(v, 4) : tile.shfl_down(v, 4);
    y[T] = v;
}
void tile_in_branch(bool right) { RUN(halves, 1, 32, device<int>(32)); }

// Small tiles: tile.sync() orders only its own lanes.
// expect small_tiles: error[race] | by another lane of the warp
template <bool R> __global__ void eights(int *y) {
    __shared__ int s[32];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[T] = T;
    tile.sync();
    y[T] = s[R ? T ^ 7 : T ^ 8];
}
void small_tiles(bool right) { RUN(eights, 1, 32, device<int>(32)); }

// memcpy_async of a block without its wait.
// expect group_copy: error[async-order] | s+252
template <bool R> __global__ void fetched(const int *x, int *y) {
    __shared__ alignas(16) int s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, x, sizeof s);
    if (R) cg::wait(block); else block.sync();
    y[T] = s[63 - T];
}
void group_copy(bool right) { RUN(fetched, 1, 64, device<int>(64), device<int>(64)); }

// wait_prior leaves the copy that is read pending.
// expect group_prior: error[async-order] | s+508
template <bool R> __global__ void prior(const int *x, int *y) {
    __shared__ alignas(16) int s[2][64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s[0], x, 256);
    cg::memcpy_async(block, s[1], x + 64, 256);
    cg::wait_prior<1>(block);
    y[T] = s[R ? 0 : 1][63 - T];
    cg::wait(block);
}
void group_prior(bool right) { RUN(prior, 1, 64, device<int>(128), device<int>(64)); }

// Readers of one key that match_any has grouped, written by another group's leader.
// expect matched_groups: error[race] | by another lane of the warp
template <bool R> __global__ void keyed(int *y) {
    __shared__ int s[4];
    unsigned peers = __match_any_sync(0xffffffff, T % 4);
    if ((T & 31) == __ffs(peers) - 1) s[T % 4] = __popc(peers);
    if (R) __syncwarp(); else __syncwarp(peers);
    y[T] = s[(T + 1) % 4];
}
void matched_groups(bool right) { RUN(keyed, 1, 32, device<int>(32)); }

// The mask of a ballot from before some lanes leave the loop.
// expect stale_ballot: error[inactive-lane]
template <bool R> __global__ void loops(int *y) {
    unsigned mask = 0xffffffff;
    int v = T;
    for (int i = 0; i < 2; ++i) {
        if (R) mask = __ballot_sync(mask, (int)T >= 16 * i);
        if ((int)T < 16 * i) break;
        v += __shfl_xor_sync(mask, v, 4);
    }
    y[T] = v;
}
void stale_ballot(bool right) { RUN(loops, 1, 32, device<int>(32)); }

// Half of a 64-bit atomic is read as a word.
// expect half_of_an_atomic: error[race] | of another size
template <bool R> __global__ void words(unsigned long long *n, unsigned *y) {
    atomicAdd(n, 1ull);
    unsigned v = R ? (unsigned)atomicAdd(n, 0ull) : atomicAdd((unsigned *)n, 0u);
    y[blockIdx.x * 32 + T] = v;
}
void half_of_an_atomic(bool right) { RUN(words, 2, 32, device<unsigned long long>(1), device<unsigned>(64)); }

// A fence of the block's scope between blocks.
// expect narrow_fence: error[race] | __threadfence()
template <bool R> __global__ void fenced(int *flag, int *x, int *y) {
    if (T) return;
    if (blockIdx.x == 0) {
        x[0] = 5;
        if (R) __threadfence(); else __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (!atomicAdd(flag, 0)) {}
        __threadfence();
        y[0] = x[0];
    }
}
void narrow_fence(bool right) { RUN(fenced, 2, 32, device<int>(1), device<int>(1), device<int>(1)); }

// A lock that is released by a plain store.
// expect lock_stored: error[race] | atomic of 4 bytes
template <bool R> __global__ void stored(int *lock, int *n) {
    if (T) return;
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *n += 1;
    __threadfence();
    if (R) atomicExch(lock, 0); else *lock = 0;
}
void lock_stored(bool right) { RUN(stored, 4, 32, device<int>(1), device<int>(1)); }

const Program all[] = {
    {"group_in_branch", group_in_branch},
    {"tile_in_branch", tile_in_branch},
    {"small_tiles", small_tiles},
    {"group_copy", group_copy},
    {"group_prior", group_prior},
    {"matched_groups", matched_groups},
    {"stale_ballot", stale_ballot},
    {"half_of_an_atomic", half_of_an_atomic},
    {"narrow_fence", narrow_fence},
    {"lock_stored", lock_stored},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
