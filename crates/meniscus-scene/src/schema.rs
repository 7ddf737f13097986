//! The JSON schema of a scene, and the questions the checks ask it.

use serde_json::Value as Json;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Json> = LazyLock::new(|| schemars::schema_for!(crate::model::Scene).to_value());

/// The JSON schema of scene files, for editors.
#[must_use]
pub fn json_schema() -> Json {
    SCHEMA.clone()
}

/// What the schema says about one value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    node: &'static Json,
}

/// The key that selects a variant, and the variants by name.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub key: &'static str,
    pub variants: Vec<(&'static str, View)>,
}

impl Tag {
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.variants.iter().map(|variant| variant.0)
    }

    pub fn variant(&self, name: &str) -> Option<View> {
        self.variants.iter().find(|variant| variant.0 == name).map(|variant| variant.1)
    }
}

impl View {
    /// The whole scene.
    pub fn root() -> Self {
        Self { node: &SCHEMA }.resolved()
    }

    /// A value about which the schema says nothing.
    pub fn unknown() -> Self {
        Self { node: &Json::Null }
    }

    /// The value of a keyword of the schema.
    pub fn keyword(self, name: &str) -> Option<&'static Json> {
        self.node.get(name)
    }

    /// Follows references, and looks through `null` as the other choice: TOML has none, so a key is simply left out.
    pub fn resolved(self) -> Self {
        if let Some(target) = self.keyword("$ref").and_then(Json::as_str) {
            let pointer = target.trim_start_matches('#');
            return SCHEMA.pointer(pointer).map_or(self, |node| Self { node }.resolved());
        }
        match self.alternatives().as_slice() {
            [only] => only.resolved(),
            _ => self,
        }
    }

    /// The schemas of which a value must fit any one.
    pub fn alternatives(self) -> Vec<Self> {
        let all = self.keyword("anyOf").and_then(Json::as_array).into_iter().flatten();
        all.map(|node| Self { node })
            .filter(|view| view.keyword("type").is_none_or(|kind| kind != "null"))
            .collect()
    }

    /// The JSON type: of a type with `null`, the other one.
    pub fn kind(self) -> Option<&'static str> {
        match self.keyword("type")? {
            Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).find(|&kind| kind != "null"),
            kind => kind.as_str(),
        }
    }

    /// The values of an enumeration.
    pub fn choices(self) -> Vec<&'static Json> {
        if let Some(Json::Array(choices)) = self.keyword("enum") {
            return choices.iter().collect();
        }
        self.one_of().filter_map(|view| view.keyword("const")).collect()
    }

    /// The variants of a table, if a key selects them.
    pub fn tag(self) -> Option<Tag> {
        let mut key = None;
        let mut variants = Vec::new();
        for view in self.one_of() {
            let (tag, name) = view
                .own_properties()
                .find_map(|(name, view)| Some((name, view.keyword("const")?.as_str()?)))?;
            key = Some(tag);
            variants.push((name, view));
        }
        Some(Tag { key: key?, variants })
    }

    /// Whether a value of this schema is a table.
    pub fn is_table(self) -> bool {
        self.kind() == Some("object") || self.tag().is_some()
    }

    /// The schema of the entries of an array.
    pub fn items(self) -> Option<Self> {
        self.keyword("items").map(|node| Self { node })
    }

    /// A count or limit of the schema.
    pub fn number(self, keyword: &str) -> Option<f64> {
        self.keyword(keyword).and_then(Json::as_f64)
    }

    /// The keys of a table of this schema and of one of its variants; without a variant, those of all variants.
    pub fn properties(self, variant: Option<View>) -> Vec<(&'static str, View)> {
        let mut all: Vec<(&'static str, View)> = Vec::new();
        let variants = match variant {
            Some(view) => vec![view],
            None => self.one_of().collect(),
        };
        for (name, view) in variants.into_iter().flat_map(Self::own_properties).chain(self.own_properties()) {
            if !all.iter().any(|known| known.0 == name) {
                all.push((name, view));
            }
        }
        all
    }

    /// The keys that a table of this schema and of one of its variants must have.
    pub fn required(self, variant: Option<View>) -> Vec<&'static str> {
        let views = variant.into_iter().chain([self]);
        let lists = views.filter_map(|view| view.keyword("required")?.as_array());
        lists.flatten().filter_map(Json::as_str).collect()
    }

    fn one_of(self) -> impl Iterator<Item = Self> {
        let all = self.keyword("oneOf").and_then(Json::as_array).into_iter().flatten();
        all.map(|node| Self { node })
    }

    fn own_properties(self) -> impl Iterator<Item = (&'static str, Self)> {
        let all = self.keyword("properties").and_then(Json::as_object).into_iter().flatten();
        all.map(|(name, node)| (name.as_str(), Self { node }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(view: View, key: &str) -> View {
        view.properties(None).into_iter().find(|known| known.0 == key).unwrap().1.resolved()
    }

    #[test]
    fn methods_are_variants_with_their_own_keys() {
        let pressure = property(property(View::root(), "fluid"), "pressure");
        let tag = pressure.tag().unwrap();
        assert_eq!(tag.key, "method");
        assert_eq!(tag.names().collect::<Vec<_>>(), ["dfsph", "wcsph", "pcisph", "iisph"]);
        let keys = pressure.properties(tag.variant("wcsph"));
        let keys: Vec<_> = keys.iter().map(|known| known.0).collect();
        assert_eq!(keys, ["method", "exponent", "sound_speed", "clamp_negative"]);
    }

    #[test]
    fn every_key_has_a_description() {
        fn visit(node: &Json, path: &str) {
            if let Some(properties) = node.get("properties").and_then(Json::as_object) {
                for (name, property) in properties {
                    let tag = property.get("const").is_some();
                    assert!(tag || property.get("description").is_some(), "{path}.{name} has no description");
                }
            }
            match node {
                Json::Object(map) => {
                    map.iter().for_each(|(key, child)| visit(child, &format!("{path}.{key}")));
                }
                Json::Array(items) => items.iter().for_each(|child| visit(child, path)),
                _ => {}
            }
        }
        visit(&json_schema(), "");
    }
}
