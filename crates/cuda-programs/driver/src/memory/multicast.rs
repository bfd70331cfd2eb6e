//! Multicast objects: one address that stands for memory of several GPUs. They are refused, as on a GPU whose
//! `CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED` is 0, which is what the emulated ones answer: programs ask for it first and copy by peers' addresses.

use crate::api::{api, say};
use crate::pointers::Out;
use crate::state::driver;
use crate::status::{Result, Status};
use std::ffi::c_void;
use std::sync::Once;

/// Says once per process what to do instead.
fn refuse() -> Result {
    static SAID: Once = Once::new();
    driver()?;
    SAID.call_once(|| {
        say(
            "multicast objects are not emulated",
            &"ask for CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, which is 0, and reach the memory of other GPUs by its own address (peers reach each other)",
        );
    });
    Err(Status::NotSupported)
}

api! {
    fn cuMulticastCreate(_object: Out<'_, u64>, _properties: *const c_void) {
        refuse()
    }

    fn cuMulticastGetGranularity(_bytes: Out<'_, usize>, _properties: *const c_void, _option: i32) {
        refuse()
    }

    fn cuMulticastAddDevice(_object: u64, _device: i32) {
        refuse()
    }

    fn cuMulticastBindMem(_object: u64, _offset: usize, _memory: u64, _memory_offset: usize, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastBindAddr(_object: u64, _offset: usize, _address: u64, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastBindMem_v2(_object: u64, _device: i32, _offset: usize, _memory: u64, _memory_offset: usize, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastBindAddr_v2(_object: u64, _device: i32, _offset: usize, _address: u64, _bytes: usize, _flags: u64) {
        refuse()
    }

    fn cuMulticastUnbind(_object: u64, _device: i32, _offset: usize, _bytes: usize) {
        refuse()
    }
}
