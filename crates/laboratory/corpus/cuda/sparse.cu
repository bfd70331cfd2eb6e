// Sparse matrices and graphs.

extern "C" __global__ void spmv_thread(int rows, const int *start, const int *column, const float *value, const float *x, float *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++) sum += value[i] * x[column[i]];
    y[row] = sum;
}

extern "C" __global__ void spmv_warp(int rows, const int *start, const int *column, const float *value, const float *__restrict__ x, float *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += 32) sum += value[i] * x[column[i]];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}

// Coordinate (COO) format: each product is added to its row by an atomic.
extern "C" __global__ void spmv_coordinates(int count, const int2 *place, const double *value, const double *x, double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&y[place[i].x], value[i] * x[place[i].y]);
}

// One level of a breadth-first search; the queue of the next level is filled by atomics.
extern "C" __global__ void bfs_level(const int *start, const int *edge, int *depth, int level, const int *queue, int count, int *next, int *next_count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int node = queue[i];
    for (int e = start[node]; e < start[node + 1]; e++)
        if (atomicCAS(&depth[edge[e]], -1, level + 1) == -1) next[atomicAdd(next_count, 1)] = edge[e];
}

// The whole search by one block, which loops until a level is empty.
extern "C" __global__ void bfs_block(int nodes, const int *start, const int *edge, int *depth) {
    for (int level = 0;; level++) {
        bool found = false;
        for (int node = threadIdx.x; node < nodes; node += blockDim.x)
            if (depth[node] == level)
                for (int e = start[node]; e < start[node + 1]; e++)
                    if (depth[edge[e]] == -1) {
                        depth[edge[e]] = level + 1;
                        found = true;
                    }
        if (!__syncthreads_or(found)) break;
    }
}

// Union-find: roots hook onto smaller roots, and paths are halved on the way.
__device__ int find(volatile int *parent, int node) {
    while (parent[node] != node) {
        int up = parent[parent[node]];
        parent[node] = up;
        node = up;
    }
    return node;
}
extern "C" __global__ void components_hook(int edges, const int2 *edge, int *parent) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges) return;
    int a = find(parent, edge[i].x), b = find(parent, edge[i].y);
    while (a != b) {
        int high = max(a, b), low = min(a, b);
        int seen = atomicCAS(&parent[high], high, low);
        if (seen == high) break;
        a = find(parent, seen);
        b = find(parent, low);
    }
}
extern "C" __global__ void components_flatten(int nodes, int *parent) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes) parent[i] = find(parent, i);
}

// Shortest paths: every edge relaxes; the host calls until nothing changes.
extern "C" __global__ void relax(int edges, const int2 *edge, const unsigned *weight, unsigned *distance, int *changed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges) return;
    unsigned from = distance[edge[i].x];
    if (from != 0xffffffffu && atomicMin(&distance[edge[i].y], from + weight[i]) > from + weight[i]) *changed = 1;
}

// Triangles of a graph by intersecting sorted neighborhoods.
extern "C" __global__ void triangles(int nodes, const int *start, const int *edge, unsigned long long *count) {
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= nodes) return;
    unsigned found = 0;
    for (int e = start[a]; e < start[a + 1]; e++) {
        int b = edge[e];
        if (b <= a) continue;
        int i = start[a], j = start[b];
        while (i < start[a + 1] && j < start[b + 1]) {
            int x = edge[i], y = edge[j];
            if (x == y && x > b) found++;
            i += x <= y;
            j += y <= x;
        }
    }
    if (found) atomicAdd(count, (unsigned long long)found);
}
