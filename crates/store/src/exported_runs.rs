//! The runs of an export, as rows for a table on screen. No recording is opened for them, and none has to exist. A card
//! contains what the table `runs` contains; everything else counts as not recorded.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use trajview_code::redact::below_home;
use trajview_formats::FORMATS;
use trajview_run::{
    RunCard, Time, Tokens,
    activity::SessionWork,
    checkpoint_record::PassCount,
    run_card::{
        CardCost, CardIdentity, CardScore, CardTests, CardTotals, CorrectedCardScore, RunTrouble,
    },
    trial::{Outcome, TrialColumn, TrialValues},
};

use super::{
    dataset::{DataCell, DataRow, DataTable, ExportedTables, table_columns},
    walk,
};

/// A run of an export: the path of its recording, and its card; the error is the reason why it could not be read.
pub type ExportedRun = (PathBuf, Result<Box<RunCard>, String>);

/// Returns whether a path opens as a table of runs: tables that were exported, or a folder with several recordings
/// below.
pub fn opens_as_table(path: &Path) -> bool {
    is_export(path) || walk::contains_several_runs(path)
}

/// Returns whether a path is a folder with an exported table of runs, or such a table.
pub fn is_export(path: &Path) -> bool {
    ExportedTables::find_in(path)
        .is_some_and(|exported| exported.table_files(DataTable::Runs).is_some())
}

/// Gives the runs of an export in their order, first a few at a time and then more; `on_runs` returns false to stop.
/// Returns a sentence about missing shards, if there are any.
///
/// # Errors
///
/// A sentence, where the table cannot be read.
pub fn for_each_run(
    path: &Path,
    on_runs: &mut dyn FnMut(Vec<ExportedRun>) -> bool,
) -> Result<Option<String>, String> {
    let Some(exported) = ExportedTables::find_in(path) else { return Ok(None) };
    let mut together = FIRST_BATCH;
    let mut runs = Vec::with_capacity(together);
    for row in exported.table_rows(DataTable::Runs, &[])? {
        let row = row?;
        let run = run_of_row(&row).ok_or(
            "the table runs has no source_uri, the path of each recording: export it with this column",
        )?;
        runs.push(run);
        if runs.len() == together {
            if !on_runs(std::mem::take(&mut runs)) {
                return Ok(None);
            }
            together = MOST_TOGETHER;
        }
    }
    on_runs(runs);
    Ok(exported.missing_shards(DataTable::Runs))
}

/// The number of runs in the first batch: more than fit on a screen.
const FIRST_BATCH: usize = 256;

/// The most runs in a batch: what a screen takes in between two frames.
const MOST_TOGETHER: usize = 2048;

/// Returns the innermost folder that all recordings of an export were in; None where they have none in common.
pub fn common_folder(path: &Path) -> Option<PathBuf> {
    let exported = ExportedTables::find_in(path)?;
    let at = *COLUMN_INDEXES.get("source_uri")?;
    let mut folder: Option<PathBuf> = None;
    for row in exported.table_rows(DataTable::Runs, &["source_uri"]).ok()? {
        let row = row.ok()?;
        let source = in_home_folder(row.get(at)?.as_text()?);
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

static COLUMN_INDEXES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    table_columns(DataTable::Runs).iter().map(|column| column.name).zip(0..).collect()
});

/// A row of the table, by the names of its columns.
struct RowByName<'a>(&'a DataRow);

impl RowByName<'_> {
    fn cell_named(&self, name: &str) -> Option<&DataCell> {
        self.0.get(*COLUMN_INDEXES.get(name)?)
    }

    fn text_of(&self, name: &str) -> Option<String> {
        self.cell_named(name)?.as_text().map(str::to_owned)
    }

    fn u64_of(&self, name: &str) -> Option<u64> {
        match self.cell_named(name)? {
            DataCell::Integer(number) => u64::try_from(*number).ok(),
            DataCell::Missing | DataCell::Text(_) | DataCell::Real(_) | DataCell::Bool(_) => None,
        }
    }

    fn count_of(&self, name: &str) -> Option<usize> {
        usize::try_from(self.u64_of(name)?).ok()
    }

    fn real_of(&self, name: &str) -> Option<f64> {
        match self.cell_named(name)? {
            DataCell::Real(number) => Some(*number),
            DataCell::Integer(number) => Some(*number as f64),
            DataCell::Missing | DataCell::Text(_) | DataCell::Bool(_) => None,
        }
    }
}

