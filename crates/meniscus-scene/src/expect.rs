//! Words for what the schema expects and what was found instead.

use crate::schema::View;
use crate::suggest::list;
use crate::tree::{Node, Value};
use serde_json::Value as Json;

/// Whether the value is of the type that the schema asks for, whatever its content.
pub(crate) fn fits(node: &Node, view: View) -> bool {
    match (&node.value, view.kind()) {
        (Value::Table(_), _) => view.is_table(),
        (Value::Array(_), kind) => kind == Some("array"),
        (Value::Integer(_), kind) => matches!(kind, Some("integer" | "number")),
        (Value::Float(_), kind) => kind == Some("number"),
        (Value::Boolean(_), kind) => kind == Some("boolean"),
        (Value::Datetime(_), _) => false,
        // An enumeration whose values are described one by one carries no type of its own.
        (Value::String(_), kind) => kind == Some("string") || is_word_choice(view),
    }
}

/// What the schema asks for: "a number", "an array of 3 numbers".
pub(crate) fn describe(view: View) -> String {
    let view = view.resolved();
    let alternatives = view.alternatives();
    if !alternatives.is_empty() {
        let all: Vec<String> = alternatives.into_iter().map(describe).collect();
        return all.join(" or ");
    }
    if view.is_table() {
        return "a table".to_owned();
    }
    match view.kind() {
        Some("array") => describe_array(view),
        Some("integer") => "an integer".to_owned(),
        Some("number") => "a number".to_owned(),
        Some("boolean") => "`true` or `false`".to_owned(),
        _ => "a string".to_owned(),
    }
}

fn describe_array(view: View) -> String {
    let item = view.items().map(View::resolved);
    let items = match item {
        Some(item) if item.is_table() => "tables",
        Some(item) if item.kind() == Some("number") => "numbers",
        _ => "strings",
    };
    match (view.number("minItems"), view.number("maxItems")) {
        (Some(min), Some(max)) if (max - min).abs() < 0.5 => format!("an array of {min} {items}"),
        _ => format!("an array of {items}"),
    }
}

/// What a key is for, from its documentation: "`end` is a number greater than 0: When the simulation ends [s]".
pub(crate) fn describe_key(key: &str, view: View) -> String {
    let target = view.resolved();
    let mut text = format!("`{key}` is {}", describe(target));
    let range = range(target);
    if !range.is_empty() {
        text = format!("{text} {range}");
    }
    let description =
        view.keyword("description").or_else(|| target.keyword("description")).and_then(Json::as_str);
    match description.and_then(|description| description.lines().next()) {
        Some(description) => format!("{text}: {}", description.replace('`', "").trim_end_matches('.')),
        None => text,
    }
}

/// The numbers that are allowed, or nothing if all are.
pub(crate) fn range(view: View) -> String {
    let low = view.number("exclusiveMinimum").map(|min| format!("greater than {min}"));
    let low = low.or_else(|| view.number("minimum").map(|min| format!("at least {min}")));
    let high = view.number("maximum").map(|max| format!("at most {max}"));
    let both: Vec<String> = low.into_iter().chain(high).collect();
    both.join(" and ")
}

/// A line that would be right: "for example `gravity = [0.0, -9.81, 0.0]`".
pub(crate) fn example(path: &str, view: View) -> String {
    let choices = view.choices();
    if !choices.is_empty() {
        let words: Vec<String> = choices.iter().map(|choice| choice.to_string().replace('"', "")).collect();
        return format!("allowed: {}", list(words.iter().map(String::as_str), "or"));
    }
    // An entry of an array has no key of its own to be shown with.
    let key = path.rsplit('.').next().unwrap_or(path);
    let Some(value) = sample(view) else {
        let view = view.resolved();
        return format!("allowed keys: {}", list(view.properties(None).iter().map(|known| known.0), "and"));
    };
    if key.ends_with(']') || key.is_empty() {
        format!("for example `{value}`")
    } else {
        format!("for example `{key} = {value}`")
    }
}

/// A value that would be right: the example of the schema, else the default, else the simplest one.
fn sample(view: View) -> Option<String> {
    let given =
        view.keyword("examples").and_then(|examples| examples.get(0)).or_else(|| view.keyword("default"));
    if let Some(given) = given.filter(|given| !given.is_null() && !given.is_object()) {
        return Some(given.to_string().replace(',', ", "));
    }
    let view = view.resolved();
    if let Some(first) = view.alternatives().first() {
        return sample(*first);
    }
    if let Some(tag) = view.tag() {
        let (name, variant) = tag.variants.first()?;
        let rest = if view.required(Some(*variant)).len() > 1 { ", …" } else { "" };
        return Some(format!("{{ {} = \"{name}\"{rest} }}", tag.key));
    }
    match view.kind()? {
        "array" => {
            let item = sample(view.items()?)?;
            let count = view.number("minItems").unwrap_or(1.0).clamp(1.0, 4.0) as usize;
            Some(format!("[{}]", vec![item; count].join(", ")))
        }
        "integer" => Some("1".to_owned()),
        "number" => Some("1.0".to_owned()),
        "boolean" => Some("true".to_owned()),
        "string" => Some("\"text\"".to_owned()),
        _ => None,
    }
}

/// What was found: "the string "abc"", "a table".
pub(crate) fn found(node: &Node) -> String {
    match &node.value {
        Value::String(_) => "a string".to_owned(),
        Value::Integer(_) => "an integer".to_owned(),
        Value::Float(_) => "a number with a fraction".to_owned(),
        Value::Boolean(flag) => format!("`{flag}`"),
        Value::Datetime(_) => "a date or time".to_owned(),
        Value::Array(items) if items.len() == 1 => "an array with 1 entry".to_owned(),
        Value::Array(items) => format!("an array with {} entries", items.len()),
        Value::Table(_) => "a table".to_owned(),
    }
}

fn is_word_choice(view: View) -> bool {
    view.choices().first().is_some_and(|choice| choice.is_string())
}
