//! The real terminal: taken, drawn on, and released whatever happens.

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

use trajview_run::pictures::RecordedImage;
use trajview_store::panic_guard;
use trajview_tui::{
    session::effect::EditorTarget,
    shell::{App, draw, mouse::MouseCapture},
    widgets::theme::Theme,
};

use super::{
    blocked_terminal::{MOUSE_OFF, TerminalWrite},
    clipboard, editor, image_viewer, keyboard,
    reader_gate::{self, ReaderGate},
    run_loop::ScreenDisplay,
    signals,
};

type Backend = CrosstermBackend<BufWriter<Stdout>>;

/// A frame of 200×50 cells with colours fits.
const FRAME_BYTES: usize = 1 << 16;

/// True if the terminal is taken at the moment, for the panic hook.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it is taken; dropping it releases it.
pub struct OwnTerminal {
    cells: Cells<Backend>,
    gate: ReaderGate,
    /// The mouse capture that the terminal was last set to.
    mouse: MouseCapture,
    keyboard: keyboard::OuterKeyboard,
}

impl OwnTerminal {
    /// Takes the terminal. `gate` stops the thread that reads it.
    pub fn take_terminal(gate: ReaderGate) -> io::Result<Self> {
        guard_against_panics();
        let _writing = TerminalWrite::begin();
        take_screen()?;
        let cells = empty_screen().inspect_err(|_| release_terminal())?;
        Ok(Self {
            cells,
            gate,
            mouse: MouseCapture::Off,
            keyboard: keyboard::OuterKeyboard::default(),
        })
    }

    pub fn size() -> io::Result<Size> {
        size().map(|(width, height)| Size { width, height })
    }

    /// Takes the terminal again, whatever modes another program left, and redraws everything.
    fn take_again(&mut self) -> io::Result<()> {
        disable_raw_mode()?; // or crossterm believes that the mode is still raw
        execute!(stdout(), Print(keyboard::reset_sequence()))?; // where it was not given back before
        take_screen()?;
        self.cells = empty_screen()?;
        self.mouse = MouseCapture::Off;
        self.keyboard = keyboard::OuterKeyboard::default();
        Ok(())
    }

    /// Draws a frame of something that is no [`App`].
    pub(crate) fn draw_with(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let _writing = TerminalWrite::begin();
        queue!(self.cells.backend_mut(), BeginSynchronizedUpdate)?;
        self.cells.draw(draw)?;
        queue!(self.cells.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.cells.backend_mut())
    }

    /// Lends the terminal to another program until that ends.
    pub(crate) fn lend_to<T>(&mut self, to: impl FnOnce() -> T) -> io::Result<T> {
        self.gate.close_gate();
        release_terminal();
        signals::IS_LENT.store(true, Ordering::SeqCst);
        let came = to();
        signals::IS_LENT.store(false, Ordering::SeqCst);
        self.take_again()?;
        self.gate.open_gate();
        Ok(came)
    }

    /// Captures clicks and the wheel, and not every cell the pointer moves over: that would be slow over ssh.
    fn capture_mouse(&mut self, wanted: MouseCapture) -> io::Result<()> {
        if self.mouse != wanted {
            self.mouse = wanted;
            write!(
                self.cells.backend_mut(),
                "{}",
                match wanted {
                    MouseCapture::On => MOUSE_ON,
                    MouseCapture::Off => MOUSE_OFF,
                }
            )?;
        }
        Ok(())
    }
}

/// Buttons and wheel, with coordinates of any size (xterm's modes 1000 and 1006).
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";

impl ScreenDisplay for OwnTerminal {
    fn draw(&mut self, app: &App) -> io::Result<()> {
        let theme = Theme::from_options(app.shell.looks);
        let _writing = TerminalWrite::begin();
        let _whole = stdout().lock(); // a question to the terminal would tear the frame
        self.capture_mouse(app.shell.mouse)?;
        let wanted = app.outer_flags();
        self.keyboard.set_flags(wanted, self.cells.backend_mut(), reader_gate::wake_reader)?;
        queue!(self.cells.backend_mut(), BeginSynchronizedUpdate)?;
        self.cells.draw(|frame| draw::draw_frame(app, theme, frame))?;
        queue!(self.cells.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.cells.backend_mut())
    }

    fn size(&self) -> io::Result<Size> {
        Self::size()
    }

    fn suspend_terminal(&mut self) -> io::Result<()> {
        release_terminal();
        signals::stop_process()?;
        self.take_again()
    }

    fn resume_terminal(&mut self) -> io::Result<()> {
        self.take_again()
    }

    fn copy_text(&mut self, text: &str) -> io::Result<()> {
        write!(self.cells.backend_mut(), "{}", clipboard::copy_sequence(text))?;
        Write::flush(self.cells.backend_mut())
    }

    fn open_editor(&mut self, editing: &EditorTarget) -> io::Result<Result<(), String>> {
        self.lend_to(|| editor::open_editor(editing))
    }

    fn open_image(&mut self, image: &RecordedImage) -> Result<String, String> {
        image_viewer::open_image(image)
    }
}

impl Drop for OwnTerminal {
    fn drop(&mut self) {
        image_viewer::remove_files();
        release_terminal();
    }
}

/// Returns a cleared screen without remembered cells. (`Cells::clear` would ask the terminal for its cursor, and the thread
/// that reads the terminal would swallow the answer.)
fn empty_screen() -> io::Result<Cells<Backend>> {
    let mut backend = CrosstermBackend::new(BufWriter::with_capacity(FRAME_BYTES, stdout()));
    backend.clear_region(ClearType::All)?;
    Cells::new(backend)
}

fn take_screen() -> io::Result<()> {
    IS_TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Releases the terminal. Best effort: it may be closed already.
fn release_terminal() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        let _writing = TerminalWrite::begin();
        let _ = execute!(
            stdout(),
            EndSynchronizedUpdate,
            Print(keyboard::reset_sequence()),
            Print(MOUSE_OFF),
            DisableBracketedPaste,
            LeaveAlternateScreen,
            Show
        );
        let _ = disable_raw_mode();
    }
}

/// Releases the terminal when the drawing thread panics, before the message is printed. A panic of a worker is shown by the
/// panel that asked; its message would only garble the frame.
fn guard_against_panics() {
    static ONCE: Once = Once::new();
    let drawer = thread::current().id();
    ONCE.call_once(move || {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if panic_guard::is_guarding() {
                return;
            }
            if thread::current().id() == drawer {
                release_terminal();
            }
            if !IS_TAKEN.load(Ordering::SeqCst) {
                previous(info);
            }
        }));
    });
}
