//! The user's settings: read from a TOML file, printed by `trajview --print-config`.
//!
//! A setting is one row of [`SETTINGS`]. An error in a file is reported in a sentence with its line, and the rest of
//! the file is used. Judges have tables of their own: `judges`.

mod drivers;
mod judges;
pub mod settings_file;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::OnceLock,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use trajview_judge::settings::JudgeConfig;
use trajview_live::drivers::command::ProgramOptions;
use trajview_metrics::{Number, quality::QualityProfile};
use trajview_run::{rubric::LabelMode, worded_enum::NamedValue};
use trajview_store as store;
use trajview_tui::{
    shell::{
        config::{Chord, Config},
        keys::{KeyProblem, UserKeys},
    },
    widgets::key,
};

use super::{CommandFailure, output::Out};

/// Settings, and the origin of each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadedConfig {
    pub config: Config,
    /// The configured judges, in the order of the file.
    pub judges: Vec<JudgeConfig>,
    /// Programs that can be driven, in the order of their names.
    pub drivers: Vec<(String, ProgramOptions)>,
    /// Sentences about what could not be used, each with file and line.
    pub problems: Vec<String>,
    /// The file looked for. None if there is no place for one.
    file: Option<PathBuf>,
    was_found: bool,
    /// Problems by line, as they are found.
    line_problems: Vec<(usize, String)>,
    /// The origin of each setting by its name; a setting without an entry has its default.
    origins: BTreeMap<String, SettingOrigin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SettingOrigin {
    Line(usize),
    Variable(&'static str),
}

/// One setting: its dotted name, how a value is read, and how it is written. The error names what was expected; nothing
/// is written where there is neither a value nor a default.
struct Setting(
    &'static str,
    fn(&mut Config, &DeValue<'_>) -> Result<(), String>,
    fn(&Config) -> Option<String>,
);

/// All settings; those without a table come first, as TOML requires.
const SETTINGS: &[Setting] = &[
    Setting(
        "theme",
        |it, to| set_value(&mut it.theme, parse_word(to)),
        |it| Some(toml_string(it.theme.word())),
    ),
    Setting(
        "ascii",
        |it, to| set_value(&mut it.ascii, parse_flag(to)),
        |it| Some(it.ascii.to_string()),
    ),
    Setting(
        "tab_width",
        |it, to| set_value(&mut it.tab_width, parse_whole_number(to, 1, 16)),
        |it| Some(it.tab_width.to_string()),
    ),
    Setting(
        "editor",
        |it, to| set_some(&mut it.editor, parse_text(to, "a command, such as \"vi\"")),
        |it| it.editor.as_deref().map(toml_string),
    ),
    Setting(
        "annotator",
        |it, to| {
            let name = parse_text(to, "the name of who labels").map(|name| name.trim().to_owned());
            set_some(&mut it.annotator, name)
        },
        |it| it.annotator.as_deref().map(toml_string),
    ),
    Setting(
        "judge",
        |it, to| {
            let name = parse_text(to, "the name of a judge, or of a judgement's file");
            set_some(&mut it.judge, name.map(|name| name.trim().to_owned()))
        },
        |it| it.judge.as_deref().map(toml_string),
    ),
    Setting(
        "labels",
        |it, to| {
            set_value(&mut it.labels, parse_one_of(to, &LabelMode::ALL.map(|it| (it.word(), it))))
        },
        |it| Some(toml_string(it.labels.word())),
    ),
    Setting(
        "profile",
        |it, to| {
            set_value(
                &mut it.profile,
                parse_one_of(to, &QualityProfile::ALL.map(|it| (it.name(), it))),
            )
        },
        |it| Some(toml_string(it.profile.name())),
    ),
    Setting(
        "rules",
        |it, to| {
            let path = to.as_str().filter(|path| !path.is_empty()).map(Into::into);
            set_some(&mut it.rules, path.ok_or_else(|| "expected a file or folder of rules".into()))
        },
        |it| it.rules.as_ref().map(|path| toml_string(&path.to_string_lossy())),
    ),
    Setting(
        "prices",
        |it, to| {
            let path = to.as_str().filter(|path| !path.is_empty()).map(Into::into);
            set_some(&mut it.prices, path.ok_or_else(|| "expected a file of prices".into()))
        },
        |it| it.prices.as_ref().map(|path| toml_string(&path.to_string_lossy())),
    ),
    Setting(
        "diff.context",
        |it, to| set_value(&mut it.diff.context, parse_whole_number(to, 0, 1_000)),
        |it| Some(it.diff.context.to_string()),
    ),
    Setting(
        "diff.mode",
        |it, to| set_value(&mut it.diff.mode, parse_word(to)),
        |it| Some(toml_string(it.diff.mode.word())),
    ),
    Setting(
        "play.speed",
        |it, to| set_value(&mut it.play.speed, parse_between(to, 0.25, 16.0)),
        |it| Some(it.play.speed.to_string()),
    ),
    Setting(
        "play.stop_at",
        |it, to| set_value(&mut it.play.stop_at, parse_words(to)),
        |it| Some(toml_list(it.play.stop_at.iter().map(|stop| stop.word()))),
    ),
    Setting(
        "timeline.mode",
        |it, to| set_value(&mut it.timeline.mode, parse_word(to)),
        |it| Some(toml_string(it.timeline.mode.word())),
    ),
    Setting(
        "timeline.lanes",
        |it, to| set_value(&mut it.timeline.lanes, parse_numbers(to)),
        |it| Some(toml_list(it.timeline.lanes.iter().map(|number| number.id()))),
    ),
    Setting(
        "curves.reference.erosion",
        |it, to| set_some(&mut it.reference.erosion, parse_band(to)),
        |it| it.reference.erosion.map(band_text),
    ),
    Setting(
        "curves.reference.verbosity",
        |it, to| set_some(&mut it.reference.verbosity, parse_band(to)),
        |it| it.reference.verbosity.map(band_text),
    ),
    Setting(
        "curves.reference.source",
        |it, to| set_some(&mut it.reference.source, parse_text(to, "where the numbers come from")),
        |it| it.reference.source.as_deref().map(toml_string),
    ),
    Setting(
        "columns.id",
        |it, to| set_value(&mut it.columns.id, parse_column_names(to)),
        |it| Some(toml_list(it.columns.id.iter().map(String::as_str))),
    ),
    Setting(
        "columns.messages",
        |it, to| set_value(&mut it.columns.messages, parse_column_names(to)),
        |it| Some(toml_list(it.columns.messages.iter().map(String::as_str))),
    ),
    Setting(
        "columns.patch",
        |it, to| set_value(&mut it.columns.patch, parse_column_names(to)),
        |it| Some(toml_list(it.columns.patch.iter().map(String::as_str))),
    ),
    Setting(
        "columns.solved",
        |it, to| set_value(&mut it.columns.solved, parse_column_names(to)),
        |it| Some(toml_list(it.columns.solved.iter().map(String::as_str))),
    ),
];

/// Keeps a value that could be read.
fn set_value<T>(place: &mut T, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = value)
}

fn set_some<T>(place: &mut Option<T>, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = Some(value))
}

