//! The one way recorded text reaches the screen.
//!
//! A recording is somebody else's words. ratatui drops control characters but leaves the rest of an escape sequence
//! readable, and lets invisible direction marks through, which can make code look like other code (CVE-2021-42574).
//! We show both instead of obeying or hiding them: [`safe_line`] writes every character that would not be seen as a
//! sign that is, expands tabs, and remembers where each source byte went ([`Safe::place`]), so that colours and search
//! hits can follow. What counts as unseen is Unicode's own classes (`UNSEEN`), not a list of ours.
//!
//! Below that: how wide a text is, and how it is cut ([`truncate`]) and broken ([`wrap`]) to fit. These measure as
//! ratatui paints, grapheme by grapheme, and expect text that is safe already.

use std::{borrow::Cow, fmt::Write as _, ops::Range, sync::OnceLock};

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters that leave no mark of their own on a screen, or change how others are shown: controls, formats
/// (direction, joiners, tags), what is not assigned, line separators, and all that Unicode says may be ignored
/// (fillers, variation selectors). Private characters stay: fonts for terminals draw them.
const UNSEEN: &str = r"[[\p{C}--\p{Co}]\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]";

/// Characters that combine with the one before: marks, and the later parts of a Hangul syllable.
const COMBINING: &str = r"[\p{M}\p{Grapheme_Extend}\x{1160}-\x{11FF}\x{D7B0}-\x{D7FF}]";

/// More marks than this on one character are counted, not shown: no script needs them, and they paint over the
/// lines around.
const MOST_MARKS: usize = 8;

/// Tabs stop at multiples of this where the caller does not say.
const TAB: usize = 4;

/// Which signs the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Signs {
    /// `␛`, `⟨U+202E⟩`.
    #[default]
    Unicode,
    /// `<1b>`, `<202e>`.
    Ascii,
}

/// A line that can be shown as it is, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Safe {
    pub text: String,
    /// What was written otherwise, in order.
    rewrites: Vec<Rewrite>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rewrite {
    source: Range<usize>,
    safe: Range<usize>,
    kind: RewriteKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RewriteKind {
    Tab,
    Sign,
}

/// `text` with everything unseen written out, on one line. For names and sentences; for lines of a file take
/// [`safe_line`].
pub fn safe(text: &str) -> Cow<'_, str> {
    if is_safe(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(safe_line(text, TAB, Signs::Unicode).text)
    }
}

/// A line with everything unseen written out and its tabs expanded to the next multiple of `tab_width` columns.
pub fn safe_line(text: &str, tab_width: usize, signs: Signs) -> Safe {
    if is_safe(text) {
        return Safe { text: text.to_owned(), rewrites: vec![] };
    }
    let mut writer = Writer::new(text, tab_width, signs);
    let mut done = 0;
    for special in classes().special.find_iter(text) {
        writer.copy(done..special.start());
        writer.special(special.range(), special.as_str());
        done = special.end();
    }
    writer.copy(done..text.len());
    writer.finish()
}

impl Safe {
    /// Where a byte of the source stands in the safe text. Inside what was written otherwise that is the beginning
    /// of the sign, inside a character its first byte, and past the end the end. Never falls as the byte rises.
    pub fn place(&self, byte: usize) -> usize {
        let after = self.rewrites.partition_point(|rewrite| rewrite.source.start <= byte);
        let place = match after.checked_sub(1).map(|last| &self.rewrites[last]) {
            None => byte,
            Some(last) if byte < last.source.end => last.safe.start,
            Some(last) => last.safe.end.saturating_add(byte - last.source.end),
        };
        floor_boundary(&self.text, place)
    }

    /// Where a range of the source stands in the safe text.
    pub fn range(&self, source: Range<usize>) -> Range<usize> {
        self.place(source.start)..self.place(source.end)
    }

    /// The signs that stand for something unseen, as ranges of the safe text: to be told apart from text that only
    /// looks like one.
    pub fn signs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
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

/// The way to [`Safe`], from left to right.
struct Writer<'t> {
    source: &'t str,
    tab_width: usize,
    signs: Signs,
    safe: Safe,
    /// The safe text up to here is `column` columns wide.
    measured: usize,
    column: usize,
    /// The character that marks would combine with; None at the start and after a sign.
    base: Option<Base>,
}

