//! Programs without kernels: their output, and the faults of their memory accesses.

mod common;

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile_host};

/// Runs a program. Returns its output, and its exit code or the message of its fault.
fn run(source: &str, arguments: &[&str]) -> (String, Result<i32, String>) {
    let (text, ended) = common::run(source, &[], arguments);
    let code = ended.map_err(|fault| {
        let line = fault.places.first().map_or(0, |(_, _, line)| *line);
        format!("{} (line {line})", fault.message)
    });
    (text, code)
}

#[test]
fn output_is_formatted_as_in_c() {
    let source = r#"
        #include <cstdio>
        int main() {
            printf("%d %5.2f|%-4s|%04x %c %lu %lld\n", -3, 2.5, "ab", 255, 'x', 7ul, 1ll << 40);
            puts("end");
        }"#;
    let text = "-3  2.50|ab  |00ff x 7 1099511627776\nend\n";
    assert_eq!(run(source, &[]), (text.to_owned(), Ok(0)));
}

#[test]
fn loops_arrays_and_recursion() {
    let source = r#"
        #include <stdio.h>
        #include <stdlib.h>
        static int depth = 3;
        int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        struct Point { double x, y; };
        Point add(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
        int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
        int main(int argc, char **argv) {
            int n = atoi(argv[1]);
            float *values = (float *)malloc(n * sizeof(float));
            float sum = 0;
            for (int i = 0; i < n; i++) values[i] = i * 0.5f;
            for (int i = 0; i < n; i++) sum += values[i];
            free(values);
            Point p = add({1, 2}, {3, 4});
            int list[5] = {5, 3, 9, 1, 7};
            qsort(list, 5, sizeof(int), compare);
            printf("%d %g %d %g %g %d%d%d %d\n", argc, sum, fib(15), p.x, p.y, list[0], list[2], list[4], depth);
            return 4;
        }"#;
    let text = "2 2475 610 4 6 159 3\n".to_owned();
    assert_eq!(run(source, &["program", "100"]), (text, Ok(4)));
}

#[test]
fn destructors_run_in_reverse_order_at_every_exit() {
    let source = r#"
        #include <cstdio>
        struct Guard {
            int id;
            Guard(int i) : id(i) { printf("+%d ", id); }
            ~Guard() { printf("-%d ", id); }
        };
        int f(int n) {
            Guard a(1);
            for (int i = 0; i < 3; i++) {
                Guard b(2);
                if (i == n) continue;
                if (i == 1) break;
            }
            if (n == 0) return printf("return ");
            Guard c(3);
            return 0;
        }
        int main() {
            f(0);
            f(5);
            Guard *p = new Guard(7);
            delete p;
        }"#;
    let text = "+1 +2 -2 +2 -2 return -1 +1 +2 -2 +2 -2 +3 -3 -1 +7 -7 ".to_owned();
    assert_eq!(run(source, &[]), (text, Ok(0)));
}

#[test]
fn bad_accesses_are_faults_with_their_line() {
    let source = |body: &str| format!("#include <stdlib.h>\nint main() {{\n{body}\n}}");
    let cases = [
        (
            "int *p = (int *)malloc(40); p[10] = 1;",
            "invalid write of 4 bytes",
            "0 bytes past the end of a block of 40 bytes",
        ),
        (
            "int *p = (int *)malloc(40); free(p); return *p;",
            "invalid read of 4 bytes",
            "a freed block of 40 bytes",
        ),
        ("int *p = (int *)malloc(40); free(p); free(p);", "invalid `free`", "already been freed"),
        (
            "volatile int a[4]; int i = rand() % 2 + 4; a[i] = 1;",
            "invalid write of 4 bytes",
            "the stack",
        ),
        ("int *p = nullptr; *p = 1;", "invalid write of 4 bytes", "null"),
        ("int z = rand() * 0; return 5 / z;", "division by zero", ""),
    ];
    for (body, what, near) in cases {
        let message = run(&source(body), &[]).1.expect_err(body);
        assert!(message.contains(what) && message.contains(near), "{body}: {message}");
        assert!(message.ends_with("(line 3)") || what.contains("free"), "{body}: {message}");
    }
}

#[test]
fn vectors_streams_and_clocks() {
    let source = r#"
        #include <iostream>
        #include <vector>
        #include <algorithm>
        #include <numeric>
        #include <chrono>
        #include <iomanip>
        using namespace std;
        int total(const vector<int> &v) { return accumulate(v.begin(), v.end(), 0); }
        vector<int> squares(int n) {
            vector<int> v;
            for (int i = 0; i < n; i++) v.push_back(i * i);
            return v;
        }
        int main() {
            auto start = std::chrono::high_resolution_clock::now();
            std::vector<int> v = squares(6);
            std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
            std::vector<float> f(3, 1.5f);
            f[1] += v[0];
            for (float x : f) cout << x << " ";
            auto end = std::chrono::high_resolution_clock::now();
            auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - start);
            std::cout << total(v) << ' ' << (ms.count() >= 0) << std::endl;
            std::cout << std::fixed << std::setprecision(2) << 3.14159 << "\n";
        }"#;
    assert_eq!(run(source, &[]), ("1.5 26.5 1.5 55 1\n3.14\n".to_owned(), Ok(0)));
}

