//! Carries out the commands whose tables a report has, and keeps what they print.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{CommandFailure, output::OutputPiece, studies};
use trajview_formats::rubric::labels_table;
use trajview_metrics::{cost::RunCost, test_losses::followed_tests};
use trajview_run::{Run, files::Timeline};
use trajview_store as store;
use trajview_store::OpenedRecording;
use trajview_study::compare::run_letter;

use super::{
    budget::{self, PageBudget},
    evidence,
    report_data::{
        ComponentLife, CurvePoint, LeftOutPart, LifeSymbol, ReportMaterial, ReportSection,
        RunCurves, RunPart, SectionPart, TableCells,
    },
    turn_parts,
};

/// The captured output of a command, and its messages.
pub type CapturedOutput = (Vec<OutputPiece>, Vec<String>);

/// The subject of the report.
pub struct ReportSubject {
    pub title: String,
    /// The runs, or the folder of them.
    paths: Vec<PathBuf>,
    kind: SubjectKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SubjectKind {
    Run,
    Comparison,
    Study,
    /// A folder of runs, as a job of a harness: its outcomes, and no part for each run.
    Folder,
}

impl ReportSubject {
    pub fn from_paths(paths: &[PathBuf]) -> Result<Self, CommandFailure> {
        if let [path] = paths
            && let Some(studied) = studies::study_to_open(path, true, None)?
            && !studied.runs.is_empty()
        {
            let paths = studied.runs.iter().map(|run| run.path.clone()).collect();
            return Ok(Self { title: studied.name, paths, kind: SubjectKind::Study });
        }
        let kind = match paths {
            [folder] if store::contains_several_runs(folder) => SubjectKind::Folder,
            [_] => SubjectKind::Run,
            _ => SubjectKind::Comparison,
        };
        let name = |path: &PathBuf| {
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            path.file_name().unwrap_or_default().to_string_lossy().into_owned()
        };
        let names: Vec<String> = paths.iter().map(name).collect();
        Ok(Self { title: names.join(" and "), paths: paths.to_vec(), kind })
    }

    /// Returns the runs that have a part of their own.
    pub fn runs(&self) -> &[PathBuf] {
        if self.kind == SubjectKind::Folder { &[] } else { &self.paths }
    }

    /// Runs the beginning of addresses in one of its runs.
    fn run_prefix(&self, at: usize) -> String {
        match self.kind {
            SubjectKind::Run | SubjectKind::Folder => String::new(),
            SubjectKind::Comparison | SubjectKind::Study => format!("{}-", run_letter(at)),
        }
    }
}

/// The inputs of a report.
pub struct ReportRequest<'a> {
    pub subject: &'a ReportSubject,
    pub opened: &'a [OpenedRecording],
    pub judge: Option<&'a str>,
    /// Options of the commands that measure code.
    pub measuring: Vec<String>,
    pub carry_out: &'a dyn Fn(&[String]) -> Result<CapturedOutput, CommandFailure>,
    /// True if turns with their diffs are requested.
    pub with_turns: bool,
    pub bounds: ReportBounds,
}

/// The limits on the turns.
#[derive(Debug, Clone, Copy)]
pub struct ReportBounds {
    /// Bytes of a text.
    pub text: usize,
    /// Files of a turn.
    pub files: usize,
    /// Bytes of a page, for the turns of all runs together.
    pub total: usize,
}

