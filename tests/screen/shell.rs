//! What is around the run: the palette, the mouse, copying, the editor, themes, ASCII, marks.

use ratatui::{
    buffer::Buffer,
    layout::Size,
    style::{Color, Modifier},
};
use trajview::{
    run::worded_enum::NamedValue,
    runtime::{self, ScreenOptions},
    session::{
        arrangement::Arrangement,
        effect::{EditedFile, Effect},
        start_place::StartPlace,
    },
    shell::{
        App, AppMessage,
        config::{Chord, Config},
        mouse::MouseCapture,
        state,
    },
    views::replay::breakpoints::Stop,
    widgets::{
        display_options::ThemeName,
        export,
        key::{self, Key},
        layout::ReplayPanel,
        mouse::{Mouse, MouseKind},
    },
};

use crate::story::{self, Answering, text};

/// The effects for the terminal that some keys lead to.
fn effects_of_keys(app: &mut App, keys: &str) -> Vec<Effect> {
    let keys = key::parse_keys(keys).unwrap().into_iter();
    let all = keys.flat_map(|key| app.update(AppMessage::Press(key)));
    all.filter(|effect| matches!(effect, Effect::Copy(_) | Effect::Edit(_))).collect()
}

fn open_shell(width: u16, height: u16, keys: &str) -> Answering {
    let mut world = Answering::new();
    world.send(AppMessage::Resized(Size { width, height }));
    press_keys(&mut world, keys);
    world
}

fn press_keys(world: &mut Answering, keys: &str) {
    key::parse_keys(keys).unwrap().into_iter().for_each(|key| world.send(AppMessage::Press(key)));
}

fn send_mouse(world: &mut Answering, kind: MouseKind, column: u16, row: u16) {
    world.send(AppMessage::Shell(state::ShellMessage::Mouse(Mouse { kind, column, row })));
}

fn copied_text(keys: &str, what: &str) -> String {
    let mut world = open_shell(120, 40, keys);
    match effects_of_keys(&mut world.app, what).as_slice() {
        [Effect::Copy(text)] => text.clone(),
        other => {
            panic!(
                "{other:?}: {:?}",
                world.app.screens.open_run().and_then(|it| it.session.notice.clone())
            )
        }
    }
}

fn notice_text(world: &Answering) -> &str {
    world.app.screens.open_run().and_then(|open| open.session.notice.as_deref()).unwrap_or_default()
}

fn shown_place(world: &Answering) -> (usize, ReplayPanel) {
    let open = world.app.screens.open_run().unwrap();
    (open.session.turn + 1, open.replay.focus)
}

fn screen_options(theme: ThemeName, ascii: bool) -> ScreenOptions {
    ScreenOptions {
        config: Config { theme, ascii, ..Config::default() },
        ..ScreenOptions::default()
    }
}

fn frame_as(wishes: ScreenOptions, width: u16, height: u16, keys: &str) -> Buffer {
    let size = Size { width, height };
    runtime::headless_frame_as(story::sample(), &[], size, keys, StartPlace::default(), wishes)
        .unwrap()
}

#[test]
fn the_palette_finds_commands_by_their_letters() {
    let seen = text(100, 30, ": nxtu");
    assert!(seen.contains("│ next-turn "), "{seen}");
}

#[test]
fn enter_runs_the_command_and_closes_the_list() {
    let mut world = open_shell(120, 40, ": next <space> checkpoint <enter>");
    assert_eq!(shown_place(&world).0, 3);
    press_keys(&mut world, "<c-p> quit <enter>");
    assert!(world.app.is_quitting);
}

#[test]
fn q_quits_as_in_other_programs() {
    assert!(open_shell(120, 40, ":q<enter>").app.is_quitting);
}

#[test]
fn a_number_leads_to_its_turn_and_a_path_to_a_file() {
    assert_eq!(shown_place(&open_shell(120, 40, ":4<enter>")).0, 4);
    let world = open_shell(120, 40, "l :data.py<enter>");
    let run = world.app.screens.open_run().unwrap();
    let path = run.replay.selected_change(&run.session).map(|(_, change)| change.path.to_string());
    assert_eq!(path.as_deref(), Some("src/ppdiff/data.py"));
    assert_eq!(shown_place(&world), (2, ReplayPanel::Diff));
}

