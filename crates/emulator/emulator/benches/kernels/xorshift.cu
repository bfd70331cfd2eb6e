// Each thread walks a table at xorshift-generated places: addresses that no analysis can predict.
// The table has n words, n a power of two.
extern "C" __global__ void xorshift(unsigned n, unsigned steps, const unsigned *table, unsigned *sums) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = i + 1;
    unsigned sum = 0;
    for (unsigned step = 0; step < steps; step++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        sum += table[state & (n - 1)];
    }
    sums[i] = sum;
}
