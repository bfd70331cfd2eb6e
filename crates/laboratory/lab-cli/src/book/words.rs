//! The words of the generated pages and their pictures, in English and in Chinese.

use lanework_ladders::Language;
use lanework_terminal::words::chinese;

/// Both languages, the folder of each, and its place in a ladder's story.
pub const LANGUAGES: [(Language, &str, usize); 2] =
    [(Language::English, "en", 0), (Language::Chinese, "zh", 1)];

/// The words of the pages in one language.
pub struct Words {
    /// Heading of the rungs.
    pub rungs: &'static str,
    /// Heading of the counts.
    pub counted: &'static str,
    /// Columns of the counts.
    pub columns: &'static str,
    /// Heading of the times.
    pub timed: &'static str,
    /// Columns of the times.
    pub timed_columns: &'static str,
    /// After the name of the vendor's row, which is compared with the rung `library`.
    pub with_library: &'static str,
    /// After the name of a rung that ran the kernel of `RUNG`.
    pub same: &'static str,
    /// Label of a rung's idea.
    pub idea: &'static str,
    /// Label of its prediction.
    pub predicts: &'static str,
    /// Label of its costs.
    pub costs: &'static str,
    /// Label of the changes since the previous rung.
    pub before: &'static str,
    /// The alternative text of a rung's picture, before its name.
    pub accesses: &'static str,
    /// Heading of the command.
    pub try_it: &'static str,
    /// Title of the experiments.
    pub experiments: &'static str,
    /// Note above the table of experiments.
    pub experiments_note: &'static str,
    /// Columns of the experiments, before the GPU's.
    pub experiments_columns: &'static str,
}

const ENGLISH: Words = Words {
    rungs: "The rungs",
    counted: "Counted by the emulator",
    columns: "| rung | experiment | sectors per load | sectors per store | bank conflicts | warp instructions | \
              per warp | active lanes | registers | occupancy |",
    timed: "Measured on an H200",
    timed_columns: "| rung | median | GB/s | GFLOP/s | registers | occupancy | vs the previous rung |",
    with_library: " (compared with `library`)",
    same: " (ran `RUNG`)",
    idea: "Idea",
    predicts: "Predicts",
    costs: "Costs",
    before: "Compared with the previous rung",
    accesses: "The sectors and banks that a warp accesses: ",
    try_it: "Try it",
    experiments: "Experiments",
    experiments_note: "Each row is one command, run as shown; on the emulator, some problems are smaller. \
                       `lanework-lab experiments --run` generates this table. ",
    experiments_columns: "| id | | command | emulator |",
};

const CHINESE: Words = Words {
    rungs: "各级核函数",
    counted: "模拟器的计数",
    columns: "| 级 | 实验 | 每次加载的扇区 | 每次存储的扇区 | bank 冲突 | warp 指令 | 每个 warp | 活跃 lane | \
              寄存器 | 占用率 |",
    timed: "在 H200 上的实测",
    timed_columns: "| 级 | 中位数 | GB/s | GFLOP/s | 寄存器 | 占用率 | 相对前一级 |",
    with_library: "（与 `library` 相比）",
    same: "（运行了 `RUNG`）",
    idea: "思路",
    predicts: "预测",
    costs: "代价",
    before: "与前一级相比",
    accesses: "一个 warp 访问的扇区与 bank：",
    try_it: "试一试",
    experiments: "实验",
    experiments_note: "每一行是一条命令，按所示原样运行；在模拟器上，有些问题的规模较小。本表由 `lanework-lab experiments --run` 生成。",
    experiments_columns: "| 编号 | | 命令 | 模拟器 |",
};

impl Words {
    /// The words in a language.
    pub fn of(language: Language) -> &'static Words {
        match language {
            Language::English => &ENGLISH,
            Language::Chinese => &CHINESE,
        }
    }
}

/// A heading or a label with the punctuation of the language of the page.
pub fn punctuated(text: &str, language: Language) -> String {
    let marks: &[(&str, &str)] = match language {
        Language::English => &[],
        Language::Chinese => &[(" (", "（"), (")", "）"), ("; ", "；"), (", ", "，"), (": ", "：")],
    };
    marks.iter().fold(text.to_owned(), |text, (mark, chinese)| text.replace(*mark, chinese))
}

/// A line that the laboratory composed in English, in the language of the page.
pub fn told(line: &str, language: Language) -> String {
    match language {
        Language::English => line.to_owned(),
        Language::Chinese => chinese(line),
    }
}

/// A cell of the experiments, in the language of the page.
pub fn experiment(cell: &str, language: Language) -> String {
    let figure = match (language, cell.strip_prefix("verified: ")) {
        (Language::English, _) => return cell.to_owned(),
        (Language::Chinese, None) => return chinese(cell),
        (Language::Chinese, Some(figure)) => figure,
    };
    let mut text = chinese(figure);
    if text == figure {
        text = figure.split("; ").map(point).collect::<Vec<_>>().join("；");
    }
    format!("已验证：{text}")
}

/// The figures of a point in Chinese: its tile or block, its size, and what was counted or measured.
fn point(text: &str) -> String {
    let (place, figures) = match text.split_once(": ") {
        None => (String::new(), text),
        Some((place, figures)) => match place.split_once(" at ") {
            None => (format!("规模 {place}："), figures),
            Some((edge, size)) => (format!("边长 {edge}，规模 {size}："), figures),
        },
    };
    let figures: Vec<String> = figures.split(", ").map(quantity).collect();
    place + &figures.join("，")
}

/// A number and its unit in Chinese.
fn quantity(text: &str) -> String {
    const UNITS: [(&str, &str); 7] = [
        (" device", " 个设备"),
        (" devices", " 个设备"),
        (" sectors", " 个扇区"),
        (" conflicts", " 次冲突"),
        (" instr.", " 条指令"),
        (" registers", " 个寄存器"),
        (" B spilled", " B 溢出"),
    ];
    if let Some(percent) = text.strip_suffix(" % occupied") {
        return format!("占用率 {percent} %");
    }
    let unit = UNITS.iter().find_map(|(english, unit)| Some((text.strip_suffix(*english)?, *unit)));
    unit.map_or(text.to_owned(), |(number, unit)| format!("{number}{unit}"))
}

/// Chooses between an English and a Chinese label of a picture.
#[derive(Clone, Copy)]
pub struct PictureWords(pub Language);

impl PictureWords {
    /// The words of this language.
    pub fn of<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self.0 {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::experiment;
    use lanework_ladders::Language;

    #[test]
    fn cells_of_the_experiments_table_are_translated() {
        let cases = [
            ("verified: 1 device", "已验证：1 个设备"),
            ("verified: 2 devices", "已验证：2 个设备"),
            ("verified: 16.78 us, 250 GB/s", "已验证：16.78 us，250 GB/s"),
            (
                "verified: 1 at 128: 2.0 / 4.0 sectors, 0 conflicts, 7.340 M instr., 24 registers, \
                 0 B spilled, 75 % occupied; 512: 9 ms",
                "已验证：边长 1，规模 128：2.0 / 4.0 个扇区，0 次冲突，7.340 M 条指令，24 个寄存器，\
                 0 B 溢出，占用率 75 %；规模 512：9 ms",
            ),
            ("verified: the same result; time is not modeled", "已验证：结果相同；不对时间建模"),
            ("skipped: cuBLAS runs on GPUs only", "已跳过：cuBLAS 只能在 GPU 上运行"),
        ];
        for (cell, told) in cases {
            assert_eq!(experiment(cell, Language::Chinese), told);
            assert_eq!(experiment(cell, Language::English), cell);
        }
    }
}
