// Conway's game of life on a torus of 64 x 24 cells, five generations.
#include <cstdio>
#include <utility>

const int W = 64, H = 24;

__global__ void step(const unsigned char *now, unsigned char *next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) alive += now[(y + dy + H) % H * W + (x + dx + W) % W];
    next[y * W + x] = alive == 3 || (alive == 2 && now[y * W + x]);
}

int main() {
    unsigned char *now, *next;
    cudaMallocManaged(&now, W * H);
    cudaMallocManaged(&next, W * H);
    for (int i = 0; i < W * H; i++) now[i] = (i * 7 + i / 13) % 5 == 0;
    for (int i = 0; i < 5; i++) {
        step<<<dim3(W / 16, H / 8), dim3(16, 8)>>>(now, next);
        cudaDeviceSynchronize();
        std::swap(now, next);
    }
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) putchar(now[y * W + x] ? '#' : '.');
        putchar('\n');
    }
    return 0;
}
