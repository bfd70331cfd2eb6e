//! Validation of `tcgen05` agrees with the recorded verdicts of ptxas on every form in `tensor_memory.txt`. With
//! `PTXAS` set, the test also compares the verdicts with that ptxas.

use lanework_ptx::Module;

const FORMS: &str = include_str!("tensor_memory.txt");

fn module(form: &str) -> String {
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{{
.reg .pred p, q; .reg .b16 h; .reg .f16 hf; .reg .b32 r, s; .reg .u32 u; .reg .s32 i; .reg .f32 f;
.reg .b64 d, e; .reg .b32 a<130>; .reg .f32 b<4>;
.shared .align 8 .b64 bar; .shared .b32 base;
{form}
ret;
}}
"
    )
}

/// The forms, and whether ptxas accepts them.
fn forms() -> impl Iterator<Item = (&'static str, bool)> {
    FORMS.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let (verdict, form) = line.split_once(' ').expect("a verdict and a form");
        (form, verdict == "a")
    })
}

#[test]
fn validation_matches_the_recorded_verdicts() {
    let mut wrong = Vec::new();
    for (form, accepted) in forms() {
        let found = Module::parse(&module(form))
            .map_err(|error| error.to_string())
            .and_then(|m| m.validate().map_err(|errors| format!("{errors:?}")));
        match (accepted, found) {
            (true, Err(why)) => wrong.push(format!("ptxas accepts: {form}: {why}")),
            (false, Ok(_)) => wrong.push(format!("ptxas refuses: {form}")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} forms:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn recorded_verdicts_match_ptxas() {
    let Ok(ptxas) = std::env::var("PTXAS") else {
        return lanework_testing::skip("tcgen05 forms against ptxas", "PTXAS is not set");
    };
    let path = std::env::temp_dir().join(format!("lanework-forms-{}.ptx", std::process::id()));
    for (form, accepted) in forms() {
        std::fs::write(&path, module(form)).expect("a file");
        let mut command = std::process::Command::new(&ptxas);
        let output = command.arg("-arch=sm_100a").arg(&path).args(["-o", "/dev/null"]).output();
        let found = output.expect("ptxas runs").status.success();
        assert_eq!(found, accepted, "{form}");
    }
    std::fs::remove_file(&path).expect("the file is removed");
}
