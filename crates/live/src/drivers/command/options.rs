//! The settings of a program without a driver of its own, as `[drivers.NAME]` holds them.

use serde::{Deserialize, Serialize};

/// How a program is called and read. In its words `{prompt}`, `{prompt_file}`, `{session}`, `{uuid}`, `{cwd}`,
/// `{turn}`, `{run_dir}`, `{model}` and `{base_url}` are filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramOptions {
    /// Program and arguments of the first request of a session.
    pub start: Vec<String>,
    /// Of the following ones; empty for the same as the first.
    pub next: Vec<String>,
    pub prompt: Way,
    /// How its session is named.
    pub session: SessionWord,
    #[serde(flatten)]
    pub output: Output,
    /// What the terminal shows when a turn is over; empty where the process ends.
    pub end_marker: String,
    /// Exit codes of a good turn.
    pub success: Vec<i32>,
    /// Files of its home, as `.tool/**/*.jsonl`.
    pub logs: Vec<String>,
    /// Files in the workspace that are not recorded.
    pub exclude: Vec<String>,
    /// The variable that holds its key.
    pub key_env: Option<String>,
    pub env: Vec<(String, String)>,
    pub rewind: RewindWord,
    /// What makes it print its version; empty where it cannot.
    pub version: Vec<String>,
}

impl Default for ProgramOptions {
    fn default() -> Self {
        Self {
            start: vec![],
            next: vec![],
            prompt: Way::Stdin,
            session: SessionWord::None,
            output: Output::default(),
            end_marker: String::new(),
            success: vec![0],
            logs: vec![],
            exclude: vec![],
            key_env: None,
            env: vec![],
            rewind: RewindWord::Logs,
            version: vec![],
        }
    }
}

/// What the lines that a program prints mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Output {
    /// Where in a JSON line the session's name is (a JSON pointer), where it is told.
    pub session_pointer: String,
    /// Where the tokens of a turn are, in a JSON line (JSON pointers).
    pub input_pointer: String,
    pub output_pointer: String,
    pub cost_pointer: String,
    /// A line that matches says what was not allowed.
    pub denied: String,
}

impl Default for Output {
    fn default() -> Self {
        Self {
            session_pointer: "/session_id".into(),
            input_pointer: String::new(),
            output_pointer: String::new(),
            cost_pointer: String::new(),
            denied: String::new(),
        }
    }
}

/// How it gets its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    Stdin,
    /// By `{prompt}` among its arguments.
    Arg,
    /// By `{prompt_file}` among its arguments.
    File,
    /// Typed into its terminal.
    Pty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionWord {
    /// We choose it: `{uuid}`.
    Chosen,
    /// It says it in a JSON line.
    Told,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RewindWord {
    Logs,
    Restart,
    GoOn,
}
