//! What a call does, with its memory as bytes.

use crate::element::Reduction;
use crate::signature::Signature;
use lanework::{View, ViewMut};
use lanework_cuda::NcclElement;

/// A reduction, and the function that applies it to bytes of the call's elements.
pub(crate) type Reduce = (Reduction, fn(Reduction, &mut [u8], &[u8]));

/// What a call does.
pub(crate) struct Work<'a> {
    pub signature: Signature,
    pub element: NcclElement,
    /// The other rank of a message.
    pub peer: Option<usize>,
    pub from: Option<View<'a, u8>>,
    pub to: Option<ViewMut<'a, u8>>,
    pub reduce: Option<Reduce>,
}