/// Parses a text that is not blank.
fn parse_text(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("expected {what}"))
}

/// Parses a list of names of columns. The error is what was expected.
fn parse_column_names(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let expected = || "expected a list of names, such as [\"log\"]".to_owned();
    let values = value.as_array().ok_or_else(expected)?;
    let name = |value: &Spanned<DeValue<'_>>| {
        let name = value.get_ref().as_str().filter(|name| !name.is_empty());
        name.map(str::to_owned).ok_or_else(expected)
    };
    values.iter().map(name).collect()
}

/// Parses a list of ids of numbers.
fn parse_numbers(value: &DeValue<'_>) -> Result<Vec<Number>, String> {
    let expected =
        "expected a list of numbers of `trajview list metrics`, such as [\"erosion\", \"mcf\"]";
    let values = value.as_array().ok_or_else(|| expected.to_owned())?;
    let number = |value: &Spanned<DeValue<'_>>| {
        let id = value.get_ref().as_str().unwrap_or_default();
        Number::find_by_id(id).ok_or_else(|| expected.to_owned())
    };
    values.iter().map(number).collect()
}

fn parse_flag(value: &DeValue<'_>) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "expected true or false".to_owned())
}

/// Parses a value that is named.
fn parse_one_of<T: Copy>(value: &DeValue<'_>, all: &[(&str, T)]) -> Result<T, String> {
    let found = all.iter().find(|(name, _)| value.as_str() == Some(name));
    let names = || all.iter().map(|(name, _)| toml_string(name)).collect::<Vec<_>>().join(", ");
    found.map(|(_, it)| *it).ok_or_else(|| format!("expected one of {}", names()))
}

