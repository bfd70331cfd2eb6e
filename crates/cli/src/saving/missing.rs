//! Replaces the store in a build without the feature `history`: `--save` is an error, so no run exists.

use super::{Plan, Point, StoredPoint};
use crate::args::{SaveOptions, built_without};
use lanework_terminal::failure::Failure;
use std::path::Path;

/// The store.
pub struct Store(Never);

/// A run that is being stored.
pub struct Saving(Never);

/// A type without values.
enum Never {}

impl SaveOptions {
    /// The store, if results are to be stored.
    ///
    /// # Errors
    /// If they are to be stored, which this build cannot do.
    pub fn open(&self) -> Result<Option<Store>, Failure> {
        if self.asked() { Err(built_without("history")) } else { Ok(None) }
    }
}

impl Store {
    pub fn path(&self) -> &Path {
        match self.0 {}
    }
}

impl Saving {
    pub fn begin(store: Store, _: &Plan<'_>) -> Result<Saving, Failure> {
        match store.0 {}
    }

    pub fn resume(
        store: Store,
        _: &Plan<'_>,
    ) -> Result<Result<(Saving, Vec<StoredPoint>), Store>, Failure> {
        match store.0 {}
    }

    pub fn into_store(self) -> Store {
        match self.0 {}
    }

    pub fn run(&self) -> i64 {
        match self.0 {}
    }

    pub fn whole(
        store: Option<Store>,
        _: &SaveOptions,
        _: &Plan<'_>,
        _: &[Point<'_>],
    ) -> Result<(), Failure> {
        store.map_or(Ok(()), |store| match store.0 {})
    }

    pub fn add(&mut self, _: usize, _: &Point<'_>) -> Result<(), Failure> {
        match self.0 {}
    }

    pub fn finish(self, _: &SaveOptions) -> Result<(), Failure> {
        match self.0 {}
    }
}
