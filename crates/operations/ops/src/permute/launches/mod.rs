//! Selects the kernel and builds the launch for a list of axes.

use super::axes::{Axes, Matrices};
use super::choose::{TiledKernel, choose};
pub(super) use exchange::in_place;
use lanework::{Device, Prepared, Result, View, ViewMut};
pub(super) use tiles::{narrowed, squared, tiled};

mod exchange;
mod parts;
mod tiles;
mod units;

/// The launch that moves `axes`; both views begin at the first element. If `overlaps`, it may begin before the previous launch has
/// ended (except the `staged` kernel).
pub(super) fn launch<'a>(
    device: &Device,
    src: View<'a, u8>,
    dst: ViewMut<'a, u8>,
    axes: &Axes,
    overlaps: bool,
) -> Result<Prepared<'a>> {
    let (from, to) = (src.address(), dst.address());
    let matrices = Matrices::new(axes).filter(Matrices::countable);
    let chosen = matrices.and_then(|matrices| {
        choose(&matrices, from, to, &device.info()).map(|choice| (choice, matrices))
    });
    match chosen {
        Some((TiledKernel::Squares(tile), matrices)) => {
            squared(device, src, dst, &matrices, tile, overlaps)
        }
        Some((TiledKernel::Tiles(tile), matrices)) => {
            tiled(device, src, dst, &matrices, tile, overlaps)
        }
        Some((TiledKernel::Narrow(tile), matrices)) => narrowed(device, src, dst, &matrices, tile),
        None => match parts::part_of(axes) {
            Some(part) => parts::in_parts(device, src, dst, axes, &part),
            None => match units::windows(device, axes) {
                Some(windows) => units::shifted(device, src, dst, axes, windows, overlaps),
                None => units::gathered(device, src, dst, axes, overlaps),
            },
        },
    }
}
