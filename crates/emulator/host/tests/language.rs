//! Programs without kernels whose output depends on exact rules of the language.

mod common;

use common::{output, run};

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

#[test]
fn objects_before_static_members_are_evaluated() {
    let source = r#"
        #include <cstdio>
        struct Part {};
        struct S { static int x; enum { K = 4 }; static constexpr int C = 9; static int f() { return 3; } int w; Part part; };
        struct Guard { static constexpr int N = 2; ~Guard() { printf("~ "); } };
        int S::x = 5;
        S list[8];
        int calls;
        S &next() { calls++; return list[0]; }
        S *pointer() { calls++; return list; }
        Guard guard() { return Guard(); }
        int main() {
            int i = 0;
            printf("%d ", list[i++].x); printf("%d ", i);
            printf("%d ", next().K + pointer()->C); printf("%d\n", calls);
            next().x = 7; int *p = &next().x; *p += 1; int &r = pointer()->x; r++; next().x++; next().x += 2;
            printf("%d %d\n", S::x, calls);
            switch (next().K) { case 4: printf("four "); }
            int (*f)() = next().f; (void)next().x; pointer()->K; next().w;
            printf("%d %d\n", f(), calls);
            int n = guard().N; printf("%d %d\n", n, (int)sizeof(next().x));
            S *at = list; (at++)->x = 1; (*at++).f(); n = at[0].C + list[1].K;
            printf("%d %d %d %d\n", (int)(at - list), n, S::x, calls);
        }
    "#;
    let expected = ["5 1 13 2\n", "12 7\n", "four 3 12\n", "~ 2 4\n", "2 13 1 12\n"].concat();
    assert_eq!(output(source), expected);
}

#[test]
fn bases_and_using_declarations_expand_packs() {
    let source = r#"
        #include <array>
        #include <cstdio>
        template <class... F> struct Overloaded : F... { using F::operator()...; };
        template <class... F> Overloaded(F...) -> Overloaded<F...>;
        template <class F> struct Defer { F f; Defer(F g) : f(g) {} ~Defer() { f(); } };
        struct A { int f(int) { return 1; } int h() { return 8; } };
        struct B { int f(double) { return 2; } int g() { return 3; } };
        struct C : A, B { using A::f, B::f; };
        template <class... T> struct All : T... { int own = 5; };
        int main() {
            Overloaded o{[](int i) { return i + 1; }, [](double d) { return (int)(d * 10); }};
            printf("%d %d\n", o(3), o(2.5));
            int k = 1;
            {
                Defer d([&] { printf("end %d\n", k); });
                k = 5;
                Defer e{[&k] { k *= 2; }};
            }
            auto [x, y, z] = std::array<int, 3>{1, 2, 3};
            std::array<double, 2> a{1.5, 2.5};
            auto &[p, q] = a;
            p = 9;
            C c; All<A, B> all;
            printf("%d%d%d %.1f %.1f %d %d %d\n", x, y, z, a[0], q, c.f(1), c.f(1.0), all.g() + all.h() + all.own);
        }
    "#;
    let expected = ["4 25\n", "end 10\n", "123 9.0 2.5 1 2 16\n"].concat();
    assert_eq!(output(source), expected);
}

#[test]
fn the_implicit_assignment_competes_with_declared_ones() {
    let source = r#"
        #include <cstdio>
        #include <tuple>
        #include <utility>
        struct Number { int *p; Number &operator=(int v) { *p = v; return *this; } operator int() const { return *p; } };
        struct More : Number { int extra; };
        struct View {
            int *at;
            template <class E> View &operator=(const E &e) { *at = *e.at + 100; return *this; }
        };
        struct Taker {
            int v;
            template <class T> Taker &operator=(T &&t) { v = t.v + 10; return *this; }
        };
        struct Special { int v; Special &operator=(const More &m) { v = m.extra; return *this; } Special &operator=(int x) { v = -x; return *this; } };
        int main() {
            int list[4] = {1, 2, 3, 4};
            Number a{list}, b{list + 1}; More m{{list + 2}, 9};
            a = b; printf("%d %d ", list[0], (int)(a.p - list));
            a = m; printf("%d %d ", list[1], (int)(a.p - list));
            a = 7; printf("%d\n", list[2]);
            View v{list}, w{list + 3}; v = w; printf("%d %d ", list[0], (int)(v.at - list));
            struct Other { int *at; } other{list + 1}; v = other; printf("%d\n", list[3]);
            Taker t{1}, u{2}; const Taker fixed{3}; t = u; printf("%d ", t.v); t = fixed; printf("%d ", t.v); t = Taker{4}; printf("%d ", t.v);
            t = std::move(u); printf("%d\n", t.v);
            Special s{1}; s = m; printf("%d ", s.v); s = 3; printf("%d\n", s.v);
            int x = 1, y = 2; std::tie(x, y) = std::make_tuple(y, x); printf("%d %d\n", x, y);
            std::pair<int, long> p{1, 2}, q{3, 4}; p = q; std::tie(x, y) = std::pair<int, int>(8, 9); printf("%d %d %d\n", p.first, x, y);
        }
    "#;
    let expected =
        ["1 1 2 2 7\n", "1 3 102\n", "12 3 4 2\n", "9 -3\n", "2 1\n", "3 8 9\n"].concat();
    assert_eq!(output(source), expected);
}

