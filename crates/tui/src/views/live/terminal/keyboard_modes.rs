//! The keyboard modes that a program requested: the kitty keyboard protocol, and xterm's `modifyOtherKeys`.
//!
//! The emulator does not handle them: it would answer a query with the last pushed flags, not with the current ones,
//! and a program that pushes without end makes it crash. [`WithKeyboard`] sits between the parser and the emulator,
//! handles these sequences and passes the rest on, so that answers keep their order and each screen its stack.

use alacritty_terminal::{
    event::{Event, EventListener},
    grid::Dimensions,
    term::{Term, TermMode},
    vte::ansi::{
        Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
        KeyboardModesApplyBehavior, LineClearMode, Mode, ModifyOtherKeys, NamedPrivateMode,
        PrivateMode, Rgb, StandardCharset, TabulationClearMode, cursor_icon::CursorIcon,
    },
};

use super::{MAX_TITLE_CHARS, checkpoint::HiddenState};

/// Enhancements of the kitty keyboard protocol, as bits of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyboardFlags(pub u8);

impl KeyboardFlags {
    /// Keys that are no text come as sequences that nothing else begins with.
    pub(crate) const DISAMBIGUATE: Self = Self(1);
    /// Repeats and releases are reported.
    pub const EVENTS: Self = Self(2);
    /// The shifted character is reported with the key.
    pub(crate) const ALTERNATES: Self = Self(4);
    /// Keys that are text come as sequences too.
    pub(crate) const ALL_KEYS: Self = Self(8);
    /// And the text with them.
    pub const TEXT: Self = Self(16);

    /// Returns whether both sets have a flag in common.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Sets of flags that a screen keeps at most; of more the oldest is forgotten.
const MAX_FLAG_SETS: usize = 32;

/// The current keyboard modes.
#[derive(Debug, Clone, Default)]
pub struct KeyboardState {
    /// The flags of the main screen and of the alternate screen; the last of a stack is current.
    stacks: [Vec<KeyboardFlags>; 2],
    other_keys: OtherKeys,
}

/// xterm's `modifyOtherKeys`: modified keys come as `CSI 27 ; modifiers ; code ~`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherKeys {
    #[default]
    No,
    /// Keys that have no bytes of their own.
    Unknown,
    All,
}

impl KeyboardState {
    /// Returns the flags that the program requested on the visible screen.
    pub(crate) fn current_flags(&self, modes: TermMode) -> KeyboardFlags {
        self.stacks[screen_index(modes)].last().copied().unwrap_or_default()
    }

    pub(crate) const fn other_keys(&self) -> OtherKeys {
        self.other_keys
    }

    /// Returns the flags that the surrounding terminal needs so that keys can be reported as the program wants them.
    /// Text is known only from the shifted character.
    pub fn outer_flags(&self, modes: TermMode) -> KeyboardFlags {
        let flags = self.current_flags(modes);
        match (flags.is_empty(), self.other_keys) {
            (true, OtherKeys::No) => KeyboardFlags::default(),
            (true, _) => KeyboardFlags::DISAMBIGUATE,
            (false, _) if flags.has_any(KeyboardFlags::TEXT) => {
                KeyboardFlags(flags.0 & !KeyboardFlags::TEXT.0 | KeyboardFlags::ALTERNATES.0)
            }
            (false, _) => flags,
        }
    }

    fn set_flags(
        &mut self,
        modes: TermMode,
        flags: KeyboardFlags,
        how: KeyboardModesApplyBehavior,
    ) {
        let stack = &mut self.stacks[screen_index(modes)];
        let before = stack.pop().unwrap_or_default();
        stack.push(match how {
            KeyboardModesApplyBehavior::Replace => flags,
            KeyboardModesApplyBehavior::Union => KeyboardFlags(before.0 | flags.0),
            KeyboardModesApplyBehavior::Difference => KeyboardFlags(before.0 & !flags.0),
        });
    }

    fn push_flags(&mut self, modes: TermMode, flags: KeyboardFlags) {
        let stack = &mut self.stacks[screen_index(modes)];
        if stack.len() == MAX_FLAG_SETS {
            stack.remove(0);
        }
        stack.push(flags);
    }

    fn pop_flags(&mut self, modes: TermMode, count: u16) {
        let stack = &mut self.stacks[screen_index(modes)];
        stack.truncate(stack.len().saturating_sub(usize::from(count)));
    }
}

fn screen_index(modes: TermMode) -> usize {
    usize::from(modes.contains(TermMode::ALT_SCREEN))
}

fn flags_from_modes(modes: KeyboardModes) -> KeyboardFlags {
    KeyboardFlags(modes.bits())
}

