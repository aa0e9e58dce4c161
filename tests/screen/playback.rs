//! Keys in, frames out: the replay view without a terminal, always run until idle.

use proptest::prelude::*;
use ratatui::{
    Terminal,
    backend::TestBackend,
    buffer::Buffer,
    layout::Size,
    style::{Color, Modifier, Style},
};
use trajview::{
    run::files::FileDiff,
    runtime::{self, HeadlessScreen, RunOpener, ScreenOptions},
    session::{
        effect::{Effect, OpenAnswer},
        question::{Answer, Question},
        start_place::{NamedMoment, StartPlace},
    },
    shell::{App, AppMessage, draw},
    views::replay::{self, steps::StepFilter},
    widgets::{
        key::{BaseKey, Key},
        layout::ReplayPanel,
        theme::Theme,
    },
};

use crate::story::{self, Story, Telling, frame, frame_at, opener_of, text, with_story};

#[test]
fn a_wide_screen_has_every_panel() {
    insta::assert_snapshot!(text(120, 40, "l . . . . <enter>"));
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
    insta::assert_snapshot!(text(60, 15, "2l <s-tab> joj <enter>"));
}

#[test]
fn a_screen_too_small_says_how_large_it_must_be() {
    assert_eq!(text(48, 1, ""), "needs 60×15, this terminal is 48×1\n");
}

#[test]
fn help_lists_every_key() {
    insta::assert_snapshot!(text(100, 260, "?"));
}

#[test]
fn help_opens_at_the_keys_of_the_view_and_those_of_other_views_follow() {
    let curves = text(80, 24, "2w ?");
    assert!(curves.contains("│ first here"), "{curves}");
    assert!(curves.contains("│ at the chart of the curves"), "{curves}");
    let curves = text(80, 40, "2w ?");
    assert!(curves.contains("│ in the curves "), "{curves}");
    let steps = text(80, 24, "<enter> ?");
    assert!(steps.contains("│ in the steps"), "{steps}");
    let end = text(80, 24, "? G");
    assert!(end.contains("26.3"), "{end}");
}

#[test]
fn help_shows_only_the_rows_with_some_words_or_what_one_key_does() {
    insta::assert_snapshot!(text(80, 24, "? / a u d i t <space> n o t e"));
    insta::assert_snapshot!(text(80, 24, "? / W <enter>"));
    let nothing = text(80, 24, "? / q w e r t z");
    assert!(nothing.contains("no match"), "{nothing}");
    let again = text(80, 24, "? / q w e r t z <esc>");
    assert_eq!(again, text(80, 24, "?"));
}

#[test]
fn the_facts_about_a_run_say_how_it_was_recorded() {
    let seen = text(120, 40, "i");
    assert!(seen.contains("recorded with codex exec on a made-up task"), "{seen}");
    assert!(seen.contains("file states from  recorded edits"), "{seen}");
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
    assert!(wrapped.contains("hit 21 of 21") && wrapped.contains("wrapped around"), "{wrapped}");
}

#[test]
fn a_pattern_that_cannot_be_read_is_explained_where_it_was_typed() {
    let seen = text(120, 40, "\\ ( <enter>");
    assert!(seen.contains("regex /(") && seen.contains("unclosed group"), "{seen}");
}

#[test]
fn words_that_are_nowhere_are_said_to_be_nowhere() {
    let seen = text(120, 40, "/quokka<enter>");
    assert!(seen.contains("no match for `quokka` in this run"), "{seen}");
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
    let seen = text(120, 40, "l . .");
    assert!(seen.contains("src/ppdiff/schedule.py  +9   diff of step 2   file 1/1"), "{seen}");
    let whole = text(120, 40, "l . . v");
    assert!(whole.contains("src/ppdiff/data.py  +6 −3   diff: turn 1 → 2   file 1/2"), "{whole}");
}

#[test]
fn what_the_log_cannot_explain_is_named() {
    let seen = text(120, 40, "3l F");
    assert!(
        seen.contains("results/loss.csv  +4   diff: turn 3 → 4   file 1/2  ◇ outside"),
        "{seen}"
    );
    let wide = text(200, 50, "3l F");
    assert!(wide.contains("◇ changed outside recorded edits"), "{wide}");
}

