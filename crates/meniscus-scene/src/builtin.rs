//! Scenes that come with the program.

use std::sync::LazyLock;

/// A scene that comes with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builtin {
    /// The name to run it by.
    pub name: &'static str,
    /// What it shows, in one line: the title of the scene.
    pub summary: String,
    /// The scene file.
    pub text: &'static str,
}

macro_rules! scenes {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../scenes/", $folder, $name, ".toml")))),*]
    };
}

/// Names and texts, in the order in which they are listed.
const TEXTS: [&[(&str, &str)]; 2] = [
    scenes!["":
        "dam-break",
        "dam-break-2d",
        "hydrostatic",
        "drop",
        "fountain",
        "blob",
        "cavity",
        "plume",
        "karman",
        "domino",
        "rings",
        "bones",
        "see-saw",
        "plank",
        "stack",
        "billiards",
        "curtain",
        "jelly",
        "bench-dam-100k",
        "bench-dam-500k",
    ],
    scenes!["papers/":
        "becker-2009/ship-penalty",
        "becker-2009/ship-local",
        "becker-2009/ship-global",
        "becker-2009/vessel",
        "becker-2009/slip-ramp",
        "becker-2009/impact",
        "becker-2009/cuboids",
        "becker-2009/sphere-thin",
        "becker-2009/sphere-thick",
        "becker-2009/stone-local",
        "becker-2009/stone-global",
        "becker-2009/flotsam",
        "koschier-2017/incline-maps",
        "koschier-2017/incline-samples",
        "koschier-2017/sphere-maps",
        "koschier-2017/sphere-samples",
        "koschier-2017/obstacles",
        "koschier-2017/dragon",
        "koschier-2017/wheels",
        "koschier-2017/bodies",
        "koschier-2017/hollow-spheres",
        "koschier-2017/ball-density",
        "wang-2017/statue",
    ],
];

static BUILTINS: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
    let builtins =
        TEXTS.iter().copied().flatten().map(|&(name, text)| Builtin { name, summary: title(text), text });
    builtins.collect()
});

/// All scenes that come with the program.
#[must_use]
pub fn builtins() -> &'static [Builtin] {
    &BUILTINS
}

/// The text of a scene that comes with the program.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static str> {
    TEXTS.iter().copied().flatten().find(|scene| scene.0 == name).map(|scene| scene.1)
}

fn title(text: &str) -> String {
    let table: toml::Table = text.parse().unwrap_or_default();
    table.get("title").and_then(toml::Value::as_str).unwrap_or_default().to_owned()
}