#[test]
fn comparisons_read_only_the_bytes_that_they_need_and_huge_blocks_are_refused() {
    let source = r#"
        #include <cstdio>
        #include <cstdlib>
        #include <cstring>
        int main() {
            char *three = (char *)malloc(3);
            memcpy(three, "abc", 3);
            printf("%d ", strncmp(three, "abcd", 3));
            printf("%d %d\n", malloc((size_t)-1) == NULL, malloc((size_t)-40) == NULL);
            return strcmp(three, "abcd");
        }"#;
    let (output, ended) = run(source, &[]);
    assert_eq!(output, "0 1 1\n");
    let fault = ended.expect_err("strcmp reads past the block");
    assert!(fault.contains("0 bytes past the end of a block of 3 bytes"), "{fault}");
}

#[test]
fn scanned_sets_octal_numbers_counts_and_percent_signs() {
    let source = r#"
        #include <cstdio>
        int main() {
            int octal, count = -1, rest;
            char letter, word[5];
            printf("%d ", sscanf("17%x 5", "%o%%%c %n", &octal, &letter, &count));
            printf("%d %c %d|", octal, letter, count);
            printf("%d ", sscanf("[abZ] 77", "[%4[a-zA-Z]] %d", word, &rest));
            printf("%s %d|", word, rest);
            printf("%d %d ", sscanf("-]x", "%[]-]%c", word, &letter), letter);
            printf("%s|%d\n", word, sscanf("x", "%%"));
        }"#;
    let text = "2 15 x 5|2 abZ 77|2 120 -]|0\n";
    assert_eq!(run(source, &[]), (text.to_owned(), Ok(0)));
}

#[test]
fn strings_with_a_precision_need_no_terminator_and_short_integers_are_narrowed() {
    let source = r#"
        #include <cstdio>
        int main() {
            char raw[3] = {'a', 'b', 'c'};
            printf("%.*s|%.2s|%hhd %hu %hhx %hd\n", 3, raw, raw, 300, 65537, 0x1ff, -1);
        }"#;
    assert_eq!(run(source, &[]), ("abc|ab|44 1 ff -1\n".to_owned(), Ok(0)));
}

#[test]
fn arrays_by_new_take_their_initial_values() {
    let source = r#"
        #include <cstdio>
        struct Pair { int a = 1, b; };
        int main(int argc, char **) {
            for (int i = 0; i < 3; i++) {
                int *list = new int[3]{1, 2}, *zeros = new int[argc + 1](), *one = new int();
                Pair *pairs = new Pair[2]{{5, 6}};
                printf("%d%d%d %d%d %d %d%d%d ", list[0], list[1], list[2], zeros[0], zeros[1], *one,
                       pairs[0].a, pairs[0].b, pairs[1].a);
                list[2] = zeros[0] = *one = 9;
                delete[] list; delete[] zeros; delete one; delete[] pairs;
            }
        }"#;
    assert_eq!(run(source, &["program"]), ("120 00 0 561 ".repeat(3), Ok(0)));
}

#[test]
fn casts_use_explicit_conversions_and_overloads_without_packs_win() {
    let source = r#"
        #include <cstdio>
        struct Meters {
            double value;
            explicit operator int() const { return (int)value; }
            explicit operator double() const { return value; }
        };
        struct Feet {
            double value;
            explicit operator Meters() const { return Meters{value * 0.5}; }
        };
        template <class T> int count(T) { return 1; }
        template <class T, class... R> int count(T, R... rest) { return 1 + count(rest...); }
        int main() {
            Meters m{3.5};
            printf("%d %g %d ", (int)m, static_cast<double>(m), int(m));
            printf("%g %d\n", ((Meters)Feet{5}).value, count(1, 2.5f, 'c'));
        }"#;
    assert_eq!(run(source, &[]), ("3 3.5 3 2.5 3\n".to_owned(), Ok(0)));
}