#[test]
fn escape_and_erasing_close_the_palette() {
    for keys in [": <esc>", ":x <bs> <bs>"] {
        let world = open_shell(120, 40, keys);
        assert!(world.app.shell.palette.is_none(), "{keys}");
    }
    assert!(text(80, 24, ":zzzz<enter>").contains("no command zzzz"));
}

#[test]
fn text_pasted_into_the_palette_is_typed() {
    let mut world = open_shell(120, 40, ":");
    world.send(AppMessage::Paste("4\n".into()));
    press_keys(&mut world, "<enter>");
    assert_eq!(shown_place(&world).0, 4);
}

/// What is in the line of the search, of the palette or of the requests, whichever is open.
fn typed_text(world: &Answering) -> &str {
    let open = world.app.screens.open_run().unwrap();
    let search = open.replay.search.prompt.as_ref().map(|prompt| &*prompt.text);
    let requests = open.replay.chooser.as_ref().map(|chooser| &*chooser.filter);
    let palette = world.app.shell.palette.as_ref().map(|palette| &*palette.text);
    palette.or(search).or(requests).unwrap()
}

#[test]
fn pasted_lines_are_joined_with_a_blank() {
    for lines in ["hello q\nworld", "hello q\r\nworld\r\n", "hello q\rworld"] {
        let mut world = open_shell(120, 40, "/");

        world.send(AppMessage::Paste(lines.into()));

        assert_eq!(typed_text(&world), "hello q world", "{lines:?}");
    }
}

#[test]
fn a_long_paste_fills_the_line_once_and_the_footer_says_what_was_left_out() {
    for prompt in [":", "/", "R"] {
        let mut world = open_shell(120, 40, prompt);

        world.send(AppMessage::Paste("loss and noise\n".repeat(20_000)));

        assert_eq!(typed_text(&world).chars().count(), 2_000, "{prompt}");
        assert!(typed_text(&world).starts_with("loss and noise loss"), "{prompt}");
        let said = "the line is full: only the first 2000 characters were inserted";
        assert!(frame_of(&world).contains(said), "{prompt}");
        press_keys(&mut world, "<bs> x");
        assert!(!frame_of(&world).contains(said), "{prompt}: there is room again");
        press_keys(&mut world, "x");
        assert!(frame_of(&world).contains(said), "{prompt}: and none again");
    }
}

#[test]
fn gg_and_g_go_to_the_start_and_12gg_to_the_twelfth() {
    assert_eq!(shown_place(&open_shell(120, 40, "4l gg")).0, 1);
    assert_eq!(shown_place(&open_shell(120, 40, "5gg")).0, 5);
    assert_eq!(shown_place(&open_shell(120, 40, "5gg 2gg")).0, 2);
    assert_eq!(shown_place(&open_shell(120, 40, "5gg l gg")).0, 1);
}

#[test]
fn a_click_selects_what_it_points_at() {
    let mut world = open_shell(120, 40, "");
    send_mouse(&mut world, MouseKind::Click, 10, 7); // two names of checkpoints stand above the fourth turn
    assert_eq!(shown_place(&world), (4, ReplayPanel::Turns));

    press_keys(&mut world, "<s-tab>"); // the list of files is shown while it has the keyboard
    let files = world.app.screens.layout().panel_area(ReplayPanel::Files).unwrap();
    send_mouse(&mut world, MouseKind::Click, files.x + 5, files.y + 2);
    let selected = |world: &Answering| {
        let run = world.app.screens.open_run().unwrap();
        run.replay.selected_change(&run.session).unwrap().0
    };
    assert_eq!((shown_place(&world).1, selected(&world)), (ReplayPanel::Files, 1));

    let diff = world.app.screens.layout().panel_area(ReplayPanel::Diff).unwrap();
    send_mouse(&mut world, MouseKind::Click, diff.x + 5, diff.y + 4);
    let cursor = world.app.screens.open_run().unwrap().replay.diff.list.cursor();
    assert_eq!((shown_place(&world).1, cursor), (ReplayPanel::Diff, 3));

    let steps = world.app.screens.layout().panel_area(ReplayPanel::Steps).unwrap();
    send_mouse(&mut world, MouseKind::Click, steps.x + 5, steps.y + 3);
    let step = world.app.screens.open_run().unwrap().replay.steps.selected_index();
    assert_eq!((shown_place(&world).1, step), (ReplayPanel::Steps, 2));
}

