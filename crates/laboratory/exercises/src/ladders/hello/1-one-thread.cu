// Idea: a kernel prints through the same printf as the host; the host waits until it has ended.
// 思路：核函数使用与主机相同的 printf；主机等待核函数结束。
#include <cstdio>

__global__ void hello() {
    printf("Hello World from Thread (%d, %d) in Block %d!\n", 0, 0, 0);
}