#[test]
fn implicit_conversions_do_not_use_explicit_operators() {
    let source = r#"
        struct Meters { double value; explicit operator int() const { return (int)value; } };
        int main() { Meters m{3.5}; int i = m; return i; }"#;
    let options = CompileOptions::default();
    let compiled = compile_host(source, "program.cu", &options, &mut NoFiles);
    let failure = compiled.expect_err("an explicit operator must not convert implicitly");
    assert!(failure.text.contains("cannot convert `Meters` to `int`"), "{}", failure.text);
}

#[test]
fn vectors_take_lists_of_values() {
    let source = r#"
        #include <cstdio>
        #include <vector>
        int total(std::vector<int> v) { int sum = 0; for (int x : v) sum += x; return sum; }
        int main() {
            std::vector<int> a = {3, 1, 2}, b{4, 5}, c(2, 7), d{6}, e{}, f(3);
            std::vector<std::vector<float>> rows = {{1, 2.5f}, {}, {3}};
            std::vector<const char *> names{"ab", "cd"};
            printf("%d %d %d | %d %d | %d %d | %d %d | %d %d\n", (int)a.size(), a[0], a[2], (int)b.size(), b[1],
                   (int)c.size(), c[1], (int)d.size(), d[0], (int)e.size(), (int)f.size());
            printf("%g %d %g %s %d\n", rows[0][1], (int)rows[1].size(), rows[2].back(), names[1], total({1, 2, 3}));
        }"#;
    let text = "3 3 2 | 2 5 | 2 7 | 1 6 | 0 3\n2.5 0 3 cd 6\n";
    assert_eq!(run(source, &[]), (text.to_owned(), Ok(0)));
}

#[test]
fn sinpi_normcdf_and_remainder_match_exact_results() {
    let source = r#"
        #include <cstdio>
        #include <cmath>
        int main() {
            printf("%.7g %.7g %.14g %.14g|", sinpif(2.9998953f), cospif(0.5001f), sinpi(100000.25), cospi(1e-9));
            printf("%g %g %g %g %g|", sinpi(1.0), sinpi(-2.0), cospi(0.5), cospi(1.0), sinpif(-0.5f));
            printf("%.5g %.12g %g %g|", normcdff(-11.955906f), normcdf(-20.0), normcdf(1e300), normcdff(-INFINITY));
            printf("%.7g %g %g %g %g %g", remainderf(38.811733f, 0.0001695f), remainderf(5.0f, 2.0f), remainder(3.0, 2.0),
                   remainder(-6.0, 4.0), remainder(1.0, INFINITY), remainderf(3.2e38f, 2e38f));
            printf(" %d %d\n", isnan(remainder(1.0, 0.0)), isnan(remainder(INFINITY, 1.0)));
        }"#;
    let text = "0.0003288172 -0.0003142114 0.70710678118655 1|0 -0 0 -1 -1|3.0235e-33 2.75362411861e-89 1 0|\
                -3.673203e-05 1 -1 2 1 -8e+37 1 1\n";
    assert_eq!(run(source, &[]), (text.to_owned(), Ok(0)));
}

#[test]
fn qualified_names_select_members_of_the_base_class() {
    let source = r#"
        #include <cstdio>
        struct Left { int x = 1; };
        struct Right { int x = 2; int y = 9; };
        template <class T> struct Both : Left, T {
            int x = 3;
            int sum() { return Left::x * 100 + T::x * 10 + x; }
        };
        int main() {
            Both<Right> both, *pointer = &both;
            both.Left::x = 4;
            pointer->Right::x += 3;
            printf("%d %d %d %d %d\n", both.Left::x, pointer->Right::x, both.x, both.sum(), both.Right::y);
        }"#;
    assert_eq!(run(source, &[]), ("4 5 3 453 9\n".to_owned(), Ok(0)));
}

#[test]
fn a_conditional_is_assigned_to() {
    let source = r#"
        #include <cstdio>
        struct Pair { int first, second; };
        int main(int argc, char **) {
            int a = 1, b = 2, c = 3;
            (a < b ? a : b) = 9;
            (a < b ? a : b) += 5;
            ++(argc > 5 ? a : c);
            (a = 4, argc > 0 ? c : b)--;
            Pair p{1, 2}, q{3, 4};
            (argc > 5 ? p : q).second = 8;
            (argc > 0 ? p.first : q.first) = 6;
            printf("%d %d %d %d %d %d\n", a, b, c, p.first, q.first, q.second);
        }"#;
    assert_eq!(run(source, &["program"]), ("4 7 3 6 3 8\n".to_owned(), Ok(0)));
}
