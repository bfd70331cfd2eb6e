//! The rows of a table of counters, and the macro that declares a struct from them.

/// Description of a counter or of a group of counters.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// The field, which is also the key in JSON.
    pub key: &'static str,
    /// The name as text.
    pub name: &'static str,
    /// The unit, such as `bytes`; empty for a group.
    pub unit: &'static str,
    /// The metrics of Nsight Compute whose sum is the same count. For a counter in a group,
    /// prefixes that are completed by the group's suffixes. Empty if no metric counts the same.
    pub metrics: &'static [&'static str],
    /// Precise definition.
    pub doc: &'static str,
}

/// A counter of the table, with its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The group, such as loads from global memory; `None` for a single counter.
    pub group: Option<&'static Row>,
    /// The counter.
    pub row: &'static Row,
}

impl Counter {
    /// Its path in JSON, such as `global_load.sectors`.
    pub fn path(&self) -> String {
        match self.group {
            Some(group) => format!("{}.{}", group.key, self.row.key),
            None => self.row.key.to_owned(),
        }
    }

    /// Its name as text, such as `global load sectors`.
    pub fn name(&self) -> String {
        match self.group {
            Some(group) => format!("{} {}", group.name, self.row.name),
            None => self.row.name.to_owned(),
        }
    }

    /// The metrics of Nsight Compute whose sum is the same count, if any.
    pub fn metrics(&self) -> Vec<String> {
        let suffixes = self.group.map_or(&[""][..], |group| group.metrics);
        let prefixes = self.row.metrics.iter();
        prefixes.flat_map(|start| suffixes.iter().map(move |end| format!("{start}{end}"))).collect()
    }
}

/// A counter, or a struct of counters.
pub trait Counts {
    /// Adds another's counts.
    fn add(&mut self, other: &Self);
    /// Lists the counters with their values; `row` describes this one.
    fn list(&self, group: Option<&'static Row>, row: &'static Row, found: &mut Vec<(Counter, u64)>);
    /// Lists the counters, mutable, in the same order.
    fn list_mut<'a>(&'a mut self, found: &mut Vec<&'a mut u64>);
}

impl Counts for u64 {
    fn add(&mut self, other: &u64) {
        *self += other;
    }

    fn list(
        &self,
        group: Option<&'static Row>,
        row: &'static Row,
        found: &mut Vec<(Counter, u64)>,
    ) {
        found.push((Counter { group, row }, *self));
    }

    fn list_mut<'a>(&'a mut self, found: &mut Vec<&'a mut u64>) {
        found.push(self);
    }
}

/// Declares a struct by its rows: field and type; name and unit; metrics; definition.
macro_rules! table {
    (
        $(#[$attribute:meta])*
        $table:ident
        $($field:ident: $kind:ty, $name:literal, $unit:literal, [$($metric:literal),*], $doc:literal;)*
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $table {
            $(#[doc = $doc] pub $field: $kind,)*
        }

        impl Counts for $table {
            fn add(&mut self, other: &$table) {
                $(Counts::add(&mut self.$field, &other.$field);)*
            }

            fn list(
                &self,
                _: Option<&'static Row>,
                row: &'static Row,
                found: &mut Vec<(Counter, u64)>,
            ) {
                self.list_rows(Some(row), found);
            }

            fn list_mut<'a>(&'a mut self, found: &mut Vec<&'a mut u64>) {
                $(Counts::list_mut(&mut self.$field, found);)*
            }
        }

        impl $table {
            fn list_rows(&self, group: Option<&'static Row>, found: &mut Vec<(Counter, u64)>) {
                $(
                    let row = &Row {
                        key: stringify!($field),
                        name: $name,
                        unit: $unit,
                        metrics: &[$($metric),*],
                        doc: $doc,
                    };
                    self.$field.list(group, row, found);
                )*
            }
        }
    };
}

pub(crate) use table;
