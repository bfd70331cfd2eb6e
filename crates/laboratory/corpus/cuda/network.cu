// Layers and losses of neural networks.
#include <float.h>

__device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
__device__ float warp_max(float v) {
    for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}

// A row per block, three passes.
extern "C" __global__ void softmax_rows(const float *in, float *out, int cols) {
    __shared__ float s[32];
    const float *row = in + blockIdx.x * cols;
    float top = -FLT_MAX, sum = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) top = fmaxf(top, row[i]);
    __syncthreads();
    top = warp_max(top);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = top;
    __syncthreads();
    top = warp_max(threadIdx.x % 32 < blockDim.x / 32 ? s[threadIdx.x % 32] : -FLT_MAX);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += expf(row[i] - top);
    __syncthreads();
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? s[threadIdx.x % 32] : 0);
    for (int i = threadIdx.x; i < cols; i += blockDim.x) out[blockIdx.x * cols + i] = expf(row[i] - top) / sum;
}

// A row per warp, one pass: the sum is rescaled at each new maximum.
extern "C" __global__ void softmax_online(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float top = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32) {
        float v = in[row * cols + i];
        if (v > top) {
            sum *= __expf(top - v);
            top = v;
        }
        sum += __expf(v - top);
    }
    for (int o = 16; o > 0; o /= 2) {
        float t = __shfl_xor_sync(~0u, top, o), s = __shfl_xor_sync(~0u, sum, o), most = fmaxf(t, top);
        sum = (top == -INFINITY ? 0 : sum * __expf(top - most)) + (t == -INFINITY ? 0 : s * __expf(t - most));
        top = most;
    }
    for (int i = threadIdx.x; i < cols; i += 32) out[row * cols + i] = __fdividef(__expf(in[row * cols + i] - top), sum);
}

extern "C" __global__ void layer_norm(const float *in, const float *scale, const float *shift, float *out, int cols, float epsilon) {
    __shared__ float mean, inverse;
    const float *row = in + blockIdx.x * cols;
    if (threadIdx.x < 32) {
        float sum = 0, squares = 0;
        for (int i = threadIdx.x; i < cols; i += 32) {
            sum += row[i];
            squares += row[i] * row[i];
        }
        sum = warp_sum(sum) / cols;
        squares = warp_sum(squares) / cols;
        if (threadIdx.x == 0) {
            mean = sum;
            inverse = rsqrtf(squares - sum * sum + epsilon);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += blockDim.x) out[blockIdx.x * cols + i] = (row[i] - mean) * inverse * scale[i] + shift[i];
}

extern "C" __global__ void rms_norm(const float4 *in, float4 *out, int quads) {
    float squares = 0;
    for (int i = threadIdx.x; i < quads; i += 32) {
        float4 v = in[blockIdx.x * quads + i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float scale = rsqrtf(warp_sum(squares) / (4 * quads) + 1e-5f);
    for (int i = threadIdx.x; i < quads; i += 32) {
        float4 v = in[blockIdx.x * quads + i];
        out[blockIdx.x * quads + i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
    }
}

// Attention of one head per block, a query per thread, keys through shared memory, online softmax.
template <int D> __global__ void attention(const float *q, const float *k, const float *v, float *out, int length, float scale, bool causal) {
    __shared__ float keys[32][D], values[32][D];
    int head = blockIdx.x * length * D, query = threadIdx.x;
    float mine[D], acc[D] = {}, top = -INFINITY, sum = 0;
    for (int d = 0; d < D; d++) mine[d] = q[head + query * D + d];
    for (int k0 = 0; k0 < length; k0 += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * D; i += blockDim.x) {
            keys[i / D][i % D] = k[head + k0 * D + i];
            values[i / D][i % D] = v[head + k0 * D + i];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            if (causal && k0 + j > query) break;
            float score = 0;
            for (int d = 0; d < D; d++) score += mine[d] * keys[j][d];
            score *= scale;
            float most = fmaxf(top, score), old = expf(top - most), now = expf(score - most);
            sum = sum * old + now;
            for (int d = 0; d < D; d++) acc[d] = acc[d] * old + now * values[j][d];
            top = most;
        }
    }
    for (int d = 0; d < D; d++) out[head + query * D + d] = acc[d] / sum;
}
template __global__ void attention<16>(const float *, const float *, const float *, float *, int, float, bool);

extern "C" __global__ void activations(const float *in, float *gelu, float *silu, float *soft, float *hyperbolic, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    gelu[i] = 0.5f * x * (1 + erff(x * 0.70710678f));
    silu[i] = x / (1 + expf(-x));
    soft[i] = log1pf(expf(x));
    hyperbolic[i] = tanhf(x);
}

struct Adam {
    float rate, beta1, beta2, epsilon;
    int step;
};
extern "C" __global__ void adam(float *weights, const float *gradient, float2 *moments, int n, Adam options) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float g = gradient[i];
    float2 m = moments[i];
    m.x = options.beta1 * m.x + (1 - options.beta1) * g;
    m.y = options.beta2 * m.y + (1 - options.beta2) * g * g;
    moments[i] = m;
    float mean = m.x / (1 - powf(options.beta1, options.step)), square = m.y / (1 - powf(options.beta2, options.step));
    weights[i] -= options.rate * mean / (sqrtf(square) + options.epsilon);
}

// The loss of a classification, per row, with the gradient beside it.
extern "C" __global__ void cross_entropy(const float *logits, const int *label, float *loss, float *gradient, int classes) {
    const float *row = logits + blockIdx.x * classes;
    float top = -FLT_MAX, sum = 0;
    for (int i = threadIdx.x; i < classes; i += 32) top = fmaxf(top, row[i]);
    top = warp_max(top);
    for (int i = threadIdx.x; i < classes; i += 32) sum += expf(row[i] - top);
    sum = warp_sum(sum);
    int right = label[blockIdx.x];
    if (threadIdx.x == 0) loss[blockIdx.x] = logf(sum) + top - row[right];
    for (int i = threadIdx.x; i < classes; i += 32) gradient[blockIdx.x * classes + i] = expf(row[i] - top) / sum - (i == right);
}

// Rows gathered by index, and added back.
extern "C" __global__ void embed(const int *token, const float *table, float *out, int width) {
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[blockIdx.x * width + i] = table[token[blockIdx.x] * width + i];
}
extern "C" __global__ void embed_back(const int *token, const float *gradient, float *table, int width) {
    for (int i = threadIdx.x; i < width; i += blockDim.x) atomicAdd(&table[token[blockIdx.x] * width + i], gradient[blockIdx.x * width + i]);
}

// Max pooling: the largest value of each 2 x 2 window and its position.
extern "C" __global__ void pool(const float *in, float *out, unsigned char *place, int w) {
    int x = threadIdx.x, y = blockIdx.x, best = 0;
    float top = -INFINITY;
    for (int i = 0; i < 4; i++) {
        float v = in[(2 * y + i / 2) * w + 2 * x + i % 2];
        if (v > top) {
            top = v;
            best = i;
        }
    }
    out[y * (w / 2) + x] = top;
    place[y * (w / 2) + x] = (unsigned char)best;
}
