// Sums of table words found through an index array; the OpenCL twin of gather.cu.
__kernel void gather(uint n, __global const uint *index, __global const uint *table, __global uint *sums) {
    uint i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    uint sum = 0;
    for (uint j = 0; j < 8; j++) {
        sum += table[index[(i + j * 4096) & (n - 1)]];
    }
    sums[i] = sum;
}
