//! The real terminal: taken over, drawn on, and given back whatever happens.

use ratatui::{
    Frame, Terminal as Cells,
    backend::{Backend as _, ClearType, CrosstermBackend},
    crossterm::{
        cursor::Show,
        event::{DisableBracketedPaste, EnableBracketedPaste},
        execute, queue,
        style::Print,
        terminal::{
            BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen,
            LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
        },
    },
    layout::Size,
};
use std::{
    io::{self, BufWriter, Stdout, Write, stdout},
    panic,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use trajview_run::pictures::Picture;
use trajview_store::guarded;
use trajview_tui::{
    session::effect::Editing,
    shell::{App, draw, mouse::Capture},
    widgets::theme::Theme,
};

use super::{
    clipboard, editor,
    gate::{self, Gate},
    keyboard, outside,
    run_loop::Display,
    signals,
    stuck::{MOUSE_OFF, Writing},
};

type Backend = CrosstermBackend<BufWriter<Stdout>>;

/// A frame of 200×50 cells with colours fits.
const FRAME_BYTES: usize = 1 << 16;

/// Whether the terminal is ours at the moment, for the panic hook.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours; dropping it gives it back.
pub struct Terminal {
    cells: Cells<Backend>,
    gate: Gate,
    /// Who has the mouse, as far as the terminal has been told.
    mouse: Capture,
    keyboard: keyboard::OuterKeyboard,
}

impl Terminal {
    /// `gate` stops the thread that reads the terminal.
    pub fn take(gate: Gate) -> io::Result<Self> {
        guard_against_panics();
        let _writing = Writing::begin();
        take_over()?;
        let cells = empty_screen().inspect_err(|_| give_back())?;
        Ok(Self { cells, gate, mouse: Capture::Off, keyboard: keyboard::OuterKeyboard::default() })
    }

    pub fn size() -> io::Result<Size> {
        size().map(|(width, height)| Size { width, height })
    }

    /// Takes the terminal again, whatever modes somebody left it in, and forgets what was drawn.
    fn take_again(&mut self) -> io::Result<()> {
        disable_raw_mode()?; // or crossterm believes that the mode is still raw
        execute!(stdout(), Print(keyboard::give_back()))?; // where it was not given back before
        take_over()?;
        self.cells = empty_screen()?;
        self.mouse = Capture::Off;
        self.keyboard = keyboard::OuterKeyboard::default();
        Ok(())
    }

    /// Draws a frame of something that is no [`App`].
    pub fn draw_with(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _writing = Writing::begin();
        queue!(self.cells.backend_mut(), BeginSynchronizedUpdate)?;
        self.cells.draw(draw)?;
        queue!(self.cells.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.cells.backend_mut())
    }

    /// Gives the terminal to another program until that ends.
    pub fn lend<T>(&mut self, to: impl FnOnce() -> T) -> io::Result<T> {
        self.gate.close();
        give_back();
        signals::IS_LENT.store(true, Ordering::SeqCst);
        let came = to();
        signals::IS_LENT.store(false, Ordering::SeqCst);
        self.take_again()?;
        self.gate.open();
        Ok(came)
    }

    /// Clicks and the wheel, and not every cell the pointer moves over: that would be felt over ssh.
    fn capture_mouse(&mut self, wanted: Capture) -> io::Result<()> {
        if self.mouse != wanted {
            self.mouse = wanted;
            write!(
                self.cells.backend_mut(),
                "{}",
                match wanted {
                    Capture::On => MOUSE_ON,
                    Capture::Off => MOUSE_OFF,
                }
            )?;
        }
        Ok(())
    }
}

/// Buttons and wheel, with coordinates of any size (xterm's modes 1000 and 1006).
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";

impl Display for Terminal {
    fn draw(&mut self, app: &App) -> io::Result<()> {
        let theme = Theme::with(app.shell.looks);
        let _writing = Writing::begin();
        let _whole = stdout().lock(); // a question to the terminal would tear the frame
        self.capture_mouse(app.shell.mouse)?;
        let wanted = app.outer_flags();
        self.keyboard.follow(wanted, self.cells.backend_mut(), gate::nudge)?;
        queue!(self.cells.backend_mut(), BeginSynchronizedUpdate)?;
        self.cells.draw(|frame| draw::view(app, theme, frame))?;
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

    fn copy(&mut self, text: &str) -> io::Result<()> {
        write!(self.cells.backend_mut(), "{}", clipboard::sequence(text))?;
        Write::flush(self.cells.backend_mut())
    }

    fn edit(&mut self, editing: &Editing) -> io::Result<Result<(), String>> {
        self.lend(|| editor::open(editing))
    }

    fn open(&mut self, image: &Picture) -> Result<String, String> {
        outside::open(image)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        outside::forget();
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
        let _writing = Writing::begin();
        let _ = execute!(
            stdout(),
            EndSynchronizedUpdate,
            Print(keyboard::give_back()),
            Print(MOUSE_OFF),
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
            if guarded::is_on() {
                return;
            }
            if thread::current().id() == drawer {
                give_back();
            }
            if !IS_TAKEN.load(Ordering::SeqCst) {
                previous(info);
            }
        }));
    });
}
