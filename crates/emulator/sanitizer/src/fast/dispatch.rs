//! One warp's access, by the fastest path that takes it.

use super::super::access::check::AccessCheck;
use super::form::Form;
use lanework_engine::machine::Warp;
use lanework_engine::site::Site;
use lanework_ptx_ir::analysis::access::AccessClass;

impl AccessCheck {
    /// Checks one warp's access, before it is done.
    pub fn access(&mut self, warp: &Warp, instruction: u32, site: &Site, at: &[u64; 32]) {
        // What matrices are made of all lanes load and store together.
        if site.service != AccessClass::Rows {
            self.note_lanes(warp);
        }
        if let Some(form) = Form::of(at)
            && self.half_warps(warp, instruction, site, &form)
        {
            return;
        }
        let left = self.scattered(warp, instruction, site, at);
        if left != 0 {
            self.by_lane(warp, instruction, site, at, left);
        }
    }
}
