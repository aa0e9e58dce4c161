//! What the terminal tells us, in our own words. The only file that knows crossterm's.

use crossbeam_channel::Sender;
use ratatui::{
    crossterm::event::{
        Event as LiveEvent, KeyCode, KeyEvent as LiveKey, KeyEventKind, KeyEventState,
        KeyModifiers, MediaKeyCode, ModifierKeyCode, MouseButton, MouseEvent, MouseEventKind, read,
    },
    layout::Size,
};
use std::{
    thread,
    time::{Duration, Instant},
};

use trajview_tui::{
    shell::{Message, state},
    widgets::{
        key::Code,
        key_event::{Action, KeyEvent, Modifiers, Symbol, lower},
        mouse::{Kind, Mouse},
    },
};

use super::{event::Event, gate::Gate, keyboard};

/// Reads the terminal for as long as the program lives; reading cannot be called off.
pub fn listen(sender: Sender<Event>, gate: Gate) {
    thread::spawn(move || {
        let mut clicks = Clicks::default();
        loop {
            gate.pass();
            if keyboard::ask_if_wanted() && sender.send(Event::KeyboardKnown).is_err() {
                return;
            }
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
        LiveEvent::Key(key) => {
            let key_event = key_event(key)?;
            Some(key_event.press().map_or(Message::Key(key_event), Message::Press))
        }
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

fn key_event(key: &LiveKey) -> Option<KeyEvent> {
    let is_on_keypad = key.state.contains(KeyEventState::KEYPAD);
    let symbol = match (code(key.code), is_on_keypad) {
        (Some(code), true) => Symbol::Keypad(code),
        (Some(code), false) if is_shared(key) && !keyboard::tells_keys_apart() => {
            Symbol::Control(code)
        }
        (Some(code), false) => Symbol::Code(code),
        (None, _) => Symbol::Number(number(key.code)?),
    };
    let action = match key.kind {
        KeyEventKind::Press => Action::Press,
        KeyEventKind::Repeat => Action::Repeat,
        KeyEventKind::Release => Action::Release,
    };
    Some(KeyEvent { symbol, modifiers: modifiers(key, symbol), action })
}

/// Whether without the kitty keyboard protocol the control character of a key is that of others too.
fn is_shared(key: &LiveKey) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL)
        && matches!(key.code, KeyCode::Char('h' | '4'..='7'))
}

fn modifiers(key: &LiveKey, symbol: Symbol) -> Modifiers {
    // A capital and a back-tab have their shift in themselves.
    let has_shift = match symbol {
        Symbol::Code(Code::Char(c)) | Symbol::Keypad(Code::Char(c)) => lower(c).is_some(),
        Symbol::Code(Code::BackTab) => true,
        _ => false,
    };
    let held = |all: Modifiers, (modifier, ours)| all.with(ours, key.modifiers.contains(modifier));
    let all = [
        (KeyModifiers::SHIFT, Modifiers::SHIFT),
        (KeyModifiers::ALT, Modifiers::ALT),
        (KeyModifiers::CONTROL, Modifiers::CTRL),
        (KeyModifiers::SUPER, Modifiers::SUPER),
        (KeyModifiers::HYPER, Modifiers::HYPER),
        (KeyModifiers::META, Modifiers::META),
    ]
    .into_iter()
    .fold(Modifiers::default(), held)
    .with(Modifiers::CAPS_LOCK, key.state.contains(KeyEventState::CAPS_LOCK))
    .with(Modifiers::NUM_LOCK, key.state.contains(KeyEventState::NUM_LOCK));
    if has_shift { all.with(Modifiers::SHIFT, false) } else { all }
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

/// A key that bindings do not know, by its number in the kitty keyboard protocol.
const fn number(code: KeyCode) -> Option<u32> {
    Some(match code {
        KeyCode::CapsLock => 57358,
        KeyCode::ScrollLock => 57359,
        KeyCode::NumLock => 57360,
        KeyCode::PrintScreen => 57361,
        KeyCode::Pause => 57362,
        KeyCode::Menu => 57363,
        KeyCode::KeypadBegin => 57427,
        KeyCode::Media(key) => match key {
            MediaKeyCode::Play => 57428,
            MediaKeyCode::Pause => 57429,
            MediaKeyCode::PlayPause => 57430,
            MediaKeyCode::Reverse => 57431,
            MediaKeyCode::Stop => 57432,
            MediaKeyCode::FastForward => 57433,
            MediaKeyCode::Rewind => 57434,
            MediaKeyCode::TrackNext => 57435,
            MediaKeyCode::TrackPrevious => 57436,
            MediaKeyCode::Record => 57437,
            MediaKeyCode::LowerVolume => 57438,
            MediaKeyCode::RaiseVolume => 57439,
            MediaKeyCode::MuteVolume => 57440,
        },
        KeyCode::Modifier(key) => match key {
            ModifierKeyCode::LeftShift => 57441,
            ModifierKeyCode::LeftControl => 57442,
            ModifierKeyCode::LeftAlt => 57443,
            ModifierKeyCode::LeftSuper => 57444,
            ModifierKeyCode::LeftHyper => 57445,
            ModifierKeyCode::LeftMeta => 57446,
            ModifierKeyCode::RightShift => 57447,
            ModifierKeyCode::RightControl => 57448,
            ModifierKeyCode::RightAlt => 57449,
            ModifierKeyCode::RightSuper => 57450,
            ModifierKeyCode::RightHyper => 57451,
            ModifierKeyCode::RightMeta => 57452,
            ModifierKeyCode::IsoLevel3Shift => 57453,
            ModifierKeyCode::IsoLevel5Shift => 57454,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use trajview_tui::widgets::key::Key;

    use super::*;

    fn told(code: KeyCode, modifiers: KeyModifiers, kind: KeyEventKind) -> Option<Message> {
        message(&LiveEvent::Key(LiveKey::new_with_kind(code, modifiers, kind)))
    }

    #[test]
    fn a_press_is_a_key_and_everything_else_a_stroke() {
        let (press, shift) = (KeyEventKind::Press, KeyModifiers::SHIFT);
        assert_eq!(told(KeyCode::Char('G'), shift, press), Some(Message::Press(Key::char('G'))));
        assert_eq!(
            told(KeyCode::BackTab, shift, press),
            Some(Message::Press(Key::plain(Code::BackTab)))
        );
        let up = Key { shift: true, ..Key::plain(Code::Up) };
        assert_eq!(told(KeyCode::Up, shift, press), Some(Message::Press(up)));

        let key_event = |symbol, action| {
            Some(Message::Key(KeyEvent { symbol, modifiers: Modifiers::default(), action }))
        };
        let none = KeyModifiers::NONE;
        let release = told(KeyCode::Char('q'), none, KeyEventKind::Release);
        assert_eq!(release, key_event(Symbol::Code(Code::Char('q')), Action::Release));
        let repeat = told(KeyCode::Char('j'), none, KeyEventKind::Repeat);
        assert_eq!(repeat, key_event(Symbol::Code(Code::Char('j')), Action::Repeat));
        let shift_key = KeyCode::Modifier(ModifierKeyCode::LeftShift);
        assert_eq!(told(shift_key, none, press), key_event(Symbol::Number(57441), Action::Press));
    }

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
