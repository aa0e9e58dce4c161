//! The version of an agent's program, as it prints it.

use std::time::{Duration, Instant};

use super::{
    confine::Confinement,
    drivers::{Driver, RequestInput},
    process::{AgentProcess, ProcessSpec},
    run_folders::RunFolders,
    setup::RunSetup,
};

/// The longest time that a program may take to print it.
const VERSION_TIMEOUT: Duration = Duration::from_secs(30);

/// Asks the program for its version. None when it has no such option. The error, a sentence, says that there is no such
/// program.
pub fn agent_version(
    driver: &Driver,
    setup: &RunSetup,
    run_folders: &RunFolders,
    confinement: &Confinement,
) -> Result<Option<String>, String> {
    if driver.version_arguments.is_empty() {
        return Ok(None);
    }
    let call = driver.command(setup, &driver.version_arguments, RequestInput::Nothing);
    let folder = run_folders.home();
    let order = ProcessSpec {
        command: &call,
        environment: &run_folders.environment,
        folder: &folder,
        prompt_file: &folder,
        size: setup.size,
        confinement, // nothing is hidden: nothing was asked yet
    };
    let process = AgentProcess::spawn(&order)?;
    let (end, mut output) = (Instant::now() + VERSION_TIMEOUT, vec![]);
    while let Ok(piece) = process.pieces.recv_deadline(end) {
        output.extend(piece.bytes);
        if output.len() > 64 << 10 {
            break;
        }
    }
    Ok(version_number(&String::from_utf8_lossy(&output)))
}

/// Finds the first word with a digit, a dot and another digit: `codex-cli 0.169.0` gives `0.169.0`.
fn version_number(text: &str) -> Option<String> {
    let is_number = |word: &&str| {
        let parts: Vec<&str> = word.split('.').collect();
        let starts = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
        parts.len() >= 2 && parts.iter().all(starts)
    };
    let trim = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let words: Vec<String> = text.split_whitespace().map(trim).collect();
    let bare = |word: &String| word.strip_prefix('v').unwrap_or(word).to_owned();
    words.iter().map(bare).find(|word| is_number(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::version_number;

    #[test]
    fn a_version_is_found_among_words() {
        assert_eq!(version_number("codex-cli 0.169.0\n").as_deref(), Some("0.169.0"));
        assert_eq!(version_number("2.1.330 (Claude Code)").as_deref(), Some("2.1.330"));
        assert_eq!(version_number("This is tool, v1.2.0-rc.1.").as_deref(), Some("1.2.0-rc.1"));
        assert_eq!(version_number("version v1.18.33").as_deref(), Some("1.18.33"));
        assert_eq!(version_number("no number at all. None"), None);
    }
}
