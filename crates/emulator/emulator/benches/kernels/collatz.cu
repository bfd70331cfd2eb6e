// Each thread counts the steps of its number to 1: the lanes of a warp take different branches and
// leave the loop at different times.
extern "C" __global__ void collatz(unsigned first, unsigned *steps) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = first + i;
    unsigned count = 0;
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
