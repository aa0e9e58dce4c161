//! The user's settings: read from a TOML file, told by `trajview --print-config`.
//!
//! A setting is one row of [`SETTINGS`]. What is wrong with a file is said in a sentence with its place, and the rest
//! of it counts. Judges have tables of their own: `judges`.

mod drivers;
pub mod file;
mod judges;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use trajview_judge::settings::Settings;
use trajview_live::drivers::command::ProgramOptions;
use trajview_metrics::quality::Profile;
use trajview_run::{rubric::Acts, values::Named};
use trajview_store as store;
use trajview_tui::{
    shell::config::{Chord, Config},
    widgets::key,
};

use super::{Failure, output::Out};

/// Settings, and where each of them was said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    pub config: Config,
    /// Those that can be asked, in the order of the file.
    pub judges: Vec<Settings>,
    /// Programs that can be driven, in the order of their names.
    pub drivers: Vec<(String, ProgramOptions)>,
    /// Sentences about what could not be used, each with file and line.
    pub problems: Vec<String>,
    /// The file looked for; None where there is no place for one.
    file: Option<PathBuf>,
    was_found: bool,
    /// Problems by line, as they are found.
    found: Vec<(usize, String)>,
    /// By the name of the setting; what is not here is a default.
    origins: BTreeMap<String, Origin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    Line(usize),
    Variable(&'static str),
}

/// One setting: its dotted name, how a value is taken in, and how it is written. The error says what was expected;
/// nothing is written where nobody said and there is no default.
struct Setting(
    &'static str,
    fn(&mut Config, &DeValue<'_>) -> Result<(), String>,
    fn(&Config) -> Option<String>,
);

/// Those without a table first, as TOML wants it.
const SETTINGS: &[Setting] = &[
    Setting("theme", |it, to| put(&mut it.theme, word(to)), |it| Some(quoted(it.theme.word()))),
    Setting("ascii", |it, to| put(&mut it.ascii, flag(to)), |it| Some(it.ascii.to_string())),
    Setting(
        "tab_width",
        |it, to| put(&mut it.tab_width, whole(to, 1, 16)),
        |it| Some(it.tab_width.to_string()),
    ),
    Setting(
        "editor",
        |it, to| put_some(&mut it.editor, text(to, "a command, such as \"vi\"")),
        |it| it.editor.as_deref().map(quoted),
    ),
    Setting(
        "annotator",
        |it, to| {
            let name = text(to, "the name of who labels").map(|name| name.trim().to_owned());
            put_some(&mut it.annotator, name)
        },
        |it| it.annotator.as_deref().map(quoted),
    ),
    Setting(
        "labels",
        |it, to| put(&mut it.labels, named(to, &Acts::ALL.map(|it| (it.word(), it)))),
        |it| Some(quoted(it.labels.word())),
    ),
    Setting(
        "profile",
        |it, to| put(&mut it.profile, named(to, &Profile::ALL.map(|it| (it.name(), it)))),
        |it| Some(quoted(it.profile.name())),
    ),
    Setting(
        "rules",
        |it, to| {
            let path = to.as_str().filter(|path| !path.is_empty()).map(Into::into);
            put_some(&mut it.rules, path.ok_or_else(|| "expected a file or folder of rules".into()))
        },
        |it| it.rules.as_ref().map(|path| quoted(&path.to_string_lossy())),
    ),
    Setting(
        "prices",
        |it, to| {
            let path = to.as_str().filter(|path| !path.is_empty()).map(Into::into);
            put_some(&mut it.prices, path.ok_or_else(|| "expected a file of prices".into()))
        },
        |it| it.prices.as_ref().map(|path| quoted(&path.to_string_lossy())),
    ),
    Setting(
        "diff.context",
        |it, to| put(&mut it.diff.context, whole(to, 0, 1_000)),
        |it| Some(it.diff.context.to_string()),
    ),
    Setting(
        "diff.mode",
        |it, to| put(&mut it.diff.mode, word(to)),
        |it| Some(quoted(it.diff.mode.word())),
    ),
    Setting(
        "play.speed",
        |it, to| put(&mut it.play.speed, between(to, 0.25, 16.0)),
        |it| Some(it.play.speed.to_string()),
    ),
    Setting(
        "play.stop_at",
        |it, to| put(&mut it.play.stop_at, words(to)),
        |it| Some(list(it.play.stop_at.iter().map(|stop| stop.word()))),
    ),
    Setting(
        "curves.reference.erosion",
        |it, to| put_some(&mut it.reference.erosion, band(to)),
        |it| it.reference.erosion.map(band_said),
    ),
    Setting(
        "curves.reference.verbosity",
        |it, to| put_some(&mut it.reference.verbosity, band(to)),
        |it| it.reference.verbosity.map(band_said),
    ),
    Setting(
        "curves.reference.source",
        |it, to| put_some(&mut it.reference.source, text(to, "where the numbers come from")),
        |it| it.reference.source.as_deref().map(quoted),
    ),
    Setting(
        "columns.id",
        |it, to| put(&mut it.columns.id, columns(to)),
        |it| Some(list(it.columns.id.iter().map(String::as_str))),
    ),
    Setting(
        "columns.messages",
        |it, to| put(&mut it.columns.messages, columns(to)),
        |it| Some(list(it.columns.messages.iter().map(String::as_str))),
    ),
    Setting(
        "columns.patch",
        |it, to| put(&mut it.columns.patch, columns(to)),
        |it| Some(list(it.columns.patch.iter().map(String::as_str))),
    ),
    Setting(
        "columns.solved",
        |it, to| put(&mut it.columns.solved, columns(to)),
        |it| Some(list(it.columns.solved.iter().map(String::as_str))),
    ),
];

/// Keeps a value that could be read.
fn put<T>(place: &mut T, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = value)
}

