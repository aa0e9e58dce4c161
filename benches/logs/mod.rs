//! Recordings of any size, made up: the same seed gives the same bytes, on every machine.
//!
//! The shape is that of real logs (requests, thinking, commands with output, reads, edits with the whole file before
//! them, patches, usage), the words are drawn from a list of our own. [`Claude`](Tool::Claude) writes a session of
//! Claude Code 2.0, [`Codex`](Tool::Codex) a rollout of Codex 0.150. The last record holds [`NEEDLE`], once.

#![allow(dead_code)] // each bench uses a part of it

use std::{
    fs,
    io::{self, BufRead, BufWriter, Write},
    path::{Path, PathBuf},
};

/// Stands in the last record of every log, and nowhere else.
pub const NEEDLE: &str = "a needle of brass under the last straw";

/// Who is said to have written the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    Claude,
    Codex,
}

/// What a log shall be like.
#[derive(Debug, Clone, Copy)]
pub struct LogOptions {
    pub tool: Tool,
    pub seed: u64,
    /// About as many bytes; the log ends with the turn that reaches them.
    pub bytes: usize,
    /// Lines of the files that are edited.
    pub file_lines: usize,
    /// Bytes of the last command's output.
    pub last_output: usize,
}

impl LogOptions {
    pub const fn with_size(tool: Tool, bytes: usize) -> Self {
        Self { tool, seed: 20_261_121, bytes, file_lines: 220, last_output: 2_000 }
    }

    /// Returns the options of one of many sessions, which edit small files.
    pub const fn small_session(tool: Tool, bytes: usize, number: usize) -> Self {
        Self { tool, seed: number as u64 + 1, bytes, file_lines: 40, last_output: 200 }
    }
}

impl Tool {
    pub const ALL: [Self; 2] = [Self::Claude, Self::Codex];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }
}

/// Writes the log a options describes below `folder`, unless it is there; gives its path.
pub fn make_log(folder: &Path, name: &str, options: LogOptions) -> io::Result<PathBuf> {
    let path = folder.join(format!("rollout-{}-{name}.jsonl", options.tool.name()));
    if fs::metadata(&path).is_ok_and(|meta| meta.len() as usize >= options.bytes) {
        return Ok(path);
    }
    fs::create_dir_all(folder)?;
    let mut file = BufWriter::new(fs::File::create(&path)?);
    write_log(&mut file, options)?;
    file.into_inner()?.sync_all()?;
    Ok(path)
}

/// Writes a trajectory of mini-swe-agent of about so many megabytes below `folder`, unless it is there; gives its path. It has a
/// message for every record of a log of Claude Code, its text cut where it stands.
pub fn make_mini(folder: &Path, megabytes: usize) -> io::Result<PathBuf> {
    let path = folder.join(format!("mini-{megabytes}.traj.json"));
    if path.exists() {
        return Ok(path);
    }
    let options = LogOptions::with_size(Tool::Claude, megabytes << 20);
    let log = fs::File::open(make_log(folder, &format!("for-mini-{megabytes}"), options)?)?;
    let mut file = BufWriter::new(fs::File::create(&path)?);
    let head = r#"{"info": {}, "trajectory_format": "mini-swe-agent-1.1", "messages": [
{"role": "system", "content": "You can run commands in a shell."},
{"role": "user", "content": "Please keep the ledger of the harbour."}"#;
    file.write_all(head.as_bytes())?;
    let mut written = 0;
    let lines = io::BufReader::new(log).lines();
    for (line, role) in lines.zip(["assistant", "user"].into_iter().cycle()) {
        let message = format!(",\n{{\"role\": \"{role}\", \"content\": {}}}", quoted_text(&line?));
        written += message.len();
        if written > megabytes << 20 {
            break;
        }
        file.write_all(message.as_bytes())?;
    }
    file.write_all(b"\n]}\n")?;
    file.into_inner()?.sync_all()?;
    Ok(path)
}

