// Device printf, assert, malloc and free, indirect and virtual calls, recursion.
#include <assert.h>
#include <stdio.h>

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};

typedef int (*operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int sub(int a, int b) { return a - b; }
__device__ operation table[2] = {add, sub};
__device__ const char *names[] = {"add", "sub"};
__constant__ struct { char tag; short code; float scale; double wide; } settings = {'x', -2, 1.5f, 2.5};

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void hello(int which, int *out) {
    printf("block (%d, %d), thread %u: %s %f %lld\n", blockIdx.x, blockIdx.y, threadIdx.x, names[which & 1],
           settings.scale * settings.wide, (long long)settings.code);
    assert(which < 2);
    int *scratch = (int *)malloc(sizeof(int) * blockDim.x);
    scratch[threadIdx.x] = table[which](threadIdx.x, 3);
    Shape *shape = new Square(scratch[threadIdx.x]);
    out[threadIdx.x] = fibonacci(threadIdx.x % 10) + (int)shape->area();
    delete shape;
    free(scratch);
}
