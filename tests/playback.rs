//! Keys in, frames out: the replay view without a terminal, always run until idle.

mod screen;

use proptest::prelude::*;
use ratatui::{
    Terminal,
    backend::TestBackend,
    buffer::Buffer,
    layout::Size,
    style::{Color, Modifier, Style},
};
use screen::{Story, Telling, frame, frame_at, opener_of, text, with_story};
use trajview::{
    app::{
        App, At, Effect, Message, Place,
        key::{Code, Key},
        layout::Panel,
        replay::Answer,
    },
    run::files::FileDiff,
    tui,
    ui::{self, theme::Theme},
};

#[test]
fn a_wide_screen_has_every_panel() {
    insta::assert_snapshot!(text(120, 40, "l s s s s <enter>"));
}

#[test]
fn a_very_wide_screen_has_the_steps_beside_the_diff() {
    insta::assert_snapshot!(text(200, 50, "3l <tab><tab><tab> Z"));
}

#[test]
fn on_a_small_screen_panels_are_tabs() {
    insta::assert_snapshot!(text(80, 24, "l <tab><tab> f"));
}

#[test]
fn the_smallest_screen_is_still_usable() {
    insta::assert_snapshot!(text(60, 15, "2l <s-tab> jj <enter>"));
}

#[test]
fn a_screen_too_small_says_how_large_it_must_be() {
    assert_eq!(text(48, 1, ""), "needs 60×15, this terminal is 48×1\n");
}

#[test]
fn help_lists_every_key() {
    insta::assert_snapshot!(text(100, 160, "?"));
}

#[test]
fn the_facts_about_a_run_say_how_it_was_recorded() {
    let seen = text(120, 40, "i");
    assert!(seen.contains("recorded with codex exec on a made-up task"), "{seen}");
    assert!(seen.contains("files known from  recorded edits"), "{seen}");
}

#[test]
fn warnings_name_their_place() {
    let seen = text(120, 40, "e");
    assert!(seen.contains("session/rollout.jsonl:88"), "{seen}");
    assert!(seen.contains("not JSON: expected value at column 1"), "{seen}");
}

#[test]
fn a_search_unfolds_the_step_whose_result_holds_the_words() {
    let seen = text(120, 40, "/test_header_is_skipped(tmp <enter>");
    assert!(seen.contains("hit 1 of 1"), "{seen}");
    assert!(seen.contains("turn 2/6"), "{seen}");
    assert!(seen.contains("▌  ┆     def test_header_is_skipped(tmp_path):"), "{seen}");
}

#[test]
fn a_search_goes_on_from_hit_to_hit_and_back() {
    let seen = |keys| text(120, 40, keys);
    assert!(seen("/loss<enter>").contains("hit 1 of 21"));
    assert!(seen("/loss<enter> nn").contains("hit 3 of 21"));
    assert!(seen("/loss<enter> nn N").contains("hit 2 of 21"));
    let wrapped = seen("/loss<enter> N");
    assert!(wrapped.contains("hit 21 of 21") && wrapped.contains("starts over"), "{wrapped}");
}

#[test]
fn a_pattern_that_cannot_be_read_is_explained_where_it_was_typed() {
    let seen = text(120, 40, "\\ ( <enter>");
    assert!(seen.contains("regex /(") && seen.contains("unclosed group"), "{seen}");
}

#[test]
fn words_that_are_nowhere_are_said_to_be_nowhere() {
    let seen = text(120, 40, "/quokka<enter>");
    assert!(seen.contains("`quokka` is nowhere in this run"), "{seen}");
}

#[test]
fn counts_and_checkpoints_move_by_more_than_one() {
    assert!(text(120, 40, "12l").contains("turn 6/6"));
    assert!(text(120, 40, "4l 2h").contains("turn 3/6"));
    assert!(text(120, 40, "3G").contains("turn 3/6"));
    assert!(text(120, 40, "}").contains("turn 3/6"));
    assert!(text(120, 40, "5l {").contains("turn 3/6"));
    assert!(text(120, 40, "5l 2{").contains("turn 1/6"));
}

#[test]
fn the_diff_of_a_step_is_shown_when_the_step_is_chosen() {
    let seen = text(120, 40, "l s s");
    assert!(seen.contains("src/ppdiff/schedule.py  +9  by step 2 alone  file 1/1"), "{seen}");
    let whole = text(120, 40, "l s s v");
    assert!(whole.contains("src/ppdiff/data.py  +6 −3  since turn 1  file 1/2"), "{whole}");
}

#[test]
fn what_the_log_cannot_explain_is_named() {
    let seen = text(120, 40, "3l");
    assert!(seen.contains("◇ changed outside recorded edits"), "{seen}");
}

#[test]
fn changes_without_lines_are_sentences() {
    let at = |file: &str| {
        let place = Place { turn: Some(At::Final), file: Some(file.into()), ..Place::default() };
        ui::export::text(&frame_at(120, 40, "", place))
    };
    assert!(at("src/ppdiff/pairs.py").contains("renamed, not a line changed"));
    assert!(at("weights.bin").contains("not text: nothing before, 4.1 kB after"));
}

