//! Places labels next to marks without covering marks or other labels: each takes the first free position of a few
//! around its mark (greedy, as in Christensen, Marks and Shieber 1995). A label without a free position is omitted;
//! its mark keeps its tooltip.

/// Estimated width of a text in a drawing: Latin letters are narrower than Han characters.
pub fn width(text: &str, size: f64) -> f64 {
    let of = |letter: char| match letter {
        'i' | 'l' | 'j' | '.' | ',' | ' ' | '|' | '\'' => 0.36,
        'm' | 'w' | 'M' | 'W' => 0.92,
        letter if letter.is_ascii_uppercase() => 0.72,
        letter if letter as u32 > 0x2e80 => 1.02,
        _ => 0.62,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// A rectangle: left, top, right, bottom.
pub type Area = [f64; 4];

fn overlap(a: &Area, b: &Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// The occupied areas of a drawing.
#[derive(Debug)]
pub struct Taken {
    areas: Vec<Area>,
    frame: Area,
}

impl Taken {
    /// A frame without occupied areas.
    pub fn within(frame: Area) -> Taken {
        Taken { areas: Vec::new(), frame }
    }

    /// Marks an area as occupied.
    pub fn take(&mut self, area: Area) {
        self.areas.push(area);
    }

    /// Whether the area is free and inside the frame.
    pub fn free(&self, wanted: &Area) -> bool {
        let frame = self.frame;
        let inside = wanted[0] >= frame[0]
            && wanted[1] >= frame[1]
            && wanted[2] <= frame[2]
            && wanted[3] <= frame[3];
        inside && self.areas.iter().all(|taken| !overlap(taken, wanted))
    }

    /// Finds and occupies a free position next to a mark for a text of this width; returns the start of its baseline.
    pub fn beside(&mut self, (x, y): (f64, f64), width: f64, size: f64) -> Option<(f64, f64)> {
        let gap = 9.0;
        let (middle, half) = (y + 0.35 * size, width / 2.0);
        let (above, below) = (y - gap, y + gap + 0.75 * size);
        let (right, left) = (x + gap, x - gap - width);
        let places = [
            (right, middle),
            (left, middle),
            (x - half, above),
            (x - half, below),
            (right, above),
            (right, below),
            (left, above),
            (left, below),
            (right, y - 2.0 * gap - 4.0),
            (left, y - 2.0 * gap - 4.0),
            (right, y + 2.0 * gap + 12.0),
            (left, y + 2.0 * gap + 12.0),
        ];
        let area = |(left, base): (f64, f64)| {
            [left - 1.0, base - 0.9 * size, left + width + 1.0, base + 0.28 * size]
        };
        let found = places.into_iter().find(|place| self.free(&area(*place)))?;
        self.take(area(found));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cover_neither_each_other_nor_leave_the_frame() {
        let mut taken = Taken::within([0.0, 0.0, 200.0, 100.0]);
        let mut areas: Vec<Area> = Vec::new();
        for index in 0..12 {
            let at = (100.0 + f64::from(index), 50.0);
            if let Some((x, y)) = taken.beside(at, 50.0, 12.0) {
                let one = [x, y - 0.85 * 12.0, x + 50.0, y + 3.0];
                assert!(areas.iter().all(|other| !overlap(other, &one)));
                assert!(one[0] >= 0.0 && one[2] <= 200.0 && one[1] >= 0.0 && one[3] <= 100.0);
                areas.push(one);
            }
        }
        assert!((3..12).contains(&areas.len()), "{}", areas.len());
        assert!(width("核函数", 12.0) > width("abc", 12.0));
    }
}
