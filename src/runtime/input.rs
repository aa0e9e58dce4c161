//! What the terminal tells us, in our own words. The only file that knows crossterm's.

use crossbeam_channel::Sender;
use ratatui::{
    crossterm::event::{
        Event as LiveEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
        MouseEventKind, read,
    },
    layout::Size,
};
use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{
    shell::{Message, state},
    widgets::{
        key::{Code, Key},
        mouse::{Kind, Mouse},
    },
};

use super::{event::Event, gate::Gate};

/// Reads the terminal for as long as the program lives; reading cannot be called off.
pub fn listen(sender: Sender<Event>, gate: Gate) {
    thread::spawn(move || {
        let mut clicks = Clicks::default();
        loop {
            gate.pass();
            let event = match read() {
                Ok(LiveEvent::Mouse(told)) => {
                    let mouse = clicks.mouse(&told, Instant::now());
                    mouse.map(|mouse| Event::Asked(Message::Shell(state::Message::Mouse(mouse))))
                }
                Ok(told) => message(&told).map(Event::Asked),
                Err(_) => Some(Event::Gone),
            };
            let is_over = matches!(event, Some(Event::Gone));
            if event.is_some_and(|event| sender.send(event).is_err()) || is_over {
                return;
            }
        }
    });
}

fn message(told: &LiveEvent) -> Option<Message> {
    match told {
        LiveEvent::Key(key) => self::key(key).map(Message::Press),
        LiveEvent::Paste(text) => Some(Message::Paste(text.clone())),
        LiveEvent::Resize(width, height) => {
            Some(Message::Resized(Size { width: *width, height: *height }))
        }
        LiveEvent::FocusGained | LiveEvent::FocusLost | LiveEvent::Mouse(_) => None,
    }
}

/// The last click, to tell a second one on the same cell.
#[derive(Default)]
struct Clicks {
    last: Option<(Instant, u16, u16)>,
}

/// Two clicks within this are a double click.
const DOUBLE: Duration = Duration::from_millis(400);

impl Clicks {
    fn mouse(&mut self, told: &MouseEvent, now: Instant) -> Option<Mouse> {
        let kind = match told.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(told, now),
            MouseEventKind::ScrollUp => Kind::WheelUp,
            MouseEventKind::ScrollDown => Kind::WheelDown,
            MouseEventKind::ScrollLeft => Kind::WheelLeft,
            MouseEventKind::ScrollRight => Kind::WheelRight,
            MouseEventKind::Up(MouseButton::Left) => Kind::Release,
            MouseEventKind::Drag(MouseButton::Left) => Kind::Drag,
            MouseEventKind::Down(_) | MouseEventKind::Up(_) | MouseEventKind::Drag(_) => {
                return None;
            }
            MouseEventKind::Moved => Kind::Move,
        };
        Some(Mouse { kind, column: told.column, row: told.row })
    }

    fn click(&mut self, told: &MouseEvent, now: Instant) -> Kind {
        let is_second = self.last.is_some_and(|(time, column, row)| {
            now.saturating_duration_since(time) < DOUBLE && (column, row) == (told.column, told.row)
        });
        self.last = (!is_second).then_some((now, told.column, told.row));
        if is_second { Kind::DoubleClick } else { Kind::Click }
    }
}

fn key(key: &KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let code = code(key.code)?;
    let has = |modifier| key.modifiers.contains(modifier);
    // A character or a back-tab has its shift in itself.
    let shows_shift = !matches!(code, Code::Char(_) | Code::BackTab);
    Some(Key {
        code,
        ctrl: has(KeyModifiers::CONTROL),
        alt: has(KeyModifiers::ALT),
        shift: shows_shift && has(KeyModifiers::SHIFT),
    })
}

fn code(code: KeyCode) -> Option<Code> {
    Some(match code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::F(number) => Code::F(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn click(clicks: &mut Clicks, column: u16, now: Instant) -> Option<Kind> {
        let told = MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column,
            row: 1,
            modifiers: KeyModifiers::NONE,
        };
        clicks.mouse(&told, now).map(|mouse| mouse.kind)
    }

    #[test]
    fn two_quick_clicks_on_one_cell_are_a_double_click() {
        let (mut clicks, start) = (Clicks::default(), Instant::now());

        assert_eq!(click(&mut clicks, 4, start), Some(Kind::Click));
        assert_eq!(click(&mut clicks, 4, start + DOUBLE / 2), Some(Kind::DoubleClick));
        assert_eq!(click(&mut clicks, 4, start + DOUBLE / 2), Some(Kind::Click));
        assert_eq!(click(&mut clicks, 5, start + DOUBLE / 2), Some(Kind::Click));
        assert_eq!(click(&mut clicks, 5, start + DOUBLE * 2), Some(Kind::Click));
    }
}
