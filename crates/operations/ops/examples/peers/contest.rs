//! Times our operation and a peer alternately (A B B A) in this process, on the same problem and after verifying both.

use crate::library::Peers;
use crate::row::{Outcome, Problem, Row};
use lanework::{Device, Job, Result, VendorCall};
use lanework_bench::{About, Plan, Reset, TimedRecord, Verified, compare, measure, reset};
use lanework_ops::Plan as Prepared;
use std::fs::File;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

/// Settings shared by all contests.
pub struct Arena {
    pub device: Device,
    pub peers: Rc<Peers>,
    /// Time limit of sampling per contest.
    pub limit: Duration,
    /// Run only contests whose title contains one of these words; if empty, run all.
    pub only: Vec<String>,
    /// Verify without timing.
    pub untimed: bool,
    pub rows: Vec<Row>,
    /// Receives one line of JSON per contest.
    pub json: Option<File>,
}

impl Arena {
    /// Runs a contest: `setup` makes the buffers of a problem, `ours` and `peer` compute it, and `verify` checks the
    /// result of a run.
    pub fn contest<S>(
        &mut self,
        problem: Problem,
        setup: impl Fn(&Device) -> Result<S>,
        ours: impl for<'s> Fn(&'s mut S) -> Result<Prepared<'s>>,
        peer: impl for<'s> Fn(&'s mut S, &Rc<Peers>) -> Result<Box<dyn FnMut() -> Result<()> + 's>>,
        verify: impl Fn(&S) -> Result<(), String>,
    ) {
        if !self.wants(problem.group, &problem.title) {
            return;
        }
        let outcome = self
            .decide(&problem, &setup, &ours, &peer, &verify)
            .unwrap_or_else(|why| Outcome::Failed(why.to_string()));
        self.add(Row { problem, outcome });
    }

    /// Whether the command line selects this problem. Call it before creating large host inputs.
    pub fn wants(&self, group: &str, title: &str) -> bool {
        let named = |word: &String| title.contains(word.as_str()) || group == word;
        self.only.is_empty() || self.only.iter().any(named)
    }

    /// Prints and keeps a row.
    fn add(&mut self, row: Row) {
        eprintln!("{}", crate::table::line(&row));
        if let Some(file) = &mut self.json
            && let Err(why) = writeln!(file, "{}", crate::table::json(&row))
        {
            eprintln!("error: a line of JSON cannot be written: {why}");
        }
        self.rows.push(row);
    }

    /// Times only our operation, against peer times measured elsewhere; adds one row per peer (name, nanoseconds).
    pub fn beside<S>(
        &mut self,
        problem: Problem,
        peers: &[(&'static str, f64)],
        setup: impl Fn(&Device) -> Result<S>,
        ours: impl for<'s> Fn(&'s mut S) -> Result<Prepared<'s>>,
        verify: impl Fn(&S) -> Result<(), String>,
    ) {
        if !self.wants(problem.group, &problem.title) {
            return;
        }
        let timed = self.alone(&problem, &setup, &ours, &verify).map_err(|why| why.to_string());
        for &(peer, time) in peers {
            let outcome = match &timed {
                Ok(Some(record)) => Outcome::Beside(Box::new(record.clone()), time),
                Ok(None) => Outcome::Verified,
                Err(why) => Outcome::Failed(why.clone()),
            };
            self.add(Row { problem: Problem { peer, ..problem.clone() }, outcome });
        }
    }

    fn alone<S>(
        &self,
        problem: &Problem,
        setup: &impl Fn(&Device) -> Result<S>,
        ours: &impl for<'s> Fn(&'s mut S) -> Result<Prepared<'s>>,
        verify: &impl Fn(&S) -> Result<(), String>,
    ) -> Result<Option<TimedRecord>, Box<dyn std::error::Error>> {
        let device = &self.device;
        let mut state = setup(device)?;
        ours(&mut state)?.launch()?;
        device.synchronize()?;
        verify(&state)?;
        if self.untimed {
            return Ok(None);
        }
        let about =
            self.about(problem, reset(problem.cache, problem.work.bytes, device), "lanework-ops");
        let mut states = vec![state];
        while states.len() < about.reset.copies() as usize {
            states.push(setup(device)?);
        }
        let mut jobs = Vec::new();
        for state in &mut states {
            jobs.push(ours(state)?.into_job("lanework-ops"));
        }
        let record = measure(device, jobs, &about, &self.plan(), &mut |_, _| {})?;
        verify(&states[0]).map_err(|why| format!("after timing: {why}"))?;
        Ok(Some(record))
    }

    fn about(&self, problem: &Problem, reset: Reset, name: &str) -> About {
        let mut about = About {
            work: problem.work,
            cache: problem.cache,
            reset,
            verified: Verified::Reference,
            ..About::kernel(name)
        };
        about.problem.insert("problem".to_owned(), problem.title.clone());
        about
    }

    fn plan(&self) -> Plan {
        let within = Plan::within(self.limit);
        Plan { at_least: Duration::from_millis(100), samples: 12, rounds: 6, ..within }
    }

    fn decide<S>(
        &self,
        problem: &Problem,
        setup: &impl Fn(&Device) -> Result<S>,
        ours: &impl for<'s> Fn(&'s mut S) -> Result<Prepared<'s>>,
        peer: &impl for<'s> Fn(&'s mut S, &Rc<Peers>) -> Result<Box<dyn FnMut() -> Result<()> + 's>>,
        verify: &impl Fn(&S) -> Result<(), String>,
    ) -> Result<Outcome, Box<dyn std::error::Error>> {
        let device = &self.device;
        let once = |who: &str,
                    run: &dyn Fn(&mut S) -> Result<()>|
         -> Result<(), Box<dyn std::error::Error>> {
            let mut state = setup(device)?;
            run(&mut state)?;
            device.synchronize()?;
            verify(&state).map_err(|why| format!("{who}: {why}").into())
        };
        once("ours", &|state| ours(state)?.launch())?;
        once(problem.peer, &|state| peer(state, &self.peers)?())?;
        if self.untimed {
            return Ok(Outcome::Verified);
        }
        let reset = reset(problem.cache, problem.work.bytes, device);
        let about = |name: &str| self.about(problem, reset, name);
        let states = |_| (0..reset.copies()).map(|_| setup(device)).collect::<Result<Vec<S>>>();
        let [mut of_ours, mut of_peer] = [states(0)?, states(1)?];
        let mut jobs = Vec::new();
        for state in &mut of_ours {
            jobs.push(ours(state)?.into_job("lanework-ops"));
        }
        let mut peers = Vec::new();
        for state in &mut of_peer {
            // SAFETY: a peer only uses the buffers of `state`, which the job borrows for its whole lifetime.
            let call = unsafe { VendorCall::new(problem.peer, peer(state, &self.peers)?) };
            peers.push(Job::Vendor(call));
        }
        let plan = self.plan();
        let (a, b) = (about(problem.peer), about("lanework-ops"));
        let record = compare(device, (peers, &a), (jobs, &b), &plan, &mut |_, _| {})?;
        // Verify the results of the last timed run, too.
        for (who, state) in [("ours", &of_ours[0]), (problem.peer, &of_peer[0])] {
            verify(state).map_err(|why| format!("{who}, after timing: {why}"))?;
        }
        Ok(Outcome::Timed(Box::new(record)))
    }
}
