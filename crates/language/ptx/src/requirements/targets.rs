//! The first version of each target, and what special registers need.

use crate::ast::Specific::{self, Architecture, Portable};
use crate::instructions::needs::Requirement;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The first version that supports each target (manual, "PTX Module Directives: .target").
pub(super) const TARGETS: [(u32, Specific, (u8, u8)); 27] = [
    (72, Portable, (6, 1)),
    (75, Portable, (6, 3)),
    (80, Portable, (7, 0)),
    (86, Portable, (7, 1)),
    (87, Portable, (7, 4)),
    (88, Portable, (9, 0)),
    (89, Portable, (7, 8)),
    (90, Portable, (7, 8)),
    (90, Architecture, (8, 0)),
    (100, Portable, (8, 6)),
    (100, Architecture, (8, 6)),
    (100, Specific::Family, (8, 8)),
    (101, Portable, (8, 6)),
    (101, Architecture, (8, 6)),
    (101, Specific::Family, (8, 8)),
    (103, Portable, (8, 8)),
    (103, Architecture, (8, 8)),
    (103, Specific::Family, (8, 8)),
    (110, Portable, (9, 0)),
    (110, Architecture, (9, 0)),
    (110, Specific::Family, (9, 0)),
    (120, Portable, (8, 7)),
    (120, Architecture, (8, 7)),
    (120, Specific::Family, (8, 8)),
    (121, Portable, (8, 8)),
    (121, Architecture, (8, 8)),
    (121, Specific::Family, (8, 8)),
];

/// The same for targets that PTX 6.0 has.
pub(super) const OLD_TARGETS: [(u32, (u8, u8)); 18] = [
    (10, (1, 0)),
    (11, (1, 0)),
    (12, (1, 2)),
    (13, (1, 2)),
    (20, (2, 0)),
    (21, (2, 0)),
    (30, (3, 0)),
    (32, (4, 0)),
    (35, (3, 1)),
    (37, (4, 1)),
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (61, (5, 0)),
    (62, (5, 0)),
    (70, (6, 0)),
    (71, (6, 0)),
];

/// Special registers that are not in every version (manual, "Special Registers").
pub(super) const SPECIAL_REGISTERS: [(&[&str], Requirement); 4] = [
    (
        &[
            "%clusterid",
            "%nclusterid",
            "%cluster_ctaid",
            "%cluster_nctaid",
            "%cluster_ctarank",
            "%cluster_nctarank",
            "%is_explicit_cluster",
        ],
        Requirement::portable((7, 8), 90),
    ),
    (&["%aggr_smem_size"], Requirement::portable((8, 1), 90)),
    (&["%current_graph_exec"], Requirement::portable((8, 0), 50)),
    (
        &[
            "%reserved_smem_offset_begin",
            "%reserved_smem_offset_end",
            "%reserved_smem_offset_cap",
            "%reserved_smem_offset_0",
            "%reserved_smem_offset_1",
        ],
        Requirement::portable((7, 6), 80),
    ),
];

/// The requirement of a special register beyond the oldest version and target.
pub(super) fn special_register_requirement(name: &str) -> Option<Requirement> {
    static BY_NAME: OnceLock<HashMap<&str, Requirement>> = OnceLock::new();
    let needs = BY_NAME.get_or_init(|| {
        let mut needs = HashMap::new();
        for (names, need) in &SPECIAL_REGISTERS {
            needs.extend(names.iter().map(|name| (*name, *need)));
        }
        needs
    });
    needs.get(name).copied()
}
