// Language features: structs by value, unions, templates, lambdas, local arrays, globals, recursion, tables of functions, virtual calls,
// assertions, printing, the device heap.
#include <cassert>
#include <cstdio>
#include <new>

struct Big {
    int a[5];
    double d;
    char c;
    short s[3];
    struct {
        float x, y;
    } pair;
};

__device__ Big twice(Big b) {
    for (int &v : b.a) v *= 2;
    b.d *= 2;
    b.c += 1;
    b.pair.y = -b.pair.x;
    return b;
}

extern "C" __global__ void by_value(Big b, Big *out, int pick) {
    Big c = twice(b);
    c.s[pick] = b.s[2 - pick] + (short)b.a[pick + 1];
    out[threadIdx.x] = c;
    out[threadIdx.x].a[0] += threadIdx.x;
}

union Word {
    float f;
    unsigned u;
    unsigned char b[4];
    struct {
        unsigned mantissa : 23, exponent : 8, sign : 1;
    } parts;
};
extern "C" __global__ void unions(const float *in, unsigned *out) {
    Word w;
    w.f = in[threadIdx.x];
    out[threadIdx.x * 3] = w.parts.exponent;
    unsigned char first = w.b[0];
    w.b[0] = w.b[3];
    w.b[3] = first;
    out[threadIdx.x * 3 + 1] = w.u;
    w.parts.exponent = 127;
    w.parts.sign ^= 1;
    out[threadIdx.x * 3 + 2] = w.u;
}

// Run-time indices keep an array in local memory; its address is passed to a function.
__device__ void sift(int *heap, int at, int n) {
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n) return;
        if (child + 1 < n && heap[child + 1] > heap[child]) child++;
        if (heap[at] >= heap[child]) return;
        int kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
        at = child;
    }
}
extern "C" __global__ void heap_sort(const int *in, int *out, int n) {
    int heap[24];
    for (int i = 0; i < n; i++) heap[i] = in[threadIdx.x * n + i];
    for (int i = n / 2; i-- > 0;) sift(heap, i, n);
    for (int end = n; end-- > 0;) {
        out[threadIdx.x * n + end] = heap[0];
        heap[0] = heap[end];
        sift(heap, 0, end);
    }
}

__device__ int counter = 40;
__device__ int table[4] = {3, 1, 4, 1};
__device__ int *pointer = &table[2];
__constant__ double factors[3] = {0.5, -2.0, 1e300};
__constant__ const char *words[2] = {"one", "three"};
extern "C" __global__ void globals(int *out, double *scaled) {
    int old = atomicAdd(&counter, 1);
    if (threadIdx.x == 0) {
        out[0] = *pointer;
        *pointer = 15;
        out[1] = table[2];
        int n = 0;
        for (const char *w : words)
            for (; *w; w++) n = n * 31 + *w;
        out[2] = n;
    }
    scaled[threadIdx.x] = factors[threadIdx.x % 3] * threadIdx.x;
    if (old == 40) out[3] = 1;
}
extern "C" __global__ void globals_after(int *out) { out[4] = counter + table[2]; }

template <int N> struct Polynomial {
    float c[N];
    template <typename F> __device__ auto map(F f) const {
        Polynomial r;
        for (int i = 0; i < N; i++) r.c[i] = f(c[i], i);
        return r;
    }
    __device__ float operator()(float x) const {
        float v = 0;
        for (int i = N; i-- > 0;) v = v * x + c[i];
        return v;
    }
};
template <int N> __global__ void polynomials(Polynomial<N> p, const float *in, float *out, float by) {
    auto derived = p.map([=](float c, int i) { return c * i * by; });
    out[threadIdx.x] = p(in[threadIdx.x]);
    out[blockDim.x + threadIdx.x] = derived(in[threadIdx.x]);
}
template __global__ void polynomials<4>(Polynomial<4>, const float *, float *, float);

// An interpreter of a stack machine: a jump per operation.
extern "C" __global__ void interpreter(const unsigned char *code, int length, int *out, int fuel) {
    int stack[8], depth = 0, pc = 0;
    stack[depth++] = threadIdx.x;
    while (pc < length && fuel-- > 0) {
        switch (code[pc++]) {
        case 0: stack[depth++] = code[pc++]; break;
        case 1: depth--; stack[depth - 1] += stack[depth]; break;
        case 2: depth--; stack[depth - 1] *= stack[depth]; break;
        case 3: stack[depth] = stack[depth - 1]; depth++; break;
        case 4: depth--; stack[depth - 1] -= stack[depth]; break;
        case 5: depth--; if (stack[depth] > 0) pc = code[pc]; else pc++; break;
        case 6: { int v = stack[depth - 1]; stack[depth - 1] = stack[depth - 2]; stack[depth - 2] = v; break; }
        case 7: stack[depth - 1] = -stack[depth - 1]; break;
        case 8: depth--; stack[depth - 1] %= stack[depth]; break;
        default: pc = length;
        }
    }
    out[threadIdx.x] = stack[depth - 1] + depth * 1000;
}