/// Writes the log a options describes.
pub fn write_log(out: &mut impl Write, options: LogOptions) -> io::Result<()> {
    let mut log = Log::new(options);
    let mut written = 0;
    log.begin();
    loop {
        let is_last = written + log.text.len() >= options.bytes;
        log.turn(is_last);
        written += log.text.len();
        out.write_all(log.text.as_bytes())?;
        log.text.clear();
        if is_last {
            return Ok(());
        }
    }
}

/// Splitmix64: enough of a die, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.roll() % end.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const WORDS: [&str; 48] = [
    "harbour",
    "lantern",
    "ledger",
    "copper",
    "willow",
    "gravel",
    "parcel",
    "signal",
    "orchard",
    "kettle",
    "anchor",
    "meadow",
    "button",
    "cipher",
    "dormer",
    "falcon",
    "garnet",
    "hollow",
    "island",
    "jigsaw",
    "kernel",
    "loaf",
    "marble",
    "needlework",
    "opal",
    "pebble",
    "quarry",
    "ribbon",
    "saddle",
    "timber",
    "umbrella",
    "velvet",
    "walnut",
    "yarn",
    "zinc",
    "the",
    "and",
    "of",
    "with",
    "before",
    "after",
    "when",
    "count",
    "index",
    "total",
    "café",
    "naïve",
    "→",
];

const FOLDERS: [&str; 6] = ["src", "src/store", "src/ship", "tests", "tools", "docs"];

fn random_words(dice: &mut Dice, count: usize) -> String {
    let all: Vec<&str> = (0..count).map(|_| dice.pick(&WORDS)).collect();
    all.join(" ")
}

/// Lines of one function of a made file.
const FUNCTION: usize = 10;

/// The line that stands at a place (counts from 0) of a made file: a head every [`FUNCTION`] lines, what it is for after
/// that, and a body. Whatever lines of a file are made anew, it stays Python that parses.
fn line_of_code(dice: &mut Dice, at: usize) -> String {
    let (a, b, n) = (dice.pick(&WORDS[..34]), dice.pick(&WORDS[..34]), dice.below(900));
    match (at % FUNCTION, dice.below(9)) {
        (0, _) => format!("def {a}_{b}_{n}(self, {b}):"),
        (1, _) => format!("    \"\"\"Gives the {a} of a {b}.\"\"\""),
        (_, 0) => String::new(),
        (_, 1) => format!("    return self.{a}[\"{b}\"] + {n}"),
        (_, 2) => format!("    if {a} is not None and {b} > {n}: raise ValueError({a})"),
        (_, 3) => format!("    pattern = r'\\b{a}\\d+\\s*{b}\\t'"),
        (_, 4) => format!("    self.{a}.append(({b}, {n}))"),
        (_, 5) => format!("    # {}", random_words(dice, 8)),
        (_, 6) => format!("    {a} = {a}_{b}_{n}(self, {b})"),
        _ => format!("    {a}_{n} = {b}.get(\"{a}\", {n})"),
    }
}

fn random_output(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 100);
    while text.len() < bytes {
        match dice.below(12) {
            0 => text.push_str("\u{1b}[32mPASSED\u{1b}[0m "),
            1 => text.push_str("warning: \"unused\" \\ "),
            _ => {}
        }
        text.push_str(&format!("tests/{}.py::{} ", dice.pick(&WORDS[..34]), random_words(dice, 7)));
        text.push('\n');
    }
    text
}

/// A JSON string, as the writers of logs spell it.
fn quoted_text(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + text.len() / 8 + 2);
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            letter if letter < ' ' => json.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => json.push(letter),
        }
    }
    json.push('"');
    json
}

struct SourceFile {
    path: String,
    lines: Vec<String>,
}

/// A few lines of a file taken out and others put there.
struct Swap {
    file: usize,
    at: usize,
    before: String,
    old: Vec<String>,
    new: Vec<String>,
}

