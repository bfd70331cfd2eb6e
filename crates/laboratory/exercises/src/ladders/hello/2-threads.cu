// Idea: every thread runs the same code; threadIdx and blockIdx tell it which one it is.
// 思路：所有线程执行相同的代码；threadIdx 和 blockIdx 告诉线程自己是哪一个。
#include <cstdio>

__global__ void hello() {
    printf("Hello World from Thread (%d, %d) in Block %d!\n", threadIdx.x, threadIdx.y, blockIdx.x);
}
