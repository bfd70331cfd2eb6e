//! Tokens: barriers of a block and phases of its mbarriers, which complete after a number of arrivals.

/// The state of a token.
#[derive(Clone, Debug, Default)]
pub struct TokenState {
    needed: u32,
    arrived: u32,
    time: f64,
    /// Warps that wait for it.
    pub waiting: Vec<usize>,
}

impl TokenState {
    /// A token that so many arrivals complete.
    pub fn new(needed: u32) -> TokenState {
        TokenState { needed, ..TokenState::default() }
    }

    /// An arrival; returns the time of completion and the warps that wait, if it was the last.
    pub fn arrive(&mut self, time: f64) -> Option<(f64, Vec<usize>)> {
        self.arrived += 1;
        self.time = self.time.max(time);
        let done = self.done()?;
        Some((done, std::mem::take(&mut self.waiting)))
    }

    /// When it was completed.
    pub fn done(&self) -> Option<f64> {
        (self.arrived >= self.needed).then_some(self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_arrival_completes_a_token() {
        let mut token = TokenState::new(2);
        token.waiting.push(7);
        assert!(token.arrive(5.0).is_none());
        assert_eq!(token.arrive(3.0), Some((5.0, vec![7])));
    }
}
