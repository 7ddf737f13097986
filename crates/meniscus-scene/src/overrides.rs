//! Changes of single keys from the command line: `fluid.pressure.method=dfsph`.
//!
//! An override is merged into the tree before it is checked, with its own text as the place, so that its mistakes are
//! found by the same code as those of the file and shown where they were made.

use crate::diagnostic::{Finding, quoted};
use crate::expect;
use crate::schema::View;
use crate::suggest::{did_you_mean, list};
use crate::syntax;
use crate::tree::{Entry, Importer, Node, Place, Table, Value};
use serde_json::Value as Json;
use std::ops::Range;
use toml::de::DeValue;

/// What stands before an override when it is shown.
pub(crate) const PREFIX: &str = "--set ";

/// Deeper than any key of a scene. A bound, because the tree is walked by recursion.
pub(crate) const MAX_DEPTH: usize = 16;

/// Merges override number `text`, which reads `PREFIX key=value`, into the tree.
pub(crate) fn apply(root: &mut Node, text: usize, line: &str, findings: &mut Vec<Finding>) {
    let start = PREFIX.len().min(line.len());
    let place = |range| Place { text, range };
    let Some(equals) = line[start..].find('=').map(|position| position + start) else {
        let finding =
            Finding::new(place(start..line.len().max(start + 1)), "an override needs a key and a value")
                .label("no `=` here")
                .help("for example `--set time.end=0.5`");
        findings.push(finding);
        return;
    };
    let Some(value) = parse_value(line, equals + 1, text, findings) else { return };
    let keys = split_keys(line, start..equals);
    if let Some(empty) = keys.iter().find(|key| line[(*key).clone()].is_empty()) {
        let range = empty.start..(empty.start + 1).min(line.len());
        findings.push(Finding::new(place(range), "an override has an empty key").label("a name is missing"));
        return;
    }
    if keys.len() > MAX_DEPTH {
        findings.push(
            Finding::new(place(start..equals), "an override has too many keys").label("no scene is so deep"),
        );
        return;
    }
    let keys: Vec<Key> = keys.into_iter().map(|range| key(text, line, range)).collect();
    findings.extend(merge(root, &keys, value).err());
}

/// The value after the equals sign: TOML, or else a bare word that is taken as a string.
fn parse_value(line: &str, start: usize, text: usize, findings: &mut Vec<Finding>) -> Option<Node> {
    let (range, raw) = trim(line, start..line.len());
    let place = Place { text, range: range.start..range.end.max(range.start + 1) };
    if raw.is_empty() {
        findings.push(
            Finding::new(Place { text, range: 0..line.len() }, "an override has no value")
                .label("nothing after `=`"),
        );
        return None;
    }
    match DeValue::parse(raw) {
        Ok(value) => {
            Some(Importer { text, offset: range.start, findings }.value(value.get_ref(), value.span()))
        }
        Err(_) if !raw.starts_with(['[', '{', '"', '\'']) => {
            Some(Node { place, value: Value::String(raw.to_owned()) })
        }
        Err(error) => {
            findings.extend(syntax::findings(&[error], raw, text, range.start));
            None
        }
    }
}

fn trim(line: &str, range: Range<usize>) -> (Range<usize>, &str) {
    let raw = &line[range.clone()];
    let start = range.start + (raw.len() - raw.trim_start().len());
    let trimmed = raw.trim();
    (start..start + trimmed.len(), trimmed)
}

/// The dotted parts of the key.
fn split_keys(line: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut start = range.start;
    let parts = line[range].split('.').map(|part| {
        let whole = start..start + part.len();
        start = whole.end + 1;
        trim(line, whole).0
    });
    parts.collect()
}

fn key(text: usize, line: &str, range: Range<usize>) -> Key {
    Key { name: line[range.clone()].to_owned(), place: Place { text, range } }
}

/// A part of a dotted key, and where it was written.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub name: String,
    pub place: Place,
}

/// Puts a value into the tree under a dotted key, which has at least one part.
pub(crate) fn merge(root: &mut Node, keys: &[Key], value: Node) -> Result<(), Finding> {
    Merge { keys, value }.set(root, View::root(), 0)
}

/// A value on its way to its place in the tree.
struct Merge<'a> {
    keys: &'a [Key],
    value: Node,
}

