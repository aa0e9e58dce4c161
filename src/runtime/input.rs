//! Converts events of the terminal into messages. The only file that uses crossterm's event types.

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
    shell::{AppMessage, state},
    widgets::{
        key::BaseKey,
        key_event::{KeyAction, KeyEvent, KeySymbol, Modifiers, lower_char},
        mouse::{Mouse, MouseKind},
    },
};

use super::{event::RuntimeEvent, keyboard, reader_gate::ReaderGate};

/// Reads the terminal for as long as the program lives; reading cannot be cancelled.
pub(crate) fn spawn_reader(sender: Sender<RuntimeEvent>, gate: ReaderGate) {
    thread::spawn(move || {
        let mut clicks = ClickTracker::default();
        loop {
            gate.wait_at_gate();
            if keyboard::ask_if_wanted() && sender.send(RuntimeEvent::KeyboardKnown).is_err() {
                return;
            }
            let event = match read() {
                Ok(LiveEvent::Mouse(event)) => {
                    let mouse = clicks.mouse_event(&event, Instant::now());
                    mouse.map(|mouse| {
                        RuntimeEvent::Asked(AppMessage::Shell(state::ShellMessage::Mouse(mouse)))
                    })
                }
                Ok(event) => message_of_event(&event).map(RuntimeEvent::Asked),
                Err(_) => Some(RuntimeEvent::Gone),
            };
            let is_over = matches!(event, Some(RuntimeEvent::Gone));
            if event.is_some_and(|event| sender.send(event).is_err()) || is_over {
                return;
            }
        }
    });
}

fn message_of_event(event: &LiveEvent) -> Option<AppMessage> {
    match event {
        LiveEvent::Key(key) => {
            let key_event = key_event(key)?;
            Some(key_event.plain_press().map_or(AppMessage::Key(key_event), AppMessage::Press))
        }
        LiveEvent::Paste(text) => Some(AppMessage::Paste(text.clone())),
        LiveEvent::Resize(width, height) => {
            Some(AppMessage::Resized(Size { width: *width, height: *height }))
        }
        LiveEvent::FocusGained | LiveEvent::FocusLost | LiveEvent::Mouse(_) => None,
    }
}

/// The last click, to recognise a second one on the same cell.
#[derive(Default)]
struct ClickTracker {
    last: Option<(Instant, u16, u16)>,
}

/// The longest time between the clicks of a double click.
const DOUBLE_CLICK_TIME: Duration = Duration::from_millis(400);

impl ClickTracker {
    fn mouse_event(&mut self, event: &MouseEvent, now: Instant) -> Option<Mouse> {
        let kind = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click_kind(event, now),
            MouseEventKind::ScrollUp => MouseKind::WheelUp,
            MouseEventKind::ScrollDown => MouseKind::WheelDown,
            MouseEventKind::ScrollLeft => MouseKind::WheelLeft,
            MouseEventKind::ScrollRight => MouseKind::WheelRight,
            MouseEventKind::Up(MouseButton::Left) => MouseKind::Release,
            MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
            MouseEventKind::Down(_) | MouseEventKind::Up(_) | MouseEventKind::Drag(_) => {
                return None;
            }
            MouseEventKind::Moved => MouseKind::Move,
        };
        Some(Mouse { kind, column: event.column, row: event.row })
    }

    fn click_kind(&mut self, event: &MouseEvent, now: Instant) -> MouseKind {
        let is_second = self.last.is_some_and(|(time, column, row)| {
            now.saturating_duration_since(time) < DOUBLE_CLICK_TIME
                && (column, row) == (event.column, event.row)
        });
        self.last = (!is_second).then_some((now, event.column, event.row));
        if is_second { MouseKind::DoubleClick } else { MouseKind::Click }
    }
}

fn key_event(key: &LiveKey) -> Option<KeyEvent> {
    let is_on_keypad = key.state.contains(KeyEventState::KEYPAD);
    let symbol = match (key_code(key.code), is_on_keypad) {
        (Some(code), true) => KeySymbol::Keypad(code),
        (Some(code), false) if is_shared(key) && !keyboard::tells_keys_apart() => {
            KeySymbol::Control(code)
        }
        (Some(code), false) => KeySymbol::Code(code),
        (None, _) => KeySymbol::Number(key_number(key.code)?),
    };
    let action = match key.kind {
        KeyEventKind::Press => KeyAction::Press,
        KeyEventKind::Repeat => KeyAction::Repeat,
        KeyEventKind::Release => KeyAction::Release,
    };
    Some(KeyEvent { symbol, modifiers: key_modifiers(key, symbol), action })
}

/// Returns whether, without the kitty keyboard protocol, other keys have the same control character.
fn is_shared(key: &LiveKey) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL)
        && matches!(key.code, KeyCode::Char('h' | '4'..='7'))
}

