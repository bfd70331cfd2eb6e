//! Host programs that use `variant`, `any`, `bitset`, `bind` and hash tables with equal keys, expand packs within packs and in
//! captures, and return named objects. The expected outputs are g++'s.

mod common;

use common::output;

#[test]
fn variants_and_any_hold_one_of_several_types() {
    let source = r#"
        #include <iostream>
        #include <string>
        #include <variant>
        #include <any>
        using namespace std;
        struct A { int v; A(int v = 0) : v(v) { cout << "A" << v << ' '; } A(const A &o) : v(o.v) { cout << "copy "; } ~A() { cout << "~A" << v << ' '; } };
        int main() {
            variant<int, string, double> v = 3;
            cout << v.index() << get<int>(v);
            v = "hi"s;
            cout << get<string>(v) << holds_alternative<double>(v);
            visit([](auto &&x) { cout << "[" << x << "]"; }, v);
            v = 2.5;
            if (auto p = get_if<double>(&v)) cout << *p;
            cout << '\n';
            try { get<int>(v); } catch (const bad_variant_access &e) { cout << e.what() << "\n"; }
            variant<string, bool> text = "abc";
            variant<monostate, A> m;
            cout << text.index() << m.index();
            m = A(4);
            m.emplace<A>(7);
            { auto copy = m; cout << (copy.index() == m.index()); }
            m = monostate{};
            cout << endl;
            auto size = visit([](auto a) -> int { if constexpr (is_same_v<decltype(a), string>) return a.size(); else return (int)a * 2; }, v);
            variant<int, float> p = 1, q = 2.5f;
            cout << size << ' ' << visit([](auto x, auto y) { return (double)x * y; }, p, q) << (p < q) << (p == q) << endl;
            any an = 5;
            cout << any_cast<int>(an);
            an = string("s");
            cout << any_cast<string>(an) << an.has_value() << (an.type() == typeid(string));
            try { any_cast<float>(an); } catch (bad_any_cast &e) { cout << e.what(); }
            *any_cast<string>(&an) += "xx";
            any other = an;
            cout << any_cast<string &>(other) << '\n';
        }
    "#;
    let expected = "03hi0[hi]2.5\nstd::get: wrong index for variant\n00A4 copy ~A4 ~A4 A7 copy 1~A7 ~A7 \n4 2.510\n5s11bad any_castsxx\n";
    assert_eq!(output(source), expected);
}

#[test]
fn bitsets_have_proxies_and_ranges() {
    let source = r#"
        #include <iostream>
        #include <bitset>
        using namespace std;
        int main() {
            bitset<16> b(0b1011);
            b.set(7); b.flip(0); b[3] = b[1]; b[2] = true;
            cout << b << " " << b.count() << " " << b.test(7) << b[1] << " " << b.to_ulong() << " " << (b << 2) << (b >> 3) << " " << (b & bitset<16>("1000")) << '\n';
            bitset<100> l;
            l.set(99); l |= l >> 40;
            cout << l << l.any() << l.all() << (~l).count() << '\n';
            try { l.test(100); } catch (out_of_range &e) { cout << e.what() << '\n'; }
            try { bitset<4> x("12"); } catch (invalid_argument &e) { cout << e.what() << '\n'; }
            constexpr bitset<64> c(~0ull);
            cout << c.count() << c.to_string() << '\n';
        }
    "#;
    let expected = "0000000010001110 4 11 142 00000010001110000000000000010001 0000000000001000\n\
        10000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000001098\n\
        bitset::test: __position (which is 100) >= _Nb (which is 100)\nbitset::_M_copy_from_ptr\n\
        641111111111111111111111111111111111111111111111111111111111111111\n";
    assert_eq!(output(source), expected);
}

