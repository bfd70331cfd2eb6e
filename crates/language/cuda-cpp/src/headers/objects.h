// Objects on the heap, and launches from device code.
#ifndef __LW_HOST__
// Launches from device code, by functions of the driver. A stream is a number there.
extern "C" __device__ void *__cuda_syscall_cnpv2GetParameterBuffer(unsigned align, unsigned size);
extern "C" __device__ int __cuda_syscall_cnpv2LaunchDevice(void *kernel, void *buffer, const dim3 *grid, const dim3 *block, unsigned shared, cudaStream_t stream);
extern "C" __device__ int __cuda_syscall_cnpv2StreamCreate(cudaStream_t *stream, unsigned flags);
extern "C" __device__ int __cuda_syscall_cnpv2StreamDestroy(cudaStream_t stream);
__device__ inline void __lw_launch_child(void *kernel, void *buffer, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
    __cuda_syscall_cnpv2LaunchDevice(kernel, buffer, &grid, &block, (unsigned)shared, stream);
}
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)
__device__ inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) { return (cudaError_t)__cuda_syscall_cnpv2StreamCreate(stream, flags); }
__device__ inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { return (cudaError_t)__cuda_syscall_cnpv2StreamDestroy(stream); }
// Memory and devices of the CUDA runtime in device code.
template <class T> __device__ inline cudaError_t cudaMalloc(T **to, size_t bytes) {
    *to = (T *)malloc(bytes);
    return *to || bytes == 0 ? cudaSuccess : (cudaError_t)2;
}
__device__ inline cudaError_t cudaFree(void *memory) { free(memory); return cudaSuccess; }
__device__ inline cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
__device__ inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int, cudaStream_t = nullptr) {
    for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = ((const char *)from)[i];
    return cudaSuccess;
}
__device__ inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t = nullptr) {
    for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = (char)value;
    return cudaSuccess;
}
#endif
// An object of a polymorphic class starts with the address of its table, which holds the class and the offset of this part.
struct __lw_type;
struct __lw_table { const __lw_type *type; size_t offset; };
__device__ inline void *__lw_whole(const void *object) { return (char *)object - (*(const __lw_table **)object)->offset; }
template <class T> __device__ inline void __lw_destroy(T *list, size_t count) {
    while (count > 0) list[--count].~T();
}
template <class T> __device__ inline void __lw_delete(T *object) {
    if (!object) return;
    object->~T();
    free((void *)object);
}
template <class T> __device__ inline void __lw_delete_virtual(T *object) {
    if (!object) return;
    void *whole = __lw_whole((const void *)object);
    object->~T();
    free(whole);
}
template <class T> __device__ inline T *__lw_new_array(T *, size_t count) {
    size_t *memory = (size_t *)malloc(count * sizeof(T) + 16);
    if (!memory) return nullptr;
    memory[0] = count;
    T *list = (T *)(memory + 2);
    for (size_t i = 0; i < count; i++) new (list + i) T();
    return list;
}
template <class T> __device__ inline T *__lw_new_plain_array(T *, size_t count) {
    T *list = (T *)malloc(count * sizeof(T));
    if (!list) return nullptr;
    for (size_t i = 0; i < count; i++) new (list + i) T();
    return list;
}
template <class T> __device__ inline void __lw_delete_array(T *list) {
    if (!list) return;
    size_t *memory = (size_t *)list - 2;
    __lw_destroy(list, memory[0]);
    free(memory);
}
// `delete` of objects whose class has its own functions.
template <class T> __device__ inline void __lw_delete_own(T *object) {
    if (!object) return;
    object->~T();
    T::operator delete((void *)object);
}
template <class T> __device__ inline void __lw_delete_own_sized(T *object) {
    if (!object) return;
    object->~T();
    T::operator delete((void *)object, sizeof(T));
}
template <class T> __device__ inline void __lw_delete_own_array(T *list) {
    if (list) T::operator delete[]((void *)list);
}
namespace std {
struct nothrow_t {};
inline constexpr nothrow_t nothrow{};
}
