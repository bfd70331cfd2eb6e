// Turns a picture by 30 degrees: a texture interpolates between its elements, and is 0 outside.
#include <cmath>
#include <cstdio>

const int W = 64, H = 28;

__global__ void rotate(cudaTextureObject_t picture, float *out, float angle) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    // A character is about twice as high as it is wide.
    float u = (x + 0.5f - W / 2) / 2, v = y + 0.5f - H / 2;
    float s = sinf(angle), c = cosf(angle);
    out[y * W + x] = tex2D<float>(picture, 2 * (c * u + s * v) + W / 2, c * v - s * u + H / 2);
}

int main() {
    static float pixels[H][W];
    for (int y = 8; y < 20; y++)
        for (int x = 12; x < 52; x++) pixels[y][x] = x % 8 < 4 ? 1.0f : 0.5f;

    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, W, H);
    cudaMemcpy2DToArray(array, 0, 0, pixels, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice);

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc reading = {};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeBorder;
    reading.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t picture;
    cudaCreateTextureObject(&picture, &resource, &reading, nullptr);

    float *out;
    cudaMallocManaged(&out, W * H * sizeof(float));
    rotate<<<dim3(W / 16, (H + 15) / 16), dim3(16, 16)>>>(picture, out, 0.5236f);
    cudaDeviceSynchronize();
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) putchar(" .:-=+*#%@"[(int)fmin(9.0, out[y * W + x] * 9.5)]);
        putchar('\n');
    }
    cudaDestroyTextureObject(picture);
    cudaFreeArray(array);
    cudaFree(out);
}