/// The emulator and the keyboard modes, which receive the parsed output of the program.
pub struct WithKeyboard<'a, L: EventListener> {
    pub term: &'a mut Term<L>,
    pub keyboard: &'a mut KeyboardState,
    pub outbox: &'a L,
    pub hidden: &'a mut HiddenState,
}

impl<L: EventListener> WithKeyboard<'_, L> {
    fn term_modes(&self) -> TermMode {
        *self.term.mode()
    }

    /// Notes that a change of the columns gives the scroll region the whole screen.
    fn note_column_mode(&mut self, mode: PrivateMode) {
        if mode == PrivateMode::Named(NamedPrivateMode::ColumnMode) {
            self.hidden.note_scroll_region(true);
        }
    }

    /// Notes an action that may write every cell of the screen.
    fn note_whole_screen(&mut self) {
        self.hidden.note_written(self.term.screen_lines() * self.term.columns());
    }

    fn send_answer(&self, words: String) {
        self.outbox.send_event(Event::PtyWrite(words));
    }
}

/// Methods that the emulator has for itself.
macro_rules! hand_on {
    ($($method:ident($($argument:ident: $kind:ty),*);)*) => {
        $(fn $method(&mut self, $($argument: $kind),*) {
            self.term.$method($($argument),*);
        })*
    };
}

/// Methods that the emulator has for itself, which may write every cell of the screen.
macro_rules! hand_on_as_work {
    ($($method:ident($($argument:ident: $kind:ty),*);)*) => {
        $(fn $method(&mut self, $($argument: $kind),*) {
            self.note_whole_screen();
            self.term.$method($($argument),*);
        })*
    };
}

