//! Host code: rules of C++17 about order, copies and names, and functions of the C and C++ libraries. The expected
//! output is GCC's.

mod common;

use common::output;

#[test]
fn overloaded_assignments_evaluate_their_right_operand_first() {
    let source = r#"
        #include <cstdio>
        #include <map>
        #include <string>
        struct S {
            int v;
            S(int x = 0) : v(x) {}
            S &operator=(const S &o) { v = o.v; return *this; }
            S &operator+=(int k) { v += k; return *this; }
            S &operator-=(const S &o) { v -= o.v; return *this; }
        };
        struct Plain { int v; Plain(int x = 0) : v(x) {} };
        S list[4];
        int n;
        S &next() { printf("left "); return list[n++]; }
        int right(int x) { printf("right "); return x + n; }
        struct C {
            int v;
            constexpr C(int x = 0) : v(x) {}
            constexpr C(const C &o) : v(o.v) {}
            constexpr C &operator=(const C &o) { v = o.v; return *this; }
        };
        constexpr C &second(C *list) { return list[1]; }
        constexpr int folded() {
            C a[2];
            second(a) = C(a[1].v + 4);
            return a[1].v;
        }
        static_assert(folded() == 4, "");
        int main() {
            next() = S(right(10));
            next() = right(20);
            next() += right(0);
            next() -= S(right(1));
            printf("\n%d %d %d %d\n", list[0].v, list[1].v, list[2].v, list[3].v);
            std::map<int, Plain> m;
            m[1] = Plain((int)m.size());
            std::map<int, std::string> t;
            t[1] = std::to_string(t.size());
            t[1] += t[2] = "x";
            printf("%d %s %zu\n", m[1].v, t[1].c_str(), t.size());
            S a(1), b(2), c(3);
            a = b = c;
            printf("%d %d %d\n", a.v, b.v, folded());
        }
"#;
    let wanted = "right left right left right left right left \n10 21 2 -4\n0 0x 2\n3 3 4";
    assert_eq!(output(source).trim(), wanted);
}

#[test]
fn changed_objects_are_evaluated_once() {
    let source = r#"
        #include <cstdio>
        struct P { int a, b; };
        int list[4], n, m;
        P objects[4];
        int &next() { return list[n++]; }
        P &object() { return objects[m++]; }
        int main() {
            (next() = 5) += 2;
            ++(next() += 3);
            int &r = ++next();
            r += 8;
            object() = object() = P{1, 2};
            (object() = P{3, 4}).b = 5;
            printf("%d %d %d %d\n", list[0], list[1], list[2], n);
            printf("%d %d %d %d\n", objects[0].b, objects[1].b, objects[2].b, m);
        }
"#;
    assert_eq!(output(source).trim(), "7 4 9 3\n2 2 5 3");
}

#[test]
fn nested_arrays_of_objects_end() {
    let source = r#"
        #include <cstdio>
        struct T {
            int v;
            T(int x = 0) : v(x) {}
            ~T() { printf("%d ", v); }
        };
        struct Holder { T grid[2][2]; Holder() { for (int i = 0; i < 4; i++) grid[i / 2][i % 2].v = 10 + i; } };
        static T last[2][1] = {{T(8)}, {T(9)}};
        int main() {
            { T a[2][2] = {{T(1)}, {T(3), T(4)}}; }
            puts("|");
            { Holder h; }
            puts("|");
        }
"#;
    assert_eq!(output(source).trim(), "4 3 0 1 |\n13 12 11 10 |\n9 8");
}

