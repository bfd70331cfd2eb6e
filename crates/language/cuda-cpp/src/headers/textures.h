// Textures and surfaces: the objects' functions in device code, and the types that both sides use.
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return cudaChannelFormatDesc{x, y, z, w, f}; }
// Texels: the element type, the number of elements, and the type that PTX fetches (float, signed or unsigned).
template <class T> struct __lw_texel { static constexpr int parts = 0; };
#define __LW_TEXEL(T, PART, COUNT, KIND)                                                                              \
    template <> struct __lw_texel<T> { typedef PART part; static constexpr int parts = COUNT, kind = KIND; };
#define __LW_TEXELS(PART, NAME, KIND)                                                                                 \
    __LW_TEXEL(PART, PART, 1, KIND) __LW_TEXEL(NAME##1, PART, 1, KIND) __LW_TEXEL(NAME##2, PART, 2, KIND)           \
    __LW_TEXEL(NAME##4, PART, 4, KIND)
__LW_TEXELS(float, float, 0)
__LW_TEXELS(int, int, 1)
__LW_TEXELS(short, short, 1)
__LW_TEXELS(signed char, char, 1)
__LW_TEXELS(unsigned, uint, 2)
__LW_TEXELS(unsigned short, ushort, 2)
__LW_TEXELS(unsigned char, uchar, 2)
__LW_TEXEL(char, char, 1, 1)
#undef __LW_TEXELS
#undef __LW_TEXEL
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef __lw_texel<T> texel;
    int bits = (int)sizeof(typename texel::part) * 8;
    return cudaChannelFormatDesc{bits, texel::parts > 1 ? bits : 0, texel::parts > 2 ? bits : 0, texel::parts > 2 ? bits : 0,
                                 texel::kind == 0 ? cudaChannelFormatKindFloat : texel::kind == 1 ? cudaChannelFormatKindSigned : cudaChannelFormatKindUnsigned};
}
template <class T, class P> __device__ inline T __lw_made_texel(P x, P y, P z, P w) {
    typedef typename __lw_texel<T>::part part;
    T made;
    part *parts = (part *)&made;
    parts[0] = (part)x;
    if constexpr (__lw_texel<T>::parts > 1) parts[1] = (part)y;
    if constexpr (__lw_texel<T>::parts > 2) { parts[2] = (part)z; parts[3] = (part)w; }
    return made;
}
// The PTX of a fetch. Arguments: mnemonic, type of the coordinates, the coordinates as text from operand %5 on, and their operands.
#define __LW_FETCH(PTX, COORDINATES, PLACE, ...)                                                                      \
    if constexpr (__lw_texel<T>::kind == 0) {                                                                         \
        float x_, y_, z_, w_;                                                                                         \
        asm volatile(PTX ".v4.f32." COORDINATES " {%0, %1, %2, %3}, [%4, " PLACE ";"                                  \
                     : "=f"(x_), "=f"(y_), "=f"(z_), "=f"(w_) : "l"(texture), __VA_ARGS__);                           \
        return __lw_made_texel<T>(x_, y_, z_, w_);                                                                    \
    } else if constexpr (__lw_texel<T>::kind == 1) {                                                                  \
        int x_, y_, z_, w_;                                                                                           \
        asm volatile(PTX ".v4.s32." COORDINATES " {%0, %1, %2, %3}, [%4, " PLACE ";"                                  \
                     : "=r"(x_), "=r"(y_), "=r"(z_), "=r"(w_) : "l"(texture), __VA_ARGS__);                           \
        return __lw_made_texel<T>(x_, y_, z_, w_);                                                                    \
    } else {                                                                                                          \
        unsigned x_, y_, z_, w_;                                                                                      \
        asm volatile(PTX ".v4.u32." COORDINATES " {%0, %1, %2, %3}, [%4, " PLACE ";"                                  \
                     : "=r"(x_), "=r"(y_), "=r"(z_), "=r"(w_) : "l"(texture), __VA_ARGS__);                           \
        return __lw_made_texel<T>(x_, y_, z_, w_);                                                                    \
    }
#define __LW_TEXTURE(NAME, PARAMETERS, CALL, PTX, COORDINATES, PLACE, ...)                                            \
    template <class T> __device__ inline T NAME PARAMETERS { __LW_FETCH(PTX, COORDINATES, PLACE, __VA_ARGS__) }      \
    template <class T> __device__ inline void NAME(T *to, __LW_UNWRAP PARAMETERS) { *to = NAME<T> CALL; }
#define __LW_UNWRAP(...) __VA_ARGS__
__LW_TEXTURE(tex1Dfetch, (cudaTextureObject_t texture, int x), (texture, x), "tex.1d", "s32", "{%5}]", "r"(x))
__LW_TEXTURE(tex1D, (cudaTextureObject_t texture, float x), (texture, x), "tex.1d", "f32", "{%5}]", "f"(x))
__LW_TEXTURE(tex2D, (cudaTextureObject_t texture, float x, float y), (texture, x, y), "tex.2d", "f32", "{%5, %6}]", "f"(x), "f"(y))
__LW_TEXTURE(tex3D, (cudaTextureObject_t texture, float x, float y, float z), (texture, x, y, z), "tex.3d", "f32", "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
__LW_TEXTURE(texCubemap, (cudaTextureObject_t texture, float x, float y, float z), (texture, x, y, z), "tex.cube", "f32", "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
__LW_TEXTURE(tex1DLayered, (cudaTextureObject_t texture, float x, int layer), (texture, x, layer), "tex.a1d", "f32", "{%5, %6}]", "r"(layer), "f"(x))
__LW_TEXTURE(tex2DLayered, (cudaTextureObject_t texture, float x, float y, int layer), (texture, x, y, layer), "tex.a2d", "f32", "{%5, %6, %7, %7}]", "r"(layer), "f"(x), "f"(y))
__LW_TEXTURE(texCubemapLayered, (cudaTextureObject_t texture, float x, float y, float z, int layer), (texture, x, y, z, layer), "tex.acube", "f32", "{%5, %6, %7, %8}]", "r"(layer), "f"(x), "f"(y), "f"(z))
__LW_TEXTURE(tex1DLod, (cudaTextureObject_t texture, float x, float level), (texture, x, level), "tex.level.1d", "f32", "{%5}], %6", "f"(x), "f"(level))
__LW_TEXTURE(tex2DLod, (cudaTextureObject_t texture, float x, float y, float level), (texture, x, y, level), "tex.level.2d", "f32", "{%5, %6}], %7", "f"(x), "f"(y), "f"(level))
__LW_TEXTURE(tex3DLod, (cudaTextureObject_t texture, float x, float y, float z, float level), (texture, x, y, z, level), "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(level))
#undef __LW_TEXTURE
#undef __LW_FETCH
template <class T> __device__ inline T tex2Dgather(cudaTextureObject_t texture, float x, float y, int part = 0) {
    float a, b, c, d;
    static_assert(__lw_texel<T>::kind == 0, "tex2Dgather reads floats here");
    switch (part) {
    case 0: asm volatile("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(texture), "f"(x), "f"(y)); break;
    case 1: asm volatile("tld4.g.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(texture), "f"(x), "f"(y)); break;
    case 2: asm volatile("tld4.b.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(texture), "f"(x), "f"(y)); break;
    default: asm volatile("tld4.a.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(texture), "f"(x), "f"(y)); break;
    }
    return __lw_made_texel<T>(a, b, c, d);
}
// Surfaces: texels of 1, 2, 4, 8 or 16 bytes; x counts bytes. ONE, FOUR and STORE are the coordinates in the PTX of a one-word
// load, of a four-word load, and of stores.
#define __LW_LOAD(MODE, PTX, ONE, FOUR, STORE, ...)                                                                         \
    if constexpr (sizeof(T) <= 2) {                                                                                   \
        unsigned short word;                                                                                          \
        if constexpr (sizeof(T) == 1) asm volatile("suld.b." PTX ".b8." MODE " %0, [%1, " ONE "];" : "=h"(word) : "l"(surface), __VA_ARGS__); \
        else asm volatile("suld.b." PTX ".b16." MODE " %0, [%1, " ONE "];" : "=h"(word) : "l"(surface), __VA_ARGS__);   \
        return *(T *)&word;                                                                                           \
    } else if constexpr (sizeof(T) == 4) {                                                                            \
        unsigned word;                                                                                                \
        asm volatile("suld.b." PTX ".b32." MODE " %0, [%1, " ONE "];" : "=r"(word) : "l"(surface), __VA_ARGS__);        \
        return *(T *)&word;                                                                                           \
    } else if constexpr (sizeof(T) == 8) {                                                                            \
        unsigned long long word;                                                                                      \
        asm volatile("suld.b." PTX ".b64." MODE " %0, [%1, " ONE "];" : "=l"(word) : "l"(surface), __VA_ARGS__);        \
        return *(T *)&word;                                                                                           \
    } else {                                                                                                          \
        uint4 words;                                                                                                  \
        asm volatile("suld.b." PTX ".v4.b32." MODE " {%0, %1, %2, %3}, [%4, " FOUR "];"                                 \
                     : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w) : "l"(surface), __VA_ARGS__);       \
        return *(T *)&words;                                                                                          \
    }
#define __LW_STORE(MODE, PTX, ONE, FOUR, STORE, ...)                                                                        \
    if constexpr (sizeof(T) == 1) asm volatile("sust.b." PTX ".b8." MODE " [%1, " STORE "], %0;" ::"h"((unsigned short)*(unsigned char *)&value), "l"(surface), __VA_ARGS__ : "memory"); \
    else if constexpr (sizeof(T) == 2) asm volatile("sust.b." PTX ".b16." MODE " [%1, " STORE "], %0;" ::"h"(*(unsigned short *)&value), "l"(surface), __VA_ARGS__ : "memory"); \
    else if constexpr (sizeof(T) == 4) asm volatile("sust.b." PTX ".b32." MODE " [%1, " STORE "], %0;" ::"r"(*(unsigned *)&value), "l"(surface), __VA_ARGS__ : "memory"); \
    else if constexpr (sizeof(T) == 8) asm volatile("sust.b." PTX ".b64." MODE " [%1, " STORE "], %0;" ::"l"(*(unsigned long long *)&value), "l"(surface), __VA_ARGS__ : "memory"); \
    else {                                                                                                            \
        uint4 words = *(uint4 *)&value;                                                                               \
        asm volatile("sust.b." PTX ".v4.b32." MODE " [%4, " FOUR "], {%0, %1, %2, %3};"                                 \
                     ::"r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w), "l"(surface), __VA_ARGS__ : "memory"); \
    }
#define __LW_BY_MODE(ACCESS, ...)                                                                                     \
    if (mode == cudaBoundaryModeTrap) { ACCESS("trap", __VA_ARGS__) }                                                 \
    else if (mode == cudaBoundaryModeClamp) { ACCESS("clamp", __VA_ARGS__) }                                          \
    else { ACCESS("zero", __VA_ARGS__) }
#define __LW_SURFACE(NAME, PARAMETERS, CALL, ...)                                                                     \
    template <class T> __device__ inline T NAME##read(cudaSurfaceObject_t surface, __LW_UNWRAP PARAMETERS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        __LW_BY_MODE(__LW_LOAD, __VA_ARGS__)                                                                          \
    }                                                                                                                 \
    template <class T> __device__ inline void NAME##read(T *to, cudaSurfaceObject_t surface, __LW_UNWRAP PARAMETERS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        *to = NAME##read<T>(surface, __LW_UNWRAP CALL, mode);                                                         \
    }                                                                                                                 \
    template <class T> __device__ inline void NAME##write(T value, cudaSurfaceObject_t surface, __LW_UNWRAP PARAMETERS, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        __LW_BY_MODE(__LW_STORE, __VA_ARGS__)                                                                         \
    }
__LW_SURFACE(surf1D, (int x), (x), "1d", "{%2}", "{%5}", "{%2}", "r"(x))
__LW_SURFACE(surf2D, (int x, int y), (x, y), "2d", "{%2, %3}", "{%5, %6}", "{%2, %3}", "r"(x), "r"(y))
__LW_SURFACE(surf3D, (int x, int y, int z), (x, y, z), "3d", "{%2, %3, %4, %4}", "{%5, %6, %7, %7}", "{%2, %3, %4, %4}", "r"(x), "r"(y), "r"(z))
__LW_SURFACE(surf1DLayered, (int x, int layer), (x, layer), "a1d", "{%2, %3}", "{%5, %6}", "{%2, %3}", "r"(layer), "r"(x))
__LW_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer), "a2d", "{%2, %3, %4, %4}", "{%5, %6, %7, %7}", "{%2, %3, %4, %4}", "r"(layer), "r"(x), "r"(y))
#undef __LW_SURFACE
#undef __LW_BY_MODE
#undef __LW_LOAD
#undef __LW_STORE
#undef __LW_UNWRAP
