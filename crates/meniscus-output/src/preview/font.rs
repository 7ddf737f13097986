//! A small alphabet, five by seven pixels a letter.

/// Width of a letter `[pixel]`.
pub(crate) const WIDTH: usize = 5;
/// Height of a letter, with one row below the line for tails `[pixel]`.
pub(crate) const HEIGHT: usize = 8;
/// From one letter to the next `[pixel]`.
pub(crate) const ADVANCE: usize = WIDTH + 1;

/// Rows from the top, the leftmost pixel is bit 4. Letters without a shape become a small box.
pub(crate) fn glyph(letter: char) -> [u8; HEIGHT] {
    let text = shape(letter);
    let mut rows = [0; HEIGHT];
    for (row, digits) in rows.iter_mut().zip(text.split(' ')) {
        *row = u8::from_str_radix(digits, 16).unwrap_or(0);
    }
    rows
}

/// The rows in hexadecimal.
#[allow(clippy::too_many_lines, reason = "a table")]
fn shape(letter: char) -> &'static str {
    match letter {
        ' ' => "0",
        '!' => "4 4 4 4 4 0 4",
        '"' => "A A",
        '%' => "19 1A 2 4 8 B 13",
        '\'' | '’' => "4 4",
        '(' => "2 4 8 8 8 4 2",
        ')' => "8 4 2 2 2 4 8",
        '*' => "0 15 E 1F E 15",
        '+' => "0 4 4 1F 4 4",
        ',' => "0 0 0 0 0 4 4 8",
        '-' => "0 0 0 E",
        '–' | '—' => "0 0 0 1F",
        '.' => "0 0 0 0 0 0 4",
        '·' => "0 0 0 4",
        '/' => "1 1 2 4 8 10 10",
        '0' => "E 11 11 15 11 11 E",
        '1' => "4 C 4 4 4 4 E",
        '2' => "E 11 1 2 4 8 1F",
        '3' => "1F 2 4 2 1 11 E",
        '4' => "2 6 A 12 1F 2 2",
        '5' => "1F 10 1E 1 1 11 E",
        '6' => "6 8 10 1E 11 11 E",
        '7' => "1F 1 2 4 8 8 8",
        '8' => "E 11 11 E 11 11 E",
        '9' => "E 11 11 F 1 2 C",
        ':' => "0 0 4 0 0 4",
        ';' => "0 0 4 0 0 4 4 8",
        '<' => "2 4 8 10 8 4 2",
        '=' => "0 0 1F 0 1F",
        '>' => "8 4 2 1 2 4 8",
        '?' => "E 11 1 2 4 0 4",
        'A' => "E 11 11 1F 11 11 11",
        'B' => "1E 11 11 1E 11 11 1E",
        'C' => "E 11 10 10 10 11 E",
        'D' => "1C 12 11 11 11 12 1C",
        'E' => "1F 10 10 1E 10 10 1F",
        'F' => "1F 10 10 1E 10 10 10",
        'G' => "E 11 10 17 11 11 F",
        'H' => "11 11 11 1F 11 11 11",
        'I' => "E 4 4 4 4 4 E",
        'J' => "7 2 2 2 2 12 C",
        'K' => "11 12 14 18 14 12 11",
        'L' => "10 10 10 10 10 10 1F",
        'M' => "11 1B 15 15 11 11 11",
        'N' => "11 19 15 13 11 11 11",
        'O' => "E 11 11 11 11 11 E",
        'P' => "1E 11 11 1E 10 10 10",
        'Q' => "E 11 11 11 15 12 D",
        'R' => "1E 11 11 1E 14 12 11",
        'S' => "F 10 10 E 1 1 1E",
        'T' => "1F 4 4 4 4 4 4",
        'U' => "11 11 11 11 11 11 E",
        'V' => "11 11 11 11 A A 4",
        'W' => "11 11 11 15 15 1B 11",
        'X' => "11 11 A 4 A 11 11",
        'Y' => "11 11 A 4 4 4 4",
        'Z' => "1F 1 2 4 8 10 1F",
        '[' => "E 8 8 8 8 8 E",
        ']' => "E 2 2 2 2 2 E",
        '_' => "0 0 0 0 0 0 1F",
        'a' => "0 0 E 1 F 11 F",
        'b' => "10 10 1E 11 11 11 1E",
        'c' => "0 0 F 10 10 10 F",
        'd' => "1 1 F 11 11 11 F",
        'e' => "0 0 E 11 1F 10 E",
        'f' => "6 8 1E 8 8 8 8",
        'g' => "0 0 F 11 11 F 1 E",
        'h' => "10 10 1E 11 11 11 11",
        'i' => "4 0 C 4 4 4 E",
        'j' => "2 0 6 2 2 2 12 C",
        'k' => "10 10 12 14 18 14 12",
        'l' => "C 4 4 4 4 4 E",
        'm' => "0 0 1A 15 15 15 15",
        'n' => "0 0 1E 11 11 11 11",
        'o' => "0 0 E 11 11 11 E",
        'p' => "0 0 1E 11 11 1E 10 10",
        'q' => "0 0 F 11 11 F 1 1",
        'r' => "0 0 16 18 10 10 10",
        's' => "0 0 F 10 E 1 1E",
        't' => "8 8 1E 8 8 8 6",
        'u' => "0 0 11 11 11 11 F",
        'v' => "0 0 11 11 11 A 4",
        'w' => "0 0 11 15 15 15 A",
        'x' => "0 0 11 A 4 A 11",
        'y' => "0 0 11 11 11 F 1 E",
        'z' => "0 0 1F 2 4 8 1F",
        _ => "0 E A A A E",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_fits_its_box_and_differs() {
        let letters: Vec<char> = (' '..='~').filter(char::is_ascii_alphanumeric).collect();
        let shapes: std::collections::BTreeSet<_> = letters.iter().map(|&letter| glyph(letter)).collect();
        assert_eq!(shapes.len(), letters.len());
        assert!(shapes.iter().flatten().all(|&row| row < 1 << WIDTH));
    }
}
