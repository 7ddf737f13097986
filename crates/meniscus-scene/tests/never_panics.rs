//! Whatever the text, checking a scene ends in a scene or in an error that can be shown.

use meniscus_scene::{SceneSource, builtins};
use proptest::prelude::*;

/// Checks, and shows the error if there is one, since showing slices the text as well.
fn survives(text: &str, overrides: &[String]) {
    let checked = SceneSource::from_text("scene.toml", text).with_overrides(overrides).check();
    match checked {
        Ok(scene) => {
            let written = scene.to_toml().unwrap();
            assert_eq!(SceneSource::from_text("written", &written).check().unwrap(), scene);
        }
        Err(error) => assert!(!error.render(true).is_empty()),
    }
}

/// Pieces that lead far into the checks.
const PIECES: [&str; 24] = [
    "[fluid]",
    "[[fluid.source]]",
    "[[body]]",
    "[time]",
    "\n",
    " = ",
    "end",
    "shape",
    "\"box\"",
    "{",
    "}",
    "[",
    "]",
    "1e308",
    "-0.0",
    "nan",
    "9223372036854775807",
    "dimension",
    "2",
    "method",
    "true",
    "\r\n",
    "\u{feff}é",
    "\"\"\"",
];

fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..20_usize, prop::sample::select(&PIECES[..]));
    let scene = prop::sample::select(builtins());
    (scene, prop::collection::vec(edit, 1..5)).prop_map(|(scene, edits)| {
        let mut text = scene.text.to_owned();
        for (at, length, piece) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, piece);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_any_text(text in any::<String>()) {
        survives(&text, &[]);
    }

    #[test]
    fn on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&String::from_utf8_lossy(&bytes), &[]);
    }

    #[test]
    fn on_pieces_of_scenes(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        survives(&pieces.concat(), &[]);
    }

    #[test]
    fn on_mutated_scenes(text in mutated()) {
        survives(&text, &[]);
    }

    #[test]
    fn on_any_override(key in "[a-z0-9.]{0,20}", value in any::<String>(), text in mutated()) {
        survives(&text, &[format!("{key}={value}"), value.clone()]);
        survives(builtins()[0].text, &[format!("{key}={value}"), value]);
    }

    #[test]
    fn on_numbers_of_any_size(spacing in any::<f64>(), end in any::<f64>(), size in any::<f64>()) {
        let overrides = [format!("fluid.spacing={spacing:e}"), format!("time.end={end:e}"), format!("fluid.source.0.max=[{size:e}, 1, 1]")];
        survives(builtins()[0].text, &overrides);
    }
}

#[test]
fn on_many_mistakes_the_first_ones_are_shown() {
    let lines: Vec<String> = (0..20_000).map(|i| format!("key{i} = 1")).collect();
    let text = lines.join("\n");
    let error = SceneSource::from_text("many.toml", &text).check().unwrap_err();
    assert_eq!(error.summary(), "20001 errors in many.toml");
    assert!(error.to_string().contains("and 19951 more"));
}

#[test]
fn on_a_very_long_line() {
    survives(&format!("title = {}", "[1, ".repeat(50_000)), &[]);
    survives(&format!("{} = 1", "x".repeat(500_000)), &[]);
    survives(&format!("[time]\nend = \"{}\"", "é".repeat(200_000)), &[]);
}
