// Hello from every thread: `hello BLOCKS X Y`.
#include <cstdio>
#include <cstdlib>

__global__ void hello() { printf("Hello World from Thread (%d, %d) in Block %d!\n", threadIdx.x, threadIdx.y, blockIdx.x); }

int main(int count, char **words) {
    int n = count > 1 ? atoi(words[1]) : 2, x = count > 2 ? atoi(words[2]) : 4, y = count > 3 ? atoi(words[3]) : 2;
    if (n < 1 || n > 32 || x < 1 || x > 32 || y < 1 || y > 32) {
        fprintf(stderr, "blocks, x and y are 1 to 32\n");
        return 2;
    }
    printf("Hello World from the host!\n");
    hello<<<n, dim3(x, y)>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
