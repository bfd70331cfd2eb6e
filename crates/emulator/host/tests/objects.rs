//! Host programs about constants as objects, lifetimes, functions as values, and names. The expected outputs are g++'s.

mod common;

use common::output;

#[test]
fn constants_are_objects_in_overload_resolution() {
    let source = r#"
        #include <cstdio>
        #include <utility>
        int f(int &) { return 1; } int f(const int &) { return 2; } int f(int &&) { return 3; }
        template <class T> int forward(T &&x) { return f(std::forward<T>(x)); }
        const int G = 7; enum { E = 4 };
        struct K { static const int a = 5; static constexpr int b = 6; };
        const int K::a;
        template <int N> int parameter() { return f(N); }
        const int *keep(const int &x) { return &x; }
        int main() {
            const int y = 2; constexpr int z = 3; int w = 1; static const int s = 12;
            printf("%d%d%d%d%d%d%d%d ", f(y), f(z), f(w), f(G), f(E), f(K::a), f(K::b), f(s));
            printf("%d%d%d%d%d ", forward(y), forward(w), forward(5), parameter<3>(), f(w ? y : z));
            const int *p = &y, &r = y;
            printf("%d %d %d ", p == &y && &r == p, keep(G) == &G, *keep(z));
            int a[y]; char c[K::a + K::b];
            auto plain = [](int x) { return x + y * z; };
            auto copies = [=] { int b[y]; return (int)sizeof b + w; };
            switch (w + 1) { case y: printf("two "); }
            printf("%zu %zu %d %d %zu\n", sizeof a, sizeof c, plain(1), copies(), sizeof copies);
        }"#;
    assert_eq!(output(source), "22123222 21332 1 1 3 two 8 11 7 9 4\n");
}

#[test]
fn goto_destroys_the_objects_that_it_leaves() {
    let source = r#"
        #include <cstdio>
        struct D { char n; D(char n) : n(n) { printf("+%c", n); } ~D() { printf("-%c", n); } };
        void leave(int k) {
            D a('a');
            for (int i = 0; i < 2; i++) {
                D b('b');
                { D c('c'); if (k == 0) goto out; if (k == 1) goto next; if (i == 1) goto inner; }
                printf(".");
            inner:
                printf("i");
            next:
                printf("n");
            }
        out:
            D z('z');
            printf("\n");
        }
        void again() { int n = 0; back: D x('x'); if (++n < 3) goto back; }
        void sibling() { int n = 0; { D p('p'); goto l; } { l: D q('q'); if (n++ == 0) goto l; } }
        void choice(int k) { D s('s'); switch (k) { case 0: { D t('t'); goto done; } } printf("!"); done:; }
        int main() { for (int k = 0; k < 3; k++) leave(k); again(); sibling(); choice(0); choice(1); }"#;
    let text = "+a+b+c-c-b+z\n-z-a+a+b+c-cn-b+b+c-cn-b+z\n-z-a+a+b+c-c.in-b+b+c-cin-b+z\n-z-a\
                +x-x+x-x+x-x+p-p+q-q+q-q+s+t-t-s+s!-s";
    assert_eq!(output(source), text);
}

#[test]
fn names_are_in_scope_in_their_own_initial_values() {
    let source = r#"
        #include <cstdio>
        #include <cstdlib>
        #include <functional>
        struct Node { int v; double d; };
        Node *head = (Node *)malloc(sizeof *head);
        int main() {
            Node *p = (Node *)malloc(3 * sizeof *p);
            int x = sizeof(x);
            struct L { L *self; int a; } l = {&l, 5};
            static int *still = (int *)malloc(sizeof *still);
            std::function<int(int)> fib = [&](int k) { return k < 2 ? k : fib(k - 1) + fib(k - 2); };
            p[2].v = 4, *still = 8, head->v = 3;
            printf("%d %d %d %d %d %d\n", p[2].v, x, l.self->a, *still, fib(10), head->v);
        }"#;
    assert_eq!(output(source), "4 4 5 8 55 3\n");
}

