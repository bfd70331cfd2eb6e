//! The documentation pages that are generated from the kernels and from stored results, in English and in Chinese.
//!
//! A ladder's page ends with exercises and their solutions. Their programs are compiled and run as doctests of
//! `lanework` (`pages!` in its `lib.rs`), and are the same in both languages (`tests/invariants`).

use super::pictures;
use super::pictures::read_json;
use super::words::{LANGUAGES, Words, experiment, punctuated, told};
use crate::coverage::some;
use crate::experiments::Shown;
use lanework::{Backend, Device, Result};
use lanework_lab::conformance::{Coverage, coverage};
use lanework_lab::{
    ClimbRecord, ClimbSettings, Family, Request, climb, experiments_source, families, specs,
};
use lanework_ladders::{Header, Language, RungInfo};
use lanework_terminal::output::{duration, short_count};
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// A page: its path under the book's sources, and its text.
pub type Page = (String, String);

/// All generated pages; the measurements of a GPU are read from `results`.
///
/// # Errors
/// If a ladder cannot be climbed on the emulator.
pub fn pages(results: &Path) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for family in families() {
        let record = climbed(&family)?;
        let timed = read_json(&results.join(format!("h200/{}.json", record.ladder)));
        for (language, folder, place) in LANGUAGES {
            let text = ladder_page(&family, &record, timed.as_ref(), language, place);
            pages.push((format!("{folder}/{}.md", record.ladder), text));
        }
    }
    pages.extend(pictures::pictures(results)?);
    let covered = coverage();
    for (language, folder, _) in LANGUAGES {
        pages.push((format!("{folder}/experiments.md"), experiments_page(results, language)));
        pages.push((format!("{folder}/gpus.md"), gpus_page(language)));
        pages.push((format!("{folder}/coverage.md"), coverage_page(&covered, language)));
    }
    Ok(pages)
}

/// The ladder climbed on the emulator, on its default case.
fn climbed(family: &Family) -> Result<ClimbRecord> {
    let case = family.case(&Request::new(Backend::Emulator))?;
    let settings = ClimbSettings { rungs: Vec::new(), seed: 1, time_limit: Duration::from_secs(1) };
    climb(family, case.as_ref(), &Device::emulator(), &settings, &mut |_| {})
}

fn ladder_page(
    family: &Family,
    record: &ClimbRecord,
    timed: Option<&Value>,
    language: Language,
    place: usize,
) -> String {
    let words = Words::of(language);
    let ladder = (family.ladder)();
    let mut text = format!("# {}\n\n{}\n", ladder.name, ladder.story[place].trim());
    for shown in pictures::of_ladder(ladder.name) {
        let _ = write!(text, "\n{}", pictures::line(shown.name, shown.says[place]));
    }
    let _ = writeln!(text, "\n## {}\n\n```text\nlanework climb {}\n```", words.try_it, ladder.name);
    for line in &record.analysis {
        let _ = writeln!(text, "- {}", told(line, language));
    }
    let counted = format!("{} ({} {})", words.counted, record.size_in_words(), record.element);
    let _ = writeln!(
        text,
        "\n## {}\n\n{}\n|---|---|---|---|---|---|---|---|---|---|",
        punctuated(&counted, language),
        words.columns
    );
    for rung in &record.rungs {
        let Some(counters) = &rung.counters else { continue };
        let conflicts = counters.shared_load.bank_conflicts + counters.shared_store.bank_conflicts;
        let _ = writeln!(
            text,
            "| {}{} | {} | {:.2} | {:.2} | {} | {} | {} | {:.1} | ~{} | {:.0} % |",
            rung.name,
            rung.same_as.map_or(String::new(), |same| words.same.replace("RUNG", same)),
            rung.experiment,
            counters.global_load.sectors_per_request(),
            counters.global_store.sectors_per_request(),
            short_count(conflicts as f64),
            short_count(counters.warp_instructions as f64),
            short_count(rung.instructions_per_warp().unwrap_or(0.0)),
            rung.active_lanes().unwrap_or(0.0),
            rung.resources.map_or(0, |taken| taken.registers),
            rung.resources.map_or(0.0, |taken| 100.0 * taken.occupancy),
        );
    }
    if let Some(timed) = timed {
        text.push_str(&timed_table(timed, language));
    }
    let _ = writeln!(text, "\n## {}", words.rungs);
    for info in &ladder.rungs {
        let found = record.rungs.iter().find(|rung| rung.name == info.name);
        let reason = found.and_then(|rung| rung.reason.as_deref());
        text.push_str(&rung_section(info, reason, language, ladder.name));
    }
    let exercises = exercises_of(ladder.name, place);
    if !exercises.is_empty() {
        let _ = write!(text, "\n{exercises}");
    }
    text
}

