//! Checks the tree of a scene against the schema and reports every mistake.
//!
//! Serde would stop at the first one. The schema is made from the same types, so that what passes here is what serde
//! accepts.

use crate::diagnostic::{Finding, quoted};
use crate::expect;
use crate::schema::{Tag, View};
use crate::suggest::{did_you_mean, list, nearest};
use crate::tree::{Entry, Node, Table, Value};
use serde_json::Value as Json;

/// All mistakes of a scene that can be found from the schema alone.
pub(crate) fn validate(root: &Node) -> Vec<Finding> {
    let mut findings = Vec::new();
    Validator { findings: &mut findings }.value(root, View::root(), "");
    findings
}

/// How many unknown keys of a table are compared with its missing ones `[1]`.
const MAX_COMPARED: usize = 16;

struct Validator<'a> {
    findings: &'a mut Vec<Finding>,
}

impl Validator<'_> {
    fn value(&mut self, node: &Node, view: View, path: &str) {
        let view = view.resolved();
        let alternatives = view.alternatives();
        if !alternatives.is_empty() {
            match alternatives.into_iter().find(|&view| expect::fits(node, view.resolved())) {
                Some(view) => self.value(node, view, path),
                None => self.wrong_type(node, view, path),
            }
            return;
        }
        match &node.value {
            _ if !expect::fits(node, view) => self.wrong_type(node, view, path),
            Value::Table(table) => self.table(node, table, view, path),
            Value::Array(items) => self.array(node, items, view, path),
            _ if !view.choices().is_empty() => self.choice(node, view, path),
            Value::Integer(number) => self.range(node, *number as f64, view, path),
            Value::Float(number) => self.range(node, *number, view, path),
            _ => {}
        }
    }

    fn table(&mut self, node: &Node, table: &Table, view: View, path: &str) {
        let tag = view.tag();
        let variant = match &tag {
            Some(tag) => self.variant(node, table, tag, path),
            None => None,
        };
        let known = view.properties(variant);
        for entry in &table.entries {
            let child = join(path, &entry.key);
            match known.iter().find(|known| known.0 == entry.key) {
                // The tag itself has been checked when the variant was chosen.
                Some(_) if tag.as_ref().is_some_and(|tag| tag.key == entry.key) => {}
                Some((_, view)) => self.value(&entry.node, *view, &child),
                None => self.unknown_key(entry, &known, tag.as_ref(), path),
            }
        }
        self.missing_keys(node, table, view, variant, path);
    }

    /// The variant that the tag of a table names.
    fn variant(&mut self, node: &Node, table: &Table, tag: &Tag, path: &str) -> Option<View> {
        let help = || format!("`{}` is one of {}", tag.key, list(tag.names(), "or"));
        let Some(entry) = table.get(tag.key) else {
            let message = format!("missing key `{}`{}", tag.key, inside(path));
            self.findings.push(Finding::new(node.place.clone(), message).label("in this table").help(help()));
            return None;
        };
        let place = entry.node.place.clone();
        let Some(name) = entry.node.as_str() else {
            let found = expect::found(&entry.node);
            let message = format!("`{}` must be a string, found {found}", join(path, tag.key));
            self.findings.push(Finding::new(place, message).label("expected a string").help(help()));
            return None;
        };
        let variant = tag.variant(name);
        if variant.is_none() {
            let message = format!("unknown {} {}{}", tag.key, quoted(name), inside(path));
            let label = did_you_mean(name, tag.names(), "not known");
            self.findings.push(Finding::new(place, message).label(label).help(help()));
        }
        variant
    }

    fn unknown_key(&mut self, entry: &Entry, known: &[(&'static str, View)], tag: Option<&Tag>, path: &str) {
        let message = format!("unknown key {}{}", quoted(&entry.key), inside(path));
        let names = || known.iter().map(|known| known.0);
        let label = did_you_mean(&entry.key, names(), "not known here");
        let mut help = format!("allowed keys here: {}", list(names(), "and"));
        if let Some(tag) = tag {
            let owners = tag.variants.iter().filter(|(_, view)| has_property(*view, &entry.key));
            let owners: Vec<String> = owners.map(|(name, _)| format!("{} = \"{name}\"", tag.key)).collect();
            if !owners.is_empty() {
                let owners = list(owners.iter().map(String::as_str), "or");
                help = format!("`{}` belongs to {owners}; {help}", entry.key);
            }
        }
        self.findings.push(Finding::new(entry.key_place.clone(), message).label(label).help(help));
    }

    fn missing_keys(&mut self, node: &Node, table: &Table, view: View, variant: Option<View>, path: &str) {
        let tag = view.tag().map(|tag| tag.key);
        let properties = view.properties(variant);
        let names = || properties.iter().map(|known| known.0);
        let keys = table.entries.iter().map(|entry| entry.key.as_str());
        let unknown: Vec<&str> =
            keys.filter(|key| !names().any(|known| known == *key)).take(MAX_COMPARED).collect();
        for key in view.required(variant) {
            // A missing tag has been reported when the variant was looked for, a misspelt key as unknown.
            let misspelt = || unknown.iter().any(|unknown| nearest(unknown, names()) == Some(key));
            if tag == Some(key) || table.get(key).is_some() || misspelt() {
                continue;
            }
            let property = properties.iter().find(|known| known.0 == key).map(|known| known.1);
            let message = format!("missing key `{key}`{}", inside(path));
            let mut finding = Finding::new(node.place.clone(), message).label("in this table");
            if let Some(property) = property {
                finding = finding.help(expect::describe_key(key, property));
            }
            self.findings.push(finding);
        }
    }

    fn array(&mut self, node: &Node, items: &[Node], view: View, path: &str) {
        let count = items.len() as f64;
        let too_few = view.number("minItems").is_some_and(|min| count < min);
        let too_many = view.number("maxItems").is_some_and(|max| count > max);
        if too_few || too_many {
            let plural = if items.len() == 1 { "y" } else { "ies" };
            let message = format!("`{path}` has {} entr{plural}", items.len());
            let finding = Finding::new(node.place.clone(), message)
                .label(format!("expected {}", expect::describe(view)))
                .help(expect::example(path, view));
            self.findings.push(finding);
        }
        if let Some(view) = view.items() {
            for (index, item) in items.iter().enumerate() {
                self.value(item, view, &format!("{path}[{index}]"));
            }
        }
    }

    fn choice(&mut self, node: &Node, view: View, path: &str) {
        let choices = view.choices();
        let chosen = match &node.value {
            Value::String(text) => Json::from(text.as_str()),
            Value::Integer(number) => Json::from(*number),
            _ => return,
        };
        if choices.contains(&&chosen) {
            return;
        }
        let names: Vec<String> = choices.iter().map(|choice| plain(choice)).collect();
        let names = || names.iter().map(String::as_str);
        let message = format!("{} is not allowed for `{path}`", quoted(&plain(&chosen)));
        let label = node
            .as_str()
            .map_or_else(|| "not one of the values".into(), |text| did_you_mean(text, names(), "not known"));
        let help = format!("allowed: {}", list(names(), "or"));
        self.findings.push(Finding::new(node.place.clone(), message).label(label).help(help));
    }

    fn range(&mut self, node: &Node, number: f64, view: View, path: &str) {
        let inside = view.number("minimum").is_none_or(|min| number >= min)
            && view.number("exclusiveMinimum").is_none_or(|min| number > min)
            && view.number("maximum").is_none_or(|max| number <= max);
        if inside {
            return;
        }
        let allowed = expect::range(view);
        let finding = Finding::new(node.place.clone(), format!("`{path}` is out of range"))
            .label(format!("must be {allowed}"))
            .help(expect::example(path, view));
        self.findings.push(finding);
    }

    fn wrong_type(&mut self, node: &Node, view: View, path: &str) {
        let (expected, found) = (expect::describe(view), expect::found(node));
        let message = if path.is_empty() { "the scene".to_owned() } else { format!("`{path}`") };
        let finding =
            Finding::new(node.place.clone(), format!("{message} must be {expected}, found {found}"))
                .label(format!("expected {expected}"))
                .help(expect::example(path, view));
        self.findings.push(finding);
    }
}

fn has_property(view: View, key: &str) -> bool {
    view.properties(None).iter().any(|known| known.0 == key)
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn inside(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" in `{path}`") }
}

fn plain(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}
