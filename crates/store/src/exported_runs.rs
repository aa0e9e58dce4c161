//! The runs that an export tells of, as rows for a table on screen: no recording is opened for them, and none has to be there. What
//! a card says is what the table `runs` says; what that does not have is not recorded.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use trajview_code::redact::below_home;
use trajview_formats::FORMATS;
use trajview_run::{
    Card, Time, Tokens,
    activity::Work,
    card::{CardCost, CardIdentity, CardTests, CardTotals, Judged, Trouble},
    recorded::Passed,
};

use super::{
    dataset::{Cell, Exported, Row, Table, columns},
    walk,
};

/// A run of an export: where its recording was, and what is known of it; the error is why it could not be read.
pub type ExportedRun = (PathBuf, Result<Box<Card>, String>);

/// Whether a path opens as a table of runs: tables that were exported, or a folder with several recordings below.
pub fn opens_as_table(path: &Path) -> bool {
    is_export(path) || walk::holds_several(path)
}

/// Whether a path is a folder with an exported table of runs, or such a table.
pub fn is_export(path: &Path) -> bool {
    Exported::at(path).is_some_and(|exported| exported.files(Table::Runs).is_some())
}

/// Hands on the runs of an export in its order, some at a time, first few and then more; `tell` returns false where nobody
/// wants more. Gives what is missing, in a sentence, if anything is.
///
/// # Errors
///
/// A sentence, where the table cannot be read.
pub fn each_exported(
    path: &Path,
    tell: &mut dyn FnMut(Vec<ExportedRun>) -> bool,
) -> Result<Option<String>, String> {
    let Some(exported) = Exported::at(path) else { return Ok(None) };
    let mut together = FIRST;
    let mut runs = Vec::with_capacity(together);
    for row in exported.rows(Table::Runs, &[])? {
        runs.extend(run_of(&row?));
        if runs.len() == together {
            if !tell(std::mem::take(&mut runs)) {
                return Ok(None);
            }
            together = MOST;
        }
    }
    tell(runs);
    Ok(exported.missing(Table::Runs))
}

/// Runs that are told of first: more than a screen has room for.
const FIRST: usize = 256;

/// Runs that are told of together: what a screen takes in between two frames.
const MOST: usize = 2048;

/// The innermost folder that all recordings of an export were in; None where they have none in common.
pub fn folder_of_exported(path: &Path) -> Option<PathBuf> {
    let exported = Exported::at(path)?;
    let at = *PLACES.get("source_uri")?;
    let mut folder: Option<PathBuf> = None;
    for row in exported.rows(Table::Runs, &["source_uri"]).ok()? {
        let row = row.ok()?;
        let source = at_home(row.get(at)?.text()?);
        let mut shared = match folder.take() {
            Some(shared) => shared,
            None => source.parent()?.to_owned(),
        };
        while !source.starts_with(&shared) {
            shared = shared.parent()?.to_owned();
        }
        folder = Some(shared);
    }
    folder
}

static PLACES: LazyLock<HashMap<&str, usize>> =
    LazyLock::new(|| columns(Table::Runs).iter().map(|column| column.name).zip(0..).collect());

/// A row of the table, by the names of its columns.
struct RowByName<'a>(&'a Row);

impl RowByName<'_> {
    fn cell(&self, name: &str) -> Option<&Cell> {
        self.0.get(*PLACES.get(name)?)
    }

    fn words(&self, name: &str) -> Option<String> {
        self.cell(name)?.text().map(str::to_owned)
    }

    fn whole(&self, name: &str) -> Option<u64> {
        match self.cell(name)? {
            Cell::Whole(number) => u64::try_from(*number).ok(),
            Cell::Missing | Cell::Text(_) | Cell::Real(_) | Cell::Truth(_) => None,
        }
    }

    fn count(&self, name: &str) -> Option<usize> {
        usize::try_from(self.whole(name)?).ok()
    }

    fn real(&self, name: &str) -> Option<f64> {
        match self.cell(name)? {
            Cell::Real(number) => Some(*number),
            Cell::Whole(number) => Some(*number as f64),
            Cell::Missing | Cell::Text(_) | Cell::Truth(_) => None,
        }
    }
}

/// None for a row without a path.
fn run_of(row: &Row) -> Option<ExportedRun> {
    let row = RowByName(row);
    let path = at_home(&row.words("source_uri")?);
    // Where only a part could not be read the rest is known.
    let failed = row.words("read_error").filter(|_| row.whole("turns").is_none());
    Some((path, failed.map_or_else(|| Ok(Box::new(card_of(&row))), Err)))
}

/// A path whose home folder was taken out, in the home folder of whoever reads it.
fn at_home(path: &str) -> PathBuf {
    let below = path.strip_prefix('~').filter(|rest| rest.starts_with('/')).or(below_home(path));
    let below = below.map(|rest| rest.trim_start_matches('/'));
    let home = below.and_then(|rest| Some(etcetera::home_dir().ok()?.join(rest)));
    home.unwrap_or_else(|| PathBuf::from(path))
}