impl Merge<'_> {
    /// Sets the value below `node`, of which the keys before `depth` have been followed.
    fn set(self, node: &mut Node, view: View, depth: usize) -> Result<(), Finding> {
        let view = view.resolved();
        match &mut node.value {
            Value::Table(table) => self.set_in_table(table, view, depth),
            Value::Array(items) => {
                let index = self.index(items, depth)?;
                let item_view = view.items().unwrap_or(view);
                match items.get_mut(index) {
                    Some(item) if depth + 1 == self.keys.len() => *item = self.value,
                    Some(item) => return self.set(item, item_view, depth + 1),
                    None => {}
                }
                Ok(())
            }
            _ => {
                let found = expect::found(node);
                let message = format!("`{}` is {found} and has no keys", self.path(depth));
                Err(Finding::new(self.place(depth), message).label("nothing to set here"))
            }
        }
    }

    fn set_in_table(self, table: &mut Table, view: View, depth: usize) -> Result<(), Finding> {
        let key = self.key(depth).to_owned();
        let key_place = self.place(depth);
        let property = view.properties(None).into_iter().find(|known| known.0 == key).map(|known| known.1);
        if depth + 1 == self.keys.len() {
            self.replace(table, view, key, key_place);
            return Ok(());
        }
        let position = table.position(&key).unwrap_or_else(|| {
            let node = left_out(property, &key_place);
            table.entries.push(Entry { key, key_place, node });
            table.entries.len() - 1
        });
        let node = &mut table.entries[position].node;
        // Below a key that the schema does not know nothing is known either; the check reports the key itself.
        self.set(node, property.unwrap_or_else(View::unknown), depth + 1)
    }

    /// Puts the value under the key. Another variant takes along only the keys of the file that it knows.
    fn replace(self, table: &mut Table, view: View, key: String, key_place: Place) {
        let position = table.position(&key);
        if let Some(tag) = view.tag().filter(|tag| tag.key == key) {
            let old = position.and_then(|position| table.entries[position].node.as_str());
            let new = self.value.as_str();
            let variant = new.filter(|_| old != new).and_then(|name| tag.variant(name));
            if let Some(variant) = variant {
                let known = view.properties(Some(variant));
                table.entries.retain(|entry| {
                    entry.key_place.text > 0 || known.iter().any(|known| known.0 == entry.key)
                });
            }
        }
        let entry = Entry { key, key_place, node: self.value };
        match table.position(&entry.key) {
            Some(position) => table.entries[position] = entry,
            None => table.entries.push(entry),
        }
    }

    /// The entry of an array that a key names: by its number, from 0, or by its `name`.
    fn index(&self, items: &[Node], depth: usize) -> Result<usize, Finding> {
        let key = self.key(depth);
        let by_name = || items.iter().position(|item| item.string("name") == Some(key));
        let by_number = || key.parse().ok().filter(|&index: &usize| index < items.len());
        if let Some(index) = by_name().or_else(by_number) {
            return Ok(index);
        }
        let names: Vec<&str> = items.iter().filter_map(|item| item.string("name")).collect();
        let message = format!("`{}` has no entry {}", self.path(depth), quoted(key));
        let mut help = match items.len() {
            0 => "it is empty".to_owned(),
            1 => "its only entry is 0".to_owned(),
            count => format!("its entries are 0 to {}", count - 1),
        };
        if !names.is_empty() {
            help = format!("{help}, or by name {}", list(names.iter().copied(), "or"));
        }
        let label = did_you_mean(key, names, "expected a number or a name");
        Err(Finding::new(self.place(depth), message).label(label).help(help))
    }

    fn key(&self, depth: usize) -> &str {
        self.keys.get(depth).map_or("", |key| &key.name)
    }

    fn path(&self, depth: usize) -> String {
        let keys: Vec<&str> = (0..depth).map(|depth| self.key(depth)).collect();
        keys.join(".")
    }

    fn place(&self, depth: usize) -> Place {
        self.keys.get(depth).map_or(Place { text: 0, range: 0..0 }, |key| key.place.clone())
    }
}

/// A value that the file leaves out and of which a part is set. A table begins with the variant that it has by default,
/// so that `fluid.pressure.max_sweeps=50` need not name the method as well; an array begins as the default one.
fn left_out(property: Option<View>, place: &Place) -> Node {
    let default = property.and_then(|view| view.keyword("default"));
    if let Some(Json::Array(items)) = default {
        let items = items.iter().filter_map(Json::as_f64);
        let items = items.map(|number| Node { place: place.clone(), value: Value::Float(number) });
        return Node { place: place.clone(), value: Value::Array(items.collect()) };
    }
    let mut table = Table::default();
    let tag = property.and_then(|view| view.resolved().tag());
    if let (Some(default), Some(tag)) = (default, tag)
        && let Some(name) = default.get(tag.key).and_then(Json::as_str)
    {
        let node = Node { place: place.clone(), value: Value::String(name.to_owned()) };
        table.entries.push(Entry { key: tag.key.to_owned(), key_place: place.clone(), node });
    }
    Node { place: place.clone(), value: Value::Table(table) }
}
