//! The comparison beside a run that was opened from it: which of the two is on screen, and how one leads to the other.

use std::path::PathBuf;

use crate::{
    session::{
        effect::Effect,
        replay_opening::{OpeningTarget, ReplayOpening},
        start_place::{NamedMoment, StartPlace},
        views::View,
    },
    shell::screens::{ScreenKind, Screens},
    views::{
        compare::{
            CompareMessage, ComparePart, ComparisonView, areas::CompareAreas, code::SideCode,
        },
        table::order::TableLine,
    },
    widgets::layout::{ScreenLayout, Zoom},
};
use trajview_metrics::{lifeline::EventSpot, test_losses::LossKind};
use trajview_run::{RepoPath, StepId};
use trajview_study::compare::run_letter;

/// What a mark in the table of runs does where others are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkedRuns {
    Compare,
    AddOne,
}

/// The place at which a run is opened.
struct RunDestination {
    /// The index of the run.
    run: usize,
    /// Turns done.
    done: usize,
    /// A file and lines of it; both count from 1.
    file: Option<(String, Option<(usize, usize)>)>,
    /// The line of the turn's diff, instead of a file.
    spot: Option<EventSpot>,
    /// A step of the turn, instead of a file.
    step: Option<StepId>,
    /// Id of the component that is selected.
    component: Option<String>,
}

impl Screens {
    /// Compares some runs side by side.
    pub fn compare_runs(&mut self, paths: Vec<PathBuf>, place: StartPlace) {
        let is_requested = place.component.is_some();
        let component = place.component.clone().or_else(|| self.selected_component());
        let file = self.selected_file();
        let mut compared = ComparisonView::new(paths).with_component(component, is_requested);
        compared.keys = self.defaults.keys.clone();
        self.compared = Some(Box::new(compared));
        self.on_comparison(|it| file.iter().for_each(|path| it.files.choose_file(path)));
        self.show_screen(ScreenKind::Compare);
        self.opening.place = StartPlace { view: View::Replay, ..place };
        if self.opening.place.turn.is_some() || self.opening.place.file.is_some() {
            self.show_notice("turns and files need a single run".into());
        }
    }

    /// Returns the present areas of the comparison.
    pub(crate) fn comparison_areas(&self, layout: &ScreenLayout) -> CompareAreas {
        let is_zoomed = self.frame.zoom == Zoom::On;
        self.compared.as_ref().map_or_else(CompareAreas::default, |it| {
            CompareAreas::new(layout, it.part, it.beside, is_zoomed)
        })
    }

    pub(crate) fn update_comparison(
        &mut self,
        message: CompareMessage,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        let areas = self.comparison_areas(layout);
        match message {
            CompareMessage::Enter => return self.enter_comparison(layout),
            CompareMessage::Show => self.bring_up_view(View::Compare),
            message => {
                let stops = message == CompareMessage::StopOrGoOn;
                if let Some(compared) = &mut self.compared {
                    compared.update(message, &areas);
                    let is_over = stops && compared.measures.is_stopped;
                    return is_over.then_some(Effect::StopComparing).into_iter().collect();
                }
            }
        }
        vec![]
    }

    /// Marks the run at the cursor of the table, or compares it with those that are marked; [`MarkedRuns::AddOne`] marks it in any case.
    pub(crate) fn compare_from_table(&mut self, more: MarkedRuns) {
        let Some(table) = &mut self.collection else { return };
        let row = table.table_lines().get(table.list.cursor()).and_then(TableLine::run_index);
        let Some(row) = row else {
            table.notice = Some("the cursor is not on a run".into());
            return;
        };
        let name = table.rows[row].name.clone();
        if let Some(at) = table.marked.iter().position(|marked| *marked == row) {
            table.marked.remove(at);
            table.notice = Some(format!("{name} is no longer marked"));
        } else if table.marked.is_empty() {
            table.marked.push(row);
            let words = "is marked: c on another run compares the two, C marks more";
            table.notice = Some(format!("{name} {words}"));
        } else if more == MarkedRuns::AddOne {
            table.marked.push(row);
            let count = table.marked.len();
            table.notice = Some(format!("{count} runs are marked: c on another compares them all"));
        } else {
            let marked = std::mem::take(&mut table.marked).into_iter().chain([row]);
            let paths = marked.map(|row| table.rows[row].path.clone()).collect();
            self.compare_runs(paths, StartPlace::default());
        }
    }

    /// Updates the comparison, and asks for missing data.
    pub(crate) fn settle_comparison(&mut self) -> Vec<Effect> {
        let areas = self.comparison_areas(&self.layout());
        match &mut self.compared {
            Some(compared) => {
                compared.settle_parts(&areas);
                compared.ask_questions(&mut self.numbers, &areas)
            }
            None => vec![],
        }
    }

