//! A settings file as one layer. serde reads it and a JSON Schema describes it. Both are made from the declared
//! settings and from the tables that this kind of file has beside them.

use std::fmt;
use std::marker::PhantomData;

use orion_protocol::setting::{Entry, InProject, Kind, SettingValue};
use orion_protocol::{Setting, SettingsChange, Usd, grouped};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value, json};

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    User,
    Project,
}

impl Owner {
    /// The settings that such a file can have in a table, or at its top.
    fn settings(self, table: Option<&str>) -> impl Iterator<Item = &'static Setting> {
        SettingsChange::ALL.iter().filter(move |setting| {
            setting.table == table && (self == Self::User || setting.facts.in_project != InProject::Refused)
        })
    }
}

/// A kind of settings file.
pub(super) trait SettingsFile: Default + DeserializeOwned {
    const OWNER: Owner;

    /// What the declared settings say in it.
    fn values(&mut self) -> &mut SettingsChange;

    /// Reads one of its other tables; false, with nothing read, when it has none of this name.
    fn table<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error>;

    /// The schemas of its other tables, by name.
    fn tables(generator: &mut SchemaGenerator) -> Map<String, Value>;
}

/// Reads a file of this kind.
pub(super) fn deserialize<'de, T: SettingsFile, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Top(PhantomData))
}

struct Top<T>(PhantomData<T>);

impl<'de, T: SettingsFile> Visitor<'de> for Top<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut file = T::default();
        while let Some(key) = map.next_key::<String>()? {
            if let Some((table, _)) = SettingsChange::TABLES.iter().find(|(table, _)| *table == key) {
                map.next_value_seed(Declared { table, owner: T::OWNER, layer: file.values() })?;
            } else if !read(T::OWNER, None, &key, file.values(), &mut map)? && !file.table(&key, &mut map)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(file)
    }
}

/// A table of declared settings.
struct Declared<'l> {
    table: &'static str,
    owner: Owner,
    layer: &'l mut SettingsChange,
}

impl<'de> DeserializeSeed<'de> for Declared<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Declared<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if !read(self.owner, Some(self.table), &key, self.layer, &mut map)? {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Reads the value of a declared setting into the layer. False, with nothing read, when no setting has this key.
fn read<'de, A: MapAccess<'de>>(
    owner: Owner,
    table: Option<&str>,
    key: &str,
    layer: &mut SettingsChange,
    map: &mut A,
) -> Result<bool, A::Error> {
    let Some(setting) = owner.settings(table).find(|setting| setting.key == key) else { return Ok(false) };
    let value = map.next_value_seed(Checked { owner, setting })?;
    setting.set(layer, Some(&value));
    Ok(true)
}

/// A value that the setting can have. It is checked while it is read, so that an error is at its place.
struct Checked {
    owner: Owner,
    setting: &'static Setting,
}

impl<'de> DeserializeSeed<'de> for Checked {
    type Value = SettingValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<SettingValue, D::Error> {
        let Self { owner, setting } = self;
        let value = match setting.facts.kind {
            Kind::Switch => SettingValue::Switch(bool::deserialize(deserializer)?),
            Kind::Number { .. } => SettingValue::Number(u32::deserialize(deserializer)?),
            Kind::Amount { .. } => SettingValue::Amount(Usd::deserialize(deserializer)?),
            Kind::Choice(_) | Kind::Text => SettingValue::Text(String::deserialize(deserializer)?),
            Kind::List { of, .. } => SettingValue::List(deserializer.deserialize_seq(Texts(of))?),
        };
        let value = setting.checked(value).filter(|value| may_say(owner, setting, value));
        value.ok_or_else(|| D::Error::custom(setting.expected()))
    }
}

/// The texts of a list. Each is checked while it is read, so that an error is at its place.
#[derive(Clone, Copy)]
struct Texts(Entry);

impl<'de> Visitor<'de> for Texts {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<String>, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = sequence.next_element_seed(self)? {
            texts.push(text);
        }
        Ok(texts)
    }
}

impl<'de> DeserializeSeed<'de> for Texts {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let text = String::deserialize(deserializer)?;
        if self.0.fits(&text) { Ok(text) } else { Err(D::Error::custom(self.0.expected())) }
    }
}

