//! Host programs that allocate objects by functions of their classes, and that use pointers to members and deduction guides.
//! The expected outputs are g++'s.

mod common;

use common::output;
use lanework_cuda_cpp::{CompileOptions, NoFiles, compile_host};

/// The errors of a source that must not compile.
fn refused(source: &str) -> String {
    compile_host(source, "program.cu", &CompileOptions::default(), &mut NoFiles)
        .expect_err(source)
        .text
}

#[test]
fn pointers_to_members_denote_data_and_functions() {
    let source = r#"
        #include <cstdio>
        #include <cstddef>
        struct Base { int a; double b; int twice() const { return 2 * a; } };
        struct S : Base {
            int c; int list[3]; int *where;
            int add(int x) { return c += x; }
            int add(int x) const { return c - x; }
            double add(double x) { return c * x; }
            static int none(int x) { return -x; }
            S with(int x) const { S s = *this; s.c = x; return s; }
            int &at(int i) { return list[i]; }
        };
        typedef int &(S::*At)(int);
        typedef double Base::*Real;
        template <class C, class R, class... A> int arity(R (C::*)(A...)) { return (int)sizeof...(A); }
        template <class C, class R, class... A> int arity(R (C::*)(A...) const) { return 10 + (int)sizeof...(A); }
        template <class F> struct Traits;
        template <class C, class R, class... A> struct Traits<R (C::*)(A...) const> { typedef R result; static const int count = sizeof...(A); };
        template <class F> struct OfFunction : Traits<decltype(&F::operator())> {};
        template <int Base::*M> int read(const Base &b) { return b.*M; }
        int sum(S *s, int S::*m, int n) { int t = 0; for (int i = 0; i < n; i++) t += s[i].*m; return t; }
        struct Menu { const char *name; int (S::*run)(int); };
        int main() {
            S s{}; s.a = 1; s.b = 2.5; s.c = 3;
            int Base::*a = &Base::a; int S::*c = &S::c; Real b = &S::b;
            int (S::*list)[3] = &S::list;
            s.*a = 7; S *p = &s; p->*c += 4; (p->*list)[1] = 9;
            printf("%d %d %d %.1f\n", s.a, s.c, (s.*list)[1], p->*b);
            int (S::*add)(int) = &S::add; int (S::*constant)(int) const = &S::add; double (S::*real)(double) = &S::add;
            int (*plain)(int) = &S::none; At at = &S::at;
            int added = (s.*add)(1);
            printf("%d %d %.1f %d\n", added, (p->*constant)(1), (s.*real)(0.5), plain(4));
            (s.*at)(2) = 5; (p->*at)(2)++;
            int (S::*twice)() const = &Base::twice; S (S::*with)(int) const = &S::with;
            printf("%d %d %d %d\n", s.list[2], (s.*twice)(), (s.*with)(40).c, s.c);
            int S::*null = nullptr; add = 0;
            printf("%d %d %d %d %d %d\n", null == nullptr, !add, add != nullptr, c ? 1 : 2, c == &S::c, a == &Base::a);
            auto lambda = [&](int x, char) { return x + s.c * 1.0; };
            printf("%d %d %d %d %d\n", arity(&S::at), arity(&S::with), OfFunction<decltype(lambda)>::count, (int)sizeof(OfFunction<decltype(lambda)>::result), read<&Base::a>(s));
            S many[3] = {}; many[0].c = 1; many[1].c = 2; many[2].c = 4; int S::*from = &Base::a; many[1].a = 6;
            printf("%d %d %d\n", sum(many, &S::c, 3), sum(many, from, 3), sum(many, &S::a, 3));
            Menu menu[] = {{"add", &S::add}, {"none", nullptr}};
            for (auto &m : menu) printf("%s %d\n", m.name, m.run ? (s.*m.run)(2) : -1);
            const S fixed = s; printf("%d %d\n", fixed.*c, (fixed.*constant)(2));
            return 0;
        }
    "#;
    let expected = [
        "7 7 9 2.5\n",
        "8 7 4.0 -4\n",
        "6 14 40 8\n",
        "1 1 0 1 1 1\n",
        "1 11 2 8 7\n",
        "7 6 6\n",
        "add 10\n",
        "none -1\n",
        "10 8\n",
    ]
    .concat();
    assert_eq!(output(source), expected);
}

