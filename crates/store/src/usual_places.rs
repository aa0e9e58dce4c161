//! Where the agents of this machine keep their sessions.
//!
//! To add one write a row. An agent that keeps its recordings beside the code it works on (aider, SpecStory, git-ai) has
//! none, nor has what a harness writes.

use std::path::{Path, PathBuf};

/// A folder, or a file that holds many sessions, in which an agent keeps what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsualPlace {
    /// Name of the [`trajview_formats::Format`] of what lies there.
    pub format: &'static str,
    pub path: PathBuf,
}

/// What a place is below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// The home folder.
    Home,
    /// `$XDG_DATA_HOME`, else `~/.local/share`.
    Data,
    /// Where the editors keep what extensions store.
    Editors,
}

/// Format, the variable that names the folder in the place of the base and the first part, the base, that first part, and
/// what is below it.
type Row = (&'static str, Option<&'static str>, Base, &'static str, &'static str);

const ROWS: &[Row] = &[
    ("claude-code", Some("CLAUDE_CONFIG_DIR"), Base::Home, ".claude", "projects"),
    ("claude-code", None, Base::Home, ".config/claude", "projects"),
    ("codex-rollout", Some("CODEX_HOME"), Base::Home, ".codex", "sessions"),
    ("codex-rollout", Some("CODEX_HOME"), Base::Home, ".codex", "archived_sessions"),
    ("gemini", Some("GEMINI_CLI_HOME"), Base::Home, "", ".gemini/tmp"),
    ("antigravity", Some("GEMINI_CLI_HOME"), Base::Home, "", ".gemini/antigravity/brain"),
    ("qwen-code", None, Base::Home, ".qwen", "projects"),
    ("grok", Some("GROK_HOME"), Base::Home, ".grok", "sessions"),
    ("opencode", None, Base::Data, "opencode", ""),
    ("copilot-cli", Some("COPILOT_HOME"), Base::Home, ".copilot", "session-state"),
    ("cursor", None, Base::Home, ".cursor", "projects"),
    ("pi", Some("PI_CODING_AGENT_DIR"), Base::Home, ".pi/agent", "sessions"),
    ("amp", None, Base::Data, "amp", "threads"),
    ("droid", None, Base::Home, ".factory", "sessions"),
    ("kimi", Some("KIMI_CODE_HOME"), Base::Home, ".kimi-code", "sessions"),
    ("kimi", Some("KIMI_SHARE_DIR"), Base::Home, ".kimi", "sessions"),
    ("kimi", Some("KIMI_CODE_HOME"), Base::Home, ".kimi-code", "sessions"),
    ("goose", None, Base::Data, "goose", "sessions"),
    ("openhands-v1", None, Base::Home, ".openhands", "conversations"),
    ("continue", Some("CONTINUE_GLOBAL_DIR"), Base::Home, ".continue", "sessions"),
    ("iflow", None, Base::Home, ".iflow", "projects"),
    ("dsh", Some("DSH_HOME"), Base::Home, ".dsh", "sessions"),
    ("kiro", None, Base::Home, ".kiro", "sessions"),
    ("kiro", None, Base::Data, "kiro-cli", "data.sqlite3"),
    (
        "mini-swe-agent",
        Some("MSWEA_GLOBAL_CONFIG_DIR"),
        Base::Home,
        ".config/mini-swe-agent",
        "last_mini_run.traj.json",
    ),
    ("cline", None, Base::Home, ".cline", "data/tasks"),
    ("cline", None, Base::Editors, "saoudrizwan.claude-dev", "tasks"),
    ("cline", None, Base::Editors, "rooveterinaryinc.roo-cline", "tasks"),
];

/// Where editors keep what extensions store, below the home folder.
const EDITORS: [&str; 4] = [
    ".config/Code/User/globalStorage",
    ".vscode-server/data/User/globalStorage",
    "Library/Application Support/Code/User/globalStorage",
    "AppData/Roaming/Code/User/globalStorage",
];

/// The places that are there, in the order of the rows; none where there is no home folder.
pub fn usual_places() -> Vec<UsualPlace> {
    let Ok(home) = etcetera::home_dir() else { return vec![] };
    let variable =
        |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let mut places = below(&home, &variable);
    places.retain(|place| place.path.exists());
    places
}

/// Every place, be it there or not, once.
fn below(home: &Path, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<UsualPlace> {
    let data = variable("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
    let mut places: Vec<UsualPlace> = vec![];
    for (format, moved_by, base, first, rest) in ROWS.iter().copied() {
        let bases = match (moved_by.and_then(variable), base) {
            // Claude Code takes several folders, with commas between.
            (Some(folders), _) => {
                let folders = folders.to_string_lossy().into_owned();
                folders.split(',').map(|folder| PathBuf::from(folder.trim())).collect()
            }
            (None, Base::Home) => vec![home.join(first)],
            (None, Base::Data) => vec![data.join(first)],
            (None, Base::Editors) => EDITORS.iter().map(|it| home.join(it).join(first)).collect(),
        };
        for base in bases {
            let place = UsualPlace { format, path: base.join(rest) };
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
        assert!(ROWS.iter().all(|(format, ..)| trajview_formats::by_name(format).is_some()));
    }

    #[test]
    fn variables_that_move_them_are_honoured() {
        let moved = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/elsewhere"));

        let places = below(Path::new("/home/me"), &moved);

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
        let places = below(Path::new("/home/me"), &several);
        let has = |path: &str| places.iter().any(|place| place.path == Path::new(path));
        assert!(has("/a/projects") && has("/b/projects") && !has("/home/me/.claude/projects"));
    }
}
