//! The judges in the settings file: one table `[judges.NAME]` each. A field is one row of [`FIELDS`].
//!
//! No key is ever read from here, repeated from here or printed: where a value could be one, it is not shown.

use std::time::Duration;

use toml::de::{DeTable, DeValue};

use crate::judge::settings::{Kind, Settings};

use super::{Loaded, Origin, found, line_of, number, quoted, whole};

struct Field {
    name: &'static str,
    set: fn(&mut Settings, &DeValue<'_>) -> Result<(), String>,
    /// None where nobody said and there is no default.
    get: fn(&Settings) -> Option<String>,
    /// Whether a wrong value may be repeated.
    is_shown: bool,
}

const FIELDS: &[Field] = &[
    Field {
        name: "kind",
        set: |judge, value| {
            let expected = || {
                let known = Kind::ALL.map(|kind| quoted(kind.word()));
                format!("expected one of {}", known.join(", "))
            };
            let kind = value.as_str().and_then(Kind::by_word).ok_or_else(expected);
            kind.map(|kind| judge.kind = kind)
        },
        get: |judge| Some(quoted(judge.kind.word())),
        is_shown: true,
    },
    Field {
        name: "model",
        set: |judge, value| text(value, "a model's name").map(|model| judge.model = model),
        get: |judge| Some(quoted(&judge.model)).filter(|_| !judge.model.is_empty()),
        is_shown: false,
    },
    Field {
        name: "base_url",
        set: |judge, value| base_url(value).map(|url| judge.base_url = url),
        get: |judge| Some(quoted(&judge.base_url)).filter(|_| !judge.base_url.is_empty()),
        is_shown: false,
    },
    Field {
        name: "key_env",
        set: |judge, value| variable(value).map(|name| judge.key_env = Some(name)),
        get: |judge| judge.key_env.as_deref().map(quoted),
        is_shown: false,
    },
    Field {
        name: "command",
        set: |judge, value| command(value).map(|words| judge.command = words),
        get: |judge| {
            let words: Vec<String> = judge.command.iter().map(|word| quoted(word)).collect();
            (!words.is_empty()).then(|| format!("[{}]", words.join(", ")))
        },
        is_shown: false,
    },
    Field {
        name: "pass",
        set: |judge, value| variables(value).map(|names| judge.pass = names),
        get: |judge| {
            let names: Vec<String> = judge.pass.iter().map(|name| quoted(name)).collect();
            (!names.is_empty()).then(|| format!("[{}]", names.join(", ")))
        },
        is_shown: false,
    },
    Field {
        name: "allow_http",
        set: |judge, value| {
            let allows = value.as_bool().ok_or_else(|| "expected true or false".to_owned());
            allows.map(|allows| judge.allows_http = allows)
        },
        get: |judge| judge.allows_http.then(|| "true".into()),
        is_shown: true,
    },
    Field {
        name: "stream",
        set: |judge, value| {
            let stream = value.as_bool().ok_or_else(|| "expected true or false".to_owned());
            stream.map(|stream| judge.stream = stream)
        },
        get: |judge| Some(judge.stream.to_string()),
        is_shown: true,
    },
    Field {
        name: "temperature",
        set: |judge, value| {
            between(value, 0.0, 2.0).map(|temperature| judge.temperature = Some(temperature))
        },
        get: |judge| judge.temperature.map(|temperature| format!("{temperature:?}")),
        is_shown: true,
    },
    Field {
        name: "max_tokens",
        set: |judge, value| small(value, 16, 200_000).map(|tokens| judge.max_tokens = tokens),
        get: |judge| Some(judge.max_tokens.to_string()),
        is_shown: true,
    },
    Field {
        name: "budget",
        set: |judge, value| small(value, 0, 1_000).map(|budget| judge.budget = budget),
        get: |judge| Some(judge.budget.to_string()),
        is_shown: true,
    },
    Field {
        name: "concurrency",
        set: |judge, value| whole(value, 1, 64).map(|count| judge.concurrency = count),
        get: |judge| Some(judge.concurrency.to_string()),
        is_shown: true,
    },
    Field {
        name: "retries",
        set: |judge, value| small(value, 0, 20).map(|retries| judge.retries = retries),
        get: |judge| Some(judge.retries.to_string()),
        is_shown: true,
    },
    Field {
        name: "backoff",
        set: |judge, value| seconds(value).map(|time| judge.backoff = time),
        get: |judge| Some(seconds_said(judge.backoff)),
        is_shown: true,
    },
    Field {
        name: "timeout_connect",
        set: |judge, value| seconds(value).map(|time| judge.timeouts.connect = time),
        get: |judge| Some(seconds_said(judge.timeouts.connect)),
        is_shown: true,
    },
    Field {
        name: "timeout_first_byte",
        set: |judge, value| seconds(value).map(|time| judge.timeouts.first_byte = time),
        get: |judge| Some(seconds_said(judge.timeouts.first_byte)),
        is_shown: true,
    },
    Field {
        name: "timeout",
        set: |judge, value| seconds(value).map(|time| judge.timeouts.whole = time),
        get: |judge| Some(seconds_said(judge.timeouts.whole)),
        is_shown: true,
    },
    Field {
        name: "price_input",
        set: |judge, value| dollars(value).map(|price| judge.cost.price_input = Some(price)),
        get: |judge| judge.cost.price_input.map(|price| format!("{price:?}")),
        is_shown: true,
    },
    Field {
        name: "price_output",
        set: |judge, value| dollars(value).map(|price| judge.cost.price_output = Some(price)),
        get: |judge| judge.cost.price_output.map(|price| format!("{price:?}")),
        is_shown: true,
    },
    Field {
        name: "max_cost_usd",
        set: |judge, value| dollars(value).map(|most| judge.cost.most = Some(most)),
        get: |judge| judge.cost.most.map(|most| format!("{most:?}")),
        is_shown: true,
    },
];

fn text(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("expected {what}"))
}

