// Integer instructions on 2 or 4 parts of a word, and DPX: sums, minima and maxima of several numbers.
#define __LW_PARTS(NAME, T, BITS, VALUE)                                                                             \
    __device__ inline unsigned NAME(unsigned a, unsigned b) {                                                         \
        unsigned result = 0;                                                                                          \
        for (int at = 0; at < 32; at += BITS) {                                                                       \
            int x = (T)(a >> at), y = (T)(b >> at);                                                                   \
            result |= ((unsigned)(VALUE) & ((1u << BITS) - 1)) << at;                                                 \
        }                                                                                                             \
        return result;                                                                                                \
    }
#define __LW_PART(NAME, T, BITS, VALUE)                                                                              \
    __device__ inline unsigned NAME(unsigned a) {                                                                     \
        unsigned result = 0;                                                                                          \
        for (int at = 0; at < 32; at += BITS) {                                                                       \
            int x = (T)(a >> at);                                                                                     \
            result |= ((unsigned)(VALUE) & ((1u << BITS) - 1)) << at;                                                 \
        }                                                                                                             \
        return result;                                                                                                \
    }
#define __LW_SUM(NAME, T, BITS)                                                                                      \
    __device__ inline unsigned NAME(unsigned a, unsigned b) {                                                         \
        unsigned sum = 0;                                                                                             \
        for (int at = 0; at < 32; at += BITS) {                                                                       \
            int x = (T)(a >> at), y = (T)(b >> at);                                                                   \
            sum += x > y ? x - y : y - x;                                                                             \
        }                                                                                                             \
        return sum;                                                                                                   \
    }
