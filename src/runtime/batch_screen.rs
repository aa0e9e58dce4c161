//! A batch on screen: a thread of its own makes the runs; the table of them is drawn and gets keys here. A watched run is
//! shown by another trajview process, which has the terminal meanwhile.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use ratatui::Frame;

use trajview_judge::stop_flag::StopFlag;
use trajview_live::batch::{BatchCommand, BatchEvent, BatchQueue, BatchSummary};
use trajview_run::batch::BatchRow;
use trajview_store::write::WriteError;
use trajview_tui::{
    shell::{App, AppMessage, draw},
    views::batch::{self, BatchRequest, BatchTable},
    widgets::{display_options::DisplayOptions, key::Key, theme::Theme},
};

use super::{
    ScreenFailure, ScreenOptions, event::RuntimeEvent, input, reader_gate::ReaderGate,
    run_loop::ScreenEnd, signals, terminal::OwnTerminal,
};

/// A message of the thread that makes the runs.
enum BatchNews {
    Rows(Vec<BatchRow>),
    Said(String),
    Over(Box<Result<BatchSummary, WriteError>>),
}

/// Shows a batch while its runs are made, until the user quits; then running runs are stopped. `program` is trajview
/// itself, which shows a watched run.
pub fn show_batch(
    batch: BatchQueue,
    place: &Path,
    program: &Path,
    options: &ScreenOptions,
) -> Result<(ScreenEnd, Result<BatchSummary, WriteError>), ScreenFailure> {
    if !io::IsTerminal::is_terminal(&io::stdout()) {
        return Err(ScreenFailure::NoTerminal);
    }
    let mut app = App::default();
    app.configure(&options.config);
    let looks = options.looks_of_environment(app.shell.looks);
    let mut table = BatchTable::new(place.display().to_string(), batch.own_rows());
    table.set_size(OwnTerminal::size()?);
    let gate = ReaderGate::default();
    let (sender, events) = unbounded();
    signals::spawn_listener(sender.clone())?;
    let mut terminal = OwnTerminal::take_terminal(gate.clone())?;
    input::spawn_reader(sender, gate);
    let (commands, news) = start_runs(batch);
    let mut screen = BatchScreen { table, looks, commands, program: program.to_owned() };
    let came = screen.run_screen(&mut terminal, &events, &news);
    // Whatever ended the screen, the runs are stopped in order.
    let _ = screen.commands.send(BatchCommand::Quit); // it may be over
    let (ending, over) = came?;
    let over = over.map_or_else(|| wait_for_end(&news), Ok);
    drop(terminal);
    over.map(|over| (ending, over))
}

/// Starts the thread that makes the runs; it lives until it gets the command to quit.
fn start_runs(mut batch: BatchQueue) -> (Sender<BatchCommand>, Receiver<BatchNews>) {
    let (commands, wanted) = unbounded();
    let (sender, news) = unbounded();
    thread::spawn(move || {
        let summary = batch.run(&StopFlag::default(), &wanted, &mut |event| {
            let message = match event {
                BatchEvent::Rows(rows) => BatchNews::Rows(rows.to_vec()),
                BatchEvent::Notice(sentence) => BatchNews::Said(sentence),
                BatchEvent::Began { .. }
                | BatchEvent::TurnDone(_)
                | BatchEvent::StateChanged(_) => return,
            };
            let _ = sender.send(message); // the screen may be gone
        });
        drop(batch); // gives back what it claims before it says that it is over
        let _ = sender.send(BatchNews::Over(Box::new(summary))); // as above
    });
    (commands, news)
}

/// Waits until the runs have stopped.
fn wait_for_end(
    news: &Receiver<BatchNews>,
) -> Result<Result<BatchSummary, WriteError>, ScreenFailure> {
    for message in news {
        if let BatchNews::Over(summary) = message {
            return Ok(*summary);
        }
    }
    Err(ScreenFailure::Terminal(io::Error::other("the thread that makes the runs broke off")))
}

struct BatchScreen {
    table: BatchTable,
    looks: DisplayOptions,
    commands: Sender<BatchCommand>,
    program: PathBuf,
}

/// The reason why the screen is left.
enum LeaveReason {
    By(ScreenEnd),
    Over(Box<Result<BatchSummary, WriteError>>),
}

type BatchScreenEnd = (ScreenEnd, Option<Result<BatchSummary, WriteError>>);

