//! Runs that are written elsewhere, as the form describes it, and the command line that does it. Plain values.
//!
//! To add a format add a row to [`EXPORT_FORMATS`] and its arguments to [`ExportJob::arguments`].

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// One form in which runs can be written.
#[derive(Debug, PartialEq, Eq)]
pub struct ExportFormat {
    pub id: &'static str,
    pub label: &'static str,
    pub remark: &'static str,
    /// The end of the proposed name; that of a folder has no dot.
    pub ending: &'static str,
    /// True where only a single run can be written.
    pub is_of_one_run: bool,
    pub target: ExportTarget,
}

/// What a format writes, and how its command does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportTarget {
    /// A folder with a file for each table.
    Tables,
    /// A file that the command names by an option; secrets are redacted in it.
    File,
    /// A file with a figure, which has no recorded text but names.
    Figure,
    /// A file of the screen's frames, in which nothing is redacted.
    Frames,
    /// The standard output, which is redirected to a file.
    Output,
}

/// The format of a figure that compares levels of components.
pub const TRANSITIONS: &str = "figure-transitions";

/// The format of a figure that compares raters.
pub const AGREEMENT: &str = "figure-agreement";

#[rustfmt::skip] // a table: one row a format
pub const EXPORT_FORMATS: &[ExportFormat] = &[
    format("csv", "tables, CSV", "runs, turns, steps, edits, scores", "-tables", false, ExportTarget::Tables),
    format("parquet", "tables, Parquet", "the same tables for pandas, DuckDB, Spark", "-parquet", false, ExportTarget::Tables),
    format("jsonl", "tables, JSON lines", "the same tables", "-jsonl", false, ExportTarget::Tables),
    format("html", "report, HTML", "one file that needs no network", "-report.html", false, ExportTarget::File),
    format("markdown", "report, Markdown", "its tables", "-report.md", false, ExportTarget::File),
    format("latex", "report, LaTeX", "its tables (booktabs)", "-report.tex", false, ExportTarget::File),
    format("scores", "scores, CSV", "erosion, verbosity, faithfulness", "-scores.csv", false, ExportTarget::Output),
    format("losses", "losses, JSON", "lost components and tests", "-losses.json", true, ExportTarget::Output),
    format("patch", "patch", "all changes of the run, for git apply", ".patch", true, ExportTarget::Output),
    format("sft", "training, SFT", "conversations of passed runs", "-sft.jsonl", false, ExportTarget::File),
    format("dpo", "training, DPO", "pairs of runs of one task by outcome", "-dpo.jsonl", false, ExportTarget::File),
    format("otlp", "OTLP", "OpenTelemetry spans as JSON", ".otlp.json", true, ExportTarget::File),
    format("atif", "ATIF 1.8", "the run for other viewers", ".atif.json", true, ExportTarget::File),
    format("messages", "messages", "the run in the form of OpenAI's API", ".messages.json", true, ExportTarget::File),
    format("inspect", "Inspect log", "opens in Inspect View", ".eval", true, ExportTarget::File),
    format("figure-curves", "figure, curves", "erosion and verbosity; SVG, or PDF or pgfplots by a name with .pdf or .pgf", "-curves.svg", false, ExportTarget::Figure),
    format("figure-losses", "figure, losses", "lifelines of components, or losses by turn of several runs", "-losses.svg", false, ExportTarget::Figure),
    format("figure-survival", "figure, survival", "share of components that are not lost", "-survival.svg", false, ExportTarget::Figure),
    format(TRANSITIONS, "figure, transitions", "levels of the same components in two runs, or in two judged states of one", "-transitions.svg", false, ExportTarget::Figure),
    format(AGREEMENT, "figure, agreement", "each pair of judges and people who scored the same", "-agreement.svg", false, ExportTarget::Figure),
    format("asciicast", "video", "one frame a turn, for asciinema; not redacted", ".cast", true, ExportTarget::Frames),
];

const fn format(
    id: &'static str,
    label: &'static str,
    remark: &'static str,
    ending: &'static str,
    is_of_one_run: bool,
    target: ExportTarget,
) -> ExportFormat {
    ExportFormat { id, label, remark, ending, is_of_one_run, target }
}

/// The tables of an export with what is in them, in the order of `trajview export --tables`.
pub const EXPORT_TABLES: [(&str, &str); 10] = [
    ("runs", "a row for each run"),
    ("turns", "a row for each turn"),
    ("steps", "a row for each step"),
    ("edits", "a row for each changed file of a step"),
    ("points", "erosion, verbosity and the rest at the chosen moments"),
    ("flags", "flagged places"),
    ("verdicts", "judges' scores of components"),
    ("labels", "people's scores"),
    ("signals", "moments that deserve attention"),
    ("texts", "requests, messages, calls and results"),
];

