//! Host code: files by number, folders, mapped memory, memory outside the arena, and small floats. The expected output
//! is that of GCC and glibc, or follows from the formats.

mod common;

use lanework_host::{External, Process, Stop, word};
use std::cell::RefCell;

#[test]
fn files_by_number_folders_and_maps_work_as_in_posix() {
    let folder = std::env::temp_dir().join(format!("lanework-host-{}", std::process::id()));
    let source = r#"
        #include <cstdio>
        #include <cstring>
        #include <string>
        #include <vector>
        #include <algorithm>
        #include <fcntl.h>
        #include <unistd.h>
        #include <dirent.h>
        #include <sys/mman.h>
        #include <sys/stat.h>
        int main(int argc, char **argv) {
            std::string folder = std::string(argv[1]) + std::to_string(argc) + std::to_string((long)&argc), file = folder + "/a.bin";
            printf("%d %d\n", mkdir(folder.c_str(), 0755), mkdir(folder.c_str(), 0755));
            int fd = open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
            printf("%ld %d\n", write(fd, "hello world", 11), close(fd));
            fd = open(file.c_str(), O_RDONLY);
            char text[8] = {};
            printf("%ld ", lseek(fd, 6, SEEK_SET));
            printf("%ld %s ", read(fd, text, 5), text);
            printf("%ld\n", read(fd, text, 5));
            struct stat about;
            printf("%d %ld %d %d\n", fstat(fd, &about), about.st_size, S_ISREG(about.st_mode), S_ISDIR(about.st_mode));
            close(fd);
            fd = open(file.c_str(), O_RDWR);
            char *map = (char *)mmap(nullptr, 11, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            map[0] = 'j';
            printf("%.11s ", map);
            printf("%d\n", munmap(map, 11));
            close(fd);
            int *zero = (int *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            printf("%d %d ", zero[0] + zero[1023], (int)((size_t)zero % 4096));
            printf("%d\n", munmap(zero, 4096));
            std::string other = folder + "/b.bin";
            printf("%d %d %d\n", rename(file.c_str(), other.c_str()), stat(file.c_str(), &about), open(file.c_str(), O_RDONLY));
            std::vector<std::string> names;
            DIR *dir = opendir(folder.c_str());
            while (dirent *entry = readdir(dir)) names.push_back(entry->d_name);
            closedir(dir);
            std::sort(names.begin(), names.end());
            for (auto &name : names) printf("%s ", name.c_str());
            char here[4096];
            fd = open(folder.c_str(), O_RDONLY);
            bool same = fd > 2 && close(fd) == 0 && chdir(folder.c_str()) == 0 && getcwd(here, sizeof here) && access("b.bin", R_OK) == 0;
            printf("%d %d %d\n", same, unlink("b.bin"), rmdir(folder.c_str()));
        }
    "#;
    let argument = folder.display().to_string();
    let (text, ended) = common::run(source, &[], &["program", &argument]);
    assert_eq!(ended.map_err(|fault| fault.message), Ok(0));
    let expected = [
        "0 -1\n",
        "11 0\n",
        "6 5 world 0\n",
        "0 11 1 0\n",
        "jello world 0\n",
        "0 0 0\n",
        "0 -1 -1\n",
        ". .. b.bin 1 0 0\n",
    ];
    assert_eq!(text, expected.concat());
}

thread_local! {
    /// The memory that [`LENT`] lends, so that it lives as long as the test.
    static BLOCKS: RefCell<Vec<Box<[u64]>>> = const { RefCell::new(Vec::new()) };
}

/// A device whose managed memory is outside the arena.
const LENT: &[(&str, External)] = &[
    ("__lw_context", |_, _| Ok(0)),
    ("__lw_open_device", |_, _| Ok(0)),
    ("__lw_close_device", |_, _| Ok(0)),
    ("cuMemAllocManaged", |process: &mut Process, a: &[u64]| -> Result<u64, Stop> {
        let mut block = vec![0u64; word(a, 1) as usize / 8].into_boxed_slice();
        let address = block.as_mut_ptr().expose_provenance() as u64;
        BLOCKS.with_borrow_mut(|blocks| blocks.push(block));
        // SAFETY: the block lives until the thread ends, and only the program uses it.
        unsafe { process.memory.lend(address, word(a, 1)) };
        let written = process.memory.write(word(a, 0), &address.to_le_bytes());
        process.accessed(written, "write")?;
        Ok(0)
    }),
    ("cuMemFree_v2", |process: &mut Process, a: &[u64]| -> Result<u64, Stop> {
        process.memory.take_back(word(a, 0));
        Ok(0)
    }),
];

/// A program that uses three such ranges in a loop that becomes machine code.
const SUMS: &str = r#"
    #include <cstdio>
    template <class T> T sum(T *a, T *b, T *c, int n) {
        T total = 0;
        for (int round = 0; round < 60; round++)
            for (int i = 0; i < n; i++) { c[i] = a[i] + b[i] + (T)round; total += c[i]; }
        return total;
    }
    int main() {
        double *a, *b, *c;
        cudaMallocManaged(&a, 8000); cudaMallocManaged(&b, 8000); cudaMallocManaged(&c, 8000);
        for (int i = 0; i < 1000; i++) { a[i] = i; b[i] = 2 * i; }
        printf("%.0f\n", sum(a, b, c, 1000));
        char *bytes = (char *)a;
        for (int i = 0; i < 8000; i++) bytes[i] = (char)(i % 3);
        // Unaligned words.
        long words = 0;
        for (int i = 0; i + 8 <= 8000; i += 7) words += *(long *)(bytes + i) & 0xff;
        printf("%ld %d\n", words, sum(bytes, bytes + 4000, (char *)b, 4000));
        LAST
    }
"#;

#[test]
fn machine_code_uses_memory_outside_the_arena() {
    let (text, ended) = common::run(&SUMS.replace("LAST", ""), &[LENT], &["program"]);
    assert_eq!(ended.map_err(|fault| fault.message), Ok(0));
    let total: f64 = (0..60).flat_map(|r| (0..1000).map(move |i| f64::from(3 * i + r))).sum();
    assert!(text.starts_with(&format!("{total}\n")), "{text}");
}

#[test]
fn accesses_past_the_end_of_such_memory_fault() {
    let shared = "host-accessible CUDA memory of 8000 bytes";
    for (last, near, help) in [
        (
            "printf(\"%.0f\\n\", sum(a, b, c, 1001));",
            format!(": 0 bytes past the end of {shared}"),
            "beyond the end of page-locked or managed memory",
        ),
        (
            "cudaFree(b); printf(\"%.0f\\n\", sum(a, b, c, 1000));",
            format!(": 0 bytes into freed {shared}"),
            "the program freed this memory before",
        ),
        (
            "printf(\"%d\\n\", *(int *)(bytes + 7998));",
            format!(": 7998 bytes into {shared}; only the first 2 bytes are accessible"),
            "beyond the end of page-locked or managed memory",
        ),
    ] {
        let (_, ended) = common::run(&SUMS.replace("LAST", last), &[LENT], &["program"]);
        let fault = ended.expect_err(last);
        assert!(fault.message.contains("invalid"), "{}", fault.message);
        assert!(fault.message.ends_with(&near) && fault.help.contains(help), "{fault:?}");
    }
}

#[test]
fn small_floats_convert_the_same_in_both_ways() {
    let source = r#"
        #include <cstdio>
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        #include <cuda_fp8.h>
        int main() {
            unsigned halves = 0, bfloats = 0, back = 0, small = 0;
            for (unsigned i = 0; i < 70000; i++) {
                unsigned bits = i * 61357u ^ i << 13;
                float value;
                memcpy(&value, &bits, 4);
                __half h = __float2half(value);
                __nv_bfloat16 b = __float2bfloat16(value);
                unsigned short raw;
                memcpy(&raw, &h, 2); halves = halves * 31 + raw;
                memcpy(&raw, &b, 2); bfloats = bfloats * 31 + raw;
                raw = (unsigned short)i; memcpy(&h, &raw, 2);
                float f = __half2float(h);
                memcpy(&bits, &f, 4); back = back * 31 + bits;
                __nv_fp8_e4m3 e(f);
                __nv_fp8_e5m2 g(f);
                small = small * 31 + e.__x + 256 * g.__x;
            }
            printf("%u %u %u %u\n", halves, bfloats, back, small);
            __half x = __float2half(1.5f), y = __float2half(65520.0f), z = __float2half(6e-8f);
            printf("%g %g %g %g\n", __half2float(x), __half2float(y), __half2float(z), (float)__nv_fp8_e4m3(17.3f));
            printf("%g %g\n", __bfloat162float(__float2bfloat16(3.1415927f)), (float)__nv_fp8_e5m2(1e9f));
        }
    "#;
    let (text, ended) = common::run(source, &[], &["program"]);
    assert_eq!(ended.map_err(|fault| fault.message), Ok(0));
    let rest = text.split_once('\n').expect("two lines").1;
    assert_eq!(rest, "1.5 inf 5.96046e-08 18\n3.14062 57344\n");
}

#[test]
fn functions_of_math_are_called_from_machine_code() {
    let source = r#"
        #include <cstdio>
        #include <cstdlib>
        #include <cmath>
        double all(double x) { return sin(x) + pow(x, 1.5) + exp(-x) + hypot(x, 2) + lgamma(x + 1); }
        int main() {
            double sum = 0; float single = 0; unsigned random = 0;
            srand(7);
            for (int i = 0; i < 3000; i++) {
                sum += all(i * 0.01);
                single += cosf(i * 0.5f) + fmodf(i, 3.5f) + tanhf(i * 0.001f);
                random = random * 31 + rand();
            }
            printf("%.9g %.6g %u\n", sum, single, random);
            srand(1);
            printf("%d\n", rand());
            double value = lgamma(-0.5); printf("%d %.6f ", signgam, value);
            value = lgamma(-1.5); printf("%d %.6f\n", signgam, value);
        }
    "#;
    let (text, ended) = common::run(source, &[], &["program"]);
    assert_eq!(ended.map_err(|fault| fault.message), Ok(0));
    assert!(text.ends_with("\n1804289383\n-1 1.265512 1 0.860047\n"), "{text}");
}
