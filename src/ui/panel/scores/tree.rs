//! The rubric tree.

use ratatui::{buffer::Buffer, text::Line};

use crate::{
    app::{layout::Layout, replay::Replay},
    ui::{
        line::recorded,
        panel::put_row,
        theme::{Meaning, Theme},
    },
};

pub fn draw(replay: &Replay, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let Some(tree) = &replay.run.rubric_tree else { return };
    let (rows, area) = (replay.scores.tree.rows, layout.body);
    let seen = tree.nodes.iter().enumerate().skip(rows.top).take(usize::from(area.height));
    for (index, node) in seen {
        let style = (index == rows.cursor).then(|| theme.of(Meaning::Selected));
        let line = Line::from(recorded(&node.requirements, theme.of(Meaning::Text)));
        put_row(line, style, area, (index - rows.top) as u16, buffer);
    }
}
