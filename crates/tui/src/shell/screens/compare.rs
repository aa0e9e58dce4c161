//! The comparison beside a run that was opened from it: which of the two is looked at, and the ways between them.

use std::path::PathBuf;

use crate::{
    session::{
        effect::Effect,
        opening::{Opening, Target},
        place::{At, Place},
        views::View,
    },
    shell::screens::{Screen, Screens, marks::Marks},
    views::{
        compare::{Comparison, Message, Part, areas::Areas, code::Shown},
        table::order::Line,
    },
    widgets::layout::{Layout, Zoom},
};
use trajview_run::RepoPath;
use trajview_study::compare::letter;

/// Where a run is to be opened.
struct Way {
    /// By position.
    run: usize,
    /// Turns done.
    done: usize,
    /// A file and lines of it; both count from 1.
    file: Option<(String, Option<(usize, usize)>)>,
    /// Id of the component that is selected.
    component: Option<String>,
}

impl Screens {
    /// Sets some runs side by side.
    pub fn compare(&mut self, paths: Vec<PathBuf>, place: Place) {
        let component = place.component.clone();
        self.compared = Some(Box::new(Comparison::of(paths).with_component(component)));
        self.show(Screen::Compare);
        self.way.place = Place { view: View::Replay, ..place };
        if self.way.place.turn.is_some() || self.way.place.file.is_some() {
            self.say("a turn or a file is a place in one run; these are several".into());
        }
    }

    /// Where the parts of the comparison stand at the moment.
    pub fn comparison_areas(&self, layout: &Layout) -> Areas {
        let is_zoomed = self.frame.zoom == Zoom::On;
        self.compared
            .as_ref()
            .map_or_else(Areas::default, |it| Areas::at(layout, it.part, it.beside, is_zoomed))
    }

    pub(crate) fn update_comparison(&mut self, message: Message, layout: &Layout) -> Vec<Effect> {
        let areas = self.comparison_areas(layout);
        match message {
            Message::Enter => return self.enter(layout),
            Message::Show => self.bring_up(View::Compare),
            Message::Back if self.leads_out_of_comparison() => self.bring_up(View::Collection),
            message => {
                let stops = message == Message::StopOrGoOn;
                if let Some(compared) = &mut self.compared {
                    compared.update(message, &areas);
                    let is_over = stops && compared.measures.is_stopped;
                    return is_over.then_some(Effect::StopComparing).into_iter().collect();
                }
            }
        }
        vec![]
    }

    /// Whether there is nothing to go back to but the table of runs.
    fn leads_out_of_comparison(&self) -> bool {
        let is_at_start = self.comparison().is_some_and(|it| it.part == Part::Components);
        self.collection.is_some() && is_at_start
    }

    /// Marks the run at the cursor of the table, or compares it with the one that is marked.
    pub(crate) fn compare_from_table(&mut self) {
        let Some(table) = &mut self.collection else { return };
        let row = table.lines().get(table.scroll.cursor).and_then(Line::run);
        let Some(row) = row else {
            table.notice = Some("the cursor is not on a run".into());
            return;
        };
        let name = table.rows[row].name.clone();
        match table.marked.take() {
            Some(other) if other == row => {
                table.notice = Some(format!("{name} is not marked any more"));
            }
            Some(other) => {
                let paths = [other, row].map(|row| table.rows[row].path.clone());
                self.compare(paths.to_vec(), Place::default());
            }
            None => {
                table.marked = Some(row);
                table.notice = Some(format!("{name} is marked: c on another run compares the two"));
            }
        }
    }

    /// Brings the comparison in step, and asks for what it lacks.
    pub(crate) fn settle_comparison(&mut self) -> Vec<Effect> {
        let areas = self.comparison_areas(&self.layout());
        match &mut self.compared {
            Some(compared) => {
                compared.settle(&areas);
                compared.ask(&mut self.numbers, &areas)
            }
            None => vec![],
        }
    }

    /// The file at the cursor, line by line; elsewhere the run with the keyboard, at the place that is looked at.
    fn enter(&mut self, layout: &Layout) -> Vec<Effect> {
        let Some(compared) = &mut self.compared else { return vec![] };
        if compared.part == Part::Files && !compared.files.is_open() {
            if let Err(why) = compared.files.open_selected() {
                compared.notice = Some(why);
            }
            return vec![];
        }
        match way(compared) {
            Ok(way) => self.open_at(&way, layout),
            Err(why) => {
                compared.notice = Some(why);
                vec![]
            }
        }
    }

