//! The player of a recorded terminal: its screen at a time of the recording.
//!
//! Output is requested piece by piece and fed to the screen up to the wanted time. Copies of the screen are kept in equal
//! distances, so that going back plays little again, whatever the size of the recording. The player has no clock: whoever
//! plays says how far.

use std::sync::Arc;

use ratatui::layout::{Rect, Size};
use trajview_run::{
    Run, SourceId, StepId,
    terminal_recording::{TerminalChange, TerminalPiece, TerminalRecording},
};

use crate::session::{
    effect::Effect,
    pending::{CachedAnswers, Loading},
    question::{Answer, Question},
    request::{RequestId, RequestIds},
};

use super::terminal::{TerminalScreen, checkpoint::ScreenCheckpoint};

/// The size of a terminal whose recording has none.
const DEFAULT_SIZE: (u16, u16) = (80, 24);

/// Lines of history of a recorded terminal; each copy of its screen has them too.
const HISTORY_LINES: usize = 1_000;

/// The bytes of output between two copies of the screen; more, once there would be too many of them.
const CHECKPOINT_SPACING: usize = 512 << 10;

/// The most bytes of all copies.
const MOST_CHECKPOINT_BYTES: usize = 64 << 20;

/// The work of one message: cells that are written and bytes that are read. The rest follows at the next message.
const MOST_WORK: usize = 2 << 20;

/// The bytes between two looks at the work: a few bytes can ask for many cells.
const FED_BYTES: usize = 64;

/// Pieces that are kept.
const MOST_PIECES: usize = 3;

/// The distance of a step where the steps are not aligned with the recording (seconds).
const UNALIGNED_STEP: f64 = 5.0;

/// Columns of a move sideways.
const SIDEWAYS: u16 = 8;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlayerMessage {
    PlayOrPause,
    /// Playback wants to move on.
    Tick,
    /// Goes forward or back by steps; by seconds where steps are not aligned with the recording.
    Step(isize),
    /// Goes forward or back by turns.
    Turn(isize),
    Start,
    End,
    /// Goes to a share of the whole time, 0 to 1.
    Share(f64),
    /// Shows the next recording of the run.
    NextRecording,
    /// Moves the visible part of a terminal that is wider than its panel.
    Sideways(i16),
}

/// A selected turn, and the step in it where one is chosen.
pub(crate) type PlayedPlace = (usize, Option<StepId>);

#[derive(Debug)]
pub struct TerminalPlayer {
    /// The recordings of the run, with their names.
    recordings: Vec<(SourceId, String)>,
    chosen: usize,
    recording: Loading<Arc<TerminalRecording>>,
    /// The same recording after it has grown.
    grown: Growth,
    /// By the recording and the number of the piece.
    pieces: CachedAnswers<(usize, usize), Arc<TerminalPiece>>,
    pub(crate) screen: TerminalScreen,
    fed: FedPlace,
    checkpoints: Vec<PlayerCheckpoint>,
    spacing: usize,
    /// Bytes that were fed since the last copy of the screen.
    unsaved_bytes: usize,
    /// The wanted time (seconds).
    seconds: f64,
    /// The selection that the time follows.
    pub(crate) followed: Option<PlayedPlace>,
    left_column: u16,
    /// The work of a message was not enough to come to the wanted time.
    has_more_work: bool,
}

/// A recording that has grown, until it is read again.
#[derive(Debug, Default)]
enum Growth {
    #[default]
    No,
    Wanted,
    Asked(Loading<Arc<TerminalRecording>>),
}

/// How far the screen was fed: the events of a piece before `event`, and `bytes` of the output of this one; the last event
/// of which anything was fed is at `seconds`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct FedPlace {
    piece: usize,
    event: usize,
    bytes: usize,
    seconds: f64,
}

#[derive(Debug)]
struct PlayerCheckpoint {
    place: FedPlace,
    screen: ScreenCheckpoint,
}

impl TerminalPlayer {
    /// Returns a player of the recordings of a run; None where it has none.
    pub(crate) fn for_run(run: &Run) -> Option<Self> {
        let recordings = recordings_of(run);
        (!recordings.is_empty()).then(|| Self {
            recordings,
            chosen: 0,
            recording: Loading::Nothing,
            grown: Growth::No,
            pieces: CachedAnswers::with_limit(MOST_PIECES),
            screen: new_screen(None),
            fed: FedPlace::default(),
            checkpoints: vec![],
            spacing: CHECKPOINT_SPACING,
            unsaved_bytes: 0,
            seconds: 0.0,
            followed: None,
            left_column: 0,
            has_more_work: false,
        })
    }

