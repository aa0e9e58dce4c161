//! Makes recorded text safe for the screen.
//!
//! A recording contains text of others. ratatui drops control characters but leaves the rest of an escape sequence
//! readable, and lets invisible direction marks through, which can make code look like other code (CVE-2021-42574). We
//! show both instead of obeying or hiding them: [`safe_line`] replaces every invisible character by a visible sign,
//! expands tabs, and records the position of each source byte ([`SafeLine::safe_offset`]), so that colours and search
//! hits can follow. The invisible characters are Unicode's own classes (`UNSEEN`), not a list of ours.
//!
//! The second part measures, cuts ([`truncate`]) and breaks ([`wrap_safe_text`]) text. These functions measure as
//! ratatui paints, grapheme by grapheme, and expect text that is safe already.

use std::{borrow::Cow, fmt::Write as _, ops::Range, sync::OnceLock};

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters that are invisible on a screen, or change how others are shown: controls, formats (direction, joiners,
/// tags), unassigned characters, line separators, and all that Unicode allows to ignore (fillers, variation selectors).
/// Private characters are kept: fonts for terminals draw them.
const UNSEEN: &str = r"[[\p{C}--\p{Co}]\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]";

/// Characters that combine with the one before: marks, and the later parts of a Hangul syllable.
const COMBINING: &str = r"[\p{M}\p{Grapheme_Extend}\x{1160}-\x{11FF}\x{D7B0}-\x{D7FF}]";

/// More marks than this on one character are counted, not shown: no script needs them, and they paint over the
/// lines around.
const MAX_MARKS: usize = 8;

/// Tabs stop at multiples of this where the caller does not say.
const DEFAULT_TAB_WIDTH: usize = 4;

/// The signs that the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignSet {
    /// `␛`, `⟨U+202E⟩`.
    #[default]
    Unicode,
    /// `<1b>`, `<202e>`.
    Ascii,
}

/// A line that can be shown as it is, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SafeLine {
    pub text: String,
    /// The replaced parts, in order.
    rewrites: Vec<TextRewrite>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct TextRewrite {
    source: Range<usize>,
    safe: Range<usize>,
    kind: RewriteKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RewriteKind {
    Tab,
    Sign,
}

/// Returns `text` on one line with every invisible character replaced. For names and sentences; for lines of a file use
/// [`safe_line`].
pub fn safe(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(safe_line(text, DEFAULT_TAB_WIDTH, SignSet::Unicode).text)
    }
}

/// Returns a line with every invisible character replaced and its tabs expanded to the next multiple of `tab_width`
/// columns.
pub fn safe_line(text: &str, tab_width: usize, signs: SignSet) -> SafeLine {
    if is_safe(text) {
        return SafeLine { text: text.to_owned(), rewrites: vec![] };
    }
    let mut writer = SafeLineWriter::new(text, tab_width, signs);
    let mut done = 0;
    for special in char_classes().special.find_iter(text) {
        writer.copy_range(done..special.start());
        writer.write_special(special.range(), special.as_str());
        done = special.end();
    }
    writer.copy_range(done..text.len());
    writer.finish()
}

impl SafeLine {
    /// Returns the position of a source byte in the safe text. Inside a replaced part this is the beginning of its
    /// sign, inside a character its first byte, and past the end the end. The result never falls as the byte rises.
    pub fn safe_offset(&self, byte: usize) -> usize {
        let after = self.rewrites.partition_point(|rewrite| rewrite.source.start <= byte);
        let place = match after.checked_sub(1).map(|last| &self.rewrites[last]) {
            None => byte,
            Some(last) if byte < last.source.end => last.safe.start,
            Some(last) => last.safe.end.saturating_add(byte - last.source.end),
        };
        floor_boundary(&self.text, place)
    }

    /// Returns the position of a source range in the safe text.
    pub fn safe_range(&self, source: Range<usize>) -> Range<usize> {
        self.safe_offset(source.start)..self.safe_offset(source.end)
    }

    /// Returns the signs for invisible characters as ranges of the safe text, to distinguish them from text that looks
    /// like a sign.
    pub fn sign_ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let signs = self.rewrites.iter().filter(|rewrite| rewrite.kind == RewriteKind::Sign);
        signs.map(|rewrite| rewrite.safe.clone())
    }
}

fn floor_boundary(text: &str, byte: usize) -> usize {
    let mut place = byte.min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}

/// Builds a [`SafeLine`] from left to right.
struct SafeLineWriter<'t> {
    source: &'t str,
    tab_width: usize,
    signs: SignSet,
    safe: SafeLine,
    /// The safe text up to here is `column` columns wide.
    measured: usize,
    column: usize,
    /// The character that marks would combine with; None at the start and after a sign.
    base: Option<BaseChar>,
}

struct BaseChar {
    character: char,
    marks: usize,
    /// Marks that are not shown.
    dropped: Option<Range<usize>>,
}

impl<'t> SafeLineWriter<'t> {
    fn new(source: &'t str, tab_width: usize, signs: SignSet) -> Self {
        let safe = SafeLine::default();
        Self {
            source,
            tab_width: tab_width.max(1),
            signs,
            safe,
            measured: 0,
            column: 0,
            base: None,
        }
    }