#[test]
fn divisions_run_only_where_the_program_says_so() {
    let source = r#"
        #include <cstdio>
        int main(int argc, char** argv) {
            int zero = argc - 1, sum = 0;
            if (zero != 0) sum = 5 / zero;
            int other = zero ? 7 % zero : 3;
            bool both = zero && 8u / (unsigned)zero > 2;
            for (int i = 0; i < 3; i++) {
                if (i > argc + 2) sum += 9 / zero;
                sum += i;
            }
            printf("%d %d %d\n", sum, other, both);
        }"#;
    assert_eq!(output(source), "3 3 0\n");
}

#[test]
fn a_use_of_an_unknown_class_declares_it_outside_of_classes() {
    let source = r#"
        #include <cstdio>
        namespace lists {
        class List {
        public:
            struct Node* head = nullptr;
            void push(struct Node* node);
            struct Inner;
            Inner* inner = nullptr;
        };
        template <typename T> struct Typed { struct Leaf* leaf; T value; };
        struct Node { int value; Node* next; };
        struct Leaf { int depth; };
        struct List::Inner { int mark; };
        void List::push(Node* node) { node->next = head; head = node; }
        }
        int main() {
            struct Local { struct Later* later; };
            struct Later { int n; };
            Later last{6};
            Local local{&last};
            lists::List list;
            lists::Node nodes[2] = {{1, nullptr}, {2, nullptr}};
            for (auto& node : nodes) list.push(&node);
            lists::List::Inner inner{4};
            list.inner = &inner;
            lists::Leaf leaf{5};
            lists::Typed<int> typed{&leaf, 3};
            printf("%d %d %d %d %d %d\n", list.head->value, list.head->next->value, typed.value, list.inner->mark,
                typed.leaf->depth, local.later->n);
        }"#;
    assert_eq!(output(source), "2 1 3 4 5 6\n");
}

#[test]
fn handlers_of_a_whole_function_see_its_parameters_and_initializers() {
    let source = r#"
        #include <cstdio>
        #include <stdexcept>
        struct Member {
            int id;
            Member(int id) : id(id) { if (id > 1) throw std::runtime_error("member"); }
            ~Member() { printf("~%d ", id); }
        };
        struct Whole {
            Member first, second;
            Whole(int x) try : first(0), second(x) { printf("made "); }
            catch (const std::exception &e) { printf("%s of %d ", e.what(), x); }
        };
        int half(int x) try { if (x % 2) throw x; return x / 2; } catch (int odd) { return -odd; }
        int main() try {
            Whole good(1);
            try { Whole bad(2); } catch (std::exception &e) { printf("again "); }
            printf("%d %d ", half(4), half(3));
            throw 7;
        } catch (int value) {
            printf("main %d\n", value);
            return value;
        }"#;
    let (text, ended) = run(source, &[], &[]);
    assert_eq!(text, "made ~0 member of 2 again 2 -3 ~1 ~0 main 7\n");
    assert_eq!(ended.expect("it ends"), 7);
}

#[test]
fn arrays_of_rows_have_lengths_of_run_time() {
    let source = r#"
        #include <cstdio>
        struct Counted { static int made; int id; Counted() : id(made++) {} };
        int Counted::made = 0;
        double sum(const double *row, int n) { double s = 0; for (int i = 0; i < n; i++) s += row[i]; return s; }
        int main(int argc, char **argv) {
            int rows = argc + 2, columns = argc + 4;
            double table[rows][columns];
            int cube[2][columns][3], deep[rows][2][columns];
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < columns; j++) {
                    table[i][j] = 10 * i + j;
                    cube[i % 2][j][2] = i + j;
                    deep[i][1][j] = i * j;
                }
            printf("%zu %zu %zu\n", sizeof(table), sizeof(cube), sizeof(deep));
            printf("%g %g %d %d\n", table[2][4], sum(table[1], columns), cube[0][4][2], deep[2][1][3]);
            table[2][1] += 0.5;
            double *flat = &table[0][0];
            printf("%g\n", flat[2 * columns + 1]);
            Counted many[300], list[100] = {};
            printf("%d %d %d %d\n", Counted::made, many[299].id, many[65].id, list[99].id);
        }"#;
    assert_eq!(output(source), "120 120 120\n24 60 6 6\n21.5\n400 299 65 399\n");
}

#[test]
fn a_c_function_may_be_declared_with_other_types_that_are_passed_alike() {
    // As in two files of a program, which the compiler sees as one.
    let source = r#"
        #include <cstdio>
        extern "C" void half(unsigned *at, unsigned long n);
        int main() {
            unsigned x[2] = {8, 6};
            half(x, 2);
            printf("%u %u\n", x[0], x[1]);
        }
        extern "C" void half(int *at, long n) { for (long i = 0; i < n; i++) at[i] /= 2; }"#;
    assert_eq!(output(source), "4 3\n");
}
