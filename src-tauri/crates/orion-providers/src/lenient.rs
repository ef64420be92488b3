//! Types that accept any JSON in their place: a value of the wrong kind counts as missing, never as an error.
//!
//! They read straight from the parser, without a tree in between, since an answer may have tens of thousands of pieces.
//! Not here: which fields a piece has ([`crate::chunk`]).

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The most elements of one list that are kept: 1,024, far above the 32 calls that a response may hold, so that an
/// event of 8 MiB cannot be blown up to gigabytes.
const LIST_LIMIT: usize = 1_024;

/// Reads JSON as a type. Of a key that an object has twice the last one counts: a derived type refuses such an object, and a tree keeps the last one.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| match error.is_data() {
        true => serde_json::from_str(text).and_then(|tree: Value| T::deserialize(tree)),
        false => Err(error),
    })
}

fn skip_seq<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

fn skip_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// A visitor gives this for values of a kind that it does not want: they count as missing.
macro_rules! missing {
    ($($kind:ident)*) => { $(missing!(@ $kind);)* };
    (@ null) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok(Self::Value::default()) } };
    (@ bool) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok(Self::Value::default()) } };
    (@ number) => {
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
    };
    (@ text) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok(Self::Value::default()) } };
    (@ list) => {
        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            skip_seq(seq)?;
            Ok(Self::Value::default())
        }
    };
    (@ object) => {
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            skip_map(map)?;
            Ok(Self::Value::default())
        }
    };
}

fn any(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("any JSON value")
}

/// A string; a number becomes its digits, everything else the empty string.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Text(pub(crate) String);

impl Text {
    /// Empty strings count as missing (P9).
    pub(crate) fn some(self) -> Option<String> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Text;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                any(f)
            }
            fn visit_str<E>(self, text: &str) -> Result<Text, E> {
                Ok(Text(text.to_owned()))
            }
            fn visit_string<E>(self, text: String) -> Result<Text, E> {
                Ok(Text(text))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Text, E> {
                Ok(Text(number.to_string()))
            }
            missing!(null bool list object);
        }
        deserializer.deserialize_any(Reader)
    }
}

/// A count: a number or its digits in a string.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Count(pub(crate) Option<u32>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Count;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                any(f)
            }
            fn visit_u64<E>(self, number: u64) -> Result<Count, E> {
                Ok(Count(u32::try_from(number).ok()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Count, E> {
                Ok(Count(u32::try_from(number).ok()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Count, E> {
                let whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
                // In range and whole, so nothing is lost.
                Ok(Count(whole.then_some(number as u32)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Count, E> {
                Ok(Count(text.parse().ok()))
            }
            missing!(null bool list object);
        }
        deserializer.deserialize_any(Reader)
    }
}

/// An object of this type, or nothing.
#[derive(Debug, PartialEq)]
pub(crate) struct Maybe<T>(pub(crate) Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Maybe<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                any(f)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Maybe<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Maybe(Some(value)))
            }
            missing!(null bool number text list);
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

/// A list of objects. A single object counts as a list of one, and anything that is not an object is left out.
#[derive(Debug, PartialEq)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                any(f)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut list = Vec::new();
                while list.len() < LIST_LIMIT {
                    match seq.next_element::<Maybe<T>>()? {
                        None => return Ok(List(list)),
                        Some(Maybe(element)) => list.extend(element),
                    }
                }
                skip_seq(seq)?;
                Ok(List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<List<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| List(vec![value]))
            }
            missing!(null bool number text);
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

/// Text, or a list of parts of text, divided into answer and reasoning.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Content {
    pub(crate) text: String,
    pub(crate) thinking: String,
}

impl Content {
    /// Everything in it, for a field that is all reasoning.
    pub(crate) fn joined(self) -> String {
        if self.text.is_empty() { self.thinking } else { self.text + &self.thinking }
    }
}

/// A part of a content list. Mistral sends `thinking` parts, OpenRouter `reasoning.text` and `reasoning.summary`.
#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Part {
    #[serde(rename = "type")]
    kind: Text,
    text: Content,
    thinking: Content,
    summary: Content,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Content;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                any(f)
            }
            fn visit_str<E>(self, text: &str) -> Result<Content, E> {
                Ok(Content { text: text.to_owned(), thinking: String::new() })
            }
            fn visit_string<E>(self, text: String) -> Result<Content, E> {
                Ok(Content { text, thinking: String::new() })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
                let mut whole = Content::default();
                while let Some(part) = seq.next_element::<Content>()? {
                    whole.text.push_str(&part.text);
                    whole.thinking.push_str(&part.thinking);
                }
                Ok(whole)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Content, A::Error> {
                let part = Part::deserialize(MapAccessDeserializer::new(map))?;
                let mut thinking = part.thinking.joined() + &part.summary.joined();
                if part.kind.0 == "thinking" || part.kind.0.starts_with("reasoning") {
                    thinking.push_str(&part.text.joined());
                    return Ok(Content { text: String::new(), thinking });
                }
                Ok(Content { text: part.text.text, thinking })
            }
            missing!(null bool number);
        }
        deserializer.deserialize_any(Reader)
    }
}
