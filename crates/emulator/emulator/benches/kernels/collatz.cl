// Steps of the Collatz sequence; the OpenCL twin of collatz.cu.
__kernel void collatz(uint first, __global uint *restrict steps) {
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    uint value = first + (uint)i;
    uint count = 0;
    while (value != 1) {
        if (value % 2 == 0) {
            value /= 2;
        } else {
            value = 3 * value + 1;
        }
        count++;
    }
    steps[i] = count;
}
