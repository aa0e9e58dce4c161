//! Frames, and what a keystroke costs on logs of two sizes: cost must grow with what is shown.

mod logs;
mod measure;
mod screen;

use std::{path::PathBuf, time::Instant};

use logs::{LogOptions, Tool};
use measure::{Table, from_millis};
use ratatui::layout::Size;
use screen::Screen;

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
    table.end();
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
