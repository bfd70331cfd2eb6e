//! x
use lanework::Device;
use lanework::sim::Blocks;
use lanework_lab::{Request, family};
#[test]
fn print() {
    let device = Device::emulator();
    for (ladder, size) in [("sgemm", 256u64), ("matmul", 256), ("matmul", 201)] {
        let f = family(ladder).unwrap();
        let case = f.case(&Request::new(device.backend()).with("size", size)).ok().unwrap();
        let warp_steps = (size * size * size) as f64 / 32.0;
        for rung in (f.ladder)().rungs {
            let mut t = case.trial(rung.name, &device).unwrap();
            let c = t.job().and_then(|mut j| j.profile(Blocks::All)).unwrap().counters;
            println!(
                "{ladder} {size} {:16} load req {:.4} sec {:.4} | store req {} sec {} | sh load req {:.4} wf {:.4} conf {} | sh store req {:.4} wf {:.4} conf {} | instr {:.3} barriers {} div {}",
                rung.name,
                c.global_load.requests as f64 / warp_steps,
                c.global_load.sectors as f64 / warp_steps,
                c.global_store.requests,
                c.global_store.sectors,
                c.shared_load.requests as f64 / warp_steps,
                c.shared_load.wavefronts as f64 / warp_steps,
                c.shared_load.bank_conflicts,
                c.shared_store.requests as f64 / warp_steps,
                c.shared_store.wavefronts as f64 / warp_steps,
                c.shared_store.bank_conflicts,
                c.warp_instructions as f64 / warp_steps,
                c.barriers,
                c.divergent_branches
            );
        }
    }
}