fn base_url(value: &DeValue<'_>) -> Result<String, String> {
    let url = text(value, "an address")?;
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

fn variable(value: &DeValue<'_>) -> Result<String, String> {
    let expected = "expected the name of the environment variable that holds the key, such as \"OPENAI_API_KEY\"";
    let name = text(value, expected.trim_start_matches("expected "))?;
    let is_name =
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
    if is_name { Ok(name) } else { Err(expected.into()) }
}

fn variables(value: &DeValue<'_>) -> Result<Vec<String>, String> {
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

fn command(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let expected = || "expected a list of words, such as [\"claude\", \"-p\"]".to_owned();
    let words = value.as_array().ok_or_else(expected)?;
    let words: Option<Vec<String>> =
        words.iter().map(|word| word.get_ref().as_str().map(str::to_owned)).collect();
    let is_command =
        |words: &Vec<String>| words.first().is_some_and(|word| !word.trim().is_empty());
    words.filter(is_command).ok_or_else(expected)
}

fn small(value: &DeValue<'_>, least: u32, most: u32) -> Result<u32, String> {
    let number = whole(value, least as usize, most as usize)?;
    u32::try_from(number).map_err(|why| why.to_string())
}

fn between(value: &DeValue<'_>, least: f64, most: f64) -> Result<f64, String> {
    let number = number(value).filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

/// Never none at all: nothing would ever come in time.
fn seconds(value: &DeValue<'_>) -> Result<Duration, String> {
    let expected = |_| "expected seconds, from 0.001 to 86400".to_owned();
    between(value, 0.001, 86_400.0).map(Duration::from_secs_f64).map_err(expected)
}

fn seconds_said(time: Duration) -> String {
    format!("{:?}", time.as_secs_f64())
}

fn dollars(value: &DeValue<'_>) -> Result<f64, String> {
    between(value, 0.0, 1e6).map_err(|_| "expected US dollars, 0 or more".to_owned())
}

/// Reads the tables below `[judges]`.
pub fn read(loaded: &mut Loaded, text: &str, judges: &DeTable<'_>) {
    let mut entries: Vec<_> = judges.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in entries {
        let line = line_of(text, name.span().start);
        let name = name.get_ref().as_ref();
        match value.get_ref() {
            DeValue::Table(fields) if is_name(name) => read_judge(loaded, text, name, line, fields),
            DeValue::Table(_) => loaded.problem(
                line,
                "judges: a name has letters, digits, - and _, and no more than 40 of them",
            ),
            _ => loaded.problem(line, &format!("judges.{name}: expected a table")),
        }
    }
}

/// It becomes part of a file's name.
fn is_name(name: &str) -> bool {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    (1..=40).contains(&name.len()) && name.chars().all(is_kept)
}

fn read_judge(loaded: &mut Loaded, text: &str, name: &str, line: usize, fields: &DeTable<'_>) {
    let mut judge = Settings::new(name, Kind::Chat);
    let mut entries: Vec<_> = fields.iter().collect();
    entries.sort_by_key(|(field, _)| field.span().start);
    let (mut has_kind, before) = (false, loaded.found.len());
    for (field, value) in entries {
        let line = line_of(text, field.span().start);
        let value = value.get_ref();
        let full = format!("judges.{name}.{}", field.get_ref());
        let Some(field) = FIELDS.iter().find(|it| it.name == field.get_ref().as_ref()) else {
            let known: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
            let hint = match field.get_ref().as_ref() {
                "key" | "api_key" | "token" => {
                    "; a key is never kept here, key_env names its variable"
                }
                _ => "",
            };
            let what = format!("no setting is called {full}{hint}; known: {}", known.join(", "));
            loaded.problem(line, &what);
            continue;
        };
        match (field.set)(&mut judge, value) {
            Ok(()) => {
                has_kind |= field.name == "kind";
                loaded.origins.insert(full, Origin::Line(line));
            }
            Err(what) if field.is_shown => {
                loaded.problem(line, &format!("{full}: {what}, found {}", found(value)));
            }
            Err(what) => loaded.problem(line, &format!("{full}: {what}")),
        }
    }
    // A judge that is not what was meant must not be asked: without its address it would be another server's.
    if loaded.found.len() > before {
        return;
    }
    let judge = judge.complete();
    let no_kind = (!has_kind)
        .then(|| "has no kind; expected chat, responses, messages or command".to_owned());
    match no_kind.or_else(|| judge.problem()) {
        Some(what) => loaded.problem(line, &format!("judges.{name}: {what}")),
        None => loaded.judges.push(judge),
    }
}

/// Lines of TOML for one judge: name of the field, value where there is one.
pub fn said(judge: &Settings) -> Vec<(&'static str, Option<String>)> {
    FIELDS.iter().map(|field| (field.name, (field.get)(judge))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Loaded {
        Loaded::of(text, Some("c.toml".into()), vec![])
    }

    #[test]
    fn a_judge_is_read_and_what_goes_without_saying_is_filled_in() {
        let loaded = read(
            "[judges.gpt]\nkind = \"responses\"\nmodel = \"m\"\nbudget = 4\ntimeout = 2.5\n\
             [judges.mine]\nkind = \"chat\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n\
             [judges.cli]\nkind = \"command\"\ncommand = [\"claude\", \"-p\"]\n",
        );

        assert_eq!(loaded.problems, Vec::<String>::new());
        let [gpt, mine, cli] = loaded.judges.as_slice() else { panic!("{:?}", loaded.judges) };
        assert_eq!((gpt.kind, gpt.budget), (Kind::Responses, 4));
        assert_eq!(gpt.timeouts.whole, Duration::from_millis(2_500));
        assert_eq!(gpt.base_url, "https://api.openai.com/v1");
        assert_eq!(gpt.key_env.as_deref(), Some("OPENAI_API_KEY"));
        assert_eq!(mine.key_env, None);
        assert_eq!(cli.command, ["claude", "-p"]);
    }

    #[test]
    fn what_is_wrong_is_told_and_what_could_be_a_key_is_not_repeated() {
        let loaded = read(
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
