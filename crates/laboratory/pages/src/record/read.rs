//! Reads records from JSON files: climbs, sweeps, profiles, timed kernels and whole reports, in any mixture.

use super::{Ceilings, Climb, Device, Kernel, Profile, Report, Sweep, Timed};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

impl Report {
    /// Adds the contents of a JSON file: output of `climb`, `sweep`, `profile` and `history`, or a whole report.
    ///
    /// # Errors
    /// A message, if the text is not JSON or contains no reportable data.
    pub fn add_json(&mut self, text: &str) -> Result<(), String> {
        let value: Value =
            serde_json::from_str(text).map_err(|why| format!("it is not JSON: {why}"))?;
        self.add(value)
    }

    /// Adds a value, or each value of an array.
    ///
    /// # Errors
    /// A message, if the value contains no reportable data.
    pub fn add(&mut self, value: Value) -> Result<(), String> {
        if let Value::Array(values) = value {
            if values.is_empty() {
                return Err("it holds no record".to_owned());
            }
            return values.into_iter().try_for_each(|value| self.add(value));
        }
        let has = |key: &str| value.get(key).is_some();
        if has("climbs") || has("kernels") {
            let other: Report = read(value, "report")?;
            self.merge(other);
        } else if has("ceilings") && has("kind") {
            self.add_ceilings(Ceilings::from(read::<Roofline>(value, "roofline")?));
        } else if has("at") && has("entries") {
            self.add_run(read::<Run>(value, "stored run")?)?;
        } else if has("points") && has("ladder") {
            self.sweeps.push(read::<Sweep>(value, "sweep")?);
        } else if has("rungs") && has("ladder") {
            self.climbs.push(read::<Climb>(value, "climb")?);
        } else if has("subject") && has("samples") {
            self.timed.push(read::<Timed>(value, "timed kernel")?);
        } else if has("lines") && has("counters") {
            let name = value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let profile: Profile = read(value, "profile")?;
            let (ladder, name) = match name.split_once('/') {
                Some((ladder, name)) => (ladder.to_owned(), name.to_owned()),
                None if name.is_empty() => (String::new(), profile.kernel.clone()),
                None => (String::new(), name),
            };
            self.kernels.push(Kernel { ladder, name, profile: Some(profile), ..Kernel::default() });
        } else {
            return Err("it holds no climb, sweep, profile, timed kernel or report".to_owned());
        }
        Ok(())
    }

    /// Adds the ceilings of a GPU; measured ones replace nominal ones.
    pub fn add_ceilings(&mut self, new: Ceilings) {
        match self.ceilings.iter_mut().find(|known| known.gpu == new.gpu) {
            Some(known) if known.measured_copy.is_none() => *known = new,
            Some(_) => {}
            None => self.ceilings.push(new),
        }
    }

    /// Adds a stored run: a sweep or a climb, and separately timed kernels.
    fn add_run(&mut self, run: Run) -> Result<(), String> {
        let climbs = run.at.into_iter().filter(|point| point.record.get("rungs").is_some());
        let climbs = climbs.map(|point| read::<Climb>(point.record, "climb"));
        let climbs = climbs.collect::<Result<Vec<_>, _>>()?;
        match climbs.first() {
            Some(first) if run.kind == "sweep" => {
                let (ladder, device) = (first.ladder.clone(), first.device.clone());
                self.sweeps.push(Sweep { ladder, device, points: climbs });
            }
            _ => self.climbs.extend(climbs),
        }
        for entry in run.entries {
            if entry.timed.is_object() {
                self.timed.push(read::<Timed>(entry.timed, "timed kernel")?);
            }
        }
        Ok(())
    }

    /// Adds the contents of another report.
    pub fn merge(&mut self, other: Report) {
        let Report { taken, version, chinese, stories, climbs, sweeps, kernels, timed, ceilings } =
            other;
        if self.taken.is_empty() {
            (self.taken, self.version) = (taken, version);
        }
        self.chinese |= chinese;
        let new = |known: &[super::Story], name: &str| known.iter().all(|story| story.name != name);
        for story in stories {
            if new(&self.stories, &story.name) {
                self.stories.push(story);
            }
        }
        self.climbs.extend(climbs);
        self.sweeps.extend(sweeps);
        self.kernels.extend(kernels);
        self.timed.extend(timed);
        ceilings.into_iter().for_each(|one| self.add_ceilings(one));
    }
}

