// Host code: arrays, copies in three dimensions, texture and surface objects.
#define cudaArrayDefault 0
#define cudaArrayLayered 1
#define cudaArraySurfaceLoadStore 2
#define cudaArrayCubemap 4
#define cudaArrayTextureGather 8
enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct { void *devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct { void *devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
    } res;
    unsigned flags;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
enum cudaResourceViewFormat { cudaResViewFormatNone };
struct cudaResourceViewDesc {
    cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return cudaExtent{width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch, size_t width, size_t height) { return cudaPitchedPtr{memory, pitch, width, height}; }
// The driver's descriptions.
struct __lw_array_description { size_t width, height, depth; unsigned format, channels, flags; };
struct __lw_resource {
    unsigned kind, padding;
    const void *place;
    unsigned format, channels;
    size_t width, height, pitch;
    unsigned long reserved[11], flags;
};
struct __lw_reading {
    unsigned address[3], filter, flags, anisotropy, level_filter;
    float bias, least, most, border[4];
    int reserved[12];
};
extern "C" {
int cuArray3DCreate_v2(cudaArray_t *to, const __lw_array_description *description);
int cuArray3DGetDescriptor_v2(__lw_array_description *to, cudaArray_const_t array);
int cuArrayDestroy(cudaArray_t array);
int cuMipmappedArrayCreate(cudaMipmappedArray_t *to, const __lw_array_description *description, unsigned levels);
int cuMipmappedArrayGetLevel(cudaArray_t *to, cudaMipmappedArray_const_t array, unsigned level);
int cuMipmappedArrayDestroy(cudaMipmappedArray_t array);
int cuTexObjectCreate(cudaTextureObject_t *to, const __lw_resource *resource, const __lw_reading *reading, const cudaResourceViewDesc *view);
int cuTexObjectDestroy(cudaTextureObject_t texture);
int cuSurfObjectCreate(cudaSurfaceObject_t *to, const __lw_resource *resource);
int cuSurfObjectDestroy(cudaSurfaceObject_t surface);
}
inline unsigned __lw_format(const cudaChannelFormatDesc &texel) {
    unsigned step = texel.x == 32 ? 2 : texel.x == 16 ? 1 : 0;
    if (texel.f == cudaChannelFormatKindFloat) return texel.x == 16 ? 0x10 : 0x20;
    return (texel.f == cudaChannelFormatKindSigned ? 8 : 1) + step;
}
inline unsigned __lw_channels(const cudaChannelFormatDesc &texel) { return 1u + (texel.y != 0) + (texel.z != 0) + (texel.w != 0); }
inline __lw_array_description __lw_described(const cudaChannelFormatDesc *texel, cudaExtent extent, unsigned flags) {
    return __lw_array_description{extent.width, extent.height, extent.depth, __lw_format(*texel), __lw_channels(*texel), flags};
}
inline cudaError_t cudaMalloc3DArray(cudaArray_t *to, const cudaChannelFormatDesc *texel, cudaExtent extent, unsigned flags = 0) {
    __lw_array_description description = __lw_described(texel, extent, flags);
    __LW_CALL(cuArray3DCreate_v2(to, &description));
}
inline cudaError_t cudaMallocArray(cudaArray_t *to, const cudaChannelFormatDesc *texel, size_t width, size_t height = 0, unsigned flags = 0) {
    return cudaMalloc3DArray(to, texel, cudaExtent{width, height, 0}, flags);
}
inline cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *to, const cudaChannelFormatDesc *texel, cudaExtent extent, unsigned levels, unsigned flags = 0) {
    __lw_array_description description = __lw_described(texel, extent, flags);
    __LW_CALL(cuMipmappedArrayCreate(to, &description, levels));
}
inline cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *to, cudaMipmappedArray_const_t array, unsigned level) { __LW_CALL(cuMipmappedArrayGetLevel(to, array, level)); }
inline cudaError_t cudaFreeArray(cudaArray_t array) { __LW_CALL(array ? cuArrayDestroy(array) : 0); }
inline cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) { __LW_CALL(array ? cuMipmappedArrayDestroy(array) : 0); }
inline size_t __lw_element(const __lw_array_description &array) {
    return (array.format == 0x20 || (array.format & 3) == 3 || array.format == 0x0a ? 4 : array.format == 0x10 || array.format == 2 || array.format == 9 ? 2 : 1) * array.channels;
}
inline int __lw_array(cudaArray_const_t array, __lw_array_description *to) { return cuArray3DGetDescriptor_v2(to, array); }
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *texel, cudaExtent *extent, unsigned *flags, cudaArray_t array) {
    __lw_array_description found;
    int status = __lw_begin();
    if (status == 0) status = __lw_array(array, &found);
    if (status != 0) return __lw_done(status);
    if (extent) *extent = cudaExtent{found.width, found.height, found.depth};
    if (flags) *flags = found.flags;
    if (texel) {
        int bits = (int)(__lw_element(found) / found.channels) * 8;
        *texel = cudaChannelFormatDesc{bits, found.channels > 1 ? bits : 0, found.channels > 2 ? bits : 0, found.channels > 3 ? bits : 0,
                                       found.format >= 0x10 ? cudaChannelFormatKindFloat : found.format >= 8 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned};
    }
    return cudaSuccess;
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *texel, cudaArray_const_t array) { return cudaArrayGetInfo(texel, nullptr, nullptr, (cudaArray_t)array); }
// The driver's description of a copy.
inline int __lw_copy_of(const cudaMemcpy3DParms *all, __lw_copy3 *to) {
    __lw_copy3 &copy = *to;
    memset(&copy, 0, sizeof(copy));
    if (all->kind < cudaMemcpyHostToHost || all->kind > cudaMemcpyDefault)
        return __lw_refused(21, "cudaMemcpy3D: the direction is none of `cudaMemcpyKind`", "pass a value of `cudaMemcpyKind`");
    size_t element = 1;
    __lw_array_description array;
    int status = __lw_begin();
    if (status == 0 && (all->srcArray || all->dstArray)) {
        status = __lw_array(all->srcArray ? all->srcArray : all->dstArray, &array);
        element = __lw_element(array);
    }
    if (status != 0) return status;
    if (all->srcArray) { copy.from.kind = 3; copy.from.array = all->srcArray; }
    else __lw_memory(copy.from, all->srcPtr.ptr, all->srcPtr.pitch, all->srcPtr.ysize, __lw_side_is_device(all->srcPtr.ptr, all->kind, false));
    if (all->dstArray) { copy.to.kind = 3; copy.to.array = all->dstArray; }
    else __lw_memory(copy.to, all->dstPtr.ptr, all->dstPtr.pitch, all->dstPtr.ysize, __lw_side_is_device(all->dstPtr.ptr, all->kind, true));
    copy.from.x = all->srcPos.x * (all->srcArray ? element : 1); copy.from.y = all->srcPos.y; copy.from.z = all->srcPos.z;
    copy.to.x = all->dstPos.x * (all->dstArray ? element : 1); copy.to.y = all->dstPos.y; copy.to.z = all->dstPos.z;
    copy.width = all->extent.width * element; copy.height = all->extent.height; copy.depth = all->extent.depth;
    if ((!all->srcArray && copy.width > copy.from.pitch) || (!all->dstArray && copy.width > copy.to.pitch))
        return __lw_refused(12, "cudaMemcpy3D: a row is wider than a pitch", "give the extent in bytes, and the pitch that `cudaMalloc3D` returned");
    return 0;
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *all, cudaStream_t stream = nullptr) {
    __lw_copy3 copy;
    int status = __lw_copy_of(all, &copy);
    if (status == 0 && all->extent.width != 0 && all->extent.height != 0 && all->extent.depth != 0) status = cuMemcpy3DAsync_v2(&copy, stream);
    return __lw_done(status);
}
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *all) {
    cudaError_t error = cudaMemcpy3DAsync(all);
    return error == cudaSuccess ? __lw_done(cuStreamSynchronize(nullptr)) : error;
}
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    __lw_copy3 copy;
    memset(&copy, 0, sizeof(copy));
    copy.to.kind = 3; copy.to.array = to; copy.to.x = x; copy.to.y = y;
    copy.width = width; copy.height = height; copy.depth = 1;
    if (width > pitch) return __lw_refused(12, "cudaMemcpy2DToArray: a row is wider than the pitch", "give width and pitch in bytes");
    int status = __lw_begin();
    __lw_memory(copy.from, from, pitch, height, __lw_side_is_device(from, kind, false));
    if (status == 0) status = cuMemcpy3DAsync_v2(&copy, stream);
    return __lw_done(status);
}
inline cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
    __lw_copy3 copy;
    memset(&copy, 0, sizeof(copy));
    copy.from.kind = 3; copy.from.array = (cudaArray_t)from; copy.from.x = x; copy.from.y = y;
    copy.width = width; copy.height = height; copy.depth = 1;
    if (width > pitch) return __lw_refused(12, "cudaMemcpy2DFromArray: a row is wider than the pitch", "give width and pitch in bytes");
    int status = __lw_begin();
    __lw_memory(copy.to, to, pitch, height, __lw_side_is_device(to, kind, true));
    if (status == 0) status = cuMemcpy3DAsync_v2(&copy, stream);
    return __lw_done(status);
}
inline cudaError_t __lw_waited(cudaError_t error) { return error == cudaSuccess ? __lw_done(cuStreamSynchronize(nullptr)) : error; }
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    return __lw_waited(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind));
}
inline cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    return __lw_waited(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind));
}
// Copies contiguous bytes to or from an array that spans rows: the rest of the first row, whole rows, the start of the last.
inline cudaError_t __lw_along_array(cudaArray_t array, size_t x, size_t y, char *memory, size_t bytes, cudaMemcpyKind kind, bool to) {
    __lw_array_description found;
    int status = __lw_begin();
    if (status == 0) status = __lw_array(array, &found);
    if (status != 0) return __lw_done(status);
    size_t row = found.width * __lw_element(found);
    while (bytes > 0) {
        size_t width = x + bytes < row ? bytes : row - x, rows = x == 0 && bytes >= row ? bytes / row : 1;
        cudaError_t error = to ? cudaMemcpy2DToArray(array, x, y, memory, width, width, rows, kind) : cudaMemcpy2DFromArray(memory, width, array, x, y, width, rows, kind);
        if (error != cudaSuccess) return error;
        memory += width * rows; bytes -= width * rows; x = 0; y += rows;
    }
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return __lw_along_array(to, x, y, (char *)from, bytes, kind, true);
}
inline cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind) {
    return __lw_along_array((cudaArray_t)from, x, y, (char *)to, bytes, kind, false);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr *to, cudaExtent extent) {
    to->xsize = extent.width; to->ysize = extent.height;
    return cudaMallocPitch(&to->ptr, &to->pitch, extent.width, extent.height * extent.depth);
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr to, int byte, cudaExtent extent) {
    for (size_t z = 0; z < extent.depth; z++) {
        cudaError_t error = cudaMemset2D((char *)to.ptr + z * to.pitch * to.ysize, to.pitch, byte, extent.width, extent.height);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
inline __lw_resource __lw_described(const cudaResourceDesc *all) {
    __lw_resource made;
    memset(&made, 0, sizeof(made));
    made.kind = all->resType;
    switch (all->resType) {
    case cudaResourceTypeArray: made.place = all->res.array.array; break;
    case cudaResourceTypeMipmappedArray: made.place = all->res.mipmap.mipmap; break;
    case cudaResourceTypeLinear:
        made.place = all->res.linear.devPtr; made.width = all->res.linear.sizeInBytes;
        made.format = __lw_format(all->res.linear.desc); made.channels = __lw_channels(all->res.linear.desc);
        break;
    default:
        made.place = all->res.pitch2D.devPtr; made.width = all->res.pitch2D.width; made.height = all->res.pitch2D.height;
        made.pitch = all->res.pitch2D.pitchInBytes;
        made.format = __lw_format(all->res.pitch2D.desc); made.channels = __lw_channels(all->res.pitch2D.desc);
    }
    return made;
}
inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *to, const cudaResourceDesc *resource, const cudaTextureDesc *texture, const cudaResourceViewDesc *view) {
    __lw_resource described = __lw_described(resource);
    __lw_reading reading;
    memset(&reading, 0, sizeof(reading));
    for (int i = 0; i < 3; i++) reading.address[i] = texture->addressMode[i];
    reading.filter = texture->filterMode;
    reading.flags = (texture->readMode == cudaReadModeElementType ? 1 : 0) | (texture->normalizedCoords ? 2 : 0) | (texture->sRGB ? 16 : 0) | (texture->disableTrilinearOptimization ? 32 : 0) | (texture->seamlessCubemap ? 64 : 0);
    reading.anisotropy = texture->maxAnisotropy;
    reading.level_filter = texture->mipmapFilterMode;
    reading.bias = texture->mipmapLevelBias; reading.least = texture->minMipmapLevelClamp; reading.most = texture->maxMipmapLevelClamp;
    for (int i = 0; i < 4; i++) reading.border[i] = texture->borderColor[i];
    __LW_CALL(cuTexObjectCreate(to, &described, &reading, view));
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) { __LW_CALL(cuTexObjectDestroy(texture)); }
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *to, const cudaResourceDesc *resource) {
    __lw_resource described = __lw_described(resource);
    __LW_CALL(cuSurfObjectCreate(to, &described));
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) { __LW_CALL(cuSurfObjectDestroy(surface)); }