fn put_some<T>(place: &mut Option<T>, read: Result<T, String>) -> Result<(), String> {
    read.map(|value| *place = Some(value))
}

/// A text that is not blank.
fn text(value: &DeValue<'_>, what: &str) -> Result<String, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("expected {what}"))
}

/// Names of columns.
fn columns(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let expected = || "expected a list of names, such as [\"log\"]".to_owned();
    let values = value.as_array().ok_or_else(expected)?;
    let name = |value: &Spanned<DeValue<'_>>| {
        let name = value.get_ref().as_str().filter(|name| !name.is_empty());
        name.map(str::to_owned).ok_or_else(expected)
    };
    values.iter().map(name).collect()
}

fn flag(value: &DeValue<'_>) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| "expected true or false".to_owned())
}

/// One of the values, by its name.
fn named<T: Copy>(value: &DeValue<'_>, all: &[(&str, T)]) -> Result<T, String> {
    let found = all.iter().find(|(name, _)| value.as_str() == Some(name));
    let names = || all.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(", ");
    found.map(|(_, it)| *it).ok_or_else(|| format!("expected one of {}", names()))
}

fn between(value: &DeValue<'_>, least: f64, most: f64) -> Result<f64, String> {
    let number = number(value).filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

/// A list as TOML writes it.
fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", words.into_iter().map(quoted).collect::<Vec<_>>().join(", "))
}

fn word<T: Named>(value: &DeValue<'_>) -> Result<T, String> {
    let found = value.as_str().and_then(T::by_word);
    found.ok_or_else(|| format!("expected one of {}", words_of::<T>()))
}

fn words<T: Named>(value: &DeValue<'_>) -> Result<Vec<T>, String> {
    let expected = || format!("expected a list of any of {}", words_of::<T>());
    let values = value.as_array().ok_or_else(expected)?;
    let found: Vec<T> = values
        .iter()
        .map(|value| value.get_ref().as_str().and_then(T::by_word).ok_or_else(expected))
        .collect::<Result<_, _>>()?;
    Ok(T::ALL.iter().copied().filter(|value| found.contains(value)).collect())
}

fn words_of<T: Named>() -> String {
    T::ALL.iter().map(|value| quoted(value.word())).collect::<Vec<_>>().join(", ")
}

