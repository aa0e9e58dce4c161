//! Very many small runs, made up: each of about thirty turns with tokens and times, an edit here and there and a command that
//! fails, in folders of a thousand. They are written in the form of ATIF, 6 to 8 kB each; a number gives the same bytes everywhere.

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

/// Runs that lie in one folder.
const IN_A_FOLDER: usize = 1_000;

/// Tasks that the runs are of.
pub const TASKS: usize = 500;

const AGENTS: [(&str, &str); 4] = [
    ("codex", "gpt-5-codex"),
    ("claude-code", "claude-sonnet-4-5"),
    ("made-agent", "made/model"),
    ("mini-swe-agent", "made/small"),
];

/// Writes the first so many runs below a folder; those that are there already stay.
///
/// # Errors
///
/// Where a file cannot be written.
pub fn make_runs(folder: &Path, count: usize) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let folders = count.div_ceil(IN_A_FOLDER);
    let write = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= folders {
                return Ok(());
            }
            let first = number * IN_A_FOLDER;
            for run in first..count.min(first + IN_A_FOLDER) {
                let path = path_of(folder, run);
                if run == first {
                    path.parent().map_or(Ok(()), fs::create_dir_all)?;
                }
                if !path.exists() {
                    fs::write(path, text_of(run))?;
                }
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let writing: Vec<_> = (0..threads).map(|_| scope.spawn(write)).collect();
        writing.into_iter().try_for_each(|it| it.join().expect("nothing here panics"))
    })
}

/// Where the run of a number lies.
pub fn path_of(folder: &Path, run: usize) -> PathBuf {
    folder.join(format!("{:03}", run / IN_A_FOLDER)).join(format!("run-{run:06}.json"))
}

/// Turns of the run of a number.
pub const fn turns_of(run: usize) -> usize {
    25 + run * 7 % 11
}

fn text_of(run: usize) -> String {
    let (agent, model) = AGENTS[run % AGENTS.len()];
    let mut text = String::with_capacity(9 << 10);
    let mut step = 0;
    let mut second = 0;
    let _ = write!(
        text,
        r#"{{"schema_version":"ATIF-v1.7","session_id":"s-{run:06}","agent":{{"name":"{agent}","version":"1.{}","model_name":"{model}"}},"steps":["#,
        run % 5
    );
    for turn in 0..turns_of(run) {
        let mut begin = |text: &mut String, source: &str| {
            step += 1;
            second += 1 + (run + turn) % 4;
            let comma = if step > 1 { "," } else { "" };
            let (hour, minute, second) = (8 + second / 3600, second / 60 % 60, second % 60);
            let day = 1 + run % 28;
            let _ = write!(
                text,
                r#"{comma}{{"step_id":{step},"timestamp":"2026-09-{day:02}T{hour:02}:{minute:02}:{second:02}Z","source":"{source}","#
            );
        };
        begin(&mut text, "user");
        let _ = write!(text, r#""message":"step {turn}"}}"#);
        begin(&mut text, "agent");
        let _ = write!(text, r#""message":"done {}","#, (run * 31 + turn * 17) % 1000);
        if turn == 3 {
            let _ = write!(
                text,
                r#""tool_calls":[{{"tool_call_id":"c{turn}","function_name":"write_file","arguments":{{"file_path":"/work/a.py","content":"def a{run}():\n    return {turn}\n"}}}}],"observation":{{"results":[{{"source_call_id":"c{turn}","content":"written"}}]}},"#
            );
        }
        let input = 1000 + turn * 90 + run % 97;
        let _ = write!(
            text,
            r#""metrics":{{"prompt_tokens":{input},"completion_tokens":{},"cost_usd":0.0{}}}}}"#,
            20 + (run + turn * turn) % 300,
            1 + (run + turn) % 9
        );
    }
    let _ = write!(text, r#"],"extra":{{"cwd":"/work","task":"task-{:03}"}}}}"#, run / 3 % TASKS);
    text
}
