//! Reductions of divided data on several emulated devices, compared with one device.

use lanework::{Device, Result};
use lanework_dist::{Communicator, Reduction, share, total};
use lanework_ops::{Tensor, reduce};

fn number(index: usize) -> f32 {
    ((index * 37) % 19) as f32 - 9.0
}

/// Sum, maximum, dot product with itself, and column sums, at each rank.
type Results = (f32, f32, f32, Vec<f32>);

fn on_ranks(devices: &[Device], rows: usize, columns: usize) -> Vec<Results> {
    let ranks = Communicator::local(devices).expect("ranks");
    let of = |comm: &Communicator| -> Result<Results> {
        let own = share(rows, comm.size(), comm.rank());
        let x: Vec<f32> = (own.start * columns..own.end * columns).map(number).collect();
        let x = comm.device().upload(&x)?;
        let matrix = Tensor::new(&x, [own.len(), columns])?;
        Ok((
            total(comm, Reduction::Sum, reduce::sum(&x)).value()?,
            total(comm, Reduction::Max, reduce::max(&x)).value()?,
            total(comm, Reduction::Sum, reduce::sum_of_squares(&x)).value()?,
            total(comm, Reduction::Sum, reduce::sum(&matrix).axis(0)).eval()?.download()?,
        ))
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = ranks.iter().map(|comm| scope.spawn(|| of(comm))).collect();
        let parts = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        parts.map(|part| part.expect("every rank succeeds")).collect()
    })
}

#[test]
fn any_number_of_ranks_matches_one_device() -> Result<()> {
    let devices = Device::emulators(8);
    for (rows, columns) in [(8, 1), (37, 5), (100, 12)] {
        let device = Device::emulator();
        let x = device.upload(&(0..rows * columns).map(number).collect::<Vec<f32>>())?;
        let matrix = Tensor::new(&x, [rows, columns])?;
        let one = (
            reduce::sum(&x).value()?,
            reduce::max(&x).value()?,
            reduce::sum_of_squares(&x).value()?,
            reduce::sum(&matrix).axis(0).eval()?.download()?,
        );
        for size in [1, 2, 3, 4, 8] {
            let all = on_ranks(&devices[..size], rows, columns);
            assert!(
                all.iter().all(|of| *of == one),
                "{rows} x {columns} on {size}: {all:?}, not {one:?}"
            );
        }
    }
    Ok(())
}
