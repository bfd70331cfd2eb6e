//! An instrument attached to a worker: its data for the assembler, and access to it for operations and handlers.

use crate::instrument::Instrument;
use crate::instrument::counter::CounterRule;
use crate::instrument::event::AccessKind;
use crate::instrument::hook::{Hook, Wants};
use crate::instrument::insertion::Plan;
use crate::machine::context::Context;
use crate::machine::handler::Tiers;
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::{Kernel, MemorySpace};
use std::any::TypeId;
use std::sync::Arc;

/// The facts about an instrument that the assembler needs.
#[derive(Clone, Copy)]
pub struct Instrumentation {
    /// Its type.
    pub id: TypeId,
    /// The events that it wants.
    pub wants: Wants,
    /// Its general operation before memory instructions.
    pub access: Tiers,
    /// Its rules for counting in place.
    pub counter: fn(MemorySpace, AccessKind, AccessClass) -> CounterRule,
    /// Makes the plan of its other insertions.
    pub plan: fn(&Kernel, &Analyses) -> Option<Arc<dyn Plan>>,
}

impl Instrumentation {
    /// Describes an instrument.
    pub fn new<I: Instrument>(instrument: &I) -> Instrumentation {
        Instrumentation {
            id: TypeId::of::<I>(),
            wants: instrument.wants(),
            access: I::access_operation(),
            counter: I::counter,
            plan: I::plan,
        }
    }
}

/// An instrument attached to a worker. Hooks made of it hold its address.
pub struct Attached {
    wants: Wants,
    instrument: *mut (),
    object: *mut dyn Instrument,
}

impl Attached {
    /// Attaches an instrument that outlives the worker. `wants` is the set that the code was assembled for, because
    /// an instrument may answer differently when it is asked again.
    pub fn new<I: Instrument>(instrument: &mut I, wants: Wants) -> Box<Attached> {
        let object: *mut I = instrument;
        Box::new(Attached { wants, instrument: object.cast(), object })
    }

    /// The hook that the worker's blocks hold.
    pub fn hook(&self) -> Hook {
        let object = (&raw const self.object).cast();
        Hook { wants: self.wants, instrument: self.instrument, object }
    }
}

impl Hook {
    /// The instrument, if it wants any of these events.
    ///
    /// # Safety
    /// The instrument is alive and attached, and no other reference to it exists until `'a` ends.
    #[inline(always)]
    pub unsafe fn get<'a>(self, what: Wants) -> Option<&'a mut dyn Instrument> {
        // SAFETY: the instrument is alive and no other reference to it exists until `'a` ends, as this function
        // requires.
        if self.wants.any(what) { Some(unsafe { self.any() }) } else { None }
    }

    /// The instrument.
    ///
    /// # Safety
    /// As for [`Hook::get`].
    pub unsafe fn any<'a>(self) -> &'a mut dyn Instrument {
        // SAFETY: the instrument is alive and has no other reference, as `get` requires; `object` points to the `*mut
        // dyn Instrument` of an `Attached`.
        unsafe { &mut **self.object.cast::<*mut dyn Instrument>() }
    }

    /// The instrument by its type, for operations that it has inserted.
    ///
    /// # Safety
    /// As for [`Hook::get`], and the instrument is of this type: code is kept by the type of the
    /// instrument that it was assembled for.
    #[inline(always)]
    pub unsafe fn typed<'a, I: Instrument>(self) -> &'a mut I {
        // SAFETY: the instrument is alive, has no other reference, and is an `I`, as this function requires.
        unsafe { &mut *self.instrument.cast::<I>() }
    }
}

impl Context {
    /// The run's instrument, if it wants any of these events.
    #[inline(always)]
    pub fn instrument(&mut self, what: Wants) -> Option<&mut dyn Instrument> {
        // SAFETY: `Job::work` keeps the instrument alive longer than its blocks' contexts, and `&mut self` is the only
        // way to it while the reference lives.
        unsafe { self.hook.get(what) }
    }
}
