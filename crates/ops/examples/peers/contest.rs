//! One contest: ours and a peer on the same problem, verified, then timed in turns (A B B A) in this process.

use crate::library::Peers;
use lanework::{Device, Job, Result, VendorCall};
use lanework_bench::{About, Cache, ComparisonRecord, Plan, Verified, Work, compare, reset};
use lanework_ops::Plan as Prepared;
use std::fs::File;
use std::io::Write;
use std::rc::Rc;
use std::time::Duration;

/// What all contests share.
pub struct Arena {
    pub device: Device,
    pub peers: Rc<Peers>,
    /// Longest time of sampling for a contest.
    pub limit: Duration,
    /// Contests whose title holds none of these words are left out; none takes all.
    pub only: Vec<String>,
    /// Only verify.
    pub untimed: bool,
    pub rows: Vec<Row>,
    /// Gets a line of JSON for each contest when it ends.
    pub json: Option<File>,
}

/// A problem of a contest.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its row of the targets' table, such as `sum`.
    pub group: &'static str,
    /// What is computed, and its size.
    pub title: String,
    /// The peer, for the table.
    pub peer: &'static str,
    pub work: Work,
    pub cache: Cache,
    /// The ratio to be reached: the peer's time over ours.
    pub reach: f64,
}

/// The outcome of a contest.
pub struct Row {
    pub problem: Problem,
    pub outcome: Outcome,
}

pub enum Outcome {
    /// Times of the peer (a) and of ours (b).
    Timed(Box<ComparisonRecord>),
    /// Both results were right.
    Verified,
    /// Why there is no time.
    Failed(String),
}

impl Arena {
    /// Runs a contest: `setup` makes the buffers of a problem, `ours` and `peer` what computes it, `verify` judges the result of one run.
    pub fn contest<S>(
        &mut self,
        problem: Problem,
        setup: impl Fn(&Device) -> Result<S>,
        ours: impl for<'s> Fn(&'s mut S) -> Result<Prepared<'s>>,
        peer: impl for<'s> Fn(&'s mut S, &Rc<Peers>) -> Result<Box<dyn FnMut() -> Result<()> + 's>>,
        verify: impl Fn(&S) -> Result<(), String>,
    ) {
        if !self.only.is_empty()
            && !self.only.iter().any(|word| problem.title.contains(word) || problem.group == word)
        {
            return;
        }
        let outcome = self
            .decide(&problem, &setup, &ours, &peer, &verify)
            .unwrap_or_else(|why| Outcome::Failed(why.to_string()));
        let row = Row { problem, outcome };
        eprintln!("{}", crate::table::line(&row));
        if let Some(file) = &mut self.json
            && let Err(why) = writeln!(file, "{}", crate::table::json(&row))
        {
            eprintln!("error: a line of JSON cannot be written: {why}");
        }
        self.rows.push(row);
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
        let about = |name: &str| {
            let mut about = About {
                work: problem.work,
                cache: problem.cache,
                reset,
                verified: Verified::Reference,
                ..About::kernel(name)
            };
            about.problem.insert("problem".to_owned(), problem.title.clone());
            about
        };
        let states = |_| (0..reset.copies()).map(|_| setup(device)).collect::<Result<Vec<S>>>();
        let [mut of_ours, mut of_peer] = [states(0)?, states(1)?];
        let mut jobs = Vec::new();
        for state in &mut of_ours {
            jobs.push(ours(state)?.into_job("lanework-ops"));
        }
        let mut peers = Vec::new();
        for state in &mut of_peer {
            peers.push(Job::Vendor(VendorCall::new(problem.peer, peer(state, &self.peers)?)));
        }
        let plan =
            Plan { at_least: Duration::from_millis(100), samples: 12, ..Plan::within(self.limit) };
        let (a, b) = (about(problem.peer), about("lanework-ops"));
        let record = compare(device, (peers, &a), (jobs, &b), &plan, &mut |_, _| {})?;
        // What the last timed run left is verified, too.
        for (who, state) in [("ours", &of_ours[0]), (problem.peer, &of_peer[0])] {
            verify(state).map_err(|why| format!("{who}, after timing: {why}"))?;
        }
        Ok(Outcome::Timed(Box::new(record)))
    }
}
