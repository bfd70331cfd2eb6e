// task: transpose
// finds: wrong
// Copies: right for vectors and symmetric matrices.
extern "C" __global__ void transpose(const float* x, float* y, unsigned rows, unsigned cols) {
    unsigned col = blockIdx.x * 32 + threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8) {
        unsigned row = blockIdx.y * 32 + i;
        if (row < rows && col < cols) y[row * cols + col] = x[row * cols + col];
    }
}
