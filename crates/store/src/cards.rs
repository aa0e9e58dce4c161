//! The card of each of many recordings: first from the beginning of a recording, then from all of it.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use trajview_code::patch::LineCounts;
use trajview_formats as formats;
use trajview_formats::{FileHead, SequentialExecutor, SourceBytes};
use trajview_metrics::{cost::RunCost, faithfulness::Faithfulness};
use trajview_run::{
    Run, RunCard,
    activity::SessionWork,
    run_card::{CardCost, CardScore, CardTotals},
};
use trajview_study::compare::turns_done_at_judgement;

use super::{
    OpenError, disk,
    entries::{is_bundle, is_folder, name_of},
    executor, lower_priority, memory_trim, open, path_bytes, prices, rubric,
};

/// Returns the card of the beginning of a recording, which takes a moment to read: agent, task and model, and the
/// numbers of the beginning. None where the beginning has none of it.
pub fn card_of_head(path: &Path) -> Option<RunCard> {
    let main = match is_bundle(path) {
        true => path.join("run.json"),
        false if is_folder(path) => return None,
        false => path.to_owned(),
    };
    Some(RunCard::for_run(&read_head_run(&main)?))
}

fn read_head_run(main: &Path) -> Option<Run> {
    let (mut bytes, is_whole) = path_bytes::read_head(main).ok()?;
    let format =
        formats::format_for_head(&FileHead { name: name_of(main), bytes: &bytes, is_whole })?;
    if !is_whole {
        // Only of a log of lines a part makes sense.
        format.incremental_reader()?;
        bytes.truncate(memchr::memrchr(b'\n', &bytes)? + 1);
    }
    format
        .index_run_with(&[SourceBytes { name: name_of(main), bytes: &bytes }], &SequentialExecutor)
        .ok()
}

/// Returns the card of a whole recording, with what is beside it.
pub fn card_of_recording(path: &Path) -> Result<RunCard, OpenError> {
    let opened = open(path)?;
    let counts = opened.archive.line_counts(&opened.run).unwrap_or_default();
    Ok(with_lines(card_of_opened(path, &opened.run), &opened.run, &counts))
}

/// Returns the card with the lines that the run's turns added and removed between before and after each, as `show` and
/// the screen have it; `counts` are those of every change of every turn. Without counts the recorded edits are used.
/// None where the lines of one of the changes are not known: a part of the sum is not the sum.
pub fn with_lines(card: RunCard, run: &Run, counts: &[Vec<Option<LineCounts>>]) -> RunCard {
    let lines = if counts.is_empty() { card.lines } else { lines_changed(run, counts) };
    RunCard { lines, ..card }
}

/// Returns the lines added and removed by all turns that count; None where nothing records them.
pub fn lines_changed(run: &Run, counts: &[Vec<Option<LineCounts>>]) -> Option<(u64, u64)> {
    let counted = run.turns.iter().zip(counts).filter(|(turn, _)| turn.is_counted());
    let sum = counted.flat_map(|(_, counts)| counts).try_fold((0, 0), |sum: (u64, u64), lines| {
        let LineCounts { added, removed } = (*lines)?;
        Some((sum.0 + added as u64, sum.1 + removed as u64))
    });
    let edits = || run.counted_turns().flat_map(|turn| &turn.steps).any(|it| !it.edits.is_empty());
    match counts {
        [] => None,
        // What was written elsewhere has lines too, and they are no lines of the workspace.
        _ if counts.iter().all(Vec::is_empty) => {
            (formats::records_all_edits(run) && !edits()).then_some((0, 0))
        }
        _ => sum,
    }
}

/// Works as [`RunCard::for_run`], of a recording that was opened; lines as far as recorded edits tell.
pub fn card_of_opened(path: &Path, run: &Run) -> RunCard {
    let rubric = rubric::read_beside(path);
    let judged = rubric.result_judgement().and_then(|judgement| {
        let faithful = Faithfulness::from_judgement(judgement, rubric.checklist.as_ref());
        let done = turns_done_at_judgement(run, judgement);
        Some(CardScore { score: faithful.mcf()?, judge: judgement.judge.name.clone(), done })
    });
    let card = RunCard::for_run(run);
    let tells_edits = formats::records_all_edits(run);
    let edits = card.work.edits.filter(|edits| tells_edits || *edits > 0);
    let lines = card.lines.or((edits == Some(0)).then_some((0, 0)));
    let work = SessionWork { edits, ..card.work };
    let total = RunCost::new(run, &prices::current_prices().prices).total_sum();
    let cost = CardCost { computed_usd: total.usd(), ..card.cost };
    let not_priced_tokens = Some(total.not_priced_tokens());
    let totals = CardTotals { not_priced_tokens, ..card.totals };
    RunCard { mcf: judged, work, lines, cost, totals, ..card }
}

/// Returns the time when the recording was last written, in milliseconds since 1970-01-01 UTC; None where its file has
/// none.
pub fn written_at(path: &Path) -> Option<i64> {
    let main = if is_bundle(path) { path.join("run.json") } else { path.to_owned() };
    let written = disk::metadata(&main).ok()?.modified?;
    unix_millis(written)
}

/// Returns the current time, in milliseconds since 1970-01-01 UTC.
pub fn now_millis() -> i64 {
    unix_millis(SystemTime::now()).unwrap_or_default()
}

/// Returns the card with the current state of the session: when its file was written, and whether the agent is at work.
pub fn with_current_work(card: RunCard, path: &Path) -> RunCard {
    let Some(written) = written_at(path) else { return card };
    RunCard { work: card.work.clone().with_activity_at(written, now_millis()), ..card }
}

fn unix_millis(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// Does `work` for each item on several threads of low priority; begins no more items once it returns false.
pub fn for_each_parallel<'a, T: Sync>(items: &'a [T], work: impl Fn(&'a T) -> bool + Sync) {
    let next = AtomicUsize::new(0);
    let labour = || {
        lower_priority();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            if !executor::run_one_of_many(items.len() - at - 1, || work(item)) {
                next.store(items.len(), Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..executor::core_count().min(items.len()) {
            scope.spawn(labour);
        }
    });
    // What is little for one is much for all of them.
    memory_trim::free_and_trim(());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{path::PathBuf, sync::Mutex};

    fn sample_path(name: &str) -> PathBuf {
        Path::new(trajview_testing::project()).join("sample-runs").join(name)
    }

    #[test]
    fn the_beginning_says_who_and_the_whole_adds_up() {
        let bundle = sample_path("codex-p12");

        let (beginning, whole) =
            (card_of_head(&bundle).unwrap(), card_of_recording(&bundle).unwrap());

        let who = |card: &RunCard| {
            (
                card.identity.id.clone(),
                card.identity.agent.clone(),
                card.identity.model.clone(),
                card.turns,
            )
        };
        assert_eq!(who(&beginning), who(&whole));
        assert_eq!(beginning.tokens, None);
        assert!(whole.tokens.is_some() && whole.lines.is_some(), "{whole:?}");
    }

    #[test]
    fn every_item_is_worked_on_once() {
        let items: Vec<usize> = (0..100).collect();
        let done = Mutex::new(vec![]);
        for_each_parallel(&items, |item| {
            done.lock().unwrap().push(*item);
            true
        });
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, items);
    }

    #[test]
    fn nothing_is_begun_once_it_is_not_wanted() {
        let done = AtomicUsize::new(0);
        for_each_parallel(&[(); 1000], |()| done.fetch_add(1, Ordering::Relaxed) + 1 < 5);
        assert!((5..100).contains(&done.into_inner()));
    }
}
