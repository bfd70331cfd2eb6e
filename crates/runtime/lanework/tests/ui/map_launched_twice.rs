//! Exclusive borrow of a map's memory duplicated in safe code: two launches that write through one map.
#![forbid(unsafe_code)]
use lanework::prelude::*;

#[kernel(block = 32)]
fn touch(y: &mut TensorMapMut<f32, 2>) {
    y.prefetch_map();
}

fn moved(device: &Device, y: &mut Buffer<f32>) -> lanework::Result<()> {
    let map = TensorMapMut::new(y, &Tiles::new([32, 32], [32, 32]))?;
    let (mut a, mut b) = (touch(map).grid(1).prepare(device)?, touch(map).grid(1).prepare(device)?);
    a.launch()?;
    b.launch()
}

fn borrowed(device: &Device, y: &mut Buffer<f32>) -> lanework::Result<()> {
    let mut map = TensorMapMut::new(y, &Tiles::new([32, 32], [32, 32]))?;
    let mut a = touch(&mut map).grid(1).prepare(device)?;
    let mut b = touch(&mut map).grid(1).prepare(device)?;
    a.launch()?;
    b.launch()
}

fn shared(device: &Device, y: &mut Buffer<f32>) -> lanework::Result<()> {
    let map = TensorMapMut::new(y, &Tiles::new([32, 32], [32, 32]))?;
    touch(&map).grid(1).launch(device)
}

fn main() {}