#[test]
fn changes_without_lines_are_sentences() {
    let at = |file: &str| {
        let place = StartPlace {
            turn: Some(NamedMoment::Final),
            file: Some(file.into()),
            ..StartPlace::default()
        };
        trajview::widgets::export::frame_text(&frame_at(120, 40, "", place))
    };
    assert!(at("src/ppdiff/pairs.py").contains("renamed, no line changed"));
    assert!(at("weights.bin").contains("not text: nothing before, 4.1 kB after"));
}

#[test]
fn a_place_to_open_at_is_gone_to() {
    let place = StartPlace {
        turn: Some(NamedMoment::Turn(4)),
        file: Some("src/ppdiff/joint.py".into()),
        line: Some(9),
        ..StartPlace::default()
    };
    let seen = trajview::widgets::export::frame_text(&frame_at(120, 40, "", place));
    assert!(seen.contains("▌    9 +     sequence, structure = ce(seq), mse(xyz)"), "{seen}");
}

#[test]
fn a_file_alone_is_opened_where_it_changed_last() {
    let place = |file: &str| StartPlace { file: Some(file.into()), ..StartPlace::default() };
    let seen = |file| trajview::widgets::export::frame_text(&frame_at(120, 40, "", place(file)));
    assert!(seen("src/ppdiff/joint.py").contains("turn 4/6"));
    assert!(seen("src/nowhere.py").contains("no turn changes src/nowhere.py"));
}

#[test]
fn a_file_that_a_turn_does_not_change_is_told_with_the_turn_that_does() {
    let file = Some("src/ppdiff/joint.py".into());
    let place = StartPlace { turn: Some(NamedMoment::Turn(1)), file, ..StartPlace::default() };
    let seen = trajview::widgets::export::frame_text(&frame_at(120, 40, "", place));
    assert!(seen.contains("does not change here, but last in turn 4"), "{seen}");
}

#[test]
fn a_checkpoint_is_opened_at_its_end() {
    let place =
        StartPlace { turn: Some(NamedMoment::Checkpoint("cp1".into())), ..StartPlace::default() };
    assert!(
        trajview::widgets::export::frame_text(&frame_at(120, 40, "", place)).contains("turn 2/6")
    );
}

#[test]
fn help_is_there_before_anything_is_open() {
    let mut app = App::default();
    app.update(AppMessage::Resized(Size { width: 80, height: 24 }));
    app.update(AppMessage::Press(Key::from_char('?')));
    assert!(
        trajview::widgets::export::frame_text(&draw::draw_picture(
            &app,
            Theme::with_terminal_colours()
        ))
        .contains("next turn")
    );
}