#[test]
fn functions_deduce_lambdas_and_references() {
    let source = r#"
        #include <cstdio>
        auto adder(int n) { return [n](int x) { return x + n; }; }
        auto counter(int n) { return [=](int x) mutable { n += x; return n; }; }
        template <class F, class G> auto compose(F f, G g) { return [=](auto x) { return f(g(x)); }; }
        struct A { int k; auto get() { return [this](int x) { return x * k; }; } };
        auto curry = [](int a) { return [a](int b) { return [a, b](int c) { return a + b * c; }; }; };
        int g = 5;
        auto &reference() { return g; }
        decltype(auto) exact() { return (g); }
        decltype(auto) value() { return g; }
        int main() {
            auto m = counter(1);
            m(2);
            A a{7};
            printf("%d %d %d %d %d ", adder(3)(4), m(3), compose(adder(1), adder(5))(10), a.get()(3), curry(1)(2)(3));
            reference() = 6;
            exact() += 1;
            int &r = g;
            decltype(r) alias = g;
            alias++;
            printf("%d %d\n", g, value());
        }"#;
    assert_eq!(output(source), "7 6 16 21 7 8 8\n");
}

#[test]
fn the_target_chooses_an_overloaded_function() {
    let source = r#"
        #include <cstdio>
        #include <cstdlib>
        #include <cmath>
        int f(int x) { return x + 1; } double f(double x) { return x / 2; }
        template <class T> T twice(T x) { return x * 2; }
        struct S { static int f(int) { return 1; } static int f(double) { return 2; } };
        typedef double (*Real)(double);
        double apply(Real f, double x) { return f(x); }
        Real give(bool k) { if (k) return f; return twice; }
        int main() {
            int (*a)(int) = abs; Real b = fabs, c = &f; int (*d)(double) = S::f, (&e)(int) = f;
            Real table[] = {sqrt, f, twice};
            auto cast = static_cast<int (*)(int)>(f);
            printf("%d %g %g %d %d ", a(-3), b(-2.5), c(5), d(1), e(8));
            printf("%g %g %g %g %d ", table[0](16), table[1](3), table[2](3), apply(twice, 4), cast(3));
            c = f;
            int (*plain)(int, int) = [](int a, int b) { return a * b; }, (*generic)(int) = [](auto x) { return x * 3; };
            auto decayed = +[](int x) { return x - 1; };
            int v[] = {5, 2, 9};
            qsort(v, 3, sizeof *v, [](const void *a, const void *b) { return *(const int *)b - *(const int *)a; });
            printf("%g %g %d %d %d %d\n", give(true)(3), c(9), plain(3, 4), generic(5), decayed(9), v[0]);
        }"#;
    assert_eq!(output(source), "3 2.5 2.5 2 9 4 1.5 6 8 4 1.5 4.5 12 15 8 9\n");
}

#[test]
fn aggregates_mutable_members_and_static_members() {
    let source = r#"
        #include <cstdio>
        #include <utility>
        #include <vector>
        struct Node { int v; Node *next; };
        struct P { float x, y; int tag = 9; };
        struct C { mutable int n = 0; int k; int get() const { n++; return n + k; } };
        struct Loud { Loud() { printf("once "); } };
        struct Holder { static Loud loud; };
        Loud Holder::loud;
        template <class T> struct Count { static int n; static const char *name; };
        template <class T> int Count<T>::n = 5;
        template <> const char *Count<int>::name = "int";
        template <class T> const char *Count<T>::name = "other";
        extern int later;
        int *early = &later;
        int later = 4;
        int main() {
            Node *n = new Node{2, new Node{1, nullptr}};
            P *p = new P{1.5f};
            const C c{0, 5};
            c.get();
            std::vector<std::pair<int, int>> v;
            v.emplace_back(7, 8);
            Count<int>::n++;
            printf("%d %g %d %d %d ", n->next->v, p->y, p->tag, c.get(), v[0].second);
            printf("%d %d %s %s %d\n", Count<int>::n, Count<char>::n, Count<int>::name, Count<char>::name, *early);
        }"#;
    assert_eq!(output(source), "once 1 0 9 7 8 6 5 int other 4\n");
}

