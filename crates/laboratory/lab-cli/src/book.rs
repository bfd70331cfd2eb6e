//! `lanework-lab book`: writes the generated pages of the documentation. The page on counter accuracy is made here,
//! from the recorded counts of a GPU and a run of the same launches on the emulator.

mod pages;
mod pictures;
mod words;

use crate::args::BookArgs;
use crate::fidelity::compare;
use lanework_lab::{Deviation, Hardware};
use lanework_ladders::Language;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::print;
use lanework_terminal::progress::Progress;
use std::fmt::Write;
use words::told;

/// Writes every generated page, or with `--check` lists the pages that are out of date.
///
/// # Errors
/// If a page cannot be written; with `--check`, when one is out of date.
pub fn run(args: &BookArgs) -> Outcome {
    let pages = {
        let _progress = Progress::new("climbing every ladder");
        let mut all = pages::pages(&args.results)?;
        all.extend(fidelity_pages()?);
        all
    };
    let mut stale = Vec::new();
    for (path, text) in &pages {
        let place = args.output.join(path);
        let unwritable = |error: std::io::Error| {
            let help = "choose a folder that you may write to";
            Failure::input(format_args!("{} cannot be written: {error}", place.display()), help)
        };
        if std::fs::read_to_string(&place).is_ok_and(|there| there == *text) {
            continue;
        }
        stale.push(path.as_str());
        if !args.check {
            let folder = place.parent().unwrap_or(&args.output);
            std::fs::create_dir_all(folder).map_err(unwritable)?;
            std::fs::write(&place, text).map_err(unwritable)?;
        }
    }
    match (args.check, stale.is_empty()) {
        (true, false) => Err(Failure::Check(format!(
            "{} pages are out of date: {}\n  = help: run `lanework-lab book`",
            stale.len(),
            stale.join(", ")
        ))),
        _ => print(&format!("{} pages, {} of them changed\n", pages.len(), stale.len())),
    }
}

/// Kinds of launches: the prefix of their names, and the name of the kind in both languages.
const KINDS: [(&str, [&str; 2]); 3] = [
    ("sweep/", ["sweep", "参数扫描"]),
    ("probe/", ["probes", "探针"]),
    ("", ["ladders and compiled kernels", "阶梯与编译器生成的核函数"]),
];

/// The words of the page.
struct FidelityWords {
    title: &'static str,
    intro: &'static str,
    table: &'static str,
    uncounted: &'static str,
    others: &'static str,
    others_table: &'static str,
    unknown: &'static str,
}

const ENGLISH: FidelityWords = FidelityWords {
    title: "Counter accuracy",
    intro: "The emulator and an H200's hardware counters, read with Nsight Compute, counted the same launches. \
            The launches are every rung on a regular problem, many rungs on an irregular one, kernels compiled \
            by nvcc, NVRTC, Triton and Numba, and two sets of test kernels (*probes* and a *sweep*) that repeat \
            one memory instruction on one address pattern. `scripts/fidelity.sh` records the GPU's counts; \
            `lanework-lab fidelity` compares. Instructions are not compared, because a GPU runs ptxas's \
            translation of the PTX.",
    table: "| counter | compared | within 1 % | share |\n|---|---|---|---|",
    uncounted: "Not compared, because the GPU has not counted this version of the kernel: ",
    others: "Differences above 1 %, with reasons",
    others_table: "| launch | counter | emulator | H200 | error | reason |\n|---|---|---|---|---|---|",
    unknown: "not known",
};

const CHINESE: FidelityWords = FidelityWords {
    title: "计数的准确度",
    intro: "模拟器和 H200 的硬件计数器（用 Nsight Compute 读取）对同样的启动计数，包括：每一级在一个规整问题上的启动，许多级在一个不规整问题上的启动，\
            由 nvcc、NVRTC、Triton 和 Numba 编译的核函数，以及以一种地址模式重复一条访存指令的探针（probe）和参数扫描（sweep）。\
            `scripts/fidelity.sh` 记录 GPU 的计数，`lanework-lab fidelity` 作比较。指令数不作比较，因为 GPU 执行的是 ptxas 从 PTX 翻译出的代码。",
    table: "| 计数器 | 比较数 | 误差在 1 % 以内 | 比例 |\n|---|---|---|---|",
    uncounted: "以下没有比较，因为 GPU 还没有对核函数的这一版本计数：",
    others: "误差超过 1 % 的计数及其原因",
    others_table: "| 启动 | 计数器 | 模拟器 | H200 | 误差 | 原因 |\n|---|---|---|---|---|---|",
    unknown: "未知",
};

/// The page in both languages.
///
/// # Errors
/// If a launch fails.
fn fidelity_pages() -> Result<Vec<(String, String)>, Failure> {
    let (deviations, uncounted) = compare(&Hardware::recorded(), None, "")?;
    let page = |language, folder: &str| {
        (format!("{folder}/fidelity.md"), fidelity_page(&deviations, &uncounted, language))
    };
    Ok(vec![page(Language::English, "en"), page(Language::Chinese, "zh")])
}

fn fidelity_page(deviations: &[Deviation], uncounted: &[String], language: Language) -> String {
    let (words, place) = match language {
        Language::English => (&ENGLISH, 0),
        Language::Chinese => (&CHINESE, 1),
    };
    let mut text = format!("# {}\n\n{}\n\n{}\n", words.title, words.intro, words.table);
    let mut names: Vec<&str> = Vec::new();
    for one in deviations {
        if !names.contains(&one.counter) {
            names.push(one.counter);
        }
    }
    let row = |name: &str, those: &[&Deviation]| {
        let within = those.iter().filter(|one| one.within_a_hundredth()).count();
        let share = 100.0 * within as f64 / those.len().max(1) as f64;
        format!("| {name} | {} | {within} | {share:.1} % |\n", those.len())
    };
    for name in names {
        let those: Vec<&Deviation> = deviations.iter().filter(|one| one.counter == name).collect();
        text.push_str(&row(&told(name, language), &those));
    }
    let kind = |one: &Deviation| KINDS.iter().position(|(start, _)| one.launch.starts_with(start));
    for (index, (_, name)) in KINDS.iter().enumerate().rev() {
        let those: Vec<&Deviation> =
            deviations.iter().filter(|one| kind(one) == Some(index)).collect();
        text.push_str(&row(&format!("**{}**", name[place]), &those));
    }
    let uncounted: Vec<String> = uncounted.iter().map(|name| format!("`{name}`")).collect();
    if !uncounted.is_empty() {
        let _ = writeln!(text, "\n{}{}", words.uncounted, uncounted.join(", "));
    }
    let _ = writeln!(text, "\n## {}\n\n{}", words.others, words.others_table);
    for one in deviations.iter().filter(|one| !one.within_a_hundredth()) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            one.launch,
            told(one.counter, language),
            one.emulated,
            one.measured,
            one.error.map_or(String::new(), |error| format!("{:+.1} %", 100.0 * error)),
            one.explanation().map_or(words.unknown.to_owned(), |why| told(why, language))
        );
    }
    text
}