    /// The same run again is still as it was left, but for the place.
    fn open_at(&mut self, way: &Way, _layout: &Layout) -> Vec<Effect> {
        let Some(path) = self.compared.as_ref().and_then(|it| it.paths.get(way.run)).cloned()
        else {
            return vec![];
        };
        let file = way.file.as_ref().and_then(|(path, lines)| Some((RepoPath::new(path)?, *lines)));
        let turn = way.done.saturating_sub(1);
        let place = file.map(|(path, lines)| Opening::at(turn, Target::lines(path, lines, false)));
        self.show(Screen::Run);
        self.way.back = View::Compare;
        let back = format!("run {}; backspace or 5w goes back to the comparison", letter(way.run));
        if self.open_run().is_some() && self.source == path {
            self.on_open_run(|open| {
                open.session.view = View::Replay;
                match place {
                    Some(place) => open.replay.show_opening(&mut open.session, place),
                    None => open.replay.select_turn(&mut open.session, turn),
                }
                way.component.iter().for_each(|id| open.choose_component(id));
                open.session.notice = Some(back);
            });
            return vec![];
        }
        self.marks = Marks::default();
        self.way.arrival = Some((place, back));
        let at = (way.done > 0).then_some(At::Turn(way.done));
        let component = way.component.clone();
        vec![self.open(path, Place { turn: at, view: View::Replay, component, ..Place::default() })]
    }

    /// Goes to the place that a run was opened for.
    pub(crate) fn arrive(&mut self) {
        if let (Some((place, words)), true) = (self.way.arrival.take(), self.open_run().is_some()) {
            self.on_open_run(|open| {
                if let Some(place) = place {
                    open.replay.show_opening(&mut open.session, place);
                }
                open.session.notice = Some(words);
            });
        }
    }
}

/// Where enter leads. The error is a sentence.
fn way(comparison: &Comparison) -> Result<Way, String> {
    let run = comparison.here();
    let party = comparison.all().get(run).ok_or("the runs are still being read")?;
    let end = party.run.end();
    // Of the runs a component may be in one only.
    let is_listed = |id: &String| {
        let checklist = party.rubric.checklist.as_ref();
        checklist.is_some_and(|it| it.components.iter().any(|component| component.id == *id))
    };
    let component = comparison.table.selected().map(|row| row.id.clone()).filter(is_listed);
    match comparison.part {
        Part::Numbers => Ok(Way { run, done: end, file: None, component }),
        Part::Components if comparison.is_plain() => {
            let (turn, turns) = (comparison.table.scroll.cursor + 1, party.run.turns.len());
            match turn <= turns {
                true => Ok(Way { run, done: turn, file: None, component }),
                false => Err(format!("{} has no turn {turn}", letter(run))),
            }
        }
        Part::Components | Part::Code => match comparison.code_of(comparison.side) {
            Shown::Place { evidence, key, .. } => {
                let here = comparison.code.views[comparison.side].scroll.cursor + 1;
                let cursor = (comparison.part == Part::Code).then_some((here, here));
                let lines = cursor.or(evidence.lines);
                Ok(Way { run, done: key.done, file: Some((key.path, lines)), component })
            }
            Shown::Nothing(why) => {
                let committed = committed_at(comparison, run);
                let done = committed.ok_or(format!("{}: {why}", letter(run)))?;
                Ok(Way { run, done, file: None, component })
            }
        },
        Part::Curves => {
            let places = comparison.places();
            let place = places.get(comparison.chart.point).ok_or("there is no point here")?;
            let moment = place.moments[comparison.side].as_ref();
            let moment = moment.ok_or(format!("{} has nothing here", letter(run)))?;
            Ok(Way { run, done: moment.done, file: None, component })
        }
        Part::Files => {
            let change = comparison.files.change().ok_or("no file is open")?;
            let is_first = comparison.side == 0;
            let path = match (is_first, &change.from) {
                (true, Some(from)) => from,
                _ => &change.path,
            };
            let is_there =
                if is_first { change.before().is_some() } else { change.after().is_some() };
            let line = line_of_open_file(comparison).map(|line| (line, line));
            match is_there {
                true => Ok(Way { run, done: end, file: Some((path.to_string(), line)), component }),
                false => Err(format!("{} has no such file", letter(run))),
            }
        }
    }
}

/// The turn in which the dialogue commits to the chosen component.
fn committed_at(comparison: &Comparison, run: usize) -> Option<usize> {
    let id = &comparison.table.selected()?.id;
    let checklist = comparison.all().get(run)?.rubric.checklist.as_ref()?;
    checklist.components.iter().find(|it| it.id == *id)?.committed_at_turn
}

/// Of the side with the keyboard, counts from 1.
fn line_of_open_file(comparison: &Comparison) -> Option<usize> {
    let compared = comparison.files.compared()?.as_ref().ok()?;
    let row = *compared.rows.get(comparison.files.open.as_ref()?.scroll.cursor)?;
    match (row, comparison.side) {
        (crate::session::files::compared::Row::Pair { hunk, old, .. }, 0) => {
            compared.line_of(hunk, old?)?.old
        }
        (crate::session::files::compared::Row::Pair { hunk, new, .. }, _) => {
            compared.line_of(hunk, new?)?.new
        }
        (row, side) => {
            let line = compared.line(row)?;
            if side == 0 { line.old } else { line.new }
        }
    }
}
