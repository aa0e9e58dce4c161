//! A batch on screen: the runs are made on a thread of their own, the table of them is drawn and takes keys here. A run that is
//! watched is shown by another trajview, which has the terminal meanwhile.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use ratatui::{Frame, layout::Size};

use trajview_judge::stop::Stop;
use trajview_live::batch::{Batch, BatchCommand, BatchEvent, Summary};
use trajview_run::batch::BatchRow;
use trajview_store::write::WriteError;
use trajview_tui::{
    shell::{App, Message, draw},
    views::batch::{self, BatchTable, Wish},
    widgets::{key::Key, looks::Looks, theme::Theme},
};

use super::{
    Failure, Options, event::Event, gate::Gate, input, run_loop::Ending, signals,
    terminal::Terminal,
};

/// What the thread that makes the runs tells.
enum News {
    Rows(Vec<BatchRow>),
    Said(String),
    Over(Box<Result<Summary, WriteError>>),
}

/// Shows a batch while its runs are made, until the user has seen enough; then what is under way is stopped. `program` is
/// this one, which shows a run that is watched.
pub fn batch(
    batch: Batch,
    place: &Path,
    program: &Path,
    options: &Options,
) -> Result<(Ending, Result<Summary, WriteError>), Failure> {
    if !io::IsTerminal::is_terminal(&io::stdout()) {
        return Err(Failure::NoTerminal);
    }
    let mut app = App::default();
    app.configure(&options.config);
    let looks = options.looks(app.shell.looks);
    let mut table = BatchTable::new(place.display().to_string(), batch.shown());
    table.resize(Terminal::size()?.height);
    let gate = Gate::default();
    let (sender, events) = unbounded();
    signals::listen(sender.clone())?;
    let mut terminal = Terminal::take(gate.clone())?;
    input::listen(sender, gate);
    let (commands, news) = begin(batch);
    let mut screen = Screen { table, looks, commands, program: program.to_owned() };
    let came = screen.run(&mut terminal, &events, &news);
    // Whatever ended the screen, the runs are stopped in order.
    let _ = screen.commands.send(BatchCommand::Quit); // it may be over
    let (ending, over) = came?;
    let over = over.map_or_else(|| rest(&news), Ok);
    drop(terminal);
    over.map(|over| (ending, over))
}

/// Makes the runs on a thread; it stays until it is told to quit.
fn begin(mut batch: Batch) -> (Sender<BatchCommand>, Receiver<News>) {
    let (commands, wanted) = unbounded();
    let (tell, news) = unbounded();
    thread::spawn(move || {
        let summary = batch.run(&Stop::default(), &wanted, &mut |event| {
            let told = match event {
                BatchEvent::Rows(rows) => News::Rows(rows.to_vec()),
                BatchEvent::Said(sentence) => News::Said(sentence),
                BatchEvent::Began { .. } | BatchEvent::Turned(_) | BatchEvent::Entered(_) => return,
            };
            let _ = tell.send(told); // nobody looks any more
        });
        drop(batch); // gives back what it claims before it says that it is over
        let _ = tell.send(News::Over(Box::new(summary))); // as above
    });
    (commands, news)
}

/// Waits until the runs have stopped.
fn rest(news: &Receiver<News>) -> Result<Result<Summary, WriteError>, Failure> {
    for told in news {
        if let News::Over(summary) = told {
            return Ok(*summary);
        }
    }
    Err(Failure::Terminal(io::Error::other("the thread that makes the runs broke off")))
}

struct Screen {
    table: BatchTable,
    looks: Looks,
    commands: Sender<BatchCommand>,
    program: PathBuf,
}

/// Why the screen is left, where it is.
enum Left {
    By(Ending),
    Over(Box<Result<Summary, WriteError>>),
}

type Came = (Ending, Option<Result<Summary, WriteError>>);