#[test]
fn a_double_click_is_enter_where_it_was_clicked() {
    let mut world = open_shell(120, 40, "l");
    let steps = world.app.screens.layout().panel_area(ReplayPanel::Steps).unwrap();
    for kind in [MouseKind::Click, MouseKind::DoubleClick] {
        send_mouse(&mut world, kind, steps.x + 5, steps.y + 2);
    }
    let open = world.app.screens.open_run().unwrap();
    assert!(open.replay.steps.is_unfolded(open.replay.steps.items[1]));
}

#[test]
fn a_click_on_a_tab_opens_it() {
    let mut world = open_shell(80, 24, "l");
    let seen = export::frame_text(&trajview::shell::draw::draw_picture(
        &world.app,
        trajview::widgets::theme::Theme::with_terminal_colours(),
    ));
    let column = seen.lines().nth(1).unwrap().find("diff").unwrap() as u16;

    send_mouse(&mut world, MouseKind::Click, column, 1);

    assert_eq!(shown_place(&world).1, ReplayPanel::Diff);
}

#[test]
fn the_wheel_scrolls_what_is_under_the_pointer_and_leaves_the_keyboard() {
    let mut world = open_shell(100, 30, "l , Z");
    let before = shown_place(&world);
    let steps = world.app.screens.layout().panel_area(ReplayPanel::Steps).unwrap();
    for _ in 0..2 {
        send_mouse(&mut world, MouseKind::WheelDown, steps.x + 5, steps.y + 2);
    }
    assert_eq!(world.app.screens.open_run().unwrap().replay.steps.list.top(), 6);
    for _ in 0..9 {
        send_mouse(&mut world, MouseKind::WheelUp, steps.x + 5, steps.y + 2);
    }
    assert_eq!(world.app.screens.open_run().unwrap().replay.steps.list.top(), 0);
    send_mouse(&mut world, MouseKind::WheelDown, 4, 4);
    assert_eq!(shown_place(&world), (before.0 + 1, before.1));
}

#[test]
fn a_click_beside_a_box_closes_it() {
    let mut world = open_shell(120, 40, "?");
    send_mouse(&mut world, MouseKind::WheelDown, 60, 20);
    assert_eq!(world.app.overlay.as_ref().unwrap().top, 3);
    send_mouse(&mut world, MouseKind::Click, 1, 20);
    assert!(world.app.overlay.is_none());
    press_keys(&mut world, ":");
    send_mouse(&mut world, MouseKind::Click, 1, 20);
    assert!(world.app.shell.palette.is_none());
}

#[test]
fn a_click_and_a_double_click_choose_a_command() {
    let mut world = open_shell(120, 40, ":quit");
    for kind in [MouseKind::Click, MouseKind::DoubleClick] {
        send_mouse(&mut world, kind, 60, 3);
    }
    assert!(world.app.is_quitting);
}

fn frame_of(world: &Answering) -> String {
    export::frame_text(&trajview::shell::draw::draw_picture(
        &world.app,
        trajview::widgets::theme::Theme::with_terminal_colours(),
    ))
}

/// The column and row where some words begin in the box over the panels.
fn place_of(world: &Answering, words: &str) -> (u16, u16) {
    let seen = frame_of(world);
    let edge = usize::from(world.app.screens.layout().overlay_area().x);
    let at = |(y, line): (usize, &str)| {
        let mut columns = line.match_indices(words).map(|(at, _)| line[..at].chars().count());
        Some((columns.find(|column| *column >= edge)?, y))
    };
    let (column, row) =
        seen.lines().enumerate().find_map(at).unwrap_or_else(|| panic!("no {words:?} in:\n{seen}"));
    (column as u16, row as u16)
}

fn click_words(world: &mut Answering, words: &str) {
    let (column, row) = place_of(world, words);
    send_mouse(world, MouseKind::Click, column, row);
}

/// Two clicks on one cell, as the terminal tells them.
fn double_click(world: &mut Answering, words: &str) {
    let (column, row) = place_of(world, words);
    send_mouse(world, MouseKind::Click, column, row);
    send_mouse(world, MouseKind::DoubleClick, column, row);
}