/// The table of a climb on a GPU, from its JSON.
fn timed_table(climb: &Value, language: Language) -> String {
    let words = Words::of(language);
    let text_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let size: Vec<String> =
        climb["size"].as_array().into_iter().flatten().map(Value::to_string).collect();
    let heading = format!(
        "{} ({} {}; {}, {})",
        words.timed,
        size.join("x"),
        text_of(&climb["element"]),
        text_of(&climb["device"]["name"]),
        text_of(&climb["device"]["driver"])
    );
    let mut text = format!(
        "\n## {}\n\n{}\n|---|---|---|---|---|---|---|\n",
        punctuated(&heading, language),
        words.timed_columns
    );
    let number = |value: &Value, digits: usize| {
        value.as_f64().map_or(String::new(), |value| format!("{value:.digits$}"))
    };
    let rungs: Vec<&Value> = climb["rungs"].as_array().into_iter().flatten().collect();
    let library = rungs.iter().find(|rung| rung["name"] == "library");
    let library = library.and_then(|rung| rung["time"]["median_ns"].as_f64());
    for rung in rungs {
        let time = &rung["time"];
        let Some(median) = time["median_ns"].as_f64() else { continue };
        let taken = &rung["resources"];
        let occupancy = taken["occupancy"].as_f64().map(|part| format!("{:.0} %", 100.0 * part));
        let (mut name, mut ratio) = (text_of(&rung["name"]), number(&rung["speedup"], 2));
        if let ("cublas", Some(library)) = (name.as_str(), library) {
            ratio = format!("{:.2}", library / median);
            name.push_str(words.with_library);
        }
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            name,
            duration(median),
            number(&time["gigabytes_per_second"], 0),
            number(&time["gigaflops_per_second"], 0),
            taken["registers"],
            occupancy.unwrap_or_default(),
            if ratio.is_empty() { ratio } else { format!("{ratio}x") },
        );
    }
    text.replace("| null |", "| |")
}

/// A rung: its header, the changed counts, and its file.
fn rung_section(info: &RungInfo, reason: Option<&str>, language: Language, ladder: &str) -> String {
    let words = Words::of(language);
    let Header { idea, predicts, costs } = info.header(language);
    let mut text = format!("\n### {} ({})\n\n", info.name, info.experiment);
    let reason = reason.map(|reason| told(reason, language));
    let lines = [(words.idea, idea), (words.predicts, predicts), (words.costs, costs)];
    for (label, line) in lines.into_iter().chain(reason.map(|reason| (words.before, reason))) {
        let label = punctuated(&format!("**{label}**: "), language);
        let _ = writeln!(text, "- {label}{line}");
    }
    if pictures::of_rung(ladder, info) {
        let says = format!("{}{}/{}", words.accesses, ladder, info.name);
        let _ = write!(text, "\n{}", pictures::line(&format!("{ladder}-{}", info.name), &says));
    }
    let code = info.source.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    let code: Vec<&str> = code.collect();
    let _ = writeln!(text, "\n```rs\n{}\n```", code.join("\n"));
    text
}

