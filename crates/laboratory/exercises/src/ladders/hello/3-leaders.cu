// Idea: a branch on the thread index lets one thread of each block print, and the others skip the line.
// 思路：按线程下标分支，每个线程块只由一个线程打印，其他线程跳过。
#include <cstdio>

__global__ void hello() {
    if (threadIdx.x == 0 && threadIdx.y == 0) printf("Hello World from Thread (%d, %d) in Block %d!\n", threadIdx.x, threadIdx.y, blockIdx.x);
}
