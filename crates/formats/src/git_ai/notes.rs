//! The notes of git-ai on commits, put together into the documents that the format reads: one a session.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::json_object::JsonFields;

/// The notes, in the repository that made them and in a clone that fetched them.
pub const REFERENCES: [&str; 3] =
    ["refs/notes/ai", "refs/notes/ai-remote/origin", "refs/remotes/origin/notes/ai"];

/// A commit with a note.
pub struct NotedCommit<'a> {
    pub id: String,
    pub time: Option<String>,
    pub message: &'a str,
}

/// The documents of the sessions, by the session's id.
#[derive(Default)]
pub struct NotedSessions(pub BTreeMap<String, Value>);

impl NotedSessions {
    /// Adds a note; those of earlier commits come first.
    pub fn add_note(&mut self, commit: &NotedCommit<'_>, note: &str) {
        let (lines, document) = note.split_once("\n---\n").unwrap_or(("", note));
        let Ok(document) = serde_json::from_str::<Value>(document) else { return };
        let sessions = ["prompts", "sessions"].into_iter().filter_map(|key| document.object(key));
        for (key, session) in sessions.flatten() {
            self.add_session(commit, lines, key, session);
        }
    }

    /// Appends what a note has about one session to its document.
    fn add_session(&mut self, commit: &NotedCommit<'_>, lines: &str, key: &str, session: &Value) {
        let agent = &session["agent_id"];
        let id = agent.text("id").filter(|id| !id.is_empty()).unwrap_or(key);
        let document = self.0.entry(id.to_owned()).or_insert_with(
            || json!({ "git_ai": agent, "id": id, "human_author": session["human_author"], "commits": [] }),
        );
        let Some(commits) = document["commits"].as_array_mut() else { return };
        // Each note has the conversation from its beginning.
        let before: usize = commits.iter().map(|commit| commit.elements_of("messages").len()).sum();
        commits.push(json!({
            "commit": commit.id,
            "time": commit.time,
            "subject": commit.message.lines().next().unwrap_or_default(),
            "lines": attributed_lines(lines, key),
            "messages": session.elements_of("messages").get(before..).unwrap_or_default(),
        }));
    }
}

/// Returns the lines of files that a note attributes to a session: `src/main.rs 1-10,15`.
fn attributed_lines(lines: &str, key: &str) -> Vec<String> {
    let (mut line_ranges, mut file) = (vec![], "");
    for line in lines.lines() {
        match line.strip_prefix("  ") {
            None => file = line.trim().trim_matches('"'),
            Some(attribution) => {
                let (by, ranges) = attribution.split_once(' ').unwrap_or((attribution, ""));
                if by.split("::").next() == Some(key) {
                    line_ranges.push(format!("{file} {ranges}"));
                }
            }
        }
    }
    line_ranges
}
