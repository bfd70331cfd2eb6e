struct Pair { int a; float b[2]; };
__device__ float square(float v) { float r = v * v; return r; }
__global__ void k(const float* x, float* y, int n, Pair p) {
    __shared__ float tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        tile[threadIdx.x] = v;
        for (int j = 0; j < 3; j++) {
            float s = square(v) + p.b[1];
            v += s * j;
        }
        y[i] = v + p.a + tile[threadIdx.x];
    }
}
