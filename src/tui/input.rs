//! What the terminal tells us, in our own words. The only file that knows crossterm's.

use std::thread;

use crossbeam_channel::Sender;
use ratatui::{
    crossterm::event::{Event as Told, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read},
    layout::Size,
};

use crate::app::{
    Message,
    key::{Code, Key},
};

use super::world::Event;

/// Reads the terminal for as long as the program lives; reading cannot be called off.
pub fn listen(sender: Sender<Event>) {
    thread::spawn(move || {
        loop {
            let event = match read() {
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

fn message(told: &Told) -> Option<Message> {
    match told {
        Told::Key(key) => self::key(key).map(Message::Press),
        Told::Paste(text) => Some(Message::Paste(text.clone())),
        Told::Resize(width, height) => {
            Some(Message::Resized(Size { width: *width, height: *height }))
        }
        Told::FocusGained | Told::FocusLost | Told::Mouse(_) => None,
    }
}

fn key(key: &KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release || key.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    code(key.code).map(|code| Key { code, ctrl })
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
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        _ => return None,
    })
}