fn chosen_row(world: &Answering) -> usize {
    world.app.screens.open_run().unwrap().replay.chooser.as_ref().unwrap().list.cursor()
}

#[test]
fn a_click_selects_a_request_and_a_second_one_goes_there() {
    let mut world = open_shell(120, 40, "R");

    click_words(&mut world, "4 The sequence term");
    assert_eq!((chosen_row(&world), shown_place(&world).0), (3, 1));
    click_words(&mut world, "read in three parts");
    assert_eq!(chosen_row(&world), 3, "the request below the list is read, not chosen from");
    double_click(&mut world, "3 Combine the sequence");

    assert!(world.app.screens.open_run().unwrap().replay.chooser.is_none());
    assert_eq!(shown_place(&world).0, 3);
}

#[test]
fn requests_that_were_typed_for_are_clicked_where_they_stand() {
    let mut world = open_shell(120, 40, "R loss");

    double_click(&mut world, "4 The sequence term");

    assert_eq!(shown_place(&world).0, 4);
}

#[test]
fn hits_are_scrolled_with_the_wheel_and_clicked() {
    let mut world = open_shell(80, 24, "/loss<enter> L");
    let top = |world: &Answering| {
        world.app.screens.open_run().unwrap().replay.chooser.as_ref().unwrap().list.top()
    };
    assert_eq!(top(&world), 0);

    send_mouse(&mut world, MouseKind::WheelDown, 40, 12);
    assert_eq!(top(&world), 1, "there are 21 hits and 20 rows");
    send_mouse(&mut world, MouseKind::Click, 40, 21);
    assert_eq!(chosen_row(&world), 20);
    send_mouse(&mut world, MouseKind::WheelUp, 40, 12);
    assert_eq!(top(&world), 0);
    for kind in [MouseKind::Click, MouseKind::DoubleClick] {
        send_mouse(&mut world, kind, 40, 4);
    }

    assert_eq!(world.app.screens.open_run().unwrap().replay.search.current, Some(2));
}

#[test]
fn a_click_switches_what_playback_stops_at() {
    let mut world = open_shell(120, 40, "P");
    let seen = |world: &Answering, words: &str| {
        place_of(world, words);
    };

    click_words(&mut world, "a failing test");
    seen(&world, "t [x] a failing test");
    seen(&world, "e [ ] an error");
    click_words(&mut world, "a failing test");
    seen(&world, "t [ ] a failing test");
    click_words(&mut world, "speed");

    seen(&world, "t [ ] a failing test");
}

#[test]
fn a_click_chooses_the_kind_of_steps() {
    let mut world = open_shell(120, 40, "l K");
    send_mouse(&mut world, MouseKind::WheelDown, 60, 20);
    assert_eq!(chosen_row(&world), 1);

    double_click(&mut world, "e edits");

    place_of(&world, "edits only, 4 hidden");
}

#[test]
fn a_click_beside_a_list_closes_it_and_one_on_its_border_does_not() {
    for keys in ["R", "K", "P", "/loss<enter> L"] {
        let mut world = open_shell(120, 40, keys);
        let open = world.app.screens.open_run().unwrap();
        let frame = open.replay.chooser_areas(&world.app.screens.layout()).unwrap().frame;

        send_mouse(&mut world, MouseKind::Click, frame.x, frame.y);
        assert!(world.app.screens.open_run().unwrap().replay.chooser.is_some(), "{keys}");
        send_mouse(&mut world, MouseKind::Click, frame.x, frame.y - 1);
        assert!(world.app.screens.open_run().unwrap().replay.chooser.is_none(), "{keys}");
    }
}

#[test]
fn the_wheel_goes_through_the_palette_and_a_click_chooses_there() {
    let mut world = open_shell(80, 24, ":");
    send_mouse(&mut world, MouseKind::WheelDown, 40, 12);
    assert_eq!(world.app.shell.palette.as_ref().unwrap().selected, Some(2));

    press_keys(&mut world, "<c-u> first <space> turn");
    double_click(&mut world, "first turn of the next checkpoint");

    assert_eq!(shown_place(&world).0, 3);
}

