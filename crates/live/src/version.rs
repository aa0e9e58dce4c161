//! Which version of a program is driven, as it says itself.

use std::time::{Duration, Instant};

use super::{
    confine::Confinement,
    drivers::{Call, Driver, Input, program_of},
    process::{Order, Process},
    setup::Setup,
    stage::Stage,
};

/// How long a program may take to say it.
const PATIENCE: Duration = Duration::from_secs(30);

/// None where the program cannot say. The error, a sentence, is that there is no such program.
pub fn of(
    driver: &dyn Driver,
    setup: &Setup,
    stage: &Stage,
    confinement: &Confinement,
) -> Result<Option<String>, String> {
    let args = driver.version_words();
    if args.is_empty() {
        return Ok(None);
    }
    let call = Call { program: program_of(driver, setup), args, input: Input::Nothing };
    let folder = stage.home();
    let order = Order {
        call: &call,
        environment: &stage.environment,
        folder: &folder,
        prompt_file: &folder,
        size: setup.size,
        confinement, // nothing is hidden: nothing was asked yet
    };
    let process = Process::start(&order)?;
    let (end, mut said) = (Instant::now() + PATIENCE, vec![]);
    while let Ok(piece) = process.pieces.recv_deadline(end) {
        said.extend(piece.bytes);
        if said.len() > 64 << 10 {
            break;
        }
    }
    Ok(number(&String::from_utf8_lossy(&said)))
}

/// The first word with a digit, a dot and another digit: `codex-cli 0.169.0` gives `0.169.0`.
fn number(text: &str) -> Option<String> {
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
    use super::number;

    #[test]
    fn a_version_is_found_among_words() {
        assert_eq!(number("codex-cli 0.169.0\n").as_deref(), Some("0.169.0"));
        assert_eq!(number("2.1.330 (Claude Code)").as_deref(), Some("2.1.330"));
        assert_eq!(number("This is tool, v1.2.0-rc.1.").as_deref(), Some("1.2.0-rc.1"));
        assert_eq!(number("version v1.18.33").as_deref(), Some("1.18.33"));
        assert_eq!(number("no number at all. None"), None);
    }
}