/// The table of experiments, from the stored runs on both devices.
fn experiments_page(results: &Path, language: Language) -> String {
    let words = Words::of(language);
    let read = |name: &str| -> Vec<Shown> {
        let text = std::fs::read_to_string(results.join(name)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    };
    let (emulated, on_gpu) = (read("emulator/experiments.json"), read("h200/experiments.json"));
    let gpu = on_gpu.first().map_or("GPU", |row| row.device.as_str());
    let mut text = format!(
        "# {}\n\n{}{}\n\n{} {gpu} |\n|---|---|---|---|---|\n",
        words.experiments,
        words.experiments_note,
        experiments_source(language),
        words.experiments_columns
    );
    for row in &emulated {
        let other = on_gpu.iter().find(|other| (&other.id, &other.what) == (&row.id, &row.what));
        let other_cell = other.map_or(String::new(), |other| experiment(&other.cell(), language));
        let command = &other.unwrap_or(row).command;
        let _ = writeln!(
            text,
            "| {} | {} | `{command}` | {} | {other_cell} |",
            row.id,
            row.what,
            experiment(&row.cell(), language)
        );
    }
    text
}

/// The page on the emulator's coverage of each instruction.
fn coverage_page(covered: &[Coverage], language: Language) -> String {
    let (title, note, columns, place) = match language {
        Language::English => (
            "Instructions",
            "This page shows, for every form of every instruction, whether the emulator's results were compared with a GPU's. \
             *Measured*: the results equal an H200's bit for bit, over every recorded vector (`lanework-lab conform` \
             repeats the comparison), and for approximate functions over every input (`lanework-lab conform \
             --exhaustive`). *Unmeasured*: implemented from the manual and tested in whole kernels, but not compared \
             form by form; this is most of control flow, synchronization and copies. *Refused*: an error that names \
             the instruction. `lanework-lab coverage --opcode NAME` lists the forms.",
            "| instruction | measured | unmeasured | refused | refused forms |",
            0,
        ),
        Language::Chinese => (
            "指令",
            "本页列出：对每条指令的每种形式，是否把模拟器的结果与 GPU 的结果比较过。*实测*：在记录的全部测试向量上与 H200 的结果逐位相同\
             （`lanework-lab conform` 重做这项比较），近似函数则在全部输入上相同（`lanework-lab conform --exhaustive`）。\
             *未实测*：按手册实现，并在完整的核函数中测试过，但没有逐个形式比较，主要是控制流、同步与拷贝指令。\
             *拒绝*：报错，并指出指令名称。`lanework-lab coverage --opcode NAME` 列出各种形式。",
            "| 指令 | 实测 | 未实测 | 拒绝 | 被拒绝的形式 |",
            1,
        ),
    };
    let mut text = format!("# {title}\n\n{note}\n");
    let mut chapter = "";
    for found in covered {
        if chapter != found.chapter[place] {
            chapter = found.chapter[place];
            let _ = writeln!(text, "\n## {chapter}\n\n{columns}\n|---|---|---|---|---|");
        }
        let [measured, unmeasured, refused] = found.counts();
        let names = some(&found.refused());
        let names = if names.is_empty() { names } else { format!("`{names}`") };
        let _ = writeln!(
            text,
            "| `{}` | {measured} | {unmeasured} | {refused} | {names} |",
            found.opcode
        );
    }
    text
}

/// The table of GPUs with its sources.
fn gpus_page(language: Language) -> String {
    let (title, [capability, multiprocessors, source]) = match language {
        Language::English => ("GPUs", ["capability", "SMs", "source"]),
        Language::Chinese => ("GPU 规格表", ["计算能力", "SM 数", "来源"]),
    };
    let mut text = format!(
        "# {title}\n\n| GPU | {capability} | {multiprocessors} | MHz | GB/s | FP32 TFLOP/s | BF16 TFLOP/s | {source} |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    for gpu in &specs().gpus {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            gpu.name,
            gpu.compute_capability,
            gpu.multiprocessors,
            gpu.clock_mhz,
            gpu.bandwidth_gb_s,
            gpu.fp32_tflops,
            gpu.bf16_tflops.map_or("-".to_owned(), |rate| rate.to_string()),
            gpu.source
        );
    }
    text
}

macro_rules! exercises {
    ($ladder:expr, $place:expr; $($name:literal)*) => {
        match ($ladder, $place) {
            $(($name, 0) => include_str!(concat!("exercises/", $name, ".en.md")),
            ($name, _) => include_str!(concat!("exercises/", $name, ".zh.md")),)*
            _ => "",
        }
    };
}

/// The exercises of a ladder, as the end of its page in English (0) or Chinese (1).
fn exercises_of(ladder: &str, place: usize) -> &'static str {
    exercises!(ladder, place; "vector-add" "sum-squares" "scan" "softmax" "layer-norm" "rms-norm" "transpose" "matvec" "matmul" "sgemm" "int-matmul" "hgemm" "tf32" "fp8" "dgemm" "attention")
}
