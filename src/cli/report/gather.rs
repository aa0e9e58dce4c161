//! Carries out the commands whose tables a report has, and keeps what they print.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{Failure, output::Piece, studies};
use trajview_formats::rubric::labels_table;
use trajview_metrics::cost::RunCost;
use trajview_run::{Run, files::Timeline};
use trajview_store as store;
use trajview_store::Opened;
use trajview_study::compare::letter;

use super::{
    budget::{self, Budget},
    evidence,
    material::{
        Cells, CurvePoint, Curves, LeftOut, Life, LifeSymbol, Part, Report, RunPart, Section,
    },
    turns,
};

/// What a command would have printed, and said.
pub type Kept = (Vec<Piece>, Vec<String>);

/// What the report is of.
pub struct Subject {
    pub title: String,
    pub runs: Vec<PathBuf>,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Run,
    Comparison,
    Study,
}

impl Subject {
    pub fn of(paths: &[PathBuf]) -> Result<Self, Failure> {
        if let [path] = paths
            && let Some(studied) = studies::on_screen(path, true, None)?
        {
            let runs = studied.runs.iter().map(|run| run.path.clone()).collect();
            return Ok(Self { title: studied.name, runs, kind: Kind::Study });
        }
        let kind = if paths.len() > 1 { Kind::Comparison } else { Kind::Run };
        let name = |path: &PathBuf| {
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            path.file_name().unwrap_or_default().to_string_lossy().into_owned()
        };
        let names: Vec<String> = paths.iter().map(name).collect();
        Ok(Self { title: names.join(" and "), runs: paths.to_vec(), kind })
    }

    /// The beginning of addresses in one of its runs.
    fn prefix(&self, at: usize) -> String {
        match self.kind {
            Kind::Run => String::new(),
            Kind::Comparison | Kind::Study => format!("{}-", letter(at)),
        }
    }
}

/// What a report is asked of.
pub struct Asked<'a> {
    pub subject: &'a Subject,
    pub opened: &'a [Opened],
    pub judge: Option<&'a str>,
    /// Options of the commands that measure code.
    pub measuring: Vec<String>,
    pub carry_out: &'a dyn Fn(&[String]) -> Result<Kept, Failure>,
    /// Whether turns with their diffs are wanted.
    pub with_turns: bool,
    pub bounds: Bounds,
}

/// How much of the turns is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of a text.
    pub text: usize,
    /// Files of a turn.
    pub files: usize,
    /// Bytes of a page, for the turns of all runs together.
    pub total: usize,
}

pub fn report(asked: &Asked<'_>) -> Result<Report, Failure> {
    let subject = asked.subject;
    let paths = || subject.runs.iter().map(|path| path.display().to_string());
    let judging = || asked.judge.map(|judge| ["--judge".to_owned(), judge.to_owned()]);
    let sections = match subject.kind {
        Kind::Run => vec![],
        Kind::Comparison => {
            let words = command("compare", paths()).chain(judging().into_iter().flatten());
            let words = words.chain(asked.measuring.clone()).collect();
            vec![asked.needed("comparison", "Comparison", COMPUTED_AND_JUDGED, words)?]
        }
        Kind::Study => {
            let words = command("agree", paths()).chain(["--detail".to_owned()]).collect();
            vec![asked.section("agreement", "Agreement of raters", "judged and labelled", words)]
        }
    };
    let runs = subject.runs.iter().zip(asked.opened).enumerate();
    let runs = runs.map(|(at, (path, opened))| asked.run(at, path, opened));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let title = match asked.opened {
        [one] if subject.kind == Kind::Run => one.run.id.clone(),
        _ => subject.title.clone(),
    };
    Ok(Report { title, made_of: made_of(asked, &runs), sections, runs })
}

const COMPUTED_AND_JUDGED: &str = "computed and judged";

/// As `--each` has it.
const FINAL: &str = "final";

/// Files at the end of each turn, added up; ten changes that a moment is worked out from count as one.
fn files_to_measure(run: &Run, timeline: &Timeline) -> usize {
    let moments: Vec<usize> = run.counted_moments().collect();
    let changes: usize = timeline.turns.iter().map(|turn| turn.changes.len()).sum();
    let mut all = moments.len().saturating_mul(changes) / 10;
    timeline.visit(&moments, |_, tree, _| all += tree.files.len());
    all
}