fn whole(value: &DeValue<'_>, least: usize, most: usize) -> Result<usize, String> {
    let number = value
        .as_integer()
        .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
        .filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let whole = value.as_integer().filter(|number| number.radix() == 10);
    let text = whole.map(|number| number.as_str()).or(value.as_float().map(|n| n.as_str()))?;
    text.parse().ok()
}

/// Lowest and highest value of a share.
fn band(value: &DeValue<'_>) -> Result<[f64; 2], String> {
    let expected = || "expected two numbers from 0 to 1, the lower first".to_owned();
    let values = value.as_array().ok_or_else(expected)?;
    let numbers: Vec<f64> = values.iter().filter_map(|value| number(value.get_ref())).collect();
    match numbers.as_slice() {
        [low, high] if values.len() == 2 && 0.0 <= *low && low <= high && *high <= 1.0 => {
            Ok([*low, *high])
        }
        _ => Err(expected()),
    }
}

fn band_said([low, high]: [f64; 2]) -> String {
    format!("[{low:?}, {high:?}]")
}

/// A chord, or a list of them.
fn chords(value: &DeValue<'_>) -> Result<Vec<Chord>, String> {
    let expected = || "expected a key such as \"l\" or \"<c-d>\", or a list of keys".to_owned();
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
    let chord = |written: &str| match key::parse(written) {
        Ok(keys) if keys.is_empty() => Err(expected()),
        Ok(keys) => Ok(Chord { written: written.to_owned(), keys }),
        Err(why) => Err(why.to_string()),
    };
    written.into_iter().map(chord).collect()
}