// goto into loops, early returns, several exits.
extern "C" __global__ void tangled(const int *in, int *out, int n) {
    int i = threadIdx.x, v = in[i], steps = 0;
again:
    steps++;
    if (v > 50) {
        v /= 2;
        goto again;
    }
    for (int k = 0; k < n; k++) {
        if (v % 7 == 0) goto done;
        if (v < -60) {
            out[i] = -steps;
            return;
        }
        v += k * (i % 3);
        steps++;
        if (v > 50) goto again;
    }
    v = 1000;
done:
    out[i] = v * 100 + steps;
}

struct Shape {
    float size;
    __device__ Shape(float s) : size(s) {}
    __device__ virtual float area() const = 0;
};
struct Square : Shape {
    using Shape::Shape;
    __device__ float area() const override { return size * size; }
};
struct Disc : Shape {
    using Shape::Shape;
    __device__ float area() const override { return 3 * size * size; }
};
extern "C" __global__ void virtual_calls(float *out) {
    __shared__ alignas(16) char memory[64][sizeof(Disc)];
    Shape *mine = threadIdx.x % 3 ? (Shape *)new (memory[threadIdx.x]) Square(threadIdx.x) : (Shape *)new (memory[threadIdx.x]) Disc(threadIdx.x);
    __syncthreads();
    Shape *other = (Shape *)memory[threadIdx.x ^ 1];
    out[threadIdx.x] = mine->area() + other->area();
}

typedef int (*Operation)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int minus_(int a, int b) { return a - b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation operations[3] = {plus, minus_, times};
extern "C" __global__ void function_pointers(const int *in, int *out, int pick) {
    int i = threadIdx.x;
    out[i] = operations[pick](in[i], 7) + operations[in[i] & 1](i, 3);
}

__device__ __noinline__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
extern "C" __global__ void recursion(int *out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, 3); }

extern "C" __global__ void assertions(const int *in, int *out) {
    assert(in[threadIdx.x] < 100);
    out[threadIdx.x] = in[threadIdx.x];
}

extern "C" __global__ void printing(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, written = 0;
    if (i % 5 == 0) written = printf("%d: %5d|%-4u|%x %s %c %.3f %lld %%\n", i, in[i], i * i, in[i], i % 2 ? "odd" : "even", 'a' + i, i / 8.0, (long long)i << 40);
    out[i] = written;
}

// A list of nodes from the device's own heap.
struct Node {
    int value;
    Node *next;
};
extern "C" __global__ void heap_lists(int *out, int n) {
    Node *list = nullptr;
    for (int i = 0; i < n; i++) {
        Node *node = (Node *)malloc(sizeof(Node));
        if (!node) return;
        node->value = i * threadIdx.x;
        node->next = list;
        list = node;
    }
    int sum = 0, place = 0;
    while (list) {
        sum += list->value * ++place;
        Node *next = list->next;
        free(list);
        list = next;
    }
    int *many = new int[n];
    for (int i = 0; i < n; i++) many[i] = sum - i;
    out[threadIdx.x] = many[n - 1];
    delete[] many;
}

// Clocks, sleeping, and special registers.
extern "C" __global__ void clocks(int *out) {
    long long before = clock64();
    unsigned first = (unsigned)clock();
    __nanosleep(100);
    unsigned long long timer, lane;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
    asm volatile("{.reg .u32 t; mov.u32 t, %%laneid; cvt.u64.u32 %0, t;}" : "=l"(lane));
    long long after = clock64();
    out[threadIdx.x] = (after >= before) + 2 * ((unsigned)clock() - first < 0x7fffffffu) + 4 * (timer != 0) + 8 * (lane == threadIdx.x % 32);
}

// Launch bounds, a loop that must not be unrolled, and a value that is hidden from the optimizer.
extern "C" __global__ void __launch_bounds__(64, 4) bounded(const float *__restrict__ in, float *__restrict__ out, int n) {
    float v = in[threadIdx.x];
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        asm volatile("" : "+f"(v));
        v = v * 0.5f + __ldg(&in[i]);
    }
    out[threadIdx.x] = v;
}

// More than 48 KiB of dynamic shared memory, divided into arrays of several types.
extern "C" __global__ void carved(const double *in, float *out, int n) {
    extern __shared__ double doubles[];
    float *floats = (float *)(doubles + n);
    short *shorts = (short *)(floats + n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        doubles[i] = in[i];
        floats[i] = (float)in[i] * 2;
        shorts[i] = (short)(in[i] * 3);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = (float)doubles[n - 1 - i] + floats[(i + 1) % n] + shorts[(i + 2) % n];
}