fn may_say(owner: Owner, setting: &Setting, value: &SettingValue) -> bool {
    match (owner, setting.facts.in_project) {
        (Owner::Project, InProject::Only(word)) => *value == SettingValue::Text(word.to_owned()),
        (Owner::Project, InProject::Lowers) => *value != SettingValue::Switch(true),
        _ => true,
    }
}

/// The schema of a file of this kind.
pub(super) fn json_schema<T: SettingsFile>(generator: &mut SchemaGenerator) -> Schema {
    let mut properties: Map<String, Value> = described(T::OWNER, None);
    for (table, holds) in SettingsChange::TABLES {
        let settings = described(T::OWNER, Some(table));
        if settings.is_empty() {
            continue;
        }
        let holds = holds.trim();
        let about = match T::OWNER {
            Owner::User => holds.to_owned(),
            Owner::Project => format!("{}, no more than the user allows.", holds.trim_end_matches('.')),
        };
        let schema = json!({
            "description": about,
            "type": "object",
            "properties": settings,
            "additionalProperties": false,
        });
        properties.insert((*table).to_owned(), schema);
    }
    properties.extend(T::tables(generator));
    json_schema!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn described(owner: Owner, table: Option<&str>) -> Map<String, Value> {
    owner.settings(table).map(|setting| (setting.key.to_owned(), schema_of(owner, setting))).collect()
}

/// The schema of one setting. Its `title` completes the sentence "must be …".
fn schema_of(owner: Owner, setting: &Setting) -> Value {
    let mut schema = match (setting.facts.kind, owner, setting.facts.in_project) {
        (Kind::Choice(_), Owner::Project, InProject::Only(word)) => {
            json!({ "type": "string", "enum": [word] })
        }
        (Kind::Choice(choices), ..) => {
            let choice = |choice: &orion_protocol::setting::Choice| json!({ "type": "string", "const": choice.word, "description": format!("{}.", choice.about) });
            json!({ "oneOf": choices.iter().map(choice).collect::<Vec<_>>() })
        }
        (Kind::Switch, Owner::Project, InProject::Lowers) => {
            json!({ "type": "boolean", "title": "false: a project can only switch it off", "const": false })
        }
        (Kind::Switch, ..) => json!({ "type": "boolean" }),
        (Kind::Text, ..) => json!({ "type": "string" }),
        (Kind::List { most, of }, ..) => json!({
            "type": "array",
            "title": setting.expected(),
            "items": { "type": "string", "title": of.expected() },
            "maxItems": most,
            "uniqueItems": true,
        }),
        (Kind::Number { min, max }, ..) => {
            json!({ "type": "integer", "title": setting.expected(), "minimum": min, "maximum": max })
        }
        (Kind::Amount { min, max }, ..) => {
            let (min, max) = (min.dollars(), max.dollars());
            json!({ "type": "number", "title": setting.expected(), "minimum": min, "maximum": max })
        }
    };
    schema["description"] = Value::String(description(owner, setting));
    schema
}

fn description(owner: Owner, setting: &Setting) -> String {
    let about = setting.about();
    if let (Owner::Project, InProject::Lowers, Kind::Switch) =
        (owner, setting.facts.in_project, setting.facts.kind)
    {
        return format!("{about}; a project can only switch it off.");
    }
    match (owner, setting.facts.in_project, setting.default(), setting.facts.unset) {
        (Owner::Project, InProject::Lowers, ..) if setting.table.is_none() => {
            format!("{about}, no more than the user allows.")
        }
        (Owner::Project, InProject::Only(word), ..) => format!("{about}; a project can only set `{word}`."),
        (Owner::User, _, _, Some(unset)) => format!("{about}; {unset}."),
        (Owner::User, _, Some(SettingValue::Number(number)), None) => {
            format!("{about}; {} when it is not set.", grouped(number))
        }
        _ => format!("{about}."),
    }
}

/// Implements what serde and schemars ask of a kind of settings file.
macro_rules! settings_file {
    ($File:ident, $about:literal) => {
        impl<'de> serde::Deserialize<'de> for $File {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                super::layer::deserialize(deserializer)
            }
        }

        impl schemars::JsonSchema for $File {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($File).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = super::layer::json_schema::<Self>(generator);
                schema.insert("description".to_owned(), $about.into());
                schema
            }
        }
    };
}
pub(super) use settings_file;