#[test]
fn defaulted_moves_work_beside_deleted_copies() {
    let source = r#"
        #include <cstdio>
        #include <deque>
        #include <list>
        #include <memory>
        #include <optional>
        #include <queue>
        #include <utility>
        #include <vector>
        struct Movable {
            int v;
            Movable(int x) : v(x) {}
            Movable(Movable &&o) : v(o.v) { o.v = -1; }
            Movable(const Movable &o) : v(o.v + 100) {}
            Movable &operator=(Movable &&) = default;
        };
        struct Moves {
            Movable part;
            Moves(int x) : part(x) {}
            Moves(Moves &&) = default;
            Moves(const Moves &) = delete;
            Moves &operator=(Moves &&) = default;
        };
        struct Ends {
            std::unique_ptr<int> held;
            Ends(int x) : held(new int(x)) {}
            Ends(Ends &&) = default;
            ~Ends() { if (held) printf("~%d ", *held); }
        };
        struct Both {
            Movable part;
            Both(int x) : part(x) {}
            Both(const Both &) = default;
            Both(Both &&o) : part(o.part.v + 1000) {}
        };
        Moves make(int x) { return Moves(x); }
        int main() {
            Moves a = make(1), b(std::move(a));
            printf("%d %d\n", a.part.v, b.part.v);
            std::vector<Moves> v;
            v.push_back(Moves(3));
            v.emplace_back(4);
            v.insert(v.begin(), make(5));
            printf("%d %d %d\n", v[0].part.v, v[1].part.v, v[2].part.v);
            { Ends e(7); Ends f(std::move(e)); }
            Both c(2), d(c), e(std::move(c));
            printf("\n%d %d\n", d.part.v, e.part.v);
            typedef std::unique_ptr<int> U;
            std::list<U> l;
            l.push_back(std::make_unique<int>(4));
            l.push_front(std::make_unique<int>(5));
            std::deque<U> q;
            q.push_back(std::make_unique<int>(6));
            q.push_front(std::make_unique<int>(7));
            std::queue<U> w;
            w.push(std::make_unique<int>(8));
            std::optional<U> o;
            o = std::make_unique<int>(9);
            std::optional<U> p = std::move(o);
            printf("%d %d %d %d\n", *l.front(), *q[0], *w.front(), **p);
        }
"#;
    assert_eq!(output(source).trim(), "-1 1\n5 3 4\n~7 \n102 1002\n5 7 8 9");
}

#[test]
fn names_of_members_are_not_templates_of_the_library() {
    let source = r#"
        #include <algorithm>
        #include <cstdio>
        #include <vector>
        using namespace std;
        struct S { int count, min, max; template <class T> T get(T x) const { return x + count; } };
        struct R { int get; };
        template <class T> bool fewer(const T &a, const T &b) { return a.count < b.count; }
        template <class T> struct Base { T find; };
        struct D : Base<int> { int size; };
        int main() {
            S a{1, 5, 6}, b{2, 3, 9}, *p = &a;
            printf("%d%d%d%d\n", a.count < b.count, fewer(b, a), p->min < b.max, a.max < 7 && b.max > (8));
            printf("%d %d\n", a.get<int>(4), p->template get<long>(5) < 7);
            R r{3};
            D d;
            d.find = 4;
            printf("%d %d\n", r.get < 4, d.Base<int>::find);
            vector<int> v{1, 2}, w{1, 3};
            printf("%d%d%d%d\n", v < w, v > w, v <= w, v >= w);
        }
"#;
    assert_eq!(output(source).trim(), "1011\n5 1\n1 4\n1010");
}

#[test]
fn lists_in_braces_are_arguments_and_indices() {
    let source = r#"
        #include <cstdio>
        #include <initializer_list>
        #include <map>
        #include <utility>
        #include <vector>
        struct A { virtual void f(int) { puts("A int"); } void f(double) { puts("A double"); } };
        struct B : A { using A::f; void f(int) override { puts("B int"); } };
        int sum(std::initializer_list<int> list) { int s = 0; for (int x : list) s += x; return s; }
        int main() {
            std::map<std::pair<int, int>, int> m;
            m[{1, 2}] = 3;
            std::vector<int> v;
            v.assign({1, 2});
            v.insert(v.end(), {3, 4, 5});
            std::initializer_list<int> list = {7, 8};
            printf("%d %zu %zu %d %d\n", m[{1, 2}], m.size(), v.size(), sum({1, 2, 3}), sum(list));
            B b;
            b.f(1);
            b.f(2.5);
        }
"#;
    assert_eq!(output(source).trim(), "3 1 5 6 15\nB int\nA double");
}

