//! Programs without kernels whose output depends on exact rules of the language.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile_host};
use lanework_host::Process;

/// The output of a program.
fn output(source: &str) -> String {
    let compiled = compile_host(source, "program.cu", &CompileOptions::default(), &mut NoFiles);
    let host = compiled.unwrap_or_else(|failure| panic!("{}", failure.text));
    let mut process = Process::load(&host.module, &[], Box::new(())).expect("memory");
    process.keep_output();
    let code = process.main(&["program".to_owned()]).map_err(|fault| fault.message);
    assert_eq!(code, Ok(0));
    String::from_utf8_lossy(&process.take_output()).into_owned()
}

#[test]
fn conditions_of_directives_use_the_widest_integers() {
    let source = r#"
        #include <cstdio>
        #include <climits>
        #include <cstdint>
        int main() {
        #if ULONG_MAX > 0xffffffffUL && SIZE_MAX > 0xffffffff && -1 > 0u && 0xffffffffffffffff > 0
            printf("a");
        #endif
        #if 18446744073709551615u == -1 && (0 ? 1u : -1) > 0 && -7 / 2 == -3 && -7 % 3 == -1 && -1 / 2u > 5
            printf("b");
        #endif
        #if -1 > 0 || ~0 != -1 || 1 << 33 < 0 || -1 >> 1 != -1 || -1u >> 63 != 1 || 'ab' != 24930
            printf("c");
        #endif
        }"#;
    assert_eq!(output(source), "ab");
}

#[test]
fn packed_classes_have_no_gaps() {
    let source = r#"
        #include <cstdio>
        #include <cstring>
        #pragma pack(push, 1)
        struct Header { unsigned short type; unsigned size; unsigned short r1, r2; unsigned off; };
        struct Bits { unsigned char tag; unsigned a : 8; unsigned b : 24; };
        #pragma pack(push, 2)
        struct Two { char c; double d; };
        #pragma pack(pop)
        struct Nested { char c; Two two; struct Inner { char c; int i; } inner; };
        #pragma pack(pop)
        struct Plain { char c; int i; };
        struct Attribute { char c; int i; } __attribute__((packed));
        struct __attribute__((__packed__)) Before { char c; Plain p; short s; };
        #pragma pack(4)
        struct Four { char c; double d; };
        #pragma pack()
        struct Last { char c; double d; };
        int main() {
            printf("%zu %zu %zu %zu %zu\n", sizeof(Header), sizeof(Bits), sizeof(Two), sizeof(Nested), sizeof(Plain));
            printf("%zu %zu %zu %zu %zu\n", sizeof(Attribute), sizeof(Before), sizeof(Four), sizeof(Last), alignof(Header));
            Header h = {0x4d42, 7, 1, 2, 0x36};
            h.size += 3;
            unsigned char raw[sizeof h];
            memcpy(raw, &h, sizeof h);
            for (unsigned char byte : raw) printf("%02x", byte);
            Bits bits = {1, 2, 0x123456};
            printf(" %d %d %x\n", bits.tag, bits.a, bits.b);
        }"#;
    let text = "14 5 10 16 8\n5 11 12 16 1\n424d0a0000000100020036000000 1 2 123456\n";
    assert_eq!(output(source), text);
}

#[test]
fn narrow_bit_fields_are_promoted_to_int() {
    let source = r#"
        #include <cstdio>
        struct B { unsigned c : 3; unsigned w : 32; unsigned long l : 33; unsigned long s : 20; bool f : 1; };
        int main() {
            B b;
            b.c = 2, b.w = 1, b.l = 5, b.s = 1, b.f = 1;
            printf("%d %d %d ", b.c - 5 < 0, b.c > -1, (b.c - 3) / 2);
            printf("%d %d %d %d ", b.w > -1, b.l > -1ul, b.s > -1, -b.f < 0);
            int down = -6;
            down /= b.c;
            printf("%d %d %d %zu ", -b.c, ~b.c, down, sizeof(+b.l));
            printf("%d\n", (b.c = 3) > -1);
        }"#;
    assert_eq!(output(source), "1 1 0 0 0 1 1 -2 -3 -3 8 1\n");
}

#[test]
fn functions_know_their_names() {
    let source = r#"
        #include <cstdio>
        #define LOG(text) printf("[%s] " text "\n", __func__)
        struct S { void method() { LOG("m"); } };
        template <class T> void generic(T) { LOG("g"); }
        int main() {
            S().method();
            generic(1);
            auto lambda = [] { LOG("l"); };
            lambda();
            printf("%s %zu\n", __FUNCTION__, sizeof(__func__));
        }"#;
    assert_eq!(output(source), "[method] m\n[generic] g\n[operator()] l\nmain 5\n");
}

#[test]
fn character_literals_have_their_types() {
    let source = r#"
        #include <cstdio>
        int main() {
            printf("%zu %zu %zu %zu %zu ", sizeof('a'), sizeof(u8'a'), sizeof(u'a'), sizeof(U'a'), sizeof(L'a'));
            printf("%zu %d %d %d\n", sizeof('ab'), 'ab', '\xff', L'b');
        }"#;
    assert_eq!(output(source), "1 1 2 4 4 4 24930 -1 98\n");
    let source = r#"
        #include <cstdio>
        int main() { printf("%zu %zu %zu %zu\n", sizeof("abc"), sizeof(L"abc"), sizeof(u"abc"), sizeof(U"abc")); }"#;
    assert_eq!(output(source), "4 16 8 16\n");
}

#[test]
fn the_host_converts_halves() {
    let source = r#"
        #include <cstdio>
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        int main() {
            half h = __float2half(1.5f);
            __nv_bfloat16 b = __float2bfloat16(-2.5f);
            printf("%g %g %g %d ", __half2float(h), __bfloat162float(b), (float)__double2half(0.1), __half2int_rn(h));
            printf("%g %g\n", (float)__int2half_rn(-7), (float)__float2half_ru(1e6f));
        }"#;
    assert_eq!(output(source), "1.5 -2.5 0.0999756 2 -7 inf\n");
}

#[test]
fn elements_without_an_initial_value_are_constructed() {
    let source = r#"
        #include <cstdio>
        struct A { int v; A() : v(7) {} A(int x) : v(x) {} };
        struct Pair { A x; A y; };
        struct Defaults { int a = 3; int b = 4; };
        int main() {
            A line[3] = {1, 2};
            A square[2][2] = {{1}, {2}};
            static A still[4] = {1};
            A *made = new A[3]{1};
            Pair pair = {5};
            Defaults two[2] = {{1}};
            printf("%d %d %d %d %d %d %d %d", line[2].v, square[0][1].v, square[1][1].v, still[3].v, made[2].v, pair.y.v,
                two[0].b, two[1].a);
            delete[] made;
        }"#;
    assert_eq!(output(source), "7 7 7 7 7 7 4 3");
}