#[test]
fn literal_operators_folds_and_spelled_operators() {
    let source = r#"
        #include <chrono>
        #include <cinttypes>
        #include <cstdio>
        #include <string>
        #include <utility>
        #include <vector>
        long double operator""_km(long double x) { return x * 1000; }
        unsigned long long operator"" _kb(unsigned long long x) { return x << 10; }
        constexpr int operator""_c(char c) { return c - 'a'; }
        std::string operator""_x(const char *p, size_t n) { return std::string(p, n) + "!"; }
        template <class... A> void print(A... a) { ((printf("%d;", (int)a)), ...); }
        template <class T, class... A> void push(std::vector<T> &v, A... a) { (v.push_back(a), ...); }
        template <size_t... I> int sum(std::index_sequence<I...>) { return (0 + ... + int(I)); }
        template <class T> using Vec = std::vector<T>;
        template <class T> T first(const Vec<T> &v) { return v[0]; }
        template <class T> auto has(int) -> decltype(std::declval<T>().size(), std::true_type{});
        template <class T> std::false_type has(...);
        int main() {
            using namespace std::literals;
            printf("%g %llu %d %s %d ", (double)1.5_km, 4_kb, 'd'_c, "hi"_x.c_str(), (int)(5ms).count());
            printf("%" PRId64 "|%"PRIu32" ", (int64_t)1, (uint32_t)2);
            print(1, 2.7, 'a');
            std::vector<int> v;
            push(v, 4, 5);
            printf(" %d %d %d%d ", sum(std::make_index_sequence<5>{}), first(v), decltype(has<Vec<int>>(0))::value,
                decltype(has<int>(0))::value);
            if (true and not false) printf("%d %d %d\n", 6 bitand 3, 6 bitor 1, 5 xor 1);
        }"#;
    assert_eq!(output(source), "1500 4096 3 hi! 5 1|2 1;2;97; 10 4 10 2 7 4\n");
}

#[test]
fn not_a_number_has_the_bits_and_the_sign_of_gcc() {
    let source = r#"
        #include <cmath>
        #include <cstdio>
        #include <limits>
        int main() {
            printf("%f %f %f %f ", NAN, -NAN, nan(""), (double)std::numeric_limits<float>::quiet_NaN());
            double d = nan("0x12");
            printf("%llx\n", *(unsigned long long *)&d);
        }"#;
    assert_eq!(output(source), "nan -nan nan nan 7ff8000000000012\n");
}

#[test]
fn functions_take_lists_of_values() {
    let source = r#"
        #include <cstdio>
        #include <initializer_list>
        #include <string>
        template <class T> T largest(std::initializer_list<T> l) { T m = *l.begin(); for (const T &x : l) if (m < x) m = x; return m; }
        int total(std::initializer_list<int> l) { int s = 0; for (int x : l) s += x; return s; }
        struct V { int n; V(std::initializer_list<double> l) : n(l.size()) {} };
        int main() {
            std::initializer_list<int> list = {1, 2, 3};
            printf("%d %d %g %s %d\n", total({1, 2, 3}), total(list), largest({1.5, 0.5}),
                largest<std::string>({"a", "c", "b"}).c_str(), V{1, 2, 3, 4}.n);
        }"#;
    assert_eq!(output(source), "6 6 1.5 c 4\n");
}