struct Log {
    options: LogOptions,
    dice: Dice,
    files: Vec<SourceFile>,
    text: String,
    number: u64,
    seconds: u64,
    uuid: String,
}

const ROOT: &str = "/home/dev/ledger";
pub const SESSION: &str = "6f1d0c7e-51a4-7d62-9d14-0f6f2a7b3c11";

impl Log {
    fn new(options: LogOptions) -> Self {
        let (dice, text) = (Dice(options.seed), String::new());
        Self { options, dice, files: vec![], text, number: 0, seconds: 0, uuid: "null".into() }
    }

    fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn time(&mut self) -> String {
        self.seconds += 1 + self.dice.below(9) as u64;
        let (days, rest) = (self.seconds / 86_400, self.seconds % 86_400);
        let (hours, minutes, seconds) = (rest / 3_600, rest / 60 % 60, rest % 60);
        format!(
            "2026-{:02}-{:02}T{hours:02}:{minutes:02}:{seconds:02}.250Z",
            1 + days / 28 % 12,
            1 + days % 28
        )
    }

    fn turn(&mut self, is_last: bool) {
        let request = random_words(&mut self.dice, 14);
        self.request(&request);
        for _ in 0..1 + self.dice.below(5) {
            let thought = random_words(&mut self.dice, 60);
            self.think(&thought);
            match self.dice.below(5) {
                0 => self.new_file(),
                1 | 2 if !self.files.is_empty() => self.edit_file(),
                3 if !self.files.is_empty() => self.read_file(),
                _ => {
                    let size = 200 + self.dice.below(6_000);
                    self.command(size);
                }
            }
        }
        if is_last {
            self.command(self.options.last_output);
        }
        let said = if is_last { NEEDLE.to_owned() } else { random_words(&mut self.dice, 40) };
        self.say(&said);
    }

    fn command(&mut self, size: usize) {
        let command = format!("cd {ROOT} && pytest -k \"{}\"", random_words(&mut self.dice, 2));
        let told = random_output(&mut self.dice, size);
        self.run(&command, &told);
    }

    fn new_file(&mut self) {
        let place = (self.dice.pick(&FOLDERS), self.dice.pick(&WORDS[..34]), self.files.len());
        let path = format!("{ROOT}/{}/{}_{}.py", place.0, place.1, place.2);
        let lines =
            (0..self.options.file_lines).map(|at| line_of_code(&mut self.dice, at)).collect();
        self.files.push(SourceFile { path, lines });
        self.write_file(self.files.len() - 1);
    }

    fn edit_file(&mut self) {
        // The newest files are the ones that are worked on.
        let file = self.files.len() - 1 - self.dice.below(self.files.len().min(12));
        let before = joined_lines(&self.files[file].lines);
        let at = self.dice.below(self.files[file].lines.len().saturating_sub(6));
        let end = (at + 1 + self.dice.below(5)).min(self.files[file].lines.len());
        let new: Vec<String> = (at..end).map(|at| line_of_code(&mut self.dice, at)).collect();
        let old = self.files[file].lines.splice(at..end, new.iter().cloned()).collect();
        self.swap(&Swap { file, at, before, old, new });
    }
}

