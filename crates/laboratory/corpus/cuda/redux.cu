// needs sm_80
// Reductions of a warp by one instruction.
extern "C" __global__ void redux(const int *in, int *out) {
    int lane = threadIdx.x, v = in[lane];
    int *mine = out + lane * 9;
    mine[0] = __reduce_add_sync(~0u, v);
    mine[1] = __reduce_min_sync(~0u, v);
    mine[2] = __reduce_max_sync(~0u, v);
    mine[3] = __reduce_min_sync(~0u, (unsigned)v);
    mine[4] = __reduce_max_sync(~0u, (unsigned)v);
    mine[5] = __reduce_and_sync(~0u, (unsigned)v | 0xf0);
    mine[6] = __reduce_or_sync(~0u, (unsigned)v & 0xff);
    mine[7] = __reduce_xor_sync(~0u, (unsigned)v);
    mine[8] = lane < 11 ? __reduce_add_sync(0x7ffu, v) : 0;
}
