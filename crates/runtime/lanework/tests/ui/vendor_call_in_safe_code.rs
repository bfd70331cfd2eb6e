//! A recorded call replays on memory that safe code may have freed: making one is unsafe.
use lanework::{Job, VendorCall};

fn main() {
    let _ = Job::Vendor(VendorCall::new("fill", || Ok(())));
}
