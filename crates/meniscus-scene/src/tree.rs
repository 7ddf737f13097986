//! The scene as a tree in which every key and value knows where it was written.
//!
//! The TOML parser's own tree borrows from one text. A scene may come from several (the file and each override), so
//! the tree is copied into one that names the text as well.

use crate::diagnostic::Finding;
use std::ops::Range;
use toml::de::{DeInteger, DeTable, DeValue};

/// A piece of one of the texts that make up a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which text: 0 is the file, `i + 1` the override with index `i`.
    pub text: usize,
    /// The bytes of the text.
    pub range: Range<usize>,
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Value,
}

/// A TOML value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Datetime(toml::value::Datetime),
    Array(Vec<Node>),
    Table(Table),
}

/// The entries of a TOML table.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Table {
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub fn position(&self, key: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.key == key)
    }
}

impl Node {
    /// The value as a table, if it is one.
    pub fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The value as a string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The string under `key`, if this is a table that has one.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.as_table()?.get(key)?.node.as_str()
    }

    /// The node at a path such as `body[1].size`, or the innermost one on the way that was written.
    pub fn find(&self, path: &str) -> &Node {
        let mut node = self;
        for part in path.split(['.', '[']).filter(|part| !part.is_empty()) {
            let next = match (&node.value, part.strip_suffix(']')) {
                (Value::Array(items), Some(index)) => index.parse().ok().and_then(|i: usize| items.get(i)),
                (Value::Table(table), None) => table.get(part).map(|entry| &entry.node),
                _ => None,
            };
            let Some(next) = next else { break };
            node = next;
        }
        node
    }

    /// The same value without places, for serde.
    pub fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::String(text) => toml::Value::String(text.clone()),
            Value::Integer(number) => toml::Value::Integer(*number),
            Value::Float(number) => toml::Value::Float(*number),
            Value::Boolean(flag) => toml::Value::Boolean(*flag),
            Value::Datetime(time) => toml::Value::Datetime(*time),
            Value::Array(items) => toml::Value::Array(items.iter().map(Self::to_toml).collect()),
            Value::Table(table) => toml::Value::Table(
                table.entries.iter().map(|entry| (entry.key.clone(), entry.node.to_toml())).collect(),
            ),
        }
    }
}

/// Copies the parser's tree of text number `text`, whose spans begin at `offset` of that text.
pub(crate) struct Importer<'a> {
    pub text: usize,
    pub offset: usize,
    pub findings: &'a mut Vec<Finding>,
}

impl Importer<'_> {
    /// Copies a table.
    pub fn table(&mut self, table: &DeTable<'_>, span: Range<usize>) -> Node {
        let entries = table.iter().map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_place: self.place(key.span()),
            node: self.value(value.get_ref(), value.span()),
        });
        let entries = entries.collect();
        Node { place: self.place(span), value: Value::Table(Table { entries }) }
    }

    /// Copies a value. A number that no machine number can hold is a finding, and reads as zero.
    pub fn value(&mut self, value: &DeValue<'_>, span: Range<usize>) -> Node {
        let place = self.place(span.clone());
        let value = match value {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Integer(number) => Value::Integer(self.integer(number, &place)),
            DeValue::Float(number) => Value::Float(self.float(number.as_str(), &place)),
            DeValue::Boolean(flag) => Value::Boolean(*flag),
            DeValue::Datetime(time) => Value::Datetime(*time),
            DeValue::Array(items) => {
                Value::Array(items.iter().map(|item| self.value(item.get_ref(), item.span())).collect())
            }
            DeValue::Table(table) => return self.table(table, span),
        };
        Node { place, value }
    }

    fn integer(&mut self, number: &DeInteger<'_>, place: &Place) -> i64 {
        i64::from_str_radix(number.as_str(), number.radix()).unwrap_or_else(|_| {
            let finding = Finding::new(place.clone(), "integer out of range")
                .label("too large")
                .help(format!("integers lie between {} and {}", i64::MIN, i64::MAX));
            self.findings.push(finding);
            0
        })
    }

    fn float(&mut self, text: &str, place: &Place) -> f64 {
        // The parser refuses what is not a number, so the only failures left are the values that are not finite.
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => number,
            _ => {
                let finding = Finding::new(place.clone(), "not a finite number")
                    .label("not finite")
                    .help("`nan`, `inf` and numbers beyond 1.8e308 have no meaning in a scene");
                self.findings.push(finding);
                0.0
            }
        }
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place { text: self.text, range: span.start + self.offset..span.end + self.offset }
    }
}
