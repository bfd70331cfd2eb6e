// task: softmax
// judge: grid = ["rows"]
// judge: block = [32]
extern "C" __global__ void softmax(const float* x, float* y, unsigned rows, unsigned cols) {
    const float* from = x + blockIdx.x * cols;
    float largest = __int_as_float(0xff800000), sum = 0;
    for (unsigned i = threadIdx.x; i < cols; i += 32) {
        float next = fmaxf(largest, from[i]);
        sum = sum * expf(largest - next) + expf(from[i] - next);
        largest = next;
    }
    float all = largest;
    for (int distance = 16; distance > 0; distance /= 2) all = fmaxf(all, __shfl_xor_sync(~0u, all, distance));
    sum = largest == all ? sum : sum * expf(largest - all);
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    for (unsigned i = threadIdx.x; i < cols; i += 32) y[blockIdx.x * cols + i] = expf(from[i] - all) * (1 / sum);
}