pub(crate) fn make_report(request: &ReportRequest<'_>) -> Result<ReportMaterial, CommandFailure> {
    let subject = request.subject;
    let paths = || subject.paths.iter().map(|path| path.display().to_string());
    let mut sections = match subject.kind {
        SubjectKind::Run => vec![],
        SubjectKind::Comparison => {
            let words = command_words("compare", paths()).chain(request.judge_words());
            let words = words.chain(request.measuring.clone()).collect();
            vec![request.needed_section("comparison", "Comparison", COMPUTED_AND_JUDGED, words)?]
        }
        SubjectKind::Study => {
            let words = command_words("agree", paths()).chain(["--detail".to_owned()]).collect();
            let agreement = request.section_or_note(
                "agreement",
                "Agreement of raters",
                "judged and labelled",
                words,
            );
            let words = command_words("corpus", paths()).chain(request.judge_words());
            let words = words.chain(request.measuring.clone()).collect();
            let paired = request.section_or_note(
                "paired",
                "Runs and paired tests",
                COMPUTED_AND_JUDGED,
                words,
            );
            [agreement, paired].into_iter().chain(request.mean_curves()).collect()
        }
        SubjectKind::Folder => {
            let words = command_words("corpus", paths()).chain(request.judge_words());
            let words = words.chain(request.measuring.clone()).collect();
            let runs = request.needed_section("runs", "Runs", COMPUTED_AND_JUDGED, words)?;
            std::iter::once(runs).chain(request.mean_curves()).collect()
        }
    };
    let has_outcome = |opened: &OpenedRecording| {
        opened.run.trial.as_ref().is_some_and(|trial| trial.outcome.is_some())
    };
    if subject.kind != SubjectKind::Run && request.opened.iter().any(has_outcome) {
        let words = command_words("corpus", paths()).chain(["--outcomes".to_owned()]).collect();
        let section = request.section_or_note(
            "outcomes",
            "Outcomes of trials",
            "recorded by a harness",
            words,
        );
        sections.push(section);
    }
    let runs = subject.runs().iter().zip(request.opened).enumerate();
    let runs = runs.map(|(at, (path, opened))| request.run_part(at, path, opened));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let title = match request.opened {
        [one] if subject.kind == SubjectKind::Run => one.run.id.clone(),
        _ => subject.title.clone(),
    };
    Ok(ReportMaterial { title, made_of: report_facts(request, &runs), sections, runs })
}

const COMPUTED_AND_JUDGED: &str = "computed and judged";

/// The value of `--each` for the end of the run.
const FINAL: &str = "final";

/// Returns the number of files at the end of each turn, added up; ten changes that a moment is worked out from count as
/// one.
fn count_files_to_measure(run: &Run, timeline: &Timeline) -> usize {
    let moments: Vec<usize> = run.counted_moments().collect();
    let changes: usize = timeline.turns.iter().map(|turn| turn.changes.len()).sum();
    let mut all = moments.len().saturating_mul(changes) / 10;
    timeline.visit_turn_ends(&moments, |_, tree, _| all += tree.files.len());
    all
}

/// Returns a sentence where the code was measured at the end alone, because there is too much of it.
fn curves_left_out(curves: &RunCurves, words: Vec<String>) -> Option<LeftOutPart> {
    let what = "too many files at too many moments: the curves are left out".to_owned();
    (curves.each == FINAL).then(|| LeftOutPart { what, command: command_line_text(&words) })
}

fn command_words<'a>(
    name: &str,
    words: impl IntoIterator<Item = String> + 'a,
) -> impl Iterator<Item = String> + 'a {
    [name.to_owned()].into_iter().chain(words)
}

fn report_facts(request: &ReportRequest<'_>, runs: &[RunPart]) -> Vec<(String, String)> {
    let ids = match request.subject.kind {
        SubjectKind::Folder => request.subject.title.clone(),
        _ => runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>().join(", "),
    };
    let what = match request.subject.kind {
        SubjectKind::Run => "run",
        SubjectKind::Comparison => "comparison of",
        SubjectKind::Study => "study of",
        SubjectKind::Folder => "folder",
    };
    let mut all = vec![
        ("written by".to_owned(), format!("trajview {}", env!("CARGO_PKG_VERSION"))),
        (what.to_owned(), ids),
    ];
    let measured = runs.iter().find_map(|run| run.measured_by.clone());
    all.extend(measured.map(|by| ("measured with".to_owned(), by)));
    all.extend(request.judge.map(|judge| ("requested judge".to_owned(), judge.to_owned())));
    all
}