#[test]
fn the_mouse_can_be_left_to_the_terminal() {
    let mut world = open_shell(120, 40, "<c-g>");
    assert_eq!(world.app.shell.mouse, MouseCapture::Off);
    assert!(notice_text(&world).starts_with("mouse capture is off"), "{}", notice_text(&world));
    press_keys(&mut world, "<c-g>");
    assert_eq!(world.app.shell.mouse, MouseCapture::On);
}

#[test]
fn a_line_a_hunk_and_a_patch_are_copied() {
    assert_eq!(copied_text("l f <tab><tab> j", "yl"), "import math");
    let hunk = copied_text("l <tab><tab>", "yh");
    assert!(hunk.starts_with("@@ -1,7 +1,10 @@\n import csv\n"), "{hunk}");
    let patch = copied_text("l <tab><tab>", "yp");
    assert!(patch.starts_with("diff --git a/src/ppdiff/data.py b/src/ppdiff/data.py\n"), "{patch}");
    assert!(patch.contains("\n-def load_pairs(path):\n"));
}

#[test]
fn what_was_copied_is_said() {
    let mut world = open_shell(120, 40, "l <tab><tab>");
    effects_of_keys(&mut world.app, "yp");
    assert_eq!(notice_text(&world), "copied the patch of src/ppdiff/data.py");
    let seen = text(120, 40, "l <tab><tab> yh");
    assert!(seen.contains("copied hunk 1"), "{seen}");
}

#[test]
fn the_copied_command_opens_the_same_place() {
    let link = copied_text("3l F <tab><tab> 9gg", "yy");
    assert_eq!(link, "trajview 'a run' --at 4 --file results/loss.csv:4");
}

#[test]
fn a_key_that_copies_nothing_says_which_would() {
    let mut world = open_shell(120, 40, "y");
    assert!(
        export::frame_text(&frame_as(ScreenOptions::default(), 120, 40, "y"))
            .contains("l line   h hunk")
    );
    press_keys(&mut world, "x");
    assert_eq!(notice_text(&world), "y is followed by l, h, p, v, s or y");
    press_keys(&mut world, "l");
    assert_eq!(shown_place(&world).0, 2);
}

#[test]
fn the_editor_gets_the_file_after_the_turn_at_the_line() {
    let mut world = open_shell(120, 40, "3l f <tab><tab> 9gg");
    let effects = effects_of_keys(&mut world.app, "E");
    let [Effect::Edit(editing)] = effects.as_slice() else { panic!("{effects:?}") };
    let EditedFile::Copy { name, text, moment } = &editing.what else { panic!("{editing:?}") };
    assert_eq!((&**name, editing.line, &**moment), ("joint.py", 9, "turn-4"));
    assert!(text.contains("def weight(t, steps=1000):"));
}

#[test]
fn what_no_editor_could_show_is_a_sentence() {
    let mut world = open_shell(120, 40, "5l");
    let mut said = vec![];
    for _ in 0..3 {
        assert_eq!(
            effects_of_keys(&mut world.app, "E").len(),
            usize::from(notice_text(&world).is_empty())
        );
        said.push(notice_text(&world).to_owned());
        press_keys(&mut world, "f");
    }
    assert!(said.contains(&"results/loss.csv does not exist here".into()), "{said:?}");
    assert!(said.contains(&"weights.bin is not text".into()), "{said:?}");
}

#[test]
fn a_mark_brings_turn_step_file_and_scroll_back() {
    let mut world = open_shell(120, 40, "3l f <tab><tab> 12gg Ma");
    let spot = |world: &Answering| {
        let run = world.app.screens.open_run().unwrap();
        trajview::views::replay::bookmark::Bookmark::for_place(&run.replay, &run.session)
    };
    let before = spot(&world);
    assert_eq!(notice_text(&world), "bookmark a at turn 4; 'a returns");

    press_keys(&mut world, "<tab> gg <tab> l l j f 'a");

    assert_eq!(spot(&world), before);
    press_keys(&mut world, "''");
    assert_eq!(shown_place(&world).0, 6);
    press_keys(&mut world, "''");
    assert_eq!(spot(&world), before);
}