#[test]
fn a_long_line_is_read_sideways() {
    let at = "3l f <tab><tab> m";
    let line = |keys: &str| {
        let seen = text(60, 24, keys);
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
    let mut world = story::Answering::new();
    world.send(AppMessage::Resized(Size { width: 120, height: 40 }));
    let keys = trajview::widgets::key::parse_keys("2l").unwrap();
    let asked: Vec<Effect> =
        keys.into_iter().flat_map(|key| world.app.update(AppMessage::Press(key))).collect();
    for effect in asked {
        match effect {
            Effect::Ask(request, question) if matches!(*question, Question::Diff { .. }) => {
                let failed = question.failure()("a mistake in trajview: a broken parser".into());
                world.send(AppMessage::Answered(request, failed));
            }
            effect => world.answer_all(vec![effect]),
        }
    }

    let frame = draw::draw_picture(&world.app, Theme::with_terminal_colours());
    let seen = trajview::widgets::export::frame_text(&frame);

    assert!(seen.contains("a mistake in trajview"), "{seen}");
    assert!(seen.contains("turn 3/6"), "{seen}");
}

#[test]
fn files_that_cannot_be_known_are_a_sentence_and_the_rest_is_still_shown() {
    let story = || Story { timeline: Err("the repository has no HEAD".into()), ..Story::tell() };
    let size = Size { width: 120, height: 40 };
    let buffer =
        runtime::headless_frame_with(opener_of(story), &[], size, "2l", StartPlace::default())
            .unwrap();

    let seen = trajview::widgets::export::frame_text(&buffer);

    assert!(seen.contains("the repository has no HEAD"), "{seen}");
    assert!(seen.contains("Both losses now share"), "{seen}");
}

#[test]
fn one_key_goes_through_failed_steps_and_lost_components_in_their_order_and_another_one_back() {
    let mut screen = HeadlessScreen::open(
        RunOpener::Disk,
        &[crate::common::project_path("sample-runs/codex-p12")],
        Size { width: 120, height: 40 },
        StartPlace::default(),
        ScreenOptions::default(),
    )
    .unwrap();
    let mut frame_after = |keys: &str| {
        screen.press_keys(keys).unwrap();
        trajview::widgets::export::frame_text(&screen.draw_frame())
    };

    for (keys, expected) in [
        ("41G x", "turn 41/56 · checkpoint 8/9 · step 2/"),
        ("x", "C10 lost at turn 42"),
        ("x", "turn 42/56 · checkpoint 8/9 · step 7/"),
        ("x", "turn 43/56"),
        ("x", "C17 lost at turn 46"),
        ("x", "C18 lost at turn 46"),
        ("x", "C20 lost at turn 49"),
        ("<c-x>", "C18 lost at turn 46"),
        ("<c-x> <c-x>", "turn 43/56"),
        ("4x", "turn 52/56"),
    ] {
        let frame = frame_after(keys);
        assert!(frame.contains(expected), "{keys}: {expected}\n{frame}");
    }
}

#[test]
fn a_run_without_turns_says_so() {
    let story = || Telling::default().end();
    for keys in ["", "l . f z Z <enter> }", "/x<enter> n", "<tab><tab> ]", "? <esc>"] {
        let size = Size { width: 120, height: 40 };
        let buffer =
            runtime::headless_frame_with(opener_of(story), &[], size, keys, StartPlace::default());
        let seen = trajview::widgets::export::frame_text(&buffer.unwrap());
        assert!(seen.contains("this run has no turns"), "{seen}");
    }
}

#[test]
fn an_unknown_key_name_is_a_sentence() {
    let size = Size { width: 80, height: 24 };
    let why =
        runtime::headless_frame_with(story::sample(), &[], size, "l <warp>", StartPlace::default());
    assert!(why.unwrap_err().to_string().starts_with("unknown key <warp>"));
}

#[test]
fn a_late_answer_to_an_old_question_is_ignored() {
    let mut app = App::default();
    let first = app.update(AppMessage::Open("first".into(), StartPlace::default()));
    app.update(AppMessage::Open("second".into(), StartPlace::default()));
    let Some(Effect::Open(request, ..)) = first.first() else { panic!("nothing was asked") };

    app.update(AppMessage::Opened(*request, OpenAnswer::Whole(Ok(Story::tell().run.into()))));

    assert!(app.screens.open_run().is_none());
}

#[test]
fn an_answer_that_nobody_waits_for_changes_nothing() {
    let mut app = with_story();
    let asked = app.update(AppMessage::Press(Key::from_char('l')));
    let diff = asked.iter().find_map(|effect| match effect {
        Effect::Ask(request, question) => {
            matches!(**question, Question::Diff { .. }).then_some(*request)
        }
        _ => None,
    });
    let Some(request) = diff else { panic!("no diff was asked for: {asked:?}") };
    let late =
        || AppMessage::Answered(request, Answer::Diff(Ok(FileDiff::NotRecorded("late".into()))));
    app.update(late());
    let before = draw::draw_picture(&app, Theme::with_terminal_colours());

    let effects = app.update(late());

    assert_eq!(effects, []);
    assert_eq!(draw::draw_picture(&app, Theme::with_terminal_colours()), before);
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
    let buffer = draw::draw_picture(&app, Theme::without_colours());
    let is_plain =
        |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
    assert!(buffer.content.iter().all(is_plain));
}

fn any_key() -> impl Strategy<Value = Key> {
    let letters = "hjklsSfF{}[]m +-u/\\nNvgGzZieq?<>1239LRKPoaxt&#:yETM'pdbB.,O";
    let letters: Vec<Key> = letters.chars().map(Key::from_char).collect();
    let codes = [
        BaseKey::Enter,
        BaseKey::Esc,
        BaseKey::Tab,
        BaseKey::BackTab,
        BaseKey::Backspace,
        BaseKey::PageUp,
        BaseKey::PageDown,
    ];
    let ctrl = ['u', 'd', 'r', 'z', 'o', 'n', 'p'].map(Key::with_ctrl);
    let all: Vec<Key> =
        letters.into_iter().chain(codes.map(Key::without_modifiers)).chain(ctrl).collect();
    prop::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_keys_the_selection_exists_and_any_size_can_be_drawn(
        keys in prop::collection::vec(any_key(), 0..40),
        sizes in prop::collection::vec((0u16..300, 0u16..100), 1..4),
    ) {
        let mut world = story::Answering::new();
        for (index, key) in keys.iter().enumerate() {
            let (width, height) = sizes[index % sizes.len()];
            world.send(AppMessage::Resized(Size { width, height }));
            world.send(AppMessage::Press(*key));
            let open = world.app.screens.open_run().unwrap();
            prop_assert!(open.session.turn < open.session.run.turns.len());
            let is_chosen_from = open.replay.steps.step_filter() != StepFilter::All;
            prop_assert!(is_chosen_from || open.replay.steps.selected_item().is_some());
            prop_assert!(open.replay.listed_changes(&open.session).is_empty() || open.replay.selected_change(&open.session).is_some());
            draw::draw_picture(&world.app, Theme::with_terminal_colours());
        }
        let other = sizes[0];
        let mut terminal = Terminal::new(TestBackend::new(other.0.max(1), other.1.max(1))).unwrap();
        terminal.draw(|frame| draw::draw_frame(&world.app, Theme::with_terminal_colours(), frame)).unwrap();
    }

    #[test]
    fn whatever_the_keys_the_focused_panel_is_seen(keys in prop::collection::vec(any_key(), 0..20)) {
        let mut world = story::Answering::new();
        for key in keys {
            world.send(AppMessage::Press(key));
            let focus = world.app.screens.open_run().map_or(ReplayPanel::Turns, |open| open.replay.focus);
            prop_assert!(world.app.screens.layout().panel_area(focus).is_some());
        }
    }
}

#[test]
fn a_search_unfolds_the_way_into_a_folded_sub_agent() {
    let folded = text(120, 40, "2l");
    assert!(folded.contains("⏎ 2 steps") && !folded.contains("Only src/ppdiff"), "{folded}");
    insta::assert_snapshot!(text(120, 40, "/Only<enter>"));
}

#[test]
fn every_hit_is_listed_and_gone_to() {
    insta::assert_snapshot!(text(120, 40, "/loss<enter> L j j"));
    let gone_to = text(120, 40, "/loss<enter> L 5G <enter>");
    assert!(gone_to.contains("hit 5 of 21"), "{gone_to}");
    assert!(text(120, 40, "/loss<enter> L 5G <enter> n").contains("hit 6 of 21"));
    assert!(text(120, 40, "/loss<enter> / <enter>").contains("matches of `loss`"));
    assert!(text(120, 40, "L").contains("no search yet: press / and type"));
}

#[test]
fn hits_are_listed_on_a_small_screen() {
    insta::assert_snapshot!(text(80, 24, "/loss<enter> L G"));
}

#[test]
fn requests_are_listed_and_typing_narrows_them_down() {
    insta::assert_snapshot!(text(120, 40, "R t h e <space> l o s s"));
    let gone_to = text(120, 40, "R weight <enter>");
    assert!(gone_to.contains("turn 4/6"), "{gone_to}");
    assert!(text(120, 40, "R quokka").contains("no request matches"));
}

#[test]
fn steps_are_listed_by_kind_and_the_title_says_how_many_are_hidden() {
    insta::assert_snapshot!(text(80, 24, "K"));
    let edits = text(120, 40, "l K e");
    assert!(edits.contains("steps of turn 2  edits only, 4 hidden"), "{edits}");
    assert!(edits.contains("6 steps"), "{edits}");
    assert!(text(120, 40, "l K e .").contains("step 2/6"));
    assert!(text(120, 40, "l K e . .").contains("step 4/6"));
    let chosen = text(120, 40, "l . . . K e");
    assert!(chosen.contains("step 2/6"), "{chosen}");
    assert!(!text(120, 40, "l K e K a").contains("only,"));
    let found = text(120, 40, "l K e /Nichol<enter>");
    assert!(found.contains("hit 1 of 2") && found.contains("3.2 uses the cosine"), "{found}");
    assert!(text(120, 40, "K s").contains("no sub-agents in this turn"));
}

#[test]
fn a_sub_agent_is_entered_and_left() {
    insta::assert_snapshot!(text(120, 40, "2l . <tab><tab><tab> <enter> ."));
    let left = text(120, 40, "2l . <tab><tab><tab> <enter> . <bs>");
    assert!(left.contains("step 1/5") && left.contains("Both losses now"), "{left}");
    let in_place = text(120, 40, "2l . <tab><tab><tab> o");
    assert!(in_place.contains("Only src") && in_place.contains("Both losses"), "{in_place}");
}

#[test]
fn playback_stops_where_it_was_asked_to() {
    let after_at = |width: u16, keys: &str, beats: usize| {
        let mut world = story::Answering::new();
        world.send(AppMessage::Resized(Size { width, height: 40 }));
        for key in trajview::widgets::key::parse_keys(keys).unwrap() {
            world.send(AppMessage::Press(key));
        }
        (0..beats).for_each(|_| {
            world.send(AppMessage::Run(trajview::shell::open_run::RunMessage::Replay(
                replay::ReplayMessage::PlaybackTick,
            )))
        });
        trajview::widgets::export::frame_text(&draw::draw_picture(
            &world.app,
            Theme::with_terminal_colours(),
        ))
    };
    let after = |keys: &str, beats: usize| after_at(120, keys, beats);
    let test = after("P t <esc> <space>", 1);
    assert!(test.contains("stopped at a failing test: step 3"), "{test}");
    assert!(test.contains("turn 2/6") && test.contains("step 3/6"), "{test}");
    let compaction = after("P c <esc> <space>", 9);
    assert!(compaction.contains("stopped at a compaction: step 1"), "{compaction}");
    assert!(compaction.contains("turn 5/6"), "{compaction}");
    let by_step = after("* * * l P e <esc> * * <space>", 3);
    assert!(by_step.contains("stopped at an error: step 3"), "{by_step}");
    assert!(after("P e t <esc> + <space>", 0).contains("▶ 2×"));
    let playing = after_at(160, "P e t <esc> + <space>", 0);
    assert!(playing.contains("▶ 2× by turn until an error or a failing test"), "{playing}");
}

#[test]
fn the_menu_of_playback_shows_its_speeds() {
    insta::assert_snapshot!(text(80, 24, "P t +"));
}

/// The made-up run while it was still being written.
fn begun_story(turns: usize) -> Story {
    let mut story = Story::tell();
    story.run.turns.truncate(turns);
    story.run.subagents.clear();
    if let Ok(timeline) = &mut story.timeline {
        timeline.turns.truncate(turns);
    }
    story
}

fn growing_from(turns: usize, keys: &str) -> story::Answering {
    let mut world = story::Answering { app: App::default(), story: begun_story(turns).into() };
    world.send(AppMessage::Resized(Size { width: 120, height: 40 }));
    world.send(AppMessage::Open("a run".into(), StartPlace::default()));
    for key in trajview::widgets::key::parse_keys(keys).unwrap() {
        world.send(AppMessage::Press(key));
    }
    *world.story_mut() = Story::tell();
    let run = world.story.run.clone();
    world.send(AppMessage::Grown(run.into()));
    world
}

#[test]
fn a_run_that_grows_keeps_its_place_folds_and_search() {
    let world = growing_from(2, "& l . . . <tab><tab><tab> <enter> h l . . .");
    let seen = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::with_terminal_colours(),
    ));

    assert!(seen.contains("turn 2/6") && seen.contains("step 3/6"), "{seen}");
    assert!(seen.contains("● 4 new turns"), "{seen}");
    assert!(seen.contains("▾ message  The schedule is in place"), "{seen}");
    assert!(seen.contains("6 Rename the loader"), "{seen}");
}

