//! The folders in which the agents of this machine keep their sessions.
//!
//! To add one write a row. An agent that keeps its recordings beside the code it works on (aider, SpecStory, git-ai)
//! has none, nor has what a harness writes.

use std::path::{Path, PathBuf};

/// The place where an agent keeps its sessions: a folder, or one file with many sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFolder {
    /// Name of the [`trajview_formats::Format`] of what lies there.
    pub format: &'static str,
    pub path: PathBuf,
}

/// The base of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FolderBase {
    /// The home folder.
    Home,
    /// `$XDG_DATA_HOME`, else `~/.local/share`.
    Data,
    /// The folders in which editors keep what extensions store.
    Editors,
}

/// Format, the variable that names the folder in the place of the base and the first part, the base, that first part,
/// and what is below it.
type AgentFolderRow = (&'static str, Option<&'static str>, FolderBase, &'static str, &'static str);

const AGENT_FOLDERS: &[AgentFolderRow] = &[
    ("claude-code", Some("CLAUDE_CONFIG_DIR"), FolderBase::Home, ".claude", "projects"),
    ("claude-code", None, FolderBase::Home, ".config/claude", "projects"),
    ("codex-rollout", Some("CODEX_HOME"), FolderBase::Home, ".codex", "sessions"),
    ("codex-rollout", Some("CODEX_HOME"), FolderBase::Home, ".codex", "archived_sessions"),
    ("gemini", Some("GEMINI_CLI_HOME"), FolderBase::Home, "", ".gemini/tmp"),
    ("antigravity", Some("GEMINI_CLI_HOME"), FolderBase::Home, "", ".gemini/antigravity/brain"),
    ("qwen-code", None, FolderBase::Home, ".qwen", "projects"),
    ("grok", Some("GROK_HOME"), FolderBase::Home, ".grok", "sessions"),
    ("opencode", None, FolderBase::Data, "opencode", ""),
    ("copilot-cli", Some("COPILOT_HOME"), FolderBase::Home, ".copilot", "session-state"),
    ("cursor", None, FolderBase::Home, ".cursor", "projects"),
    ("pi", Some("PI_CODING_AGENT_DIR"), FolderBase::Home, ".pi/agent", "sessions"),
    ("amp", None, FolderBase::Data, "amp", "threads"),
    ("droid", None, FolderBase::Home, ".factory", "sessions"),
    ("kimi", Some("KIMI_CODE_HOME"), FolderBase::Home, ".kimi-code", "sessions"),
    ("kimi", Some("KIMI_SHARE_DIR"), FolderBase::Home, ".kimi", "sessions"),
    ("goose", None, FolderBase::Data, "goose", "sessions"),
    ("openhands-v1", None, FolderBase::Home, ".openhands", "conversations"),
    ("continue", Some("CONTINUE_GLOBAL_DIR"), FolderBase::Home, ".continue", "sessions"),
    ("iflow", None, FolderBase::Home, ".iflow", "projects"),
    ("dsh", Some("DSH_HOME"), FolderBase::Home, ".dsh", "sessions"),
    ("kiro", None, FolderBase::Home, ".kiro", "sessions"),
    ("kiro", None, FolderBase::Data, "kiro-cli", "data.sqlite3"),
    (
        "mini-swe-agent",
        Some("MSWEA_GLOBAL_CONFIG_DIR"),
        FolderBase::Home,
        ".config/mini-swe-agent",
        "last_mini_run.traj.json",
    ),
    ("cline", None, FolderBase::Home, ".cline", "data/tasks"),
    ("cline", None, FolderBase::Editors, "saoudrizwan.claude-dev", "tasks"),
    ("cline", None, FolderBase::Editors, "rooveterinaryinc.roo-cline", "tasks"),
];

/// The folders in which editors keep what extensions store, below the home folder.
const EDITORS: [&str; 4] = [
    ".config/Code/User/globalStorage",
    ".vscode-server/data/User/globalStorage",
    "Library/Application Support/Code/User/globalStorage",
    "AppData/Roaming/Code/User/globalStorage",
];

/// Returns the places that are there, in the order of the rows; none where there is no home folder.
pub fn agent_folders() -> Vec<AgentFolder> {
    let Ok(home) = etcetera::home_dir() else { return vec![] };
    let variable =
        |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let mut places = folders_for_home(&home, &variable);
    places.retain(|place| place.path.exists());
    places
}

/// Returns every place once, whether it exists or not.
fn folders_for_home(home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<AgentFolder> {
    let data = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
    let mut places: Vec<AgentFolder> = vec![];
    for (format, moved_by, base, first, rest) in AGENT_FOLDERS.iter().copied() {
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
        for base in bases {
            let place = AgentFolder { format, path: base.join(rest) };
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

    #[test]
    fn every_row_names_a_format() {
        assert!(
            AGENT_FOLDERS
                .iter()
                .all(|(format, ..)| trajview_formats::format_by_name(format).is_some())
        );
    }

    #[test]
    fn variables_that_move_them_are_honoured() {
        let moved = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/elsewhere"));

        let places = folders_for_home(Path::new("/home/me"), &moved);

        let of = |format: &str| {
            let places = places.iter().filter(|place| place.format == format);
            places.map(|place| place.path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of("codex-rollout"), ["/elsewhere/sessions", "/elsewhere/archived_sessions"]);
        let claude = ["/home/me/.claude/projects", "/home/me/.config/claude/projects"];
        assert_eq!(of("claude-code"), claude);
        assert_eq!(of("amp"), ["/home/me/.local/share/amp/threads"]);
        let kimi = |path: &str| format!("/home/me/{path}/sessions");
        assert_eq!(of("kimi"), [kimi(".kimi-code"), kimi(".kimi")]);
        let several = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| PathBuf::from("/a, /b"));
        let places = folders_for_home(Path::new("/home/me"), &several);
        let has = |path: &str| places.iter().any(|place| place.path == Path::new(path));
        assert!(has("/a/projects") && has("/b/projects") && !has("/home/me/.claude/projects"));
    }
}
