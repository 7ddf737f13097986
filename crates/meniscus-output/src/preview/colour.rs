//! Colours in linear light; bytes appear only at the very end.

use glam::Vec3;

/// A colour given as it is written for screens, in linear light.
pub(crate) fn srgb(hex: u32) -> Vec3 {
    let byte = |shift: u32| {
        let value = ((hex >> shift) & 255) as f32 / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    Vec3::new(byte(16), byte(8), byte(0))
}

/// Linear light as the bytes of a screen's pixel.
#[must_use]
pub fn to_bytes(colour: Vec3) -> [u8; 3] {
    colour.to_array().map(|value| {
        let value = value.clamp(0.0, 1.0);
        let encoded =
            if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0 + 0.5) as u8
    })
}

/// From still water to foam, rising evenly in lightness.
const SPEED_STOPS: [u32; 6] = [0x07_2F6B, 0x0B_559F, 0x2A_86C8, 0x66_B4E2, 0xB0_DDF2, 0xF6_FCFF];

/// The colours of speed, tabulated because every particle asks.
pub(crate) struct SpeedColours {
    table: Vec<Vec3>,
}

impl SpeedColours {
    const LAST: usize = 255;

    pub(crate) fn new() -> Self {
        // Interpolating the square root of light is close to what the eye finds even.
        let stops = SPEED_STOPS.map(|hex| srgb(hex).map(f32::sqrt));
        let table = (0..=Self::LAST).map(|i| {
            let place = i as f32 / Self::LAST as f32 * (stops.len() - 1) as f32;
            let stop = (place as usize).min(stops.len() - 2);
            let mixed = stops[stop].lerp(stops[stop + 1], place - stop as f32);
            mixed * mixed
        });
        Self { table: table.collect() }
    }

    /// The colour at a fraction of the scale, 0 to 1.
    pub(crate) fn at(&self, fraction: f32) -> Vec3 {
        // A fraction that is not a number becomes 0.
        self.table[((fraction * Self::LAST as f32) as usize).min(Self::LAST)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screens_get_back_what_was_written_for_them() {
        for hex in SPEED_STOPS {
            let [red, green, blue] = to_bytes(srgb(hex)).map(u32::from);
            assert_eq!(red << 16 | green << 8 | blue, hex);
        }
    }

    #[test]
    fn faster_is_lighter() {
        let colours = SpeedColours::new();
        let lightness = |i: u32| colours.at(i as f32 / 255.0).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        assert!((1..256).all(|i| lightness(i) > lightness(i - 1)));
        assert_eq!(colours.at(f32::NAN), colours.at(0.0));
        assert_eq!(colours.at(7.0), colours.at(1.0));
    }
}
