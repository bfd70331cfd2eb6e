//! Groups of asynchronous copies in flight while staging.
//!
//! A thread waits for copies by number: "all but the latest n groups". The builder keeps the order of
//! the groups committed and not waited for, so that the number is computed, not written. The order
//! must be the same on every path to a label: a forward dataflow whose meet is equality, as a verifier
//! of stack machines checks the stack's shape.

use std::collections::HashMap;

/// The groups in flight, oldest first, each by its pipeline; and those at labels.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    groups: Vec<u32>,
    labels: HashMap<String, Vec<u32>>,
    pipelines: u32,
}

impl Flight {
    /// A new pipeline's number.
    pub fn pipeline(&mut self) -> u32 {
        self.pipelines += 1;
        self.pipelines
    }

    /// Groups of a pipeline in flight.
    pub fn outstanding(&self, pipeline: u32) -> usize {
        self.groups.iter().filter(|group| **group == pipeline).count()
    }

    /// A group of a pipeline is committed.
    pub fn commit(&mut self, pipeline: u32) {
        self.groups.push(pipeline);
    }

    /// The pipeline's oldest group is waited for: how many later groups may stay in flight. `None`
    /// when it has none.
    pub fn wait(&mut self, pipeline: u32) -> Option<usize> {
        let at = self.groups.iter().position(|group| *group == pipeline)?;
        let later = self.groups.len() - 1 - at;
        self.groups.remove(at);
        Some(later)
    }

    /// Every group is waited for.
    pub fn wait_all(&mut self) {
        self.groups.clear();
    }

    /// A jump to a label, or a loop's head: whether the groups are those of the other jumps to it.
    pub fn leave(&mut self, label: &str) -> bool {
        if self.pipelines == 0 {
            return true;
        }
        match self.labels.get(label) {
            Some(there) => *there == self.groups,
            None => {
                self.labels.insert(label.to_owned(), self.groups.clone());
                true
            }
        }
    }

    /// A label is reached, from the line before too unless it is `dead`: whether the groups are those
    /// of the jumps to it.
    pub fn arrive(&mut self, label: &str, dead: bool) -> bool {
        match self.labels.get(label) {
            Some(there) if dead => {
                self.groups.clone_from(there);
                true
            }
            Some(there) => *there == self.groups,
            None => true,
        }
    }

    /// The groups in flight, for a block staged aside.
    pub fn groups(&self) -> Vec<u32> {
        self.groups.clone()
    }

    /// Sets the groups in flight, and returns those before.
    pub fn replace(&mut self, groups: Vec<u32>) -> Vec<u32> {
        std::mem::replace(&mut self.groups, groups)
    }
}

#[cfg(test)]
mod tests {
    use super::Flight;

    #[test]
    fn a_wait_counts_the_groups_of_every_pipeline() {
        let mut flight = Flight::default();
        let (x, y) = (flight.pipeline(), flight.pipeline());
        for group in [x, y, x, y] {
            flight.commit(group);
        }
        assert_eq!((flight.wait(x), flight.wait(x), flight.wait(x)), (Some(3), Some(1), None));
        assert_eq!((flight.outstanding(y), flight.wait(y)), (2, Some(1)));
    }

    #[test]
    fn paths_that_disagree_are_seen() {
        let mut flight = Flight::default();
        let x = flight.pipeline();
        assert!(flight.leave("end"));
        flight.commit(x);
        assert!(!flight.arrive("end", false) && !flight.leave("end"));
        assert!(flight.arrive("end", true));
        assert_eq!(flight.outstanding(x), 0);
    }
}
