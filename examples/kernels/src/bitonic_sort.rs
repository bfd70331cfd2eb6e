//! Bitonic sort of 512 elements by one block, for any type and either order.

use lanework::prelude::*;

const N: u32 = 512;

/// Exchanges two values if they are in the wrong order.
#[device]
fn compare_exchange<T: Number>(a: &mut T, b: &mut T, ascending: bool) {
    if (*a > *b) == ascending {
        (*a, *b) = (*b, *a);
    }
}

/// Sorts `N` elements in place, by one block of `N / 2` threads.
#[kernel]
pub fn bitonic_sort<T: Number, const ASCENDING: bool>(data: &mut [T]) {
    let tile = shared::<T>([N]);
    let t = thread_idx.x;
    for i in [t, t + N / 2] {
        tile[i] = data[i];
    }
    let mut size = 2;
    while size <= N {
        let mut stride = size / 2;
        while stride > 0 {
            sync_threads();
            let low = 2 * t - (t & (stride - 1));
            let up = (low & size) == 0;
            let (mut a, mut b) = (tile[low], tile[low + stride]);
            compare_exchange(&mut a, &mut b, up == ASCENDING);
            tile[low] = a;
            tile[low + stride] = b;
            stride /= 2;
        }
        size *= 2;
    }
    sync_threads();
    for i in [t, t + N / 2] {
        data[i] = tile[i];
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let data = crate::values(N as usize);
    let mut expected = data.clone();
    expected.sort_by(f32::total_cmp);
    for device in crate::devices("bitonic sort") {
        let mut d = device.upload(&data)?;
        bitonic_sort::<f32, true>(&mut d).grid(1).block(N / 2).launch(&device)?;
        assert_eq!(d.download()?, expected);
        bitonic_sort::<f32, false>(&mut d).grid(1).block(N / 2).launch(&device)?;
        assert!(d.download()?.iter().eq(expected.iter().rev()));
    }
    Ok(())
}
