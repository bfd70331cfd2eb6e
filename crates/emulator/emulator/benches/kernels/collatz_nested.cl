// Collatz steps with a loop inside the loop; the OpenCL twin of collatz_nested.cu.
__kernel void collatz_nested(uint first, __global uint *restrict steps) {
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    uint value = first + (uint)i;
    uint count = 0;
    while (true) {
        while (value % 2 == 0) {
            value /= 2;
            count++;
        }
        if (value == 1) {
            break;
        }
        value = 3 * value + 1;
        count++;
    }
    steps[i] = count;
}
