//! The tabs in the first line, the ways from view to view and back, and what goes along.

use trajview::{
    session::views::View,
    shell::{AppMessage, keymap::all_bindings, state},
    widgets::{
        key,
        mouse::{Mouse, MouseKind},
    },
};

use crate::{
    common::cli_text,
    story::{self, Answering, text},
};

/// The frame of the sample bundle that some keys lead to.
fn bundle_frame(size: &str, keys: &str) -> String {
    cli_text(&["sample-runs/codex-p12", "--snapshot", size, "--keys", keys])
}

/// The frame of the comparison of the two sample bundles.
fn compared_frame(keys: &str) -> String {
    let pair = ["sample-runs/codex-p12", "sample-runs/codex-p12-single-shot"];
    cli_text(&[pair[0], pair[1], "--snapshot", "120x40", "--keys", keys])
}

fn first_line(frame: &str) -> &str {
    frame.lines().next().unwrap_or_default()
}

/// Whether the panel of a component, in the scores and in the audit, is that of this one.
fn shows_component(frame: &str, id: &str) -> bool {
    frame.contains(&format!("┌ {id} "))
}

#[test]
fn the_first_line_of_every_view_names_all_views_and_marks_the_one_on_screen() {
    for view in View::ALL {
        let id = format!("goto-{}", view.word());
        let row = all_bindings().find(|row| row.id == id).unwrap();
        let frame = bundle_frame("120x40", &format!("g {}", row.keys[0]));
        let line = first_line(&frame);

        assert!(line.contains(&format!("[{}]", view.tab_name())), "{line}");
        assert!(View::ALL.into_iter().all(|other| line.contains(other.tab_name())), "{line}");
    }
}

#[test]
fn at_the_right_stand_the_run_its_condition_agent_and_judge_and_the_position() {
    let frame = bundle_frame("200x50", "12G");
    let facts =
        "codex-p12 · emergent · codex 0.169.0 · judge authors-reading  turn 12/56 · checkpoint 3/9";

    assert!(first_line(&frame).contains(facts), "{}", first_line(&frame));
}

#[test]
fn a_narrow_screen_drops_facts_first_and_then_letters_of_the_tabs() {
    let at_80 = bundle_frame("80x24", "3G");
    let at_60 = bundle_frame("60x15", "3G");
    let playing = bundle_frame("60x15", "3G <space>");

    assert_eq!(
        first_line(&at_80),
        "[Replay]Curves Scores Audit Compare Runs Live Process Layers          turn 3/56"
    );
    assert_eq!(first_line(&at_60), "[Replay]Curv Scor Audi Comp Runs Live Proc Laye   turn 3/56");
    assert!(first_line(&playing).starts_with("[Replay]"), "{playing}");
    assert!(first_line(&playing).contains("▶"), "{playing}");
}

#[test]
fn the_head_of_an_audit_and_of_scores_says_after_which_turn_the_code_was_judged() {
    for keys in ["g a", "g s"] {
        let frame = bundle_frame("120x40", keys);

        assert!(first_line(&frame).contains("after turn 56/56"), "{frame}");
        assert!(!first_line(&frame).contains(" turn 1/56"), "{frame}");
    }
}

#[test]
fn g_lists_what_may_follow_and_esc_closes_the_list() {
    let listed = text(80, 24, "g");

    assert!(listed.contains(" go to ") && listed.contains("r  Replay    F1"), "{listed}");
    assert!(listed.contains("u  Runs      F6 (empty)"), "{listed}");
    assert!(listed.contains("g  start of the list"), "{listed}");
    assert!(text(80, 24, "4 g").contains("g  item 4"));
    assert_eq!(text(80, 24, "g <esc>"), text(80, 24, ""));
    assert!(text(80, 24, "g x").contains("g is followed by the letter of a view"));
}

#[test]
fn every_view_has_a_key_of_its_own_and_a_click() {
    for (view, number) in View::ALL.into_iter().zip(1..) {
        let mark = format!("[{}]", view.tab_name());
        assert!(text(120, 40, &format!("<f{number}>")).starts_with(&mark) || number > 1);
        assert!(text(120, 40, &format!("<f{number}>")).contains(&mark), "{view:?}");

        let mut world = Answering::new();
        let frame = story::text(80, 24, "");
        let column = first_line(&frame).find(view.tab_name()).unwrap() as u16 + 1;
        let mouse = Mouse { kind: MouseKind::Click, column, row: 0 };
        world.send(AppMessage::Shell(state::ShellMessage::Mouse(mouse)));
        assert!(shown_text(&world).contains(&mark), "{view:?}");
    }
}

fn shown_text(world: &Answering) -> String {
    let theme = trajview::widgets::theme::Theme::with_terminal_colours();
    trajview::widgets::export::frame_text(&trajview::shell::draw::draw_picture(&world.app, theme))
}

fn press(world: &mut Answering, keys: &str) {
    key::parse_keys(keys).unwrap().into_iter().for_each(|key| world.send(AppMessage::Press(key)));
}

#[test]
fn gg_goes_to_the_start_12gg_to_the_twelfth_and_ge_to_the_end() {
    let turn = |keys: &str| {
        let frame = bundle_frame("120x40", keys);
        first_line(&frame)
            .split("turn ")
            .nth(1)
            .unwrap_or_default()
            .split('/')
            .next()
            .map(str::to_owned)
    };

    assert_eq!(turn("12gg").as_deref(), Some("12"));
    assert_eq!(turn("12gg gg").as_deref(), Some("1"));
    assert_eq!(turn("ge").as_deref(), Some("56"));
}

