//! Calls as the templates of real models write them: each must come out as it went in.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, ensure};
use orion_core::leak::Beginnings;
use orion_core::tool::{ToolSet, ToolSpec};
use serde_json::{Map, Number, Value};

use crate::family::Family;
use crate::functions::{self, Call};
use crate::reading::{self, Found};
use crate::{choice, shared, text};

/// The least part that must come out exactly, in thousandths.
const EXACT: usize = 995;

/// The sizes of chunks, in characters.
const CHUNKS: [usize; 4] = [1, 3, 7, usize::MAX];

/// The texts of one family.
#[derive(Debug, Default)]
struct Count {
    texts: usize,
    exact: usize,
    two: usize,
    /// The first text whose call does not come out, and what came out of it.
    wrong: Option<(usize, String)>,
}

/// Reads so many texts, evenly of all families.
///
/// # Errors
/// A folder has not what it should have, or too many calls do not come out.
pub(crate) fn measure(templates: &Path, functions: &Path, texts: usize) -> Result<()> {
    let calls = functions::read(functions)?;
    let mut families = Vec::new();
    for file in chat_template::files(templates)? {
        match Family::read(&file) {
            Ok(Some(family)) => families.push(family),
            Ok(None) => eprintln!("{:<52} prints no calls", chat_template::name(&file)),
            Err(error) => eprintln!(
                "{:<52} not read: {}",
                chat_template::name(&file),
                format!("{error:#}").replace('\n', " ")
            ),
        }
    }
    ensure!(
        !families.is_empty(),
        "no template prints calls: delete {}, and it is fetched again",
        templates.display()
    );
    let counts = shared::fold(texts, |counts: &mut BTreeMap<usize, Count>, number| {
        let (family, round) = (number % families.len(), number / families.len());
        read_one(
            &families[family],
            &calls,
            family * texts.div_ceil(families.len()) + round,
            round,
            counts.entry(family).or_default(),
        );
    });
    let mut all: BTreeMap<usize, Count> = BTreeMap::new();
    for (family, count) in counts.into_iter().flatten() {
        let sum = all.entry(family).or_default();
        sum.texts += count.texts;
        sum.exact += count.exact;
        sum.two += count.two;
        let earlier = |(at, _): &(usize, String)| sum.wrong.as_ref().is_none_or(|(first, _)| at < first);
        if let Some(wrong) = count.wrong.filter(earlier) {
            sum.wrong = Some(wrong);
        }
    }
    tell(&families, &all)
}

/// Reads the text of this number: that of the call at the place of it, in the chunks of this round.
fn read_one(family: &Family, calls: &[Call], number: usize, round: usize, count: &mut Count) {
    let call = &calls[number % calls.len()];
    let other = |nth: usize| &calls[choice::below(calls.len(), [number, 10 + nth])];
    let Some(text) = text::of(family, call, other(0), number) else { return };
    let mut specs: Vec<&ToolSpec> = vec![&call.tool];
    for other in (0..4).map(other) {
        if specs.iter().all(|spec| spec.name != other.tool.name) {
            specs.push(&other.tool);
        }
    }
    let tools: ToolSet = specs.into_iter().cloned().collect();
    let size = CHUNKS[round % CHUNKS.len()];
    let found = reading::first_call(
        &Beginnings::of(tools.clone()),
        &tools,
        family.begins_in_thought,
        chunks(&text.text, size),
    );
    count.texts += 1;
    count.two += usize::from(text.two);
    let right =
        |found: &Found| found.name == call.tool.name && same_object(&found.arguments, &call.arguments);
    if found.as_ref().is_some_and(right) {
        count.exact += 1;
    } else if count.wrong.is_none() {
        let wanted = Value::Object(call.arguments.clone());
        let found = found.map_or("no call".to_owned(), |found| {
            format!("{} {}", found.name, Value::Object(found.arguments))
        });
        let told = format!("{:?}\n      wanted {} {wanted}\n      found  {found}", text.text, call.tool.name);
        count.wrong = Some((number, told));
    }
}

/// Parts of so many characters.
fn chunks(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (chunk, after) = rest.split_at(end);
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

fn tell(families: &[Family], counts: &BTreeMap<usize, Count>) -> Result<()> {
    let (mut texts, mut exact, mut two) = (0, 0, 0);
    for (family, count) in counts {
        (texts, exact, two) = (texts + count.texts, exact + count.exact, two + count.two);
        if let Some((_, wrong)) = &count.wrong {
            let share = 100.0 * count.exact as f64 / count.texts as f64;
            eprintln!("{:<52} {share:>6.2} % of {}\n      {wrong}", families[*family].name, count.texts);
        }
    }
    let share = 100.0 * exact as f64 / texts.max(1) as f64;
    eprintln!(
        "calls: {exact} of {texts} come out exactly ({share:.2} %), of {} families; {two} texts have two",
        counts.len()
    );
    ensure!(
        texts > 0 && exact * 1000 >= texts * EXACT,
        "{} calls do not come out as they were written",
        texts - exact
    );
    Ok(())
}

/// True for objects whose values are the same, numbers by what they are worth.
fn same_object(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    one.len() == other.len()
        && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
}

fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || Number::as_f64(one).zip(other.as_f64()).is_some_and(|(one, other)| one == other)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => same_object(one, other),
        _ => one == other,
    }
}
