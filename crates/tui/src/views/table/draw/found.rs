//! What was found in all runs, drawn: how much, and its lines by run.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line as Words, Span},
    widgets::Widget,
};

use crate::{
    views::table::finding::{Finding, Line},
    widgets::{
        line::{fit, own, recorded, safe},
        panel::{put_row, sentence},
        text,
        theme::{Meaning, Theme},
    },
};
use trajview_run::{
    figures::counted,
    lookup::{Hit, Looked, RunHits},
};

use super::edge;

/// What can be looked for, where nothing was yet.
const HELP: [(&str, &str); 10] = [
    ("retry timeout", "words that must all be in the same request or step, whatever their case"),
    ("find_user", "where it stands whole; find and user are words of it"),
    ("find_us*", "what begins so"),
    ("\"connection reset\"", "these words in this order"),
    (r"/E\d{4}/", "a pattern"),
    ("tool:Bash", "a step that calls this tool"),
    ("error:  error:timeout", "a step that failed, and that says so"),
    ("file:ops.py  edited:ops.py", "a step that names this file, that edits it"),
    ("agent:codex  project:shop", "runs of this agent, in this folder"),
    ("since:7d  since:2026-01-31", "not before"),
];

pub fn draw(finding: &Finding, theme: Theme, body: Rect, buffer: &mut Buffer) {
    let list = Finding::list(body);
    if finding.asked().is_empty() {
        return help(theme, list, buffer);
    }
    let heading = edge(Rect { height: 1.min(body.height), ..body });
    Words::from(fit(heading_of(finding, theme), usize::from(heading.width)))
        .render(heading, buffer);
    if let (true, Some(words)) = (finding.lines().is_empty(), nothing(finding)) {
        return sentence(&words, theme.of(Meaning::Muted), list, buffer);
    }
    let lines = finding.lines().iter().enumerate().skip(finding.scroll.top);
    for (y, (at, line)) in lines.take(usize::from(list.height)).enumerate() {
        let is_chosen = at == finding.scroll.cursor;
        let mut spans =
            vec![own(if is_chosen { "▌" } else { " " }, theme.of(Meaning::FocusedBorder))];
        let room = usize::from(list.width).saturating_sub(1);
        spans.extend(match *line {
            Line::Run(run) => fit(run_line(&finding.found[run], theme), room),
            Line::Hit(run, hit) => hit_line(&finding.found[run].hits[hit], theme, room),
            Line::More(run) => {
                let found = &finding.found[run];
                let words = format!("  and {} more lines", found.total - found.hits.len());
                vec![own(words, theme.of(Meaning::Muted))]
            }
        });
        let style = is_chosen.then(|| theme.of(Meaning::Selected));
        put_row(Words::from(spans), style, list, y as u16, buffer);
    }
}

fn help(theme: Theme, list: Rect, buffer: &mut Buffer) {
    for (y, (example, meaning)) in HELP.iter().enumerate().take(usize::from(list.height)) {
        let words = vec![
            own(format!("  {example:<28}"), theme.of(Meaning::Key)),
            own(*meaning, theme.of(Meaning::Muted)),
        ];
        put_row(Words::from(fit(words, usize::from(list.width))), None, list, y as u16, buffer);
    }
}

/// `retry tool:Bash  12 lines in 3 runs · 40 runs looked through`
fn heading_of(finding: &Finding, theme: Theme) -> Vec<Span<'static>> {
    let (lines, runs) = match finding.looked {
        Some(Looked { hits, with_hits, .. }) => (hits, with_hits),
        None => (finding.found.iter().map(|run| run.total).sum(), finding.found.len()),
    };
    let mut facts = vec![format!("{} in {}", counted(lines, "line"), counted(runs, "run"))];
    match finding.looked {
        Some(Looked { runs, .. }) => facts.push(format!("{} looked through", counted(runs, "run"))),
        None if finding.is_under_way() => facts.push("looking…".into()),
        None => {}
    }
    vec![
        recorded(finding.asked(), theme.of(Meaning::Title)),
        own("  ", theme.of(Meaning::Text)),
        own(facts.join(" · "), theme.of(Meaning::Muted)),
    ]
}

fn nothing(finding: &Finding) -> Option<String> {
    match (&finding.complaint, finding.looked) {
        (Some(why), _) => Some(safe(why)),
        (None, Some(looked)) => {
            let asked = safe(finding.asked());
            Some(format!(
                "`{asked}` is nowhere in {}; F finds something else",
                counted(looked.runs, "run")
            ))
        }
        (None, None) => None,
    }
}

/// `mend the shop  claude-code · shop · 2026-01-01 · 3 lines`
fn run_line(found: &RunHits, theme: Theme) -> Vec<Span<'static>> {
    let about = &found.about;
    let project = about.project_name().map(str::to_owned);
    let facts = [about.agent.clone(), project, about.day(), Some(counted(found.total, "line"))];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let title = if about.title.is_empty() { &about.id } else { &about.title };
    vec![
        recorded(title, theme.of(Meaning::Heading)),
        own("  ", theme.of(Meaning::Text)),
        recorded(&facts.join(" · "), theme.of(Meaning::Muted)),
    ]
}

/// `   12.7  the line, with the hit marked`: the hit is always seen.
fn hit_line(hit: &Hit, theme: Theme, room: usize) -> Vec<Span<'static>> {
    let place = format!("{:>8}  ", hit.moment.to_string());
    let room = room.saturating_sub(text::width(&place));
    let (before, rest) = hit.excerpt.split_at(hit.range.start);
    let (words, after) = rest.split_at(hit.range.len());
    let before = safe(before.trim_start());
    let words = safe(words);
    // Two thirds of the room are the line up to the end of the hit.
    let left = (room * 2 / 3).saturating_sub(text::width(&words));
    let before = crate::widgets::line::fit_end(&before, left);
    let mut spans = vec![own(place, theme.of(Meaning::Key))];
    let line = vec![
        own(before, theme.of(Meaning::Text)),
        own(words, theme.of(Meaning::Hit)),
        recorded(after.trim_end(), theme.of(Meaning::Text)),
    ];
    spans.extend(fit(line, room));
    spans
}