impl ReportRequest<'_> {
    /// Returns a section that the report is nothing without.
    fn needed_section(
        &self,
        id: &str,
        title: &str,
        source: &str,
        words: Vec<String>,
    ) -> Result<ReportSection, CommandFailure> {
        let (pieces, notes) = (self.carry_out)(&words)?;
        Ok(command_section((id, title, source), &words, pieces, notes))
    }

    /// Makes a section; where its command fails, the section has the reason as a note.
    fn section_or_note(
        &self,
        id: &str,
        title: &str,
        source: &str,
        words: Vec<String>,
    ) -> ReportSection {
        match (self.carry_out)(&words) {
            Ok((pieces, notes)) => command_section((id, title, source), &words, pieces, notes),
            Err(why) => command_section((id, title, source), &words, vec![], vec![why.sentence]),
        }
    }

    /// Returns a section with the mean curve of each condition. None where no code was measured, and without figures.
    fn mean_curves(&self) -> Option<ReportSection> {
        let paths = self.subject.paths.iter().map(|path| path.display().to_string());
        let options = ["--by", "condition", "--columns", "2"].map(str::to_owned);
        let words = ["figure", "curves"].map(str::to_owned).into_iter().chain(paths);
        let words: Vec<String> = words.chain(options).chain(self.measuring.clone()).collect();
        let (pieces, notes) = self.with_turns.then(|| (self.carry_out)(&words).ok())??;
        let head = ("mean-curves", "Mean curves by condition", "computed");
        Some(command_section(head, &words, pieces, notes))
    }

    fn run_part(
        &self,
        at: usize,
        path: &Path,
        opened: &OpenedRecording,
    ) -> Result<RunPart, CommandFailure> {
        let (run, archive) = (&*opened.run, &*opened.archive);
        let timeline = archive.timeline(run).map_err(CommandFailure::cannot_read)?;
        let cost = RunCost::new(run, &store::prices::current_prices().prices);
        let teller =
            turn_parts::TurnPartBuilder { run, archive, timeline: &timeline, path, cost: &cost };
        let place = path.display().to_string();
        let each = if run.checkpoints.is_empty() { "final" } else { "checkpoint" };
        let score = self.score_command(&place, each);
        let judged = evidence::judged_components(path, opened, self.judge, self.with_turns)?;
        let wanted = judged.components.iter().flat_map(|it| &it.evidence);
        let wanted = wanted.filter_map(|it| it.target.map(|it| (it.turn, it.file))).collect();
        let ReportBounds { text, files, total } = self.bounds;
        let total = total / self.opened.len().max(1);
        let mut budget = PageBudget::new(text, files, total).with_required_files(wanted);
        let (turns, mut left_out) = match self.with_turns {
            true => teller.turn_parts(&mut budget),
            false => Default::default(),
        };
        let mut sections = vec![self.section_or_note(
            "turns-table",
            "Table of turns",
            "recorded; cost computed if marked",
            command_words("show", [place.clone()]).collect(),
        )];
        if !run.turns.is_empty() {
            sections.push(self.section_or_note("scores", "Scores", COMPUTED_AND_JUDGED, score));
            if !judged.components.is_empty() || followed_tests(run) > 0 {
                let words = command_words("losses", [place.clone()]).chain(self.judge_words());
                sections.push(self.section_or_note(
                    "losses",
                    "Losses",
                    "computed; scores judged, tests recorded",
                    words.collect(),
                ));
            }
            let words = command_words("process", [place.clone()]).collect();
            sections.push(self.section_or_note(
                "process",
                "Process",
                "counted and computed",
                words,
            ));
            let words = command_words("cost", [place.clone()]).collect();
            sections.push(self.section_or_note("cost", "Cost", "computed at list prices", words));
        }
        if judged.has_labels {
            let words = ["audit", &place, "--export", "--all"].map(str::to_owned).to_vec();
            sections.push(self.section_or_note("labels", "Labels", "labelled by people", words));
        }
        let (curves, lifelines, measured_by) = self.curves_and_lifelines(&place, run, &timeline);
        left_out.extend(curves_left_out(&curves, self.score_command(&place, "turn")));
        let warnings = run.warnings.iter().chain(&timeline.warnings);
        Ok(RunPart {
            prefix: self.subject.run_prefix(at),
            id: run.id.clone(),
            facts: turn_parts::run_facts(run, &timeline),
            sections,
            curves,
            lifelines,
            measured_by,
            turn_count: run.turns.len(),
            components: judged.components,
            judged_by: judged.judgement_text,
            turns,
            left_out,
            warnings: warnings.map(|it| format!("{}: {}", it.place, it.what)).collect(),
        })
    }

    fn score_command(&self, place: &str, each: &str) -> Vec<String> {
        let words = command_words("score", [place, "--each", each].map(str::to_owned));
        words.chain(self.judge_words()).chain(self.measuring.clone()).collect()
    }

    fn judge_words(&self) -> impl Iterator<Item = String> + use<> {
        let judging = self.judge.map(|judge| ["--judge".to_owned(), judge.to_owned()]);
        judging.into_iter().flatten()
    }

    /// Returns the numbers along the run, what became of the components, and the rules that both were measured with;
    /// nothing where they cannot be measured.
    fn curves_and_lifelines(
        &self,
        place: &str,
        run: &Run,
        timeline: &Timeline,
    ) -> (RunCurves, Vec<ComponentLife>, Option<String>) {
        if run.turns.is_empty() {
            return Default::default();
        }
        let each = if !run.checkpoints.is_empty() {
            "checkpoint"
        } else if count_files_to_measure(run, timeline) <= budget::MOST_MEASURED_FILES {
            "turn"
        } else {
            FINAL
        };
        let mut words = self.score_command(place, each);
        words.push("--json".to_owned());
        let pieces = (self.carry_out)(&words).map(|(pieces, _)| pieces).unwrap_or_default();
        let Some(document) = pieces.into_iter().find_map(|piece| match piece {
            OutputPiece::Json(document) => Some(document),
            _ => None,
        }) else {
            return Default::default();
        };
        let points = list_of(&document["points"]).iter().map(curve_point).collect();
        let curves =
            RunCurves { command: command_line_text(&words), each: each.to_owned(), points };
        let lives = list_of(&document["lifelines"]).iter().map(life_of).collect();
        (curves, lives, Some(measured_by_text(&document)))
    }
}

