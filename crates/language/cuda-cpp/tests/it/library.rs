//! Device code of files that also contain host code with the C++ library, and headers that are included on demand.

use lanework_cuda_cpp::{CompileFailure, CompileOptions, CompiledPtx, Loader, NoFiles, compile};

fn compiled(source: &str) -> Result<CompiledPtx, CompileFailure> {
    compile(source, "kernel.cu", &CompileOptions::default(), &mut NoFiles)
}

/// Declarations of host code, whose types device code knows only by name.
const HOST: &str = r#"
#include <vector>
#include <string>
#include <chrono>
#include <map>
#include <stdexcept>
#include <sys/time.h>
using namespace std;
typedef vector<vector<float>> Matrix;
typedef std::chrono::high_resolution_clock Clock;
typedef unknown::library Foreign;
struct Ledger { string name; int rows; Matrix all; timeval since; map<string, int> places[2]; };
struct Derived : Ledger { int more; };
class Failure : public std::runtime_error { public: Failure(const string &why) : std::runtime_error(why) {} };
void print(const vector<int> &list, Clock::time_point since);
template <class T> T twice(T x, const std::string &) { return x + x; }
template float twice<float>(float, const std::string &);
template <class T> int fill(std::vector<T> &list) { list.push_back(T()); cudaMalloc(nullptr, 4); return (int)list.size(); }
template int fill<float>(std::vector<float> &);
template <class T> __global__ void set(T *x) { *x = 1; }
template <class T> void start(T *x) { std::string name; set<T><<<1, 1>>>(x); }
template void start<double>(double *);
std::vector<float> answers;
struct Plain { int rows; };
"#;

#[test]
fn types_that_only_the_host_knows_do_not_matter() {
    let source = format!(
        "{HOST}__global__ void k(int *x, Plain p, Ledger *t) {{ *x = p.rows + (t != nullptr); }}"
    );
    let ptx = compiled(&source).unwrap_or_else(|failure| panic!("{}", failure.text));
    let entry = |name: &str| ptx.text.contains(&format!(".entry {name}"));
    assert!(entry("_Z1k") && entry("_Z3setIdEvPT_"), "{}", ptx.text);
}

#[test]
fn device_code_cannot_use_a_class_of_unknown_layout() {
    for kernel in [
        "__global__ void k(int *x, Ledger t, int y) { *x = y; }",
        "__global__ void k(int *x, Ledger *t) { *x = t->rows; }",
        "__global__ void k(int *x, Derived *t) { *x = t->more; }",
        "__global__ void k(int *x) { Ledger t; *x = t.rows; }",
        "struct Holder { Ledger inner; int last; };\n__global__ void k(int *x, Holder h) { *x = h.last; }",
        "struct User { int n; string s; __device__ int get() { return n; } };\n__global__ void k(int *x, User *u) { *x = u->get(); }",
    ] {
        let failure = compiled(&format!("{HOST}{kernel}")).expect_err(kernel);
        assert!(failure.unsupported, "{kernel}\n{}", failure.text);
        assert!(failure.text.contains("host-only types"), "{kernel}\n{}", failure.text);
    }
    let failure = compiled(&format!("{HOST}__global__ void k() {{ Foreign f; }}"));
    assert!(failure.expect_err("an unknown type").text.contains("unknown"));
}

#[test]
fn headers_are_included_for_the_words_of_a_file() {
    let source = r#"
        __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float4 *x, uchar2 *y, short *z) {
            x[0] = tex2D<float4>(t, 0.5f, 0.5f);
            x[1] = tex3D<float4>(t, 0.5f, 0.5f, 0.5f);
            x[2] = texCubemap<float4>(t, 0.5f, 0.5f, 0.5f);
            x[3] = tex2DLod<float4>(t, 0.5f, 0.5f, 1.0f);
            y[0] = tex2DLayered<uchar2>(t, 0.5f, 0.5f, 3);
            tex1Dfetch(&z[0], t, 7);
            surf2Dwrite(x[0], s, 16, 2);
            z[1] = surf3Dread<short>(s, 2, 1, 0, cudaBoundaryModeZero);
        }"#;
    let ptx = compiled(source).unwrap_or_else(|failure| panic!("{}", failure.text)).text;
    for instruction in [
        "tex.2d.v4.f32.f32",
        "tex.3d.v4.f32.f32",
        "tex.cube.v4.f32.f32",
        "tex.level.2d.v4.f32.f32",
        "tex.a2d.v4.u32.f32",
        "tex.1d.v4.s32.s32",
        "sust.b.2d.v4.b32.trap",
        "suld.b.3d.b16.zero",
    ] {
        assert!(ptx.contains(instruction), "{instruction}\n{ptx}");
    }
    let module = lanework_ptx::Module::parse(&ptx).expect("PTX");
    module.validate().expect("valid PTX");
}

#[test]
fn constants_of_small_floats_are_in_registers() {
    let source = r#"
        #include <cuda_fp16.h>
        #include <cuda_bf16.h>
        struct Pair { float x, y; Pair() = default; __device__ Pair(float a, float b) : x(a), y(b) {} };
        __global__ void k(float *o, half2 *p, __nv_bfloat162 *q) {
            half2 zero = {}, list[2] = {};
            __nv_bfloat162 other{};
            Pair pair = {};
            o[0] = (float)zero.x + (float)list[1].y + pair.x;
            p[0] = __hadd2(p[1], zero);
            p[2] = __hfma2(p[1], list[0], __float2half2_rn(1.0f));
            q[0] = __hmul2(q[1], other);
        }"#;
    let ptx = compiled(source).unwrap_or_else(|failure| panic!("{}", failure.text)).text;
    let module = lanework_ptx::Module::parse(&ptx).expect("PTX");
    if let Err(problems) = module.validate() {
        panic!("{problems}\n{ptx}");
    }
}

/// A folder with one header.
struct OneHeader;

impl Loader for OneHeader {
    fn load(&mut self, name: &str, _from: &str) -> Option<(String, String)> {
        let text = "template <class T> __device__ T doubled(T x) { return x + x; }\n";
        (name == "boost/own.hpp").then(|| (name.to_owned(), text.to_owned()))
    }
}

#[test]
fn a_project_may_bring_the_headers_of_a_library() {
    let source = "#include <boost/own.hpp>\n#include <boost/absent.hpp>\n\
                  __global__ void k(float *x) { *x = doubled(*x); }";
    let options = CompileOptions::default();
    compile(source, "kernel.cu", &options, &mut OneHeader)
        .unwrap_or_else(|failure| panic!("{}", failure.text));
    // Without the file, the header counts as empty.
    let failure = compiled(source).expect_err("nothing defines the function");
    assert!(failure.text.contains("cannot find function `doubled`"), "{}", failure.text);
}

#[test]
fn the_vector_arithmetic_of_the_samples_is_built_in() {
    let source = r#"
        #include <helper_math.h>
        __global__ void k(float4 *o, float3 *p, int2 *q, uint3 *r) {
            o[0] = lerp(o[1], make_float4(p[0] * 2.0f + p[1], dot(p[0], p[1])), 0.5f) / 3.0f;
            p[0] -= cross(normalize(p[1]), clamp(p[2], 0.0f, 1.0f));
            q[0] = max(abs(-q[1]), make_int2(make_float2(o[0].x, o[0].y)));
            r[0] += make_uint3(r[1].x) * 3u;
        }
"#;
    compiled(source).unwrap_or_else(|failure| panic!("{}", failure.text));
}
