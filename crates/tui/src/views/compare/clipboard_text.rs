//! The text that is copied from a comparison.

use trajview_run::{checkpoint_record::TestOutcome, rubric::LEVELS};
use trajview_study::compare::{NumberOutcome, TranscriptItem, run_letter};

use super::{ComparePart, ComparisonView, code::SideCode, table::test_name};

/// Returns the row at the cursor, with tabs between its cells; in the code its line.
pub(crate) fn selected_line(comparison: &ComparisonView) -> Option<String> {
    match comparison.part {
        ComparePart::Components if comparison.lists_tests() => {
            let test = comparison.table.selected_test()?;
            let name = test_name(test);
            let outcomes = test.outcomes.iter().map(|it| it.map_or("", TestOutcome::word));
            Some(std::iter::once(&*name).chain(outcomes).collect::<Vec<_>>().join("\t"))
        }
        ComparePart::Components => {
            let row = comparison.table.selected_row()?;
            let score = |run| row.score_in(run).map(|score| score.to_string()).unwrap_or_default();
            let scores = (0..row.cells.len()).map(score);
            let delta = row.score_delta(comparison.subtraction()).map(|delta| delta.to_string());
            let words = [row.id.clone(), row.name.clone()].into_iter().chain(scores);
            Some(words.chain(delta).collect::<Vec<_>>().join("\t"))
        }
        ComparePart::Numbers | ComparePart::Curves => {
            let chosen = comparison.chart.number;
            let outcome = NumberOutcome::at_end(
                chosen,
                comparison.compared_parties()?,
                comparison.subtraction(),
            );
            let number = |value: Option<f64>| value.map(|it| it.to_string()).unwrap_or_default();
            let values = [outcome.a, outcome.b, outcome.delta].map(number);
            Some(format!("{}\t{}", chosen.id(), values.join("\t")))
        }
        ComparePart::Code => {
            let SideCode::Place { key, .. } = comparison.side_code(comparison.side) else {
                return None;
            };
            let text = comparison.code.file_text(&key)?.as_ref().ok()?;
            Some(text.line_text(comparison.code.views[comparison.side].lines.cursor()).to_owned())
        }
        ComparePart::Files => Some(comparison.files.selected_row()?.path.clone()),
        ComparePart::Transcripts => {
            let items = comparison.transcripts.selected_items()?;
            let text = |item: Option<&TranscriptItem>| {
                item.map(|it| format!("{} {}", it.address(), it.display_text())).unwrap_or_default()
            };
            Some(items.map(text).join("\t"))
        }
        ComparePart::Losses => {
            let row = comparison.losses.selected_row()?;
            let fates = row.fates.iter().map(|fate| fate.fate_text());
            let words = [row.kind.word().to_owned(), row.id.clone(), row.name.clone()];
            let words = words.into_iter().chain(fates);
            Some(words.collect::<Vec<_>>().join("\t"))
        }
    }
}

/// Returns the verdicts on the chosen component in both runs, one line each, with the lines of evidence.
pub(crate) fn verdicts_text(comparison: &ComparisonView) -> Option<String> {
    let row = comparison.table.selected_row()?;
    let mut said = vec![format!("{} {}", row.id, row.name)];
    for side in 0..2 {
        let letter = run_letter(comparison.pair[side]);
        let Some(verdict) = comparison.verdict_of_side(side) else {
            said.push(format!("{letter}: not judged"));
            continue;
        };
        let label = verdict.score.and_then(|score| LEVELS.get(usize::from(score)));
        let label = label.map_or("no score", |label| label);
        let score = verdict.score.map(|score| format!("{score} ")).unwrap_or_default();
        said.push(format!("{letter}: {score}{label}: {}", verdict.rationale));
        let place = |it: &trajview_run::rubric::Evidence| match it.lines {
            Some((first, last)) => format!("  {}:{first}-{last}", it.path),
            None => format!("  {}", it.path),
        };
        said.extend(verdict.evidence.iter().map(place));
    }
    Some(said.join("\n"))
}
