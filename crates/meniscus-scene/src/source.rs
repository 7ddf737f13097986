//! From a name on the command line to a checked scene.

use crate::builtin;
use crate::diagnostic::{Finding, SceneError, Text};
use crate::model::Scene;
use crate::suggest::{did_you_mean, list};
use crate::tree::{Importer, Node, Place, Table, Value};
use crate::{build, detail, mesh_path, overrides, semantic, syntax, validate};
use meniscus_coupling::Setup;
use meniscus_geometry::map::FieldCache;
use serde::Deserialize;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::de::DeTable;

/// A scene file has a few kilobytes; reading stops here so that a wrong name cannot fill the memory `[byte]`.
const MAX_FILE_SIZE: u64 = 1 << 20;

/// The text of a scene, before it is checked.
#[derive(Debug, Clone)]
pub struct SceneSource {
    name: String,
    text: Arc<str>,
    folder: Option<PathBuf>,
    overrides: Vec<String>,
    /// Where maps are kept.
    maps: Option<PathBuf>,
}

/// Reads and checks a scene: a file, or a built-in scene by its name.
///
/// A path that exists and a name that ends in `.toml` are files. Each override is `key=value`, such as
/// `fluid.pressure.method=dfsph`. Mesh paths of the result are absolute.
///
/// # Errors
/// With every mistake that was found.
pub fn load(name_or_path: &str, overrides: &[String]) -> Result<Scene, SceneError> {
    SceneSource::open(name_or_path)?.with_overrides(overrides).check()
}

impl SceneSource {
    /// Reads a file, or finds a built-in scene by its name.
    ///
    /// # Errors
    /// If there is neither, or the file cannot be read as text.
    pub fn open(name_or_path: &str) -> Result<Self, SceneError> {
        let path = Path::new(name_or_path);
        let is_toml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        let builtin = builtin::builtin(name_or_path);
        // A folder of results may have a scene's name.
        if is_toml || path.is_file() || (builtin.is_none() && path.exists()) {
            return Self::read(path);
        }
        match builtin {
            Some(text) => Ok(Self::from_text(name_or_path, text)),
            None => Err(unknown_scene(name_or_path)),
        }
    }

    /// A scene whose text is at hand. `name` is what messages call it.
    #[must_use]
    pub fn from_text(name: &str, text: &str) -> Self {
        // A byte order mark is no part of the first line.
        let text = Arc::from(text.trim_start_matches('\u{feff}'));
        Self { name: name.to_owned(), text, folder: None, overrides: Vec::new(), maps: None }
    }

    /// The folder to which mesh paths are relative; without it, the current one.
    #[must_use]
    pub fn with_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    /// What messages call the scene, instead of the path it was read from.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Adds changes of single keys, each `key=value`. A later one wins.
    #[must_use]
    pub fn with_overrides(mut self, overrides: &[String]) -> Self {
        self.overrides.extend_from_slice(overrides);
        self
    }

    /// The folder where density and volume maps are kept and looked for; without it, each build computes them.
    #[must_use]
    pub fn with_map_cache(mut self, folder: Option<&Path>) -> Self {
        self.maps = folder.map(Path::to_owned);
        self
    }

    /// Checks everything that can be known before work starts.
    ///
    /// # Errors
    /// With every mistake that was found.
    pub fn check(&self) -> Result<Scene, SceneError> {
        let texts = self.texts();
        let checked = self.tree(&texts).and_then(|root| self.check_tree(&root));
        checked.map_err(|findings| SceneError::new(findings, &texts))
    }

    /// Checks the scene, reads its meshes and places its particles.
    ///
    /// # Errors
    /// With every mistake that was found.
    pub fn build(&self) -> Result<(Scene, Setup), SceneError> {
        let (scene, setup) = self.survey()?;
        let setup = self.with_maps(&scene, setup)?;
        Ok((scene, setup))
    }

    /// A setup of this scene that was surveyed, with its density and volume maps.
    ///
    /// # Errors
    /// With every map that cannot be made.
    pub fn with_maps(&self, scene: &Scene, setup: Setup) -> Result<Setup, SceneError> {
        let built = build::with_maps(scene, setup, &FieldCache::new(self.maps.as_deref()));
        built.map_err(|error| {
            let texts = self.texts();
            let findings = self.tree(&texts).map_or_else(|findings| findings, |root| error.findings(&root));
            SceneError::new(findings, &texts)
        })
    }