/// Every method of the trait must be here: a missing one would do nothing.
impl<L: EventListener> Handler for WithKeyboard<'_, L> {
    fn report_keyboard_mode(&mut self) {
        let KeyboardFlags(flags) = self.keyboard.current_flags(self.term_modes());
        self.send_answer(format!("\x1b[?{flags}u"));
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        self.keyboard.push_flags(self.term_modes(), flags_from_modes(mode));
    }

    fn pop_keyboard_modes(&mut self, to_pop: u16) {
        self.keyboard.pop_flags(self.term_modes(), to_pop);
    }

    fn set_keyboard_mode(&mut self, mode: KeyboardModes, behavior: KeyboardModesApplyBehavior) {
        self.keyboard.set_flags(self.term_modes(), flags_from_modes(mode), behavior);
    }

    fn set_modify_other_keys(&mut self, mode: ModifyOtherKeys) {
        self.keyboard.other_keys = match mode {
            ModifyOtherKeys::Reset => OtherKeys::No,
            ModifyOtherKeys::EnableExceptWellDefined => OtherKeys::Unknown,
            ModifyOtherKeys::EnableAll => OtherKeys::All,
        };
    }

    fn report_modify_other_keys(&mut self) {
        let level = self.keyboard.other_keys as u8;
        self.send_answer(format!("\x1b[>4;{level}m"));
    }

    fn reset_state(&mut self) {
        *self.keyboard = KeyboardState::default();
        self.hidden.note_reset();
        self.note_whole_screen();
        self.term.reset_state();
        // The emulator forgets its title without an event.
        self.outbox.send_event(Event::ResetTitle);
    }

    fn input(&mut self, c: char) {
        self.hidden.note_char(c);
        self.hidden.note_written(1);
        self.term.input(c);
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        let rows = self.term.screen_lines();
        self.hidden.note_scroll_region(top <= 1 && bottom.is_none_or(|bottom| bottom >= rows));
        self.term.set_scrolling_region(top, bottom);
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        self.note_column_mode(mode);
        self.note_whole_screen();
        self.term.set_private_mode(mode);
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        self.note_column_mode(mode);
        self.note_whole_screen();
        self.term.unset_private_mode(mode);
        if !self.term_modes().contains(TermMode::ALT_SCREEN) {
            self.hidden.note_main_screen();
        }
    }

    fn save_cursor_position(&mut self) {
        self.hidden.note_saved_cursor(self.term_modes());
        self.term.save_cursor_position();
    }

    fn linefeed(&mut self) {
        self.hidden.note_written(self.term.columns());
        self.term.linefeed();
    }

    fn set_title(&mut self, title: Option<String>) {
        // A program can put thousands of titles aside.
        let title = title.map(|title| title.chars().take(MAX_TITLE_CHARS).collect());
        self.term.set_title(title);
    }

    fn set_horizontal_tabstop(&mut self) {
        self.hidden.note_tab_stops();
        self.term.set_horizontal_tabstop();
    }

    fn clear_tabs(&mut self, mode: TabulationClearMode) {
        self.hidden.note_tab_stops();
        self.term.clear_tabs(mode);
    }

    fn set_tabs(&mut self, interval: u16) {
        self.hidden.note_tab_stops();
        self.term.set_tabs(interval);
    }

    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.hidden.note_charset(index);
        self.term.set_active_charset(index);
    }

    fn push_title(&mut self) {
        self.hidden.note_title_pushed();
        self.term.push_title();
    }

    fn pop_title(&mut self) {
        self.hidden.note_title_popped();
        self.term.pop_title();
    }

    hand_on! {
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, column: usize);
        goto_line(line: i32);
        goto_col(column: usize);
        insert_blank(count: usize);
        move_up(rows: usize);
        move_down(rows: usize);
        identify_terminal(intermediate: Option<char>);
        device_status(what: usize);
        move_forward(columns: usize);
        move_backward(columns: usize);
        move_down_and_cr(rows: usize);
        move_up_and_cr(rows: usize);
        put_tab(count: u16);
        backspace();
        carriage_return();
        bell();
        substitute();
        erase_chars(count: usize);
        delete_chars(count: usize);
        restore_cursor_position();
        clear_line(mode: LineClearMode);
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        report_private_mode(mode: PrivateMode);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, colour: Rgb);
        dynamic_color_sequence(prefix: String, index: usize, terminator: &str);
        reset_color(index: usize);
        clipboard_store(clipboard: u8, base64: &[u8]);
        clipboard_load(clipboard: u8, terminator: &str);
        text_area_size_pixels();
        text_area_size_chars();
        set_hyperlink(link: Option<Hyperlink>);
        set_mouse_cursor_icon(icon: CursorIcon);
    }

    hand_on_as_work! {
        newline();
        scroll_up(rows: usize);
        scroll_down(rows: usize);
        insert_blank_lines(count: usize);
        delete_lines(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        clear_screen(mode: ClearMode);
        reverse_index();
        decaln();
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::super::TerminalScreen;

    /// Returns the replies of a terminal after a program has written `words`.
    fn replies_to(words: &str) -> String {
        let mut terminal = TerminalScreen::new(Size { width: 20, height: 4 });
        String::from_utf8(terminal.feed(words.as_bytes()).replies).unwrap()
    }

    #[test]
    fn a_program_that_asks_is_told_what_holds() {
        assert_eq!(replies_to("\x1b[?u"), "\x1b[?0u");
        assert_eq!(replies_to("\x1b[>5u\x1b[?u"), "\x1b[?5u");
        assert_eq!(replies_to("\x1b[=1u\x1b[=2;2u\x1b[?u"), "\x1b[?3u");
        assert_eq!(replies_to("\x1b[>7u\x1b[=2;3u\x1b[?u"), "\x1b[?5u");
        assert_eq!(replies_to("\x1b[>1u\x1b[>3u\x1b[<u\x1b[?u"), "\x1b[?1u");
        assert_eq!(replies_to("\x1b[>1u\x1b[>3u\x1b[<9u\x1b[?u"), "\x1b[?0u");
        assert_eq!(replies_to("\x1b[>31u\x1bc\x1b[?u"), "\x1b[?0u", "a full reset");
        assert_eq!(replies_to("\x1b[?4m\x1b[>4;2m\x1b[?4m"), "\x1b[>4;0m\x1b[>4;2m");
    }

    #[test]
    fn answers_keep_the_order_of_the_questions() {
        assert_eq!(replies_to("\x1b[>1u\x1b[?u\x1b[c"), "\x1b[?1u\x1b[?6c");
        let replies = replies_to("\x1b[?2026h\x1b[?u\x1b[c\x1b[?2026l");
        assert_eq!(replies, "\x1b[?0u\x1b[?6c");
    }

    #[test]
    fn each_screen_has_flags_of_its_own() {
        let both = "\x1b[>1u\x1b[?1049h\x1b[?u\x1b[>9u\x1b[?u\x1b[?1049l\x1b[?u";
        assert_eq!(replies_to(both), "\x1b[?0u\x1b[?9u\x1b[?1u");
    }

    #[test]
    fn a_program_that_pushes_without_end_is_harmless() {
        assert_eq!(replies_to(&("\x1b[>3u".repeat(9_000) + "\x1b[<31u\x1b[?u")), "\x1b[?3u");
        assert_eq!(replies_to(&("\x1b[>3u".repeat(9_000) + "\x1b[<32u\x1b[?u")), "\x1b[?0u");
    }
}
