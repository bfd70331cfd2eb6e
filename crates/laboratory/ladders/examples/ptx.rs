//! Prints the PTX of a transpose rung: `cargo run -p lanework-ladders --example ptx -- padded`.

use lanework::Device;
use lanework_ladders::transpose::{Matrices, rungs};

fn main() -> lanework::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "padded".to_owned());
    let device = Device::emulator();
    let (src, dst) = (device.zeros(64 * 64)?, device.zeros(64 * 64)?);
    let mut matrices = Matrices::<f32> { rows: 64, cols: 64, block: 32, src, dst };
    for rung in rungs::<f32>().into_iter().filter(|rung| rung.info.name == wanted) {
        println!("{}", (rung.prepare)(&mut matrices, &device)?.module());
    }
    Ok(())
}
