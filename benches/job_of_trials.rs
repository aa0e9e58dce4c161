//! A job of Harbor with 5,000 trials: as the table of runs in a terminal, and as `corpus --json`, with an empty and with a
//! full cache. The shipped program, on trials that are made up once; with `-- FOLDER COUNT` they are made there, and
//! nothing is measured.

mod logs;
mod measure;
mod terminal;

use std::{fmt::Write as _, fs, io, path::Path};

use logs::{LogOptions, Tool};
use measure::{ProgramRun, Table, Took, from_millis, run_program};
use terminal::Tui;

/// The most memory, in MB.
const MOST_MEGABYTES: f64 = 300.0;

/// The number of trials of each task.
const ATTEMPTS: usize = 10;

/// The size of the log of Codex in bytes, and the number of steps in the trajectory of Claude Code, about as large.
const LOG_BYTES: usize = 60_000;
const STEPS: usize = 40;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    if let [folder, count] = words.as_slice() {
        let count = count.parse().expect("a number of trials");
        return make_job(Path::new(folder), count).expect("there is room for trials");
    }
    let in_full = std::env::args().any(|word| word == "--bench");
    let (count, rounds) = if in_full { (5_000, 3) } else { (20, 1) };
    let job = measure::bench_folder().join(format!("job-{count}"));
    make_job(&job, count).expect("there is room for trials");
    let job = job.to_str().expect("the folder of temporary files has a plain name");
    let mut table = Table::new();
    for (cache, is_full) in [("empty cache", false), ("full cache", true)] {
        let of = |what: &str| format!("{count} trials, {cache}: {what}");
        let opened: Vec<OpenedTable> = (0..rounds)
            .map(|_| {
                prepare_cache(is_full);
                open_table(job, count)
            })
            .collect();
        let first = opened.iter().map(|it| it.first).collect();
        table.taken_with_cpu(&of("first rows of the table"), from_millis(300), first);
        let all = opened.iter().map(|it| it.all).collect();
        table.taken_with_cpu(&of("the table"), from_millis(2_000), all);
        let memory = opened.iter().map(|it| it.megabytes).fold(0.0, f64::max);
        table.memory(&of("the table, memory"), MOST_MEGABYTES, memory);
        let runs: Vec<ProgramRun> = (0..rounds)
            .map(|_| {
                prepare_cache(is_full);
                run_program(&["corpus", "--json", job], &[("XDG_CACHE_HOME", &cache_folder())])
            })
            .collect();
        let times = runs.iter().map(|it| it.took).collect();
        table.taken_with_cpu(&of("corpus --json"), from_millis(3_000), times);
        let memory = runs.iter().map(|it| it.megabytes).fold(0.0, f64::max);
        table.memory(&of("corpus --json, memory"), MOST_MEGABYTES, memory);
    }
    table.end();
}

fn cache_folder() -> String {
    measure::bench_folder().join("cache-of-job").to_string_lossy().into_owned()
}

/// Empties the cache, unless what the work before left in it is to be used.
fn prepare_cache(is_full: bool) {
    if !is_full {
        let _ = fs::remove_dir_all(cache_folder()); // it may not be there
    }
}

/// How a table opened.
struct OpenedTable {
    /// Until the first rows have their outcomes.
    first: Took,
    /// Until all rows are read; files are measured after that.
    all: Took,
    megabytes: f64,
}

fn open_table(job: &str, count: usize) -> OpenedTable {
    let cache = cache_folder();
    let size = [120, 40];
    let mut tui =
        Tui::start_with(&["--view", "collection", job], size, &[("XDG_CACHE_HOME", &cache)]);
    let first = tui.wait_until(|screen| screen.contains("passed") && screen.contains("task-0000"));
    let first = Took { clock: first - tui.started, cpu: tui.cpu_time() };
    let all = format!("{count} runs");
    let last = tui.wait_until(|screen| {
        screen.contains(&all) && !screen.contains("reading") && !screen.contains("searching")
    });
    let all = Took { clock: last - tui.started, cpu: tui.cpu_time() };
    OpenedTable { first, all, megabytes: tui.peak_memory() }
}

/// Makes the trials that are not there yet.
fn make_job(job: &Path, count: usize) -> io::Result<()> {
    fs::create_dir_all(job)?;
    let own = format!("{{\"id\": \"job\", \"n_total_trials\": {count}, \"stats\": {{}}}}");
    fs::write(job.join("result.json"), own)?;
    fs::write(job.join("config.json"), "{\"job_name\": \"job\", \"n_attempts\": 10}")?;
    (0..count).try_for_each(|number| {
        let task = format!("task-{:04}", number / ATTEMPTS);
        let trial = job.join(format!("{task}__{number:07}"));
        match trial.join("result.json").exists() {
            true => Ok(()),
            false => make_trial(&trial, &task, number),
        }
    })
}

