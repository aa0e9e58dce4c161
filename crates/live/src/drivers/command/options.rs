//! Settings of a program without a driver of its own: the table `[drivers.NAME]`.

use serde::{Deserialize, Serialize};

/// The options of a program: its command lines and the meaning of its output. The arguments may have the placeholders
/// `{prompt}`, `{prompt_file}`, `{session}`, `{uuid}`, `{cwd}`, `{turn}`, `{run_dir}`, `{model}` and `{base_url}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramOptions {
    /// Program and arguments of the first request of a session.
    pub start: Vec<String>,
    /// Program and arguments of the following requests; empty for the same as the first.
    pub next: Vec<String>,
    pub prompt: PromptDelivery,
    /// The name of its session.
    pub session: SessionOption,
    /// The JSON pointer to the session's name in a line.
    pub session_pointer: String,
    /// The JSON pointer to the input tokens of a turn in a line.
    pub input_pointer: String,
    pub output_pointer: String,
    pub cost_pointer: String,
    /// A pattern for lines that report a denied action.
    pub denied: String,
    /// A pattern that the terminal shows when a turn is over; empty when the process ends.
    pub end_marker: String,
    /// Exit codes of a good turn.
    pub success: Vec<i32>,
    /// Patterns of logs in its home, such as `.tool/**/*.jsonl`.
    pub logs: Vec<String>,
    /// Patterns of files in the workspace that are not recorded.
    pub exclude: Vec<String>,
    /// The variable with its key.
    pub key_env: Option<String>,
    pub env: Vec<(String, String)>,
    pub rewind: RewindOption,
    /// The arguments that make it print its version; empty when it cannot.
    pub version: Vec<String>,
}

impl Default for ProgramOptions {
    fn default() -> Self {
        Self {
            start: vec![],
            next: vec![],
            prompt: PromptDelivery::Stdin,
            session: SessionOption::None,
            session_pointer: "/session_id".into(),
            input_pointer: String::new(),
            output_pointer: String::new(),
            cost_pointer: String::new(),
            denied: String::new(),
            end_marker: String::new(),
            success: vec![0],
            logs: vec![],
            exclude: vec![],
            key_env: None,
            env: vec![],
            rewind: RewindOption::Logs,
            version: vec![],
        }
    }
}

/// The way in which the program gets its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptDelivery {
    Stdin,
    /// The request replaces `{prompt}` among its arguments.
    Arg,
    /// A file with the request replaces `{prompt_file}` among its arguments.
    File,
    /// The request is typed into its terminal.
    Pty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionOption {
    /// We choose the session's name: `{uuid}`.
    Chosen,
    /// The program prints the session's name in a JSON line.
    Told,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RewindOption {
    Logs,
    Restart,
    GoOn,
}