#[test]
fn calls_are_bound_to_values_references_and_members() {
    let source = r#"
        #include <iostream>
        #include <functional>
        using namespace std;
        int add3(int a, int b, int c) { return a * 100 + b * 10 + c; }
        struct Acc { int t = 0; void add(int v) { t += v; } int get() const { return t; } };
        void inc(int &x) { x++; }
        int main() {
            using namespace placeholders;
            auto f = bind(add3, _2, 5, _1);
            Acc a;
            auto g = bind(&Acc::add, &a, _1);
            g(5); g(6);
            function<int(int)> one = bind(add3, 1, _1, 3);
            int x = 1;
            auto twice = bind(inc, ref(x));
            twice(); twice();
            auto nested = bind(add3, bind(add3, 0, 0, _1), _2, _2);
            function<int(const Acc &)> member = &Acc::get;
            cout << f(1, 2) << ' ' << a.get() << ' ' << mem_fn(&Acc::get)(a) << ' ' << one(2) << ' ' << x << ' ' << nested(1, 2) << ' ' << member(a) << ' ' << invoke(&Acc::t, a) << '\n';
        }
    "#;
    assert_eq!(output(source), "251 11 11 123 3 122 11 11\n");
}

#[test]
fn hash_tables_keep_equal_keys_together() {
    let source = r#"
        #include <iostream>
        #include <unordered_map>
        #include <unordered_set>
        using namespace std;
        int main() {
            unordered_multimap<string, int> m;
            m.emplace("a", 1); m.insert({"a", 2}); m.insert(make_pair("b", 3));
            auto range = m.equal_range("a");
            cout << m.count("a") << m.size();
            for (auto i = range.first; i != range.second; ++i) cout << ' ' << i->second;
            unordered_multiset<int> q;
            for (int i = 0; i < 60; i++) q.insert(i * 7 % 13);
            cout << '\n';
            for (int x : q) cout << x << ' ';
            cout << q.count(3) << q.erase(3) << q.size() << '\n';
            unordered_multimap<int, int> n;
            for (int i = 0; i < 20; i++) n.emplace(i % 5, i);
            for (auto &[k, v] : n) cout << k << ":" << v << ' ';
            cout << '\n';
        }
    "#;
    let expected = "23 1 2\n0 0 0 0 0 7 7 7 7 7 1 1 1 1 1 8 8 8 8 8 2 2 2 2 2 9 9 9 9 9 3 3 3 3 3 10 10 10 10 10 4 4 4 4 11 11 11 11 5 5 5 5 12 12 12 12 6 6 6 6 5555\n\
        0:15 0:10 0:5 0:0 1:16 1:11 1:6 1:1 2:17 2:12 2:7 2:2 3:18 3:13 3:8 3:3 4:19 4:14 4:9 4:4 \n";
    assert_eq!(output(source), expected);
}

#[test]
fn packs_are_captured_and_expanded_within_packs() {
    let source = r#"
        #include <cstdio>
        #include <functional>
        #include <memory>
        #include <vector>
        template <class F, class... A> auto later(F f, A... a) { return [=] { return f(a...); }; }
        template <class F, class... A> auto refs(F f, A &...a) { return [&, f](int k) { return f(k, a...); }; }
        template <class... A> void each(A &&...a) { auto one = [&a...](auto op) { (op(a), ...); }; one([](auto &x) { x += 1; }); }
        template <class... T> struct Aligned { alignas(T...) char b[16]; };
        template <class... T> int sum(T... t) { return (0 + ... + t); }
        template <class... T> int sums(T... t) { return sum(sum(t..., t)...); }
        template <int... I> void show(std::integer_sequence<int, I...>) { int a[] = {I...}; for (int x : a) printf("%d ", x); }
        class Queue {
            std::vector<std::function<void()>> q;
        public:
            template <class F, class... Args> void enqueue(F &&f, Args &&...args) {
                auto t = std::make_shared<std::function<int()>>(std::bind(std::forward<F>(f), std::forward<Args>(args)...));
                q.emplace_back([t] { printf("r%d ", (*t)()); });
            }
            void run() { for (auto &f : q) f(); puts(""); }
        };
        template <class T> T *place(T *p) { printf("function "); return p; }
        template <class T> struct Places { T x; T *find(T *p) const { return place(p); } T *place(T *p) const { printf("member "); return p; } };
        int main() {
            int x = 1, y = 2;
            printf("%d %d\n", later([](int a, int b, int c) { return a * b + c; }, 2, 3, 4)(), later([] { return 7; })());
            printf("%d ", refs([](int k, int a, int b) { return k + a * 10 + b * 100; }, x, y)(5));
            each(x, y);
            printf("%d %d %d %d\n", x, y, (int)alignof(Aligned<int, double>), sums(1, 2, 3));
            show(std::make_integer_sequence<int, 5>{});
            Places<int> places;
            places.find(&places.x);
            auto later_type = [](decltype(x) p) { return p + 1; };
            printf("%d\n", later_type(4));
            Queue queue;
            queue.enqueue([](int a, int b) { return a + b; }, 1, 2);
            queue.enqueue([] { return 9; });
            queue.run();
        }
    "#;
    assert_eq!(output(source), "10 7\n215 2 3 8 24\n0 1 2 3 4 member 5\nr3 r9 \n");
}

