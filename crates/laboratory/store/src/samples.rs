//! The raw samples of a timed kernel as a blob.
//!
//! Format 1: the byte 1; the number of samples, 32 bits, little-endian; each sample's nanoseconds as a 64-bit float,
//! little-endian, bit for bit; then JSON: an array of `[count, object]`, run-length encoded monitor readings for that
//! many consecutive samples. Monitor readings change more slowly than samples, so the runs are few. A new field in a
//! sample's record needs no new format.

use lanework_lab::TimedSample;
use serde_json::Value;

/// The format version that is written.
const FORMAT: u8 = 1;

/// The monitor readings of a sample, as JSON without the sample's time.
fn beside(sample: &TimedSample) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(sample)?;
    if let Value::Object(fields) = &mut value {
        fields.remove("ns");
    }
    Ok(value)
}

/// Encodes `samples` as a blob.
///
/// # Errors
/// If a sample has no JSON form.
pub fn pack(samples: &[TimedSample]) -> Result<Vec<u8>, serde_json::Error> {
    let mut blob = vec![FORMAT];
    blob.extend((samples.len() as u32).to_le_bytes());
    blob.extend(samples.iter().flat_map(|sample| sample.ns.to_le_bytes()));
    let mut runs: Vec<(u32, Value)> = Vec::new();
    for sample in samples {
        let seen = beside(sample)?;
        match runs.last_mut() {
            Some((count, last)) if *last == seen => *count += 1,
            _ => runs.push((1, seen)),
        }
    }
    blob.extend(serde_json::to_vec(&runs)?);
    Ok(blob)
}

/// Decodes a blob.
///
/// # Errors
/// A description of the defect.
pub fn unpack(blob: &[u8]) -> Result<Vec<TimedSample>, String> {
    let short = || "the samples are cut short".to_owned();
    let (&format, rest) = blob.split_first().ok_or_else(short)?;
    if format != FORMAT {
        return Err(format!("the samples have format {format}"));
    }
    let (count, rest) = rest.split_first_chunk::<4>().ok_or_else(short)?;
    let count = u32::from_le_bytes(*count) as usize;
    let (times, runs) =
        count.checked_mul(8).and_then(|bytes| rest.split_at_checked(bytes)).ok_or_else(short)?;
    let runs: Vec<(usize, Value)> =
        serde_json::from_slice(runs).map_err(|error| format!("the samples: {error}"))?;
    let total = runs.iter().try_fold(0usize, |sum, (count, _)| sum.checked_add(*count));
    if total != Some(count) {
        return Err(format!("{count} samples, but {} of the monitor", total.unwrap_or(0)));
    }
    let seen = runs.iter().flat_map(|(count, seen)| std::iter::repeat_n(seen, *count));
    let times = times
        .chunks_exact(8)
        .map(|bytes| f64::from_le_bytes(bytes.try_into().expect("chunks of eight")));
    times
        .zip(seen)
        .map(|(ns, seen)| {
            let mut value = seen.clone();
            let fields = value.as_object_mut().ok_or("a monitor's record is not an object")?;
            fields.insert("ns".to_owned(), 0.0.into());
            let sample: TimedSample =
                serde_json::from_value(value).map_err(|error| format!("a sample: {error}"))?;
            Ok(TimedSample { ns, ..sample })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<TimedSample> {
        let of = |index: u32| TimedSample {
            ns: 1000.0 + f64::from(index) / 3.0,
            sm_mhz: (!index.is_multiple_of(100)).then_some(1980 - index / 300 * 15),
            watts: Some(411.25),
            throttle: if index > 900 { vec!["power cap".to_owned()] } else { Vec::new() },
            off_clock: index == 17,
            ..TimedSample::default()
        };
        (0..1000).map(of).collect()
    }

    #[test]
    fn samples_come_back_bit_for_bit_and_compact() {
        let samples = some();
        let blob = pack(&samples).expect("a blob");
        assert_eq!(unpack(&blob).expect("samples"), samples);
        assert!(blob.len() < 8 * samples.len() + 4000, "{} bytes", blob.len());
        assert_eq!(unpack(&pack(&[]).expect("a blob")), Ok(Vec::new()));
        let odd = [TimedSample { ns: f64::INFINITY, ..TimedSample::default() }];
        assert_eq!(unpack(&pack(&odd).expect("a blob")).expect("samples"), odd);
    }

    #[test]
    fn a_damaged_blob_is_an_error() {
        let blob = pack(&some()).expect("a blob");
        for length in [0, 1, 4, 5, 100, blob.len() - 1] {
            assert!(unpack(&blob[..length]).is_err(), "{length} bytes");
        }
        let mut newer = blob.clone();
        newer[0] = 2;
        assert_eq!(unpack(&newer), Err("the samples have format 2".to_owned()));
        let mut more = blob;
        more[1] ^= 1;
        assert!(unpack(&more).is_err());
    }
}
