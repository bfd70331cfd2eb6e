//! What is found about a kernel once, whatever the launch: its graph, where lanes reconverge, liveness.

use crate::cfg::ControlFlowGraph;
use crate::kernel::Kernel;
use crate::liveness::Liveness;
use crate::polling::may_poll;
use crate::postdom::immediate_post_dominators;

/// The analyses of a kernel that no launch changes.
pub struct Analyses {
    /// The control-flow graph.
    pub cfg: ControlFlowGraph,
    /// The immediate post-dominator of each block: where lanes that diverge at its end reconverge.
    pub ipdom: Vec<Option<usize>>,
    /// Registers that are live at the edges of blocks.
    pub liveness: Liveness,
    /// Whether it may wait in a loop for what another block writes.
    pub polls: bool,
}

impl Analyses {
    /// Analyses a kernel.
    pub fn of(kernel: &Kernel) -> Analyses {
        let cfg = ControlFlowGraph::of(kernel);
        let ipdom = immediate_post_dominators(kernel, &cfg);
        let liveness = Liveness::of(kernel, &cfg);
        let polls = may_poll(kernel, &cfg);
        Analyses { cfg, ipdom, liveness, polls }
    }

    /// The registers that may be read before anything writes them.
    pub fn read_unwritten(&self, kernel: &Kernel) -> impl Iterator<Item = usize> {
        let fresh = |r: &usize| kernel.registers[*r].special.is_none();
        self.liveness.live_in(0).filter(fresh)
    }
}