fn joined_lines(lines: &[String]) -> String {
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

impl Log {
    fn begin(&mut self) {
        if self.options.tool == Tool::Codex {
            let instructions = quoted_text(&random_words(&mut self.dice, 400));
            self.codex("session_meta", &format!(
                r#"{{"id":"{SESSION}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"{ROOT}","originator":"codex_cli_rs","cli_version":"0.150.0","source":"cli","base_instructions":{{"text":{instructions}}}}}"#,
            ));
        }
    }

    fn request(&mut self, text: &str) {
        let text = quoted_text(text);
        match self.options.tool {
            Tool::Claude => self.claude_user(&format!(r#"{{"role":"user","content":{text}}}"#), ""),
            Tool::Codex => {
                let turn = self.next();
                self.codex("event_msg", &format!(r#"{{"type":"task_started","turn_id":"{turn}","model_context_window":258400}}"#));
                self.codex("turn_context", &format!(
                    r#"{{"turn_id":"{turn}","cwd":"{ROOT}","approval_policy":"never","sandbox_policy":{{"type":"workspace-write","network_access":false}},"model":"gpt-made-up"}}"#,
                ));
                self.codex("response_item", &format!(
                    r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":{text}}}]}}"#,
                ));
                self.item(&format!(r#"{{"type":"UserMessage","id":"u{turn}","content":[{{"type":"text","text":{text}}}]}}"#));
            }
        }
    }

    fn think(&mut self, text: &str) {
        let text = quoted_text(text);
        match self.options.tool {
            Tool::Claude => self.claude_assistant(&format!(
                r#"{{"type":"thinking","thinking":{text},"signature":"{}"}}"#,
                "Qm9n".repeat(60)
            )),
            Tool::Codex => {
                let id = self.next();
                let sealed = "gAAAAB".repeat(120);
                self.codex("response_item", &format!(
                    r#"{{"type":"reasoning","id":"rs_{id}","summary":[{{"type":"summary_text","text":{text}}}],"content":null,"encrypted_content":"{sealed}"}}"#,
                ));
                self.item(&format!(r#"{{"type":"Reasoning","id":"rs_{id}","summary_text":[{text}],"raw_content":[]}}"#));
            }
        }
    }

    fn say(&mut self, text: &str) {
        let is_needle = text == NEEDLE;
        let text = quoted_text(text);
        match self.options.tool {
            Tool::Claude => self.claude_assistant(&format!(r#"{{"type":"text","text":{text}}}"#)),
            Tool::Codex => {
                let count = self.number * 700;
                self.codex("event_msg", &format!(
                    r#"{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{count},"cached_input_tokens":5,"output_tokens":{},"reasoning_output_tokens":3,"total_tokens":{count}}},"last_token_usage":{{"input_tokens":900,"cached_input_tokens":5,"output_tokens":80,"reasoning_output_tokens":3,"total_tokens":980}},"model_context_window":258400}}}}"#,
                    count / 9
                ));
                if !is_needle {
                    let id = self.next();
                    self.item(&format!(r#"{{"type":"AgentMessage","id":"m{id}","content":[{{"type":"Text","text":{text}}}]}}"#));
                }
                self.codex("response_item", &format!(
                    r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{text}}}]}}"#,
                ));
            }
        }
    }

    fn run(&mut self, command: &str, output: &str) {
        let (id, command, told) = (self.next(), quoted_text(command), quoted_text(output));
        match self.options.tool {
            Tool::Claude => {
                self.claude_assistant(&format!(
                    r#"{{"type":"tool_use","id":"toolu_{id}","name":"Bash","input":{{"command":{command},"description":"Runs the tests"}}}}"#,
                ));
                self.claude_result(
                    id,
                    &told,
                    &format!(
                        r#"{{"stdout":{told},"stderr":"","interrupted":false,"isImage":false}}"#,
                    ),
                );
            }
            Tool::Codex => {
                let arguments =
                    quoted_text(&format!(r#"{{"cmd":{command},"yield_time_ms":1000}}"#));
                self.codex("response_item", &format!(
                    r#"{{"type":"function_call","name":"exec_command","arguments":{arguments},"call_id":"call_{id}"}}"#,
                ));
                self.item(&format!(
                    r#"{{"type":"CommandExecution","id":"call_{id}","command":["bash","-lc",{command}],"cwd":"{ROOT}","status":"completed","stdout":{told},"stderr":"","aggregated_output":{told},"exit_code":0,"duration":{{"secs":0,"nanos":9}}}}"#,
                ));
                let head =
                    "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
                let told = quoted_text(&format!("{head}{output}"));
                self.codex("response_item", &format!(
                    r#"{{"type":"function_call_output","call_id":"call_{id}","output":{told}}}"#,
                ));
            }
        }
    }

    fn read_file(&mut self) {
        let at = self.files.len() - 1 - self.dice.below(self.files.len().min(12));
        let file = &self.files[at];
        let numbered: Vec<String> =
            (1..).zip(&file.lines).map(|(at, line)| format!("{at:>6}→{line}")).collect();
        let (path, content, told) = (
            quoted_text(&file.path),
            quoted_text(&joined_lines(&file.lines)),
            quoted_text(&joined_lines(&numbered)),
        );
        let (lines, command) =
            (file.lines.len(), format!("sed -n 1,{}p {}", file.lines.len(), file.path));
        match self.options.tool {
            Tool::Claude => {
                let id = self.next();
                self.claude_assistant(&format!(
                    r#"{{"type":"tool_use","id":"toolu_{id}","name":"Read","input":{{"file_path":{path}}}}}"#,
                ));
                self.claude_result(id, &told, &format!(
                    r#"{{"type":"text","file":{{"filePath":{path},"content":{content},"numLines":{lines},"startLine":1,"totalLines":{lines}}}}}"#,
                ));
            }
            Tool::Codex => {
                let content = joined_lines(&self.files[at].lines);
                self.run(&command, &content);
            }
        }
    }

    fn write_file(&mut self, file: usize) {
        let (id, path) = (self.next(), quoted_text(&self.files[file].path));
        let content = quoted_text(&joined_lines(&self.files[file].lines));
        match self.options.tool {
            Tool::Claude => {
                self.claude_assistant(&format!(
                    r#"{{"type":"tool_use","id":"toolu_{id}","name":"Write","input":{{"file_path":{path},"content":{content}}}}}"#,
                ));
                let told = quoted_text(&format!(
                    "File created successfully at: {}",
                    self.files[file].path
                ));
                self.claude_result(id, &told, &format!(
                    r#"{{"type":"create","filePath":{path},"content":{content},"structuredPatch":[]}}"#,
                ));
            }
            Tool::Codex => {
                let added: String =
                    self.files[file].lines.iter().map(|line| format!("+{line}\n")).collect();
                let patch = format!(
                    "*** Begin Patch\n*** Add File: {}\n{added}*** End Patch\n",
                    self.files[file].path
                );
                let change = format!(r#"{{"type":"add","content":{content}}}"#);
                self.patch(id, &patch, &path, &change);
            }
        }
    }

    fn swap(&mut self, swap: &Swap) {
        let (id, path) = (self.next(), quoted_text(&self.files[swap.file].path));
        let lines = &self.files[swap.file].lines;
        let start = swap.at.saturating_sub(3);
        let end = (swap.at + swap.new.len() + 3).min(lines.len());
        let mut hunk: Vec<String> =
            lines[start..swap.at].iter().map(|line| format!(" {line}")).collect();
        hunk.extend(swap.old.iter().map(|line| format!("-{line}")));
        hunk.extend(swap.new.iter().map(|line| format!("+{line}")));
        hunk.extend(lines[swap.at + swap.new.len()..end].iter().map(|line| format!(" {line}")));
        let (first, count) = (start + 1, end - start);
        match self.options.tool {
            Tool::Claude => {
                // With the lines around, so that what is replaced stands only once.
                let around = |changed: &[String]| {
                    let mut all = lines[start..swap.at].to_vec();
                    all.extend_from_slice(changed);
                    all.extend_from_slice(&lines[swap.at + swap.new.len()..end]);
                    quoted_text(&all.join("\n"))
                };
                let (old, new, before) =
                    (around(&swap.old), around(&swap.new), quoted_text(&swap.before));
                let patch: Vec<String> = hunk.iter().map(|line| quoted_text(line)).collect();
                let patch = patch.join(",");
                let told = quoted_text(&format!(
                    "The file {} has been updated.",
                    self.files[swap.file].path
                ));
                self.claude_assistant(&format!(
                    r#"{{"type":"tool_use","id":"toolu_{id}","name":"Edit","input":{{"file_path":{path},"old_string":{old},"new_string":{new}}}}}"#,
                ));
                self.claude_result(id, &told, &format!(
                    r#"{{"filePath":{path},"oldString":{old},"newString":{new},"originalFile":{before},"structuredPatch":[{{"oldStart":{first},"oldLines":{count},"newStart":{first},"newLines":{count},"lines":[{patch}]}}],"userModified":false,"replaceAll":false}}"#,
                ));
            }
            Tool::Codex => {
                let hunk = joined_lines(&hunk);
                let patch = format!(
                    "*** Begin Patch\n*** Update File: {}\n@@\n{hunk}*** End Patch\n",
                    self.files[swap.file].path
                );
                let diff = quoted_text(&format!("@@ -{first},{count} +{first},{count} @@\n{hunk}"));
                let change =
                    format!(r#"{{"type":"update","unified_diff":{diff},"move_path":null}}"#);
                self.patch(id, &patch, &path, &change);
            }
        }
    }

    fn patch(&mut self, id: u64, patch: &str, path: &str, change: &str) {
        let patch = quoted_text(patch);
        self.codex("response_item", &format!(
            r#"{{"type":"custom_tool_call","status":"completed","call_id":"call_{id}","name":"apply_patch","input":{patch}}}"#,
        ));
        self.item(&format!(
            r#"{{"type":"FileChange","id":"call_{id}","changes":{{{path}:{change}}},"status":"completed","stdout":"","stderr":""}}"#,
        ));
        self.codex("response_item", &format!(
            r#"{{"type":"custom_tool_call_output","call_id":"call_{id}","output":"Success. Updated the following files:\nM a.py\n"}}"#,
        ));
    }

    // --- the two wrappings

    fn codex(&mut self, kind: &str, payload: &str) {
        let (at, ordinal) = (self.time(), self.next());
        self.text.push_str(&format!(
            "{{\"timestamp\":\"{at}\",\"ordinal\":{ordinal},\"type\":\"{kind}\",\"payload\":{payload}}}\n"
        ));
    }

    fn item(&mut self, item: &str) {
        self.codex("event_msg", &format!(
            r#"{{"type":"item_completed","thread_id":"{SESSION}","turn_id":"1","item":{item},"completed_at_ms":0}}"#,
        ));
    }

    fn claude(&mut self, rest: &str) {
        let (at, uuid) =
            (self.time(), format!("\"{:08x}-0000-4000-8000-000000000000\"", self.next()));
        let parent = std::mem::replace(&mut self.uuid, uuid.clone());
        self.text.push_str(&format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"{ROOT}\",\"sessionId\":\"{SESSION}\",\"version\":\"2.0.14\",{rest},\"uuid\":{uuid},\"timestamp\":\"{at}\"}}\n"
        ));
    }

    fn claude_assistant(&mut self, block: &str) {
        let id = self.next();
        self.claude(&format!(
            r#""message":{{"id":"msg_{id}","type":"message","role":"assistant","model":"claude-made-up","content":[{block}],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":4,"cache_creation_input_tokens":900,"cache_read_input_tokens":12000,"output_tokens":{},"service_tier":"standard"}}}},"requestId":"req_{id}","type":"assistant""#,
            id % 700
        ));
    }

    fn claude_user(&mut self, message: &str, structured: &str) {
        self.claude(&format!(r#""type":"user","message":{message}{structured}"#));
    }

    fn claude_result(&mut self, id: u64, told: &str, structured: &str) {
        let message = format!(
            r#"{{"role":"user","content":[{{"tool_use_id":"toolu_{id}","type":"tool_result","content":{told},"is_error":false}}]}}"#,
        );
        self.claude_user(&message, &format!(r#","toolUseResult":{structured}"#));
    }
}
