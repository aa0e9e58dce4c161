//! Frames, and what a keystroke costs on logs of two sizes: cost must grow with what is shown. The timelines of 56
//! and 5,000 turns, with the bytes that a key writes to the terminal.

mod logs;
mod measure;
mod screen;

use std::{cell::Cell, io, path::PathBuf, rc::Rc, sync::Arc, time::Instant};

use logs::{LogOptions, Tool};
use measure::{Table, from_millis};
use ratatui::{
    Terminal, TerminalOptions, Viewport,
    backend::CrosstermBackend,
    layout::{Rect, Size},
};
use screen::Screen;
use trajview::{
    metrics::quality::QualitySnapshot,
    run::{
        Checkpoint, Run, Turn,
        files::{RunMoment, Timeline, TurnFiles},
        rubric::{Checklist, Component, Judgement, Rubric, Verdict},
    },
    session::{
        code_measures::{MeasuredMoment, MeasuredMoments, RulerName},
        effect::{Effect, OpenAnswer},
        question::{Answer, Question},
        start_place::StartPlace,
    },
    shell::{App, AppMessage, draw},
    widgets::{key, theme::Theme},
};

const SIZES: [(u16, u16); 3] = [(200, 50), (120, 40), (80, 24)];

/// Keys that lead to what is drawn; a change of Python with some hunks is in most turns.
const SCENES: [(&str, &str); 3] = [
    ("unified", "3l <tab> <tab> m"),
    ("side by side", "3l <tab> <tab> m d"),
    ("blame", "3l <tab> <tab> m a"),
];

/// A key, the one that takes it back, and what they do.
const KEYS: [(&str, &str, &str); 7] = [
    ("l", "h", "another turn"),
    ("s", "S", "another step"),
    ("9G", "8G", "a turn far away"),
    ("G", "g", "the last turn and the first"),
    ("<tab>", "<s-tab>", "another panel"),
    (":", "<esc>", "the palette"),
    ("?", "<esc>", "help"),
];

fn main() {
    let in_full = std::env::args().any(|word| word == "--bench");
    let sizes: &[usize] = if in_full { &[20, 200] } else { &[1] };
    let mut table = Table::new();
    for tool in Tool::ALL {
        for (width, height) in SIZES {
            measure_frames(&mut table, tool, Size { width, height }, sizes);
        }
        sizes.iter().for_each(|size| measure_keystrokes(&mut table, tool, *size));
    }
    for turns in [56, if in_full { 5_000 } else { 500 }] {
        measure_timeline(&mut table, turns);
    }
    table.end();
}

/// Frames of a run of so many turns whose timeline has everything, and a key that moves it.
fn measure_timeline(table: &mut Table, turns: usize) {
    let mut app = App::default();
    app.update(AppMessage::Resized(Size { width: 120, height: 40 }));
    let effects = app.update(AppMessage::Open("made up".into(), StartPlace::default()));
    let run = Arc::new(run_of(turns));
    answer_all(&mut app, effects, &run);
    // At the last turn, where a judgement has a mean.
    for key in key::parse_keys("G").expect("this is a key") {
        let effects = app.update(AppMessage::Press(key));
        answer_all(&mut app, effects, &run);
    }
    let shown =
        trajview::widgets::export::frame_text(&draw::draw_picture(&app, Theme::without_colours()));
    assert!(shown.contains("MCF"), "it has a timeline with components: {shown}");
    let has_buckets = shown.contains("a column has the highest value");
    assert_eq!(has_buckets, turns > 120, "more turns than columns: {shown}");
    let theme = Theme::with_terminal_colours();
    let of = |what: &str| format!("timeline of {turns} turns: {what}");
    table.row(&of("a whole frame"), from_millis(4), 41, || draw::draw_picture(&app, theme));
    let mut keys = key::parse_keys("h l").expect("these are keys").into_iter().cycle();
    table.row(&of("another turn and its frame"), from_millis(4), 41, || {
        app.update(AppMessage::Press(keys.next().expect("they go round")));
        draw::draw_picture(&app, theme)
    });
    let written = Rc::new(Cell::new(0));
    let area = Rect::new(0, 0, 120, 40);
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    let backend = CrosstermBackend::new(ByteCounter(written.clone()));
    let mut terminal =
        Terminal::with_options(backend, options).expect("a counter takes everything");
    let mut bytes_of_frame = |app: &App| {
        written.set(0);
        let drawn = terminal.draw(|frame| draw::draw_frame(app, theme, frame));
        drawn.expect("a counter takes everything");
        written.get()
    };
    table.count(&of("bytes of the first frame"), "B", MAX_FRAME_BYTES, bytes_of_frame(&app));
    let mut bytes: Vec<u64> = vec![];
    for key in keys.take(40) {
        app.update(AppMessage::Press(key));
        bytes.push(bytes_of_frame(&app));
    }
    bytes.sort_unstable();
    table.count(
        &of("bytes of a key, the median of 40"),
        "B",
        MAX_KEY_BYTES,
        bytes[bytes.len() / 2],
    );
}

