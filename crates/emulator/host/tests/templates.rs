//! Host code: overloads, specializations and types that templates and several declarators share. The expected output is
//! GCC's.

mod common;

use common::output;

#[test]
fn lambdas_have_template_parameters() {
    let source = r#"
        #include <cstdio>
        #include <vector>
        int main() {
            int base = 10;
            auto pick = [&]<bool Twice, int N>() { return (Twice ? 2 : 1) * N + base; };
            printf("%d %d\n", pick.operator()<true, 3>(), pick.operator()<false, 4>());
            auto first = []<class T>(const std::vector<T> &list, auto more) -> T { return list[0] + more; };
            printf("%d %.1f\n", first(std::vector<int>{5}, 2), first(std::vector<double>{1.5}, 1));
        }
    "#;
    assert_eq!(output(source), "16 14\n7 2.5\n");
}

#[test]
fn members_of_instances_are_specialized_outside() {
    let source = r#"
        #include <cstdio>
        template <class T> struct Random {
            T state;
            int name();
            template <class R> R next();
            static int size(int more) { return (int)sizeof(T) + more; }
        };
        template <class T> int Random<T>::name() { return 1; }
        template <class T> template <class R> R Random<T>::next() { return (R)1; }
        template <> int Random<float>::name() { return 2; }
        template <> int Random<char>::size(int more) { return 100 + more; }
        template <> template <> int Random<int>::next<int>() { return ++state; }
        template <> template <> double Random<int>::next<double>() { return ++state * 0.5; }
        struct Plain { template <int N> int get() { return N; } };
        template <> int Plain::get<7>() { return 70; }
        template <class T, class G> T draw(G &random) { return random.template next<T>(); }
        int main() {
            Random<int> r{41};
            Random<float> f{};
            Plain plain;
            printf("%d %d %d %d\n", r.name(), f.name(), Random<char>::size(1), Random<long>::size(1));
            printf("%d ", draw<int>(r));
            printf("%.1f ", draw<double>(r));
            printf("%ld %d %d %d\n", draw<long>(r), draw<int>(f), plain.get<7>(), plain.get<8>());
        }
    "#;
    assert_eq!(output(source), "1 2 101 9\n42 21.5 1 1 70 8\n");
}

#[test]
fn a_template_whose_types_must_agree_is_better() {
    let source = r#"
        #include <cstdio>
        template <class T, int N> struct Vec { T x[N]; };
        template <class T> int least(const Vec<T, 3> &, const Vec<T, 3> &) { return 1; }
        template <class A, class B> int least(const Vec<A, 3> &, const Vec<B, 3> &) { return 2; }
        template <class T> void show(T) { printf("one "); }
        template <class T, class... R> void show(T, R... rest) { printf("more "); show(rest...); }
        int main() {
            Vec<int, 3> a{}; Vec<float, 3> b{};
            printf("%d %d\n", least(a, a), least(a, b));
            show("x", 2, 3.0);
        }
    "#;
    assert_eq!(output(source), "1 2\nmore more one ");
}

#[test]
fn declarators_after_a_class_without_a_name_share_its_type() {
    let source = r#"
        #include <cstdio>
        int main() {
            struct { int natom, nalt; } paren[3] = {{1, 2}, {3, 4}, {5, 6}}, *p;
            p = paren;
            printf("%d %d ", p[1].nalt, (int)(p < paren + 3));
            union { int i; float f; } a, b;
            a.f = 1.0f; b = a;
            printf("%x\n", b.i);
        }
    "#;
    assert_eq!(output(source), "4 1 3f800000\n");
}

#[test]
fn long_double_is_a_type_of_its_own() {
    let source = r#"
        #include <cmath>
        #include <cstdio>
        #include <iostream>
        #include <limits>
        #include <type_traits>
        typedef long double real10;
        inline float root(float x) { return sqrtf(x); }
        inline double root(double x) { return sqrt(x) + 1; }
        inline real10 root(real10 x) { return sqrtl(x) + 2; }
        int main() {
            real10 x = 16, y = -x;
            long double sum = x + 0.5f + 2;
            printf("%.1f %.1f %.1Lf %.2f\n", root(16.0f), root(16.0), root(x), (double)(pow(x, 2) + fabs(y) + std::max(x, y)));
            std::cout << sum << ' ' << std::is_same<decltype(x + 1.0), long double>::value << std::is_floating_point<real10>::value
                      << (std::numeric_limits<long double>::max() > 1e300) << (x > 15.5 && y < 0 && !std::isnan(x)) << '\n';
            std::cout << (int)x << ' ' << (long double)7 / 2 << ' ' << (bool)y << '\n';
        }
    "#;
    assert_eq!(output(source), "4.0 5.0 6.0 288.00\n18.5 1111\n16 3.5 1\n");
}

#[test]
fn atomics_take_volatile_places() {
    let source = r#"
        #include <cstdio>
        int main() {
            volatile int count = 5; int other = 1;
            int before = __sync_fetch_and_add(&count, 2), after = __sync_add_and_fetch(&other, 3);
            bool swapped = __sync_bool_compare_and_swap(&count, 7, 9);
            printf("%d %d %d %d\n", before, after, swapped, count);
        }
    "#;
    assert_eq!(output(source), "5 4 1 9\n");
}

#[test]
fn functions_and_variables_may_have_the_name_of_a_class() {
    let source = r#"
        #include <cstdio>
        struct about { int size; };
        int about(const char *, struct about *to) { to->size = 7; return 0; }
        struct node { int value; struct node *next; };
        int main() {
            struct about found;
            int done = about("x", &found);
            struct node node = {3, nullptr};
            struct node other = {4, &node};
            printf("%d %d %d\n", done, found.size, other.next->value + node.value);
        }
    "#;
    assert_eq!(output(source), "0 7 6\n");
}
