// task: transpose
// judge: grid = ["ceil_div(cols, 16)", "ceil_div(rows, 16)"]
// judge: block = [16, 16]
// judge: shared = "16 * 16 * 4"
extern __shared__ unsigned words[];
extern "C" __global__ void transpose(const float* x, float* y, unsigned rows, unsigned cols) {
    unsigned edge = blockDim.x, left = blockIdx.x * edge, top = blockIdx.y * edge;
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    if (top + ty < rows && left + tx < cols) words[ty * edge + (tx ^ ty)] = ((const unsigned*)x)[(top + ty) * cols + left + tx];
    __syncthreads();
    if (left + ty < cols && top + tx < rows) ((unsigned*)y)[(left + ty) * rows + top + tx] = words[tx * edge + (ty ^ tx)];
}
