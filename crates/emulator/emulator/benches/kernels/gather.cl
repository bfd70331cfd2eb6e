// Sums of table words found through an index array; the OpenCL twin of gather.cu.
__kernel void gather(uint n, __global const uint *restrict index, __global const uint *restrict table, __global uint *restrict sums) {
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    uint sum = 0;
    #pragma unroll
    for (size_t j = 0; j < 8; j++) {
        sum += table[index[(i + j * 4096) & (n - 1)]];
    }
    sums[i] = sum;
}
