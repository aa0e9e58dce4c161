//! The diff panel: both sides, folds, since when, who wrote it.

use ratatui::layout::Size;
use trajview::{runtime, session::start_place::StartPlace};

use crate::story::{Story, Telling, opener_of, text};

/// At a turn that changes a file and adds another.
const AT_JOINT: &str = "3l f";

#[test]
fn both_sides_stand_beside_each_other_where_there_is_room() {
    insta::assert_snapshot!(text(200, 50, &format!("{AT_JOINT} d <tab><tab>")));
}

#[test]
fn a_screen_of_120_columns_gives_the_diff_all_of_them_first() {
    let narrow = text(120, 40, "3l d");
    assert!(
        narrow.contains("side by side needs 120 columns, the diff has 86; m maximizes it"),
        "{narrow}"
    );
    insta::assert_snapshot!(text(120, 40, "3l f <tab><tab> m d"));
}

#[test]
fn on_a_small_screen_the_diff_stays_unified() {
    let seen = text(80, 24, "3l f <tab><tab> d");
    assert!(seen.contains("the diff has 80"), "{seen}");
}

/// A file of thirty lines, two of them changed far apart.
fn thirty_lines() -> Story {
    let lines = |nine: &str| -> String {
        let line = |number: usize| match number {
            9 => format!("{nine}\n"),
            number => format!("value_{number} = {number}\n"),
        };
        (1..=30).map(line).collect()
    };
    let mut told = Telling::default();
    told.turn("Write thirty values down", |turn| {
        turn.write("values.py", &lines("value_9 = 9"));
        turn.write("docs/notes.md", "# Notes\n");
    });
    told.turn("The ninth is wrong, and one is too many", |turn| {
        turn.write("values.py", &lines("value_9 = 8 + 1").replace("value_22 = 22\n", ""));
    });
    told.end()
}

fn text_of_thirty(width: u16, height: u16, keys: &str) -> String {
    let size = Size { width, height };
    let place = StartPlace::default();
    let buffer =
        runtime::headless_frame_with(opener_of(thirty_lines), &[], size, keys, place).unwrap();
    trajview::widgets::export::frame_text(&buffer)
}

#[test]
fn folded_text_is_counted_and_opens_in_place() {
    let folded = text_of_thirty(120, 40, "l <tab><tab>");
    assert!(folded.contains("▌⋯ 5 lines  @@ −6,7 +6,7 @@"), "{folded}");
    assert!(folded.contains("⋯ 6 lines  @@ −19,7 +19,6 @@"), "{folded}");
    assert!(folded.contains(" ⋯ 5 lines   "), "{folded}");

    insta::assert_snapshot!(text_of_thirty(80, 24, "l <tab><tab> <enter>"));
}

#[test]
fn every_fold_opens_and_closes_at_once() {
    let open = text_of_thirty(120, 70, "l <tab><tab> O");
    assert!(!open.contains("⋯"), "{open}");
    assert!(open.contains("value_1 = 1") && open.contains("value_30 = 30"), "{open}");

    let closed = text_of_thirty(120, 70, "l <tab><tab> O O");
    assert_eq!(closed, text_of_thirty(120, 70, "l <tab><tab>"));
}

#[test]
fn a_fold_opens_on_both_sides() {
    let seen = text_of_thirty(200, 50, "l <tab><tab> d <enter>");
    assert!(seen.contains("▌ 1   value_1 = 1"), "{seen}");
    assert!(seen.contains("│ 1   value_1 = 1"), "{seen}");
    assert!(seen.contains(" 9 − value_9 = 9 ") && seen.contains("│ 9 + value_9 = 8 + 1"), "{seen}");
    assert!(seen.contains("│23   value_24 = 24"), "{seen}");
}

#[test]
fn bases_are_named_and_listed() {
    let checkpoint = text(120, 40, "3l b");
    assert!(checkpoint.contains("diff: start of checkpoint 2 → turn 4"), "{checkpoint}");
    insta::assert_snapshot!(text(120, 40, "5l bb"));
}

