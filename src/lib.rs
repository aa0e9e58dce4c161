//! Plays back recorded runs of coding agents, turn by turn, as diffs.
//!
//! # Crates, modules and layers
//!
//! The program is the package in the top folder: `src/`, with commands and runtime. Its libraries are the crates in `crates/`: each
//! module below is a crate `trajview-<name>`, but for `widgets`, `session`, `views` and `shell`, which are `trajview-tui`
//! together, and for `runtime` and `cli`, which are here. The page at the head of a crate's `lib.rs` says what it knows, what it must
//! not know, who uses it and what is always true of it. `assets/` is a crate as well: the texts that are compiled in.
//!
//! | module      | what it knows                                                              | kind    |
//! |-------------|----------------------------------------------------------------------------|---------|
//! | [`figures`] | a figure for a page: axes, curves, bands, marks, legend; as SVG, PDF and pgfplots | pure |
//! | [`code`]    | source text: diffs, patches, highlighting, syntax trees                    | pure    |
//! | [`run`]     | what an agent did: Run > Checkpoint > Turn > Step; the files at turn n     | pure    |
//! | [`formats`] | how the tools out there write runs, one folder each                        | pure    |
//! | [`metrics`] | how code and runs are scored: quality, rules, faithfulness, reuse, lifelines, process, decisions, memory | pure |
//! | [`study`]   | several runs and raters: agreement, pairs of runs, paired tests, corpora   | pure    |
//! | [`layers`]  | layers between the person and the agent: their briefs, with sources         | pure |
//! | [`store`]   | disk and git: finding runs, reading bytes, blobs of a commit               | I/O     |
//! | [`analysis`] | scores of a run at moments, its process, decisions, lifelines, memory; studies | I/O |
//! | [`judge`]   | asking a model for a verdict: bounded tools, conversations, clients        | I/O     |
//! | [`live`]    | an agent at work: drivers, script, turns recorded into a bundle as they happen | I/O |
//! | [`widgets`] | what views draw with: safe text, panels, lists, theme, scrolling, keys       | screen  |
//! | [`session`] | open runs and the facts about them; questions and cached answers           | screen  |
//! | [`views`]   | one folder a view: its state, keys, layout and drawing | screen |
//! | [`shell`]   | which screen is on, overlays, keymap, palette, help, footer, mouse         | screen  |
//! | [`runtime`] | the terminal, the clock, the threads: carries out questions and commands   | runtime |
//! | [`cli`]     | the commands, one file each                                                | runtime |
//!
//! A module imports only modules above it in this table. I/O and screen modules never import each other; only the
//! runtime imports both. Only I/O and the runtime touch files, clocks, threads, processes, sockets or the terminal. A crate
//! names only the crates of its manifest; the layout test, `tests/layout/main.rs`, checks the rest.
//!
//! # One run from path to frame
//!
//! 1. `main` parses the command line; a path without a command is `cli::view`, which reads settings and calls [`runtime`].
//! 2. The run loop hands [`shell::AppMessage::Open`] to the app. The app's update is pure: it returns
//!    [`session::effect::Effect::Open`] with the number of the request.
//! 3. The run loop carries the effect out on a worker: [`store::open`] finds the files of the recording. The first of
//!    [`formats::FORMATS`] that claims the main file reads all of them once into an index, [`run::Run`], which keeps where the
//!    bytes are and drops the rest; a rubric tree in the recording comes with it.
//! 4. The index comes back as [`shell::AppMessage::Opened`], [`store::Archive`] stays with the workers.
//! 5. A view needs the text of a step, a diff, a score: it returns a [`session::question::Question`] with a number. A worker answers
//!    with the archive (texts, files over time, searches), with [`analysis`] (scores) or with [`code`] (colours). An answer to an old
//!    number is dropped.
//! 6. Messages are taken until none waits, then one frame is drawn: text first, colours when they arrive. Drawing changes nothing.
//!
//! Commands go the same way without 2, 4 and 6: they open with [`store::open`], ask the archive, and write rows.
//!
//! A path with several recordings below it becomes a table, [`views::table`]: [`store::walk_runs`] finds them, a
//! [`run::RunCard`] summarises each, and enter opens one.
//!
//! # Where a new thing goes
//!
//! | new        | write                                              | add one word to        |
//! |------------|----------------------------------------------------|------------------------|
//! | run format | `crates/formats/src/<name>/`, as `pi/`, and a sample that `sample-runs/logs/make.py` writes (a function and its name in `ALL`), with a second one that has exactly one unknown record (`make.py --drift tests/vectors/drift`) | `mod` and `FORMATS` in `crates/formats/src/lib.rs`, before a format that claims more, such as `messages` |
//! | command    | `src/cli/<name>.rs`                                    | `cli::CliCommand`; its group and two examples to `cli::help` |
//! | figure     | `src/cli/figure/<name>.rs`, which makes a [`figures::Figure`]; a mark or a format: `crates/figures` | `FigureKind` in `src/cli/figure.rs` |
//! | key        | one row of `crates/tui/src/shell/keymap/tables/`, its place is its rank; a new action is also a variant of the view's message with its arm in the view's `update_view`. `trajview list keys` lists what is bound. A key must be free in its place, in *every view of a run* and in *everywhere*, and a letter of `MEANINGS` (`shell/keymap/mod.rs`) means the same in all views: `cargo test -p trajview-tui --lib keymap`. The id of the row is its command after `:` |                        |
//! | question   | one row of `crates/tui/src/session/question.rs`, its answer in `src/runtime/workers.rs` |        |
//! | view of a run | a folder in `crates/tui/src/views/` with a [`views::view::RunView`], its lists and texts as panes of [`widgets::pane`]; for its keys a table in `crates/tui/src/shell/keymap/tables/` and a row of `session::context` | `with_views` in `crates/tui/src/session/views.rs`, whose head lists the rest: the tab, the F key and the letter after `g` in `tables/everywhere.rs`, the command in `shell/commands/mod.rs`, `OpenRun::has_content` |
//! | column of words in the table of runs | one row of `crates/tui/src/session/columns/card_columns.rs` | its place in `SCORE_COLUMNS` or `SESSION_COLUMNS` of `crates/tui/src/session/columns.rs` |
//! | colours    | one row of `crates/code/src/highlight.rs`                     |                        |
//! | number, its curve, its column | one row of `crates/metrics/src/numbers/rows.rs`, its formula, and its name in the lists of `places.rs` that show it; a column of the table of runs also in `crates/tui/src/session/columns.rs`; a new fact of the code is also a field of `FileMeasure`, its sum in `snapshot_sum.rs`, a field of `QualitySnapshot`, and `VERSION` in `quality/ruler.rs` raised by one, since measured files are cached; a new fact of a whole run is also a field of `ProcessNumbers`, filled in `crates/analysis/src/process.rs`; the export has it by itself | |
//! | rule       | one document in `assets/rules/`                    | |
//! | look of a judge | `crates/judge/src/tools/<name>.rs`                        | `judge::tools::TOOLS`  |
//! | agent to drive | `crates/live/src/drivers/<name>.rs`                       | `drivers::DRIVERS`     |
//! | layer of project state | `crates/layers/src/<name>/`                      | `layers::LAYERS`       |
//! | measured language | one row of `crates/metrics/src/quality/languages/rows.rs` | `code::tree`        |
//! | language with DIR | a folder in `crates/metrics/src/reuse/`            | `reuse::facts::Words`  |
//! | price      | one row of `assets/prices.json`, with its source   |                        |

pub mod cli;
pub mod runtime;

// The libraries under the names that they have in this crate's history; tests, benches and fuzz targets use them.
pub use trajview_analysis as analysis;
pub use trajview_code as code;
pub use trajview_figures as figures;
pub use trajview_formats as formats;
pub use trajview_judge as judge;
pub use trajview_layers as layers;
pub use trajview_live as live;
pub use trajview_metrics as metrics;
pub use trajview_run as run;
pub use trajview_store as store;
pub use trajview_study as study;
pub use trajview_tui::{session, shell, views, widgets};
