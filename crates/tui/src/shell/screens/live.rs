//! The live run beside the replay of what is recorded of it: which of them is looked at, and whose keys they are.

use ratatui::layout::{Rect, Size};

use crate::{
    session::{
        effect::Effect,
        live::{Command, LiveEvent},
        place::{At, Place},
        views::View,
    },
    shell::screens::{Screen, Screens},
    views::live::{Focus, Live, Message, Turn, areas::Areas},
    widgets::{
        key_event::KeyEvent,
        layout::Layout,
        mouse::{Kind, Mouse},
    },
};
use trajview_run::Run;

impl Screens {
    /// Whether quitting would stop an agent.
    pub fn has_agent_at_work(&self) -> bool {
        self.live.as_ref().is_some_and(|live| !live.is_over())
    }

    /// A run is going to be made.
    pub fn begin_live(&mut self) {
        let inside = self.live_areas().inside();
        self.live = Some(Box::new(Live::new(Size { width: inside.width, height: inside.height })));
        self.show(Screen::Live);
    }

    /// Where the parts of the live view stand at the moment.
    pub fn live_areas(&self) -> Areas {
        let Size { width, height } = self.frame.size;
        let screen = Rect::new(0, 0, width, height.saturating_sub(1));
        Areas::of(screen, self.live.as_ref().map_or(0, |live| live.turns.len()))
    }

    /// The layout of the replay within the live view.
    pub(crate) fn beside_live(&self, layout: impl Fn(Size) -> Layout) -> Option<Layout> {
        self.live()?;
        let area = self.live_areas().replay;
        let footer =
            Rect::new(0, self.frame.size.height.saturating_sub(1), self.frame.size.width, 1);
        if area.is_empty() {
            // There is no replay to be seen; boxes over everything still want their room.
            return None;
        }
        // One row more, for the footer that stands below everything.
        let size = Size { width: area.width, height: area.height + 1 };
        Some(layout(size).moved(area.x, area.y, footer))
    }

    pub(crate) fn update_live(&mut self, message: Message) -> Vec<Effect> {
        let areas = self.live_areas();
        match message {
            Message::Show => {
                self.show_live();
                return vec![];
            }
            Message::Beside if self.open_run().is_some() => {
                self.on_open_run(|open| open.session.view = beside(open.session.view));
                return vec![];
            }
            Message::OtherRun => return self.show_other_run(),
            Message::Compare => {
                self.compare_live();
                return vec![];
            }
            _ => {}
        }
        let began = match &message {
            Message::LiveEvent(LiveEvent::Began { turn, .. }) => Some(*turn),
            _ => None,
        };
        let Some(live) = &mut self.live else { return vec![] };
        let commands = live.update(message, &areas);
        if let Some(turn) = began {
            self.lead_to(turn);
        }
        asked(commands)
    }

    /// Brings the run that the live one was started from to the checkpoint of this turn, unless somebody looks elsewhere
    /// in it.
    fn lead_to(&mut self, turn: usize) {
        let is_beside =
            |live: &Live| live.from.origin.as_ref().is_some_and(|it| it.path == self.source);
        let Some(open) = self.open_run().filter(|_| self.live().is_some_and(is_beside)) else {
            return;
        };
        let Some(live) = &self.live else { return };
        let is_as_left = live.from.led_to.is_none_or(|at| at == open.session.turn);
        let Some(at) = live.same_place(turn, &open.session.run).filter(|_| is_as_left) else {
            return;
        };
        self.on_open_run(|open| open.replay.select_turn(&mut open.session, at));
        if let Some(live) = &mut self.live {
            live.from.led_to = Some(at);
        }
    }

    /// What is recorded so far in the place of the run that this one was started from, or that again.
    fn show_other_run(&mut self) -> Vec<Effect> {
        let Some(live) = &mut self.live else { return vec![] };
        let (Some(origin), Some(bundle)) = (&live.from.origin, &live.from.bundle) else {
            live.notice = Some("this run was not started from another".into());
            return vec![];
        };
        let (path, place) = if self.source == *bundle {
            let turn = live.from.led_to.map(|at| At::Turn(at + 1));
            (origin.path.clone(), Place { turn, ..Place::default() })
        } else if live.done() > 0 {
            let follows = !live.is_over();
            (bundle.clone(), Place { turn: Some(At::Final), follows, ..Place::default() })
        } else {
            live.notice = Some("no turn is recorded yet".into());
            return vec![];
        };
        let view = self.open_run().map_or(View::Replay, |open| open.session.view);
        vec![self.open(path, Place { view, ..place })]
    }

    /// Sets the run beside the one that it was started from.
    fn compare_live(&mut self) {
        let Some(live) = &mut self.live else { return };
        let pair = live.from.origin.as_ref().zip(live.from.bundle.as_ref());
        match pair.map(|(origin, bundle)| vec![origin.path.clone(), bundle.clone()]) {
            None => {
                let message = Message::Compare;
                live.update(message, &Areas::default());
            }
            Some(_) if !live.is_over() => {
                live.notice = Some("the run goes on: it is compared when it is over".into());
            }
            Some(_) if live.done() == 0 => live.notice = Some("no turn is recorded".into()),
            Some(paths) => {
                self.compare(paths, Place::default());
            }
        }
    }

    pub(crate) fn show_live(&mut self) {
        let inside = self.live_areas().inside();
        let size = Size { width: inside.width, height: inside.height };
        let live = self.live.get_or_insert_with(|| Box::new(Live::nothing(size)));
        live.is_seen = live.is_over();
        self.show(Screen::Live);
    }

    pub(crate) fn settle_live(&mut self) -> Vec<Effect> {
        let areas = self.live_areas();
        let Some(live) = &mut self.live else { return vec![] };
        live.is_seen |= live.is_over() && self.screen == Screen::Live;
        asked(live.settle(&areas))
    }

    /// A key for the agent.
    pub(crate) fn press_agent(&mut self, event: KeyEvent) -> Vec<Effect> {
        self.live.as_mut().map_or_else(Vec::new, |live| asked(live.press(event)))
    }

    pub(crate) fn paste_live(&mut self, text: &str) -> Vec<Effect> {
        self.live.as_mut().map_or_else(Vec::new, |live| asked(live.paste(text)))
    }

    /// Whether the mouse was meant for a part of the live view; then what it led to.
    pub(crate) fn point_at_live(&mut self, mouse: Mouse) -> Option<Vec<Effect>> {
        let areas = self.live_areas();
        let at = (mouse.column, mouse.row).into();
        let is_shown = self.screen == Screen::Live;
        let live = self.live.as_mut().filter(|_| is_shown)?;
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
                live.update(Message::Move(crate::widgets::scroll::Motion::To(row + 1)), &areas);
            }
            return Some(vec![]);
        }
        if areas.replay.contains(at) { None } else { Some(vec![]) }
    }
}

impl Live {
    /// The turn of another run, by its position, at the checkpoint that a turn of this one works on. None where the two
    /// have no checkpoint in common there.
    fn same_place(&self, turn: usize, run: &Run) -> Option<usize> {
        let asked = |at: &Turn| at.asked.turn == turn;
        let at = self.turns.iter().position(asked)?;
        let last = run.turns.len().checked_sub(1)?;
        if self.turns.len() == 1 {
            return Some(last); // all of it is asked at once
        }
        if self.turns.len() == run.turns.len() {
            return Some(at);
        }
        let id = self.turns[at..].iter().find_map(|it| it.asked.checkpoint.as_deref())?;
        Some(run.checkpoints.iter().find(|it| it.id == id)?.last_turn.min(last))
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
