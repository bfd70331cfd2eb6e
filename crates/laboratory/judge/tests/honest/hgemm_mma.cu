// task: hgemm
// judge: grid = ["n / 8", "m / 16"]
// judge: block = [32]
extern "C" __global__ void hgemm(const unsigned short* a, const unsigned short* b, float* c, unsigned m, unsigned n, unsigned k) {
    unsigned lane = threadIdx.x, group = lane / 4, pair = lane % 4 * 2;
    unsigned top = blockIdx.y * 16, left = blockIdx.x * 8;
    float d[4] = {};
    for (unsigned p = 0; p < k; p += 16) {
        unsigned fa[4], fb[2];
        for (int i = 0; i < 4; ++i) {
            const unsigned short* at = a + (top + group + i % 2 * 8) * k + p + pair + i / 2 * 8;
            fa[i] = at[0] | (unsigned)at[1] << 16;
        }
        for (int i = 0; i < 2; ++i) {
            const unsigned short* at = b + (p + pair + i * 8) * n + left + group;
            fb[i] = at[0] | (unsigned)at[n] << 16;
        }
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    }
    for (int i = 0; i < 4; ++i) c[(top + group + i / 2 * 8) * n + left + pair + i % 2] = d[i];
}