#[test]
fn a_mark_brings_the_view_of_the_diff_and_its_base_back() {
    let views = [
        "3l f <tab><tab>",       // unified, since the turn before
        "3l f <tab><tab> d",     // side by side
        "3l f <tab><tab> a 7gg", // blame
        "3l B l <tab><tab> d",   // since a marked turn
        "4l l bb <tab><tab>",    // since the start
        "3l f <tab><tab> m d",   // with all the room
    ];
    for keys in views {
        let frame = |world: &Answering| {
            export::frame_text(&trajview::shell::draw::draw_picture(
                &world.app,
                trajview::widgets::theme::Theme::with_terminal_colours(),
            ))
        };
        let mut world = open_shell(200, 50, keys);
        let before = frame(&world);

        press_keys(&mut world, "Ma <esc> 1G b B b d d d f <tab> l a m 'a <left> <right> 'a");

        assert_eq!(frame(&world), before, "{keys}");
    }
}

#[test]
fn the_way_back_from_a_mark_brings_its_own_view_back() {
    let mut world = open_shell(200, 50, "Ma 4l bb <tab><tab> d");
    let seen = |world: &Answering| {
        export::frame_text(&trajview::shell::draw::draw_picture(
            &world.app,
            trajview::widgets::theme::Theme::with_terminal_colours(),
        ))
    };
    let before = seen(&world);
    press_keys(&mut world, "'a");
    assert!(seen(&world).contains("turn 1/6"));

    press_keys(&mut world, "''");

    assert_eq!(seen(&world), before);
}

#[test]
fn a_jump_leaves_the_view_of_the_diff_alone() {
    let world = open_shell(200, 50, "l 5G b d <c-o>");

    let open = world.app.screens.open_run().unwrap();

    assert_eq!(shown_place(&world).0, 2);
    assert_eq!(open.replay.diff.arrangement, Arrangement::Columns);
    assert_ne!(open.replay.bases.base, trajview::session::replay_opening::DiffBase::PreviousTurn);
}

#[test]
fn a_mark_that_was_never_set_is_a_sentence() {
    let mut world = open_shell(120, 40, "'x");
    assert_eq!(notice_text(&world), "no bookmark x; Mx sets it here");
    press_keys(&mut world, "Ma 'x");
    assert_eq!(notice_text(&world), "no bookmark x; bookmarks: a");
    press_keys(&mut world, "M ?");
    assert_eq!(notice_text(&world), "a mark is a letter or a digit");
}

#[test]
fn jumps_can_be_gone_back_and_forward() {
    let mut world = open_shell(120, 40, "5G l 1G");
    let mut at = |keys| {
        press_keys(&mut world, keys);
        shown_place(&world).0
    };
    assert_eq!(at("<c-o>"), 6);
    assert_eq!(at("<c-o>"), 1);
    assert_eq!(at("<c-n>"), 6);
    assert_eq!(at("<c-n>"), 1);
    assert_eq!(at("<c-n>"), 1);
    assert_eq!(notice_text(&world), "no earlier jump");
}

#[test]
fn playing_and_single_turns_are_no_jumps() {
    let mut world = open_shell(120, 40, "l l l <c-o>");
    assert_eq!((shown_place(&world).0, notice_text(&world)), (4, "no earlier jump"));
    press_keys(&mut world, "/loss<enter>nnn <c-o>");
    assert!(world.app.screens.open_run().unwrap().replay.search.current.is_some());
}

/// Rows with every change of colours written in line.
fn with_colours(buffer: &Buffer, rows: std::ops::Range<u16>) -> String {
    let name = |colour: Color| colour.to_string().to_lowercase();
    let mut out = String::new();
    for y in rows {
        let mut last = None;
        for x in 35..90 {
            let cell = &buffer[(x, y)];
            let look = (cell.fg, cell.bg, cell.modifier.contains(Modifier::BOLD));
            if last != Some(look) {
                let bold = if look.2 { " bold" } else { "" };
                out += &format!("{{{} on {}{bold}}}", name(look.0), name(look.1));
                last = Some(look);
            }
            out += cell.symbol();
        }
        out = out.trim_end().to_owned() + "\n";
    }
    out
}