fn quoted(text: &str) -> String {
    // JSON's escapes are TOML's too, but for this one character.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

/// Reads the settings: from the file named on the command line, else in `TRAJVIEW_CONFIG` (empty for none), else
/// from the usual place. A file that was named must be there.
pub fn load(named: Option<&Path>) -> Result<Loaded, Failure> {
    let variable = std::env::var_os("TRAJVIEW_CONFIG");
    let is_named = named.is_some() || variable.as_ref().is_some_and(|path| !path.is_empty());
    let file = match (named, variable) {
        (Some(path), _) => Some(path.to_owned()),
        (None, Some(path)) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        (None, None) => store::config::default_path(),
    };
    let text = match file.as_deref().map(|path| (path, store::config::read(path))) {
        None => None,
        Some((path, Ok(None))) if is_named => {
            return Err(cannot_read(path, "no such file or folder"));
        }
        Some((_, Ok(text))) => text,
        Some((path, Err(why))) if is_named => return Err(cannot_read(path, &why)),
        Some((path, Err(why))) => {
            let mut loaded = Loaded::of("", Some(path.to_owned()), environment());
            loaded.problems.push(cannot_read(path, &why).sentence);
            return Ok(loaded);
        }
    };
    let was_found = text.is_some();
    let mut loaded = Loaded::of(&text.unwrap_or_default(), file, environment());
    store::set_columns(loaded.config.columns.clone());
    match loaded.config.prices.as_deref().map(store::prices::read) {
        None => {}
        Some(Ok(held)) => store::prices::hold(held),
        Some(Err(why)) => loaded.problems.push(format!("prices: {why}")),
    }
    Ok(Loaded { was_found, ..loaded })
}

fn cannot_read(path: &Path, why: &str) -> Failure {
    Failure::unread(format!("cannot read {}: {why}", path.display()))
}

/// What a variable of the environment says of a setting.
struct Said {
    setting: &'static str,
    variable: &'static str,
    value: OsString,
}

fn environment() -> Vec<Said> {
    let said = |setting, variable| {
        let value = std::env::var_os(variable).filter(|value| !value.is_empty())?;
        Some(Said { setting, variable, value })
    };
    let editor = said("editor", "VISUAL").or_else(|| said("editor", "EDITOR"));
    let annotator = said("annotator", "USER").or_else(|| said("annotator", "USERNAME"));
    editor.into_iter().chain(annotator).collect()
}

impl Loaded {
    fn of(text: &str, file: Option<PathBuf>, environment: Vec<Said>) -> Self {
        let mut loaded = Self { file, ..Self::default() };
        for Said { setting, variable, value } in environment {
            let value = Some(value.to_string_lossy().into_owned());
            match setting {
                "annotator" => loaded.config.annotator = value,
                _ => loaded.config.editor = value,
            }
            loaded.origins.insert(setting.into(), Origin::Variable(variable));
        }
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let line = line_of(text, error.span().map_or(0, |span| span.start));
            loaded.problem(line, error.message().lines().next().unwrap_or_default());
        }
        loaded.read_table(text, "", table.get_ref());
        // A line that TOML cannot read leaves a value behind, about which there is nothing more to say.
        loaded.found.sort_by_key(|(line, _)| *line);
        loaded.found.dedup_by_key(|(line, _)| *line);
        let file = loaded.file_name();
        let sentence = |(line, what)| format!("{file}:{line}: {what}");
        loaded.problems = loaded.found.drain(..).map(sentence).collect();
        loaded
    }

    fn read_table(&mut self, text: &str, above: &str, table: &DeTable<'_>) {
        let mut entries: Vec<(&Spanned<_>, &Spanned<DeValue<'_>>)> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        for (name, value) in entries {
            let line = line_of(text, name.span().start);
            let full = format!("{above}{}", name.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if above.is_empty() && full == "keys" => {
                    self.read_keys(text, inner);
                }
                DeValue::Table(inner) if above.is_empty() && full == "judges" => {
                    judges::read(self, text, inner);
                }
                DeValue::Table(inner) if above.is_empty() && full == "drivers" => {
                    drivers::read(self, text, inner);
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
            let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.0).collect();
            let what = match name {
                "keys" => "keys: expected a table of commands with their keys".to_owned(),
                "judges" => "judges: expected a table for each judge, [judges.NAME]".to_owned(),
                "drivers" => "drivers: expected a table for each agent, [drivers.NAME]".to_owned(),
                name if is_table(name) => format!("{name}: expected a table"),
                name => format!(
                    "no setting is called {name}; known: {}, [keys], [judges.NAME], [drivers.NAME]",
                    known.join(", ")
                ),
            };
            return self.problem(line, &what);
        };
        match (setting.1)(&mut self.config, value) {
            Ok(()) => {
                self.origins.insert(name.to_owned(), Origin::Line(line));
            }
            Err(what) => {
                self.problem(line, &format!("{name}: {what}, found {}", found(value)));
            }
        }
    }

    fn read_keys(&mut self, text: &str, table: &DeTable<'_>) {
        for (command, value) in table {
            let line = line_of(text, command.span().start);
            let command = command.get_ref().to_string();
            match chords(value.get_ref()) {
                Ok(chords) => {
                    self.origins.insert(format!("keys.{command}"), Origin::Line(line));
                    self.config.keys.insert(command, chords);
                }
                Err(what) => self.problem(line, &format!("keys.{command}: {what}")),
            }
        }
    }

    fn problem(&mut self, line: usize, what: &str) {
        self.found.push((line, what.to_owned()));
    }

    /// The file looked for; None where there is no place for one.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    fn file_name(&self) -> String {
        self.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default()
    }

    /// Prints every value with where it was said, in a form that reads back as settings.
    pub fn print(&self, out: &mut Out) -> std::io::Result<()> {
        out.line(&match (&self.file, self.was_found) {
            (None, _) => "# no settings file".to_owned(),
            (Some(file), true) => format!("# settings file: {}", file.display()),
            (Some(file), false) => format!("# settings file: {} (not there)", file.display()),
        })?;
        let mut table = "";
        for setting in SETTINGS {
            let (above, name) = setting.0.split_once('.').unwrap_or(("", setting.0));
            if above != table {
                out.line("")?;
                out.line(&format!("[{above}]"))?;
                table = above;
            }
            match (setting.2)(&self.config) {
                Some(value) => {
                    out.line(&format!("{name} = {value}  # {}", self.origin(setting.0)))?;
                }
                None => out.line(&format!("# {name} is not set"))?,
            }
        }
        out.line("")?;
        out.line("[keys]")?;
        self.config.keys.iter().try_for_each(|(command, chords)| {
            let chords: Vec<String> = chords.iter().map(|chord| quoted(&chord.written)).collect();
            let origin = self.origin(&format!("keys.{command}"));
            out.line(&format!("{} = [{}]  # {origin}", quoted(command), chords.join(", ")))
        })?;
        self.judges.iter().try_for_each(|judge| self.print_judge(judge, out))
    }

    fn print_judge(&self, judge: &Settings, out: &mut Out) -> std::io::Result<()> {
        out.line("")?;
        out.line(&format!("[judges.{}]", judge.name))?;
        judges::said(judge).into_iter().try_for_each(|(field, value)| match value {
            Some(value) => {
                let origin = self.origin(&format!("judges.{}.{field}", judge.name));
                out.line(&format!("{field} = {value}  # {origin}"))
            }
            None => out.line(&format!("# {field} is not set")),
        })
    }

    fn origin(&self, name: &str) -> String {
        match self.origins.get(name) {
            None => "default".into(),
            Some(Origin::Line(line)) => format!("{}:{line}", self.file_name()),
            Some(Origin::Variable(variable)) => format!("environment: {variable}"),
        }
    }
}

