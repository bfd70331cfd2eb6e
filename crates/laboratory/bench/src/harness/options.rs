//! The options of a benchmark's command line: `cargo bench -- --cache hot --json`.

use crate::record::Cache;
use std::time::Duration;

/// The options of the command line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    /// States of the cache to time in.
    pub caches: Vec<Cache>,
    /// Longest time of sampling.
    pub limit: Duration,
    /// Print records as JSON, one a line.
    pub json: bool,
    /// The device, as `Device::open` takes it.
    pub device: String,
    /// Filter: if not empty, the benchmark's name must contain one of these words.
    pub only: Vec<String>,
}

/// The output of `--help`.
pub(crate) const HELP: &str = "\
Options, after `cargo bench --`:
  --cache cold|hot|both   what the cache holds when the kernel starts [default: cold]
  --time-limit SECONDS    longest time of sampling [default: 15]
  --device DEVICE         best, emulator or cuda:N [default: best]
  --json                  print one JSON object a line
  NAME                    only benchmarks whose name holds this
";

impl Options {
    /// Reads the words after the program's name.
    ///
    /// # Errors
    /// If a word is not an option, or an option does not accept its value.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            caches: vec![Cache::Cold],
            limit: Duration::from_secs(15),
            json: false,
            device: "best".to_owned(),
            only: Vec::new(),
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} takes a value"));
            match word.as_str() {
                "--bench" => {} // added by cargo
                "--json" => options.json = true,
                "--device" => options.device = value()?,
                "--cache" => {
                    options.caches = match value()?.as_str() {
                        "cold" => vec![Cache::Cold],
                        "hot" => vec![Cache::Hot],
                        "both" => vec![Cache::Cold, Cache::Hot],
                        other => return Err(format!("--cache {other}: give cold, hot or both")),
                    }
                }
                "--time-limit" => {
                    let text = value()?;
                    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
                    let limit =
                        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                    options.limit = limit.ok_or(format!("--time-limit {text}: give seconds"))?;
                }
                other if other.starts_with('-') => {
                    return Err(format!("{other} is not an option\n\n{HELP}"));
                }
                _ => options.only.push(word),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_parsed_and_unknown_ones_refused() {
        let options = parse("--bench --cache both --time-limit 2.5 saxpy --json").expect("options");
        assert_eq!(options.caches, [Cache::Cold, Cache::Hot]);
        assert_eq!((options.limit.as_millis(), options.json), (2500, true));
        assert_eq!(options.only, ["saxpy"]);
        for bad in ["--cache warm", "--cache", "--time-limit -1", "--time-limit 1e300", "--fast"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