#[test]
fn packs_without_arguments_are_empty_in_the_body() {
    let source = r#"
        #include <cstdio>
        template <class T, class... R> T largest(T a, R... r) {
            if constexpr (sizeof...(r) == 0) return a;
            else { T b = largest<T>(r...); return a > b ? a : b; }
        }
        void show() { printf(". "); }
        template <class H, class... T> void show(H h, T... t) { printf("%g,", (double)h); show(t...); }
        template <class... T> int sum(T... t) { return (0 + ... + t); }
        int main() {
            auto count = [](auto... x) { return sizeof...(x) + sum(x...); };
            show(1, 2.5, 3);
            printf("%d %g %d %zu %zu\n", largest(3, 9, 2), largest(1.5), sum(), count(), count(4, 5));
        }"#;
    assert_eq!(output(source), "1,2.5,3,. 9 1.5 0 0 11\n");
}

#[test]
fn parameters_are_lvalues_in_a_trailing_result_type() {
    let source = r#"
        #include <cstdio>
        #include <utility>
        int &f(int &x) { return x; } double f(int &&x) { return x + 0.5; }
        template <class F, class... A> auto call(F &&f, A &&...a) -> decltype(f(std::forward<A>(a)...)) {
            return f(std::forward<A>(a)...);
        }
        template <class T> auto plain(T &&x) -> decltype(f(x)) { return f(x); }
        template <class T> auto moved(T &&x) -> decltype(f(std::move(x))) { return f(std::move(x)); }
        int main() {
            int v = 1;
            plain(v) = 7;
            printf("%d %d %d %g\n", call([](int a, int b) { return a - b; }, 5, 3), v, plain(4), moved(4));
        }"#;
    assert_eq!(output(source), "2 7 4 4.5\n");
}

#[test]
fn objects_with_conversions_are_operands_of_built_in_operators() {
    let source = r#"
        #include <cstdio>
        struct I { int x; operator int() const { return x; } };
        struct D { double d; operator double() const { return d; } explicit operator bool() const { return d != 0; } };
        struct P { int a[3]; operator int *() { return a; } operator const int *() const { return a + 1; } };
        enum E { E0, E1 }; struct M { E e; operator E() const { return e; } };
        struct R { int x; operator int &() { return x; } };
        int main() {
            I i{3}; D d{2.5}; int a[5] = {10, 11, 12, 13, 14}; P p{{7, 8, 9}}; const P q = p; R r{5};
            printf("%d %d %g %d %d ", i + 5, i * i, d + 1, i < 4, a[i]);
            switch (i) { case 3: printf("three "); }
            switch (M{E1}) { case E0: printf("E0 "); break; case E1: printf("E1 "); }
            if (d) printf("yes ");
            int k = i ? 1 : 2, n = 1; n += i; n <<= I{2};
            printf("%d %d %d %d %d %d %g\n", k, !d, n, p[1], q[1], r + 1, -d);
        }"#;
    assert_eq!(output(source), "8 9 3.5 1 13 three E1 yes 1 0 16 8 9 6 -2.5\n");
}

#[test]
fn initializers_of_globals_call_functions_that_follow() {
    let source = r#"
        #include <cstdio>
        int square(int);
        struct S { static int make(int); static int made; int member() const; };
        int a = square(3);
        int S::made = S::make(4);
        int b = S{}.member();
        int square(int x) { return x * x; }
        int S::make(int x) { return x + 1; }
        int S::member() const { return made * 2; }
        constexpr int c(int x) { return x - 1; }
        int main() { printf("%d %d %d %d\n", a, S::made, b, c(a)); }"#;
    assert_eq!(output(source), "9 5 10 8\n");
}

#[test]
fn conversion_operators_may_be_templates() {
    let source = r#"
        #include <cstdio>
        #include <vector>
        template <class T> struct Grid {
            std::vector<T> d;
            explicit Grid(int n) : d(n) {}
            template <class U> explicit operator Grid<U>() const {
                Grid<U> o((int)d.size());
                for (size_t i = 0; i < d.size(); i++) o.d[i] = (U)d[i];
                return o;
            }
        };
        struct Any { int x; template <class T> operator T() const { return T(x); } };
        struct Pointer { template <class T> operator T *() const { return nullptr; } };
        double half(double x) { return x / 2; }
        int main() {
            Grid<double> g(2); g.d[1] = 2.75;
            auto i = static_cast<Grid<int>>(g); Grid<float> f(g);
            Any a{5}; double d = a; long l = a; int *p = Pointer{};
            Any copy = a;
            printf("%d %g %g %ld %g %d %d\n", i.d[1], f.d[1], d, l, half(a), p == nullptr, copy.x);
        }"#;
    assert_eq!(output(source), "2 2.75 5 5 2.5 1 5\n");
}

