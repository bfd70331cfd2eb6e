// Integer arithmetic, bits and bytes.

extern "C" __global__ void bits(const unsigned *in, const unsigned long long *wide, unsigned *out, unsigned long long *out64) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i], y = in[i ^ 1];
    unsigned *o = out + i * 16;
    o[0] = __popc(x);
    o[1] = __clz(x);
    o[2] = __brev(x);
    o[3] = __ffs(x);
    o[4] = __byte_perm(x, y, 0x5410 ^ (y & 0x7777));
    o[5] = __funnelshift_l(x, y, y & 63);
    o[6] = __funnelshift_rc(x, y, y & 63);
    o[7] = x << (y & 31) | x >> (32 - (y & 31) & 31);
    o[8] = __fns(x, y & 31, (int)(y >> 5 & 3) + 1);
    o[9] = x & -x;
    o[10] = (x & 0xff00) >> 8 | (int)x >> 31 << 8;
    o[11] = __uint_as_float(x) == __uint_as_float(x);
    o[12] = (int)(x << 12) >> 20;
    o[13] = x >> 3 & 0x3ff;
    o[14] = (x & 0xffffff00) | (y & 0xff);
    o[15] = (x & y) ^ (~x & 0x0f0f0f0f) ^ (x | y);
    unsigned long long a = wide[i], b = wide[i ^ 1];
    unsigned long long *p = out64 + i * 5;
    p[0] = __popcll(a);
    p[1] = __clzll(a);
    p[2] = __brevll(a);
    p[3] = __ffsll(a);
    p[4] = a << (b & 63) | a >> (64 - (b & 63) & 63);
}

extern "C" __global__ void arithmetic(const int *in, const long long *wide, long long *out, unsigned *packed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i], y = in[i ^ 1] | 1;
    unsigned ux = x, uy = y;
    long long a = wide[i], b = wide[i ^ 1] | 1;
    unsigned long long ua = a, ub = b >> 20 | 1;
    long long *o = out + i * 24;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = ux / (uy >> 9 | 1);
    o[3] = ux % (uy >> 9 | 1);
    o[4] = a / b;
    o[5] = a % b;
    o[6] = ua / ub;
    o[7] = ua % ub;
    o[8] = __mulhi(x, y);
    o[9] = __umulhi(ux, uy);
    o[10] = __mul64hi(a, b);
    o[11] = __umul64hi(ua, ub);
    o[12] = (long long)x * y;
    o[13] = __mul24(x, y);
    o[14] = __sad(x, y, ux);
    o[15] = __hadd(x, y) ^ __rhadd(x, y);
    o[16] = min(x, y) ^ max(ux, uy);
    o[17] = abs(x) + llabs(a >> 1);
    __int128 product = (__int128)a * b, sum = product + ((__int128)x << 64) - b;
    o[18] = (long long)(sum >> 64);
    o[19] = (long long)sum;
    o[20] = x / 7 + x % 10 + (int)(ux / 1000003u);
    o[21] = a / 1000000007ll;
    o[22] = (short)x * (signed char)y + (unsigned short)x / 3;
    o[23] = x >= 0 ? x << 3 : -(-(long long)x >> 2);
    unsigned *p = packed + i * 12;
    p[0] = __vadd4(ux, uy);
    p[1] = __vsub2(ux, uy);
    p[2] = __vmaxs4(ux, uy);
    p[3] = __vabsdiffu4(ux, uy);
    p[4] = __vcmpgtu2(ux, uy);
    p[5] = __vavgu4(ux, uy);
    p[6] = __vsadu4(ux, uy);
    p[7] = __vaddss2(ux, uy);
    p[8] = __dp4a(ux, uy, 5u);
    p[9] = __dp4a(x, y, -5);
    p[10] = __dp2a_lo(x, y, 9);
    p[11] = __dp2a_hi(ux, uy, 9u);
}

// Numbers of 256 bits: sums and products with carries.
extern "C" __global__ void big_numbers(const unsigned *in, unsigned *sum, unsigned *product) {
    int i = threadIdx.x;
    const unsigned *a = in + i * 16, *b = a + 8;
    unsigned s[8];
    asm("add.cc.u32 %0, %8, %16;\n\taddc.cc.u32 %1, %9, %17;\n\taddc.cc.u32 %2, %10, %18;\n\taddc.cc.u32 %3, %11, %19;\n\t"
        "addc.cc.u32 %4, %12, %20;\n\taddc.cc.u32 %5, %13, %21;\n\taddc.cc.u32 %6, %14, %22;\n\taddc.u32 %7, %15, %23;"
        : "=r"(s[0]), "=r"(s[1]), "=r"(s[2]), "=r"(s[3]), "=r"(s[4]), "=r"(s[5]), "=r"(s[6]), "=r"(s[7])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7]),
          "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(b[4]), "r"(b[5]), "r"(b[6]), "r"(b[7]));
    for (int k = 0; k < 8; k++) sum[i * 8 + k] = s[k];
    unsigned p[16] = {};
    for (int k = 0; k < 8; k++) {
        unsigned carry = 0;
        for (int j = 0; j < 8; j++) {
            unsigned low, high;
            asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, 0;" : "=r"(low), "=r"(high) : "r"(a[k]), "r"(b[j]), "r"(p[k + j]));
            asm("add.cc.u32 %0, %0, %2;\n\taddc.u32 %1, %1, 0;" : "+r"(low), "+r"(high) : "r"(carry));
            p[k + j] = low;
            carry = high;
        }
        p[k + 8] = carry;
    }
    for (int k = 0; k < 16; k++) product[i * 16 + k] = p[k];
}

// Modular powers, and the test of Miller and Rabin for numbers of 32 bits.
__device__ unsigned power(unsigned long long base, unsigned exponent, unsigned modulus) {
    unsigned long long result = 1;
    for (base %= modulus; exponent; exponent /= 2, base = base * base % modulus)
        if (exponent & 1) result = result * base % modulus;
    return (unsigned)result;
}
extern "C" __global__ void primes(const unsigned *in, unsigned char *prime, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i];
    if (x < 4 || x % 2 == 0) {
        prime[i] = x == 2 || x == 3;
        return;
    }
    unsigned odd = x - 1, twos = __ffs(odd) - 1;
    odd >>= twos;
    const unsigned witnesses[] = {2, 7, 61};
    bool is = true;
    for (unsigned w : witnesses) {
        if (w % x == 0) continue;
        unsigned long long y = power(w, odd, x);
        bool passes = y == 1 || y == x - 1;
        for (unsigned s = 1; s < twos && !passes; s++) {
            y = y * y % x;
            passes = y == x - 1;
        }
        is = is && passes;
    }
    prime[i] = is;
}

// Steps of Collatz, in 64 bits: lanes leave the loop at very different times.
extern "C" __global__ void collatz(unsigned long long first, unsigned *steps) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    for (unsigned long long x = first + i; x != 1; n++) x = x % 2 ? 3 * x + 1 : x / 2;
    steps[i] = n;
}