    /// Opens the file at the cursor line by line; elsewhere the focused run, at the selected place.
    fn enter_comparison(&mut self, layout: &ScreenLayout) -> Vec<Effect> {
        let Some(compared) = &mut self.compared else { return vec![] };
        if compared.part == ComparePart::Files && !compared.files.is_open() {
            if let Err(why) = compared.files.open_selected() {
                compared.notice = Some(why);
            }
            return vec![];
        }
        if compared.part == ComparePart::Transcripts && compared.transcripts.unfold_selected() {
            return vec![];
        }
        match run_destination(compared) {
            Ok(destination) => self.open_destination(&destination, layout),
            Err(why) => {
                compared.notice = Some(why);
                vec![]
            }
        }
    }

    /// Opens a run at a place. The run that is open already keeps its state, except for the place.
    fn open_destination(
        &mut self,
        destination: &RunDestination,
        _layout: &ScreenLayout,
    ) -> Vec<Effect> {
        let Some(path) =
            self.compared.as_ref().and_then(|it| it.paths.get(destination.run)).cloned()
        else {
            return vec![];
        };
        let file = destination
            .file
            .as_ref()
            .and_then(|(path, lines)| Some((RepoPath::new(path)?, *lines)));
        let turn = destination.done.saturating_sub(1);
        let at_step =
            destination.step.map(|step| ReplayOpening::at_turn(turn, OpeningTarget::Step(step)));
        let place = match &destination.spot {
            _ if at_step.is_some() => at_step,
            Some(spot) => Some(ReplayOpening::at_event(turn, spot, &[])),
            None => file.map(|(path, lines)| {
                ReplayOpening::at_turn(turn, OpeningTarget::for_lines(path, lines, false))
            }),
        };
        self.show_screen(ScreenKind::Run);
        self.opening.back = View::Compare;
        let back =
            format!("run {}; backspace returns to the comparison", run_letter(destination.run));
        if self.open_run().is_some() && self.source == path {
            self.on_open_run(|open| {
                open.session.view = View::Replay;
                match place {
                    Some(place) => open.replay.show_opening(&mut open.session, place),
                    None => open.replay.select_turn(&mut open.session, turn),
                }
                open.carry_component(destination.component.clone());
                open.session.notice = Some(back);
            });
            return vec![];
        }
        self.opening.arrival = Some((place, back));
        let at = (destination.done > 0).then_some(NamedMoment::Turn(destination.done));
        let component = destination.component.clone();
        vec![self.open_path(
            path,
            StartPlace { turn: at, view: View::Replay, component, ..StartPlace::default() },
        )]
    }

    /// Goes to the place that a run was opened for.
    pub(crate) fn show_arrival(&mut self) {
        if let (Some((place, words)), true) =
            (self.opening.arrival.take(), self.open_run().is_some())
        {
            self.on_open_run(|open| {
                if let Some(place) = place {
                    open.replay.show_opening(&mut open.session, place);
                }
                open.session.notice = Some(words);
            });
        }
    }
}

