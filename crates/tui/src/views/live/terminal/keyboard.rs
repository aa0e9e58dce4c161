//! What a program has asked of the keyboard: the kitty keyboard protocol, and xterm's `modifyOtherKeys`.
//!
//! The emulator is kept out of it: it answers a question with what was pushed last, not with what holds, and a program that pushes
//! without end makes it fall over. [`WithKeyboard`] stands between the parser and the emulator, takes these sequences and hands on the rest, so
//! that answers keep their order and each screen its stack.

use alacritty_terminal::{
    event::{Event, EventListener},
    term::{Term, TermMode},
    vte::ansi::{
        Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, KeyboardModes,
        KeyboardModesApplyBehavior, LineClearMode, Mode, ModifyOtherKeys, PrivateMode, Rgb,
        StandardCharset, TabulationClearMode, cursor_icon::CursorIcon,
    },
};

/// Enhancements of the kitty keyboard protocol, as bits of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// Keys that are no text come as sequences that nothing else begins with.
    pub const DISAMBIGUATE: Self = Self(1);
    /// Repeats and releases are told.
    pub const EVENTS: Self = Self(2);
    /// The shifted character is told with the key.
    pub const ALTERNATES: Self = Self(4);
    /// Keys that are text come as sequences too.
    pub const ALL_KEYS: Self = Self(8);
    /// And the text with them.
    pub const TEXT: Self = Self(16);

    /// Whether any of the others is among them.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Sets of flags that a screen keeps at most; of more the oldest is forgotten.
const MOST: usize = 32;

/// What holds of the keyboard.
#[derive(Debug, Default)]
pub struct Keyboard {
    /// Of the main screen and of the other one; what holds is the last.
    stacks: [Vec<Flags>; 2],
    other_keys: OtherKeys,
}

/// xterm's `modifyOtherKeys`: modified keys come as `CSI 27 ; modifiers ; code ~`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherKeys {
    #[default]
    No,
    /// Those that have no bytes of their own.
    Unknown,
    All,
}

impl Keyboard {
    /// What the program asked for on the screen that is shown.
    pub fn flags(&self, modes: TermMode) -> Flags {
        self.stacks[side(modes)].last().copied().unwrap_or_default()
    }

    pub const fn other_keys(&self) -> OtherKeys {
        self.other_keys
    }

    /// Which flags the terminal around us has to be given so that the keys can be told as the program wants them. A text is known to
    /// us by the shifted character alone.
    pub fn outer_flags(&self, modes: TermMode) -> Flags {
        let flags = self.flags(modes);
        match (flags.is_empty(), self.other_keys) {
            (true, OtherKeys::No) => Flags::default(),
            (true, _) => Flags::DISAMBIGUATE,
            (false, _) if flags.has(Flags::TEXT) => {
                Flags(flags.0 & !Flags::TEXT.0 | Flags::ALTERNATES.0)
            }
            (false, _) => flags,
        }
    }

    fn set(&mut self, modes: TermMode, flags: Flags, how: KeyboardModesApplyBehavior) {
        let stack = &mut self.stacks[side(modes)];
        let before = stack.pop().unwrap_or_default();
        stack.push(match how {
            KeyboardModesApplyBehavior::Replace => flags,
            KeyboardModesApplyBehavior::Union => Flags(before.0 | flags.0),
            KeyboardModesApplyBehavior::Difference => Flags(before.0 & !flags.0),
        });
    }

    fn push(&mut self, modes: TermMode, flags: Flags) {
        let stack = &mut self.stacks[side(modes)];
        if stack.len() == MOST {
            stack.remove(0);
        }
        stack.push(flags);
    }

    fn pop(&mut self, modes: TermMode, count: u16) {
        let stack = &mut self.stacks[side(modes)];
        stack.truncate(stack.len().saturating_sub(usize::from(count)));
    }
}

fn side(modes: TermMode) -> usize {
    usize::from(modes.contains(TermMode::ALT_SCREEN))
}

fn flags_of(modes: KeyboardModes) -> Flags {
    Flags(modes.bits())
}

/// The emulator and the keyboard, as the parser tells them what the program wrote.
pub struct WithKeyboard<'a, L: EventListener> {
    pub term: &'a mut Term<L>,
    pub keyboard: &'a mut Keyboard,
    pub outbox: &'a L,
}

