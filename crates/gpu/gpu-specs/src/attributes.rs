//! Attributes of GPUs by the numbers of CUDA's driver.

use crate::{Gpu, specs};

/// Attributes by their `CUdevice_attribute` numbers, as reported by an H200's driver (580.159.04). Missing numbers up to [`LAST`] are 0.
const VALUES: &[(i32, i32)] = &[
    (1, 1024),
    (2, 1024),
    (3, 1024),
    (4, 64),
    (5, i32::MAX),
    (6, 65_535),
    (7, 65_535),
    (8, 49_152),
    (9, 65_536),
    (10, 32),
    (11, i32::MAX),
    (12, 65_536),
    (13, 1_980_000),
    (14, 512),
    (15, 1),
    (16, 132),
    (19, 1),
    (21, 131_072),
    (22, 131_072),
    (23, 65_536),
    (24, 16_384),
    (25, 16_384),
    (26, 16_384),
    (27, 32_768),
    (28, 32_768),
    (29, 2048),
    (30, 512),
    (31, 1),
    (32, 1),
    (36, 3_201_000),
    (37, 6016),
    (38, 62_914_560),
    (39, 2048),
    (40, 3),
    (41, 1),
    (42, 32_768),
    (43, 2048),
    (44, 1),
    (45, 32_768),
    (46, 32_768),
    (47, 8192),
    (48, 8192),
    (49, 32_768),
    (51, 32),
    (52, 32_768),
    (53, 32_768),
    (54, 2046),
    (55, 32_768),
    (56, 131_072),
    (57, 65_536),
    (58, 16_384),
    (59, 16_384),
    (60, 16_384),
    (61, 32_768),
    (62, 2048),
    (63, 32_768),
    (64, 32_768),
    (65, 2048),
    (66, 32_768),
    (67, 32_768),
    (68, 2046),
    (69, 268_435_456),
    (70, 131_072),
    (71, 65_000),
    (72, 2_097_120),
    (73, 32_768),
    (74, 32_768),
    (75, 9),
    (77, 32_768),
    (78, 1),
    (79, 1),
    (80, 1),
    (81, 233_472),
    (82, 65_536),
    (83, 1),
    (87, 2),
    (89, 1),
    (90, 1),
    (91, 1),
    (95, 1),
    (96, 1),
    (97, 232_448),
    (99, 1),
    (102, 1),
    (103, 1),
    (106, 32),
    (107, 1),
    (108, 39_321_600),
    (109, 134_217_728),
    (110, 1),
    (111, 1024),
    (112, 1),
    (113, 1),
    (114, 1),
    (115, 1),
    (116, 1),
    (117, 1),
    (118, 100),
    (119, 9),
    (120, 1),
    (121, 1),
    (122, 1),
    (123, 1),
    (124, 1),
    (125, 1),
    (126, 4),
    (127, 1),
    (128, 1),
    (129, 1),
    (131, -1),
    (139, 590_680_286),
    (140, 415_174_878),
    (141, 1),
    (142, 1),
    (144, 1),
    (145, 1),
];

/// The last known attribute.
const LAST: i32 = 147;

/// The value of an attribute of a GPU by its `CUdevice_attribute` number; `None` if the number is unknown. The PCI bus, number 33,
/// depends on the machine and is 0.
///
/// An H200 has the values that its driver reports. The values of other GPUs follow from the table of specifications
/// and from the compute capability (the table of features in the CUDA C++ Programming Guide).
///
/// ```
/// use lanework_gpu_specs::{device_attribute, specs};
/// let h200 = specs().gpu("H200").expect("known");
/// assert_eq!(device_attribute(16, h200), Some(132));
/// ```
pub fn device_attribute(attribute: i32, gpu: &Gpu) -> Option<i32> {
    match attribute {
        1..=LAST => {
            let measured = VALUES.iter().find(|(number, _)| *number == attribute);
            let measured = measured.map_or(0, |(_, value)| *value);
            Some(derived(attribute, gpu, measured).unwrap_or(measured))
        }
        _ => None,
    }
}

/// An attribute derived from the specifications of a GPU other than the H200, given the H200's value; `None` if both are equal.
fn derived(attribute: i32, gpu: &Gpu, measured: i32) -> Option<i32> {
    let limits = specs().architecture(gpu.capability());
    if gpu.name == "H200" {
        return None;
    }
    let (major, minor) = gpu.capability();
    let (major, minor) = (major as i32, minor as i32);
    let l2 = gpu.l2_mb << 20;
    // Features that a compute capability introduced: the H200's value from that capability on, and 0 before.
    let since = |first: i32| Some(if major >= first { measured } else { 0 });
    let value = match attribute {
        13 => gpu.clock_mhz * 1000,
        16 => gpu.multiprocessors,
        32 => u32::from(!gpu.geforce), // ECC
        36 => gpu.memory_clock_khz(),
        37 => gpu.memory_bus_bits,
        38 => l2,
        39 => limits.threads_per_sm,
        40 => 2,                    // copy engines
        69 if major < 7 => 1 << 27, // width of a linear texture
        75 => return Some(major),
        76 => return Some(minor),
        81 => limits.shared_per_sm,
        87 => limits.fp32_per_sm / limits.fp64_per_sm.max(1),
        97 => limits.shared_per_block,
        106 => limits.blocks_per_sm,
        // L2 persistence (five eighths of L2, as on an H200), and shared memory reserved by the system.
        108 if major >= 8 => l2 / 8 * 5,
        108 | 109 | 111 => return since(8),
        // Cluster launch, tensor maps.
        120 | 127 => return since(9),
        139 => u32::from_str_radix(&gpu.pci_device, 16).map_or(0, |device| device << 16 | 0x10de),
        140 => 0, // board ID unknown
        _ => return None,
    };
    i32::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_model(name: &str, attribute: i32) -> i32 {
        let gpu = specs().gpu(name).expect("known");
        device_attribute(attribute, gpu).expect("a known number")
    }

    #[test]
    fn other_gpus_have_their_own_limits_and_features() {
        // Capability, multiprocessors, opt-in shared memory, blocks, single to double precision, clusters, tensor maps.
        let asked = [75, 76, 16, 97, 106, 87, 120, 127];
        assert_eq!(asked.map(|number| of_model("L20", number)), [8, 9, 92, 101_376, 24, 64, 0, 0]);
        assert_eq!(
            asked.map(|number| of_model("GTX 1080", number)),
            [6, 1, 20, 49_152, 32, 32, 0, 0]
        );
        assert_eq!(asked.map(|number| of_model("A100", number)), [8, 0, 108, 166_912, 32, 2, 0, 0]);
        assert_eq!(asked.map(|number| of_model("H100", number)), [9, 0, 132, 232_448, 32, 2, 1, 1]);
        // `deviceQuery` reports 26,214,400 bytes of persisting L2 on an A100.
        assert_eq!(of_model("A100", 108), 26_214_400);
    }

    #[test]
    fn the_table_matches_the_driver_of_an_h200() {
        let gpu = specs().gpu("H200").expect("known");
        let other = Gpu { name: "Other".to_owned(), ..gpu.clone() };
        for (attribute, measured) in VALUES {
            // Memory clock (from the nominal bandwidth), copy engines, and the board.
            if ![36, 40, 140].contains(attribute) {
                let found = derived(*attribute, &other, *measured).unwrap_or(*measured);
                assert_eq!(found, *measured, "attribute {attribute}");
            }
        }
    }
}
