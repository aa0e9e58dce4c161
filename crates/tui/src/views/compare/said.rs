//! What is copied of a comparison.

use trajview_run::rubric::LEVELS;
use trajview_study::compare::{Outcome, letter};

use super::{Comparison, Part, code::Shown};

/// What stands in the row at the cursor, with tabs between; in the code its line.
pub fn selected_line(comparison: &Comparison) -> Option<String> {
    match comparison.part {
        Part::Components => {
            let row = comparison.table.selected()?;
            let score = |run| row.score(run).map(|score| score.to_string()).unwrap_or_default();
            let scores = (0..row.cells.len()).map(score);
            let delta = row.delta(comparison.subtraction()).map(|delta| delta.to_string());
            let words = [row.id.clone(), row.name.clone()].into_iter().chain(scores);
            Some(words.chain(delta).collect::<Vec<_>>().join("\t"))
        }
        Part::Numbers | Part::Curves => {
            let chosen = comparison.chart.number;
            let outcome = Outcome::of(chosen, comparison.sides()?, comparison.subtraction());
            let number = |value: Option<f64>| value.map(|it| it.to_string()).unwrap_or_default();
            let values = [outcome.a, outcome.b, outcome.delta].map(number);
            Some(format!("{}\t{}", chosen.id(), values.join("\t")))
        }
        Part::Code => {
            let Shown::Place { key, .. } = comparison.code_of(comparison.side) else { return None };
            let text = comparison.code.text(&key)?.as_ref().ok()?;
            Some(text.line(comparison.code.views[comparison.side].scroll.cursor).to_owned())
        }
        Part::Files => Some(comparison.files.selected()?.path.clone()),
    }
}

/// What the judge said of the chosen component in both runs, one line each and the lines it named.
pub fn verdicts(comparison: &Comparison) -> Option<String> {
    let row = comparison.table.selected()?;
    let mut said = vec![format!("{} {}", row.id, row.name)];
    for side in 0..2 {
        let letter = letter(comparison.pair[side]);
        let Some(verdict) = comparison.verdict(side) else {
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
