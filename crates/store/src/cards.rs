//! Many recordings, told in a row each: first what their beginning says, then what all of it adds up to.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

use trajview_code::patch::LineCounts;
use trajview_formats as formats;
use trajview_formats::{Head, OneHand, Source};
use trajview_metrics::{cost::RunCost, faithfulness::Faithfulness};
use trajview_run::{
    Card, Run,
    activity::Work,
    card::{CardCost, CardTotals, Judged},
};
use trajview_study::compare::done_at;

use super::{
    OpenError, disk,
    entries::{is_bundle, is_folder, name_of},
    executor, memory, open, prices, reading, rubric, stand_back,
};

/// What the beginning of a recording says, read in a moment: who, what and with which model; its numbers are those of
/// the beginning. None where the beginning does not tell.
pub fn of_beginning(path: &Path) -> Option<Card> {
    let main = match is_bundle(path) {
        true => path.join("run.json"),
        false if is_folder(path) => return None,
        false => path.to_owned(),
    };
    Some(Card::of(&beginning(&main)?))
}

fn beginning(main: &Path) -> Option<Run> {
    let (mut bytes, is_whole) = reading::read_head(main).ok()?;
    let format = formats::claim(&Head { name: name_of(main), bytes: &bytes, is_whole })?;
    if !is_whole {
        // Only of a log of lines a part makes sense.
        format.growing()?;
        bytes.truncate(memchr::memrchr(b'\n', &bytes)? + 1);
    }
    format.index_with(&[Source { name: name_of(main), bytes: &bytes }], &OneHand).ok()
}

/// What all of a recording adds up to, and what stands beside it.
pub fn of(path: &Path) -> Result<Card, OpenError> {
    let opened = open(path)?;
    let counts = opened.archive.line_counts(&opened.run).unwrap_or_default();
    Ok(with_lines(of_opened(path, &opened.run), &opened.run, &counts))
}

/// The card with the lines that the run's turns added and removed between before and after each, as `show` and the screen have
/// it; `counts` are those of every change of every turn. Where they tell nothing the recorded edits speak. None where
/// the lines of one of the changes are not known: a part of the sum is not the sum.
pub fn with_lines(card: Card, run: &Run, counts: &[Vec<Option<LineCounts>>]) -> Card {
    let lines = if counts.is_empty() { card.lines } else { lines_of(run, counts) };
    Card { lines, ..card }
}

/// Lines added and removed between before and after each turn that counts, all together; None where nothing tells.
pub fn lines_of(run: &Run, counts: &[Vec<Option<LineCounts>>]) -> Option<(u64, u64)> {
    let counted = run.turns.iter().zip(counts).filter(|(turn, _)| turn.counts());
    let sum = counted.flat_map(|(_, counts)| counts).try_fold((0, 0), |sum: (u64, u64), lines| {
        let LineCounts { added, removed } = (*lines)?;
        Some((sum.0 + added as u64, sum.1 + removed as u64))
    });
    let edits = || run.counted_turns().flat_map(|turn| &turn.steps).any(|it| !it.edits.is_empty());
    match counts {
        [] => None,
        // What was written elsewhere has lines too, and they are no lines of the workspace.
        _ if counts.iter().all(Vec::is_empty) => {
            (formats::tells_edits(run) && !edits()).then_some((0, 0))
        }
        _ => sum,
    }
}

/// As [`of`], of a recording that was opened; lines as far as recorded edits tell.
pub fn of_opened(path: &Path, run: &Run) -> Card {
    let rubric = rubric::read(path);
    let judged = rubric.chosen().and_then(|judgement| {
        let faithful = Faithfulness::of(judgement, rubric.checklist.as_ref());
        let done = done_at(run, judgement);
        Some(Judged { score: faithful.mcf()?, judge: judgement.judge.name.clone(), done })
    });
    let card = Card::of(run);
    let tells_edits = formats::tells_edits(run);
    let edits = card.work.edits.filter(|edits| tells_edits || *edits > 0);
    let lines = card.lines.or((edits == Some(0)).then_some((0, 0)));
    let work = Work { edits, ..card.work };
    let total = RunCost::of(run, &prices::held().prices).total();
    let cost = CardCost { computed_usd: total.usd(), ..card.cost };
    let not_priced_tokens = Some(total.not_priced_tokens());
    let totals = CardTotals { not_priced_tokens, ..card.totals };
    Card { mcf: judged, work, lines, cost, totals, ..card }
}

/// When the recording was last written, in milliseconds since 1970-01-01 UTC; None where its file does not say.
pub fn written_at(path: &Path) -> Option<i64> {
    let main = if is_bundle(path) { path.join("run.json") } else { path.to_owned() };
    let written = disk::metadata(&main).ok()?.modified?;
    millis(written)
}

/// What the clock says, in milliseconds since 1970-01-01 UTC.
pub fn now() -> i64 {
    millis(SystemTime::now()).unwrap_or_default()
}

/// The card as the session stands now: when its file was written, and whether the agent is at work.
pub fn as_of_now(card: Card, path: &Path) -> Card {
    let Some(written) = written_at(path) else { return card };
    Card { work: card.work.clone().at(written, now()), ..card }
}

fn millis(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

/// Does `work` for each item, several at a time and out of the way of what is looked at; begins no more once it
/// returns false.
pub fn for_each<'a, T: Sync>(items: &'a [T], work: impl Fn(&'a T) -> bool + Sync) {
    let next = AtomicUsize::new(0);
    let labour = || {
        stand_back();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            if !executor::one_of_many(items.len() - at - 1, || work(item)) {
                next.store(items.len(), Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..executor::cores().min(items.len()) {
            scope.spawn(labour);
        }
    });
    // What is little for one is much for all of them.
    memory::sweep(());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{path::PathBuf, sync::Mutex};

    fn sample(name: &str) -> PathBuf {
        Path::new(trajview_testing::project()).join("sample-runs").join(name)
    }

    #[test]
    fn the_beginning_says_who_and_the_whole_adds_up() {
        let bundle = sample("codex-p12");

        let (beginning, whole) = (of_beginning(&bundle).unwrap(), of(&bundle).unwrap());

        let who = |card: &Card| {
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
        for_each(&items, |item| {
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
        for_each(&[(); 1000], |()| done.fetch_add(1, Ordering::Relaxed) + 1 < 5);
        assert!((5..100).contains(&done.into_inner()));
    }
}