#[test]
fn twelve_and_the_capital_g_go_to_turn_twelve_whatever_panel_has_the_keyboard() {
    for panel in ["", "<tab>", "<tab><tab>", "<tab><tab><tab>"] {
        let frame = bundle_frame("120x40", &format!("{panel} 12G"));
        assert!(first_line(&frame).contains("turn 12/56"), "{panel}: {frame}");
    }
}

#[test]
fn a_view_without_content_says_what_would_fill_it_and_with_which_command() {
    for (keys, command) in [
        ("g o", "trajview A B"),
        ("g u", "trajview FOLDER"),
        ("g l", "trajview live"),
        ("g y", "trajview layer"),
        ("g s", "trajview new checklist"),
    ] {
        let frame = text(120, 40, keys);
        assert!(frame.contains(command), "{keys}: {frame}");
    }
    let no_run = compared_frame("g r");
    assert!(no_run.contains("no run is open: `trajview RUN` opens one"), "{no_run}");
}

#[test]
fn back_leads_across_the_views_in_order_to_the_place_that_each_had() {
    for back in ["<bs>", "<esc>", "<c-o>"] {
        let scores = bundle_frame("120x40", "12G g s j j g a");
        assert!(scores.contains("[Audit]"), "{scores}");

        let once = bundle_frame("120x40", &format!("12G g s j j g a {back}"));
        assert!(once.contains("[Scores]") && shows_component(&once, "C03"), "{back}: {once}");

        let twice = bundle_frame("120x40", &format!("12G g s j j g a {back} {back}"));
        assert!(twice.contains("[Replay]") && twice.contains("turn 12/56"), "{back}: {twice}");
    }
    let forward = bundle_frame("120x40", "12G g s j j <c-o> <c-n>");
    assert!(forward.contains("[Scores]") && shows_component(&forward, "C03"), "{forward}");
}

#[test]
fn back_closes_what_is_open_in_a_view_before_it_leaves_it() {
    let verdict = bundle_frame("120x40", "g s <enter> <esc>");
    assert!(verdict.contains("[Scores]"), "{verdict}");

    let left = bundle_frame("120x40", "g s <enter> <esc> <esc>");
    assert!(left.contains("[Replay]"), "{left}");

    let nowhere = bundle_frame("120x40", "<esc>");
    assert!(nowhere.contains("no view before this one; g goes to another"), "{nowhere}");
}

#[test]
fn a_view_that_is_not_of_the_run_is_left_and_found_again() {
    let back = compared_frame("j <enter> g s <bs> <bs>");
    assert!(back.contains("[Compare]") && back.contains("code of C20"), "{back}");

    let empty = bundle_frame("120x40", "12G g o <bs>");
    assert!(empty.contains("[Replay]") && empty.contains("turn 12/56"), "{empty}");
}

#[test]
fn the_component_chosen_in_the_comparison_goes_along_to_scores_and_audit() {
    let scores = compared_frame("j <enter> g s");
    assert!(shows_component(&scores, "C20"), "{scores}");

    let audit = compared_frame("j <enter> g s g a");
    assert!(shows_component(&audit, "C20"), "{audit}");

    let replay = compared_frame("j <enter> g s g a j g s");
    assert!(!shows_component(&replay, "C20"), "{replay}");
}

#[test]
fn the_file_selected_in_the_replay_is_selected_in_the_comparison() {
    let single_shot = crate::common::project_path("sample-runs/codex-p12-single-shot");
    let bundle = |keys: &str| {
        let compare = format!(":compare<space>{}<enter>", single_shot.display());
        bundle_frame("80x24", &format!("{keys} {compare} <tab> <tab> <tab> <enter>"))
    };

    let chosen = bundle("46G f f");
    let unchosen = bundle("46G");

    assert!(chosen.contains("┌ tests/test_losses.py "), "{chosen}");
    assert!(unchosen.contains("┌ README.md "), "{unchosen}");
}

#[test]
fn the_replay_opens_at_the_place_that_the_audit_has_on_screen() {
    let frame = bundle_frame("120x40", "g s j j j j j g a g r");

    assert!(frame.contains("[Replay]") && frame.contains("turn 56/56"), "{frame}");
    assert!(bundle_frame("120x40", "g s g a g r <bs>").contains("[Audit]"));
}

#[test]
fn a_point_of_the_curves_is_the_turn_of_the_replay() {
    let frame = bundle_frame("120x40", "g c 12G g r");

    assert!(first_line(&frame).contains("turn 12/56"), "{frame}");
}

#[test]
fn the_footer_begins_with_the_ways_to_views_help_and_commands() {
    for keys in ["", "g c", "g s", "g a", "g p", "g o", "g u"] {
        let frame = bundle_frame("80x24", keys);
        let footer = frame.lines().last().unwrap_or_default();
        assert!(footer.starts_with(" g go to view   ? help   : command"), "{keys}: {footer}");
        assert!(footer.trim_end().ends_with("q quit"), "{keys}: {footer}");
    }
}

#[test]
fn opening_another_run_forgets_the_places_in_the_one_before() {
    let mut world = Answering::new();
    press(&mut world, "4G g s");
    world.send(AppMessage::Open("another".into(), Default::default()));
    press(&mut world, "<c-o>");

    assert!(shown_text(&world).contains("no earlier jump"), "{}", shown_text(&world));
}

#[test]
fn the_footer_of_a_view_without_content_has_no_keys_that_need_some() {
    let frame = cli_text(&["sample-runs/logs/amp.json", "--snapshot", "120x20", "--keys", "g a"]);

    let footer = frame.lines().last().unwrap_or_default().trim_end();
    assert_eq!(footer, " g go to view   ? help   : command   q quit", "{frame}");
}