/// Returns None for a row without a path.
fn run_of_row(row: &DataRow) -> Option<ExportedRun> {
    let row = RowByName(row);
    let path = in_home_folder(&row.text_of("source_uri")?);
    // Where only a part could not be read the rest is known.
    let failed = row.text_of("read_error").filter(|_| row.u64_of("turns").is_none());
    Some((path, failed.map_or_else(|| Ok(Box::new(card_of_row(&row))), Err)))
}

/// Completes a path whose home folder was taken out with the home folder of the current user.
fn in_home_folder(path: &str) -> PathBuf {
    let below = path.strip_prefix('~').filter(|rest| rest.starts_with('/')).or(below_home(path));
    let below = below.map(|rest| rest.trim_start_matches('/'));
    let home = below.and_then(|rest| Some(etcetera::home_dir().ok()?.join(rest)));
    home.unwrap_or_else(|| PathBuf::from(path))
}

fn card_of_row(row: &RowByName<'_>) -> RunCard {
    let turns = row.count_of("turns").unwrap_or_default();
    let not_counted = row.count_of("turns_not_counted").unwrap_or_default();
    let judged = row.real_of("mcf").zip(row.text_of("judge"));
    let totals = card_totals(row);
    let strict = totals.tests.map(|(passed, total)| PassCount { passed, total });
    RunCard {
        identity: card_identity(row),
        trial: card_trial(row),
        turns,
        not_counted: vec!["not counted"; not_counted],
        end: turns + not_counted,
        checkpoints: row.count_of("checkpoints").unwrap_or_default(),
        lines: row.u64_of("lines_added").zip(row.u64_of("lines_removed")),
        tokens: row
            .u64_of("input_tokens")
            .zip(row.u64_of("output_tokens"))
            .map(|(input, output)| input.saturating_add(output)),
        cost: CardCost {
            recorded_usd: row.real_of("cost_usd"),
            computed_usd: row.real_of("cost_computed_usd"),
        },
        tests: strict.map(|strict| CardTests::Counted { strict, iso: None, core: None }),
        mcf: judged.map(|(score, judge)| {
            let done = row.count_of("judged_turn").unwrap_or_default();
            let number = |name: &str| row.real_of(&format!("corrected_{name}"));
            let ends = number("mcf").zip(number("low")).zip(number("high"));
            let labels = row.count_of("corrected_labels").unwrap_or_default();
            let corrected = ends
                .map(|((value, low), high)| CorrectedCardScore { value, low, high, labels })
                .ok_or_else(|| "the export has no corrected mean".to_owned());
            CardScore { score, judge, done, corrected }
        }),
        trouble: RunTrouble {
            warnings: row.count_of("warnings").unwrap_or_default(),
            first_warnings: vec![],
            failures: row.count_of("errors"),
        },
        work: SessionWork {
            steps: row.count_of("steps").unwrap_or_default(),
            ended_at: totals.ended_at,
            ..SessionWork::default()
        },
        totals,
        ..RunCard::default()
    }
}

fn card_trial(row: &RowByName<'_>) -> TrialValues {
    let text = |column: TrialColumn| row.text_of(column.word());
    TrialValues {
        task: row.text_of("task_id"),
        attempt: row.u64_of(TrialColumn::Attempt.word()).and_then(|it| u32::try_from(it).ok()),
        outcome: text(TrialColumn::Outcome).and_then(|word| Outcome::by_word(&word)),
        reward: row.real_of(TrialColumn::Reward.word()),
        reward_name: text(TrialColumn::RewardName),
        error: text(TrialColumn::Error),
    }
}