#[test]
fn scanf_takes_the_bytes_of_a_number() {
    let source = r#"
        #include <cerrno>
        #include <climits>
        #include <cstdio>
        #include <cstdlib>
        #include <cstring>
        int main() {
            int a = 0, b = 0;
            char text[20] = "";
            printf("%d ", sscanf("800x600", "%ix%i", &a, &b));
            printf("%d %d\n", a, b);
            printf("%d ", sscanf("10-20", "%i%i", &a, &b));
            printf("%d %d\n", a, b);
            printf("%d ", sscanf("0x1fg 017", "%i%s", &a, text));
            printf("%d %s\n", a, text);
            printf("%d ", sscanf("7e2 x", "%i%s", &a, text));
            printf("%d %s\n", a, text);
            double d = 0;
            printf("%d ", sscanf("1.5.2", "%lf%s", &d, text));
            printf("%g %s\n", d, text);
            printf("%d %d\n", sscanf("", "%[a-z]", text), sscanf("5", "%d%c", &a, text));
            printf("%g %g %g %g\n", strtod("0x1.8p3", nullptr), atof("-0xA"), strtod("1e", nullptr), atof("infinite"));
            char *end;
            strtod("1e+x", &end);
            printf("%s ", end);
            strtol("0xz", &end, 16);
            printf("%s\n", end);
            errno = 0;
            bool most = strtol("99999999999999999999", nullptr, 10) == LONG_MAX;
            printf("%d %d", most, errno == ERANGE);
            printf(" %d %lu\n", strtol("-99999999999999999999", nullptr, 10) == LONG_MIN, strtoul("-1", nullptr, 10));
            errno = 0;
            FILE *none = fopen("/nowhere/at/all", "r");
            printf("%d %d %s\n", none == nullptr, errno == ENOENT, strerror(errno));
            printf("%.3a %.0a %a\n", 1.1, 1.96875, 0.5);
        }
"#;
    let wanted = r#"
2 800 600
2 10 -20
2 31 g
2 7 e2
2 1.5 .2
-1 1
12 -10 1 inf
e+x xz
1 1 1 18446744073709551615
1 1 No such file or directory
0x1.19ap+0 0x2p+0 0x1p-1
"#;
    assert_eq!(output(source).trim(), wanted.trim());
}

#[test]
fn streams_read_as_their_format_says() {
    let source = r#"
        #include <cstdio>
        #include <iomanip>
        #include <iostream>
        #include <sstream>
        using namespace std;
        template <class T> void read(const char *text, T start) {
            istringstream in(text);
            T v = start;
            in >> v;
            cout << v << (in.fail() ? " fail" : "") << (in.eof() ? " eof" : "") << "; ";
        }
        int main() {
            read("99999999999", 1);
            read("-99999999999", 1);
            read<short>("40000", 1);
            read<unsigned>("-5", 1);
            read("", 7);
            read("x", 7);
            read("1e999", 1.0);
            read("1.5.2", 1.0);
            read("2", true);
            cout << endl;
            int a = 0, b = 0;
            bool flag = false;
            istringstream in("ff 0x10 17 true 010");
            in >> hex >> a >> b;
            cout << a << ' ' << b << ' ';
            in >> oct >> a >> boolalpha >> flag >> setbase(0) >> b;
            cout << a << ' ' << flag << ' ' << b << endl;
            stringstream both;
            both << hex << 255;
            both >> a;
            cout << a << endl;
            char line[5];
            istringstream lines("abcdefg\n\nxy");
            lines.getline(line, 5);
            cout << line << lines.fail() << lines.gcount();
            lines.clear();
            lines.getline(line, 5);
            cout << ' ' << line << lines.fail() << lines.gcount();
            lines.getline(line, 5);
            cout << ' ' << line << lines.fail() << lines.gcount() << endl;
            string word;
            stringstream quotes;
            quotes << quoted("a \"b\"") << 5;
            cout << quotes.str() << ' ';
            quotes >> quoted(word);
            cout << word << endl;
            cout << hexfloat << 1.5 << defaultfloat << ' ' << setiosflags(ios::showpos) << 3 << resetiosflags(ios::showpos)
                 << ' ' << showpoint << 2.0 << noshowpoint << ' ' << 2.0 << endl;
        }
"#;
    let wanted = r#"
2147483647 fail eof; -2147483648 fail eof; 32767 fail eof; 4294967291 eof; 7 fail eof; 0 fail; 1.79769e+308 fail eof; 1.5; 1 fail eof; 
255 16 15 1 8
255
abcd14 efg04 01
"a \"b\""5 a "b"
0x1.8p+0 +3 2.00000 2
"#;
    assert_eq!(output(source).trim(), wanted.trim());
}

