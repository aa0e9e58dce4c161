//! Two runs side by side: their numbers, components, code, curves and files. One file a part.

mod chart;
mod code;
mod components;
mod files;
mod frame;
mod numbers;
mod sessions;
mod transitions;

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::ask::Loading,
    views::compare::{Comparison, Part, areas::Areas, update::tab},
    widgets::{
        layout::{Layout, TAB_GAP},
        line::{fit, own, recorded, safe, sides},
        panel::sentence,
        theme::{Meaning, Theme},
    },
};
use trajview_study::compare::letter;

use frame::{frame, muted, name, no_value, side_letter};

pub fn draw(
    compared: &Comparison,
    areas: &Areas,
    theme: Theme,
    layout: &Layout,
    buffer: &mut Buffer,
) {
    title(compared, theme, layout.title, buffer);
    match &compared.parties {
        Loading::Failed(why) => {
            return sentence(&safe(why), theme.of(Meaning::Error), layout.body, buffer);
        }
        Loading::Nothing | Loading::Waiting(_) => {
            return sentence("reading…", theme.of(Meaning::Muted), layout.body, buffer);
        }
        Loading::Ready(_) => {}
    }
    if let Some(area) = areas.tabs {
        tabs(compared, theme, area, buffer);
    }
    if let Some(area) = areas.transitions {
        match compared.is_plain() {
            true => sessions::facts(compared, theme, area, buffer),
            false => transitions::draw(compared, theme, area, buffer),
        }
    }
    for part in Part::ALL {
        let Some(area) = areas.of(part) else { continue };
        match part {
            Part::Numbers => numbers::draw(compared, theme, area, buffer),
            Part::Components if compared.is_plain() => {
                sessions::requests(compared, theme, area, buffer);
            }
            Part::Components => components::draw(compared, theme, area, buffer),
            Part::Code => code::draw(compared, areas, theme, area, buffer),
            Part::Curves => chart::draw(compared, theme, area, buffer),
            Part::Files => files::draw(compared, theme, area, buffer),
        }
    }
}

/// ` a codex-p12 emergent  b codex-p12-single-shot single-shot      measuring: 3 of 10`
fn title(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let mut names = vec![];
    for run in shown_runs(compared) {
        let Some(party) = compared.all().get(run) else { continue };
        names.push(own(format!("{} ", letter(run)), theme.of(Meaning::Key)));
        names.push(recorded(&party.run.id, theme.of(Meaning::Title)));
        let condition = party.run.condition.as_deref().map(|it| format!(" {}", safe(it)));
        names.push(own(condition.unwrap_or_default() + "   ", theme.of(Meaning::Muted)));
    }
    let said = status(compared).map(|words| own(words, theme.of(Meaning::Muted)));
    let width = usize::from(inner.width);
    sides(names, said.into_iter().collect(), width).render(inner, buffer);
}

/// The two that are compared; of more than two runs all, with the pair first.
fn shown_runs(compared: &Comparison) -> Vec<usize> {
    let others = (0..compared.paths.len()).filter(|run| !compared.pair.contains(run));
    compared.pair.into_iter().chain(others).collect()
}

/// What is under way.
fn status(compared: &Comparison) -> Option<String> {
    let (known, wanted) = compared.measured();
    if compared.measures.failed.is_some() {
        return Some("the code could not be measured".into());
    }
    if compared.measures.is_stopped {
        return Some(format!("stopped: {known} of {wanted} moments measured, x goes on"));
    }
    let files = compared.measures.progress.filter(|(done, total)| done < total);
    let files = files.map(|(done, total)| format!(", {done} of {total} files"));
    let is_busy = compared.is_measuring() && known < wanted;
    is_busy.then(|| format!("measuring: {known} of {wanted} moments{}", files.unwrap_or_default()))
}

fn tabs(compared: &Comparison, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let gap = || own(" ".repeat(usize::from(TAB_GAP)), theme.of(Meaning::Text));
    let mut spans = vec![gap()];
    for part in Part::ALL {
        let is_here = compared.part == part;
        let style = theme.of(if is_here { Meaning::Selected } else { Meaning::Muted });
        spans.extend([own(tab(part), style), gap()]);
    }
    Line::from(fit(spans, usize::from(area.width))).render(area, buffer);
}
