/* The kernels of interface.c. */

static const char KERNELS[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<7>;\n"
    "    ld.param.f32 %f1, [a]; ld.param.u64 %rd1, [x];\n"
    "    ld.param.u64 %rd2, [y]; ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p1, %r5, %r1;\n"
    "    @%p1 bra DONE;\n"
    "    mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
    "    ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5];\n"
    "    fma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "    st.global.f32 [%rd5], %f4;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n"
    ".visible .entry spin(.param .u64 x)\n"
    "{\n"
    "AGAIN:\n"
    "    bra AGAIN;\n"
    "}\n";

static const char COUNTER[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .global .align 4 .u32 calls = 4;\n"
    ".visible .entry count(.param .u64 to)\n"
    "{\n"
    "    .reg .b32 %r<3>; .reg .b64 %rd<2>;\n"
    "    ld.param.u64 %rd1, [to];\n"
    "    ld.global.u32 %r1, [calls]; add.u32 %r2, %r1, 1; st.global.u32 [calls], %r2;\n"
    "    st.global.u32 [%rd1], %r2;\n"
    "    ret;\n"
    "}\n";

static const char RANKS[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry ranks(.param .u64 to)\n"
    "{\n"
    "    .reg .b32 %r<3>; .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [to]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %cluster_ctarank;\n"
    "    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "    st.global.u32 [%rd3], %r2;\n"
    "    ret;\n"
    "}\n";