#[test]
fn a_run_that_grows_is_followed_with_its_files() {
    let mut world = growing_from(2, "& <s-tab>");
    let listed = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::with_terminal_colours(),
    ));
    assert!(listed.contains("R src/ppdiff/pairs.py"), "{listed}");
    world.send(AppMessage::Press(Key::from_char('f')));
    let seen = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::with_terminal_colours(),
    ));

    assert!(seen.contains("turn 6/6") && seen.contains("● following"), "{seen}");
    assert!(seen.contains("→ src/ppdiff/pairs.py"), "{seen}");
}

#[test]
fn a_run_that_is_not_followed_stays_where_it_is() {
    let world = growing_from(2, "");
    let seen = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::with_terminal_colours(),
    ));

    assert!(seen.contains("turn 1/6") && !seen.contains('●'), "{seen}");
}

/// The made-up run, of which two turns are shown while the rest is read; keys before the rest and after it.
fn begun_with(keys: &str) -> (String, story::Answering) {
    let mut world = story::Answering { app: App::default(), story: begun_story(2).into() };
    world.send(AppMessage::Resized(Size { width: 120, height: 40 }));
    let asked = world.app.update(AppMessage::Open(".".into(), StartPlace::default()));
    let [Effect::Open(request, ..)] = asked.as_slice() else { panic!("{asked:?}") };
    let head = world.story.run.clone();
    world.send(AppMessage::Opened(*request, OpenAnswer::Beginning(head.into())));
    for key in trajview::widgets::key::parse_keys(keys).unwrap() {
        world.send(AppMessage::Press(key));
    }
    let seen = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::with_terminal_colours(),
    ));
    *world.story_mut() = Story::tell();
    let run = world.story.run.clone();
    world.send(AppMessage::Opened(*request, OpenAnswer::Whole(Ok(run.into()))));
    (seen, world)
}

