//! Numerical methods by their names: which there are, and a scene with another one.
//!
//! The names come from the schema, so that a new variant of the model is known here at once.

use crate::diagnostic::quoted;
use crate::model::{BoundarySpec, Pressure, Scene};
use crate::schema::View;
use crate::suggest::{list, nearest};
use serde::{Serialize, de::DeserializeOwned};

/// A key of the scene that chooses a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKey {
    /// How the fluid feels a body: `body.boundary.method`.
    Boundary,
    /// The pressure solver: `fluid.pressure.method`.
    Pressure,
}

/// Why a method cannot be chosen by its name alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MethodError {
    /// There is no such method.
    #[error("{name} is no `{key}`{meant}; there are {allowed}")]
    Unknown {
        /// The key of the scene.
        key: MethodKey,
        /// What was asked for, in quotes.
        name: String,
        /// What was probably meant, as the end of a sentence; else empty.
        meant: String,
        /// All names.
        allowed: String,
    },
    /// The method has parameters without a default.
    #[error("`{name}` cannot be chosen by its name alone: {reason}; give its parameters in the scene")]
    NoDefaults {
        /// The method.
        name: String,
        /// What is missing.
        reason: String,
    },
}

impl std::fmt::Display for MethodKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&format!("{}.method", self.path().join(".")))
    }
}

impl MethodKey {
    fn path(self) -> [&'static str; 2] {
        match self {
            Self::Boundary => ["body", "boundary"],
            Self::Pressure => ["fluid", "pressure"],
        }
    }

    /// The names of all methods, in the order of the model.
    #[must_use]
    pub fn names(self) -> Vec<&'static str> {
        let below = |view: View, key: &str| {
            let found = view.properties(None).into_iter().find(|known| known.0 == key)?.1.resolved();
            Some(found.items().map_or(found, View::resolved))
        };
        let view = self.path().into_iter().try_fold(View::root(), below);
        view.and_then(View::tag).map(|tag| tag.names().collect()).unwrap_or_default()
    }

    /// Whether a method of this name exists.
    ///
    /// # Errors
    /// [`MethodError::Unknown`] with all names if it does not.
    pub fn check(self, name: &str) -> Result<(), MethodError> {
        let names = self.names();
        if names.contains(&name) {
            return Ok(());
        }
        let near = nearest(name, names.iter().copied());
        Err(MethodError::Unknown {
            key: self,
            name: quoted(name),
            meant: near.map(|best| format!(" (did you mean `{best}`?)")).unwrap_or_default(),
            allowed: list(names, "and"),
        })
    }
}

impl Scene {
    /// The scene with this boundary method for every body. A body that has it keeps its parameters, the others get the
    /// method's defaults.
    ///
    /// # Errors
    /// If there is no such method, or it has parameters without defaults.
    pub fn with_boundary(mut self, name: &str) -> Result<Self, MethodError> {
        MethodKey::Boundary.check(name)?;
        for body in &mut self.bodies {
            choose::<BoundarySpec>(&mut body.boundary, name)?;
        }
        Ok(self)
    }

    /// The scene with this pressure solver; one that it has already keeps its parameters.
    ///
    /// # Errors
    /// As [`Scene::with_boundary`].
    pub fn with_pressure(mut self, name: &str) -> Result<Self, MethodError> {
        MethodKey::Pressure.check(name)?;
        choose::<Pressure>(&mut self.fluid.pressure, name)?;
        Ok(self)
    }
}

/// Puts the method of that name with its defaults into `place`, unless it is there already.
fn choose<T: Serialize + DeserializeOwned>(place: &mut T, name: &str) -> Result<(), MethodError> {
    let written = toml::Value::try_from(&*place).ok();
    let present = written.as_ref().and_then(|table| table.get("method")?.as_str());
    if present == Some(name) {
        return Ok(());
    }
    let table = toml::Table::from_iter([("method".to_owned(), toml::Value::String(name.to_owned()))]);
    *place = table.try_into().map_err(|error: toml::de::Error| MethodError::NoDefaults {
        name: name.to_owned(),
        reason: error.message().to_owned(),
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    #[test]
    fn every_name_of_the_schema_can_be_chosen() {
        let scene = load("dam-break-2d", &[]).unwrap();
        for name in MethodKey::Boundary.names() {
            let text = scene.clone().with_boundary(name).unwrap().to_toml().unwrap();
            assert!(text.contains(&format!("[body.boundary]\nmethod = \"{name}\"")), "{text}");
        }
        for name in MethodKey::Pressure.names() {
            let text = scene.clone().with_pressure(name).unwrap().to_toml().unwrap();
            assert!(text.contains(&format!("[fluid.pressure]\nmethod = \"{name}\"")), "{text}");
        }
        assert!(MethodKey::Boundary.names().contains(&"penalty"));
        assert!(MethodKey::Pressure.names().contains(&"dfsph"));
    }

    #[test]
    fn a_method_that_is_there_keeps_its_parameters() {
        let overrides = ["body.0.boundary={method=\"penalty\",stiffness=3.5}".to_owned()];
        let scene = load("dam-break-2d", &overrides).unwrap();
        assert_eq!(scene.clone().with_boundary("penalty").unwrap(), scene);
        let back = scene.with_boundary("direct-forcing").unwrap().with_boundary("penalty").unwrap();
        assert!(matches!(&back.bodies[0].boundary, BoundarySpec::Penalty(p) if p.stiffness.is_none()));
    }

    #[test]
    fn an_unknown_name_is_told_with_all_names() {
        let message = MethodKey::Boundary.check("penalties").unwrap_err().to_string();
        assert!(message.starts_with("`penalties` is no `body.boundary.method` (did you mean `penalty`?)"));
        assert!(MethodKey::Boundary.names().iter().all(|name| message.contains(&format!("`{name}`"))));
        assert!(MethodKey::Pressure.check("").unwrap_err().to_string().contains("`wcsph`"));
    }
}