#[test]
fn a_named_result_is_made_in_its_place() {
    let source = r#"
        #include <cstdio>
        struct T { int id; T(int i) : id(i) { printf("T%d ", id); } T(const T &o) : id(o.id + 100) { printf("c%d ", id); } T(T &&o) : id(o.id + 1000) { printf("m%d ", id); } ~T() { printf("~%d ", id); } };
        T named(int i) { T t(i); t.id++; return t; }
        T one_of(bool b) { T x(1), y(2); if (b) return x; return y; }
        T in_loop(int n) { for (int i = 0; i < n; i++) { T t(i); if (i == 1) return t; } return T(99); }
        T nested(int i) { for (;;) { T t(i); if (t.id > 8) return t; i++; } }
        T thrown(int i) { T t(i); if (i > 5) throw 1; return t; }
        int main() {
            {
                T a = named(3); printf("| "); T b = one_of(true); printf("| "); T c = in_loop(3); printf("| "); T d = nested(7); printf("| ");
                try { T e = thrown(6); } catch (int) { printf("caught "); }
                printf("%d %d %d %d|", a.id, b.id, c.id, d.id);
            }
            int n;
            printf("\nabc%n def%hhn %'d|%'.2f\n", &n, (signed char *)&n + 1, 1234567, 1234567.0);
            printf("%d\n", n);
        }
    "#;
    let expected = "T3 | T1 T2 m1001 ~2 ~1 | T0 ~0 T1 m1001 ~1 | T7 ~7 T8 ~8 T9 m1009 ~9 | T6 ~6 caught 4 1001 1001 1009|~1009 ~1001 ~1001 ~4 \n\
        abc def 1234567|1234567.00\n2052\n";
    assert_eq!(output(source), expected);
}

#[test]
fn members_have_alignments_and_enumerations_underlying_types() {
    let source = r#"
        #include <cstdio>
        #include <algorithm>
        #include <execution>
        #include <list>
        #include <numeric>
        #include <type_traits>
        #include <vector>
        enum class Small : unsigned char { x = 200 };
        enum class Plain { y = -1 };
        struct Aligned { alignas(8) char b[16]; char c; alignas(32) int d; __align__(16) float e[4]; };
        struct alignas(16) Whole { char c; };
        template <int... I> int last() { const int a[] = {7, I..., 9}; return (int)(sizeof(a) / 4) + a[3]; }
        template <class... T> int count(T... t) { double a[] = {(double)t...}; int n = 0; for (double x : {(double)t..., 0.5}) n += x > 0; return (int)sizeof(a) + n; }
        int main() {
            printf("%d %d\n", (int)static_cast<std::underlying_type_t<Small>>(Small::x), (int)std::is_same_v<std::underlying_type_t<Plain>, int>);
            printf("%zu %zu %zu %zu %zu\n", alignof(Aligned), sizeof(Aligned), offsetof(Aligned, d), offsetof(Aligned, e), sizeof(Whole));
            printf("%d %d\n", last<4, 5, 6>(), count(1, 2));
            std::vector<int> v{3, 1, 2};
            std::sort(std::execution::par, v.begin(), v.end());
            int squares = std::transform_reduce(std::execution::par_unseq, v.begin(), v.end(), 0, std::plus<int>(), [](int x) { return x * x; });
            std::list<int> l{1, 2, 3};
            int digits = 0;
            for (auto i = l.rbegin(); i != l.rend(); ++i) digits = digits * 10 + *i;
            printf("%d %d %d\n", v[0], squares, digits);
        }
    "#;
    assert_eq!(output(source), "200 1\n32 64 32 48 16\n11 19\n1 14 321\n");
}