#[test]
fn every_theme_colours_a_small_diff() {
    let frames = ThemeName::ALL.iter().copied().map(|theme| {
        let buffer = frame_as(screen_options(theme, false), 120, 40, "l");
        format!("{}\n{}", theme.word(), with_colours(&buffer, 4..10))
    });
    insta::assert_snapshot!(frames.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_key_goes_through_the_themes_and_says_which_is_on() {
    let mut world = open_shell(120, 40, "T");
    assert_eq!(
        (world.app.shell.looks.theme, notice_text(&world)),
        (ThemeName::Dark, "theme: dark")
    );
    press_keys(&mut world, "TTTT");
    assert_eq!(world.app.shell.looks.theme, ThemeName::Terminal);
    world.app.shell.looks.has_colours = false;
    press_keys(&mut world, "T");
    assert!(notice_text(&world).ends_with("NO_COLOR is set"), "{}", notice_text(&world));
    let theme = trajview::widgets::theme::Theme::from_options(world.app.shell.looks);
    let picture = trajview::shell::draw::draw_picture(&world.app, theme);
    let is_plain = |cell: &ratatui::buffer::Cell| (cell.fg, cell.bg) == Default::default();
    assert!(picture.content.iter().all(is_plain));
}

#[test]
fn without_utf_8_every_frame_is_ascii() {
    let wishes = || screen_options(ThemeName::Terminal, true);
    let places = [
        "",
        "l <tab><tab>",
        "3l Z",
        "4l",
        "5l f",
        "?",
        ":",
        ":36",
        "i",
        "e",
        "y",
        "/loss<enter>",
        " ",
    ];
    for keys in places {
        for (width, height) in [(120, 40), (80, 24), (180, 50), (40, 9)] {
            let seen = export::frame_text(&frame_as(wishes(), width, height, keys));
            assert!(seen.is_ascii(), "{keys}:\n{seen}");
            let is_own = |line: &&str| line.contains('?') && !line.contains("? help");
            let marks = seen.lines().filter(is_own).count();
            assert!(marks == 0 || ["3l Z", "?", ":", "/loss<enter>"].contains(&keys), "{seen}");
        }
    }
    insta::assert_snapshot!(export::frame_text(&frame_as(
        wishes(),
        100,
        30,
        "3l <tab><tab><tab> jj"
    )));
}

#[test]
fn every_new_key_is_in_the_table() {
    for keys in [": <esc>", "<c-p> <esc>", "E", "Ma", "'a", "<c-o>", "<c-n>", "T", "<c-g>", "yy"] {
        let first = key::parse_keys(keys).unwrap()[0];
        let context = trajview::session::context::KeyContext::Turns;
        assert!(trajview::shell::keymap::find_binding(context, first).is_some(), "{keys}");
    }
    assert!(Key::with_ctrl('g').to_string() == "ctrl-g");
}

#[test]
fn settings_reach_the_screen() {
    let chord = |key: &str| Chord { written: key.into(), keys: key::parse_keys(key).unwrap() };
    let keys = [("next-turn".to_owned(), vec![chord("w")])].into();
    let mut config = Config { tab_width: 8, editor: Some("ed".into()), keys, ..Config::default() };
    config.diff.context = 0;
    config.play.speed = 4.0;
    let frame = |keys| {
        let wishes = ScreenOptions { config: config.clone(), ..ScreenOptions::default() };
        export::frame_text(&frame_as(wishes, 120, 40, keys))
    };

    assert!(frame("w <space>").contains("▶ 4× by turn"));
    assert!(frame("w").contains("←w turn"), "{}", frame("w"));
    assert!(frame("w").contains("@@ −4,3 +4,6 @@"), "{}", frame("w"));
    assert!(frame("l").contains("turn 1/6"));
    assert!(frame("?").contains("← w          previous turn; next turn"));
}

#[test]
fn the_settings_say_how_the_diff_stands_and_what_playback_stops_at() {
    let mut config = Config::default();
    config.diff.mode = Arrangement::Columns;
    config.play.stop_at = vec![Stop::Error, Stop::Compaction];
    let frame = |keys| {
        let wishes = ScreenOptions { config: config.clone(), ..ScreenOptions::default() };
        export::frame_text(&frame_as(wishes, 200, 50, keys))
    };

    let unified = export::frame_text(&frame_as(ScreenOptions::default(), 200, 50, "l"));
    assert_ne!(frame("l"), unified);
    assert_eq!(frame("l"), export::frame_text(&frame_as(ScreenOptions::default(), 200, 50, "l d")));
    assert!(frame("<space>").contains("until an error or a compaction"), "{}", frame("<space>"));
}
