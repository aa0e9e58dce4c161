//! The judges in the settings file: one table `[judges.NAME]` each. A field is one row of [`FIELDS`].
//!
//! No key is ever read from here, repeated from here or printed: where a value could be one, it is not shown.

use std::time::Duration;

use toml::de::{DeTable, DeValue};

use trajview_judge::settings::{JudgeConfig, JudgeKind};

use super::{
    LoadedConfig, SettingOrigin, line_number_at, parse_between, parse_flag, parse_one_of,
    parse_text, parse_whole_number, set_some, set_value, toml_list, toml_string, toml_value_text,
};

/// One field of a judge: its name, how a value is read, and how it is written. The error names what was expected.
struct JudgeField(
    &'static str,
    fn(&mut JudgeConfig, &DeValue<'_>) -> Result<(), String>,
    fn(&JudgeConfig) -> Option<String>,
);

/// Fields whose wrong value is not repeated in the sentence about it: it may be a key.
const NOT_REPEATED: [&str; 5] = ["model", "base_url", "key_env", "command", "pass"];

const FIELDS: &[JudgeField] = &[
    JudgeField(
        "kind",
        |it, to| {
            set_value(&mut it.kind, parse_one_of(to, &JudgeKind::ALL.map(|it| (it.word(), it))))
        },
        |it| Some(toml_string(it.kind.word())),
    ),
    JudgeField(
        "model",
        |it, to| set_value(&mut it.model, parse_trimmed(to, "a model's name")),
        |it| Some(toml_string(&it.model)).filter(|_| !it.model.is_empty()),
    ),
    JudgeField(
        "base_url",
        |it, to| set_value(&mut it.base_url, parse_base_url(to)),
        |it| Some(toml_string(&it.base_url)).filter(|_| !it.base_url.is_empty()),
    ),
    JudgeField(
        "key_env",
        |it, to| set_some(&mut it.key_env, parse_variable(to)),
        |it| it.key_env.as_deref().map(toml_string),
    ),
    JudgeField(
        "command",
        |it, to| set_value(&mut it.command, parse_command(to)),
        |it| (!it.command.is_empty()).then(|| toml_list(it.command.iter().map(String::as_str))),
    ),
    JudgeField(
        "pass",
        |it, to| set_value(&mut it.pass, parse_variables(to)),
        |it| (!it.pass.is_empty()).then(|| toml_list(it.pass.iter().map(String::as_str))),
    ),
    JudgeField(
        "allow_http",
        |it, to| set_value(&mut it.allows_http, parse_flag(to)),
        |it| it.allows_http.then(|| "true".into()),
    ),
    JudgeField(
        "stream",
        |it, to| set_value(&mut it.reply.stream, parse_flag(to)),
        |it| Some(it.reply.stream.to_string()),
    ),
    JudgeField(
        "temperature",
        |it, to| set_some(&mut it.reply.temperature, parse_between(to, 0.0, 2.0)),
        |it| it.reply.temperature.map(|temperature| format!("{temperature:?}")),
    ),
    JudgeField(
        "max_tokens",
        |it, to| set_value(&mut it.reply.max_tokens, parse_small_number(to, 16, 200_000)),
        |it| Some(it.reply.max_tokens.to_string()),
    ),
    JudgeField(
        "budget",
        |it, to| set_value(&mut it.budget, parse_small_number(to, 0, 1_000)),
        |it| Some(it.budget.to_string()),
    ),
    JudgeField(
        "concurrency",
        |it, to| set_value(&mut it.concurrency, parse_whole_number(to, 1, 64)),
        |it| Some(it.concurrency.to_string()),
    ),
    JudgeField(
        "retries",
        |it, to| set_value(&mut it.retries, parse_small_number(to, 0, 20)),
        |it| Some(it.retries.to_string()),
    ),
    JudgeField(
        "backoff",
        |it, to| set_value(&mut it.backoff, parse_seconds(to)),
        |it| seconds_text(it.backoff),
    ),
    JudgeField(
        "timeout_connect",
        |it, to| set_value(&mut it.timeouts.connect, parse_seconds(to)),
        |it| seconds_text(it.timeouts.connect),
    ),
    JudgeField(
        "timeout_first_byte",
        |it, to| set_value(&mut it.timeouts.first_byte, parse_seconds(to)),
        |it| seconds_text(it.timeouts.first_byte),
    ),
    JudgeField(
        "timeout",
        |it, to| set_value(&mut it.timeouts.whole, parse_seconds(to)),
        |it| seconds_text(it.timeouts.whole),
    ),
    JudgeField(
        "price_input",
        |it, to| set_some(&mut it.cost.price_input, parse_dollars(to)),
        |it| it.cost.price_input.map(|price| format!("{price:?}")),
    ),
    JudgeField(
        "price_output",
        |it, to| set_some(&mut it.cost.price_output, parse_dollars(to)),
        |it| it.cost.price_output.map(|price| format!("{price:?}")),
    ),
    JudgeField(
        "max_cost_usd",
        |it, to| set_some(&mut it.cost.most, parse_dollars(to)),
        |it| it.cost.most.map(|most| format!("{most:?}")),
    ),
];

fn parse_trimmed(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    parse_text(value, what).map(|text| text.trim().to_owned())
}

fn parse_base_url(value: &DeValue<'_>) -> Result<String, String> {
    let url = parse_trimmed(value, "an address")?;
    let is_http = url.starts_with("http://") || url.starts_with("https://");
    if url.contains(['@', '?', '#']) {
        return Err("expected an address without a password or a query; the key's variable is named in key_env".into());
    }
    if is_http {
        Ok(url)
    } else {
        Err("expected an address that begins with https:// or http://".into())
    }
}

fn parse_variable(value: &DeValue<'_>) -> Result<String, String> {
    let expected = "expected the name of the environment variable that holds the key, such as \"OPENAI_API_KEY\"";
    let name = parse_trimmed(value, expected.trim_start_matches("expected "))?;
    let is_name =
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_name { Ok(name) } else { Err(expected.into()) }
}

fn parse_variables(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let expected = "expected a list of names of environment variables, such as [\"MY_KEY\"]";
    let names = value.as_array().ok_or_else(|| expected.to_owned())?;
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let names: Option<Vec<String>> = names
        .iter()
        .map(|name| name.get_ref().as_str().filter(|it| is_name(it)).map(str::to_owned))
        .collect();
    names.ok_or_else(|| expected.to_owned())
}

fn parse_command(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let expected = || "expected a list of words, such as [\"claude\", \"-p\"]".to_owned();
    let words = value.as_array().ok_or_else(expected)?;
    let words: Option<Vec<String>> =
        words.iter().map(|word| word.get_ref().as_str().map(str::to_owned)).collect();
    let is_command =
        |words: &Vec<String>| words.first().is_some_and(|word| !word.trim().is_empty());
    words.filter(is_command).ok_or_else(expected)
}

fn parse_small_number(value: &DeValue<'_>, least: u32, most: u32) -> Result<u32, String> {
    let number = parse_whole_number(value, least as usize, most as usize)?;
    u32::try_from(number).map_err(|why| why.to_string())
}

fn parse_seconds(value: &DeValue<'_>) -> Result<Duration, String> {
    let expected = |_| "expected seconds, from 0.001 to 86400".to_owned();
    parse_between(value, 0.001, 86_400.0).map(Duration::from_secs_f64).map_err(expected)
}

fn seconds_text(time: Duration) -> Option<String> {
    Some(format!("{:?}", time.as_secs_f64()))
}

fn parse_dollars(value: &DeValue<'_>) -> Result<f64, String> {
    parse_between(value, 0.0, 1e6).map_err(|_| "expected US dollars, 0 or more".to_owned())
}

/// Reads the tables below `[judges]`.
pub(crate) fn settings_from(loaded: &mut LoadedConfig, text: &str, judges: &DeTable<'_>) {
    let mut entries: Vec<_> = judges.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in entries {
        let line = line_number_at(text, name.span().start);
        let name = name.get_ref().as_ref();
        match value.get_ref() {
            DeValue::Table(fields) if is_name(name) => read_judge(loaded, text, name, line, fields),
            DeValue::Table(_) => loaded.add_problem(
                line,
                "judges: a name has letters, digits, - and _, and no more than 40 of them",
            ),
            _ => loaded.add_problem(line, &format!("judges.{name}: expected a table")),
        }
    }
}

/// Returns whether the name may be used: it becomes part of a file's name.
fn is_name(name: &str) -> bool {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    (1..=40).contains(&name.len()) && name.chars().all(is_kept)
}

fn read_judge(
    loaded: &mut LoadedConfig,
    text: &str,
    name: &str,
    line: usize,
    fields: &DeTable<'_>,
) {
    let mut judge = JudgeConfig::new(name, JudgeKind::Chat);
    let mut entries: Vec<_> = fields.iter().collect();
    entries.sort_by_key(|(field, _)| field.span().start);
    let (mut has_kind, before) = (false, loaded.line_problems.len());
    for (field, value) in entries {
        let line = line_number_at(text, field.span().start);
        let value = value.get_ref();
        let full = format!("judges.{name}.{}", field.get_ref());
        let Some(field) = FIELDS.iter().find(|it| it.0 == field.get_ref().as_ref()) else {
            let names: Vec<&str> = FIELDS.iter().map(|field| field.0).collect();
            let hint = match field.get_ref().as_ref() {
                "key" | "api_key" | "token" => {
                    "; keys are never stored here; key_env names the variable"
                }
                _ => "",
            };
            let what = format!("unknown setting {full}{hint}; known: {}", names.join(", "));
            loaded.add_problem(line, &what);
            continue;
        };
        match (field.1)(&mut judge, value) {
            Ok(()) => {
                has_kind |= field.0 == "kind";
                loaded.origins.insert(full, SettingOrigin::Line(line));
            }
            Err(what) if !NOT_REPEATED.contains(&field.0) => {
                loaded.add_problem(
                    line,
                    &format!("{full}: {what}, found {}", toml_value_text(value)),
                );
            }
            Err(what) => loaded.add_problem(line, &format!("{full}: {what}")),
        }
    }
    // A judge with an error in its table must not be asked: without its address the request would go to another server.
    if loaded.line_problems.len() > before {
        return;
    }
    let judge = judge.with_defaults();
    let no_kind = (!has_kind)
        .then(|| "has no kind; expected chat, responses, messages or command".to_owned());
    match no_kind.or_else(|| judge.config_problem()) {
        Some(what) => loaded.add_problem(line, &format!("judges.{name}: {what}")),
        None => loaded.judges.push(judge),
    }
}

/// Returns the lines of TOML for one judge: name of the field, and value where there is one.
pub(crate) fn judge_fields(judge: &JudgeConfig) -> Vec<(&'static str, Option<String>)> {
    FIELDS.iter().map(|field| (field.0, (field.2)(judge))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_from(text: &str) -> LoadedConfig {
        LoadedConfig::from_text(text, Some("c.toml".into()), vec![])
    }

    #[test]
    fn a_judge_is_read_and_what_goes_without_saying_is_filled_in() {
        let loaded = settings_from(
            "[judges.gpt]\nkind = \"responses\"\nmodel = \"m\"\nbudget = 4\ntimeout = 2.5\n\
             [judges.mine]\nkind = \"chat\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n\
             [judges.cli]\nkind = \"command\"\ncommand = [\"claude\", \"-p\"]\n",
        );

        assert_eq!(loaded.problems, Vec::<String>::new());
        let [gpt, mine, cli] = loaded.judges.as_slice() else { panic!("{:?}", loaded.judges) };
        assert_eq!((gpt.kind, gpt.budget), (JudgeKind::Responses, 4));
        assert_eq!(gpt.timeouts.whole, Duration::from_millis(2_500));
        assert_eq!(gpt.base_url, "https://api.openai.com/v1");
        assert_eq!(gpt.key_env.as_deref(), Some("OPENAI_API_KEY"));
        assert_eq!(mine.key_env, None);
        assert_eq!(cli.command, ["claude", "-p"]);
    }

    #[test]
    fn what_is_wrong_is_told_and_what_could_be_a_key_is_not_repeated() {
        let loaded = settings_from(
            "[judges.a]\nkind = \"chat\"\nmodel = \"m\"\nkey_env = \"sk-secret-1\"\napi_key = \"sk-secret-2\"\n\
             base_url = \"https://u:sk-secret-3@h/v1\"\nretries = -1\n\
             [judges.b]\nmodel = \"m\"\n[judges.c]\nkind = \"command\"\ncommand = \"sk-secret-4\"\n\
             [judges.\"d/e\"]\nkind = \"chat\"\n[judges.f]\nkind = \"chat\"\nmodel = \"m\"\nmax_cost_usd = 1\n",
        );

        insta::assert_snapshot!(loaded.problems.join("\n"));
        assert_eq!(loaded.judges, []);
        assert!(!format!("{loaded:?}").contains("secret"));
    }
}