fn card_totals(row: &RowByName<'_>) -> CardTotals {
    let moment = |name: &str| Time::parse(&row.text_of(name)?).map(|time| time.0);
    CardTotals {
        started_at: moment("date"),
        ended_at: moment("ended_at"),
        seconds: row.real_of("total_time"),
        task_set: row.text_of("task_set"),
        task_title: row.text_of("task_title"),
        tokens: Tokens {
            input: row.u64_of("input_tokens"),
            cached_input: row.u64_of("cached_input_tokens"),
            output: row.u64_of("output_tokens"),
            reasoning: row.u64_of("reasoning_tokens"),
            cache_write: row.u64_of("cache_write_tokens"),
            cache_write_1h: row.u64_of("cache_write_1h_tokens"),
        },
        not_priced_tokens: row.u64_of("not_priced_tokens"),
        steps: row.count_of("steps"),
        tool_calls: row.count_of("tool_calls"),
        errors: row.count_of("errors"),
        tests: row.u64_of("tests_passed").zip(row.u64_of("tests_total")),
        has_no_log: row.u64_of("turns").is_none(),
    }
}

fn card_identity(row: &RowByName<'_>) -> CardIdentity {
    let text = |name: &str| row.text_of(name).filter(|words| !words.trim().is_empty());
    let (task_id, task_title) = (text("task_id"), text("task_title"));
    let agent_key = text("agent");
    let agent: Vec<String> =
        [agent_key.clone(), text("agent_version")].into_iter().flatten().collect();
    let format = row.text_of("source_type").unwrap_or_default();
    CardIdentity {
        id: row.text_of("transcript_id").unwrap_or_default(),
        title: row.text_of("title").unwrap_or_default(),
        task: task_title.or_else(|| task_id.clone()),
        task_key: task_id,
        agent: Some(agent.join(" ")).filter(|words| !words.is_empty()),
        agent_key,
        model: text("model"),
        condition: text("condition"),
        format: FORMATS.iter().map(|it| it.name()).find(|it| *it == format).unwrap_or_default(),
        request: None,
        harness: row.text_of("harness"),
        provenance: row.text_of("provenance"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Writes an export of some rows, as lines of JSON, and returns its folder.
    fn write_export(lines: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs-1of1-0123456789abcdef.jsonl");
        fs::write(path, lines.join("\n") + "\n").unwrap();
        folder
    }

    #[test]
    fn a_run_of_an_export_says_what_the_table_says_and_what_it_does_not_have_is_none() {
        let folder = write_export(&[
            r#"{"source_uri":"runs/a/1.json","transcript_id":"s","source_type":"atif","agent":"codex","agent_version":"1.2","task_id":"t","attempt":2,"outcome":"failed","reward":0.25,"turns":3,"turns_not_counted":1,"input_tokens":3,"output_tokens":2,"cost_usd":0.5,"lines_added":null,"lines_removed":null}"#,
            r#"{"source_uri":"runs/b/2.json","transcript_id":"runs/b/2.json","read_error":"runs/b/2.json: no such file"}"#,
        ]);
        let mut runs = vec![];

        let missing = for_each_run(folder.path(), &mut |some| {
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
        let trial = TrialValues {
            task: Some("t".into()),
            attempt: Some(2),
            outcome: Some(Outcome::Failed),
            reward: Some(0.25),
            ..TrialValues::default()
        };
        assert_eq!(card.trial, trial);
        assert_eq!((card.lines, card.tests, card.totals.seconds), (None, None, None));
        assert_eq!(runs[1].1, Err("runs/b/2.json: no such file".into()));
        assert_eq!(common_folder(folder.path()), Some("runs".into()));
        assert!(is_export(folder.path()) && opens_as_table(folder.path()));
    }
}
