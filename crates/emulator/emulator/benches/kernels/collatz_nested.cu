// Counts Collatz steps with a loop inside the loop: all halvings first, then one odd step. Lanes
// leave the inner loop and the outer one at different times, so warps split and rejoin twice per iteration.
extern "C" __global__ void collatz_nested(unsigned first, unsigned *steps) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = first + i;
    unsigned count = 0;
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