fn parse_between(value: &DeValue<'_>, least: f64, most: f64) -> Result<f64, String> {
    let number = parse_number(value).filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

/// Returns a list as TOML writes it.
fn toml_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", words.into_iter().map(toml_string).collect::<Vec<_>>().join(", "))
}

fn parse_word<T: NamedValue>(value: &DeValue<'_>) -> Result<T, String> {
    let found = value.as_str().and_then(T::by_word);
    found.ok_or_else(|| format!("expected one of {}", quoted_words::<T>()))
}

fn parse_words<T: NamedValue>(value: &DeValue<'_>) -> Result<Vec<T>, String> {
    let expected = || format!("expected a list of any of {}", quoted_words::<T>());
    let values = value.as_array().ok_or_else(expected)?;
    let found: Vec<T> = values
        .iter()
        .map(|value| value.get_ref().as_str().and_then(T::by_word).ok_or_else(expected))
        .collect::<Result<_, _>>()?;
    Ok(T::ALL.iter().copied().filter(|value| found.contains(value)).collect())
}

fn quoted_words<T: NamedValue>() -> String {
    T::ALL.iter().map(|value| toml_string(value.word())).collect::<Vec<_>>().join(", ")
}

fn parse_whole_number(value: &DeValue<'_>, least: usize, most: usize) -> Result<usize, String> {
    let number = value
        .as_integer()
        .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
        .filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

fn parse_number(value: &DeValue<'_>) -> Option<f64> {
    let whole = value.as_integer().filter(|number| number.radix() == 10);
    let text = whole.map(|number| number.as_str()).or(value.as_float().map(|n| n.as_str()))?;
    text.parse().ok()
}

/// Parses the lowest and the highest value of a share.
fn parse_band(value: &DeValue<'_>) -> Result<[f64; 2], String> {
    let expected = || "expected two numbers from 0 to 1, the lower first".to_owned();
    let values = value.as_array().ok_or_else(expected)?;
    let numbers: Vec<f64> =
        values.iter().filter_map(|value| parse_number(value.get_ref())).collect();
    match numbers.as_slice() {
        [low, high] if values.len() == 2 && 0.0 <= *low && low <= high && *high <= 1.0 => {
            Ok([*low, *high])
        }
        _ => Err(expected()),
    }
}

fn band_text([low, high]: [f64; 2]) -> String {
    format!("[{low:?}, {high:?}]")
}

/// Parses a chord, or a list of them.
fn parse_chords(value: &DeValue<'_>) -> Result<Vec<Chord>, String> {
    let expected = || "expected a key such as \"l\" or \"ctrl-d\", or a list of keys".to_owned();
    let written: Vec<&str> = match value {
        DeValue::String(text) => vec![text],
        DeValue::Array(values) => values
            .iter()
            .map(|value| value.get_ref().as_str().ok_or_else(expected))
            .collect::<Result<_, _>>()?,
        _ => return Err(expected()),
    };
    if written.is_empty() {
        return Err(expected());
    }
    let chord = |written: &str| match key::parse_chord(written) {
        Ok(keys) if keys.is_empty() => Err(expected()),
        Ok(keys) => Ok(Chord { written: written.to_owned(), keys }),
        Err(why) => Err(why.to_string()),
    };
    written.into_iter().map(chord).collect()
}

fn toml_string(text: &str) -> String {
    // JSON's escapes are TOML's too, but for this one character.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// The settings file that was named before a command.
static SETTINGS_FILE: OnceLock<PathBuf> = OnceLock::new();

/// Sets the settings file of the whole program.
pub(crate) fn set_settings_file(file: PathBuf) {
    SETTINGS_FILE.get_or_init(|| file);
}

/// Reads the settings: from the file named on the command line, else in `TRAJVIEW_CONFIG` (empty for none), else
/// from the usual place. A file that was named must be there.
pub(crate) fn load_settings(named_file: Option<&Path>) -> Result<LoadedConfig, CommandFailure> {
    let named_file = named_file.or_else(|| SETTINGS_FILE.get().map(PathBuf::as_path));
    let variable = std::env::var_os("TRAJVIEW_CONFIG");
    let is_named = named_file.is_some() || variable.as_ref().is_some_and(|path| !path.is_empty());
    let file = match (named_file, variable) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(path)) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        (None, None) => store::settings_file::default_path(),
    };
    let text = match file.as_deref().map(|path| (path, store::settings_file::read_settings(path))) {
        None => None,
        Some((path, Ok(None))) if is_named => {
            return Err(cannot_read(path, "no such file or folder"));
        }
        Some((_, Ok(text))) => text,
        Some((path, Err(why))) if is_named => return Err(cannot_read(path, &why)),
        Some((path, Err(why))) => {
            let mut loaded =
                LoadedConfig::from_text("", Some(path.to_owned()), environment_values());
            loaded.problems.push(cannot_read(path, &why).sentence);
            return Ok(loaded);
        }
    };
    let was_found = text.is_some();
    let mut loaded = LoadedConfig::from_text(&text.unwrap_or_default(), file, environment_values());
    store::set_columns(loaded.config.columns.clone());
    match loaded.config.prices.as_deref().map(store::prices::read_prices) {
        None => {}
        Some(Ok(prices)) => store::prices::set_prices(prices),
        Some(Err(why)) => loaded.problems.push(format!("prices: {why}")),
    }
    Ok(LoadedConfig { was_found, ..loaded })
}

