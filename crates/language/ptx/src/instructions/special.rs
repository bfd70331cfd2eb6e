//! The special registers (PTX manual, "Special Registers"): their shapes, and the versions and targets that have them.

use super::Requirement;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The elements of a special register, and their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialShape {
    /// Four elements of 32 bits: `.x` to `.w`.
    Vector,
    /// 32 bits.
    Word,
    /// 64 bits.
    Wide,
    /// 64 bits; older code reads only the low 32.
    Either,
    /// A predicate.
    Predicate,
}

/// A special register of the table, by its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedSpecial {
    /// The row.
    pub register: SpecialName,
    /// The number in the name of `%envreg5` and `%pm3`; else 0.
    pub number: u8,
    /// Elements and their size.
    pub shape: SpecialShape,
    pub(crate) need: Option<Requirement>,
}

macro_rules! special_registers {
    ($($shape:ident $need:literal: $($name:ident $word:literal),+;)*) => {
        /// The special registers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SpecialName { $($(#[doc = concat!("`%", $word, "`")] $name,)+)* }

        const ROWS: &[(SpecialName, &str, SpecialShape, &str)] =
            &[$($((SpecialName::$name, $word, SpecialShape::$shape, $need),)+)*];
    };
}

// `[8]` stands for each of the numbers below 8. A need is written as in the instruction table.
special_registers! {
    Vector "": Tid "tid", Ntid "ntid", Ctaid "ctaid", Nctaid "nctaid";
    Vector "7.8 sm_90": Clusterid "clusterid", Nclusterid "nclusterid", ClusterCtaid "cluster_ctaid",
        ClusterNctaid "cluster_nctaid";
    Word "": Laneid "laneid", Warpid "warpid", Nwarpid "nwarpid", Smid "smid", Nsmid "nsmid",
        LanemaskEq "lanemask_eq", LanemaskLe "lanemask_le", LanemaskLt "lanemask_lt", LanemaskGe "lanemask_ge",
        LanemaskGt "lanemask_gt", Clock "clock", ClockHi "clock_hi", GlobaltimerLo "globaltimer_lo",
        GlobaltimerHi "globaltimer_hi", TotalSmemSize "total_smem_size", DynamicSmemSize "dynamic_smem_size",
        Pm "pm[8]", Envreg "envreg[32]";
    Word "7.6 sm_80": ReservedSmemBegin "reserved_smem_offset_begin", ReservedSmemEnd "reserved_smem_offset_end",
        ReservedSmemCap "reserved_smem_offset_cap", ReservedSmemOffset "reserved_smem_offset_[2]";
    Word "7.8 sm_90": ClusterCtarank "cluster_ctarank", ClusterNctarank "cluster_nctarank";
    Word "8.1 sm_90": AggrSmemSize "aggr_smem_size";
    Wide "": Clock64 "clock64", Globaltimer "globaltimer", Pm64 "pm[8]_64";
    Wide "8.0 sm_50": CurrentGraphExec "current_graph_exec";
    Either "": Gridid "gridid";
    Predicate "7.8 sm_90": IsExplicitCluster "is_explicit_cluster";
}

impl NamedSpecial {
    /// The special register called `name` (with `%`, without `.x`).
    ///
    /// ```
    /// use lanework_ptx::{NamedSpecial, SpecialName, SpecialShape};
    ///
    /// let found = NamedSpecial::from_name("%envreg5").expect("a special register");
    /// assert_eq!((found.register, found.number), (SpecialName::Envreg, 5));
    /// assert_eq!((found.shape, found.elements()), (SpecialShape::Word, 1));
    /// ```
    pub fn from_name(name: &str) -> Option<NamedSpecial> {
        static BY_NAME: OnceLock<HashMap<String, NamedSpecial>> = OnceLock::new();
        let by_name = BY_NAME.get_or_init(|| ROWS.iter().flat_map(named).collect());
        by_name.get(name.strip_prefix('%')?).copied()
    }

    /// Every special register with its name, without `%`, in table order.
    pub fn all() -> impl Iterator<Item = (String, NamedSpecial)> {
        ROWS.iter().flat_map(named)
    }

    /// The number of elements; 1 if it is not a vector.
    pub fn elements(self) -> u8 {
        if self.shape == SpecialShape::Vector { 4 } else { 1 }
    }
}

/// Each name of a row.
fn named(row: &(SpecialName, &str, SpecialShape, &str)) -> Vec<(String, NamedSpecial)> {
    let &(register, word, shape, need) = row;
    let one = |number| NamedSpecial { register, number, shape, need: Requirement::read(need) };
    let Some((before, rest)) = word.split_once('[') else { return vec![(word.into(), one(0))] };
    let (count, after) = rest.split_once(']').unwrap_or_default();
    let numbers = 0..count.parse().unwrap_or(0);
    numbers.map(|number| (format!("{before}{number}{after}"), one(number))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_range_and_needs_are_readable() {
        let known =
            |name| NamedSpecial::from_name(name).map(|found| (found.register, found.number));
        assert_eq!(known("%envreg31"), Some((SpecialName::Envreg, 31)));
        assert_eq!(known("%pm7_64"), Some((SpecialName::Pm64, 7)));
        assert_eq!(known("%reserved_smem_offset_1"), Some((SpecialName::ReservedSmemOffset, 1)));
        for name in ["%envreg32", "%envreg05", "%pm8", "%pm_64", "tid", "%tid.x", "%"] {
            assert_eq!(known(name), None, "{name}");
        }
        for (_, word, _, need) in ROWS {
            assert!(need.is_empty() || Requirement::read(need).is_some(), "{word}");
        }
    }
}