/// Returns the place that enter leads to. The error is a sentence.
fn run_destination(comparison: &ComparisonView) -> Result<RunDestination, String> {
    let run = comparison.focused_run();
    let party = comparison.all_parties().get(run).ok_or("the runs are still being read")?;
    let end = party.run.end_in_turns();
    // A component may be in only one of the runs.
    let is_listed = |id: &String| {
        let checklist = party.rubric.checklist.as_ref();
        checklist.is_some_and(|it| it.components.iter().any(|component| component.id == *id))
    };
    let component = comparison.table.selected_row().map(|row| row.id.clone()).filter(is_listed);
    let destination = |done: usize, component: Option<String>| RunDestination {
        run,
        done,
        file: None,
        spot: None,
        step: None,
        component,
    };
    match comparison.part {
        ComparePart::Numbers => Ok(destination(end, component)),
        // The outcomes are those of the last tests.
        ComparePart::Components if comparison.lists_tests() => Ok(destination(end, component)),
        ComparePart::Components if comparison.has_no_components() => {
            let (turn, turns) = (comparison.table.pane.cursor() + 1, party.run.turns.len());
            match turn <= turns {
                true => Ok(destination(turn, component)),
                false => Err(format!("{} has no turn {turn}", run_letter(run))),
            }
        }
        ComparePart::Components | ComparePart::Code => {
            match comparison.side_code(comparison.side) {
                SideCode::Place { evidence, key, .. } => {
                    let here = comparison.code.views[comparison.side].lines.cursor() + 1;
                    let cursor = (comparison.part == ComparePart::Code).then_some((here, here));
                    let lines = cursor.or(evidence.lines);
                    Ok(RunDestination {
                        file: Some((key.path, lines)),
                        ..destination(key.done, component)
                    })
                }
                SideCode::Nothing(why) => {
                    let committed = commit_turn(comparison, run);
                    let done = committed.ok_or(format!("{}: {why}", run_letter(run)))?;
                    Ok(destination(done, component))
                }
            }
        }
        ComparePart::Curves => {
            let places = comparison.chart_places();
            let place = places.get(comparison.chart.point).ok_or("no point here")?;
            let moment = place.moments[comparison.side].as_ref();
            let moment = moment.ok_or(format!("no value of {} here", run_letter(run)))?;
            Ok(destination(moment.done, component))
        }
        ComparePart::Transcripts => {
            let items = comparison.transcripts.selected_items().ok_or("no step here")?;
            let item = items[comparison.side];
            let item = item.ok_or(format!("{} has no step here", run_letter(run)))?;
            Ok(RunDestination { step: item.step, ..destination(item.turn + 1, component) })
        }
        ComparePart::Losses => {
            let row = comparison.losses.selected_row().ok_or("nothing is lost")?;
            let lost = comparison.losses.selected_loss(comparison.side);
            let lost = lost.ok_or(format!("{} did not lose {}", run_letter(run), row.id))?;
            let component = (row.kind == LossKind::Component).then(|| row.id.clone());
            Ok(RunDestination { spot: lost.spot.clone(), ..destination(lost.turn, component) })
        }
        ComparePart::Files => {
            let change = comparison.files.open_change().ok_or("no file is open")?;
            let is_first = comparison.side == 0;
            let path = match (is_first, &change.from) {
                (true, Some(from)) => from,
                _ => &change.path,
            };
            let is_there = if is_first {
                change.file_before().is_some()
            } else {
                change.file_after().is_some()
            };
            let line = line_of_open_file(comparison).map(|line| (line, line));
            match is_there {
                true => Ok(RunDestination {
                    file: Some((path.to_string(), line)),
                    ..destination(end, component)
                }),
                false => Err(format!("{} has no such file", run_letter(run))),
            }
        }
    }
}

/// Returns the turn in which the dialogue commits to the selected component.
fn commit_turn(comparison: &ComparisonView, run: usize) -> Option<usize> {
    let id = &comparison.table.selected_row()?.id;
    let checklist = comparison.all_parties().get(run)?.rubric.checklist.as_ref()?;
    checklist.components.iter().find(|it| it.id == *id)?.committed_at_turn
}

/// Returns the line of the open file on the focused side, counts from 1.
fn line_of_open_file(comparison: &ComparisonView) -> Option<usize> {
    let compared = comparison.files.open_comparison()?.as_ref().ok()?;
    let row = *compared.rows.get(comparison.files.open.as_ref()?.lines.cursor())?;
    match (row, comparison.side) {
        (crate::session::files::compared_file::DiffRow::Pair { hunk, old, .. }, 0) => {
            compared.hunk_line(hunk, old?)?.old
        }
        (crate::session::files::compared_file::DiffRow::Pair { hunk, new, .. }, _) => {
            compared.hunk_line(hunk, new?)?.new
        }
        (row, side) => {
            let line = compared.line_at(row)?;
            if side == 0 { line.old } else { line.new }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{session::pending::Loading, views::compare::clipboard_text};
    use trajview_run::{Run, Turn, checkpoint_record::TestOutcome, rubric::Rubric};
    use trajview_study::compare::{ComparedRun, ComparedTest};

    #[test]
    fn enter_on_a_recorded_test_opens_the_end_and_its_outcomes_are_copied() {
        let run = Run { turns: vec![Turn::default(); 5], ..Run::default() };
        let party = ComparedRun::new(Arc::new(run), Rubric::default());
        let mut view = ComparisonView::new(vec!["run".into(); 2]);
        view.parties = Loading::Ready(vec![party; 2]);
        view.table.tests = vec![ComparedTest {
            name: "test_add".into(),
            checkpoint: "c2".into(),
            outcomes: vec![Some(TestOutcome::Passed), None],
        }];
        view.table.order = vec![0];

        assert_eq!(run_destination(&view).map(|it| it.done), Ok(5));
        let copied = clipboard_text::selected_line(&view);
        assert_eq!(copied.as_deref(), Some("c2 test_add\tpassed\t"));
    }
}
