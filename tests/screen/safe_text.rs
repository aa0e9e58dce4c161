//! What recorded text may do to the screen: nothing.

use proptest::prelude::*;
use trajview::widgets::text::{SignSet, safe, safe_line, truncate, width, wrap_safe_text};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// Written down by hand from Unicode's charts, so that it does not fail together with the classes it checks.
const UNSEEN: &[(u32, u32)] = &[
    (0x00, 0x1f),
    (0x7f, 0x9f),
    (0xad, 0xad),
    (0x034f, 0x034f),
    (0x061c, 0x061c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x2028, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfdd0, 0xfdef),
    (0xfe00, 0xfe0d),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0xfffe, 0xffff),
    (0x1_bca0, 0x1_bca3),
    (0x1_d173, 0x1_d17a),
    (0x1_fffe, 0x1_ffff),
    (0xe_0000, 0xe_0fff),
    (0x10_fffe, 0x10_ffff),
];

fn is_unseen(c: char) -> bool {
    UNSEEN.iter().any(|&(first, last)| (first..=last).contains(&u32::from(c)))
}

/// Text an attacker would write: whole Unicode, and much of what is on the list.
fn any_text() -> impl Strategy<Value = String> {
    let listed = prop::sample::select(UNSEEN)
        .prop_flat_map(|(first, last)| first..=last)
        .prop_filter_map("a surrogate", char::from_u32);
    let mark = prop::sample::select(vec![
        '\u{301}', '\u{20dd}', '\u{94d}', '\u{93e}', '\u{1161}', '\u{ff9e}',
    ]);
    let tricky = prop::sample::select(vec![
        '\t', '\u{1b}', 'a', ' ', '⚠', '\u{fe0f}', '\u{200d}', '👩', '漢', 'क', '한',
    ]);
    let c = prop_oneof![any::<char>(), listed, mark, tricky];
    prop::collection::vec(c, 0..40).prop_map(String::from_iter)
}

fn any_signs() -> impl Strategy<Value = SignSet> {
    prop::sample::select(vec![SignSet::Unicode, SignSet::Ascii])
}

fn shown_text(text: &str) -> String {
    safe_line(text, 4, SignSet::Unicode).text
}

#[test]
fn an_escape_sequence_is_shown_not_obeyed() {
    assert_eq!(safe("\x1b[31mred\x07"), "␛[31mred␇");
    assert_eq!(safe_line("\x1b[31mred", 4, SignSet::Ascii).text, "<1b>[31mred");
    assert_eq!(safe("\u{9b}31m\u{7f}\r\n"), "⟨U+009B⟩31m␡␍␊");
}

#[test]
fn direction_marks_and_joiners_are_made_visible() {
    assert_eq!(safe("a\u{202e}b"), "a⟨U+202E⟩b");
    assert_eq!(safe_line("a\u{202e}b", 4, SignSet::Ascii).text, "a<202e>b");
    assert_eq!(safe("👩\u{200d}💻"), "👩⟨U+200D⟩💻");
    assert_eq!(safe("pass\u{ad}word\u{feff}\u{e0041}"), "pass⟨U+00AD⟩word⟨U+FEFF⟩⟨U+E0041⟩");
}

#[test]
fn what_unicode_does_not_assign_is_made_visible() {
    assert_eq!(safe("\u{378}\u{ffff}"), "⟨U+0378⟩⟨U+FFFF⟩");
}

#[test]
fn ordinary_words_of_any_script_stay_as_they_are() {
    for text in [
        "x = 1",
        "naïve e\u{301}",
        "日本語",
        "हिन्दी",
        "한국어",
        "עברית",
        "⚠\u{fe0f} ✔\u{fe0f}",
        "🇪🇺 👍🏽",
    ] {
        assert_eq!(safe(text), text);
    }
}

#[test]
fn a_variation_selector_alone_is_made_visible() {
    assert_eq!(safe("a\u{fe0f}"), "a⟨U+FE0F⟩");
    assert_eq!(safe("⚠\u{fe0f}\u{fe0f}"), "⚠\u{fe0f}⟨U+FE0F⟩");
    assert_eq!(safe("\u{fe00}"), "⟨U+FE00⟩");
}

#[test]
fn tabs_reach_the_next_stop() {
    assert_eq!(shown_text("\tx\ty"), "    x   y");
    assert_eq!(shown_text("漢字\ty"), "漢字    y");
    assert_eq!(shown_text("abc\u{1b}\ty"), "abc␛    y");
    assert_eq!(safe_line("a\tb", 0, SignSet::Unicode).text, "a b");
}

#[test]
fn a_flood_of_marks_is_cut_and_counted() {
    let flood = format!("a{}b", "\u{301}".repeat(50));

    assert_eq!(shown_text(&flood), format!("a{}⟨+42⟩b", "\u{301}".repeat(8)));
}