#[test]
fn a_tuple_of_references_takes_a_pair() {
    let source = r#"
        #include <cstdio>
        #include <tuple>
        #include <utility>
        int main() {
            int a = 1, b = 2; double c = 0;
            std::tie(a, b) = std::make_pair(5, 6);
            printf("%d %d %d ", a, b, std::tie(a, b) < std::tie(b, a));
            std::tie(a, c) = std::make_tuple(7, 2.5);
            std::tuple<> none; const std::tuple<> &same = none;
            std::tuple<const std::tuple<> &> one(same);
            printf("%d %g %d %d\n", a, c, &std::get<0>(one) == &none, std::tie(a, b) == std::make_tuple(7, 6));
        }"#;
    assert_eq!(output(source), "5 6 1 7 2.5 1 1\n");
}

#[test]
fn classes_overload_the_comma() {
    let source = r#"
        #include <algorithm>
        #include <cstdio>
        struct Sum { int v; Sum operator,(Sum o) const { return Sum{v + o.v}; } };
        struct List { int n = 0; List &operator,(int x) { n = n * 10 + x; return *this; } };
        template <class... T> Sum fold(T... t) { return (t, ...); }
        int main() {
            Sum a{1}; List l;
            Sum b = (a, Sum{3}); l, 4, 5;
            auto [low, high] = std::minmax({4, 2, 8});
            printf("%d %d %d %d %d\n", b.v, l.n, fold(a, b, Sum{5}).v, low, high);
        }"#;
    assert_eq!(output(source), "4 45 10 2 8\n");
}

#[test]
fn swap_moves_objects_that_cannot_be_copied() {
    let source = r#"
        #include <cstdio>
        #include <memory>
        #include <utility>
        struct Count { int *freed; void operator()(int *p) const { ++*freed; delete p; } };
        int main() {
            int first = 0, second = 0;
            {
                std::unique_ptr<int, Count> a(new int(1), Count{&first}), b(new int(2), Count{&second});
                std::swap(a, b);
                a.swap(b);
                std::swap(a, b);
                printf("%d %d ", *a, *b);
                a.reset();
                printf("%d %d ", first, second);
                std::unique_ptr<int[]> x(new int[2]{3, 4}), y(new int[1]{5});
                x.swap(y);
                std::swap(x, y);
                printf("%d %d ", x[1], y[0]);
                std::pair<std::unique_ptr<int>, int> p(std::make_unique<int>(6), 7), q(nullptr, 8);
                p.swap(q);
                printf("%d %d %d ", p.first == nullptr, *q.first, q.second);
            }
            printf("%d %d\n", first, second);
        }"#;
    assert_eq!(output(source), "2 1 0 1 4 5 1 6 7 1 1\n");
}

#[test]
fn loops_read_members_that_copies_change() {
    let source = r#"
        #include <cstdio>
        struct M { int a[2]; };
        M mul(const M &x, const M &o) {
            M r{};
            for (int i = 0; i < 2; i++) for (int k = 0; k < 2; k++) r.a[i] += x.a[k] * o.a[i];
            return r;
        }
        M power(M m, int n) {
            M r{{1, 0}};
            for (; n; n >>= 1) { if (n & 1) r = mul(r, m); m = mul(m, m); }
            return r;
        }
        int main(int count, char **) { M h = power(M{{2, 1}}, 4 + count); printf("%d %d\n", h.a[0], h.a[1]); }"#;
    assert_eq!(output(source), "162 81\n");
}