#[test]
fn algorithms_on_sorted_ranges_and_lists() {
    let source = r#"
        #include <algorithm>
        #include <cmath>
        #include <cstdio>
        #include <iterator>
        #include <list>
        #include <string>
        #include <tuple>
        #include <vector>
        using namespace std;
        template <class C> void show(const C &c) { for (int x : c) printf("%d ", x); puts("|"); }
        int main() {
            vector<int> a{1, 3, 3, 5}, b{2, 3, 6}, r;
            set_union(a.begin(), a.end(), b.begin(), b.end(), back_inserter(r));
            show(r);
            r.clear();
            set_difference(a.begin(), a.end(), b.begin(), b.end(), back_inserter(r));
            show(r);
            r.clear();
            set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), back_inserter(r));
            show(r);
            remove_copy_if(a.begin(), a.end(), back_inserter(r), [](int x) { return x == 3; });
            show(r);
            printf("%d\n", (int)(adjacent_find(a.begin(), a.end()) - a.begin()));
            stable_partition(a.begin(), a.end(), [](int x) { return x > 2; });
            show(a);
            vector<int> p{3, 1, 2};
            printf("%d ", prev_permutation(p.begin(), p.end()));
            show(p);
            list<int> l{1, 2}, m{7, 8, 9};
            l.splice(l.begin(), m, m.begin());
            l.splice(l.end(), m);
            show(l);
            printf("%zu %zu\n", l.size(), m.size());
            string s = "ac";
            s.insert(s.begin() + 1, 'b');
            tuple<int, char, double> t(1, 'x', 2.5);
            printf("%s %c %g\n", s.c_str(), get<char>(t), get<double>(t));
            printf("%g %g %g %g\n", fmin(NAN, 1.0), fmax(1, 2.5), fmod(7, 2.5f), fdim(3.0, 1.0));
            printf("%d\n", isnan(fdim(NAN, 1.0)) && isnan(fdimf(1.0f, NAN)));
        }
"#;
    let wanted = r#"
1 2 3 3 5 6 |
1 3 5 |
1 2 3 5 6 |
1 2 3 5 6 1 5 |
1
3 3 5 1 |
1 2 3 1 |
7 1 2 8 9 |
5 0
abc x 2.5
1 2.5 2 2
1
"#;
    assert_eq!(output(source).trim(), wanted.trim());
}