fn is_table(name: &str) -> bool {
    SETTINGS
        .iter()
        .any(|setting| setting.0.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quoted(text),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a time".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

fn line_of(text: &str, byte: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..byte.min(text.len())]).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_tui::{
        session::arrangement::Arrangement,
        views::replay::stops::Stop,
        widgets::{key::Key, looks::ThemeName},
    };

    fn read(text: &str) -> Loaded {
        Loaded::of(text, Some("c.toml".into()), vec![])
    }

    #[test]
    fn every_setting_is_read() {
        let loaded = read(
            "theme = \"colour-blind\"\nascii = true\ntab_width = 8\neditor = \"ed\"\n\
             [diff]\ncontext = 5\nmode = \"side-by-side\"\n\
             [play]\nspeed = 2\nstop_at = [\"compaction\", \"error\", \"error\"]\n\
             [keys]\nnext-turn = \"l\"\nquit = [\"q\", \"<c-c>\"]\n",
        );

        let (config, l) = (&loaded.config, Key::char('l'));
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
        assert_eq!(config.keys["quit"][1].keys, [Key::ctrl('c')]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_the_rest_counts() {
        let loaded = read(
            "theme = \"pink\"\nthemes = 1\nascii = \"yes\"\ntab_width = 0\n\
             play.speed = nan\ndiff = 3\n[play]\nstop_at = \"error\"\n[keys]\na = \"<warp>\"\nb = 1\nc = \"\"\n",
        );

        insta::assert_snapshot!(loaded.problems.join("\n"));
        assert_eq!(loaded.config, Config::default());
    }

    #[test]
    fn a_broken_line_does_not_spoil_the_others() {
        let loaded = read("ascii = true\ntab_width = \nplay.speed = 4\n");

        assert_eq!(loaded.problems.len(), 1, "{:?}", loaded.problems);
        assert!(loaded.problems[0].starts_with("c.toml:2: "), "{:?}", loaded.problems);
        assert!(loaded.config.ascii);
        assert_eq!(loaded.config.play.speed, 4.0);
    }

    #[test]
    fn the_file_wins_over_the_environment() {
        let said = |setting, variable, value: &str| Said { setting, variable, value: value.into() };
        let both = || vec![said("editor", "VISUAL", "vi"), said("annotator", "USER", "ann")];
        let text = "editor = \"ed\"\nannotator = \"bob\"";
        let said = Loaded::of(text, Some("c.toml".into()), both());
        let silent = Loaded::of("", Some("c.toml".into()), both());

        assert_eq!(said.config.editor.as_deref(), Some("ed"));
        assert_eq!(said.origin("editor"), "c.toml:1");
        assert_eq!(silent.config.editor.as_deref(), Some("vi"));
        assert_eq!(silent.origin("editor"), "environment: VISUAL");
        assert_eq!(said.config.annotator.as_deref(), Some("bob"));
        assert_eq!(silent.config.annotator.as_deref(), Some("ann"));
        assert_eq!(silent.origin("annotator"), "environment: USER");
        assert_eq!(silent.origin("theme"), "default");
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
                let loaded = read(&format!("{name} = {kind}\n"));
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
