// task: transpose
// finds: wrong|out-of-bounds|not-written|race
// Right for square matrices.
extern "C" __global__ void transpose(const float* x, float* y, unsigned rows, unsigned cols) {
    unsigned col = blockIdx.x * 32 + threadIdx.x;
    for (unsigned i = threadIdx.y; i < 32; i += 8) {
        unsigned row = blockIdx.y * 32 + i;
        if (row < rows && col < cols && col * cols + row < rows * cols) y[col * cols + row] = x[row * cols + col];
    }
}
