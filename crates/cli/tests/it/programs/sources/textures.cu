#include <cstdio>
#include <cstring>
#include <vector>
__global__ void fetch(cudaTextureObject_t texture, float *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex2D<float>(texture, i + 1.0f, 1.5f);
}
__global__ void layers(cudaTextureObject_t texture, uchar4 *out) { out[threadIdx.x] = tex2DLayered<uchar4>(texture, 1.5f, 0.5f, threadIdx.x); }
__global__ void linear(cudaTextureObject_t texture, int *out) { out[threadIdx.x] = tex1Dfetch<int>(texture, 3 - threadIdx.x); }
__global__ void volume(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex3D<float>(texture, 0.5f, 0.5f, threadIdx.x + 0.5f); }
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n) {
    int x = threadIdx.x, y = threadIdx.y;
    float2 v;
    surf2Dread(&v, from, x * (int)sizeof(float2), y);
    surf2Dwrite(make_float2(v.y, v.x), to, (n - 1 - x) * (int)sizeof(float2), y, cudaBoundaryModeTrap);
}
int main() {
    float image[3][4];
    for (int i = 0; i < 12; i++) image[i / 4][i % 4] = (float)i;
    cudaChannelFormatDesc kind = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &kind, 4, 3));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image, 4 * sizeof(float), 4 * sizeof(float), 3, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc reading = {};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = cudaFilterModeLinear;
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
    float *out, got[4];
    CHECK(cudaMalloc(&out, sizeof(got)));
    fetch<<<1, 4>>>(texture, out, 4);
    CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
    for (float v : got) printf("%g ", v);
    float back[12];
    CHECK(cudaMemcpyFromArray(back, array, 0, 0, sizeof(back), cudaMemcpyDeviceToHost));
    printf("%g %g\n", back[5], back[11]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));

    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>();
    uchar4 stack[2][2][2];
    for (int i = 0; i < 8; i++) stack[i / 4][i / 2 % 2][i % 2] = make_uchar4(i, 2 * i, 3 * i, 200 + i);
    CHECK(cudaMalloc3DArray(&array, &bytes, make_cudaExtent(2, 2, 2), cudaArrayLayered));
    cudaMemcpy3DParms copy = {0};
    copy.srcPtr = make_cudaPitchedPtr(stack, 2 * sizeof(uchar4), 2, 2);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    resource.res.array.array = array;
    reading.filterMode = cudaFilterModePoint;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, NULL));
    uchar4 *texels, two[2];
    CHECK(cudaMalloc(&texels, sizeof(two)));
    layers<<<1, 2>>>(texture, texels);
    CHECK(cudaMemcpy(two, texels, sizeof(two), cudaMemcpyDeviceToHost));
    printf("%d %d %d %d, %d %d\n", two[0].x, two[0].y, two[0].z, two[0].w, two[1].x, two[1].w);

    int numbers[4] = {5, -6, 7, -8}, *list, *found, gotten[4];
    CHECK(cudaMalloc(&list, sizeof(numbers)));
    CHECK(cudaMalloc(&found, sizeof(numbers)));
    CHECK(cudaMemcpy(list, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
    cudaResourceDesc rows = {};
    rows.resType = cudaResourceTypeLinear;
    rows.res.linear.devPtr = list;
    rows.res.linear.desc = cudaCreateChannelDesc<int>();
    rows.res.linear.sizeInBytes = sizeof(numbers);
    cudaTextureDesc plain = {};
    CHECK(cudaCreateTextureObject(&texture, &rows, &plain, nullptr));
    linear<<<1, 4>>>(texture, found);
    CHECK(cudaMemcpy(gotten, found, sizeof(gotten), cudaMemcpyDeviceToHost));
    for (int v : gotten) printf("%d ", v);
    printf("\n");

    cudaChannelFormatDesc pair = cudaCreateChannelDesc<float2>();
    cudaArray_t from, to;
    CHECK(cudaMallocArray(&from, &pair, 2, 2, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&to, &pair, 2, 2, cudaArraySurfaceLoadStore));
    float2 pairs[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    CHECK(cudaMemcpyToArray(from, 0, 0, pairs, sizeof(pairs), cudaMemcpyHostToDevice));
    cudaSurfaceObject_t a, b;
    resource.res.array.array = from;
    CHECK(cudaCreateSurfaceObject(&a, &resource));
    resource.res.array.array = to;
    CHECK(cudaCreateSurfaceObject(&b, &resource));
    turn<<<1, dim3(2, 2)>>>(a, b, 2);
    CHECK(cudaMemcpy2DFromArray(pairs, 16, to, 0, 0, 16, 2, cudaMemcpyDeviceToHost));
    for (float2 v : pairs) printf("%g,%g ", v.x, v.y);
    cudaExtent extent;
    unsigned flags;
    CHECK(cudaArrayGetInfo(&kind, &extent, &flags, to));
    printf("%d %d %d %d\n", kind.x, kind.y, kind.z, (int)extent.width);
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(8, 2, 2)));
    CHECK(cudaMemset3D(box, 1, make_cudaExtent(8, 2, 2)));
    unsigned char inside[32] = {0};
    cudaMemcpy3DParms out3 = {};
    out3.srcPtr = box;
    out3.dstPtr = make_cudaPitchedPtr(inside, 8, 8, 2);
    out3.extent = make_cudaExtent(8, 2, 2);
    out3.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out3));
    int sum = 0;
    for (unsigned char v : inside) sum += v;
    printf("%d\n", sum);
}
