// task: scan
// finds: wrong
// Adds integers up as floats.
// judge: grid = [1]
// judge: block = [1]
extern "C" __global__ void scan(const int* x, int* y, int* totals, unsigned n) {
    float sum = 0;
    for (unsigned i = 0; i < n; ++i) y[i] = (int)(sum += x[i]);
}
