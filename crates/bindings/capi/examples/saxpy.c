/* y = a * x + y on an emulated GPU, in the caller's own memory.
 *
 *     cargo build --release -p lanework-capi
 *     cc crates/bindings/capi/examples/saxpy.c -Icrates/bindings/capi/include -Ltarget/release -llanework_c -o saxpy
 *     LD_LIBRARY_PATH=target/release ./saxpy
 */
#include <lanework.h>
#include <stdio.h>
#include <stdlib.h>

static const char *PTX =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<7>;\n"
    "    ld.param.f32 %f1, [a];\n"
    "    ld.param.u64 %rd1, [x];\n"
    "    ld.param.u64 %rd2, [y];\n"
    "    ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %ctaid.x;\n"
    "    mov.u32 %r3, %ntid.x;\n"
    "    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p1, %r5, %r1;\n"
    "    @%p1 bra DONE;\n"
    "    mul.wide.u32 %rd3, %r5, 4;\n"
    "    add.s64 %rd4, %rd1, %rd3;\n"
    "    add.s64 %rd5, %rd2, %rd3;\n"
    "    ld.global.f32 %f2, [%rd4];\n"
    "    ld.global.f32 %f3, [%rd5];\n"
    "    fma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "    st.global.f32 [%rd5], %f4;\n"
    "DONE:\n"
    "    ret;\n"
    "}\n";

static void check(lanework_status status)
{
    if (status != LANEWORK_OK) {
        fprintf(stderr, "error: %s\n", lanework_last_error());
        exit(1);
    }
}

int main(void)
{
    enum { N = 1000 };
    static float x[N], y[N];
    lanework_device device;
    lanework_module module;
    lanework_executed executed;
    float a = 2.0f, *px = x, *py = y;
    uint32_t n = N;
    const void *arguments[] = {&a, &px, &py, &n};
    lanework_shape shape = {{4, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0, 0};

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    check(lanework_device_open("host", NULL, &device));
    check(lanework_module_load(device, PTX, 0, &module));
    /* From now on, kernels may only access registered memory. */
    check(lanework_register(device, x, sizeof x));
    check(lanework_register(device, y, sizeof y));
    check(lanework_launch(module, "saxpy", &shape, arguments, 4, &executed));
    printf("y[999] = %g, %llu warp instructions\n", y[999],
           (unsigned long long)executed.warp_instructions);
    check(lanework_device_close(device));
    return y[999] == 1999.0f ? 0 : 1;
}