struct Base {
    character: char,
    marks: usize,
    /// Marks that are not shown.
    dropped: Option<Range<usize>>,
}

impl<'t> Writer<'t> {
    fn new(source: &'t str, tab_width: usize, signs: Signs) -> Self {
        let safe = Safe::default();
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

    /// Text that needs nothing.
    fn copy(&mut self, range: Range<usize>) {
        let text = &self.source[range];
        if let Some(character) = text.chars().next_back() {
            self.close_marks();
            self.safe.text.push_str(text);
            self.base = Some(Base { character, marks: 0, dropped: None });
        }
    }

    fn special(&mut self, at: Range<usize>, special: &str) {
        let Some(c) = special.chars().next() else { return };
        match self.role(c, special) {
            Role::Tab => self.tab(at),
            Role::Unseen => self.sign(at, sign_of(c, self.signs)),
            Role::Spacing => self.copy(at),
            Role::Mark => self.mark(at, c),
        }
    }

    fn role(&self, c: char, text: &str) -> Role {
        let base = self.base.as_ref().filter(|base| base.marks == 0).map(|base| base.character);
        if c == '\t' {
            Role::Tab
        } else if is_presentation(c) && base.is_some_and(is_emoji) {
            Role::Mark
        } else if classes().unseen.is_match(text) {
            Role::Unseen
        } else if self.combines(c) {
            Role::Mark
        } else if c.width() > Some(0) {
            Role::Spacing
        } else {
            Role::Unseen
        }
    }

    /// Whether the character becomes part of the cell before.
    fn combines(&self, c: char) -> bool {
        let before = self.base.as_ref().and(self.safe.text.chars().next_back());
        before.is_some_and(|before| {
            let pair: String = [before, c].iter().collect();
            pair.graphemes(true).count() == 1
        })
    }

    fn tab(&mut self, at: Range<usize>) {
        self.close_marks();
        self.column += width(&self.safe.text[self.measured..]);
        let columns = self.tab_width - self.column % self.tab_width;
        self.rewrite(at, RewriteKind::Tab, &" ".repeat(columns));
        self.column += columns;
        self.measured = self.safe.text.len();
    }

    fn sign(&mut self, at: Range<usize>, sign: String) {
        self.close_marks();
        self.rewrite(at, RewriteKind::Sign, &sign);
    }

    fn mark(&mut self, at: Range<usize>, c: char) {
        let Some(base) = &mut self.base else { return };
        base.marks += 1;
        if base.marks <= MOST_MARKS {
            self.safe.text.push(c);
        } else {
            base.dropped.get_or_insert(at.clone()).end = at.end;
        }
    }

    /// Says how many marks were left out, once their character is over.
    fn close_marks(&mut self) {
        let Some(base) = self.base.take() else { return };
        if let Some(dropped) = base.dropped {
            let count = base.marks - MOST_MARKS;
            let (open, close) = brackets(self.signs);
            self.rewrite(dropped, RewriteKind::Sign, &format!("{open}+{count}{close}"));
        }
    }

    fn rewrite(&mut self, source: Range<usize>, kind: RewriteKind, text: &str) {
        let start = self.safe.text.len();
        self.safe.text.push_str(text);
        self.safe.rewrites.push(Rewrite { source, safe: start..self.safe.text.len(), kind });
        self.base = None;
    }

    fn finish(mut self) -> Safe {
        self.close_marks();
        self.safe
    }
}

/// What a special character is, where it stands.
enum Role {
    Tab,
    /// Not seen, or a mark with nothing to stand on.
    Unseen,
    /// Part of the cell before.
    Mark,
    /// Takes a cell of its own after all.
    Spacing,
}

/// The compiled classes.
struct Classes {
    unseen: Regex,
    /// All that is not copied as it stands.
    special: Regex,
}

fn classes() -> &'static Classes {
    static COMPILED: OnceLock<Classes> = OnceLock::new();
    let compile = |class: &str| Regex::new(class).expect("a constant that the tests compile");
    COMPILED.get_or_init(|| Classes {
        unseen: compile(UNSEEN),
        special: compile(&format!("[{UNSEEN}{COMBINING}]")),
    })
}