/// A roofline, as printed by `roofline --json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Roofline {
    kind: String,
    gpu: String,
    device: Device,
    source: String,
    ceilings: Vec<OfRoofline>,
}

/// One of its ceilings.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OfRoofline {
    ceiling: String,
    nominal: Option<f64>,
    measured: Option<f64>,
}

impl From<Roofline> for Ceilings {
    fn from(record: Roofline) -> Self {
        let of = |name: &str| record.ceilings.iter().find(|one| one.ceiling == name);
        let nominal = |name: &str| of(name)?.nominal;
        let measured = |name: &str| of(name)?.measured;
        let best = |of: &dyn Fn(&str) -> Option<f64>| {
            ["mma", "wgmma"].into_iter().filter_map(of).reduce(f64::max)
        };
        Ceilings {
            gpu: if record.kind == "measured" { record.device.name } else { record.gpu },
            bandwidth: nominal("copy").unwrap_or_default(),
            fp32: nominal("fp32").unwrap_or_default(),
            tensor: best(&nominal),
            measured_copy: measured("copy"),
            measured_read: measured("read"),
            measured_fp32: measured("fp32"),
            measured_tensor: best(&measured),
            source: record.source,
        }
    }
}

/// A stored run, as printed by `history export --format json`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Run {
    kind: String,
    at: Vec<At>,
    entries: Vec<Entry>,
}

/// A point of a run.
#[derive(Default, Deserialize)]
#[serde(default)]
struct At {
    record: Value,
}

/// A kernel of a run.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    timed: Value,
}

fn read<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, String> {
    serde_json::from_value(value)
        .map_err(|why| format!("it holds a {what} that is not whole: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_output_is_read_and_other_json_is_refused() {
        let mut report = Report::default();
        let climb = r#"{"ladder": "transpose", "device": {"name": "H200", "backend": "cuda", "driver": "1"},
            "size": [4], "extents": ["size"], "block": 32, "rungs": [{"name": "naive", "verified": true}]}"#;
        report.add_json(&format!("[{climb}]")).expect("a climb");
        assert_eq!((report.climbs.len(), report.climbs[0].number("block")), (1, Some(32)));
        assert!(report.climbs[0].timed());
        let sweep = format!(r#"{{"ladder": "transpose", "device": {{}}, "points": [{climb}]}}"#);
        report.add_json(&sweep).expect("a sweep");
        assert_eq!(report.sweeps[0].points.len(), 1);
        let again = serde_json::to_string(&report).expect("JSON");
        let mut other = Report::default();
        other.add_json(&again).expect("a report");
        assert_eq!((other.climbs.len(), other.sweeps.len()), (1, 1));
        let run = format!(
            r#"{{"id": 1, "kind": "sweep", "at": [{{"record": {climb}}}, {{"record": null}}],
            "entries": [{{"timed": {{"samples": [], "subject": {{"name": "k"}}}}}}, {{"timed": null}}]}}"#
        );
        report.add_json(&run).expect("a stored run");
        assert_eq!(
            (report.sweeps.len(), report.sweeps[1].points.len(), report.timed.len()),
            (2, 1, 1)
        );
        report.add_ceilings(Ceilings {
            gpu: "NVIDIA H200".to_owned(),
            bandwidth: 1.0,
            ..Ceilings::default()
        });
        report
            .add_json(
                r#"{"kind": "measured", "gpu": "H200", "device": {"name": "NVIDIA H200"}, "points": [], "ceilings": [
                {"ceiling": "copy", "nominal": 4800.0, "measured": 4100.0}, {"ceiling": "fp32", "nominal": 66900.0, "measured": null},
                {"ceiling": "mma", "nominal": 989400.0, "measured": 600000.0}, {"ceiling": "wgmma", "nominal": 989400.0, "measured": 700000.0}]}"#,
            )
            .expect("a roofline");
        let found = report.ceilings_of("NVIDIA H200").expect("ceilings");
        assert_eq!(
            (found.bandwidth, found.measured_copy, found.measured_tensor),
            (4800.0, Some(4100.0), Some(700_000.0))
        );
        for (text, why) in [("{", "not JSON"), ("[]", "no record"), ("{\"a\": 1}", "no climb")] {
            assert!(report.add_json(text).expect_err(text).contains(why), "{text}");
        }
        let bad = r#"{"ladder": "x", "rungs": [{"name": 3}]}"#;
        assert!(report.add_json(bad).expect_err(bad).contains("not whole"));
    }
}