#[test]
fn a_mark_with_nothing_to_stand_on_is_made_visible() {
    assert_eq!(shown_text("\u{301}a"), "⟨U+0301⟩a");
    assert_eq!(shown_text("\t\u{301}"), "    ⟨U+0301⟩");
}

#[test]
fn places_follow_the_text() {
    let line = safe_line("\ta\u{202e}é", 4, SignSet::Unicode);

    assert_eq!(line.text, "    a⟨U+202E⟩é");
    assert_eq!(line.safe_range(1..2), 4..5);
    assert_eq!(&line.text[line.safe_range(2..5)], "⟨U+202E⟩");
    assert_eq!(&line.text[line.safe_range(5..7)], "é");
    assert_eq!(line.safe_offset(6), line.safe_offset(5));
    assert_eq!(line.safe_offset(usize::MAX), line.text.len());
    assert_eq!(line.sign_ranges().collect::<Vec<_>>(), [line.safe_range(2..5)]);
}

#[test]
fn a_text_too_wide_ends_in_an_ellipsis() {
    assert_eq!(truncate("abcdef", 6, "…"), "abcdef");
    assert_eq!(truncate("abcdef", 4, "…"), "abc…");
    assert_eq!(truncate("漢字漢字", 4, "…"), "漢…");
    assert_eq!(truncate("abcdef", 2, "..."), "ab");
    assert_eq!(truncate("abcdef", 0, "…"), "");
}

#[test]
fn a_text_is_broken_at_blanks_and_only_then_in_words() {
    let rows = |text: &'static str, columns| -> Vec<&str> {
        wrap_safe_text(text, columns).into_iter().map(|row| &text[row]).collect()
    };

    assert_eq!(rows("one two  three", 7), ["one two", "three"]);
    assert_eq!(rows("one two three", 5), ["one", "two", "three"]);
    assert_eq!(rows("a extraordinary", 5), ["a", "extra", "ordin", "ary"]);
    assert_eq!(rows("    indented words", 12), ["    indented", "words"]);
    assert_eq!(rows("漢字", 1), ["漢", "字"]);
    assert_eq!(rows("ab", 0), ["a", "b"]);
    assert_eq!(rows("", 5), [""]);
}

proptest! {
    #[test]
    fn whatever_the_text_nothing_unseen_is_left(source in any_text(), tab in 0_usize..9, signs in any_signs()) {
        let line = safe_line(&source, tab, signs);

        let left: Vec<char> = line.text.chars().filter(|&c| is_unseen(c)).collect();
        prop_assert_eq!(left, Vec::<char>::new());
    }

    #[test]
    fn whatever_the_text_each_cell_can_be_seen(source in any_text(), signs in any_signs()) {
        let line = safe_line(&source, 4, signs);

        for cell in line.text.graphemes(true) {
            prop_assert!(width(cell) > 0, "{:?} in {:?}", cell, line.text);
            let marks = cell.chars().skip(1).filter(|c| c.width() == Some(0)).count();
            prop_assert!(marks <= 9, "{:?}", cell);
        }
    }

    #[test]
    fn whatever_the_text_being_safe_is_not_undone_by_being_made_safe(source in any_text()) {
        let once = safe(&source).into_owned();
        prop_assert_eq!(safe(&once), once.as_str());
    }

    #[test]
    fn whatever_the_text_places_rise_and_are_characters(source in any_text(), signs in any_signs()) {
        let line = safe_line(&source, 4, signs);
        let places: Vec<usize> = (0..=source.len()).map(|byte| line.safe_offset(byte)).collect();

        prop_assert!(places.is_sorted());
        prop_assert!(places.iter().all(|&place| line.text.is_char_boundary(place)));
        prop_assert_eq!((places[0], places[source.len()]), (0, line.text.len()));
    }

    #[test]
    fn whatever_the_text_what_was_not_rewritten_is_found_at_its_place(source in any_text()) {
        let line = safe_line(&source, 4, SignSet::Unicode);
        let words = source.char_indices().filter(|(_, c)| c.is_ascii_graphic());

        for (at, c) in words {
            prop_assert!(line.text[line.safe_offset(at)..].starts_with(c));
        }
    }

    #[test]
    fn whatever_the_text_it_is_never_wider_than_asked(source in any_text(), columns in 0_usize..20) {
        let text = safe(&source);

        prop_assert!(width(&truncate(&text, columns, "…")) <= columns);
        for row in wrap_safe_text(&text, columns) {
            let row = &text[row];
            prop_assert!(width(row) <= columns || row.graphemes(true).count() == 1);
        }
    }

    #[test]
    fn whatever_the_text_breaking_it_loses_only_blanks(source in any_text(), columns in 0_usize..20) {
        let text = safe(&source);
        let rows = wrap_safe_text(&text, columns);
        let solid = |text: &str| text.replace(' ', "");

        let kept: String = rows.iter().map(|row| &text[row.clone()]).collect();
        prop_assert_eq!(solid(&kept), solid(&text));
        prop_assert!(rows.windows(2).all(|two| two[0].end <= two[1].start));
    }
}
