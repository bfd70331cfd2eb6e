//! Products of divided matrices on several emulated devices, compared with one device and the host.

use lanework::{Device, Result};
use lanework_dist::{Communicator, product, share};
use lanework_ops::{Tensor, TensorMut, gemm};

/// Small integers, so that sums in any order have the same bits.
fn numbers(length: usize, seed: usize) -> Vec<f32> {
    (0..length).map(|i| ((i * 37 + seed * 11) % 9) as f32 - 4.0).collect()
}

fn divided(devices: &[Device], [m, n, k]: [usize; 3], runs: usize) -> Vec<f32> {
    let size = devices.len();
    let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
    let ranks = Communicator::local(devices).expect("ranks");
    let of_rank = |comm: &Communicator| -> Result<Vec<f32>> {
        let (rows, inner) = (share(m, size, comm.rank()), share(k, size, comm.rank()));
        let device = comm.device();
        let own_a = device.upload(&a[rows.start * k..rows.end * k])?;
        let own_b = device.upload(&b[inner.start * n..inner.end * n])?;
        let mut own_c = device.upload(&vec![f32::NAN; rows.len() * n])?;
        let own_a = Tensor::new(&own_a, [rows.len(), k])?;
        let own_b = Tensor::new(&own_b, [inner.len(), n])?;
        let mut plan =
            product(comm, own_a, own_b).prepare(TensorMut::new(&mut own_c, [rows.len(), n])?)?;
        (0..runs).try_for_each(|_| plan.run())?;
        comm.synchronize()?;
        drop(plan);
        own_c.download()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = ranks.iter().map(|comm| scope.spawn(|| of_rank(comm))).collect();
        let parts = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        parts.flat_map(|part| part.expect("every rank succeeds")).collect()
    })
}

#[test]
fn any_number_of_ranks_matches_one_device() -> Result<()> {
    let devices = Device::emulators(8);
    for shape in [[16, 12, 20], [5, 7, 3], [1, 1, 1], [33, 9, 65], [3, 4, 0]] {
        let [m, n, k] = shape;
        let device = Device::emulator();
        let (a, b) = (device.upload(&numbers(m * k, 1))?, device.upload(&numbers(k * n, 2))?);
        let one =
            gemm(Tensor::new(&a, [m, k])?, Tensor::new(&b, [k, n])?).eval::<f32>()?.download()?;
        for size in [1, 2, 3, 4, 8] {
            assert_eq!(divided(&devices[..size], shape, 2), one, "{shape:?} on {size} ranks");
        }
    }
    Ok(())
}

#[test]
fn rows_of_b_that_are_not_the_ranks_share_are_refused_with_numbers() -> Result<()> {
    let ranks = Communicator::local(&Device::emulators(2))?;
    let device = ranks[0].device();
    let (a, b) = (device.zeros::<f32>(12)?, device.zeros::<f32>(12)?);
    let mut c = device.zeros::<f32>(12)?;
    let (a, b) = (Tensor::new(&a, [3, 4])?, Tensor::new(&b, [3, 4])?);
    let refused = product(&ranks[0], a, b).run(TensorMut::new(&mut c, [3, 4])?);
    let text = refused.expect_err("refused").to_string();
    assert!(text.contains("A has 4 columns, and rank 0 has 3 rows of B"), "{text}");
    assert!(text.contains("pass 2 rows"), "{text}");
    Ok(())
}