#[test]
fn one_header_includes_the_library() {
    let source = r#"
        #include <bits/stdc++.h>
        using namespace std;
        using namespace std::chrono_literals;
        struct P { int x; string n; bool operator==(const P &o) const { return x == o.x && n == o.n; } };
        namespace std { template <> struct hash<P> { size_t operator()(const P &p) const { return hash<int>()(p.x) ^ (hash<string>{}(p.n) << 1); } }; }
        template <class V> void show(const V &v) { for (const auto &x : v) cout << x << ' '; cout << "|\n"; }
        int main() {
            ios::sync_with_stdio(false); cin.tie(nullptr); cin.tie(0);
            vector<int> v{1, 2, 3, 4, 5}, o;
            rotate_copy(v.begin(), v.begin() + 2, v.end(), back_inserter(o)); show(o);
            cout << is_sorted_until(o.begin(), o.end()) - o.begin() << is_permutation(v.begin(), v.end(), o.begin()) << '\n';
            inplace_merge(o.begin(), o.begin() + 3, o.end()); show(o);
            vector<int> w(3); partial_sort_copy(v.begin(), v.end(), w.begin(), w.end(), greater<int>()); for_each_n(w.begin(), 2, [](int &x) { x *= 10; }); show(w);
            vector<int> a{1, 3, 5}, b{3, 4}, c; set_union(a.begin(), a.end(), b.begin(), b.end(), inserter(c, c.begin())); show(c);
            set<int> s{7}; copy(a.begin(), a.end(), inserter(s, s.begin())); show(s);
            deque<int> d; copy(a.begin(), a.end(), front_inserter(d)); show(d);
            list<int> l{5, 3, 1}, m{4, 2}; l.merge(m, greater<int>()); show(l);
            string t = "hello world"; char part[8] = {}; cout << t.copy(part, 3, 4) << part << string("HELLO, W").compare("HELLO") << string("a").compare("abc");
            t.replace(t.begin(), t.begin() + 5, "bye"); t.replace(0, 1, 3, 'A'); cout << t << '\n';
            auto all = tuple_cat(make_tuple(1, 2.5), make_tuple('c'), tuple<>()); cout << get<0>(all) << get<1>(all) << get<2>(all) << tuple_size<decltype(all)>::value << '\n';
            int list[4] = {}; cout << empty(v) << size(list) << not_fn([](int x) { return x > 3; })(2) << max({3, 9, 4}, greater<int>()) << '\n';
            cout << (fpclassify(0.0) == FP_ZERO) << isnormal(1e-310) << isnormal(1.0) << numeric_limits<float>::max_digits10 << numeric_limits<double>::digits10 << numeric_limits<int>::digits10 << '\n';
            auto whole = make_shared<pair<int, int>>(3, 4); shared_ptr<int> second(whole, &whole->second); whole.reset(); cout << *second << second.use_count() << extent_v<int[3][4], 1> << '\n';
            unordered_map<P, int> keyed; keyed[{1, "q"}] = 5; cout << keyed.at({1, "q"}) << ' ' << hash<string>{}("abc") << ' ' << hash<double>{}(1.5) << '\n';
            auto time = 1500ms + 2s; auto start = chrono::steady_clock::now(); auto later = start + 5s;
            cout << time.count() << (later - 5s == start) << (later > start) << (start >= later) << chrono::duration_cast<chrono::seconds>(later - start).count() << (1s == 1000ms) << (1min > 59s) << '\n';
            chrono::milliseconds ms = 3s; ms += 5ms; ms -= 1s; chrono::duration<double> real = ms;
            cout << ms.count() << ' ' << (ms / 5).count() << ' ' << (ms % 7ms).count() << ' ' << (2 * ms).count() << ' ' << real.count() << ' ' << 90min / 1h << ' ' << (0.5s).count() << '\n';
            once_flag once; for (int i = 0; i < 3; i++) call_once(once, [](int k) { cout << "once " << k; }, 4);
            atomic_flag flag = ATOMIC_FLAG_INIT; cout << flag.test_and_set() << flag.test_and_set(); atomic<unsigned> bits{5}; bits |= 8; bits.fetch_and(~1u); bits ^= 2; cout << ' ' << bits.load();
            mutex lock; unique_lock<mutex> held(lock, defer_lock); cout << held.owns_lock(); held.lock(); cout << held.owns_lock() << '\n';
            vector<bool> flags{true, false}; flags.flip(); show(flags);
            common_type_t<int, short, double> wide = 1.5; is_invocable<less<int>, int, int> yes; cout << wide << yes.value << '\n';
        }
    "#;
    let expected = [
        "3 4 5 1 2 |\n",
        "31\n",
        "1 2 3 4 5 |\n",
        "50 40 3 |\n",
        "1 3 4 5 |\n",
        "1 3 5 7 |\n",
        "5 3 1 |\n",
        "5 4 3 2 1 |\n",
        "3o w3-2AAAye world\n",
        "12.5c3\n",
        "0413\n",
        "1019159\n",
        "414\n",
        "5 3663726644998027833 4982507072649106663\n",
        "3500110511\n",
        "2005 401 3 4010 2.005 1 0.5\n",
        "once 401 1401\n",
        "0 1 |\n",
        "1.51\n",
    ]
    .concat();
    assert_eq!(output(source), expected);
}

#[test]
fn streams_share_what_they_read_and_write() {
    let source = r#"
        #include <algorithm>
        #include <cstdio>
        #include <iostream>
        #include <iterator>
        #include <sstream>
        #include <string>
        #include <vector>
        int main() {
            std::istringstream in("line 1\nline 2\n");
            std::stringstream copy; copy << in.rdbuf();
            std::cout << copy.str() << copy.str().size() << '\n';
            std::string all((std::istreambuf_iterator<char>(copy)), std::istreambuf_iterator<char>());
            std::cout << all.size() << all;
            std::istringstream more("abc d"); std::string rest(std::istreambuf_iterator<char>(more), {});
            std::ostringstream hidden;
            std::streambuf *old = std::cout.rdbuf(hidden.rdbuf());
            std::cout << "hidden" << 3;
            std::cout.rdbuf(old);
            std::cout << '[' << hidden.str() << rest << "]\n";
            std::istringstream numbers("5 6"); std::streambuf *keyboard = std::cin.rdbuf(numbers.rdbuf());
            int a, b; std::cin >> a >> b; std::cin.rdbuf(keyboard);
            std::istringstream none(""); std::ostringstream out; out << none.rdbuf();
            std::cout << a + b << out.fail() << '\n';
            std::vector<int> v{3, 1, 2}; stable_sort(v.begin(), v.end()); std::cout << v[0] << *max_element(v.begin(), v.end()) << '\n';
            setvbuf(stdout, nullptr, _IONBF, 0);
        }
    "#;
    let expected = [
        "line 1\n",
        "line 2\n",
        "14\n",
        "14line 1\n",
        "line 2\n",
        "[hidden3abc d]\n",
        "111\n",
        "13\n",
    ]
    .concat();
    assert_eq!(output(source), expected);
}