fn is_safe(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) || !classes().special.is_match(text)
}

/// The characters of a text that would not be seen ([`safe`] writes signs for them), each with the bytes it takes.
pub fn unseen(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let found = (!is_safe(text)).then(|| classes().unseen.find_iter(text));
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

const fn brackets(signs: Signs) -> (char, char) {
    match signs {
        Signs::Unicode => ('⟨', '⟩'),
        Signs::Ascii => ('<', '>'),
    }
}

/// What is written for a character that would not be seen.
fn sign_of(c: char, signs: Signs) -> String {
    let (open, close) = brackets(signs);
    let code = u32::from(c);
    let mut sign = String::new();
    let written = match (signs, code) {
        (Signs::Unicode, 0..0x20 | 0x7f) => write!(sign, "{}", picture(code)),
        (Signs::Unicode, _) => write!(sign, "{open}U+{code:04X}{close}"),
        (Signs::Ascii, _) => write!(sign, "{open}{code:02x}{close}"),
    };
    written.expect("writing to memory does not fail");
    sign
}

/// The Unicode control picture.
fn picture(code: u32) -> char {
    let picture = if code == 0x7f { 0x2421 } else { 0x2400 + code };
    char::from_u32(picture).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// In columns, as ratatui paints it.
pub fn width(text: &str) -> usize {
    let plain = plain_start(text);
    plain + text[plain..].graphemes(true).map(UnicodeWidthStr::width).sum::<usize>()
}

/// How many letters a text begins with that are a byte, a grapheme and a column each.
fn plain_start(text: &str) -> usize {
    let plain = text.bytes().take_while(|byte| matches!(byte, b' '..=b'~')).count();
    // What follows may stand on top of the last of them.
    if plain < text.len() { plain.saturating_sub(1) } else { plain }
}

/// `text` in at most so many columns; `ellipsis` stands for what was cut, where it fits.
pub fn truncate<'t>(text: &'t str, columns: usize, ellipsis: &str) -> Cow<'t, str> {
    if fitting(text, columns) == text.len() {
        return Cow::Borrowed(text);
    }
    match columns.checked_sub(width(ellipsis)) {
        Some(room) => Cow::Owned(format!("{}{ellipsis}", start_of(text, room))),
        None => Cow::Borrowed(start_of(text, columns)),
    }
}

/// As many whole graphemes as fit.
fn start_of(text: &str, columns: usize) -> &str {
    &text[..fitting(text, columns)]
}

/// As many whole graphemes as fit, from the end.
pub fn end_of(text: &str, columns: usize) -> &str {
    let mut used = 0;
    let fits = |grapheme: &(usize, &str)| {
        used += grapheme.1.width();
        used <= columns
    };
    let first = text.grapheme_indices(true).rev().take_while(fits).last();
    first.map_or("", |(at, _)| &text[at..])
}

/// How many bytes fit.
fn fitting(text: &str, columns: usize) -> usize {
    let plain = plain_start(text);
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

/// `text` broken into rows of at most so many columns, as byte ranges: at blanks where there are any, else between
/// graphemes. Blanks at a break belong to no row. A grapheme wider than a row has one to itself. Never empty.
pub fn wrap(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut rows = vec![];
    let mut start = 0;
    while start + fitting(&text[start..], columns) < text.len() {
        let end = start + row(&text[start..], columns);
        rows.push(start..start + text[start..end].trim_end_matches(' ').len());
        start = end + blanks(&text[end..]);
    }
    if start < text.len() || rows.is_empty() {
        rows.push(start..text.len());
    }
    rows
}

/// How many bytes of a text that is too wide the next row takes; never 0.
fn row(text: &str, columns: usize) -> usize {
    let fits = fitting(text, columns);
    if fits == 0 {
        return text.graphemes(true).next().map_or(text.len(), str::len);
    }
    let indent = blanks(text);
    if text[fits..].starts_with(' ') && fits > indent {
        return fits;
    }
    match text[..fits].rfind(' ').map(|blank| blank + 1) {
        Some(end) if end > indent => end,
        _ => fits,
    }
}

fn blanks(text: &str) -> usize {
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
            prop_assert_eq!(fitting(&text, columns), over.map_or(text.len(), |at| widths[at].0));
        }
    }
}