    /// Copies text that needs no replacement.
    fn copy_range(&mut self, range: Range<usize>) {
        let text = &self.source[range];
        if let Some(character) = text.chars().next_back() {
            self.close_marks();
            self.safe.text.push_str(text);
            self.base = Some(BaseChar { character, marks: 0, dropped: None });
        }
    }

    fn write_special(&mut self, at: Range<usize>, special: &str) {
        let Some(c) = special.chars().next() else { return };
        match self.special_role(c, special) {
            SpecialRole::Tab => self.write_tab(at),
            SpecialRole::Unseen => self.write_sign(at, sign_for_char(c, self.signs)),
            SpecialRole::Spacing => self.copy_range(at),
            SpecialRole::Mark => self.write_mark(at, c),
        }
    }

    fn special_role(&self, c: char, text: &str) -> SpecialRole {
        let base = self.base.as_ref().filter(|base| base.marks == 0).map(|base| base.character);
        if c == '\t' {
            SpecialRole::Tab
        } else if is_presentation(c) && base.is_some_and(is_emoji) {
            SpecialRole::Mark
        } else if char_classes().unseen.is_match(text) {
            SpecialRole::Unseen
        } else if self.joins_cell_before(c) {
            SpecialRole::Mark
        } else if c.width() > Some(0) {
            SpecialRole::Spacing
        } else {
            SpecialRole::Unseen
        }
    }

    /// Returns whether the character becomes part of the cell before.
    fn joins_cell_before(&self, c: char) -> bool {
        let before = self.base.as_ref().and(self.safe.text.chars().next_back());
        before.is_some_and(|before| {
            let pair: String = [before, c].iter().collect();
            pair.graphemes(true).count() == 1
        })
    }

    fn write_tab(&mut self, at: Range<usize>) {
        self.close_marks();
        self.column += width(&self.safe.text[self.measured..]);
        let columns = self.tab_width - self.column % self.tab_width;
        self.push_rewrite(at, RewriteKind::Tab, &" ".repeat(columns));
        self.column += columns;
        self.measured = self.safe.text.len();
    }

    fn write_sign(&mut self, at: Range<usize>, sign: String) {
        self.close_marks();
        self.push_rewrite(at, RewriteKind::Sign, &sign);
    }

    fn write_mark(&mut self, at: Range<usize>, c: char) {
        let Some(base) = &mut self.base else { return };
        base.marks += 1;
        if base.marks <= MAX_MARKS {
            self.safe.text.push(c);
        } else {
            base.dropped.get_or_insert(at.clone()).end = at.end;
        }
    }

    /// Says how many marks were left out, once their character is over.
    fn close_marks(&mut self) {
        let Some(base) = self.base.take() else { return };
        if let Some(dropped) = base.dropped {
            let count = base.marks - MAX_MARKS;
            let (open, close) = sign_brackets(self.signs);
            self.push_rewrite(dropped, RewriteKind::Sign, &format!("{open}+{count}{close}"));
        }
    }

    fn push_rewrite(&mut self, source: Range<usize>, kind: RewriteKind, text: &str) {
        let start = self.safe.text.len();
        self.safe.text.push_str(text);
        self.safe.rewrites.push(TextRewrite { source, safe: start..self.safe.text.len(), kind });
        self.base = None;
    }

    fn finish(mut self) -> SafeLine {
        self.close_marks();
        self.safe
    }
}

/// The treatment of a special character at its position.
enum SpecialRole {
    Tab,
    /// Invisible, or a mark without a base character.
    Unseen,
    /// Part of the cell before.
    Mark,
    /// Takes a cell of its own after all.
    Spacing,
}

/// The compiled classes.
struct CharClasses {
    unseen: Regex,
    /// All characters that are not copied unchanged.
    special: Regex,
}

fn char_classes() -> &'static CharClasses {
    static COMPILED: OnceLock<CharClasses> = OnceLock::new();
    let compile = |class: &str| Regex::new(class).expect("a constant that the tests compile");
    COMPILED.get_or_init(|| CharClasses {
        unseen: compile(UNSEEN),
        special: compile(&format!("[{UNSEEN}{COMBINING}]")),
    })
}

fn is_safe(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) || !char_classes().special.is_match(text)
}

/// Returns the invisible characters of a text ([`safe`] replaces them by signs) as ranges of bytes.
pub fn unseen_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let found = (!is_safe(text)).then(|| char_classes().unseen.find_iter(text));
    found.into_iter().flatten().map(|character| character.range())
}

/// Asks for an emoji drawn as text or as a picture.
const fn is_presentation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

fn is_emoji(c: char) -> bool {
    static COMPILED: OnceLock<Regex> = OnceLock::new();
    let class = COMPILED.get_or_init(|| {
        Regex::new(r"[\p{Emoji}--\p{ASCII}]").expect("a constant that the tests compile")
    });
    class.is_match(c.encode_utf8(&mut [0; 4]))
}

const fn sign_brackets(signs: SignSet) -> (char, char) {
    match signs {
        SignSet::Unicode => ('⟨', '⟩'),
        SignSet::Ascii => ('<', '>'),
    }
}

