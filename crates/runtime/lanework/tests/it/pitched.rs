//! 2-D copies: rows that are contiguous on the host and pitched on the device.

use lanework::Device;

#[test]
fn pitched_rows_round_trip() {
    for device in Device::for_tests("2-D copies") {
        let mut buffer = device.zeros::<u32>(3 * 8 + 5).expect("memory");
        buffer.upload(&[9; 29]).expect("a copy");
        let host: Vec<u32> = (0..20).collect();
        buffer.upload_2d(&host, 5, 8).expect("a copy");
        let whole = buffer.download().expect("a copy");
        for (row, chunk) in whole.chunks(8).enumerate() {
            assert_eq!(chunk[..5], host[5 * row..][..5]);
            assert!(chunk[5..].iter().all(|&gap| gap == 9), "between rows: {chunk:?}");
        }
        let mut back = vec![0; 20];
        buffer.download_2d(&mut back, 5, 8).expect("a copy");
        assert_eq!(back, host);
    }
}

#[test]
fn copying_zero_rows_does_nothing() {
    for device in Device::for_tests("2-D copies") {
        let mut buffer = device.zeros::<f64>(4).expect("memory");
        buffer.upload_2d(&[], 0, 0).expect("nothing to do");
        buffer.download_2d(&mut [], 3, 8).expect("nothing to do");
    }
}

#[test]
fn rows_start_on_512_bytes() {
    let device = Device::emulator();
    assert_eq!(device.row_pitch::<f32>(1), 128);
    assert_eq!(device.row_pitch::<f32>(128), 128);
    assert_eq!(device.row_pitch::<u8>(513), 1024);
    assert_eq!(device.row_pitch::<f64>(1000), 1024);
}

#[test]
#[should_panic(
    expected = "4 rows of 5 elements at a pitch of 8 do not fit a buffer of 28 elements"
)]
fn rows_past_the_end_are_rejected() {
    let mut buffer = Device::emulator().zeros::<f32>(28).expect("memory");
    let _ = buffer.upload_2d(&[0.0; 20], 5, 8);
}