#[test]
fn a_place_to_open_at_is_gone_to() {
    let place = Place {
        turn: Some(At::Turn(4)),
        file: Some("src/ppdiff/joint.py".into()),
        line: Some(9),
        ..Place::default()
    };
    let seen = ui::export::text(&frame_at(120, 40, "", place));
    assert!(seen.contains("▌    9 +     sequence, structure = ce(seq), mse(xyz)"), "{seen}");
}

#[test]
fn a_file_alone_is_opened_where_it_changed_last() {
    let place = |file: &str| Place { file: Some(file.into()), ..Place::default() };
    let seen = |file| ui::export::text(&frame_at(120, 40, "", place(file)));
    assert!(seen("src/ppdiff/joint.py").contains("turn 4/6"));
    assert!(seen("src/nowhere.py").contains("no turn changes src/nowhere.py"));
}

#[test]
fn a_file_that_a_turn_does_not_change_is_told_with_the_turn_that_does() {
    let file = Some("src/ppdiff/joint.py".into());
    let place = Place { turn: Some(At::Turn(1)), file, ..Place::default() };
    let seen = ui::export::text(&frame_at(120, 40, "", place));
    assert!(seen.contains("does not change here, but last in turn 4"), "{seen}");
}

#[test]
fn a_checkpoint_is_opened_at_its_end() {
    let place = Place { turn: Some(At::Checkpoint("cp1".into())), ..Place::default() };
    assert!(ui::export::text(&frame_at(120, 40, "", place)).contains("turn 2/6"));
}

#[test]
fn help_is_there_before_anything_is_open() {
    let mut app = App::default();
    app.update(Message::Resized(Size { width: 80, height: 24 }));
    app.update(Message::Press(Key::char('?')));
    assert!(ui::export::text(&ui::picture(&app, Theme::ansi())).contains("next turn"));
}

#[test]
fn a_long_line_is_read_sideways() {
    let at = "3l f <tab><tab>";
    let line = |keys: &str| {
        let seen = text(60, 20, keys);
        seen.lines().find(|line| line.contains("sequence\"")).unwrap_or(&seen).to_owned()
    };
    assert!(
        line(at).ends_with("return loss, {\"sequence\": sequence, \"structu›│"),
        "{}",
        line(at)
    );
    let moved = line(&format!("{at} >"));
    assert!(moved.contains("+ ‹n loss, {\"sequence\": sequence, \"structure\": str›"), "{moved}");
}

#[test]
fn recorded_text_is_shown_and_never_obeyed() {
    let seen = text(120, 40, "3l");
    assert!(seen.contains("⟨U+202E⟩hidden⟨U+202C⟩ words"), "{seen}");
    assert!(!seen.contains('\u{202e}'));
}

#[test]
fn a_worker_that_panics_leaves_a_sentence_in_its_panel() {
    let story = || Story { cursed: Some("src/ppdiff/joint.py"), ..Story::tell() };
    let size = Size { width: 120, height: 40 };
    let buffer = tui::headless_with(opener_of(story), &[], size, "2l", Place::default()).unwrap();

    let seen = ui::export::text(&buffer);

    assert!(seen.contains("a mistake in trajview"), "{seen}");
    assert!(seen.contains("turn 3/6"), "{seen}");
}

#[test]
fn files_that_cannot_be_known_are_a_sentence_and_the_rest_is_still_shown() {
    let story = || Story { timeline: Err("the repository has no HEAD".into()), ..Story::tell() };
    let size = Size { width: 120, height: 40 };
    let buffer = tui::headless_with(opener_of(story), &[], size, "2l", Place::default()).unwrap();

    let seen = ui::export::text(&buffer);

    assert!(seen.contains("the repository has no HEAD"), "{seen}");
    assert!(seen.contains("Both losses now share"), "{seen}");
}

#[test]
fn a_run_without_turns_says_so() {
    let story = || Telling::default().end();
    for keys in ["", "l s f z Z <enter> }", "/x<enter> n", "<tab><tab> ]", "? <esc>"] {
        let size = Size { width: 120, height: 40 };
        let buffer = tui::headless_with(opener_of(story), &[], size, keys, Place::default());
        let seen = ui::export::text(&buffer.unwrap());
        assert!(seen.contains("this run has no turns"), "{seen}");
    }
}

#[test]
fn an_unknown_key_name_is_a_sentence() {
    let size = Size { width: 80, height: 24 };
    let why = tui::headless_with(screen::sample(), &[], size, "l <warp>", Place::default());
    assert!(why.unwrap_err().to_string().starts_with("no key is called <warp>"));
}

#[test]
fn a_late_answer_to_an_old_question_is_ignored() {
    let mut app = App::default();
    let first = app.update(Message::Open("first".into(), Place::default()));
    app.update(Message::Open("second".into(), Place::default()));
    let Some(Effect::Open(request, _)) = first.first() else { panic!("nothing was asked") };

    app.update(Message::Opened(*request, Ok(Story::tell().run.into())));

    assert!(app.replay().is_none());
}