/// Returns the sign that replaces an invisible character.
fn sign_for_char(c: char, signs: SignSet) -> String {
    let (open, close) = sign_brackets(signs);
    let code = u32::from(c);
    let mut sign = String::new();
    let written = match (signs, code) {
        (SignSet::Unicode, 0..0x20 | 0x7f) => write!(sign, "{}", control_picture(code)),
        (SignSet::Unicode, _) => write!(sign, "{open}U+{code:04X}{close}"),
        (SignSet::Ascii, _) => write!(sign, "{open}{code:02x}{close}"),
    };
    written.expect("writing to memory does not fail");
    sign
}

/// Returns the Unicode picture of a control character, by its code.
fn control_picture(code: u32) -> char {
    let picture = if code == 0x7f { 0x2421 } else { 0x2400 + code };
    char::from_u32(picture).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the width in columns, as ratatui paints the text.
pub fn width(text: &str) -> usize {
    let plain = plain_prefix_len(text);
    plain + text[plain..].graphemes(true).map(UnicodeWidthStr::width).sum::<usize>()
}

/// Returns the number of letters at the start of a text that are one byte, one grapheme and one column each.
fn plain_prefix_len(text: &str) -> usize {
    let plain = text.bytes().take_while(|byte| matches!(byte, b' '..=b'~')).count();
    // A character that follows may combine with the last of them.
    if plain < text.len() { plain.saturating_sub(1) } else { plain }
}

/// Returns `text` in at most `columns` columns; `ellipsis` replaces the cut part, where it fits.
pub fn truncate<'t>(text: &'t str, columns: usize, ellipsis: &str) -> Cow<'t, str> {
    if fitting_bytes(text, columns) == text.len() {
        return Cow::Borrowed(text);
    }
    match columns.checked_sub(width(ellipsis)) {
        Some(room) => Cow::Owned(format!("{}{ellipsis}", fitting_prefix(text, room))),
        None => Cow::Borrowed(fitting_prefix(text, columns)),
    }
}

/// Returns as many whole graphemes as fit.
fn fitting_prefix(text: &str, columns: usize) -> &str {
    &text[..fitting_bytes(text, columns)]
}

/// Returns as many whole graphemes from the end as fit.
pub(crate) fn fitting_suffix(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let fits = |grapheme: &(usize, &str)| {
        used += grapheme.1.width();
        used <= columns
    };
    let first = text.grapheme_indices(true).rev().take_while(fits).last();
    first.map_or("", |(at, _)| &text[at..])
}

/// Returns the number of bytes that fit.
fn fitting_bytes(text: &str, columns: usize) -> usize {
    let plain = plain_prefix_len(text);
    if plain > columns {
        return columns;
    }
    let mut used = plain;
    let over = text[plain..].grapheme_indices(true).find(|(_, grapheme)| {
        used += grapheme.width();
        used > columns
    });
    over.map_or(text.len(), |(at, _)| plain + at)
}

/// Breaks `text` into rows of at most so many columns, as byte ranges: at blanks where there are any, else between
/// graphemes. Blanks at a break belong to no row. A grapheme wider than a row has one to itself. Never empty.
pub fn wrap_safe_text(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut rows = vec![];
    let mut start = 0;
    while start + fitting_bytes(&text[start..], columns) < text.len() {
        let end = start + next_row_len(&text[start..], columns);
        rows.push(start..start + text[start..end].trim_end_matches(' ').len());
        start = end + leading_blanks(&text[end..]);
    }
    if start < text.len() || rows.is_empty() {
        rows.push(start..text.len());
    }
    rows
}

/// Returns the number of bytes that the next row takes of a text that is too wide; never 0.
fn next_row_len(text: &str, columns: usize) -> usize {
    let fits = fitting_bytes(text, columns);
    if fits == 0 {
        return text.graphemes(true).next().map_or(text.len(), str::len);
    }
    let indent = leading_blanks(text);
    if text[fits..].starts_with(' ') && fits > indent {
        return fits;
    }
    match text[..fits].rfind(' ').map(|blank| blank + 1) {
        Some(end) if end > indent => end,
        _ => fits,
    }
}

fn leading_blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_a_text_begins_with_it_is_as_wide_as_its_graphemes_and_is_cut_between_them(
            letters in prop::collection::vec(prop::sample::select("ab ~é中\u{301}\u{200d}\r\n\u{7f}".chars().collect::<Vec<_>>()), 0..12),
            columns in 0_usize..9,
        ) {
            let text: String = letters.into_iter().collect();
            let widths: Vec<(usize, usize)> =
                text.grapheme_indices(true).map(|(at, it)| (at, it.width())).collect();
            let used = |until: usize| widths[..=until].iter().map(|(_, width)| width).sum::<usize>();
            let over = (0..widths.len()).find(|until| used(*until) > columns);

            prop_assert_eq!(width(&text), widths.iter().map(|(_, width)| width).sum::<usize>());
            prop_assert_eq!(fitting_bytes(&text, columns), over.map_or(text.len(), |at| widths[at].0));
        }
    }
}
