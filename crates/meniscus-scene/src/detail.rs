//! Variants of a scene, such as its size in a paper: tables `[detail.NAME]` of changed keys, chosen by
//! `--set detail=NAME`.
//!
//! A variant is merged key by key, as overrides are, before the tree is checked. The table itself does not stay in the
//! scene: what was run is the scene as merged.

use crate::diagnostic::{Finding, quoted};
use crate::overrides::{self, Key, MAX_DEPTH};
use crate::suggest::{did_you_mean, list};
use crate::tree::{Entry, Node, Place, Table, Value};
use crate::validate;

/// The key of the table in the file, and of the override that chooses.
const KEY: &str = "detail";

/// The variants that a file describes.
#[derive(Debug, Default)]
pub(crate) struct Details {
    variants: Vec<Entry>,
}

/// The name of a variant and where it was written, if override number `text` chooses one: `--set detail=NAME`.
pub(crate) fn choice(text: usize, line: &str) -> Option<Key> {
    let start = overrides::PREFIX.len().min(line.len());
    let (key, value) = line[start..].split_once('=')?;
    let name = value.trim().trim_matches(['"', '\'']);
    let begin = line.len() - value.trim_start().len();
    let place = Place { text, range: begin..line.trim_end().len().max(begin + 1) };
    (key.trim() == KEY).then(|| Key { name: name.to_owned(), place })
}

impl Details {
    /// Takes the variants out of the tree.
    pub fn take(root: &mut Node, findings: &mut Vec<Finding>) -> Self {
        let Value::Table(table) = &mut root.value else { return Self::default() };
        let Some(position) = table.position(KEY) else { return Self::default() };
        let entry = table.entries.remove(position);
        let Value::Table(Table { entries: variants }) = entry.node.value else {
            findings.push(not_a_table(&entry, "`detail` holds tables of changed keys"));
            return Self::default();
        };
        for variant in variants.iter().filter(|variant| variant.node.as_table().is_none()) {
            findings.push(not_a_table(variant, "a variant is a table of changed keys"));
        }
        Self { variants }
    }

    /// Merges the variant of this name into the tree.
    pub fn choose(&self, name: &Key, root: &mut Node, findings: &mut Vec<Finding>) {
        if let Some(variant) = self.variants.iter().find(|variant| variant.key == name.name) {
            merge(variant, root, findings);
            return;
        }
        let names = || self.variants.iter().map(|variant| variant.key.as_str());
        let label = did_you_mean(&name.name, names(), "not described in the scene");
        let help = if self.variants.is_empty() {
            "this scene has none: they are tables such as `[detail.paper]`".to_owned()
        } else {
            format!("this scene has {}", list(names(), "and"))
        };
        let message = format!("the scene has no detail {}", quoted(&name.name));
        findings.push(Finding::new(name.place.clone(), message).label(label).help(help));
    }

    /// Checks variants that were not chosen: their keys must be there and of the right kind.
    pub fn check_all(&self, root: &Node, findings: &mut Vec<Finding>) {
        // What is wrong with the scene itself is said when it is checked, and once is enough.
        if !findings.is_empty() || self.variants.is_empty() || !validate::validate(root).is_empty() {
            return;
        }
        for variant in &self.variants {
            let (mut tree, known) = (root.clone(), findings.len());
            merge(variant, &mut tree, findings);
            if findings.len() == known {
                findings.extend(validate::validate(&tree));
            }
        }
    }
}

fn not_a_table(entry: &Entry, help: &str) -> Finding {
    let message = format!("{} must be a table", quoted(&entry.key));
    Finding::new(entry.node.place.clone(), message).label("expected a table").help(help)
}

fn merge(variant: &Entry, root: &mut Node, findings: &mut Vec<Finding>) {
    if let Some(table) = variant.node.as_table() {
        merge_table(table, &mut Vec::new(), root, findings);
    }
}

/// Merges all values below a table; what is no table is put in place as a whole.
fn merge_table(table: &Table, above: &mut Vec<Key>, root: &mut Node, findings: &mut Vec<Finding>) {
    for entry in &table.entries {
        above.push(Key { name: entry.key.clone(), place: entry.key_place.clone() });
        match &entry.node.value {
            Value::Table(inner) if above.len() < MAX_DEPTH => merge_table(inner, above, root, findings),
            _ => findings.extend(overrides::merge(root, above, entry.node.clone()).err()),
        }
        above.pop();
    }
}
