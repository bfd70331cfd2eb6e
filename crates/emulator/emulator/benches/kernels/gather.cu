// Each thread sums eight table words, found through an index array: the index loads are coalesced,
// the table loads go anywhere. The table and the index array have n words; n is the thread count.
extern "C" __global__ void gather(unsigned n, const unsigned *index, const unsigned *table, unsigned *sums) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned j = 0; j < 8; j++) {
        sum += table[index[(i + j * 4096) & (n - 1)]];
    }
    sums[i] = sum;
}