fn cannot_read(path: &Path, why: &str) -> CommandFailure {
    CommandFailure::cannot_read(format!("cannot read {}: {why}", path.display()))
}

/// A setting's value from an environment variable.
struct EnvironmentValue {
    setting: &'static str,
    variable: &'static str,
    value: OsString,
}

fn environment_values() -> Vec<EnvironmentValue> {
    let from_variable = |setting, variable| {
        let value = std::env::var_os(variable).filter(|value| !value.is_empty())?;
        Some(EnvironmentValue { setting, variable, value })
    };
    let editor = from_variable("editor", "VISUAL").or_else(|| from_variable("editor", "EDITOR"));
    let annotator =
        from_variable("annotator", "USER").or_else(|| from_variable("annotator", "USERNAME"));
    editor.into_iter().chain(annotator).collect()
}

impl LoadedConfig {
    fn from_text(text: &str, file: Option<PathBuf>, environment: Vec<EnvironmentValue>) -> Self {
        let mut loaded = Self { file, ..Self::default() };
        for EnvironmentValue { setting, variable, value } in environment {
            let value = Some(value.to_string_lossy().into_owned());
            match setting {
                "annotator" => loaded.config.annotator = value,
                _ => loaded.config.editor = value,
            }
            loaded.origins.insert(setting.into(), SettingOrigin::Variable(variable));
        }
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let line = line_number_at(text, error.span().map_or(0, |span| span.start));
            loaded.add_problem(line, error.message().lines().next().unwrap_or_default());
        }
        loaded.read_table(text, "", table.get_ref());
        loaded.check_keys();
        // A line that TOML cannot parse leaves a value behind, which must not be reported again.
        loaded.line_problems.sort_by_key(|(line, _)| *line);
        loaded.line_problems.dedup_by_key(|(line, _)| *line);
        let file = loaded.file_name();
        let sentence = |(line, what)| format!("{file}:{line}: {what}");
        loaded.problems = loaded.line_problems.drain(..).map(sentence).collect();
        loaded
    }

    fn read_table(&mut self, text: &str, above: &str, table: &DeTable<'_>) {
        let mut entries: Vec<(&Spanned<_>, &Spanned<DeValue<'_>>)> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let line = line_number_at(text, name.span().start);
            let full = format!("{above}{}", name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if above.is_empty() && full == "keys" => {
                    self.read_keys(text, inner);
                }
                DeValue::Table(inner) if above.is_empty() && full == "judges" => {
                    judges::settings_from(self, text, inner);
                }
                DeValue::Table(inner) if above.is_empty() && full == "drivers" => {
                    drivers::read_drivers(self, text, inner);
                }
                DeValue::Table(inner) if is_table(&full) => {
                    self.read_table(text, &format!("{full}."), inner);
                }
                value => self.read_setting(&full, value, line),
            }
        }
    }

    fn read_setting(&mut self, name: &str, value: &DeValue<'_>, line: usize) {
        let Some(setting) = SETTINGS.iter().find(|setting| setting.0 == name) else {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.0).collect();
            let what = match name {
                "keys" => "keys: expected a table of commands with their keys".to_owned(),
                "judges" => "judges: expected a table for each judge, [judges.NAME]".to_owned(),
                "drivers" => "drivers: expected a table for each agent, [drivers.NAME]".to_owned(),
                name if is_table(name) => format!("{name}: expected a table"),
                name => format!(
                    "unknown setting {name}; known: {}, [keys], [judges.NAME], [drivers.NAME]",
                    names.join(", ")
                ),
            };
            return self.add_problem(line, &what);
        };
        match (setting.1)(&mut self.config, value) {
            Ok(()) => {
                self.origins.insert(name.to_owned(), SettingOrigin::Line(line));
            }
            Err(what) => {
                self.add_problem(
                    line,
                    &format!("{name}: {what}, found {}", toml_value_text(value)),
                );
            }
        }
    }

    fn read_keys(&mut self, text: &str, table: &DeTable<'_>) {
        for (command, value) in table {
            let line = line_number_at(text, command.span().start);
            let command = command.get_ref().to_string();
            match parse_chords(value.get_ref()) {
                Ok(chords) => {
                    self.origins.insert(format!("keys.{command}"), SettingOrigin::Line(line));
                    self.config.keys.insert(command, chords);
                }
                Err(what) => self.add_problem(line, &format!("keys.{command}: {what}")),
            }
        }
    }

    /// Reports keys of unknown commands, keys bound twice, and names of before.
    fn check_keys(&mut self) {
        let (_, problems) = UserKeys::from_config(&self.config.keys);
        for KeyProblem { command, what } in problems {
            let name = format!("keys.{command}");
            if let Some(SettingOrigin::Line(line)) = self.origins.get(&name) {
                self.add_problem(*line, &format!("{name}: {what}"));
            }
        }
    }

    fn add_problem(&mut self, line: usize, what: &str) {
        self.line_problems.push((line, what.to_owned()));
    }

    /// Returns the file looked for. None if there is no place for one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    fn file_name(&self) -> String {
        self.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default()
    }

    /// Prints every value with its origin, in a form that can be read back as settings.
    pub(crate) fn print_settings(&self, out: &mut Out) -> std::io::Result<()> {
        out.print_line(&match (&self.file, self.was_found) {
            (None, _) => "# no settings file".to_owned(),
            (Some(file), true) => format!("# settings file: {}", file.display()),
            (Some(file), false) => format!("# settings file: {} (not there)", file.display()),
        })?;
        let mut table = "";
        for setting in SETTINGS {
            let (above, name) = setting.0.split_once('.').unwrap_or(("", setting.0));
            if above != table {
                out.print_line("")?;
                out.print_line(&format!("[{above}]"))?;
                table = above;
            }
            match (setting.2)(&self.config) {
                Some(value) => {
                    out.print_line(&format!(
                        "{name} = {value}  # {}",
                        self.origin_text(setting.0)
                    ))?;
                }
                None => out.print_line(&format!("# {name} is not set"))?,
            }
        }
        out.print_line("")?;
        out.print_line("[keys]")?;
        self.config.keys.iter().try_for_each(|(command, chords)| {
            let chords: Vec<String> =
                chords.iter().map(|chord| toml_string(&chord.written)).collect();
            let origin = self.origin_text(&format!("keys.{command}"));
            out.print_line(&format!(
                "{} = [{}]  # {origin}",
                toml_string(command),
                chords.join(", ")
            ))
        })?;
        self.judges.iter().try_for_each(|judge| self.print_judge(judge, out))
    }

    fn print_judge(&self, judge: &JudgeConfig, out: &mut Out) -> std::io::Result<()> {
        out.print_line("")?;
        out.print_line(&format!("[judges.{}]", judge.name))?;
        judges::judge_fields(judge).into_iter().try_for_each(|(field, value)| match value {
            Some(value) => {
                let origin_text = self.origin_text(&format!("judges.{}.{field}", judge.name));
                out.print_line(&format!("{field} = {value}  # {origin_text}"))
            }
            None => out.print_line(&format!("# {field} is not set")),
        })
    }

    fn origin_text(&self, name: &str) -> String {
        match self.origins.get(name) {
            None => "default".into(),
            Some(SettingOrigin::Line(line)) => format!("{}:{line}", self.file_name()),
            Some(SettingOrigin::Variable(variable)) => format!("environment: {variable}"),
        }
    }
}

