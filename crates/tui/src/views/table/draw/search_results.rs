//! Draws the search results of all runs: their number, and the lines of each run.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line as Words, Span},
    widgets::Widget,
};

use crate::{
    session::{context::KeyContext, key_texts::KeyTexts},
    views::table::run_finding::{FoundLine, RunFinding},
    widgets::{
        line::{fit_spans, recorded_span, safe_string, trusted_span},
        panel::{draw_sentence, put_row},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    format_number::count_with_noun,
    lookup::{LookupHit, LookupTotals, RunHits},
};

use super::inside_margins;

/// Examples of searches, shown before the first search.
const FIND_EXAMPLES: [(&str, &str); 11] = [
    ("retry timeout", "all words in one step, case-insensitive"),
    ("find_user", "the exact word; find and user also match it"),
    ("find_us*", "prefix"),
    ("\"connection reset\"", "exact phrase"),
    (r"/E\d{4}/", "a pattern"),
    ("tool:Bash", "a step that calls this tool"),
    ("error:  error:timeout", "a failed step, with this word"),
    ("file:ops.py  edited:ops.py", "a step that names this file, that edits it"),
    ("agent:codex  project:shop", "runs of this agent, in this folder"),
    ("outcome:failed  reward>0.5", "runs with this result of their harness"),
    ("since:7d  since:2026-01-31", "since"),
];

pub(crate) fn draw_found(
    finding: &RunFinding,
    keys: &KeyTexts,
    theme: Theme,
    body: Rect,
    buffer: &mut Buffer,
) {
    let list = RunFinding::list_area(body);
    if finding.search_words().is_empty() {
        return draw_find_help(theme, list, buffer);
    }
    let heading = inside_margins(Rect { height: 1.min(body.height), ..body });
    Words::from(fit_spans(found_heading(finding, theme), usize::from(heading.width)))
        .render(heading, buffer);
    if let (true, Some(words)) =
        (finding.found_lines().is_empty(), nothing_found_text(finding, keys))
    {
        return draw_sentence(&words, theme.style_for(Meaning::Muted), list, buffer);
    }
    let room = usize::from(list.width).saturating_sub(1);
    let chosen = theme.style_for(Meaning::Selected);
    finding.list.draw_rows(Some(chosen), theme, buffer, |at| {
        let is_chosen = at == finding.list.cursor();
        let mut spans = vec![trusted_span(
            if is_chosen { "▌" } else { " " },
            theme.style_for(Meaning::FocusedBorder),
        )];
        spans.extend(match finding.found_lines()[at] {
            FoundLine::Run(run) => fit_spans(run_line(&finding.run_hits[run], theme), room),
            FoundLine::Hit(run, hit) => hit_line(&finding.run_hits[run].hits[hit], theme, room),
            FoundLine::More(run) => {
                let found = &finding.run_hits[run];
                let words = format!("  and {} more lines", found.total - found.hits.len());
                vec![trusted_span(words, theme.style_for(Meaning::Muted))]
            }
        });
        Words::from(spans)
    });
}

fn draw_find_help(theme: Theme, list: Rect, buffer: &mut Buffer) {
    for (y, (example, meaning)) in FIND_EXAMPLES.iter().enumerate().take(usize::from(list.height)) {
        let words = vec![
            trusted_span(format!("  {example:<28}"), theme.style_for(Meaning::Key)),
            trusted_span(*meaning, theme.style_for(Meaning::Muted)),
        ];
        put_row(
            Words::from(fit_spans(words, usize::from(list.width))),
            None,
            list,
            y as u16,
            buffer,
        );
    }
}

/// Returns `retry tool:Bash  12 lines in 3 runs · 40 runs looked through`.
fn found_heading(finding: &RunFinding, theme: Theme) -> Vec<Span<'static>> {
    let (lines, runs) = match finding.search_summary {
        Some(LookupTotals { hits, with_hits, .. }) => (hits, with_hits),
        None => (finding.run_hits.iter().map(|run| run.total).sum(), finding.run_hits.len()),
    };
    let mut facts =
        vec![format!("{} in {}", count_with_noun(lines, "line"), count_with_noun(runs, "run"))];
    match finding.search_summary {
        Some(LookupTotals { runs, .. }) => {
            facts.push(format!("{} searched", count_with_noun(runs, "run")))
        }
        None if finding.is_under_way() => facts.push("looking…".into()),
        None => {}
    }
    vec![
        recorded_span(finding.search_words(), theme.style_for(Meaning::Title)),
        trusted_span("  ", theme.style_for(Meaning::Text)),
        trusted_span(facts.join(" · "), theme.style_for(Meaning::Muted)),
    ]
}

fn nothing_found_text(finding: &RunFinding, keys: &KeyTexts) -> Option<String> {
    match (&finding.complaint, finding.search_summary) {
        (Some(why), _) => Some(safe_string(why)),
        (None, Some(looked)) => {
            let search_words = safe_string(finding.search_words());
            Some(format!(
                "no match for `{search_words}` in {} · {}: new search",
                count_with_noun(looked.runs, "run"),
                keys.key_text(KeyContext::Table, "find")
            ))
        }
        (None, None) => None,
    }
}

/// Returns `mend the shop  claude-code · shop · 2026-01-01 · 3 lines`.
fn run_line(found: &RunHits, theme: Theme) -> Vec<Span<'static>> {
    let run_about = &found.about;
    let project = run_about.project_name().map(str::to_owned);
    let facts = [
        run_about.agent.clone(),
        project,
        run_about.start_day(),
        Some(count_with_noun(found.total, "line")),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let title = if run_about.title.is_empty() { &run_about.id } else { &run_about.title };
    vec![
        recorded_span(title, theme.style_for(Meaning::Heading)),
        trusted_span("  ", theme.style_for(Meaning::Text)),
        recorded_span(&facts.join(" · "), theme.style_for(Meaning::Muted)),
    ]
}

/// Returns the line with the hit marked, as `   12.7  the line`. The hit is always visible.
fn hit_line(hit: &LookupHit, theme: Theme, room: usize) -> Vec<Span<'static>> {
    let place = format!("{:>8}  ", hit.moment.to_string());
    let room = room.saturating_sub(text::width(&place));
    let (before, rest) = hit.excerpt.split_at(hit.range.start);
    let (words, after) = rest.split_at(hit.range.len());
    let before = safe_string(before.trim_start());
    let words = safe_string(words);
    // Two thirds of the room are the line up to the end of the hit.
    let left = (room * 2 / 3).saturating_sub(text::width(&words));
    let before = crate::widgets::line::fit_text_end(&before, left);
    let mut spans = vec![trusted_span(place, theme.style_for(Meaning::Key))];
    let line = vec![
        trusted_span(before, theme.style_for(Meaning::Text)),
        trusted_span(words, theme.style_for(Meaning::Hit)),
        recorded_span(after.trim_end(), theme.style_for(Meaning::Text)),
    ];
    spans.extend(fit_spans(line, room));
    spans
}