#[test]
fn classes_allocate_and_free_their_objects() {
    let source = r#"
        #include <cstdio>
        #include <cstdlib>
        #include <new>
        #include <vector>
        struct Counted {
            static int made, gone;
            void *operator new(size_t n) { made += (int)n; return malloc(n); }
            void *operator new[](size_t n) { made += 1000; return malloc(n); }
            void operator delete(void *p) { gone++; free(p); }
            void operator delete[](void *p) { gone += 100; free(p); }
        };
        int Counted::made, Counted::gone;
        struct Leaf : Counted { int v; Leaf(int v = 3) : v(v) {} ~Leaf() { printf("~%d ", v); } };
        struct Plain : Counted { double d; };
        struct Pool { char memory[64]; int used; };
        struct Node { int v; void *operator new(size_t n, Pool &p, int extra) { void *at = p.memory + p.used; p.used += (int)n + extra; return at; } void operator delete(void *, size_t n) { printf("sized %zu ", n); } };
        struct Wide { int a[4]; };
        inline void *operator new(size_t n, Pool *p) { p->used += 8; return p->memory; }
        struct D { int x; D() : x(5) { printf("+"); } ~D() { printf("-"); } };
        int main() {
            Leaf *l = new Leaf(4); printf("%d %d ", Counted::made, l->v); delete l; printf("%d\n", Counted::gone);
            Plain *p = new Plain[3]; delete[] p; printf("%d %d\n", Counted::made, Counted::gone);
            Leaf *g = ::new Leaf; printf("%d %d\n", Counted::made, g->v); g->~Leaf(); free(g);
            Pool pool{}; Node *n = new (pool, 4) Node{9}; Node *m = new (pool, 0) Node; printf("%d %d %d ", n->v, pool.used, (int)((char *)m - (char *)n));
            n = (Node *)malloc(4); delete n; printf("\n");
            Wide *w = new (&pool) Wide; printf("%d %d\n", pool.used, (char *)w == pool.memory);
            int *q = new (std::nothrow) int[4]; D *d = new (std::nothrow) D[2]; D *one = new (std::nothrow) D;
            printf(" %d %d %d ", q != nullptr, d[1].x, one->x); delete[] q; delete[] d; delete one;
            alignas(D) char place[sizeof(D)]; D *in = new (place) D; in->~D(); printf("\n");
            std::vector<Leaf> v; v.emplace_back(1); v.emplace_back(2); printf("%d\n", Counted::made);
            Leaf *none = nullptr; delete none;
            int Node::*unused = nullptr; (void)unused;
        }
    "#;
    let expected = [
        "4 4 ~4 1\n",
        "1004 101\n",
        "1004 3\n",
        "~3 9 12 8 sized 4 \n",
        "20 1\n",
        "+++ 1 5 5 ---+-\n",
        "~1 1004\n",
        "~1 ~2 ",
    ]
    .concat();
    assert_eq!(output(source), expected);
}

#[test]
fn deduction_guides_choose_the_type() {
    let source = r#"
        #include <cstdio>
        #include <list>
        #include <vector>
        template <class T> struct Box { T v; int from; Box(T x) : v(x), from(1) {} };
        template <class T> Box(T *) -> Box<T *>;
        Box(const char *) -> Box<long>;
        template <> struct Box<long> { const char *text; Box(const char *t) : text(t) {} };
        template <class T, int N> struct Fixed { T d[N]; };
        template <class T, class... U> Fixed(T, U...) -> Fixed<T, 1 + sizeof...(U)>;
        int main() {
            int x = 3; Box a(2.5); Box b(&x); Box c("text"); Fixed f{1, 2, 3};
            printf("%.1f %d %s %zu\n", a.v, *b.v, c.text, sizeof f / sizeof(int));
            std::vector v{4, 5, 6}; std::vector w(v.begin() + 1, v.end());
            std::list<int> l(v.begin(), v.end());
            printf("%zu %d %zu %d\n", w.size(), w[0] + 1, l.size(), l.back());
        }
    "#;
    let expected = ["2.5 3 text 3\n", "2 6 3 6\n"].concat();
    assert_eq!(output(source), expected);
}