    /// Returns the name of the recording that is shown.
    pub(crate) fn name(&self) -> &str {
        &self.recordings[self.chosen].1
    }

    pub(crate) const fn recordings_count(&self) -> usize {
        self.recordings.len()
    }

    pub(crate) const fn recording(&self) -> &Loading<Arc<TerminalRecording>> {
        &self.recording
    }

    pub(crate) const fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns whether the screen does not show the wanted time yet, because output is still being read or fed.
    pub(crate) fn is_behind(&self) -> bool {
        self.has_more_work || self.awaits_output()
    }

    /// Returns whether [`Self::feed_screen`] has something to do.
    pub(crate) const fn has_more_work(&self) -> bool {
        self.has_more_work
    }

    fn awaits_output(&self) -> bool {
        match &self.recording {
            Loading::Nothing | Loading::Waiting(_) => true,
            Loading::Failed(_) => false,
            Loading::Ready(recording) => {
                !recording.pieces.is_empty() && !self.pieces.has_answer(&self.current_piece())
            }
        }
    }

    /// Returns the reason why nothing is shown.
    pub(crate) fn failure(&self) -> Option<&str> {
        match (&self.recording, self.pieces.get(&self.current_piece())) {
            (Loading::Failed(why), _) => Some(why),
            (_, Some(Err(why))) => Some(why),
            _ => None,
        }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.recording.ready().is_some_and(|it| self.seconds >= it.seconds)
    }

    const fn current_piece(&self) -> (usize, usize) {
        (self.chosen, self.fed.piece)
    }

    /// Returns the question for what is missing most.
    pub(crate) fn ask_missing(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
    ) -> Option<Effect> {
        let source = self.recordings[self.chosen].0;
        let recording = match &mut self.recording {
            nothing @ Loading::Nothing => {
                let question = Question::TerminalRecording { run: run.clone(), source };
                return Some(nothing.ask_question(numbers, question));
            }
            Loading::Ready(recording) => recording,
            Loading::Waiting(_) | Loading::Failed(_) => return None,
        };
        if matches!(self.grown, Growth::Wanted) {
            let mut newer = Loading::Nothing;
            let question = Question::TerminalRecording { run: run.clone(), source };
            let effect = newer.ask_question(numbers, question);
            self.grown = Growth::Asked(newer);
            return Some(effect);
        }
        let piece = *recording.pieces.get(self.fed.piece)?;
        let wanted = self.current_piece();
        self.pieces.ask_once(numbers, wanted, || Question::TerminalPiece { source, piece })
    }

    pub(crate) fn take_answer(&mut self, request: RequestId, answer: Answer) {
        match answer {
            Answer::TerminalRecording(answer) => {
                if let Growth::Asked(newer) = &mut self.grown
                    && newer.settle_with(request, answer.clone())
                {
                    self.take_grown();
                } else if self.recording.settle_with(request, answer) {
                    self.restart();
                }
            }
            Answer::TerminalPiece(answer) => {
                self.pieces.take_answer(request, answer);
            }
            _ => {}
        }
        self.feed_screen();
    }

    /// Reads the recordings of the run again, because it has grown; the screen stays until then. A run without recordings
    /// changes nothing.
    pub(crate) fn read_again(&mut self, run: &Run) {
        let recordings = recordings_of(run);
        if recordings.is_empty() {
            return;
        }
        let name = self.name().to_owned();
        let before = std::mem::replace(&mut self.recordings, recordings);
        let chosen = self.recordings.iter().position(|(_, it)| *it == name);
        if chosen != Some(self.chosen) || before[self.chosen] != self.recordings[self.chosen] {
            self.pieces = CachedAnswers::with_limit(MOST_PIECES); // they are of other numbers
        }
        self.chosen = chosen.unwrap_or(0);
        if chosen.is_none() || self.recording.ready().is_none() {
            self.begin_recording();
        } else {
            self.grown = Growth::Wanted;
        }
    }