/// The moments that can be scored, as `--each` names them; the first is the default.
pub(crate) const EXPORT_MOMENTS: [(&str, &str); 4] = [
    ("final", "the end of the run"),
    ("checkpoint", "the end of each checkpoint"),
    ("turn", "the end of each turn"),
    ("step", "after each step that edits files"),
];

/// An export as its form describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportJob {
    pub runs: Vec<PathBuf>,
    pub format: &'static ExportFormat,
    /// The chosen tables; empty where the format has none, or all are chosen.
    pub tables: Vec<String>,
    /// Names of columns as `--columns` takes them; None for all.
    pub columns: Option<String>,
    /// A word of [`EXPORT_MOMENTS`].
    pub moments: String,
    pub is_redacted: bool,
    /// The two judged moments that transitions of one run compare, with a blank between them; None for the proposed ones.
    pub moment_pair: Option<String>,
    /// The file or folder; None for the proposed one.
    pub out: Option<PathBuf>,
    /// True where the person confirmed that what is there already may be overwritten.
    pub overwrites: bool,
}

impl ExportFormat {
    /// Returns whether its numbers are of chosen moments.
    pub(crate) fn has_moments(&self) -> bool {
        self.target == ExportTarget::Tables || self.id == "scores"
    }

    /// Returns whether it compares two moments, where it is of one run.
    pub(crate) fn compares_moments(&self) -> bool {
        self.id == TRANSITIONS
    }

    pub(crate) const fn can_redact(&self) -> bool {
        matches!(self.target, ExportTarget::Tables | ExportTarget::File)
    }
}

/// Up to so many runs have a curve each in a figure; more are averaged by condition.
const SINGLE_CURVES: usize = 6;

impl ExportJob {
    /// Returns the arguments that draw a figure.
    fn figure_arguments(&self, out: &Path) -> Vec<OsString> {
        let kind = self.format.id.trim_start_matches("figure-");
        let runs = self.runs.iter().map(|path| plain_argument(path));
        let by = if self.runs.len() > SINGLE_CURVES { "condition" } else { "run" };
        let options: Vec<&str> = match self.format.id {
            AGREEMENT => vec![],
            TRANSITIONS => {
                let pair = self.moment_pair.as_deref().filter(|_| self.runs.len() == 1);
                let moments = pair.into_iter().flat_map(str::split_whitespace);
                pair.map(|_| "--between").into_iter().chain(moments).collect()
            }
            _ => vec!["--by", by],
        };
        let after = options.into_iter().chain(["--out"]).map(OsString::from);
        let words = ["figure", kind].map(OsString::from).into_iter();
        words.chain(runs).chain(after).chain([plain_argument(out)]).collect()
    }

    /// Returns the proposed name, in the current folder: of the run, or of the first of several. `number` counts from 1.
    pub fn proposed_name(&self, number: usize) -> PathBuf {
        let first = self.runs.first().and_then(|path| Path::new(path).file_stem());
        let name = first.map_or_else(|| "runs".into(), |name| name.to_string_lossy());
        let is_plain = |c: &char| c.is_alphanumeric() || "._-".contains(*c);
        let name: String = name.chars().filter(is_plain).collect();
        let name = name.trim_start_matches(['.', '-']);
        let name = if name.is_empty() { "runs" } else { name };
        let number = if number > 1 { format!("-{number}") } else { String::new() };
        format!("{name}{number}{}", self.format.ending).into()
    }