fn card_of(row: &RowByName<'_>) -> Card {
    let turns = row.count("turns").unwrap_or_default();
    let not_counted = row.count("turns_not_counted").unwrap_or_default();
    let judged = row.real("mcf").zip(row.words("judge"));
    let totals = totals(row);
    let strict = totals.tests.map(|(passed, total)| Passed { passed, total });
    Card {
        identity: identity(row),
        turns,
        not_counted: vec!["not counted"; not_counted],
        end: turns + not_counted,
        checkpoints: row.count("checkpoints").unwrap_or_default(),
        lines: row.whole("lines_added").zip(row.whole("lines_removed")),
        tokens: row
            .whole("input_tokens")
            .zip(row.whole("output_tokens"))
            .map(|(input, output)| input.saturating_add(output)),
        cost: CardCost {
            recorded_usd: row.real("cost_usd"),
            computed_usd: row.real("cost_computed_usd"),
        },
        tests: strict.map(|strict| CardTests::Counted { strict, iso: None, core: None }),
        mcf: judged.map(|(score, judge)| {
            let done = row.count("judged_turn").unwrap_or_default();
            Judged { score, judge, done }
        }),
        trouble: Trouble {
            warnings: row.count("warnings").unwrap_or_default(),
            first_warnings: vec![],
            failures: row.count("errors"),
        },
        work: Work {
            steps: row.count("steps").unwrap_or_default(),
            ended_at: totals.ended_at,
            ..Work::default()
        },
        totals,
        ..Card::default()
    }
}

fn totals(row: &RowByName<'_>) -> CardTotals {
    let moment = |name: &str| Time::parse(&row.words(name)?).map(|time| time.0);
    CardTotals {
        started_at: moment("date"),
        ended_at: moment("ended_at"),
        seconds: row.real("total_time"),
        task_set: row.words("task_set"),
        task_title: row.words("task_title"),
        tokens: Tokens {
            input: row.whole("input_tokens"),
            cached_input: row.whole("cached_input_tokens"),
            output: row.whole("output_tokens"),
            reasoning: row.whole("reasoning_tokens"),
            cache_write: row.whole("cache_write_tokens"),
            cache_write_1h: row.whole("cache_write_1h_tokens"),
        },
        not_priced_tokens: row.whole("not_priced_tokens"),
        steps: row.count("steps"),
        tool_calls: row.count("tool_calls"),
        errors: row.count("errors"),
        tests: row.whole("tests_passed").zip(row.whole("tests_total")),
        is_tree_alone: row.whole("steps").is_none() && row.real("rubric_score").is_some(),
    }
}

fn identity(row: &RowByName<'_>) -> CardIdentity {
    let said = |name: &str| row.words(name).filter(|words| !words.trim().is_empty());
    let (task_id, task_title) = (said("task_id"), said("task_title"));
    let agent_key = said("agent");
    let agent: Vec<String> =
        [agent_key.clone(), said("agent_version")].into_iter().flatten().collect();
    let format = row.words("source_type").unwrap_or_default();
    CardIdentity {
        id: row.words("transcript_id").unwrap_or_default(),
        title: row.words("title").unwrap_or_default(),
        task: task_title.or_else(|| task_id.clone()),
        task_key: task_id,
        agent: Some(agent.join(" ")).filter(|words| !words.is_empty()),
        agent_key,
        model: said("model"),
        condition: said("condition"),
        format: FORMATS.iter().map(|it| it.name()).find(|it| *it == format).unwrap_or_default(),
        request: None,
        harness: row.words("harness"),
        provenance: row.words("provenance"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with an export of some rows, as lines of JSON.
    fn export(lines: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs-1of1-0123456789abcdef.jsonl");
        fs::write(path, lines.join("\n") + "\n").unwrap();
        folder
    }

    #[test]
    fn a_run_of_an_export_says_what_the_table_says_and_what_it_does_not_have_is_none() {
        let folder = export(&[
            r#"{"source_uri":"runs/a/1.json","transcript_id":"s","source_type":"atif","agent":"codex","agent_version":"1.2","task_id":"t","turns":3,"turns_not_counted":1,"input_tokens":3,"output_tokens":2,"cost_usd":0.5,"lines_added":null,"lines_removed":null}"#,
            r#"{"source_uri":"runs/b/2.json","transcript_id":"runs/b/2.json","read_error":"runs/b/2.json: no such file"}"#,
        ]);
        let mut runs = vec![];

        let missing = each_exported(folder.path(), &mut |some| {
            runs.extend(some);
            true
        });

        assert_eq!(missing, Ok(None));
        let card = runs[0].1.as_ref().unwrap();
        assert_eq!(
            (runs[0].0.to_str(), card.identity.agent.as_deref()),
            (Some("runs/a/1.json"), Some("codex 1.2"))
        );
        assert_eq!((card.turns, card.not_counted.len(), card.tokens), (3, 1, Some(5)));
        assert_eq!((card.lines, card.tests, card.totals.seconds), (None, None, None));
        assert_eq!(runs[1].1, Err("runs/b/2.json: no such file".into()));
        assert_eq!(folder_of_exported(folder.path()), Some("runs".into()));
        assert!(is_export(folder.path()) && opens_as_table(folder.path()));
    }
}
