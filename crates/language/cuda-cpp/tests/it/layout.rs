//! Device code with packed classes.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};

/// The PTX of a source.
fn ptx(source: &str) -> Result<String, String> {
    let compiled = compile(source, "kernel.cu", &CompileOptions::default(), &mut NoFiles);
    compiled.map(|compiled| compiled.text).map_err(|failure| failure.text)
}

#[test]
fn unaligned_members_are_accessed_in_pieces() {
    let source = |pack: &str| {
        format!(
            "struct Q {{ short a, b; }};
            {pack} struct P {{ char c; float f, v[2]; short s; Q q; }};
            __global__ void k(P *p) {{
                p[1].f += 1;
                p[1].v[1] = p[1].v[0];
                p[1].s = 7;
                p[3].q = p[2].q;
                p[2] = P{{1, 2.5f, {{3, 4}}, 3, {{4, 5}}}};
            }}"
        )
    };
    let widest = |text: &str| {
        let accesses =
            text.lines().filter(|line| line.contains("ld.global") || line.contains("st.global"));
        let bits = accesses.flat_map(|line| {
            let name = line.split_whitespace().find(|word| word.contains(".global")).unwrap_or("");
            name.rsplit('.').next().and_then(|kind| kind.get(1..)?.parse::<u32>().ok())
        });
        bits.max()
    };
    assert_eq!(widest(&ptx(&source("")).unwrap()), Some(32));
    assert_eq!(widest(&ptx(&source("#pragma pack(1)\n")).unwrap()), Some(8));
    assert_eq!(widest(&ptx(&source("#pragma pack(push, 2)\n")).unwrap()), Some(16));
    assert_eq!(widest(&ptx(&source("#pragma pack(1)\n#pragma pack()\n")).unwrap()), Some(32));
}

#[test]
fn copies_of_unaligned_members_to_aligned_variables_use_pieces() {
    let source = |pack: &str| {
        format!(
            "struct Q {{ int a; float b; }};
            {pack} struct P {{ char c; Q q; }};
            #pragma pack()
            __global__ void k(P *p, int *o) {{
                Q q = p[threadIdx.x].q;
                q.a += 3;
                p[threadIdx.x].q = q;
                int raw;
                memcpy(&raw, (char *)p + threadIdx.x, 4);
                o[threadIdx.x] = raw + (int)q.b;
            }}"
        )
    };
    let wide = |pack| {
        let text = ptx(&source(pack)).unwrap();
        text.lines().filter(|line| line.contains(".global.") && line.contains("32")).count()
    };
    assert_eq!(wide("#pragma pack(1)\n"), 1);
    assert!(wide("") > 4);
}

#[test]
fn packed_layouts_that_no_access_can_read_are_refused() {
    for source in [
        "#pragma pack(1)\nstruct P { unsigned a : 3; unsigned b : 31; };",
        "#pragma pack(1)\nstruct P { char c; unsigned b : 20; char d; };
        __global__ void k(P *p) { p->b = 1; }",
        "#pragma pack(3)\nstruct P { char c; };",
    ] {
        let problem = ptx(&format!("{source}\n__global__ void empty() {{}}"));
        assert!(problem.as_ref().is_err_and(|text| text.contains("pack")), "{problem:?}");
    }
}
