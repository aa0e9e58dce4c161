//! The card of each of many recordings: what a table of runs shows of it.

use std::path::Path;

use trajview_code::patch::LineCounts;
use trajview_formats as formats;
use trajview_metrics::{cost::RunCost, faithfulness::Faithfulness};
use trajview_run::{
    Run, RunCard,
    activity::SessionWork,
    run_card::{CardCost, CardScore, CardTotals, CorrectedCardScore},
};
use trajview_store as store;
use trajview_store::{OpenError, OpenedRecording, prices, rubric};
use trajview_study::{compare::turns_done_at_judgement, corrected::judgement_queue::corrected_mcf};

/// Returns the card of a whole recording, with what is beside it.
pub fn card_of_recording(path: &Path) -> Result<RunCard, OpenError> {
    Ok(card_of_opened(path, &store::open(path)?))
}

/// Works as [`card_of_recording`], of a recording that was opened. Its lines are the only churn there is: what the turns
/// that count added and removed between before and after each, as `show` and the screen have it. The sum of the recorded
/// edits is another number and is in no card.
pub fn card_of_opened(path: &Path, opened: &OpenedRecording) -> RunCard {
    let card = card_without_lines(path, &opened.run);
    let counts = opened.archive.line_counts(&opened.run).unwrap_or_default();
    let has_no_edit = card.work.edits == Some(0);
    let lines = match counts.is_empty() {
        true => has_no_edit.then_some((0, 0)),
        false => lines_changed(&opened.run, &counts),
    };
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

/// Works as [`RunCard::for_run`], with what is beside the recording.
fn card_without_lines(path: &Path, run: &Run) -> RunCard {
    let rubric = rubric::read_beside(path);
    let judged = rubric.result_judgement().and_then(|judgement| {
        let faithful = Faithfulness::from_judgement(judgement, rubric.checklist.as_ref());
        let done = turns_done_at_judgement(run, judgement);
        let corrected = corrected_mcf(&rubric, judgement).map(|mean| CorrectedCardScore {
            value: mean.value,
            low: mean.interval.low,
            high: mean.interval.high,
            labels: mean.labels,
        });
        Some(CardScore {
            score: faithful.mcf()?,
            judge: judgement.judge.name.clone(),
            done,
            corrected: corrected.map_err(|why| why.to_string()),
        })
    });
    let card = RunCard::for_run(run);
    let tells_edits = formats::records_all_edits(run);
    let edits = card.work.edits.filter(|edits| tells_edits || *edits > 0);
    let work = SessionWork { edits, ..card.work };
    let total = RunCost::new(run, &prices::current_prices().prices).total_sum();
    let cost = CardCost { computed_usd: total.usd(), ..card.cost };
    let not_priced_tokens = Some(total.not_priced_tokens());
    let totals = CardTotals { not_priced_tokens, ..card.totals };
    RunCard { mcf: judged, work, cost, totals, ..card }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use trajview_run::run_card::main_and_subagent_steps;

    fn sample_path(name: &str) -> PathBuf {
        Path::new(trajview_testing::project()).join("sample-runs").join(name)
    }

    #[test]
    fn the_churn_of_a_card_is_what_the_turns_changed_and_not_the_sum_of_the_edits() {
        for (name, churn) in [("claude-code", (106, 5)), ("codex-p12", (1674, 234))] {
            let opened = store::open(&sample_path(name)).unwrap();
            let steps = main_and_subagent_steps(&opened.run);
            let added =
                steps.flat_map(|step| &step.edits).map(|edit| edit.added.unwrap_or_default());
            assert_ne!(u64::from(added.sum::<u32>()), churn.0, "{name}");

            assert_eq!(card_of_opened(&sample_path(name), &opened).lines, Some(churn), "{name}");
            assert_eq!(RunCard::for_run(&opened.run).lines, None, "{name}");
        }
    }

    #[test]
    fn the_beginning_says_who_and_the_whole_adds_up() {
        let bundle = sample_path("codex-p12");

        let (beginning, whole) =
            (store::cards::card_of_head(&bundle).unwrap(), card_of_recording(&bundle).unwrap());

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
}