#[test]
fn a_marked_turn_is_a_base() {
    let here = text(120, 40, "B");
    assert!(here.contains("turn 1 is marked: changes since its end"), "{here}");
    assert!(here.contains("no differences since marked turn 1"), "{here}");
    let later = text(120, 40, "B 2l");
    assert!(later.contains("diff: marked turn 1 → 3"), "{later}");
    let listed = text(120, 40, "B 2l <s-tab>");
    for file in ["src/ppdiff/joint.py", "src/ppdiff/schedule.py"] {
        assert!(listed.contains(file), "{file}: {listed}");
    }
}

#[test]
fn edits_are_gone_through_turn_after_turn() {
    let titles = |keys: &str| {
        let seen = text(120, 40, keys);
        let title = seen.lines().find(|line| line.contains("file 1/")).unwrap_or(&seen);
        title.rsplit('┌').next().unwrap_or_default().trim().to_owned()
    };
    assert!(titles("c").starts_with("src/ppdiff/data.py  +7   diff of step 3"), "{}", titles("c"));
    assert!(titles("cc").starts_with("pyproject.toml"), "{}", titles("cc"));
    assert!(titles("3c").starts_with("src/ppdiff/schedule.py"), "{}", titles("3c"));
    assert!(titles("3cC").starts_with("pyproject.toml"), "{}", titles("3cC"));
    assert!(text(120, 40, "C").contains("no recorded edit before this one"));
    assert!(text(120, 40, "99c").contains("no recorded edit after this one"));
}

#[test]
fn a_file_is_shown_with_the_turns_that_wrote_it() {
    insta::assert_snapshot!(text(120, 40, "3l f <tab><tab> a"));
    insta::assert_snapshot!(text(80, 24, "3l f <tab><tab> a"));
}

#[test]
fn from_a_line_to_the_turn_that_wrote_it_and_back() {
    let there = text(120, 40, "3l f <tab><tab> a <enter>");
    assert!(there.contains("turn 3, step 4 wrote it; backspace returns"), "{there}");
    assert!(there.contains("turn 3/6"), "{there}");
    assert!(there.contains("diff of step 4"), "{there}");

    let back = text(120, 40, "3l f <tab><tab> a <enter> <bs>");
    assert!(back.contains("turn 4/6") && back.contains("after turn 4"), "{back}");
}

#[test]
fn blame_is_gone_through_from_turn_to_turn() {
    const BLAME: &str = "3l f <tab><tab> a gg";
    let line = |keys: &str| {
        let seen = text(120, 40, &format!("{BLAME} {keys}"));
        let at = seen.lines().find_map(|line| line.split_once("││▌")).unwrap_or_default().1;
        at.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    };

    assert_eq!(line(""), "3.4 1");
    assert_eq!(line("]"), "4.2 4");
    assert_eq!(line("]]"), "3.4 8");
    assert_eq!(line("3]"), "4.2 9");
    assert_eq!(line("9]"), "4.2 9");
    assert_eq!(line("G ["), "4.2 9");
    assert_eq!(line("G 2["), "3.4 8");
    assert_eq!(line("G 9["), "3.4 1");
    let last = text(120, 40, &format!("{BLAME} 9] ]"));
    assert!(last.contains("no other turn wrote lines further that way"), "{last}");
}

#[test]
fn a_file_that_is_read_stays_through_turns_that_do_not_change_it() {
    let seen = text(120, 40, "3l f <tab><tab> a l");
    assert!(seen.contains("src/ppdiff/joint.py  after turn 5"), "{seen}");
    let before = text(120, 40, "3l f <tab><tab> a 3h");
    assert!(before.contains("no such file after turn 1"), "{before}");
}

#[test]
fn all_files_of_a_turn_are_a_tree() {
    insta::assert_snapshot!(text(120, 40, "3l <s-tab> O"));
    insta::assert_snapshot!(text(80, 24, "3l <s-tab> O"));
}

#[test]
fn a_file_of_the_tree_that_does_not_change_here_is_shown_whole() {
    let seen = text(120, 40, "3l <s-tab> O gg <enter> G <enter>");
    assert!(seen.contains("after turn 4"), "{seen}");
    assert!(seen.contains("name = \"ppdiff\""), "{seen}");
}

#[test]
fn side_by_side_on_a_wide_screen_asked_for_twice_is_unified_again() {
    assert_eq!(text(200, 50, "3l d d"), text(200, 50, "3l"));
}
