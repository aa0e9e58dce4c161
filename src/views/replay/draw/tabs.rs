//! The panels' names in one row, where there is only room for one panel.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    shell::{mouse::tab, replay::Replay},
    widgets::{
        layout::Panel,
        line::{fit, own},
        theme::{Meaning, Theme},
    },
};

pub fn draw(replay: &Replay, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let mut spans = vec![own(" ", theme.of(Meaning::Text))];
    for panel in Panel::ALL {
        let is_here = replay.focus == panel;
        let style = theme.of(if is_here { Meaning::Selected } else { Meaning::Muted });
        spans.push(own(tab(replay, panel), style));
        spans.push(own(" ", theme.of(Meaning::Text)));
    }
    Line::from(fit(spans, usize::from(area.width))).render(area, buffer);
}
