//! What goes on outside a launch: the host and other launches may change memory that a kernel polls. Whoever runs
//! a launch beside them says so, and is asked, on the thread of the launch, before it is taken to wait in vain.

use std::cell::Cell;

/// How a launch waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Since the last question no warp has come to a barrier or its end. It may compute, or wait for others.
    Perhaps,
    /// All warps that can run only look at memory, over and over, and none of it has changed.
    Surely,
}

/// Whether a launch goes on; the answer may take its time.
pub type Asked<'a> = &'a dyn Fn(Waits) -> bool;

thread_local! {
    /// Who is asked about the launch of this thread. The reference lives as long as [`asking`] runs.
    static ASKED: Cell<Option<*const dyn Fn(Waits) -> bool>> = const { Cell::new(None) };
}

/// Runs launches that wait as long as `asked` says that they go on. Only launches whose blocks may wait for each
/// other ask, since only these may wait for anybody.
pub fn asking<R>(asked: Asked<'_>, run: impl FnOnce() -> R) -> R {
    struct Restored(Option<*const dyn Fn(Waits) -> bool>);
    impl Drop for Restored {
        fn drop(&mut self) {
            ASKED.set(self.0);
        }
    }
    // SAFETY: only the lifetime changes; `Restored` takes the pointer back before the reference ends.
    let asked = unsafe { std::mem::transmute::<Asked<'_>, Asked<'static>>(asked) };
    let _restored = Restored(ASKED.replace(Some(asked)));
    run()
}

/// Whether somebody outside may change what the launch of this thread waits for.
pub(crate) fn is_there() -> bool {
    ASKED.get().is_some()
}

/// Whether a launch that waits goes on.
pub(crate) fn goes_on(waits: Waits) -> bool {
    // SAFETY: `asking` has not returned, or the pointer would be gone.
    ASKED.get().is_some_and(|asked| unsafe { (*asked)(waits) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asked_last_is_asked_until_its_launch_ends() {
        assert!(!is_there() && !goes_on(Waits::Surely));
        let inner = |waits| waits == Waits::Perhaps;
        asking(&|_| true, || {
            asking(&inner, || assert!(goes_on(Waits::Perhaps) && !goes_on(Waits::Surely)));
            assert!(goes_on(Waits::Surely));
        });
        assert!(!is_there());
    }
}
