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
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../scenes/", $name, ".toml")))),*]
    };
}

const TEXTS: [(&str, &str); 15] = scenes![
    "dam-break",
    "dam-break-2d",
    "hydrostatic",
    "drop",
    "fountain",
    "blob",
    "domino",
    "rings",
    "bones",
    "see-saw",
    "plank",
    "stack",
    "billiards",
    "bench-dam-100k",
    "bench-dam-500k",
];

static BUILTINS: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
    let builtins = TEXTS.iter().map(|&(name, text)| Builtin { name, summary: title(text), text });
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
    TEXTS.iter().find(|scene| scene.0 == name).map(|scene| scene.1)
}

fn title(text: &str) -> String {
    let table: toml::Table = text.parse().unwrap_or_default();
    table.get("title").and_then(toml::Value::as_str).unwrap_or_default().to_owned()
}
