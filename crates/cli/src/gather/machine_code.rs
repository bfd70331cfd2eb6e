//! The machine code of a kernel. NVIDIA's tools give it if they are installed: ptxas assembles the PTX and reports the
//! registers, nvdisasm or cuobjdump lists the code. The emulator does not need them.

use lanework::time::sass::tools::{find, lister};
use lanework_pages::record::Sass;
use std::collections::BTreeMap;
use std::process::Command;

/// The machine code of an entry, or the reason for its absence.
pub fn of(ptx: &str, entry: &str) -> Sass {
    match assembled(ptx, entry) {
        Ok(sass) => sass,
        Err((why, detail)) => Sass { missing: why.to_owned(), note: detail, ..Sass::default() },
    }
}

/// The target that the PTX names, such as `sm_90a`.
fn target(ptx: &str) -> &str {
    let line = ptx.lines().find_map(|line| line.trim().strip_prefix(".target"));
    line.and_then(|line| line.split([',', ' ']).find(|word| !word.is_empty())).unwrap_or("sm_90")
}

/// The oldest architecture that current versions of ptxas support. PTX for older ones runs there, too.
const OLDEST: u32 = 75;

/// The architecture to assemble for.
fn architecture(target: &str) -> String {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<u32>() {
        Ok(number) if number < OLDEST || number == 80 => "sm_90".to_owned(),
        _ => target.to_owned(),
    }
}

/// The machine code; or the report's text for its absence, and details.
fn assembled(ptx: &str, entry: &str) -> Result<Sass, (&'static str, String)> {
    let failed = |error: std::io::Error| ("no-ptxas", error.to_string());
    let ptxas = find("ptxas").ok_or(("no-ptxas", String::new()))?;
    let folder = tempfile::tempdir().map_err(failed)?;
    let (source, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    std::fs::write(&source, ptx).map_err(failed)?;
    let target = architecture(target(ptx));
    let run = Command::new(&ptxas)
        .args(["-v", "-lineinfo", &format!("-arch={target}"), "-o"])
        .args([&cubin, &source])
        .output()
        .map_err(failed)?;
    let said = String::from_utf8_lossy(&run.stderr);
    if !run.status.success() {
        let first = said.lines().find(|line| line.contains("error")).unwrap_or_default();
        return Err(("refused", first.to_owned()));
    }
    let (registers, spills) = resources(&said, entry);
    let bare = Sass { target: target.clone(), registers, spills, ..Sass::default() };
    let listers: [(&str, &[&str]); 2] = [("nvdisasm", &["-c", "-g"]), ("cuobjdump", &["-sass"])];
    for (name, options) in listers {
        let tool = if name == "nvdisasm" { lister(&ptxas) } else { find(name) };
        let Some(path) = tool else { continue };
        let run = Command::new(path).args(options).arg(&cubin).output();
        let Some(run) = run.ok().filter(|run| run.status.success()) else { continue };
        let (text, source) = listing(&String::from_utf8_lossy(&run.stdout), entry);
        return Ok(Sass { text: Some(text), source, note: format!("ptxas, {name}"), ..bare });
    }
    Ok(Sass { missing: "no-lister".to_owned(), ..bare })
}

/// Registers, and bytes of spill stores and loads, from the output of `ptxas -v` for an entry.
fn resources(said: &str, entry: &str) -> (Option<u32>, Option<[u32; 2]>) {
    let about = said
        .split("Compiling entry function")
        .find(|part| part.trim_start().trim_start_matches('\'').starts_with(&format!("{entry}'")));
    let Some(about) = about else { return (None, None) };
    let before = |what: &str| {
        let at = about.find(what)?;
        about[..at].split_whitespace().next_back()?.parse::<u32>().ok()
    };
    let registers = before("registers");
    let spills = before("bytes spill stores").zip(before("bytes spill loads"));
    (registers, spills.map(|(stores, loads)| [stores, loads]))
}

/// The instructions of an entry without addresses in comments, and the source line of each, if the listing has it:
/// nvdisasm writes `//## File "k.rs", line 7` before the instructions of that line.
fn listing(text: &str, entry: &str) -> (String, BTreeMap<u32, (String, u32)>) {
    let section = format!(".text.{entry}:");
    let function = format!("Function : {entry}");
    let mut out = String::new();
    let mut source = BTreeMap::new();
    let mut at: Option<(String, u32)> = None;
    let mut inside = false;
    let mut number = 0;
    for line in text.lines() {
        let plain = line.trim();
        if plain.starts_with(".text.") || plain.starts_with("Function :") {
            inside = plain == section || plain == function;
            continue;
        }
        if plain.starts_with(".section") || !inside {
            inside &= !plain.starts_with(".section");
            continue;
        }
        if let Some(place) = plain.strip_prefix("//## File ") {
            let mut parts = place.split('"');
            let file = parts.nth(1).unwrap_or_default().to_owned();
            let line = parts.next().and_then(|rest| {
                rest.split_whitespace().find_map(|word| word.trim_matches(',').parse().ok())
            });
            at = line.map(|line| (file, line));
            continue;
        }
        let code = plain.strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
        let label = plain.starts_with(".L") && plain.ends_with(':');
        let code = match code {
            Some((_, code)) if code.contains(';') => code.split("/*").next().unwrap_or(code).trim(),
            None if label => plain,
            _ => continue,
        };
        number += 1;
        if !label && let Some(at) = &at {
            source.insert(number, at.clone());
        }
        out.push_str(if label { "" } else { "    " });
        out.push_str(code);
        out.push('\n');
    }
    (out, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_parsed_from_the_ptxas_output() {
        let said = "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'other' for 'sm_90'\n\
            ptxas info    : Used 8 registers\nptxas info    : Compiling entry function 'k' for 'sm_90'\n\
            ptxas info    : Function properties for k\n    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n\
            ptxas info    : Used 255 registers, used 1 barriers, 4224 bytes smem\n";
        assert_eq!(resources(said, "k"), (Some(255), Some([12, 20])));
        assert_eq!(resources(said, "other").0, Some(8));
        assert_eq!(resources(said, "none"), (None, None));
    }

    #[test]
    fn a_listing_keeps_instructions_and_their_source_lines() {
        let text = "\t.section .text.k,\"ax\"\n.text.k:\n\t//## File \"a/k.rs\", line 19\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n.L_x_0:\n        /*0010*/                   EXIT ;\n\t.section .nv.info\n        /*0000*/ NOP ;\n";
        let (listed, source) = listing(text, "k");
        assert_eq!(listed, "    LDC R1, c[0x0][0x28] ;\n.L_x_0:\n    EXIT ;\n");
        assert_eq!(source.get(&1), Some(&("a/k.rs".to_owned(), 19)));
        assert_eq!((source.get(&2), source.len()), (None, 2));
        let dumped = "\t\tFunction : k\n\t.headerflags\t@\"EF\"\n        /*0000*/   MOV R1, R2 ;   /* 0x0028 */\n                                  /* 0x0029 */\n";
        assert_eq!(listing(dumped, "k").0, "    MOV R1, R2 ;\n");
    }

    #[test]
    fn the_target_is_that_of_the_ptx_or_one_that_ptxas_supports() {
        assert_eq!(target(".version 8.0\n.target sm_90a, debug\n"), "sm_90a");
        assert_eq!(
            (architecture("sm_50").as_str(), architecture("sm_90a").as_str()),
            ("sm_90", "sm_90a")
        );
    }
}