#[test]
fn an_answer_that_nobody_waits_for_changes_nothing() {
    let mut app = with_story();
    let asked = app.update(Message::Press(Key::char('l')));
    let diff = asked.iter().find_map(|effect| match effect {
        Effect::Diff(request, ..) => Some(*request),
        _ => None,
    });
    let Some(request) = diff else { panic!("no diff was asked for: {asked:?}") };
    let late =
        || Message::Answered(request, Answer::Diff(Ok(FileDiff::NotRecorded("late".into()))));
    app.update(late());
    let before = ui::picture(&app, Theme::ansi());

    let effects = app.update(late());

    assert_eq!(effects, []);
    assert_eq!(ui::picture(&app, Theme::ansi()), before);
}

/// Rows of a frame with every change of style written in line: `{red b}-1{}`.
fn with_styles(
    buffer: &Buffer,
    rows: std::ops::Range<u16>,
    columns: std::ops::Range<u16>,
) -> String {
    let mut out = String::new();
    for y in rows {
        let mut last = Style::default();
        for x in columns.clone() {
            let cell = &buffer[(x, y)];
            let style = Style::default().fg(cell.fg).bg(cell.bg).add_modifier(cell.modifier);
            if style != last {
                out += &name_of(style);
                last = style;
            }
            out += cell.symbol();
        }
        out = out.trim_end().to_owned() + "\n";
    }
    out
}

fn name_of(style: Style) -> String {
    let colour = |colour: Option<Color>| colour.filter(|colour| *colour != Color::Reset);
    let mut words: Vec<String> = vec![];
    words.extend(colour(style.fg).map(|colour| colour.to_string().to_lowercase()));
    words
        .extend(colour(style.bg).map(|colour| format!("on {}", colour.to_string().to_lowercase())));
    let modifiers = [
        (Modifier::BOLD, "bold"),
        (Modifier::UNDERLINED, "underlined"),
        (Modifier::REVERSED, "reversed"),
    ];
    let here = modifiers.iter().filter(|(modifier, _)| style.add_modifier.contains(*modifier));
    words.extend(here.map(|(_, word)| (*word).to_owned()));
    format!("{{{}}}", words.join(" "))
}

#[test]
fn colours_tell_added_from_removed_and_mark_the_words_that_changed() {
    let buffer = frame(120, 40, "l");
    insta::assert_snapshot!(with_styles(&buffer, 2..12, 35..100));
}

#[test]
fn without_colours_signs_and_modifiers_say_the_same() {
    let app = with_story();
    let buffer = ui::picture(&app, Theme::plain());
    let is_plain =
        |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
    assert!(buffer.content.iter().all(is_plain));
}

fn any_key() -> impl Strategy<Value = Key> {
    let letters = "hjklsSfF{}[]m +-u/\\nNvgGzZieq?<>1239:yETM'apdbB.,oOt";
    let letters: Vec<Key> = letters.chars().map(Key::char).collect();
    let codes = [
        Code::Enter,
        Code::Esc,
        Code::Tab,
        Code::BackTab,
        Code::Backspace,
        Code::PageUp,
        Code::PageDown,
    ];
    let ctrl = ['u', 'd', 'r', 'z', 'o', 'n', 'p'].map(Key::ctrl);
    let all: Vec<Key> = letters.into_iter().chain(codes.map(Key::plain)).chain(ctrl).collect();
    prop::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_keys_the_selection_exists_and_any_size_can_be_drawn(
        keys in prop::collection::vec(any_key(), 0..40),
        sizes in prop::collection::vec((0u16..300, 0u16..100), 1..4),
    ) {
        let mut world = screen::Answering::new();
        for (index, key) in keys.iter().enumerate() {
            let (width, height) = sizes[index % sizes.len()];
            world.send(Message::Resized(Size { width, height }));
            world.send(Message::Press(*key));
            let replay = world.app.replay().unwrap();
            prop_assert!(replay.turn < replay.run.turns.len());
            prop_assert!(replay.steps.selected().is_some());
            prop_assert!(replay.changes().is_empty() || replay.change().is_some());
            ui::picture(&world.app, Theme::ansi());
        }
        let other = sizes[0];
        let mut terminal = Terminal::new(TestBackend::new(other.0.max(1), other.1.max(1))).unwrap();
        terminal.draw(|frame| ui::view(&world.app, Theme::ansi(), frame)).unwrap();
    }

    #[test]
    fn whatever_the_keys_the_focused_panel_is_seen(keys in prop::collection::vec(any_key(), 0..20)) {
        let mut world = screen::Answering::new();
        for key in keys {
            world.send(Message::Press(key));
            let focus = world.app.replay().map_or(Panel::Turns, |replay| replay.focus);
            prop_assert!(world.app.layout().panel(focus).is_some());
        }
    }
}