/// The most bytes of a whole frame of 120x40.
const MAX_FRAME_BYTES: u64 = 24_000;

/// The most bytes of the frame after a key that moves the playhead by a turn.
const MAX_KEY_BYTES: u64 = 4_000;

/// Counts what a terminal would be sent.
struct ByteCounter(Rc<Cell<u64>>);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A run with a checkpoint every fifty turns.
fn run_of(turns: usize) -> Run {
    let turn = |at: usize| Turn { checkpoint: Some(at / 50), ..Turn::default() };
    let checkpoint = |at: usize| Checkpoint {
        id: format!("c{}", at + 1),
        last_turn: ((at + 1) * 50).min(turns) - 1,
        ..Checkpoint::default()
    };
    Run {
        turns: (0..turns).map(turn).collect(),
        checkpoints: (0..turns.div_ceil(50)).map(checkpoint).collect(),
        ..Run::default()
    }
}

/// A checklist of a hundred components, judged ten times.
fn rubric_of(turns: usize) -> Rubric {
    let id = |at: usize| format!("C{at:03}");
    let component = |at: usize| Component {
        id: id(at),
        committed_at_turn: Some(at + 1),
        ..Component::default()
    };
    let verdict = |at: usize| Verdict {
        component: id(at),
        score: Some((at % 5) as u8),
        ..Verdict::default()
    };
    let judgement = |at: usize| Judgement {
        file: format!("{at}.json"),
        turn: Some((at + 1) * turns / 10),
        verdicts: (0..100).map(verdict).collect(),
        ..Judgement::default()
    };
    let components = (0..100).map(component).collect();
    Rubric {
        checklist: Some(Checklist { components, ..Checklist::default() }),
        judgements: (0..10).map(judgement).collect(),
        ..Rubric::default()
    }
}

/// Answers what the timeline needs, until nothing more is asked.
fn answer_all(app: &mut App, mut effects: Vec<Effect>, run: &Arc<Run>) {
    while !effects.is_empty() {
        let answers: Vec<AppMessage> =
            effects.drain(..).filter_map(|effect| made_up_answer(effect, run)).collect();
        effects = answers.into_iter().flat_map(|answer| app.update(answer)).collect();
    }
}

fn made_up_answer(effect: Effect, run: &Arc<Run>) -> Option<AppMessage> {
    let turns = run.turns.len();
    let (request, question) = match effect {
        Effect::Open(request, ..) => {
            return Some(AppMessage::Opened(request, OpenAnswer::Whole(Ok(run.clone()))));
        }
        Effect::Ask(request, question) => (request, *question),
        _ => return None,
    };
    let answer = match question {
        Question::Timeline { .. } => {
            let turns = vec![TurnFiles::default(); turns];
            Answer::Timeline(Ok(Arc::new(Timeline { turns, ..Timeline::default() })))
        }
        Question::LineCounts { .. } => Answer::LineCounts(Ok(Arc::new(vec![vec![]; turns]))),
        Question::Rubric { .. } => Answer::Rubric(Ok(Arc::new(rubric_of(turns)))),
        Question::Lifelines { .. } => Answer::Lifelines(Ok(Arc::default())),
        Question::Scores { moments, .. } => Answer::Scores(Ok(measured(moments))),
        _ => return None,
    };
    Some(AppMessage::Answered(request, answer))
}

