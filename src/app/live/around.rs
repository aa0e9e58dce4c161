//! The live run beside the replay of what is recorded of it: which of them is looked at, and whose keys they are.

use ratatui::layout::{Rect, Size};

use super::{Focus, Live, Message, areas::Areas, told::Command};
use crate::app::{
    App, Effect,
    key::Key,
    keymap::Context,
    layout::Layout,
    shell::mouse::{Kind, Mouse},
    views::View,
};

pub(in crate::app) const NO_LIVE_RUN: &str =
    "no agent is running here: `trajview live --agent NAME --script FILE --out DIR` starts one";

impl App {
    /// The live run, where it is what is looked at.
    pub fn live(&self) -> Option<&Live> {
        self.live.as_deref().filter(|live| live.is_shown)
    }

    /// A run is going to be made.
    pub(in crate::app) fn begin_live(&mut self) {
        let inside = self.live_areas().inside();
        self.live = Some(Box::new(Live::new(Size { width: inside.width, height: inside.height })));
        self.hide_table();
        self.hide_comparison();
    }

    /// Where the parts of the live view stand at the moment.
    pub fn live_areas(&self) -> Areas {
        let Size { width, height } = self.size;
        let screen = Rect::new(0, 0, width, height.saturating_sub(1));
        Areas::of(screen, self.live.as_ref().map_or(0, |live| live.turns.len()))
    }

    /// The layout of the replay within the live view.
    pub(in crate::app) fn beside_live(&self, layout: impl Fn(Size) -> Layout) -> Option<Layout> {
        self.live()?;
        let area = self.live_areas().replay;
        let footer = Rect::new(0, self.size.height.saturating_sub(1), self.size.width, 1);
        if area.is_empty() {
            // There is no replay to be seen; boxes over everything still want their room.
            return None;
        }
        // One row more, for the footer that stands below everything.
        let size = Size { width: area.width, height: area.height + 1 };
        Some(layout(size).moved(area.x, area.y, footer))
    }

    pub(in crate::app) fn update_live(&mut self, message: Message) -> Vec<Effect> {
        let areas = self.live_areas();
        if message == Message::Show {
            self.show_live();
            return vec![];
        }
        if message == Message::Beside && self.replay().is_some() {
            self.on_replay(|replay| replay.view = beside(replay.view));
            return vec![];
        }
        let Some(live) = &mut self.live else { return vec![] };
        asked(live.update(message, &areas))
    }

    pub(in crate::app) fn show_live(&mut self) {
        match &mut self.live {
            Some(live) => {
                live.is_shown = true;
                self.hide_table();
                self.hide_comparison();
            }
            None => self.say(NO_LIVE_RUN.into()),
        }
    }

    pub(in crate::app) fn hide_live(&mut self) {
        if let Some(live) = &mut self.live {
            live.is_shown = false;
            live.focus = Focus::Requests;
        }
    }

    pub(in crate::app) fn settle_live(&mut self) -> Vec<Effect> {
        let areas = self.live_areas();
        self.live.as_mut().map_or_else(Vec::new, |live| asked(live.settle(&areas)))
    }

    /// A key that the agent has a right to: every one but those that are ours while it has the keyboard.
    pub(in crate::app) fn for_agent(&mut self, key: Key) -> Option<Vec<Effect>> {
        let is_agents = self.context() == Context::Agent;
        let is_ours =
            key.bound().is_some_and(|key| self.shell.keys.find(Context::Agent, key).is_some());
        let live = self.live.as_mut().filter(|_| is_agents && !is_ours)?;
        Some(asked(live.press(key)))
    }

    pub(in crate::app) fn paste_live(&mut self, text: &str) -> Vec<Effect> {
        self.live.as_mut().map_or_else(Vec::new, |live| asked(live.paste(text)))
    }

    /// Whether the mouse was meant for a part of the live view; then what it led to.
    pub(in crate::app) fn point_at_live(&mut self, mouse: Mouse) -> Option<Vec<Effect>> {
        let areas = self.live_areas();
        let at = (mouse.column, mouse.row).into();
        let live = self.live.as_mut().filter(|live| live.is_shown)?;
        if areas.terminal.contains(at) {
            return Some(match (mouse.kind, live.focus) {
                (Kind::Click, Focus::Requests) => asked(live.update(Message::Enter, &areas)),
                _ => asked(live.point(mouse, &areas)),
            });
        }
        if mouse.kind == Kind::Click && live.focus == Focus::Terminal {
            return Some(asked(live.update(Message::Leave, &areas)));
        }
        let list = areas.list();
        if areas.requests.contains(at) {
            let is_row = list.contains(at) && matches!(mouse.kind, Kind::Click | Kind::DoubleClick);
            if is_row {
                let row = live.rows.top + usize::from(mouse.row - list.y);
                live.update(Message::Move(crate::app::scroll::Motion::To(row + 1)), &areas);
            }
            return Some(vec![]);
        }
        if areas.replay.contains(at) { None } else { Some(vec![]) }
    }
}

/// What stands beside the terminal after this.
const fn beside(view: View) -> View {
    match view {
        View::Replay => View::Curves,
        View::Curves => View::Scores,
        _ => View::Replay,
    }
}

fn asked(commands: Vec<Command>) -> Vec<Effect> {
    commands.into_iter().map(Effect::Live).collect()
}
