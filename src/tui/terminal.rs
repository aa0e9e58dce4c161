//! The real terminal: taken over, drawn on, and given back whatever happens.

use std::{
    io::{self, BufWriter, Stdout, Write, stdout},
    panic,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use ratatui::{
    Terminal as Cells,
    backend::{Backend as _, ClearType, CrosstermBackend},
    crossterm::{
        cursor::Show,
        event::{DisableBracketedPaste, EnableBracketedPaste},
        execute, queue,
        terminal::{
            BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen,
            LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
        },
    },
    layout::Size,
};

use crate::{
    app::App,
    ui::{self, theme::Theme},
};

use super::{runtime::Display, signals};

type Backend = CrosstermBackend<BufWriter<Stdout>>;

/// A frame of 200×50 cells with colours fits.
const FRAME_BYTES: usize = 1 << 16;

/// Whether the terminal is ours at the moment, for the panic hook.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours; dropping it gives it back.
pub struct Terminal {
    cells: Cells<Backend>,
    theme: Theme,
}

impl Terminal {
    pub fn take(theme: Theme) -> io::Result<Self> {
        guard_against_panics();
        take_over()?;
        let cells = empty_screen().inspect_err(|_| give_back())?;
        Ok(Self { cells, theme })
    }

    pub fn size() -> io::Result<Size> {
        size().map(|(width, height)| Size { width, height })
    }

    /// Takes the terminal again, whatever modes somebody left it in, and forgets what was drawn.
    fn take_again(&mut self) -> io::Result<()> {
        disable_raw_mode()?; // or crossterm believes that the mode is still raw
        take_over()?;
        self.cells = empty_screen()?;
        Ok(())
    }
}

impl Display for Terminal {
    fn draw(&mut self, app: &App) -> io::Result<()> {
        let theme = self.theme;
        queue!(self.cells.backend_mut(), BeginSynchronizedUpdate)?;
        self.cells.draw(|frame| ui::view(app, theme, frame))?;
        queue!(self.cells.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.cells.backend_mut())
    }

    fn size(&self) -> io::Result<Size> {
        Self::size()
    }

    fn suspend(&mut self) -> io::Result<()> {
        give_back();
        signals::stop()?;
        self.take_again()
    }

    fn resume(&mut self) -> io::Result<()> {
        self.take_again()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// A cleared screen of which nothing is known to be drawn. (`Cells::clear` would ask the terminal where its cursor is,
/// and the thread that reads the terminal would swallow the answer.)
fn empty_screen() -> io::Result<Cells<Backend>> {
    let mut backend = CrosstermBackend::new(BufWriter::with_capacity(FRAME_BYTES, stdout()));
    backend.clear_region(ClearType::All)?;
    Cells::new(backend)
}

fn take_over() -> io::Result<()> {
    IS_TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Best effort: there may be no terminal left to give back.
fn give_back() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(
            stdout(),
            EndSynchronizedUpdate,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            Show
        );
        let _ = disable_raw_mode();
    }
}

/// A panic of the thread that draws gives the terminal back before its words are printed. One of a worker is told on
/// screen by the panel that asked; its words would only tear the frame.
fn guard_against_panics() {
    static ONCE: Once = Once::new();
    let drawer = thread::current().id();
    ONCE.call_once(move || {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().id() == drawer {
                give_back();
            }
            if !IS_TAKEN.load(Ordering::SeqCst) {
                previous(info);
            }
        }));
    });
}