    /// Goes on with the recording that has grown. The screen and its copies stay where it begins as before.
    fn take_grown(&mut self) {
        let Growth::Asked(Loading::Ready(newer)) = std::mem::take(&mut self.grown) else { return };
        let Some(before) = self.recording.ready() else { return };
        let is_longer = newer.size == before.size && newer.pieces.starts_with(&before.pieces);
        let last = before.pieces.len().saturating_sub(1);
        self.recording = Loading::Ready(newer);
        if is_longer {
            self.pieces.forget_answers(|(_, piece)| *piece >= last); // more events follow in it
        } else {
            self.pieces = CachedAnswers::with_limit(MOST_PIECES);
            self.restart();
        }
    }

    /// Goes to a time. While the recording is being read, the time stays.
    pub(crate) fn seek(&mut self, seconds: f64) {
        let Some(recording) = self.recording.ready() else { return };
        self.seconds = seconds.clamp(0.0, recording.seconds);
        if self.seconds < self.fed.seconds {
            let is_before = |it: &PlayerCheckpoint| it.place.seconds <= self.seconds;
            match self.checkpoints.iter().rfind(|it| is_before(it)) {
                Some(checkpoint) => {
                    self.screen.restore_checkpoint(&checkpoint.screen);
                    self.fed = checkpoint.place;
                }
                None => {
                    self.screen = new_screen(self.recording.ready());
                    self.fed = FedPlace::default();
                }
            }
            self.unsaved_bytes = 0;
        }
        self.feed_screen();
    }

    /// Plays on by so many seconds. A pause that is longer than the recording allows ends after its limit.
    pub(crate) fn play_on(&mut self, seconds: f64) {
        let mut wanted = self.seconds + seconds;
        let limit = self.recording.ready().and_then(|it| it.idle_limit);
        if let Some((limit, next)) = limit.zip(self.next_event_time())
            && wanted - self.fed.seconds >= limit
        {
            wanted = wanted.max(next);
        }
        self.seek(wanted);
    }

    /// Goes to the selection, if it is another one than before and its time was measured.
    pub(crate) fn follow_selection(&mut self, place: PlayedPlace) {
        let Some(recording) = self.recording.ready() else { return };
        if self.followed == Some(place) {
            return;
        }
        let end = recording.end_of(place.0, place.1);
        self.followed = Some(place);
        if let Some(end) = end {
            self.seek(end);
        }
    }

    /// Returns the place of the run at the time that is shown.
    pub(crate) fn current_place(&self) -> Option<PlayedPlace> {
        self.recording.ready()?.place_at(self.seconds)
    }

    /// Goes by steps, or by seconds where these are not aligned.
    pub(crate) fn move_by_steps(&mut self, by: isize) {
        let Some(recording) = self.recording.ready().cloned() else { return };
        if !recording.is_aligned() {
            return self.seek(self.seconds + UNALIGNED_STEP * by as f64);
        }
        let mut seconds = self.seconds;
        for _ in 0..by.unsigned_abs() {
            let next = match by > 0 {
                true => recording.next_end(seconds).unwrap_or(recording.seconds),
                false => recording.previous_end(seconds).unwrap_or(0.0),
            };
            if next == seconds {
                break;
            }
            seconds = next;
        }
        self.seek(seconds);
    }

    pub(crate) fn seek_share(&mut self, share: f64) {
        let last = self.recording.ready().map_or(0.0, |it| it.seconds);
        self.seek(last * share);
    }

    /// Shows the next recording of the run, at the selection where its time was measured, else at its beginning.
    pub(crate) fn next_recording(&mut self) {
        self.chosen = (self.chosen + 1) % self.recordings.len();
        self.begin_recording();
    }

    fn begin_recording(&mut self) {
        self.recording = Loading::Nothing;
        self.grown = Growth::No;
        self.followed = None;
        self.seconds = 0.0;
        self.restart();
    }

    pub(crate) fn move_sideways(&mut self, by: i16, width: u16) {
        let most = self.screen.size().width.saturating_sub(width);
        self.left_column = self.left_column.saturating_add_signed(by * SIDEWAYS as i16).min(most);
    }

