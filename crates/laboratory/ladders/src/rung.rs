//! Rungs and ladders as data.

use lanework::{Device, Prepared, Result};

/// A kernel of a ladder that works on `P`, a problem with its buffers on a device.
#[derive(Clone, Copy)]
pub struct Rung<P> {
    /// The rung's description, independent of the problem type.
    pub info: RungInfo,
    /// Compiles the kernel for a problem; each run of the result solves the problem once.
    pub prepare: for<'a> fn(&'a mut P, &Device) -> Result<Prepared<'a>>,
}

/// A rung's name and source.
#[derive(Clone, Copy, Debug)]
pub struct RungInfo {
    /// Name, unique in its ladder.
    pub name: &'static str,
    /// The id of the experiment that it reproduces (`lanework-lab experiments` lists them), or
    /// `beyond`.
    pub experiment: &'static str,
    /// The text of its file.
    pub source: &'static str,
}

/// The header of a rung's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The idea of the rung.
    pub idea: String,
    /// The predicted counters.
    pub predicts: String,
    /// Its costs.
    pub costs: String,
}

/// A ladder's description, for listings and help.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Name on the command line.
    pub name: &'static str,
    /// The result of the computation, in one line.
    pub title: &'static str,
    /// The story of the ladder, in English and in Chinese.
    pub story: [&'static str; 2],
    /// Rungs, in the order of the ladder.
    pub rungs: Vec<RungInfo>,
}

/// A language of the rung descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// The keys of the idea, the prediction and the costs in a rung's file.
    fn keys(self) -> [&'static str; 3] {
        match self {
            Language::English => ["Idea:", "Predicts:", "Costs:"],
            Language::Chinese => ["思路：", "预测：", "代价："],
        }
    }
}

impl RungInfo {
    /// The header in a language, read from the `//!` lines at the top of the rung's file.
    pub fn header(&self, language: Language) -> Header {
        let all = [Language::English.keys(), Language::Chinese.keys()].concat();
        let mut fields = [const { String::new() }; 3];
        let mut open = None;
        for line in self.source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim) {
            let key = all.iter().find(|key| line.starts_with(**key)).copied();
            open = key.or(open).filter(|_| !line.is_empty());
            let field = open.and_then(|key| language.keys().iter().position(|own| *own == key));
            let Some(field) = field else { continue };
            let text = key.and_then(|key| line.strip_prefix(key)).unwrap_or(line).trim();
            if !fields[field].is_empty() && language == Language::English {
                fields[field].push(' ');
            }
            fields[field].push_str(text);
        }
        let [idea, predicts, costs] = fields;
        Header { idea, predicts, costs }
    }
}

/// Declares a ladder: its name, its folder and its title, then `rungs()` with a row for each rung in the order of the
/// ladder: name, module, experiment (without one, the rung is `beyond` the course), and the fields that this ladder's
/// rungs have in addition.
macro_rules! ladder {
    (
        $name:literal in $folder:literal: $title:literal;
        $visibility:vis fn rungs$(<$element:ident: $bound:path>)?() -> [$rung:ident$(<$problem:ty>)?];
        $($rung_name:literal $module:ident $($experiment:ident)? $({ $($field:ident: $value:expr),* })?;)*
    ) => {
        /// The rungs, in the order of the ladder.
        $visibility fn rungs$(<$element: $bound>)?() -> Vec<$rung$(<$problem>)?> {
            vec![$($rung {
                info: $crate::rung::info!($folder, $rung_name, $module $($experiment)?),
                prepare: $module::prepare,
                $($($field: $value,)*)?
            }),*]
        }

        /// The ladder's description, for listings.
        pub fn ladder() -> $crate::Ladder {
            $crate::Ladder {
                name: $name,
                title: $title,
                story: [
                    include_str!(concat!($folder, "/story.en.md")),
                    include_str!(concat!($folder, "/story.zh.md")),
                ],
                rungs: vec![$($crate::rung::info!($folder, $rung_name, $module $($experiment)?)),*],
            }
        }
    };
}

/// The [`RungInfo`] of a row of [`ladder!`].
macro_rules! info {
    ($folder:literal, $name:literal, $module:ident) => {
        $crate::rung::info!($folder, $name, $module beyond)
    };
    ($folder:literal, $name:literal, $module:ident $experiment:ident) => {
        $crate::RungInfo {
            name: $name,
            experiment: stringify!($experiment),
            source: include_str!(concat!($folder, "/", stringify!($module), ".rs")),
        }
    };
}

pub(crate) use {info, ladder};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_in_both_languages() {
        let source = "//! Rung.\n//!\n//! Idea: one\n//! two.\n//! 思路：一\n//! 二。\n//! Predicts: three.\n\
                      //! 预测：三。\n//!\n//! More.\n\nuse x;\n";
        let info = RungInfo { name: "r", experiment: "beyond", source };
        let english = info.header(Language::English);
        assert_eq!((english.idea.as_str(), english.predicts.as_str()), ("one two.", "three."));
        let chinese = info.header(Language::Chinese);
        assert_eq!((chinese.idea.as_str(), chinese.predicts.as_str()), ("一二。", "三。"));
    }

    #[test]
    fn every_rung_states_idea_prediction_and_cost_in_both_languages() {
        for ladder in crate::ladders().into_iter().chain([crate::multi_gpu::ladder()]) {
            for rung in &ladder.rungs {
                for language in [Language::English, Language::Chinese] {
                    let Header { idea, predicts, costs } = rung.header(language);
                    let said = [idea, predicts, costs].iter().all(|text| !text.is_empty());
                    assert!(said, "{}/{} lacks a field in {language:?}", ladder.name, rung.name);
                }
            }
        }
    }
}
