// Sums of table words at xorshift-generated places; the OpenCL twin of xorshift.cu.
__kernel void xorshift(uint n, uint steps, __global const uint *restrict table, __global uint *restrict sums) {
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    uint state = (uint)i + 1;
    uint sum = 0;
    for (uint step = 0; step < steps; step++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        sum += table[state & (n - 1)];
    }
    sums[i] = sum;
}
