//! Tables of random columns and cells, laid out at random widths: no line exceeds the width, and no
//! word is split.

use lanework_report::layout::{Cell, Column, Fit, Laid, Shown, Table, columns, lay_out};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A column and its cells, each with a shorter form.
#[derive(Clone, Debug)]
struct Drawn {
    kind: usize,
    rank: u8,
    header: (String, String),
    cells: Vec<(String, Option<String>)>,
}

/// A word, a number or a path, at most as long as the narrowest terminal is wide.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,14}",
        "[0-9]{1,3}(,[0-9]{3}){0,4}(\\.[0-9]{2})?",
        "\\([0-9]{1,4}\\)",
        "[a-z/.-]{1,58}",
        "[共享内存扇区]{1,9}",
    ]
}

fn phrase(most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..=most).prop_map(|words| words.join(" "))
}

fn cell(kind: usize) -> BoxedStrategy<(String, Option<String>)> {
    let text = match kind {
        3 => phrase(20).boxed(),
        2 => prop_oneof![Just(String::new()), "[0-9]{1,9}( \\([0-9]{1,3}\\))?"].boxed(),
        _ => {
            prop_oneof![word(), phrase(2).prop_filter("short", |text| columns(text) <= 60)].boxed()
        }
    };
    (text, prop::option::of("[0-9a-z]{1,5}")).boxed()
}

fn column(rows: usize) -> impl Strategy<Value = Drawn> {
    (0..4usize).prop_flat_map(move |kind| {
        let cells = prop::collection::vec(cell(kind), rows);
        (0..9u8, (phrase(4), "[a-z]{1,6}"), cells).prop_map(move |(rank, header, cells)| Drawn {
            kind,
            rank,
            header,
            cells,
        })
    })
}

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    (1..8usize).prop_flat_map(|rows| prop::collection::vec(column(rows), 1..14))
}

fn table(drawn: &[Drawn]) -> Table {
    let columns = drawn.iter().map(|column| {
        let header = column.header.0.as_str();
        let made = match column.kind {
            0 => Column::name(header),
            1 => Column::label(header).rank(column.rank),
            2 => Column::number(header).rank(column.rank),
            _ => Column::text(header).rank(column.rank),
        };
        made.short(column.header.1.as_str())
    });
    let mut table = Table::new(columns);
    for row in 0..drawn[0].cells.len() {
        table.row(drawn.iter().map(|column| {
            let (text, short) = &column.cells[row];
            match short {
                Some(short) => Cell::from(text.as_str()).short(short.as_str()),
                None => Cell::from(text.as_str()),
            }
        }));
    }
    table
}

/// The parts of a text that must not be split: words, and single Chinese characters.
fn parts(text: &str) -> Vec<String> {
    let words = text.split_whitespace().filter(|word| !word.chars().all(|letter| letter == '─'));
    let chinese = |letter: char| columns(letter.encode_utf8(&mut [0; 4])) == 2;
    words
        .flat_map(|word| match word.chars().any(chinese) {
            true => word.chars().map(String::from).collect(),
            false => vec![word.to_owned()],
        })
        .collect()
}