fn measured(moments: Vec<RunMoment>) -> MeasuredMoments {
    let moment = |moment: RunMoment| {
        let erosion = (moment.turns % 97) as f64 / 97.0;
        let snapshot = QualitySnapshot { erosion, verbosity: erosion / 2.0, ..Default::default() };
        (moment, MeasuredMoment { snapshot: Ok(snapshot), not_recorded: 0 })
    };
    let ruler = RulerName {
        name: "made up".into(),
        is_comparable: true,
        rules: 0,
        source: "made up".into(),
    };
    MeasuredMoments { ruler, moments: moments.into_iter().map(moment).collect() }
}

fn log_path(tool: Tool, megabytes: usize) -> PathBuf {
    let options = LogOptions::with_size(tool, megabytes << 20);
    logs::make_log(&measure::bench_folder(), &megabytes.to_string(), options)
        .expect("there is room for a log")
}

fn big_step(tool: Tool) -> PathBuf {
    let options = LogOptions { last_output: 2 << 20, ..LogOptions::with_size(tool, 3 << 20) };
    logs::make_log(&measure::bench_folder(), "big-step", options).expect("there is room for a log")
}

fn measure_frames(table: &mut Table, tool: Tool, size: Size, sizes: &[usize]) {
    let of = |what: &str| format!("{} {}x{}: {what}", tool.name(), size.width, size.height);
    for (what, keys) in SCENES {
        let has_room = what != "side by side" || size.width >= 120;
        if has_room {
            let mut screen = Screen::open_path(&log_path(tool, sizes[0]), size, keys);
            table.row(&of(what), from_millis(16), 41, || screen.whole_frame());
        }
    }
    let mut screen = Screen::open_path(&big_step(tool), size, "G <s-tab> Z G");
    table.row(&of("a step of 2 MB, open"), from_millis(16), 41, || screen.whole_frame());
    let mut back = false;
    table.row(&of("a step of 2 MB, a page up or down"), from_millis(33), 41, || {
        back = !back;
        screen.press(if back { "<pgup>" } else { "<pgdn>" });
        screen.frame();
    });
    for megabytes in sizes {
        let mut screen = Screen::open_path(&log_path(tool, *megabytes), size, "R");
        let turns = screen.app.screens.open_run().map_or(0, |open| open.session.run.turns.len());
        let what = of(&format!("{turns} requests listed, {megabytes} MB"));
        table.row(&what, from_millis(16), 41, || screen.whole_frame());
        let what = of(&format!("{turns} requests, a letter typed and erased"));
        table.row(&what, from_millis(33), 21, || {
            screen.press("a");
            screen.frame();
            screen.press("<bs>");
            screen.frame();
        });
    }
}

/// A key until the frame that follows at once, and until the one that shows everything it asked for.
fn measure_keystrokes(table: &mut Table, tool: Tool, megabytes: usize) {
    let size = Size { width: 200, height: 50 };
    let mut screen = Screen::open_path(&log_path(tool, megabytes), size, "5l");
    for (there, back, what) in KEYS {
        let (mut at_once, mut in_full) = (vec![], vec![]);
        for key in [there, back].into_iter().cycle().take(42) {
            let begun = Instant::now();
            let asked = screen.tap(key);
            screen.frame();
            at_once.push(begun.elapsed());
            screen.settle(asked);
            screen.frame();
            in_full.push(begun.elapsed());
        }
        let of = |when| format!("{} {megabytes} MB: {what}, {when}", tool.name());
        table.taken(&of("key to frame"), from_millis(16), at_once);
        table.taken(&of("all there"), from_millis(33), in_full);
    }
}