#[test]
fn the_beginning_of_a_run_is_shown_until_the_whole_is_there() {
    let (seen, world) = begun_with("");
    assert!(seen.contains("turn 1/… reading"), "{seen}");
    assert!(seen.contains("2 Add the noise") && !seen.contains("3 Combine"), "{seen}");

    let whole = trajview::widgets::export::frame_text(&draw::draw_picture(
        &world.app,
        Theme::with_terminal_colours(),
    ));
    assert_eq!(whole, text(120, 40, ""));
}

#[test]
fn what_was_done_at_the_beginning_of_a_run_holds_for_the_whole() {
    let end = |keys| {
        trajview::widgets::export::frame_text(&draw::draw_picture(
            &begun_with(keys).1.app,
            Theme::with_terminal_colours(),
        ))
    };

    let after = end("l . .");
    assert!(after.contains("turn 2/6") && after.contains("step 2/6"), "{after}");
    assert!(end("G").contains("turn 6/6"));
    assert!(end("4l").contains("turn 5/6"));
    assert!(end("9l h").contains("turn 1/6"));
    let searched = end("/loss<enter>");
    assert!(searched.contains("hit 1 of "), "{searched}");
    let hits = |seen: &str| seen.split("hit 1 of ").nth(1).map(|rest| rest[..3].to_owned());
    assert_eq!(hits(&searched), hits(&text(120, 40, "/loss<enter>")));
}

#[test]
fn the_turn_in_numbers_stands_beside_the_steps_when_asked_for() {
    insta::assert_snapshot!(text(120, 40, "3l #"));
    assert!(!text(120, 40, "3l ##").contains("up to turn"));
    assert!(!text(200, 50, "3l #").contains("up to turn"));
}

#[test]
fn the_turn_in_numbers_stands_below_the_one_panel_of_a_small_screen() {
    insta::assert_snapshot!(text(80, 24, "3l #"));
}

#[test]
fn a_key_goes_to_where_the_context_was_compacted() {
    let there = text(120, 40, "@");
    assert!(there.contains("turn 5/6") && there.contains("▌▸ ⟲ context compacted"), "{there}");
    assert!(there.contains("compaction 1 of 1"), "{there}");
    assert!(text(120, 40, "6G @ @").contains("▌▸ ⟲ context compacted"));
    let none = opener_of(|| {
        let mut told = Telling::default();
        told.turn("Say something", |turn| turn.message("done"));
        told.end()
    });
    let size = Size { width: 120, height: 40 };
    let frame = runtime::headless_frame_with(none, &[], size, "@", StartPlace::default()).unwrap();
    assert!(trajview::widgets::export::frame_text(&frame).contains("no compactions in this run"));
}