/// The contents of the table, in any of its forms.
fn all_parts(drawn: &[Drawn]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for column in drawn {
        let cells = column.cells.iter().flat_map(|(text, short)| [Some(text), short.as_ref()]);
        let headers = [Some(&column.header.0), Some(&column.header.1)];
        for text in cells.chain(headers).flatten() {
            all.extend(parts(text));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 100 } else { 2000 }))]

    #[test]
    fn no_line_is_longer_than_the_width_and_nothing_is_split(drawn in drawn(), width in 60..200usize) {
        let Laid { text, left_out } = lay_out(&table(&drawn), &Fit::width(width));
        let all = all_parts(&drawn);
        for line in text.lines() {
            prop_assert!(columns(line) <= width, "{} of {width} columns: {line}", columns(line));
            prop_assert_eq!(line.trim_end(), line);
        }
        for part in parts(&text) {
            prop_assert!(all.contains(&part), "`{}` is a part of a word\n{}", part, text);
        }
        let shown: BTreeSet<String> = parts(&text).into_iter().collect();
        for column in &drawn {
            let told = left_out.contains(&column.header.0);
            let always = column.kind == 0 || column.rank == 0;
            prop_assert!(!(always && told && drawn.iter().filter(|c| c.header.0 == column.header.0).count() == 1));
            if told || column.cells.iter().all(|(cell, _)| cell.is_empty()) {
                continue;
            }
            for (cell, short) in &column.cells {
                let has = |text: &str| parts(text).iter().all(|part| shown.contains(part));
                let short = short.as_deref().filter(|_| column.kind != 3);
                prop_assert!(has(cell) || short.is_some_and(has), "`{}` is not shown\n{}", cell, text);
            }
        }
    }

    #[test]
    fn everything_is_shown_without_a_limit_or_on_request(drawn in drawn()) {
        let all = Fit { shown: Shown::All, ..Fit::width(60) };
        for fit in [Fit::default(), all] {
            let Laid { text, left_out } = lay_out(&table(&drawn), &fit);
            prop_assert!(left_out.is_empty());
            let shown: BTreeSet<String> = parts(&text).into_iter().collect();
            for column in &drawn {
                let cells = column.cells.iter().map(|(cell, _)| cell);
                for part in cells.chain([&column.header.0]).flat_map(|text| parts(text)) {
                    prop_assert!(shown.contains(&part), "`{}` is not shown\n{}", part, text);
                }
            }
        }
    }

    #[test]
    fn a_column_that_matters_more_is_not_left_out_for_one_that_matters_less(
        drawn in drawn(),
        width in 60..160usize,
        more in 1..60usize,
    ) {
        let narrow = lay_out(&table(&drawn), &Fit::width(width)).left_out;
        let wide = lay_out(&table(&drawn), &Fit::width(width + more)).left_out;
        let best = |left_out: &[String]| {
            let out = drawn.iter().filter(|column| left_out.contains(&column.header.0));
            out.map(|column| column.rank).min().unwrap_or(u8::MAX)
        };
        prop_assert!(best(&wide) >= best(&narrow));
    }
}

/// A climb of a ladder, to be shown on terminals of several widths.
fn climb() -> Table {
    let mut table = Table::new([
        Column::name("rung"),
        Column::label("exp.").rank(8),
        Column::label("verified").rank(1),
        Column::number("sectors/load (opt)").short("s/load (opt)").rank(2),
        Column::number("bank conflicts").rank(3),
        Column::number("warp instr.").rank(4),
    ]);
    for (name, sectors, conflicts) in [("global", "16.50 (8)", "0"), ("tile-2d", "4 (4)", "86,144")]
    {
        table.row([
            Cell::from(name),
            "2.1".into(),
            Cell::from("within tolerance").short("tolerance"),
            sectors.into(),
            conflicts.into(),
            "1.250 M".into(),
        ]);
    }
    table
}

#[test]
fn headers_are_wrapped_then_shortened_then_columns_go_by_rank() {
    let wide = lay_out(&climb(), &Fit::width(100)).text;
    assert_eq!(
        wide,
        "\
rung     exp.  verified          sectors/load (opt)  bank conflicts  warp instr.
────────────────────────────────────────────────────────────────────────────────
global   2.1   within tolerance           16.50 (8)               0      1.250 M
tile-2d  2.1   within tolerance               4 (4)          86,144      1.250 M
"
    );
    let middle = lay_out(&climb(), &Fit::width(66)).text;
    assert_eq!(
        middle,
        [
            "                                 sectors/load       bank     warp",
            "rung     exp.  verified                 (opt)  conflicts   instr.",
            "─────────────────────────────────────────────────────────────────",
            "global   2.1   within tolerance     16.50 (8)          0  1.250 M",
            "tile-2d  2.1   within tolerance         4 (4)     86,144  1.250 M",
            "",
        ]
        .join("\n")
    );
    let narrow = lay_out(&climb(), &Fit::width(44));
    assert_eq!(narrow.left_out, ["exp.", "warp instr."]);
}

#[test]
fn a_row_too_long_for_its_columns_becomes_a_list() {
    let mut table = Table::new([Column::name("file"), Column::name("entry")]);
    table.row(["crates/laboratory/ladders/src/transpose/unpadded.rs", "transpose_unpadded_of_f32"]);
    assert_eq!(
        lay_out(&table, &Fit::width(60)).text,
        "\
file   crates/laboratory/ladders/src/transpose/unpadded.rs
entry  transpose_unpadded_of_f32
"
    );
}

#[test]
fn named_columns_are_shown_and_found_without_regard_to_case_and_punctuation() {
    let shown = Shown::Named(vec!["Sectors/Load(opt)".to_owned()]);
    let laid = lay_out(&climb(), &Fit { shown, ..Fit::width(60) });
    assert_eq!(laid.text.lines().next(), Some("rung     sectors/load (opt)"));
    assert!(laid.left_out.is_empty());
}