fn key_modifiers(key: &LiveKey, symbol: KeySymbol) -> Modifiers {
    // A capital and a back-tab have their shift in themselves.
    let has_shift = match symbol {
        KeySymbol::Code(BaseKey::Char(c)) | KeySymbol::Keypad(BaseKey::Char(c)) => {
            lower_char(c).is_some()
        }
        KeySymbol::Code(BaseKey::BackTab) => true,
        _ => false,
    };
    let add_modifier = |all: Modifiers, (modifier, ours)| {
        all.with_modifiers(ours, key.modifiers.contains(modifier))
    };
    let all = [
        (KeyModifiers::SHIFT, Modifiers::SHIFT),
        (KeyModifiers::ALT, Modifiers::ALT),
        (KeyModifiers::CONTROL, Modifiers::CTRL),
        (KeyModifiers::SUPER, Modifiers::SUPER),
        (KeyModifiers::HYPER, Modifiers::HYPER),
        (KeyModifiers::META, Modifiers::META),
    ]
    .into_iter()
    .fold(Modifiers::default(), add_modifier)
    .with_modifiers(Modifiers::CAPS_LOCK, key.state.contains(KeyEventState::CAPS_LOCK))
    .with_modifiers(Modifiers::NUM_LOCK, key.state.contains(KeyEventState::NUM_LOCK));
    if has_shift { all.with_modifiers(Modifiers::SHIFT, false) } else { all }
}

fn key_code(code: KeyCode) -> Option<BaseKey> {
    Some(match code {
        KeyCode::Char(c) => BaseKey::Char(c),
        KeyCode::Enter => BaseKey::Enter,
        KeyCode::Esc => BaseKey::Esc,
        KeyCode::Tab => BaseKey::Tab,
        KeyCode::BackTab => BaseKey::BackTab,
        KeyCode::Backspace => BaseKey::Backspace,
        KeyCode::Delete => BaseKey::Delete,
        KeyCode::Insert => BaseKey::Insert,
        KeyCode::Up => BaseKey::Up,
        KeyCode::Down => BaseKey::Down,
        KeyCode::Left => BaseKey::Left,
        KeyCode::Right => BaseKey::Right,
        KeyCode::PageUp => BaseKey::PageUp,
        KeyCode::PageDown => BaseKey::PageDown,
        KeyCode::Home => BaseKey::Home,
        KeyCode::End => BaseKey::End,
        KeyCode::F(number) => BaseKey::F(number),
        _ => return None,
    })
}

/// Returns the number of a key without bindings in the kitty keyboard protocol.
const fn key_number(code: KeyCode) -> Option<u32> {
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

    fn message_of_key(
        code: KeyCode,
        modifiers: KeyModifiers,
        kind: KeyEventKind,
    ) -> Option<AppMessage> {
        message_of_event(&LiveEvent::Key(LiveKey::new_with_kind(code, modifiers, kind)))
    }

    #[test]
    fn a_press_is_a_key_and_everything_else_a_stroke() {
        let (press, shift) = (KeyEventKind::Press, KeyModifiers::SHIFT);
        assert_eq!(
            message_of_key(KeyCode::Char('G'), shift, press),
            Some(AppMessage::Press(Key::from_char('G')))
        );
        assert_eq!(
            message_of_key(KeyCode::BackTab, shift, press),
            Some(AppMessage::Press(Key::without_modifiers(BaseKey::BackTab)))
        );
        let up = Key { shift: true, ..Key::without_modifiers(BaseKey::Up) };
        assert_eq!(message_of_key(KeyCode::Up, shift, press), Some(AppMessage::Press(up)));

        let key_event = |symbol, action| {
            Some(AppMessage::Key(KeyEvent { symbol, modifiers: Modifiers::default(), action }))
        };
        let none = KeyModifiers::NONE;
        let release = message_of_key(KeyCode::Char('q'), none, KeyEventKind::Release);
        assert_eq!(release, key_event(KeySymbol::Code(BaseKey::Char('q')), KeyAction::Release));
        let repeat = message_of_key(KeyCode::Char('j'), none, KeyEventKind::Repeat);
        assert_eq!(repeat, key_event(KeySymbol::Code(BaseKey::Char('j')), KeyAction::Repeat));
        let shift_key = KeyCode::Modifier(ModifierKeyCode::LeftShift);
        assert_eq!(
            message_of_key(shift_key, none, press),
            key_event(KeySymbol::Number(57441), KeyAction::Press)
        );
    }

    fn click(clicks: &mut ClickTracker, column: u16, now: Instant) -> Option<MouseKind> {
        let event = MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column,
            row: 1,
            modifiers: KeyModifiers::NONE,
        };
        clicks.mouse_event(&event, now).map(|mouse| mouse.kind)
    }

    #[test]
    fn two_quick_clicks_on_one_cell_are_a_double_click() {
        let (mut clicks, start) = (ClickTracker::default(), Instant::now());

        assert_eq!(click(&mut clicks, 4, start), Some(MouseKind::Click));
        assert_eq!(
            click(&mut clicks, 4, start + DOUBLE_CLICK_TIME / 2),
            Some(MouseKind::DoubleClick)
        );
        assert_eq!(click(&mut clicks, 4, start + DOUBLE_CLICK_TIME / 2), Some(MouseKind::Click));
        assert_eq!(click(&mut clicks, 5, start + DOUBLE_CLICK_TIME / 2), Some(MouseKind::Click));
        assert_eq!(click(&mut clicks, 5, start + DOUBLE_CLICK_TIME * 2), Some(MouseKind::Click));
    }
}