    /// As [`Self::build`], but without density and volume maps, which may take minutes for meshes: whether they can be made is
    /// checked, and [`SphSetup::map_memory`](meniscus_sph::SphSetup::map_memory) says what they take. Without
    /// [`Self::with_maps`] no steps can be taken: bodies with maps are not felt.
    ///
    /// # Errors
    /// With every mistake that was found.
    pub fn survey(&self) -> Result<(Scene, Setup), SceneError> {
        let texts = self.texts();
        let built = self.tree(&texts).and_then(|root| {
            let mut scene = self.check_tree(&root)?;
            let setup = build::survey(&scene).map_err(|error| error.findings(&root))?;
            // What follows from all others is told with the scene.
            if scene.world.bounded {
                scene.world.min = Some(setup.world.min.to_array());
                scene.world.max = Some(setup.world.max.to_array());
            }
            Ok((scene, setup))
        });
        built.map_err(|findings| SceneError::new(findings, &texts))
    }

    fn check_tree(&self, root: &Node) -> Result<Scene, Vec<Finding>> {
        let findings = validate::validate(root);
        if !findings.is_empty() {
            return Err(findings);
        }
        let mut scene = deserialize(root).map_err(|finding| vec![finding])?;
        scene.fluid.settle();
        let mut findings = semantic::check(&scene, root);
        findings.extend(mesh_path::resolve(&mut scene, root, self.folder.as_deref()));
        if findings.is_empty() { Ok(scene) } else { Err(findings) }
    }

    fn read(path: &Path) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let bytes = read_bytes(path).map_err(|message| SceneError::whole(&name, message, None))?;
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(&name, &error))?;
        let folder = path.parent().map(Path::to_owned);
        Ok(Self { folder, ..Self::from_text(&name, &text) })
    }

    /// The file and, as the user wrote them, the overrides.
    fn texts(&self) -> Vec<Text> {
        let file = Text { name: self.name.clone(), text: Arc::clone(&self.text) };
        let overrides = self.overrides.iter().map(|text| Text {
            name: "command line".to_owned(),
            text: Arc::from(format!("{}{text}", overrides::PREFIX)),
        });
        std::iter::once(file).chain(overrides).collect()
    }

    /// The tree of the file with the overrides merged in.
    fn tree(&self, texts: &[Text]) -> Result<Node, Vec<Finding>> {
        let mut findings = Vec::new();
        let (table, errors) = DeTable::parse_recoverable(&self.text);
        findings.extend(syntax::findings(&errors, &self.text, 0, 0));
        let mut root = if findings.is_empty() {
            Importer { text: 0, offset: 0, findings: &mut findings }.table(table.get_ref(), 0..0)
        } else {
            Node { place: Place { text: 0, range: 0..0 }, value: Value::Table(Table::default()) }
        };
        let details = detail::Details::take(&mut root, &mut findings);
        let choices = texts.iter().enumerate().skip(1);
        match choices.rev().find_map(|(index, text)| detail::choice(index, &text.text)) {
            Some(name) => details.choose(&name, &mut root, &mut findings),
            None => details.check_all(&root, &mut findings),
        }
        for (index, text) in texts.iter().enumerate().skip(1) {
            if detail::choice(index, &text.text).is_none() {
                overrides::apply(&mut root, index, &text.text, &mut findings);
            }
        }
        if findings.is_empty() { Ok(root) } else { Err(findings) }
    }
}

fn deserialize(root: &Node) -> Result<Scene, Finding> {
    Scene::deserialize(root.to_toml()).map_err(|error| Finding::new(root.place.clone(), error.message()))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    if path.is_dir() {
        return Err("this is a folder; a scene is a file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(|error| format!("cannot open the scene: {error}"))?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read the scene: {error}"))?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(format!("too large for a scene: more than {MAX_FILE_SIZE} bytes"));
    }
    Ok(bytes)
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> SceneError {
    let start = error.utf8_error().valid_up_to();
    let text = Text { name: name.to_owned(), text: Arc::from(String::from_utf8_lossy(error.as_bytes())) };
    let place = Place { text: 0, range: start..start + 1 };
    let finding =
        Finding::new(place, "this is not UTF-8 text").label("not a character").help("save the file as UTF-8");
    SceneError::new(vec![finding], &[text])
}

fn unknown_scene(name: &str) -> SceneError {
    let names = || builtin::builtins().iter().map(|builtin| builtin.name);
    let hint = did_you_mean(name, names(), "and there is no such file");
    let message = format!("no built-in scene has the name {}: {hint}", crate::diagnostic::quoted(name));
    SceneError::whole(name, message, Some(format!("built-in scenes: {}", list(names(), "and"))))
}
