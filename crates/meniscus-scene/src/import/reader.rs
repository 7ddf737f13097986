//! Blocks of a scene that remember which of their keys were used.

use glam::DVec3;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What was not carried over: the key, with its block, and why.
#[derive(Debug, Default)]
pub(super) struct Notes(RefCell<Vec<String>>);

impl Notes {
    pub fn add(&self, text: impl Into<String>) {
        let text = text.into();
        let mut all = self.0.borrow_mut();
        if !all.contains(&text) {
            all.push(text);
        }
    }

    pub fn all(self) -> Vec<String> {
        self.0.into_inner()
    }
}

/// A block, its name, and the keys that were asked for.
pub(super) struct Block<'a> {
    name: String,
    values: Option<&'a Map<String, Value>>,
    used: RefCell<BTreeSet<String>>,
    notes: &'a Notes,
}

impl<'a> Block<'a> {
    pub fn new(name: impl Into<String>, value: Option<&'a Value>, notes: &'a Notes) -> Self {
        let values = value.and_then(Value::as_object);
        Self { name: name.into(), values, used: RefCell::default(), notes }
    }

    /// The value of a key; null is none.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.used.borrow_mut().insert(key.to_owned());
        self.values?.get(key).filter(|value| !value.is_null())
    }

    /// A block inside of this one.
    pub fn block(&self, key: &str) -> Block<'a> {
        Block::new(format!("{}.{key}", self.name), self.get(key), self.notes)
    }

    fn typed<T>(&self, key: &str, read: impl Fn(&Value) -> Option<T>, what: &str) -> Option<T> {
        let value = self.get(key)?;
        let read = read(value);
        if read.is_none() {
            self.notes.add(format!("{}.{key}: {what} was expected", self.name));
        }
        read
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        self.typed(key, Value::as_f64, "a number")
    }

    /// A number above 0; others are noted, and whoever asks puts another one in their place.
    pub fn positive(&self, key: &str) -> Option<f64> {
        let x = self.number(key)?;
        let fine = x.is_finite() && x > 0.0;
        if !fine {
            self.notes.add(format!("{}.{key}: {x} is not above 0; a usual value takes its place", self.name));
        }
        fine.then_some(x)
    }

    /// A number above 0, where another one is their way of saying "none".
    pub fn positive_or_none(&self, key: &str) -> Option<f64> {
        self.number(key).filter(|x| x.is_finite() && *x > 0.0)
    }

    /// A number, moved into a range if it is outside, which is noted.
    pub fn within(&self, key: &str, low: f64, high: f64) -> Option<f64> {
        let x = self.number(key)?;
        let near = x.clamp(low, high);
        if near.to_bits() != x.to_bits() {
            self.notes.add(format!("{}.{key}: {x} is out of range; {near} takes its place", self.name));
        }
        Some(near)
    }

    pub fn count(&self, key: &str) -> Option<u64> {
        self.positive(key).map(|x| x.round() as u64)
    }

    /// A number that chooses among methods.
    pub fn choice(&self, key: &str) -> Option<i64> {
        self.number(key).map(|x| x as i64)
    }

    /// True and false are also written as 1 and 0.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.typed(key, |v| v.as_bool().or_else(|| Some(v.as_f64()? != 0.0)), "true or false")
    }

    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    pub fn vector(&self, key: &str) -> Option<DVec3> {
        let read = |v: &Value| {
            let parts = v.as_array()?;
            let part = |k: usize| parts.get(k).and_then(Value::as_f64);
            Some(DVec3::new(part(0)?, part(1)?, part(2)?))
        };
        self.typed(key, read, "three numbers")
    }

    /// Marks keys that only their viewer reads.
    pub fn without_meaning(&self, keys: &[&str]) {
        for key in keys {
            if self.get(key).is_some() {
                self.notes.add(format!("{}.{key}: only for their viewer or files", self.name));
            }
        }
    }

    /// Notes a key that has a meaning and none here.
    pub fn lost(&self, key: &str, why: &str) {
        if self.get(key).is_some() {
            self.notes.add(format!("{}.{key}: {why}", self.name));
        }
    }

    /// Notes all keys that nobody asked for.
    pub fn finish(&self) {
        let used = self.used.borrow();
        for key in self.values.into_iter().flat_map(Map::keys).filter(|key| !used.contains(*key)) {
            self.notes.add(format!("{}.{key}: no counterpart", self.name));
        }
    }
}