/// A sentence where the code was measured at the end alone, because there is too much of it.
fn curves_left_out(curves: &Curves, words: Vec<String>) -> Option<LeftOut> {
    let what = "too many files at too many moments: the curves are left out".to_owned();
    (curves.each == FINAL).then(|| LeftOut { what, command: written(&words) })
}

fn command<'a>(
    name: &str,
    words: impl IntoIterator<Item = String> + 'a,
) -> impl Iterator<Item = String> + 'a {
    [name.to_owned()].into_iter().chain(words)
}

fn made_of(asked: &Asked<'_>, runs: &[RunPart]) -> Vec<(String, String)> {
    let ids = runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>().join(", ");
    let what = match asked.subject.kind {
        Kind::Run => "run",
        Kind::Comparison => "comparison of",
        Kind::Study => "study of",
    };
    let mut all = vec![
        ("written by".to_owned(), format!("trajview {}", env!("CARGO_PKG_VERSION"))),
        (what.to_owned(), ids),
    ];
    let measured = runs.iter().find_map(|run| run.measured_by.clone());
    all.extend(measured.map(|by| ("measured with".to_owned(), by)));
    all.extend(asked.judge.map(|judge| ("judge asked for".to_owned(), judge.to_owned())));
    all
}

impl Asked<'_> {
    /// A section that the report is nothing without.
    fn needed(
        &self,
        id: &str,
        title: &str,
        source: &str,
        words: Vec<String>,
    ) -> Result<Section, Failure> {
        let (pieces, notes) = (self.carry_out)(&words)?;
        Ok(section((id, title, source), &words, pieces, notes))
    }

    /// A section that says why it is empty where its command fails.
    fn section(&self, id: &str, title: &str, source: &str, words: Vec<String>) -> Section {
        match (self.carry_out)(&words) {
            Ok((pieces, notes)) => section((id, title, source), &words, pieces, notes),
            Err(why) => section((id, title, source), &words, vec![], vec![why.sentence]),
        }
    }

    fn run(&self, at: usize, path: &Path, opened: &Opened) -> Result<RunPart, Failure> {
        let (run, archive) = (&*opened.run, &*opened.archive);
        let timeline = archive.timeline(run).map_err(Failure::unread)?;
        let cost = RunCost::of(run, &store::prices::held().prices);
        let teller = turns::Telling { run, archive, timeline: &timeline, path, cost: &cost };
        let place = path.display().to_string();
        let each = if run.checkpoints.is_empty() { "final" } else { "checkpoint" };
        let score = self.score(&place, each);
        let judged = evidence::judged(path, opened, self.judge, self.with_turns)?;
        let wanted = judged.components.iter().flat_map(|it| &it.evidence);
        let wanted = wanted.filter_map(|it| it.target.map(|it| (it.turn, it.file))).collect();
        let Bounds { text, files, total } = self.bounds;
        let total = total / self.opened.len().max(1);
        let mut budget = Budget::new(text, files, total).with(wanted);
        let (turns, mut left_out) = match self.with_turns {
            true => teller.turns(&mut budget),
            false => Default::default(),
        };
        let mut sections = vec![self.section(
            "turns-table",
            "Table of turns",
            "recorded; cost computed where it says so",
            command("show", [place.clone()]).collect(),
        )];
        if !run.turns.is_empty() {
            sections.push(self.section("scores", "Scores", COMPUTED_AND_JUDGED, score));
            let words = command("process", [place.clone()]).collect();
            sections.push(self.section("process", "Process", "counted and computed", words));
            let words = command("cost", [place.clone()]).collect();
            sections.push(self.section("cost", "Cost", "computed at list prices", words));
        }
        if judged.has_labels {
            let words = ["audit", &place, "--export", "--all"].map(str::to_owned).to_vec();
            sections.push(self.section("labels", "Labels", "labelled by people", words));
        }
        let (curves, lifelines, measured_by) = self.along(&place, run, &timeline);
        left_out.extend(curves_left_out(&curves, self.score(&place, "turn")));
        let warnings = run.warnings.iter().chain(&timeline.warnings);
        Ok(RunPart {
            prefix: self.subject.prefix(at),
            id: run.id.clone(),
            facts: turns::facts(run, &timeline),
            sections,
            curves,
            lifelines,
            measured_by,
            turn_count: run.turns.len(),
            components: judged.components,
            judged_by: judged.by,
            turns,
            left_out,
            warnings: warnings.map(|it| format!("{}: {}", it.place, it.what)).collect(),
        })
    }

    fn score(&self, place: &str, each: &str) -> Vec<String> {
        let words = command("score", [place, "--each", each].map(str::to_owned));
        let judging = self.judge.map(|judge| ["--judge".to_owned(), judge.to_owned()]);
        words.chain(judging.into_iter().flatten()).chain(self.measuring.clone()).collect()
    }

    /// Numbers along the run, and what became of the components.
    fn along(
        &self,
        place: &str,
        run: &Run,
        timeline: &Timeline,
    ) -> (Curves, Vec<Life>, Option<String>) {
        if run.turns.is_empty() {
            return Default::default();
        }
        let each = if !run.checkpoints.is_empty() {
            "checkpoint"
        } else if files_to_measure(run, timeline) <= budget::MEASURED_FILES {
            "turn"
        } else {
            FINAL
        };
        let mut words = self.score(place, each);
        words.push("--json".to_owned());
        let pieces = (self.carry_out)(&words).map(|(pieces, _)| pieces).unwrap_or_default();
        let Some(document) = pieces.into_iter().find_map(|piece| match piece {
            Piece::Json(document) => Some(document),
            _ => None,
        }) else {
            return Default::default();
        };
        let points = list(&document["points"]).iter().map(point).collect();
        let curves = Curves { command: written(&words), each: each.to_owned(), points };
        let lives = list(&document["lifelines"]).iter().map(life).collect();
        (curves, lives, Some(measured_by(&document)))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn words_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// `profile trajview, 175 rules (built in, sha256 1f06…)`
fn measured_by(document: &Value) -> String {
    let rules = &document["rules"];
    let count = rules["count"].as_u64().map(|count| count.to_string());
    format!(
        "profile {}, {} rules ({}, sha256 {})",
        words_of(&document["profile"]),
        crate::cli::output::dash(count),
        words_of(&rules["source"]),
        words_of(&rules["sha256"]),
    )
}

fn point(it: &Value) -> CurvePoint {
    CurvePoint {
        label: words_of(&it["label"]),
        turn: number(&it["turn"]).unwrap_or_default(),
        erosion: it["erosion"].as_f64(),
        verbosity: it["verbosity"].as_f64(),
    }
}

fn life(it: &Value) -> Life {
    let all = list(&it["symbols"]);
    let deciding: Vec<&Value> = all.iter().filter(|it| it["decides"] == true).collect();
    let symbol = |it: &&Value| LifeSymbol {
        name: words_of(&it["name"]),
        first: number(&it["first"]),
        last_used: number(&it["last_used"]),
        vanished: number(&it["vanished"]),
        state: words_of(&it["state"]),
    };
    Life {
        component: words_of(&it["component"]),
        committed: number(&it["committed"]),
        lost_at: number(&it["lost_at"]),
        symbols: deciding.iter().map(symbol).collect(),
    }
}

fn section(
    (id, title, source): (&str, &str, &str),
    words: &[String],
    pieces: Vec<Piece>,
    notes: Vec<String>,
) -> Section {
    Section {
        id: id.to_owned(),
        title: title.to_owned(),
        source: source.to_owned(),
        command: Some(written(words)),
        parts: pieces.into_iter().filter_map(part).collect(),
        notes,
    }
}

fn part(piece: Piece) -> Option<Part> {
    match piece {
        Piece::Line(line) => Some(Part::Line(line)),
        Piece::Table(table) => {
            Some(Part::Table(Cells { heads: table.heads().to_vec(), rows: table.rows().to_vec() }))
        }
        Piece::Json(_) => None,
        // The one command whose bytes are kept prints a table of labels.
        Piece::Bytes(bytes) => {
            let text = String::from_utf8(bytes).ok()?;
            let mut rows = labels_table::rows(&text).0.into_iter().map(|row| row.cells);
            let heads = rows.next()?;
            Some(Part::Table(Cells { heads, rows: rows.collect() }))
        }
    }
}

/// The command line, as a shell takes it.
pub fn written(words: &[String]) -> String {
    let is_plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=,@+".contains(c))
    };
    let quoted = |word: &String| match is_plain(word) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    let words = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
    format!("trajview {words}")
}
