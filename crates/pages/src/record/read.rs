//! Records from JSON files: climbs, sweeps, profiles, timed kernels and whole reports, in any mixture.

use super::{Climb, Kernel, Profile, Report, Sweep, Timed};
use serde::de::DeserializeOwned;
use serde_json::Value;

impl Report {
    /// Adds what a JSON file holds: what `climb`, `sweep`, `profile` and `history` print, or a whole report.
    ///
    /// # Errors
    /// In words, where it is no JSON or holds nothing that a report shows.
    pub fn add_json(&mut self, text: &str) -> Result<(), String> {
        let value: Value =
            serde_json::from_str(text).map_err(|why| format!("it is not JSON: {why}"))?;
        self.add(value)
    }

    /// Adds a value, or each value of an array.
    ///
    /// # Errors
    /// In words, where it holds nothing that a report shows.
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

    /// Adds what another report holds.
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
        for one in ceilings {
            if self.ceilings.iter().all(|known| known.gpu != one.gpu) {
                self.ceilings.push(one);
            }
        }
    }
}

fn read<T: DeserializeOwned>(value: Value, what: &str) -> Result<T, String> {
    serde_json::from_value(value)
        .map_err(|why| format!("it holds a {what} that is not whole: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_commands_print_is_read_and_anything_else_is_named() {
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
        for (text, why) in [("{", "not JSON"), ("[]", "no record"), ("{\"a\": 1}", "no climb")] {
            assert!(report.add_json(text).expect_err(text).contains(why), "{text}");
        }
        let bad = r#"{"ladder": "x", "rungs": [{"name": 3}]}"#;
        assert!(report.add_json(bad).expect_err(bad).contains("not whole"));
    }
}