/// Of twenty trials nine have the trajectory of Claude Code beside what it printed, nine a session of Codex, and two have no
/// log.
fn make_trial(trial: &Path, task: &str, number: usize) -> io::Result<()> {
    let write = |name: &str, text: &[u8]| {
        let path = trial.join(name);
        fs::create_dir_all(path.parent().expect("it is below the folder of the trial"))?;
        fs::write(path, text)
    };
    let agent = if number % 20 < 9 { "claude-code" } else { "codex" };
    let has_log = number % 20 < 18;
    let printed = format!("agent/{agent}.txt");
    match (has_log, agent) {
        (false, _) => {
            write(&printed, b"starting\nno answer\n")?;
            write("exception.txt", b"Traceback\nAgentTimeoutError: timed out\n")?;
        }
        (true, "codex") => {
            let options = LogOptions::small_session(Tool::Codex, LOG_BYTES, number);
            let mut log = vec![];
            logs::write_log(&mut log, options)?;
            write("agent/sessions/2026/09/01/rollout-2026-09-01T10-00-00.jsonl", &log)?;
            write(&printed, b"starting\ndone\n")?;
        }
        (true, _) => {
            let text = trajectory_of(number);
            write("agent/trajectory.json", text.as_bytes())?;
            write(&printed, text.replace('\n', " ").as_bytes())?;
        }
    }
    write("config.json", format!("{{\"trial_name\": \"{task}__{number:07}\"}}").as_bytes())?;
    if has_log {
        write("verifier/reward.txt", if number.is_multiple_of(3) { b"1" } else { b"0" })?;
        write("verifier/ctrf.json", TESTS.as_bytes())?;
    }
    write("result.json", result_of(task, number, agent, has_log).as_bytes()) // last: with it the trial is whole
}

const TESTS: &str = r#"{"results": {"tool": {"name": "pytest"}, "summary": {"tests": 2, "passed": 1, "failed": 1}, "tests": [
    {"name": "test_a", "status": "passed", "duration": 0.1}, {"name": "test_b", "status": "failed", "duration": 0.1}]}}"#;

fn result_of(task: &str, number: usize, agent: &str, has_log: bool) -> String {
    let reward = if number.is_multiple_of(3) { "1.0" } else { "0.0" };
    let (verifier, exception) = match has_log {
        true => (format!("{{\"rewards\": {{\"reward\": {reward}}}}}"), "null".to_owned()),
        false => {
            let what =
                r#"{"exception_type": "AgentTimeoutError", "exception_message": "timed out"}"#;
            ("null".to_owned(), what.to_owned())
        }
    };
    let time = |second: usize| format!("2026-09-01T10:{:02}:{second:02}.5Z", number % 60);
    format!(
        "{{\n    \"task_name\": \"{task}\",\n    \"trial_name\": \"{task}__{number:07}\",\n    \"trial_uri\": \"file:///job\",\n    \
         \"config\": {{\"agent\": {{\"name\": \"{agent}\", \"model_name\": \"made-up\"}}}},\n    \"agent_info\": {{\"name\": \
         \"{agent}\", \"version\": \"1.0\"}},\n    \"agent_result\": {{\"n_input_tokens\": {number}, \"n_output_tokens\": 5}},\n    \
         \"verifier_result\": {verifier},\n    \"exception_info\": {exception},\n    \"started_at\": \"{}\",\n    \"finished_at\": \
         \"{}\"\n}}\n",
        time(1),
        time(50)
    )
}

/// Returns a trajectory as Harbor writes it, an element a line.
fn trajectory_of(number: usize) -> String {
    let mut text = String::from(
        "{\n  \"schema_version\": \"ATIF-v1.2\",\n  \"session_id\": \"s\",\n  \"agent\": {\n    \"name\": \"claude-code\",\n    \
         \"version\": \"1.0\",\n    \"model_name\": \"made-up\"\n  },\n  \"steps\": [\n    {\"step_id\": 1, \"source\": \"user\",\n      \
         \"message\": \"solve it\"}",
    );
    for step in 0..STEPS {
        let value = number * 31 + step;
        let (name, arguments) = match step % 8 {
            4 => (
                "Write",
                format!(
                    "{{\"file_path\": \"/app/f{step}.py\", \"content\": \"{}\"}}",
                    format!("def f{value}(x):\\n    return x + {step}\\n\\n").repeat(10)
                ),
            ),
            _ => ("Bash", format!("{{\"command\": \"pytest -q tests/test_{value}.py\"}}")),
        };
        let output = format!("line {value} of the output, ").repeat(10 + value % 60);
        let _ = write!(
            text,
            ",\n    {{\n      \"step_id\": {},\n      \"timestamp\": \"2026-09-01T10:00:{:02}Z\",\n      \"source\": \"agent\",\n      \
             \"message\": \"step {value}\",\n      \"tool_calls\": [\n        {{\"tool_call_id\": \"c{step}\", \"function_name\": \
             \"{name}\", \"arguments\": {arguments}}}\n      ],\n      \"observation\": {{\"results\": [{{\"source_call_id\": \
             \"c{step}\", \"content\": \"{output}\"}}]}},\n      \"metrics\": {{\"prompt_tokens\": {value}, \"completion_tokens\": \
             20}}\n    }}",
            step + 2,
            step % 60
        );
    }
    text + "\n  ]\n}\n"
}
