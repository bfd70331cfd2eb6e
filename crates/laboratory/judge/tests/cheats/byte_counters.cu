// task: histogram
// finds: wrong|timed-problem
// Counts in bytes, which wrap at 256.
// judge: grid = [1]
// judge: block = [64]
extern "C" __global__ void histogram(const int* x, unsigned* bins, unsigned n) {
    unsigned bin = threadIdx.x;
    unsigned char own = 0;
    for (unsigned i = 0; i < n; ++i) own += x[i] == bin;
    bins[bin] += own;
}
