//! The folders in which the agents of a machine keep their sessions.
//!
//! To add one write a row. An agent that keeps its recordings beside the code it works on (aider, SpecStory, git-ai)
//! has none, nor has what a harness writes.

use std::path::{Path, PathBuf};

/// The place where an agent keeps its sessions: a folder, or one file with many sessions.
struct SessionFolder {
    /// The base and the part below it that a variable may replace.
    base: FolderBase,
    first: &'static str,
    /// What is below that part.
    rest: &'static str,
    /// The variable that names the folder in the place of the base and the first part.
    moved_by: Option<&'static str>,
}

enum FolderBase {
    /// The home folder.
    Home,
    /// `$XDG_DATA_HOME`, else `~/.local/share`.
    Data,
    /// The folders in which editors keep what extensions store.
    Editors,
}

const SESSION_FOLDERS: &[SessionFolder] = &[
    // Claude Code
    in_home(".claude", "projects").moved_by("CLAUDE_CONFIG_DIR"),
    in_home(".config/claude", "projects"),
    // Codex
    in_home(".codex", "sessions").moved_by("CODEX_HOME"),
    in_home(".codex", "archived_sessions").moved_by("CODEX_HOME"),
    // Gemini CLI, Antigravity
    in_home("", ".gemini/tmp").moved_by("GEMINI_CLI_HOME"),
    in_home("", ".gemini/antigravity/brain").moved_by("GEMINI_CLI_HOME"),
    in_home(".qwen", "projects"),
    in_home(".grok", "sessions").moved_by("GROK_HOME"),
    in_data("opencode", ""),
    in_home(".copilot", "session-state").moved_by("COPILOT_HOME"),
    in_home(".cursor", "projects"),
    in_home(".pi/agent", "sessions").moved_by("PI_CODING_AGENT_DIR"),
    in_data("amp", "threads"),
    // Droid
    in_home(".factory", "sessions"),
    in_home(".kimi-code", "sessions").moved_by("KIMI_CODE_HOME"),
    in_home(".kimi", "sessions").moved_by("KIMI_SHARE_DIR"),
    in_data("goose", "sessions"),
    in_home(".openhands", "conversations"),
    in_home(".continue", "sessions").moved_by("CONTINUE_GLOBAL_DIR"),
    in_home(".iflow", "projects"),
    in_home(".dsh", "sessions").moved_by("DSH_HOME"),
    in_home(".kiro", "sessions"),
    in_data("kiro-cli", "data.sqlite3"),
    in_home(".config/mini-swe-agent", "last_mini_run.traj.json")
        .moved_by("MSWEA_GLOBAL_CONFIG_DIR"),
    // Cline, Roo Code
    in_home(".cline", "data/tasks"),
    in_editors("saoudrizwan.claude-dev", "tasks"),
    in_editors("rooveterinaryinc.roo-cline", "tasks"),
];

/// The folders in which editors keep what extensions store, below the home folder.
const EDITORS: [&str; 4] = [
    ".config/Code/User/globalStorage",
    ".vscode-server/data/User/globalStorage",
    "Library/Application Support/Code/User/globalStorage",
    "AppData/Roaming/Code/User/globalStorage",
];

const fn in_home(first: &'static str, rest: &'static str) -> SessionFolder {
    SessionFolder { base: FolderBase::Home, first, rest, moved_by: None }
}

const fn in_data(first: &'static str, rest: &'static str) -> SessionFolder {
    SessionFolder { base: FolderBase::Data, first, rest, moved_by: None }
}

const fn in_editors(first: &'static str, rest: &'static str) -> SessionFolder {
    SessionFolder { base: FolderBase::Editors, first, rest, moved_by: None }
}

impl SessionFolder {
    const fn moved_by(self, variable: &'static str) -> Self {
        Self { moved_by: Some(variable), ..self }
    }
}

/// Returns the places of sessions for a home folder and variables of the environment, each once, whether it exists or
/// not, in the order of the rows.
pub fn session_folders(home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let data = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
    let mut places: Vec<PathBuf> = vec![];
    for SessionFolder { base, first, rest, moved_by } in SESSION_FOLDERS {
        let bases = match (moved_by.and_then(variable), base) {
            // Claude Code takes several folders, with commas between.
            (Some(folders), _) => {
                let folders = folders.to_string_lossy().into_owned();
                folders.split(',').map(|folder| PathBuf::from(folder.trim())).collect()
            }
            (None, FolderBase::Home) => vec![home.join(first)],
            (None, FolderBase::Data) => vec![data.join(first)],
            (None, FolderBase::Editors) => {
                EDITORS.iter().map(|it| home.join(it).join(first)).collect()
            }
        };
        for place in bases.into_iter().map(|base| base.join(rest)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders_with(variable: &'static str, value: &'static str) -> Vec<String> {
        let variable = |name: &str| (name == variable).then(|| PathBuf::from(value));
        let places = session_folders(Path::new("/home/me"), &variable);
        places.iter().map(|place| place.display().to_string()).collect()
    }

    #[test]
    fn variables_that_move_folders_are_honoured() {
        let places = folders_with("CODEX_HOME", "/elsewhere");
        let has = |path: &str| places.iter().any(|place| place == path);
        assert!(has("/elsewhere/sessions") && has("/elsewhere/archived_sessions"));
        assert!(has("/home/me/.claude/projects") && has("/home/me/.config/claude/projects"));
        assert!(has("/home/me/.local/share/amp/threads") && !has("/home/me/.codex/sessions"));
        assert!(has("/home/me/.kimi-code/sessions") && has("/home/me/.kimi/sessions"));

        let places = folders_with("CLAUDE_CONFIG_DIR", "/a, /b");
        let has = |path: &str| places.iter().any(|place| place == path);
        assert!(has("/a/projects") && has("/b/projects") && !has("/home/me/.claude/projects"));
    }
}
