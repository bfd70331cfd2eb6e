//! Collectives and messages, each queued on a stream.

use super::{Collective, Nccl, NcclElement, NcclReduction, check};
use crate::CudaError;
use std::ffi::{c_int, c_void};

impl Nccl {
    /// Queues an all-reduce of `count` elements: every rank gets the reduction over all ranks.
    ///
    /// # Errors
    /// [`CudaError::Address`] if a range is not inside one live allocation; NCCL's reason.
    ///
    /// # Safety
    /// `stream` must be a stream of this rank's GPU, or null for the default stream. Until the work is done, the memory
    /// must stay allocated; nothing else may write it, or read the part that this call writes.
    pub unsafe fn all_reduce(
        &self,
        (from, to): (u64, u64),
        count: usize,
        (element, reduction): (NcclElement, NcclReduction),
        stream: u64,
    ) -> Result<(), CudaError> {
        let ranges = ((from, count), (to, count));
        let call = (self.functions.all_reduce, "ncclAllReduce");
        // SAFETY: `stream` is this rank's, and the memory stays allocated and unshared until the work is done, as this
        // function requires.
        unsafe { self.queue(call, ranges, count, (element, reduction as c_int), stream) }
    }

    /// Queues a reduce-scatter of arrays of `count` elements times the number of ranks. Rank r gets the r-th block of
    /// `count` results.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn reduce_scatter(
        &self,
        (from, to): (u64, u64),
        count: usize,
        (element, reduction): (NcclElement, NcclReduction),
        stream: u64,
    ) -> Result<(), CudaError> {
        let ranges = ((from, self.of_all(count)), (to, count));
        let call = (self.functions.reduce_scatter, "ncclReduceScatter");
        // SAFETY: `stream` is this rank's, and the memory stays allocated and unshared until the work is done, as this
        // function requires.
        unsafe { self.queue(call, ranges, count, (element, reduction as c_int), stream) }
    }

    /// Queues an all-gather: every rank gets the `count` elements of every rank, in rank order.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn all_gather(
        &self,
        (from, to): (u64, u64),
        count: usize,
        element: NcclElement,
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((from, count), (to, self.of_all(count)), element)?;
        // SAFETY: `ready` found both ranges in live allocations, where they stay unshared until the work is done;
        // `stream` is this rank's. Both are required of this function.
        let status = unsafe {
            (self.functions.all_gather)(
                from as *const c_void,
                to as *mut c_void,
                count,
                element as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclAllGather", self.functions)
    }

    /// Queues a broadcast of `count` elements from `root` to every rank.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn broadcast(
        &self,
        memory: u64,
        count: usize,
        element: NcclElement,
        root: usize,
        stream: u64,
    ) -> Result<(), CudaError> {
        let ranges = ((memory, count), (memory, count));
        let call = (self.functions.broadcast, "ncclBroadcast");
        // SAFETY: `stream` is this rank's, and the memory stays allocated and unshared until the work is done, as this
        // function requires.
        unsafe { self.queue(call, ranges, count, (element, root as c_int), stream) }
    }

    /// Queues a send of `count` elements to `peer`, which must receive them.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn send(
        &self,
        memory: u64,
        count: usize,
        element: NcclElement,
        peer: usize,
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((memory, count), (memory, 0), element)?;
        // SAFETY: `ready` found the range in a live allocation, where it stays unshared until the work is done;
        // `stream` is this rank's. Both are required of this function.
        let status = unsafe {
            (self.functions.send)(
                memory as *const c_void,
                count,
                element as c_int,
                peer as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclSend", self.functions)
    }

    /// Queues a receive of `count` elements from `peer`, which must send them.
    ///
    /// # Errors
    /// As [`Nccl::all_reduce`].
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    pub unsafe fn recv(
        &self,
        memory: u64,
        count: usize,
        element: NcclElement,
        peer: usize,
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready((memory, 0), (memory, count), element)?;
        // SAFETY: `ready` found the range in a live allocation, where it stays unshared until the work is done;
        // `stream` is this rank's. Both are required of this function.
        let status = unsafe {
            (self.functions.recv)(
                memory as *mut c_void,
                count,
                element as c_int,
                peer as c_int,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, "ncclRecv", self.functions)
    }

    /// Checks both ranges and queues a call on them; `number` is its reduction or its root.
    ///
    /// # Safety
    /// As [`Nccl::all_reduce`].
    unsafe fn queue(
        &self,
        (function, name): (Collective, &'static str),
        (from, to): ((u64, usize), (u64, usize)),
        count: usize,
        (element, number): (NcclElement, c_int),
        stream: u64,
    ) -> Result<(), CudaError> {
        self.ready(from, to, element)?;
        // SAFETY: `ready` found both ranges in live allocations, where they stay unshared until the work is done;
        // `stream` is this rank's. Both are required of this function.
        let status = unsafe {
            function(
                from.0 as *const c_void,
                to.0 as *mut c_void,
                count,
                element as c_int,
                number,
                self.comm,
                stream as *mut c_void,
            )
        };
        check(status, name, self.functions)
    }

    fn of_all(&self, count: usize) -> usize {
        count.saturating_mul(self.size)
    }

    /// Checks both ranges, given as address and elements, and makes the GPU's context current.
    fn ready(
        &self,
        from: (u64, usize),
        to: (u64, usize),
        element: NcclElement,
    ) -> Result<(), CudaError> {
        for (address, count) in [from, to] {
            self.gpu.live("a collective", address, count.saturating_mul(element.bytes()))?;
        }
        self.gpu.bind()
    }
}