impl<L: EventListener> WithKeyboard<'_, L> {
    fn modes(&self) -> TermMode {
        *self.term.mode()
    }

    fn answer(&self, words: String) {
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

/// Every method of the trait stands here: one that does not would do nothing.
impl<L: EventListener> Handler for WithKeyboard<'_, L> {
    fn report_keyboard_mode(&mut self) {
        let Flags(flags) = self.keyboard.flags(self.modes());
        self.answer(format!("\x1b[?{flags}u"));
    }

    fn push_keyboard_mode(&mut self, mode: KeyboardModes) {
        self.keyboard.push(self.modes(), flags_of(mode));
    }

    fn pop_keyboard_modes(&mut self, to_pop: u16) {
        self.keyboard.pop(self.modes(), to_pop);
    }

    fn set_keyboard_mode(&mut self, mode: KeyboardModes, behavior: KeyboardModesApplyBehavior) {
        self.keyboard.set(self.modes(), flags_of(mode), behavior);
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
        self.answer(format!("\x1b[>4;{level}m"));
    }

    fn reset_state(&mut self) {
        *self.keyboard = Keyboard::default();
        self.term.reset_state();
    }

    hand_on! {
        set_title(title: Option<String>);
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        input(c: char);
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
        linefeed();
        bell();
        substitute();
        newline();
        set_horizontal_tabstop();
        scroll_up(rows: usize);
        scroll_down(rows: usize);
        insert_blank_lines(count: usize);
        delete_lines(count: usize);
        erase_chars(count: usize);
        delete_chars(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        restore_cursor_position();
        clear_line(mode: LineClearMode);
        clear_screen(mode: ClearMode);
        clear_tabs(mode: TabulationClearMode);
        set_tabs(interval: u16);
        reverse_index();
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        set_private_mode(mode: PrivateMode);
        unset_private_mode(mode: PrivateMode);
        report_private_mode(mode: PrivateMode);
        set_scrolling_region(top: usize, bottom: Option<usize>);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_active_charset(index: CharsetIndex);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, colour: Rgb);
        dynamic_color_sequence(prefix: String, index: usize, terminator: &str);
        reset_color(index: usize);
        clipboard_store(clipboard: u8, base64: &[u8]);
        clipboard_load(clipboard: u8, terminator: &str);
        decaln();
        push_title();
        pop_title();
        text_area_size_pixels();
        text_area_size_chars();
        set_hyperlink(link: Option<Hyperlink>);
        set_mouse_cursor_icon(icon: CursorIcon);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::super::Terminal;

    /// What a terminal answers after a program has written this.
    fn answered(words: &str) -> String {
        let mut terminal = Terminal::new(Size { width: 20, height: 4 });
        String::from_utf8(terminal.feed(words.as_bytes()).replies).unwrap()
    }

    #[test]
    fn a_program_that_asks_is_told_what_holds() {
        assert_eq!(answered("\x1b[?u"), "\x1b[?0u");
        assert_eq!(answered("\x1b[>5u\x1b[?u"), "\x1b[?5u");
        assert_eq!(answered("\x1b[=1u\x1b[=2;2u\x1b[?u"), "\x1b[?3u");
        assert_eq!(answered("\x1b[>7u\x1b[=2;3u\x1b[?u"), "\x1b[?5u");
        assert_eq!(answered("\x1b[>1u\x1b[>3u\x1b[<u\x1b[?u"), "\x1b[?1u");
        assert_eq!(answered("\x1b[>1u\x1b[>3u\x1b[<9u\x1b[?u"), "\x1b[?0u");
        assert_eq!(answered("\x1b[>31u\x1bc\x1b[?u"), "\x1b[?0u", "a full reset");
        assert_eq!(answered("\x1b[?4m\x1b[>4;2m\x1b[?4m"), "\x1b[>4;0m\x1b[>4;2m");
    }

    #[test]
    fn answers_keep_the_order_of_the_questions() {
        assert_eq!(answered("\x1b[>1u\x1b[?u\x1b[c"), "\x1b[?1u\x1b[?6c");
        let held = answered("\x1b[?2026h\x1b[?u\x1b[c\x1b[?2026l");
        assert_eq!(held, "\x1b[?0u\x1b[?6c");
    }

    #[test]
    fn each_screen_has_flags_of_its_own() {
        let both = "\x1b[>1u\x1b[?1049h\x1b[?u\x1b[>9u\x1b[?u\x1b[?1049l\x1b[?u";
        assert_eq!(answered(both), "\x1b[?0u\x1b[?9u\x1b[?1u");
    }

    #[test]
    fn a_program_that_pushes_without_end_is_harmless() {
        assert_eq!(answered(&("\x1b[>3u".repeat(9_000) + "\x1b[<31u\x1b[?u")), "\x1b[?3u");
        assert_eq!(answered(&("\x1b[>3u".repeat(9_000) + "\x1b[<32u\x1b[?u")), "\x1b[?0u");
    }
}