impl BatchScreen {
    fn run_screen(
        &mut self,
        terminal: &mut OwnTerminal,
        events: &Receiver<RuntimeEvent>,
        news: &Receiver<BatchNews>,
    ) -> io::Result<BatchScreenEnd> {
        let mut ending = ScreenEnd::Quit;
        loop {
            terminal.draw_with(|frame| self.draw_table(frame))?;
            let left = select! {
                recv(events) -> event => match event {
                    Ok(event) => self.take_event(event, terminal)?,
                    Err(_) => Some(LeaveReason::By(ScreenEnd::Quit)),
                },
                recv(news) -> message => match message {
                    Ok(BatchNews::Rows(rows)) => {
                        self.table.set_rows(rows);
                        None
                    }
                    Ok(BatchNews::Said(sentence)) => {
                        self.table.set_notice(sentence);
                        None
                    }
                    Ok(BatchNews::Over(summary)) => Some(LeaveReason::Over(summary)),
                    Err(_) => Some(LeaveReason::By(ScreenEnd::Quit)),
                },
            };
            match left {
                None => {}
                // The runs are being stopped; the table shows how.
                Some(LeaveReason::By(ScreenEnd::Quit)) => {
                    let _ = self.commands.send(BatchCommand::Quit); // it may be over
                }
                Some(LeaveReason::By(by)) => {
                    ending = by;
                    return Ok((ending, None));
                }
                Some(LeaveReason::Over(summary)) => return Ok((ending, Some(*summary))),
            }
        }
    }

    fn draw_table(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let theme = Theme::from_options(self.looks);
        batch::draw_batch(&self.table, theme, area, frame.buffer_mut());
        draw::apply_theme(theme, frame.buffer_mut());
    }

    fn take_event(
        &mut self,
        event: RuntimeEvent,
        terminal: &mut OwnTerminal,
    ) -> io::Result<Option<LeaveReason>> {
        match event {
            RuntimeEvent::Asked(AppMessage::Press(key)) => self.press_key(key, terminal),
            RuntimeEvent::Asked(AppMessage::Key(event)) if event.is_down() => {
                event.binding_key().map_or(Ok(None), |key| self.press_key(key, terminal))
            }
            RuntimeEvent::Asked(AppMessage::Resized(size)) => {
                self.table.set_size(size);
                Ok(None)
            }
            RuntimeEvent::Gone => Ok(Some(LeaveReason::By(ScreenEnd::Signal(HANG_UP_SIGNAL)))),
            RuntimeEvent::Signal(signal) => self.take_signal(signal, terminal),
            _ => Ok(None),
        }
    }

    #[cfg(unix)]
    fn take_signal(
        &mut self,
        signal: i32,
        terminal: &mut OwnTerminal,
    ) -> io::Result<Option<LeaveReason>> {
        use super::run_loop::ScreenDisplay;
        use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
        match signal {
            SIGWINCH => self.table.set_size(OwnTerminal::size()?),
            SIGTSTP => terminal.suspend_terminal()?,
            SIGCONT => {
                terminal.resume_terminal()?;
                self.table.set_size(OwnTerminal::size()?);
            }
            other => {
                return Ok(u8::try_from(other).ok().map(ScreenEnd::Signal).map(LeaveReason::By));
            }
        }
        Ok(None)
    }

    #[cfg(not(unix))]
    fn heed(
        &mut self,
        _signal: i32,
        _terminal: &mut OwnTerminal,
    ) -> io::Result<Option<LeaveReason>> {
        Ok(None)
    }

    fn press_key(
        &mut self,
        key: Key,
        terminal: &mut OwnTerminal,
    ) -> io::Result<Option<LeaveReason>> {
        let command = match self.table.handle_key(key) {
            None => return Ok(None),
            Some(BatchRequest::Watch(_)) => return self.watch_run(terminal).map(|()| None),
            Some(BatchRequest::Pause) => BatchCommand::Pause,
            Some(BatchRequest::GoOn) => BatchCommand::GoOn,
            Some(BatchRequest::Stop(at)) => BatchCommand::Stop(at),
            Some(BatchRequest::Retry(at)) => BatchCommand::Retry(at),
            Some(BatchRequest::Quit) => BatchCommand::Quit,
        };
        let _ = self.commands.send(command); // it may be over
        Ok(None)
    }

    /// Shows the selected run in its live view, until the person leaves it.
    fn watch_run(&mut self, terminal: &mut OwnTerminal) -> io::Result<()> {
        let Some(folder) = self.table.chosen_row().map(|row| row.folder.clone()) else {
            return Ok(());
        };
        if !Path::new(&folder).is_dir() {
            self.table.set_notice(
                "its bundle is not in the folder of runs: it was left out, or has not started",
            );
            return Ok(());
        }
        let mut shown = Command::new(&self.program);
        shown.arg(&folder).args(["--view", "live"]);
        let status = terminal.lend_to(|| shown.status())?;
        match status {
            Ok(status) if status.success() => {}
            Ok(_) => self.table.set_notice("the run could not be shown yet"),
            Err(why) => {
                self.table.set_notice(format!("cannot start {}: {why}", self.program.display()))
            }
        }
        self.table.set_size(OwnTerminal::size()?);
        Ok(())
    }
}

/// The signal number of a closed terminal.
const HANG_UP_SIGNAL: u8 = 1;
