//! The pictures of the documentation, drawn from the kernels, the machine's rules and the stored results, once for each
//! language: `pictures/NAME.svg` in the folder of the pages.

mod access;
mod execution;
mod roofline;
mod trees;
mod wording;

use super::words::LANGUAGES;
use lanework::Result;
use lanework_ladders::RungInfo;
use std::path::Path;
use wording::Words;

/// A picture's name and its description, for readers who cannot see it.
pub struct Shown {
    /// The file's name without `.svg`.
    pub name: &'static str,
    /// Its description in English and Chinese.
    pub says: [&'static str; 2],
}

/// The pictures after the story of a ladder.
pub fn of_ladder(ladder: &str) -> &'static [Shown] {
    match ladder {
        "vector-add" => &[Shown {
            name: "coalescing",
            says: [
                "The sectors of a warp's load of neighboring floats, of every other float and of distant ones",
                "一个 warp 读取相邻的、每隔一个的和相距很远的 float 时访问的扇区",
            ],
        }],
        "sum-squares" => &[Shown {
            name: "reduction-trees",
            says: [
                "Three reduction trees: which threads add which partial sums in each step",
                "三种归约树：每一步由哪些线程把哪些部分和相加",
            ],
        }],
        "transpose" => &[Shown {
            name: "banks",
            says: [
                "A column of a tile is in one bank with 32 columns and in 32 banks with 33",
                "tile 有 32 列时，一列落在同一个 bank 里；有 33 列时，一列分布在 32 个 bank 里",
            ],
        }],
        "matmul" | "int-matmul" => &[Shown {
            name: "tiles",
            says: [
                "A tile of C is the sum of products of tiles along a row of A and a column of B",
                "C 的一个 tile 是 A 的一行 tile 与 B 的一列 tile 乘积之和",
            ],
        }],
        "sgemm" => &[
            Shown {
                name: "tiles",
                says: [
                    "A tile of C is the sum of products of tiles along a row of A and a column of B",
                    "C 的一个 tile 是 A 的一行 tile 与 B 的一列 tile 乘积之和",
                ],
            },
            Shown {
                name: "roofline",
                says: [
                    "The roofline of an H200 with the measured rungs of four ladders",
                    "H200 的 roofline，以及四个阶梯各级的实测值",
                ],
            },
        ],
        _ => &[],
    }
}

/// Whether the rung has a picture of its accesses, `LADDER-RUNG`.
pub fn of_rung(ladder: &str, rung: &RungInfo) -> bool {
    ladder == access::TRACED && rung.name != "cublas"
}

/// The line of Markdown that shows a picture on a page.
pub fn line(name: &str, says: &str) -> String {
    format!("![{says}](pictures/{name}.svg)\n")
}

/// All pictures.
///
/// # Errors
/// If a rung cannot be traced on the emulator.
pub fn pictures(results: &Path) -> Result<Vec<(String, String)>> {
    let rungs = access::traced()?;
    let mut pages = Vec::new();
    for (language, folder, _) in LANGUAGES {
        let words = Words(language);
        let mut add = |name: &str, drawn: String| {
            pages.push((format!("{folder}/pictures/{name}.svg"), drawn));
        };
        add("threads", execution::threads(words));
        add("divergence", execution::divergence(words));
        add("pipeline", execution::pipeline(words));
        add("shuffles", trees::shuffles(words));
        add("reduction-trees", trees::reductions(words));
        add("tiles", execution::tiles(words));
        add("coalescing", access::coalescing(words));
        add("banks", access::banks(words));
        add("roofline", roofline::roofline(results, words));
        for (rung, touches) in &rungs {
            add(&format!("{}-{rung}", access::TRACED), access::rung(rung, touches, words));
        }
    }
    Ok(pages)
}
