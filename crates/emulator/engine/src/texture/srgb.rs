//! Colours of sRGB as linear ones (IEC 61966-2-1), before they are filtered.

use std::sync::OnceLock;

/// The linear value of a channel of 8 bits. A GPU's table may differ in the last bits; it was not measured.
pub fn linear(channel: u8) -> f32 {
    static TABLE: OnceLock<[f32; 256]> = OnceLock::new();
    TABLE.get_or_init(|| std::array::from_fn(|channel| of(channel as f64 / 255.0) as f32))
        [usize::from(channel)]
}

fn of(value: f64) -> f64 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_stay_the_curve_rises_and_half_of_the_light_is_at_188() {
        assert_eq!([linear(0), linear(255)], [0.0, 1.0]);
        assert!((1..=255).all(|channel| linear(channel - 1) < linear(channel)));
        assert!((linear(188) - 0.502_886_5).abs() < 1e-6, "{}", linear(188));
        // Below the knee it is a line.
        assert_eq!(linear(10), (10.0 / 255.0 / 12.92) as f32);
    }
}