__device__ inline int __lw_limited(int value, int low, int high) { return value < low ? low : value > high ? high : value; }
#define __LW_PAIR(N, BITS, S, U, LOW, HIGH, ALL)                                                                      \
    __LW_PARTS(__vadd##N, U, BITS, x + y) __LW_PARTS(__vaddss##N, S, BITS, __lw_limited(x + y, LOW, HIGH)) \
    __LW_PARTS(__vaddus##N, U, BITS, __lw_limited(x + y, 0, ALL)) __LW_PARTS(__vsub##N, U, BITS, x - y) \
    __LW_PARTS(__vsubss##N, S, BITS, __lw_limited(x - y, LOW, HIGH)) __LW_PARTS(__vsubus##N, U, BITS, __lw_limited(x - y, 0, ALL)) \
    __LW_PARTS(__vavgs##N, S, BITS, (x + y + (x + y >= 0)) >> 1) __LW_PARTS(__vavgu##N, U, BITS, (x + y + 1) >> 1) \
    __LW_PARTS(__vhaddu##N, U, BITS, (x + y) >> 1) __LW_PARTS(__vabsdiffs##N, S, BITS, x > y ? x - y : y - x) \
    __LW_PARTS(__vabsdiffu##N, U, BITS, x > y ? x - y : y - x) __LW_PARTS(__vmaxs##N, S, BITS, x > y ? x : y) \
    __LW_PARTS(__vmaxu##N, U, BITS, x > y ? x : y) __LW_PARTS(__vmins##N, S, BITS, x < y ? x : y) \
    __LW_PARTS(__vminu##N, U, BITS, x < y ? x : y) __LW_PART(__vabs##N, S, BITS, x < 0 ? -x : x) \
    __LW_PART(__vabsss##N, S, BITS, __lw_limited(x < 0 ? -x : x, LOW, HIGH)) __LW_PART(__vneg##N, S, BITS, -x) \
    __LW_PART(__vnegss##N, S, BITS, __lw_limited(-x, LOW, HIGH)) __LW_SUM(__vsads##N, S, BITS) __LW_SUM(__vsadu##N, U, BITS) \
    __LW_PARTS(__vcmpeq##N, U, BITS, x == y ? ALL : 0) __LW_PARTS(__vcmpne##N, U, BITS, x != y ? ALL : 0) \
    __LW_PARTS(__vcmpges##N, S, BITS, x >= y ? ALL : 0) __LW_PARTS(__vcmpgeu##N, U, BITS, x >= y ? ALL : 0) \
    __LW_PARTS(__vcmpgts##N, S, BITS, x > y ? ALL : 0) __LW_PARTS(__vcmpgtu##N, U, BITS, x > y ? ALL : 0) \
    __LW_PARTS(__vcmples##N, S, BITS, x <= y ? ALL : 0) __LW_PARTS(__vcmpleu##N, U, BITS, x <= y ? ALL : 0) \
    __LW_PARTS(__vcmplts##N, S, BITS, x < y ? ALL : 0) __LW_PARTS(__vcmpltu##N, U, BITS, x < y ? ALL : 0) \
    __LW_PARTS(__vseteq##N, U, BITS, x == y ? 1 : 0) __LW_PARTS(__vsetne##N, U, BITS, x != y ? 1 : 0) \
    __LW_PARTS(__vsetges##N, S, BITS, x >= y ? 1 : 0) __LW_PARTS(__vsetgeu##N, U, BITS, x >= y ? 1 : 0) \
    __LW_PARTS(__vsetgts##N, S, BITS, x > y ? 1 : 0) __LW_PARTS(__vsetgtu##N, U, BITS, x > y ? 1 : 0) \
    __LW_PARTS(__vsetles##N, S, BITS, x <= y ? 1 : 0) __LW_PARTS(__vsetleu##N, U, BITS, x <= y ? 1 : 0) \
    __LW_PARTS(__vsetlts##N, S, BITS, x < y ? 1 : 0) __LW_PARTS(__vsetltu##N, U, BITS, x < y ? 1 : 0)
__LW_PAIR(2, 16, short, unsigned short, -32768, 32767, 0xffff) __LW_PAIR(4, 8, signed char, unsigned char, -128, 127, 0xff)
#define __LW_THREE(NAME, T, BITS, VALUE)                                                                             \
    __device__ inline unsigned NAME(unsigned a, unsigned b, unsigned c) {                                             \
        unsigned result = 0;                                                                                          \
        for (int at = 0; at < 32; at += BITS) {                                                                       \
            int x = (T)(a >> at), y = (T)(b >> at), z = (T)(c >> at);                                                 \
            result |= ((unsigned)(VALUE) & 0xffff) << at;                                                             \
        }                                                                                                             \
        return result;                                                                                                \
    }
#define __LW_DPX(NAME, OP)                                                                                      \
    __device__ inline int __viadd##NAME##_s32(int a, int b, int c) { int s = (int)((unsigned)a + (unsigned)b); return s OP c ? s : c; } \
    __device__ inline unsigned __viadd##NAME##_u32(unsigned a, unsigned b, unsigned c) { unsigned s = a + b; return s OP c ? s : c; } \
    __device__ inline int __viadd##NAME##_s32_relu(int a, int b, int c) { int r = __viadd##NAME##_s32(a, b, c); return r > 0 ? r : 0; } \
    __device__ inline int __vi##NAME##3_s32(int a, int b, int c) { int r = a OP b ? a : b; return r OP c ? r : c; }   \
    __device__ inline unsigned __vi##NAME##3_u32(unsigned a, unsigned b, unsigned c) { unsigned r = a OP b ? a : b; return r OP c ? r : c; } \
    __device__ inline int __vi##NAME##3_s32_relu(int a, int b, int c) { int r = __vi##NAME##3_s32(a, b, c); return r > 0 ? r : 0; } \
    __device__ inline int __vi##NAME##_s32_relu(int a, int b) { int r = a OP b ? a : b; return r > 0 ? r : 0; }       \
    __device__ inline int __vib##NAME##_s32(int a, int b, bool *first) { *first = a OP##= b; return a OP b ? a : b; } \
    __device__ inline unsigned __vib##NAME##_u32(unsigned a, unsigned b, bool *first) { *first = a OP##= b; return a OP b ? a : b; } \
    __LW_THREE(__viadd##NAME##_s16x2, short, 16, (short)(x + y) OP z ? x + y : z)                                     \
    __LW_THREE(__viadd##NAME##_u16x2, unsigned short, 16, (unsigned short)(x + y) OP z ? x + y : z)                   \
    __LW_THREE(__viadd##NAME##_s16x2_relu, short, 16, __lw_limited((short)(x + y) OP z ? (short)(x + y) : z, 0, 32767)) \
    __LW_THREE(__vi##NAME##3_s16x2, short, 16, (x OP y ? x : y) OP z ? (x OP y ? x : y) : z)                          \
    __LW_THREE(__vi##NAME##3_u16x2, unsigned short, 16, (x OP y ? x : y) OP z ? (x OP y ? x : y) : z)                 \
    __LW_THREE(__vi##NAME##3_s16x2_relu, short, 16, __lw_limited((x OP y ? x : y) OP z ? (x OP y ? x : y) : z, 0, 32767)) \
    __LW_PARTS(__vi##NAME##_s16x2_relu, short, 16, __lw_limited(x OP y ? x : y, 0, 32767))                            \
    __device__ inline unsigned __vib##NAME##_s16x2(unsigned a, unsigned b, bool *high, bool *low) {                   \
        *high = (short)(a >> 16) OP##= (short)(b >> 16);                                                              \
        *low = (short)a OP##= (short)b;                                                                               \
        return (*high ? a & 0xffff0000 : b & 0xffff0000) | (*low ? a & 0xffff : b & 0xffff);                          \
    }                                                                                                                 \
    __device__ inline unsigned __vib##NAME##_u16x2(unsigned a, unsigned b, bool *high, bool *low) {                   \
        *high = (a >> 16) OP##= (b >> 16);                                                                            \
        *low = (a & 0xffff) OP##= (b & 0xffff);                                                                       \
        return (*high ? a & 0xffff0000 : b & 0xffff0000) | (*low ? a & 0xffff : b & 0xffff);                          \
    }
__LW_DPX(max, >) __LW_DPX(min, <)
#undef __LW_PARTS
#undef __LW_PART
#undef __LW_SUM
#undef __LW_PAIR
#undef __LW_THREE
#undef __LW_DPX