    /// Returns the arguments of `trajview` that write to this place. The output of [`ExportTarget::Output`] goes there.
    pub fn arguments(&self, out: &Path) -> Vec<OsString> {
        if self.format.target == ExportTarget::Figure {
            return self.figure_arguments(out);
        }
        let word = OsStr::new;
        let runs = self.runs.iter().map(|path| plain_argument(path));
        let place = plain_argument(out);
        let out = place.as_os_str();
        let (command, mut after): (&str, Vec<&OsStr>) = match self.format.id {
            "scores" => ("score", vec![word("--csv")]),
            "losses" => ("losses", vec![word("--json")]),
            "patch" => ("diff", vec![]),
            "html" => ("report", vec![word("--out"), out]),
            "markdown" => ("report", vec![word("--markdown"), word("--out"), out]),
            "latex" => ("report", vec![word("--latex"), word("--out"), out]),
            "atif" => ("export", vec![word("--atif"), word("--out"), out]),
            "otlp" => ("export", vec![word("--otlp"), word("--out"), out]),
            "sft" => ("export", vec![word("--sft"), word("--out"), out]),
            "dpo" => ("export", vec![word("--dpo"), word("--out"), out]),
            "messages" => ("export", vec![word("--messages"), word("--out"), out]),
            "inspect" => ("export", vec![word("--inspect"), word("--out"), out]),
            "asciicast" => {
                ("open", vec![word("--snapshot"), word("120x40"), word("--asciicast"), out])
            }
            "parquet" => ("export", vec![word("--parquet"), out]),
            "jsonl" => ("export", vec![word("--jsonl"), out]),
            _ => ("export", vec![word("--csv"), out]),
        };
        let tables = self.tables.join(",");
        if !tables.is_empty() {
            after.extend([word("--tables"), word(&tables)]);
        }
        if let (ExportTarget::Tables, Some(columns)) = (self.format.target, &self.columns) {
            after.extend([word("--columns"), word(columns)]);
        }
        if self.format.has_moments() && self.moments != EXPORT_MOMENTS[0].0 {
            after.extend([word("--each"), word(&self.moments)]);
        }
        if self.format.can_redact() && !self.is_redacted {
            after.extend([word("--redact"), word("off")]);
        }
        if self.format.target == ExportTarget::Tables && self.overwrites {
            after.push(word("--overwrite"));
        }
        let after = after.into_iter().map(OsStr::to_owned);
        std::iter::once(command.into()).chain(runs).chain(after).collect()
    }
}

/// Returns a path as an argument that no program takes for an option.
fn plain_argument(path: &Path) -> OsString {
    let is_option = path.as_os_str().as_encoded_bytes().starts_with(b"-") && path != Path::new("-");
    if is_option { Path::new(".").join(path).into() } else { path.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str) -> ExportJob {
        ExportJob {
            runs: vec!["runs/a".into()],
            format: EXPORT_FORMATS.iter().find(|it| it.id == id).unwrap(),
            tables: vec![],
            columns: None,
            moments: "final".into(),
            is_redacted: true,
            moment_pair: None,
            out: None,
            overwrites: false,
        }
    }

    #[test]
    fn each_choice_is_an_argument_where_its_format_has_it() {
        let chosen = |id| ExportJob {
            moments: "turn".into(),
            is_redacted: false,
            overwrites: true,
            ..job(id)
        };
        let words = |job: ExportJob| {
            job.arguments(Path::new("-x")).join(OsStr::new(" ")).into_string().unwrap()
        };

        assert_eq!(words(job("csv")), "export runs/a --csv ./-x");
        let tables = ExportJob {
            tables: vec!["runs".into(), "turns".into()],
            columns: Some("agent,turn".into()),
            ..chosen("jsonl")
        };
        assert_eq!(
            words(tables),
            "export runs/a --jsonl ./-x --tables runs,turns --columns agent,turn --each turn --redact off --overwrite"
        );
        assert_eq!(words(chosen("scores")), "score runs/a --csv --each turn");
        assert_eq!(words(chosen("html")), "report runs/a --out ./-x --redact off");
        assert_eq!(words(chosen("patch")), "diff runs/a");
        assert_eq!(words(job("sft")), "export runs/a --sft --out ./-x");
        assert_eq!(words(chosen("figure-survival")), "figure survival runs/a --by run --out ./-x");
        assert_eq!(words(job(AGREEMENT)), "figure agreement runs/a --out ./-x");
        let moments = ExportJob { moment_pair: Some("c1  final".into()), ..job(TRANSITIONS) };
        assert_eq!(
            words(moments.clone()),
            "figure transitions runs/a --between c1 final --out ./-x"
        );
        let two = ExportJob { runs: vec!["runs/a".into(), "runs/b".into()], ..moments };
        assert_eq!(words(two), "figure transitions runs/a runs/b --out ./-x");
    }

    #[test]
    fn a_proposed_name_is_made_of_the_run_whatever_its_path() {
        let name = |path: &str| {
            let job = ExportJob { runs: vec![path.into()], ..job("html") };
            job.proposed_name(1).display().to_string()
        };
        assert_eq!(name("runs/codex-p12/"), "codex-p12-report.html");
        assert_eq!(name("a/x y;.json"), "xy-report.html");
        assert_eq!(name(".."), "runs-report.html");
        assert_eq!(name("/"), "runs-report.html");
        assert_eq!(job("csv").proposed_name(2), Path::new("a-2-tables"));
    }
}
