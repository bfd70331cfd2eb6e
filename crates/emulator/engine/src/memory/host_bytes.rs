//! Host memory that backs an allocation of the device.

use crate::memory::device_range;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::any::Any;
use std::sync::Arc;

/// The alignment of C's `malloc`: for a larger one, the allocator would write zeros instead of using fresh zero pages.
const PLAIN_ALIGN: usize = 16;

/// Contents of fresh memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fresh {
    /// This byte everywhere, so that unwritten memory is visible.
    Byte(u8),
    /// Zeros, which the system gives with the pages when they are first touched.
    Zeros,
}

/// Bytes of the host, released when dropped.
pub struct HostBytes {
    _owner: Owner,
    /// The first, aligned.
    start: *mut u8,
}

/// The owner of the bytes, dropped with them.
enum Owner {
    Allocator {
        base: *mut u8,
        layout: Layout,
    },
    /// The range of addresses for devices.
    Range {
        base: *mut u8,
        bytes: usize,
    },
    /// The lender keeps them while this lives.
    Lender(#[allow(dead_code, reason = "it is kept, and dropped")] Arc<dyn Any + Send + Sync>),
}

impl Drop for Owner {
    fn drop(&mut self) {
        match *self {
            // SAFETY: `base` came from the allocator with this layout and is released once.
            Owner::Allocator { base, layout } => unsafe { dealloc(base, layout) },
            // SAFETY: `base` came from the range with this many bytes, and is freed once.
            Owner::Range { base, bytes } => unsafe { device_range::give(base, bytes) },
            Owner::Lender(_) => {}
        }
    }
}

impl HostBytes {
    /// As `new`, but in the range of addresses reserved for devices, if the host has one.
    /// With `apart`, they are whole pages, as far from others as the range allows.
    pub fn of_device(size: usize, align: usize, fresh: Fresh, apart: bool) -> Option<HostBytes> {
        let page = if apart { device_range::PAGE } else { 1 };
        let (size, align) = (size.checked_next_multiple_of(page)?, align.max(page));
        let taken = (size > 0).then(|| device_range::take(size, align, apart)).flatten();
        let Some(base) = taken else { return HostBytes::new(size, align, fresh) };
        if let Fresh::Byte(byte) = fresh {
            // SAFETY: `base` owns `size` bytes.
            unsafe { base.write_bytes(byte, size) };
        }
        Some(HostBytes { _owner: Owner::Range { base, bytes: size }, start: base })
    }

    /// `size` bytes at a multiple of `align`; `None` where the host has no room.
    pub fn new(size: usize, align: usize, fresh: Fresh) -> Option<HostBytes> {
        if size == 0 {
            return None;
        }
        match fresh {
            Fresh::Byte(byte) => {
                let layout = Layout::from_size_align(size, align).ok()?;
                // SAFETY: the size of the layout is not zero: `size == 0` returned above.
                let base = unsafe { alloc(layout) };
                if base.is_null() {
                    return None;
                }
                device_range::prefer_large_pages(base.addr(), size);
                // SAFETY: `base` owns `size` bytes.
                unsafe { base.write_bytes(byte, size) };
                Some(HostBytes { _owner: Owner::Allocator { base, layout }, start: base })
            }
            Fresh::Zeros => {
                let layout = Layout::from_size_align(size.checked_add(align)?, PLAIN_ALIGN).ok()?;
                // SAFETY: the size of the layout is not zero: `size == 0` returned above.
                let base = unsafe { alloc_zeroed(layout) };
                if base.is_null() {
                    return None;
                }
                device_range::prefer_large_pages(base.addr(), size);
                let skipped = base.addr().next_multiple_of(align) - base.addr();
                // SAFETY: fewer than `align` bytes are skipped of `size + align`.
                let start = unsafe { base.add(skipped) };
                Some(HostBytes { _owner: Owner::Allocator { base, layout }, start })
            }
        }
    }

    /// Bytes borrowed for as long as `lender` lives.
    ///
    /// # Safety
    /// Until `lender` is dropped, `size` bytes at `start` are readable and writable, and no other code uses them.
    pub unsafe fn lent(
        start: *mut u8,
        size: usize,
        fresh: Fresh,
        lender: Arc<dyn Any + Send + Sync>,
    ) -> HostBytes {
        let byte = match fresh {
            Fresh::Byte(byte) => byte,
            Fresh::Zeros => 0,
        };
        // SAFETY: `size` bytes are writable at `start` and no other code uses them, as this function requires.
        unsafe { start.write_bytes(byte, size) };
        HostBytes { _owner: Owner::Lender(lender), start }
    }

    /// The first byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::host_bytes::*;

    #[test]
    fn fresh_bytes_are_aligned_and_have_the_requested_value() {
        for (fresh, want) in [(Fresh::Byte(0xCD), 0xCD), (Fresh::Zeros, 0)] {
            // Miri takes a minute for the bytes of a mebibyte.
            let large = if cfg!(miri) { 1 << 14 } else { 1 << 20 };
            for (size, align) in [(256, 256), (4096, 4096), (large, 4096)] {
                // Twice, so that used bytes are handed out again.
                for apart in [None, None, Some(false), Some(false), Some(true), Some(true)] {
                    let bytes = match apart {
                        None => HostBytes::new(size, align, fresh),
                        Some(apart) => HostBytes::of_device(size, align, fresh, apart),
                    };
                    let bytes = bytes.expect("there is room");
                    assert!(bytes.start().addr().is_multiple_of(align));
                    // SAFETY: `size` bytes are owned, and all were written or zeroed.
                    let all = unsafe { std::slice::from_raw_parts_mut(bytes.start(), size) };
                    assert!(all.iter().all(|&byte| byte == want));
                    all.fill(7);
                }
            }
        }
    }

    #[test]
    fn lent_bytes_are_given_back_when_dropped() {
        let mut memory = [7u8; 64];
        let lender = Arc::new(());
        // SAFETY: the array outlives the bytes, and is not used while they exist.
        let lent =
            unsafe { HostBytes::lent(memory.as_mut_ptr(), 32, Fresh::Byte(0xCD), lender.clone()) };
        assert_eq!(Arc::strong_count(&lender), 2);
        drop(lent);
        assert_eq!(Arc::strong_count(&lender), 1);
        assert_eq!((memory[..32] == [0xCD; 32], memory[32..] == [7; 32]), (true, true));
    }

    #[test]
    fn zero_and_too_many_bytes_are_refused() {
        for fresh in [Fresh::Byte(0), Fresh::Zeros] {
            for size in [0, isize::MAX as usize] {
                assert!(HostBytes::new(size, 256, fresh).is_none());
                assert!(HostBytes::of_device(size, 256, fresh, false).is_none());
                assert!(HostBytes::of_device(size, 256, fresh, true).is_none());
            }
        }
    }
}