#[test]
fn functions_of_gcc_work_on_bits_and_on_memory() {
    let source = r#"
        #include <cstdio>
        #include <cstdlib>
        #include <algorithm>
        #include <queue>
        #include <vector>
        using namespace std;
        int main() {
            unsigned long long w = 0x00f0000010000800ull;
            printf("%d %d %d %d ", __builtin_popcountll(w), __builtin_clzll(w), __builtin_ctzll(w), __builtin_ffsll(0));
            printf("%d %d %d %d ", __builtin_popcount(255), __builtin_clz(1), __builtin_ctz(8), __builtin_ffs(-8));
            printf("%d %x %x %lx\n", __builtin_parity(7), __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678), (unsigned long)__builtin_bswap64(0x123456789abcdef0));
            int n = 0; short s = -2; unsigned char c = 250;
            int a = __sync_fetch_and_add(&n, 5), b = __sync_sub_and_fetch(&n, 2), d = __sync_lock_test_and_set(&n, 40);
            int e = __sync_val_compare_and_swap(&n, 40, -7), f = __sync_bool_compare_and_swap(&n, 40, 1);
            short g = __sync_fetch_and_xor(&s, 1); unsigned char h = __sync_add_and_fetch(&c, 10);
            printf("%d %d %d %d %d %d %d %d %d\n", a, b, d, e, f, n, g, s, h);
            priority_queue<int> heap(less<int>(), vector<int>{3, 9, 4});
            char *text; int length = asprintf(&text, "%d-%s", 42, "x");
            printf("%d %d %s\n", heap.top(), length, text);
            free(text);
        }
    "#;
    let expected = [
        "6 8 11 0 8 31 3 4 1 3412 78563412 f0debc9a78563412\n",
        "0 3 3 40 0 -7 -2 -1 4\n",
        "9 4 42-x\n",
    ]
    .concat();
    assert_eq!(output(source), expected);
}

#[test]
fn objects_are_evaluated_and_copied_as_the_language_says() {
    let source = r#"
        #include <cstdio>
        #include <map>
        #include <queue>
        #include <stack>
        #include <utility>
        #include <vector>
        struct S { int a; double b; static int z() { return 7; } static S &first(); S *self() { return this; } };
        S kept{1, 2};
        S &S::first() { return kept; }
        struct Proxy { int *p; Proxy &operator=(int v) { *p = v; return *this; } operator int() const { return *p; } };
        struct Grid { int d[8]; Proxy operator[](int i) { return Proxy{d + i}; } };
        struct Both { int n; Both &operator=(int v) { n = v; return *this; } Both &operator=(const Both &o) { n = o.n + 100; return *this; } };
        int main() {
            std::vector<S> v{{1, 1}, {2, 2}, {3, 3}};
            v.pop_back(); v.erase(v.begin());
            std::vector<std::pair<int, int>> pairs{{1, 2}, {3, 4}, {5, 6}}; pairs.pop_back();
            std::queue<S> q; q.push({4, 4}); q.push({5, 5}); q.pop();
            std::priority_queue<std::pair<int, int>> heap; heap.push({1, 2}); heap.push({3, 1}); heap.pop();
            printf("%zu %d %zu %d %d %zu\n", v.size(), v[0].a, pairs.size(), q.front().a, heap.top().first, heap.size());
            int i = 0; S list[4] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}}; S *p = list;
            int z = list[i++].z(); p++->z(); list[i++].~S(); list[i++].first().a = 9;
            printf("%d %d %d %d\n", z, i, (int)(p - list), kept.a);
            Grid g{}; g[3] = 16; Proxy a = g[3], b = g[4];
            b = a;
            Both x{1}, y{2}; y = x; x = 5;
            printf("%d %d %d %d %d\n", g.d[3], g.d[4], (int)(b.p - g.d), x.n, y.n);
        }
    "#;
    let expected = ["1 2 2 5 1 1\n", "7 3 1 9\n", "16 0 3 5 101\n"].concat();
    assert_eq!(output(source), expected);
}

#[test]
fn what_these_functions_would_do_differently_is_refused() {
    for (source, named) in [
        (
            "#include <cstdlib>\nvoid *operator new(size_t n) { return malloc(n); } int main() { delete new int; }",
            "replacement of the global `operator new`",
        ),
        (
            "#include <cstdlib>\nvoid operator delete(void *p, size_t) noexcept { free(p); } int main() {}",
            "replacement of the global `operator delete`",
        ),
        (
            "struct V { virtual int f() { return 1; } }; int main() { int (V::*p)() = &V::f; V v; return (v.*p)(); }",
            "pointer to a virtual function",
        ),
        (
            "struct A { int a; void f(); }; int main() { const A a{}; void (A::*p)() = &A::f; (a.*p)(); }",
            "is `const`",
        ),
        (
            "struct A { int a; void f() {} }; int main() { void (*p)() = &A::f; p(); }",
            "cannot convert",
        ),
        (
            "struct A { int a; }; struct B { int b; }; int main() { A a{}; int B::*p = &B::b; return a.*p; }",
            "not derived from",
        ),
        (
            "#include <cstdlib>\nstruct A { virtual ~A() {} void operator delete(void *p) { free(p); } }; int main() { delete new A; }",
            "operator delete",
        ),
        (
            "#include <thread>\nthread_local int t = 5; int main() { std::thread a([] { t++; }); a.join(); return t; }",
            "`thread_local`",
        ),
    ] {
        let text = refused(source);
        assert!(text.contains(named), "{source}\n{text}");
    }
}