fn list_of(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number_of(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns `profile trajview, 175 rules (built in, sha256 1f06…)`.
fn measured_by_text(document: &Value) -> String {
    let rules = &document["rules"];
    let count = rules["count"].as_u64().map(|count| count.to_string());
    format!(
        "profile {}, {} rules ({}, sha256 {})",
        text_of(&document["profile"]),
        crate::cli::output::cell_or_dash(count),
        text_of(&rules["source"]),
        text_of(&rules["sha256"]),
    )
}

fn curve_point(it: &Value) -> CurvePoint {
    CurvePoint {
        label: text_of(&it["label"]),
        turn: number_of(&it["turn"]).unwrap_or_default(),
        erosion: it["erosion"].as_f64(),
        verbosity: it["verbosity"].as_f64(),
    }
}

fn life_of(it: &Value) -> ComponentLife {
    let all = list_of(&it["symbols"]);
    let deciding: Vec<&Value> = all.iter().filter(|it| it["decides"] == true).collect();
    let symbol = |it: &&Value| LifeSymbol {
        name: text_of(&it["name"]),
        first: number_of(&it["first"]),
        last_used: number_of(&it["last_used"]),
        vanished: number_of(&it["vanished"]),
        state: text_of(&it["state"]),
    };
    ComponentLife {
        component: text_of(&it["component"]),
        committed: number_of(&it["committed"]),
        lost_at: number_of(&it["lost_at"]),
        symbols: deciding.iter().map(symbol).collect(),
    }
}

fn command_section(
    (id, title, source): (&str, &str, &str),
    words: &[String],
    pieces: Vec<OutputPiece>,
    notes: Vec<String>,
) -> ReportSection {
    ReportSection {
        id: id.to_owned(),
        title: title.to_owned(),
        source: source.to_owned(),
        command: Some(command_line_text(words)),
        parts: pieces.into_iter().filter_map(section_part).collect(),
        notes,
    }
}

fn section_part(piece: OutputPiece) -> Option<SectionPart> {
    match piece {
        OutputPiece::Line(line) => Some(SectionPart::Line(line)),
        OutputPiece::Table(table) => Some(SectionPart::Table(TableCells {
            heads: table.heads().to_vec(),
            rows: table.rows().to_vec(),
        })),
        OutputPiece::Json(_) => None,
        // The commands whose bytes are captured print a figure, or a table of labels.
        OutputPiece::Bytes(bytes) => {
            let text = String::from_utf8(bytes).ok()?;
            if text.starts_with("<svg") {
                return Some(SectionPart::Figure(text));
            }
            let mut rows = labels_table::split_rows(&text).0.into_iter().map(|row| row.cells);
            let heads = rows.next()?;
            Some(SectionPart::Table(TableCells { heads, rows: rows.collect() }))
        }
    }
}

/// Returns the command line, as a shell takes it.
pub(crate) fn command_line_text(words: &[String]) -> String {
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