impl Screen {
    fn run(
        &mut self,
        terminal: &mut Terminal,
        events: &Receiver<Event>,
        news: &Receiver<News>,
    ) -> io::Result<Came> {
        let mut ending = Ending::Quit;
        loop {
            terminal.draw_with(|frame| self.draw(frame))?;
            let left = select! {
                recv(events) -> event => match event {
                    Ok(event) => self.take(event, terminal)?,
                    Err(_) => Some(Left::By(Ending::Quit)),
                },
                recv(news) -> told => match told {
                    Ok(News::Rows(rows)) => {
                        self.table.take(rows);
                        None
                    }
                    Ok(News::Said(sentence)) => {
                        self.table.say(sentence);
                        None
                    }
                    Ok(News::Over(summary)) => Some(Left::Over(summary)),
                    Err(_) => Some(Left::By(Ending::Quit)),
                },
            };
            match left {
                None => {}
                // The runs are being stopped; the table shows how.
                Some(Left::By(Ending::Quit)) => {
                    let _ = self.commands.send(BatchCommand::Quit); // it may be over
                }
                Some(Left::By(by)) => {
                    ending = by;
                    return Ok((ending, None));
                }
                Some(Left::Over(summary)) => return Ok((ending, Some(*summary))),
            }
        }
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let theme = Theme::with(self.looks);
        batch::draw(&self.table, theme, area, frame.buffer_mut());
        draw::finish(theme, frame.buffer_mut());
    }

    fn take(&mut self, event: Event, terminal: &mut Terminal) -> io::Result<Option<Left>> {
        match event {
            Event::Asked(Message::Press(key)) => self.press(key, terminal),
            Event::Asked(Message::Key(event)) if event.is_down() => {
                event.key().map_or(Ok(None), |key| self.press(key, terminal))
            }
            Event::Asked(Message::Resized(Size { height, .. })) => {
                self.table.resize(height);
                Ok(None)
            }
            Event::Gone => Ok(Some(Left::By(Ending::Signal(HANG_UP)))),
            Event::Signal(signal) => self.heed(signal, terminal),
            _ => Ok(None),
        }
    }

    #[cfg(unix)]
    fn heed(&mut self, signal: i32, terminal: &mut Terminal) -> io::Result<Option<Left>> {
        use super::run_loop::Display;
        use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};
        match signal {
            SIGWINCH => self.table.resize(Terminal::size()?.height),
            SIGTSTP => terminal.suspend()?,
            SIGCONT => terminal.resume()?,
            other => return Ok(u8::try_from(other).ok().map(Ending::Signal).map(Left::By)),
        }
        Ok(None)
    }

    #[cfg(not(unix))]
    fn heed(&mut self, _signal: i32, _terminal: &mut Terminal) -> io::Result<Option<Left>> {
        Ok(None)
    }

    fn press(&mut self, key: Key, terminal: &mut Terminal) -> io::Result<Option<Left>> {
        let command = match self.table.press(key) {
            None => return Ok(None),
            Some(Wish::Watch(_)) => return self.watch(terminal).map(|()| None),
            Some(Wish::Pause) => BatchCommand::Pause,
            Some(Wish::GoOn) => BatchCommand::GoOn,
            Some(Wish::Stop(at)) => BatchCommand::Stop(at),
            Some(Wish::Retry(at)) => BatchCommand::Retry(at),
            Some(Wish::Quit) => BatchCommand::Quit,
        };
        let _ = self.commands.send(command); // it may be over
        Ok(None)
    }

    /// Shows the chosen run in its live view, until the person leaves it.
    fn watch(&mut self, terminal: &mut Terminal) -> io::Result<()> {
        let Some(folder) = self.table.chosen().map(|row| row.folder.clone()) else { return Ok(()) };
        if !Path::new(&folder).is_dir() {
            self.table
                .say("its bundle is not in the folder of runs: it was left out, or has not begun");
            return Ok(());
        }
        let mut shown = Command::new(&self.program);
        shown.arg(&folder).args(["--view", "live"]);
        let status = terminal.lend(|| shown.status())?;
        match status {
            Ok(status) if status.success() => {}
            Ok(_) => self.table.say("the run could not be shown yet"),
            Err(why) => self.table.say(format!("cannot start {}: {why}", self.program.display())),
        }
        self.table.resize(Terminal::size()?.height);
        Ok(())
    }
}

/// The signal of a terminal that is gone.
const HANG_UP: u8 = 1;