fn is_table(name: &str) -> bool {
    SETTINGS
        .iter()
        .any(|setting| setting.0.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// Returns a value of the settings file as it is written there, of a time, a list or a table its kind.
fn toml_value_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => toml_string(text),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a time".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

fn line_number_at(text: &str, byte: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..byte.min(text.len())]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_tui::{
        session::arrangement::Arrangement,
        views::replay::breakpoints::Stop,
        widgets::{display_options::ThemeName, key::Key},
    };

    fn settings_from(text: &str) -> LoadedConfig {
        LoadedConfig::from_text(text, Some("c.toml".into()), vec![])
    }

    #[test]
    fn every_setting_is_read() {
        let loaded = settings_from(
            "theme = \"colour-blind\"\nascii = true\ntab_width = 8\neditor = \"ed\"\n\
             [diff]\ncontext = 5\nmode = \"side-by-side\"\n\
             [play]\nspeed = 2\nstop_at = [\"compaction\", \"error\", \"error\"]\n\
             [keys]\nnext-turn = \"l\"\nquit = [\"q\", \"<c-c>\"]\n",
        );

        let (config, l) = (&loaded.config, Key::from_char('l'));
        assert_eq!(loaded.problems, Vec::<String>::new());
        assert_eq!(
            (config.theme, config.ascii, config.tab_width),
            (ThemeName::ColourBlind, true, 8)
        );
        assert_eq!((config.diff.context, config.diff.mode), (5, Arrangement::Columns));
        assert_eq!(config.play.speed, 2.0);
        assert_eq!(config.play.stop_at, [Stop::Error, Stop::Compaction]);
        assert_eq!(config.editor.as_deref(), Some("ed"));
        assert_eq!(config.keys["next-turn"], [Chord { written: "l".into(), keys: vec![l] }]);
        assert_eq!(config.keys["quit"][1].keys, [Key::with_ctrl('c')]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_the_rest_counts() {
        let loaded = settings_from(
            "theme = \"pink\"\nthemes = 1\nascii = \"yes\"\ntab_width = 0\n\
             play.speed = nan\ndiff = 3\n[play]\nstop_at = \"error\"\n[keys]\na = \"<warp>\"\nb = 1\nc = \"\"\n",
        );

        insta::assert_snapshot!(loaded.problems.join("\n"));
        assert_eq!(loaded.config, Config::default());
    }

    #[test]
    fn keys_that_cannot_be_bound_are_reported_with_their_lines() {
        let loaded = settings_from(
            "[keys]\nnext-turn = \"w\"\nprevious-turn = \"w\"\nwarp = \"ctrl-f\"\n\
             search = [\"q\", \"ctrl-c\"]\nup-in-the-tree = \"shift-tab\"\n",
        );

        let starts = [
            "c.toml:3: keys.previous-turn: w is also the key of next-turn",
            "c.toml:4: keys.warp: no command has this id",
            "c.toml:5: keys.search: q quits ",
            "c.toml:6: keys.up-in-the-tree: this name is now up",
        ];
        assert_eq!(loaded.problems.len(), starts.len(), "{:?}", loaded.problems);
        for (problem, start) in loaded.problems.iter().zip(starts) {
            assert!(problem.starts_with(start), "{problem}");
        }
    }

    #[test]
    fn a_broken_line_does_not_spoil_the_others() {
        let loaded = settings_from("ascii = true\ntab_width = \nplay.speed = 4\n");

        assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
        assert!(loaded.problems[0].starts_with("c.toml:2: "), "{:?}", loaded.problems);
        assert!(loaded.config.ascii);
        assert_eq!(loaded.config.play.speed, 4.0);
    }

    #[test]
    fn the_file_wins_over_the_environment() {
        let said = |setting, variable, value: &str| EnvironmentValue {
            setting,
            variable,
            value: value.into(),
        };
        let both = || vec![said("editor", "VISUAL", "vi"), said("annotator", "USER", "ann")];
        let text = "editor = \"ed\"\nannotator = \"bob\"";
        let said = LoadedConfig::from_text(text, Some("c.toml".into()), both());
        let silent = LoadedConfig::from_text("", Some("c.toml".into()), both());

        assert_eq!(said.config.editor.as_deref(), Some("ed"));
        assert_eq!(said.origin_text("editor"), "c.toml:1");
        assert_eq!(silent.config.editor.as_deref(), Some("vi"));
        assert_eq!(silent.origin_text("editor"), "environment: VISUAL");
        assert_eq!(said.config.annotator.as_deref(), Some("bob"));
        assert_eq!(silent.config.annotator.as_deref(), Some("ann"));
        assert_eq!(silent.origin_text("annotator"), "environment: USER");
        assert_eq!(silent.origin_text("theme"), "default");
    }

    #[test]
    fn whatever_kind_a_value_is_of_it_is_read_or_told_with_its_line() {
        let kinds = [
            "[]",
            "[\"\"]",
            "\"\"",
            "0",
            "-1",
            "1e400",
            "inf",
            "nan",
            "9223372036854775807",
            "true",
            "{}",
            "{ a = 1 }",
            "[1]",
            "[[]]",
            "[{}]",
            "1979-05-27",
            "\"\\u0000\"",
            "[0.5, nan]",
            "[\"a\", \"a\"]",
        ];
        let names = SETTINGS.iter().map(|setting| setting.0).chain([
            "keys",
            "keys.quit",
            "judges",
            "judges.a",
            "judges.a.url",
            "drivers",
            "drivers.a",
            "drivers.a.command",
        ]);
        for name in names {
            for kind in kinds {
                let loaded = settings_from(&format!("{name} = {kind}\n"));
                let is_told = |problem: &String| problem.starts_with("c.toml");
                assert!(
                    loaded.problems.iter().all(is_told),
                    "{name} = {kind}: {:?}",
                    loaded.problems
                );
                let all_have_keys = loaded.config.keys.values().all(|chords| !chords.is_empty());
                assert!(all_have_keys, "{name} = {kind}");
            }
        }
    }

    #[test]
    fn every_setting_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> =
            SETTINGS.iter().map(|setting| setting.0).collect();
        assert_eq!(names.len(), SETTINGS.len());
    }
}
