//! Programs without a driver of their own: one table `[drivers.NAME]` each, read as
//! [`trajview_live::drivers::command::ProgramOptions`].

use toml::de::{DeTable, DeValue};

use trajview_formats::JsonFields;
use trajview_live::{
    drivers::command::{ProgramOptions, configured_driver},
    secrets::is_named_like_a_secret,
};

use super::{LoadedConfig, line_number_at};

pub(crate) fn read_drivers(loaded: &mut LoadedConfig, text: &str, table: &DeTable<'_>) {
    for (name, value) in table {
        let line = line_number_at(text, name.span().start);
        let name = name.get_ref().to_string();
        match parse_driver(&name, value.get_ref()) {
            Ok(words) => loaded.drivers.push((name, words)),
            Err(why) => loaded.add_problem(line, &format!("drivers.{name}: {why}")),
        }
    }
}

fn parse_driver(name: &str, value: &DeValue<'_>) -> Result<ProgramOptions, String> {
    let DeValue::Table(table) = value else { return Err("expected a table".into()) };
    let mut fields = serde_json::Map::new();
    for (field, value) in table {
        fields.insert(field.get_ref().to_string(), toml_to_json(value.get_ref())?);
    }
    // Variables are a table in the file, and pairs in a driver.
    if let Some(env) = fields.object("env") {
        let pairs = env.iter().map(|(name, value)| serde_json::json!([name, value])).collect();
        fields.insert("env".into(), serde_json::Value::Array(pairs));
    }
    let known_fields = serde_json::to_value(ProgramOptions::default()).unwrap_or_default();
    if let Some(unknown) = fields.keys().find(|field| known_fields.get(field.as_str()).is_none()) {
        let names: Vec<&String> =
            known_fields.as_object().iter().flat_map(|it| it.keys()).collect();
        let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
        return Err(format!("unknown field {unknown}; known: {}", names.join(", ")));
    }
    let words: ProgramOptions =
        serde_json::from_value(fields.into()).map_err(|why| why.to_string())?;
    let is_key =
        |(name, value): &&(String, String)| is_named_like_a_secret(name) && value.len() >= 8;
    if let Some((variable, _)) = words.env.iter().find(is_key) {
        return Err(format!(
            "env.{variable} looks like a key; name its variable as key_env instead"
        ));
    }
    configured_driver(name, &words).map(|_| words)
}

fn toml_to_json(value: &DeValue<'_>) -> Result<serde_json::Value, String> {
    Ok(match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Boolean(value) => (*value).into(),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            number.map_err(|why| why.to_string())?.into()
        }
        DeValue::Array(values) => values
            .iter()
            .map(|value| toml_to_json(value.get_ref()))
            .collect::<Result<Vec<_>, _>>()?
            .into(),
        DeValue::Table(table) => {
            let mut map = serde_json::Map::new();
            for (name, value) in table {
                map.insert(name.get_ref().to_string(), toml_to_json(value.get_ref())?);
            }
            map.into()
        }
        DeValue::Float(_) | DeValue::Datetime(_) => {
            return Err("expected text, a whole number, true or false, or a list of these".into());
        }
    })
}
