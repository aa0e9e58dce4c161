//! Where the agents of this machine keep their sessions, and what was opened lately.
//!
//! To add an agent, write one row of [`USUAL`].

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

/// Where one format's recordings usually are.
struct Usual {
    /// The name of the format.
    format: &'static str,
    /// The variable that moves the folder, and what is below it then; empty where there is none.
    moved: (&'static str, &'static str),
    /// Below the home folder; several where versions differ.
    home: &'static [&'static str],
}

const fn usual(
    format: &'static str,
    moved: (&'static str, &'static str),
    home: &'static [&'static str],
) -> Usual {
    Usual { format, moved, home }
}

/// The agents that keep sessions in one place of a machine. Other formats are files in a project, or of a benchmark.
#[rustfmt::skip] // a table: one row a format
const USUAL: &[Usual] = &[
    usual("claude-code", ("CLAUDE_CONFIG_DIR", "projects"), &[".claude/projects", ".config/claude/projects"]),
    usual("codex-rollout", ("CODEX_HOME", "sessions"), &[".codex/sessions"]),
    usual("codex-rollout", ("CODEX_HOME", "archived_sessions"), &[".codex/archived_sessions"]),
    usual("gemini", ("GEMINI_CLI_HOME", ".gemini/tmp"), &[".gemini/tmp"]),
    usual("antigravity", ("", ""), &[".gemini/antigravity", ".gemini/antigravity-cli"]),
    usual("qwen-code", ("", ""), &[".qwen/projects", ".qwen/tmp"]),
    usual("opencode", ("XDG_DATA_HOME", "opencode"), &[".local/share/opencode"]),
    usual("amp", ("XDG_DATA_HOME", "amp/threads"), &[".local/share/amp/threads"]),
    usual("goose", ("XDG_DATA_HOME", "goose/sessions"), &[".local/share/goose/sessions"]),
    usual("copilot-cli", ("COPILOT_HOME", "session-state"), &[".copilot/session-state"]),
    usual("cursor", ("", ""), &[".cursor/projects"]),
    usual("droid", ("", ""), &[".factory/sessions"]),
    usual("kimi", ("KIMI_SHARE_DIR", "sessions"), &[".kimi/sessions"]),
    usual("pi", ("PI_CODING_AGENT_DIR", "sessions"), &[".pi/agent/sessions"]),
    usual("grok", ("GROK_HOME", "sessions"), &[".grok/sessions"]),
    usual("cline", ("CLINE_DIR", "data/tasks"), &[".cline/data/tasks", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks"]),
    usual("openhands-v1", ("", ""), &[".openhands/conversations"]),
    usual("mini-swe-agent", ("MSWEA_GLOBAL_CONFIG_DIR", "last_mini_run.traj.json"), &[".config/mini-swe-agent/last_mini_run.traj.json"]),
];

/// Paths that were opened are remembered up to this many.
const MOST_OPENED: usize = 50;

/// The places of this machine that hold sessions, then what was opened lately; those that are there.
pub fn of_this_machine() -> Vec<PathBuf> {
    let home = etcetera::home_dir().ok();
    let variable = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let mut places = places(home.as_deref(), &variable);
    for opened in opened_lately() {
        if !places.iter().any(|place| opened.starts_with(place)) {
            places.push(opened);
        }
    }
    places.retain(|place| place.exists());
    places
}

/// The places where sessions would be, each once. A variable that is set takes the place of the home folder.
fn places(home: Option<&Path>, variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = vec![];
    for Usual { moved: (name, below), home: usual, .. } in USUAL {
        // Claude Code takes several folders, with commas between.
        let moved = if name.is_empty() { None } else { variable(name) };
        let found: Vec<PathBuf> = match moved {
            Some(folders) => folders
                .to_string_lossy()
                .split(',')
                .map(|it| Path::new(it.trim()).join(below))
                .collect(),
            None => home.iter().flat_map(|home| usual.iter().map(|it| home.join(it))).collect(),
        };
        for place in found {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    places
}

/// The names of the formats that have a usual place, in order, each once.
pub fn formats() -> Vec<&'static str> {
    let mut names: Vec<&str> = USUAL.iter().map(|it| it.format).collect();
    names.dedup();
    names
}

/// Notes that paths were opened, the last first. What cannot be noted is forgotten.
pub fn remember(paths: &[PathBuf]) {
    let Some(file) = opened_file() else { return };
    let mut all: Vec<PathBuf> = paths
        .iter()
        .filter_map(|path| path.canonicalize().ok())
        .filter(|it| is_one_line(it))
        .collect();
    let before = opened_lately().into_iter().filter(|it| !all.contains(it)).collect::<Vec<_>>();
    all.extend(before);
    all.truncate(MOST_OPENED);
    let lines: String = all.iter().map(|it| format!("{}\n", it.display())).collect();
    let made = file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok());
    if made {
        let _ = fs::write(&file, lines); // it is a convenience and nothing depends on it
    }
}

fn is_one_line(path: &Path) -> bool {
    path.to_str().is_some_and(|text| !text.contains('\n'))
}

fn opened_lately() -> Vec<PathBuf> {
    let text = opened_file().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    text.lines().take(MOST_OPENED).map(PathBuf::from).collect()
}

fn opened_file() -> Option<PathBuf> {
    let cache = etcetera::choose_base_strategy().ok()?.cache_dir();
    Some(cache.join("trajview").join("opened"))
}

/// A session to look at where there is none: written into the cache folder when it is first wanted.
pub fn sample() -> Option<PathBuf> {
    const SAMPLE: &[u8] =
        include_bytes!("../../sample-runs/claude-code/054395ac-4290-4fcf-ab21-925712a16d08.jsonl");
    let folder = etcetera::choose_base_strategy().ok()?.cache_dir().join("trajview");
    let path = folder.join("sample-run.jsonl");
    let is_there = fs::metadata(&path).is_ok_and(|meta| meta.len() == SAMPLE.len() as u64);
    if !is_there {
        fs::create_dir_all(&folder).ok()?;
        fs::write(&path, SAMPLE).ok()?;
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FORMATS;

    #[test]
    fn each_place_is_of_a_format_that_can_be_read() {
        for name in formats() {
            assert!(FORMATS.iter().any(|format| format.name() == name), "{name}");
        }
    }

    #[test]
    fn a_variable_moves_the_place_of_its_agent_alone() {
        let set = |name: &str| (name == "CODEX_HOME").then(|| PathBuf::from("/elsewhere"));

        let moved = places(Some(Path::new("/home/a")), &set);

        assert!(moved.contains(&PathBuf::from("/elsewhere/sessions")));
        assert!(!moved.iter().any(|place| place.starts_with("/home/a/.codex")));
        assert!(moved.contains(&PathBuf::from("/home/a/.claude/projects")));
    }

    #[test]
    fn a_variable_may_name_several_folders() {
        let set = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| PathBuf::from("/a, /b"));

        let moved = places(None, &set);

        assert_eq!(moved, [PathBuf::from("/a/projects"), PathBuf::from("/b/projects")]);
    }
}
