//! NCCL, NVIDIA's library of collective communication, loaded at run time.
//!
//! Only the calls that are needed are bound, by hand, in the form that they have had since NCCL 2.4 (`ncclSend` and
//! `ncclRecv`: 2.7). All of them queue work on a stream and return.

mod collectives;
mod elements;
mod functions;

pub use elements::{NcclElement, NcclId, NcclReduction};

use crate::{CudaError, Gpu};
use functions::{Comm, Functions, check, functions};
use std::ffi::c_int;

/// This process's part of an NCCL communicator: one rank on one GPU.
pub struct Nccl {
    gpu: Gpu,
    comm: Comm,
    size: usize,
    functions: &'static Functions,
    aborted: bool,
}

// SAFETY: NCCL lets any thread use a communicator, one at a time; `Nccl` is not `Sync`, so that a move is the only way
// to another thread.
unsafe impl std::marker::Send for Nccl {}

fn unsupported(why: String) -> CudaError {
    CudaError::Unsupported {
        what: format!("NCCL: {why}"),
        remedy: "install NCCL, or exchange through the host".to_owned(),
    }
}

impl Nccl {
    /// Whether the library is available.
    ///
    /// # Errors
    /// The reason why it is not, in one line.
    pub fn find() -> Result<(), String> {
        functions().map(drop)
    }

    /// The library's version, such as (2, 27, 3).
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library.
    pub fn version() -> Result<(u32, u32, u32), CudaError> {
        let functions = functions().map_err(unsupported)?;
        let mut version = 0;
        // SAFETY: stores one integer.
        check(unsafe { (functions.version)(&mut version) }, "ncclGetVersion", functions)?;
        let version = version.unsigned_abs();
        Ok(match version {
            // Two digits for the minor version since 2.9.
            10_000.. => (version / 10_000, version / 100 % 100, version % 100),
            _ => (version / 1000, version / 100 % 10, version % 100),
        })
    }

    /// An identity for a new communicator, made by one rank and passed to the others.
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library, or without a network interface.
    pub fn unique_id() -> Result<NcclId, CudaError> {
        let functions = functions().map_err(unsupported)?;
        let mut id = NcclId([0; 128]);
        // SAFETY: stores the identity's 128 bytes.
        check(unsafe { (functions.unique_id)(&mut id) }, "ncclGetUniqueId", functions)?;
        Ok(id)
    }

    /// Joins a communicator of `size` ranks as `rank`; waits for the others to join. Several ranks of one thread join inside
    /// [`Nccl::group`].
    ///
    /// # Errors
    /// [`CudaError::Unsupported`] without the library, or with NCCL's reason.
    pub fn join(gpu: &Gpu, id: NcclId, rank: usize, size: usize) -> Result<Nccl, CudaError> {
        let mut all = Nccl::join_all(&[gpu], id, rank, size)?;
        all.pop().ok_or_else(|| unsupported("no GPU was given".to_owned()))
    }

    /// As [`Nccl::join`], of several GPUs of this process: they become the ranks from `first` on.
    ///
    /// # Errors
    /// As [`Nccl::join`].
    pub fn join_all(
        gpus: &[&Gpu],
        id: NcclId,
        first: usize,
        size: usize,
    ) -> Result<Vec<Nccl>, CudaError> {
        let functions = functions().map_err(unsupported)?;
        let mut comms: Vec<Comm> = vec![std::ptr::null_mut(); gpus.len()];
        Nccl::group(|| {
            for (index, (gpu, comm)) in gpus.iter().zip(&mut comms).enumerate() {
                gpu.bind()?;
                let (size, rank) = (size as c_int, (first + index) as c_int);
                // SAFETY: stores one handle, at the latest when the group ends, within the life of `comms`; the GPU's
                // context is current.
                let status = unsafe { (functions.init_rank)(comm, size, id, rank) };
                check(status, "ncclCommInitRank", functions)?;
            }
            Ok(())
        })?;
        let joined = gpus.iter().zip(comms).map(|(gpu, comm)| Nccl {
            gpu: (*gpu).clone(),
            comm,
            size,
            functions,
            aborted: false,
        });
        Ok(joined.collect())
    }

    /// Makes the calls of `work` one: they start together, so that one thread may drive several ranks, and a rank may send
    /// and receive at once.
    ///
    /// # Errors
    /// The error of `work`, or NCCL's reason.
    pub fn group<T>(work: impl FnOnce() -> Result<T, CudaError>) -> Result<T, CudaError> {
        let functions = functions().map_err(unsupported)?;
        // SAFETY: takes nothing; ended below.
        check(unsafe { (functions.group_start)() }, "ncclGroupStart", functions)?;
        let worked = work();
        // SAFETY: ends the group begun above, also when a call in it failed.
        let ended = check(unsafe { (functions.group_end)() }, "ncclGroupEnd", functions);
        let value = worked?;
        ended?;
        Ok(value)
    }

    /// The GPU of this rank.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Whether something has failed since the last call, here or at another rank.
    ///
    /// # Errors
    /// NCCL's reason.
    pub fn asynchronous_error(&self) -> Result<(), CudaError> {
        let mut failure = 0;
        // SAFETY: the communicator is live; stores one number.
        let status = unsafe { (self.functions.async_error)(self.comm, &mut failure) };
        check(status, "ncclCommGetAsyncError", self.functions)?;
        check(failure, "a collective", self.functions)
    }

    /// Aborts queued operations, so that a stream waiting for a missing rank continues; results are undefined.
    pub fn abort(mut self) {
        self.aborted = true;
        // SAFETY: the communicator is live and not used again.
        let _ = unsafe { (self.functions.abort)(self.comm) };
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        if !self.aborted && self.gpu.bind().is_ok() {
            // SAFETY: the communicator is live and not used again; NCCL waits for its work.
            let _ = unsafe { (self.functions.destroy)(self.comm) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_loaded_where_it_is() {
        match Nccl::find() {
            Ok(()) => assert!(Nccl::version().expect("a version").0 >= 2),
            Err(why) => {
                use std::io::Write;
                let _ = writeln!(std::io::stderr(), "SKIPPED: NCCL: {why}");
            }
        }
    }

    #[test]
    fn elements_have_the_sizes_of_their_types() {
        let sizes = [NcclElement::I8, NcclElement::Bf16, NcclElement::F32, NcclElement::F64]
            .map(NcclElement::bytes);
        assert_eq!(sizes, [1, 2, 4, 8]);
    }
}