    /// Returns the part of the terminal that a panel of this size shows: all of it where it fits; else its left columns,
    /// moved sideways, and the rows up to the cursor.
    pub(crate) fn visible_part(&self, room: Rect) -> Rect {
        let Size { width, height } = self.screen.size();
        let (columns, rows) = (room.width.min(width), room.height.min(height));
        let cursor = self.screen.cursor_row().unwrap_or(height.saturating_sub(1));
        Rect {
            x: self.left_column.min(width - columns),
            y: (cursor + 1).saturating_sub(rows).min(height - rows),
            width: columns,
            height: rows,
        }
    }

    fn next_event_time(&self) -> Option<f64> {
        let piece = self.pieces.get(&self.current_piece())?.as_ref().ok()?;
        piece.events.get(self.fed.event).map(|event| event.seconds)
    }

    /// Begins with an empty screen.
    fn restart(&mut self) {
        self.screen = new_screen(self.recording.ready());
        self.fed = FedPlace::default();
        self.checkpoints.clear();
        self.spacing = CHECKPOINT_SPACING;
        self.unsaved_bytes = 0;
        self.has_more_work = false;
    }

    /// Feeds the screen up to the wanted time, as far as the output is there and the work of a message reaches.
    pub(crate) fn feed_screen(&mut self) {
        self.has_more_work = false;
        let mut work = 0;
        let Some(recording) = self.recording.ready().cloned() else { return };
        loop {
            let Some(Ok(piece)) = self.pieces.get(&self.current_piece()) else { return };
            let piece = piece.clone();
            while let Some(event) = piece.events.get(self.fed.event) {
                if event.seconds > self.seconds {
                    return;
                }
                if work >= MOST_WORK {
                    self.has_more_work = true;
                    return;
                }
                self.fed.seconds = event.seconds;
                match &event.change {
                    TerminalChange::Output(text) => {
                        let rest = &text.as_bytes()[self.fed.bytes..];
                        let bytes = &rest[..rest.len().min(FED_BYTES)];
                        work += bytes.len() + self.screen.feed_recorded(bytes);
                        self.unsaved_bytes += bytes.len();
                        if bytes.len() < rest.len() {
                            self.fed.bytes += bytes.len();
                            continue;
                        }
                    }
                    // Of several sizes at one time only the last is seen.
                    TerminalChange::Resize(..)
                        if piece.events.get(self.fed.event + 1).is_some_and(|next| {
                            next.seconds == event.seconds
                                && matches!(next.change, TerminalChange::Resize(..))
                        }) =>
                    {
                        work += 1;
                    }
                    TerminalChange::Resize(width, height) => {
                        work += self.screen.cell_count();
                        self.screen.resize(Size { width: *width, height: *height });
                    }
                }
                self.fed.event += 1;
                self.fed.bytes = 0;
                if self.unsaved_bytes >= self.spacing {
                    self.save_checkpoint();
                }
            }
            let next = recording.pieces.get(self.fed.piece + 1);
            if next.is_none_or(|next| next.seconds > self.seconds) {
                return;
            }
            let piece = self.fed.piece + 1;
            self.fed = FedPlace { piece, seconds: self.fed.seconds, ..FedPlace::default() };
        }
    }

    /// Keeps a copy of the screen, unless one of this or a later place is there. Of too many every second one is dropped.
    fn save_checkpoint(&mut self) {
        let place = self.fed;
        if self.checkpoints.last().is_some_and(|it| it.place.seconds >= place.seconds) {
            self.unsaved_bytes = 0;
            return;
        }
        let Some(screen) = self.screen.take_checkpoint() else { return };
        self.unsaved_bytes = 0;
        self.checkpoints.push(PlayerCheckpoint { place, screen });
        let size = |it: &PlayerCheckpoint| it.screen.size_in_bytes();
        while self.checkpoints.len() > 1
            && self.checkpoints.iter().map(size).sum::<usize>() > MOST_CHECKPOINT_BYTES
        {
            let mut number = 0;
            self.checkpoints.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.spacing *= 2;
        }
    }
}

/// Returns the recorded terminals of a run, with their names.
fn recordings_of(run: &Run) -> Vec<(SourceId, String)> {
    run.terminal_recordings().into_iter().map(|(id, name)| (id, name.to_owned())).collect()
}

fn new_screen(recording: Option<&Arc<TerminalRecording>>) -> TerminalScreen {
    let (width, height) = recording.and_then(|it| it.size).unwrap_or(DEFAULT_SIZE);
    TerminalScreen::with_history(Size { width, height }, HISTORY_LINES)
}

#[cfg(test)]
mod tests;
