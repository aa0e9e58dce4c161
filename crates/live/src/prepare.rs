//! Prepares the parts of a [`super::RunJob`]: the script, the program, the driver. Nothing is started.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use trajview_judge::discover::is_executable;
use trajview_run::condition::Condition;

use super::{
    drivers::{
        self,
        command::{ProgramOptions, PromptDelivery, SessionOption},
    },
    script::RequestScript,
    setup::RunSetup,
};

/// The reason why an input cannot be used; sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnusableInput {
    /// A file cannot be read.
    Unread(String),
    /// A file is not what it should be.
    Misread(String),
    /// The options make no sense.
    Wrong(String),
}

impl UnusableInput {
    pub fn sentence(self) -> String {
        match self {
            Self::Unread(why) | Self::Misread(why) | Self::Wrong(why) => why,
        }
    }
}

/// The largest script or checklist that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reads a file, up to [`MAX_FILE_BYTES`].
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, UnusableInput> {
    let mut bytes = vec![];
    let read =
        fs::File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(bytes),
        Err(why) => {
            let why = trajview_store::error_reason(&why);
            Err(UnusableInput::Unread(format!("cannot read {}: {why}", path.display())))
        }
    }
}

pub fn read_text(path: &Path) -> Result<String, UnusableInput> {
    let not_text = |_| UnusableInput::Misread(format!("{} is not UTF-8 text", path.display()));
    String::from_utf8(read_bytes(path)?).map_err(not_text)
}

pub fn read_script(path: &Path) -> Result<RequestScript, UnusableInput> {
    let read = RequestScript::parse_script(&read_bytes(path)?);
    read.map_err(|why| UnusableInput::Misread(format!("{} {why}", path.display())))
}

/// Returns the script of a file, of a specification or of both, and its condition: this one, or else the script's own.
pub fn script_and_condition(
    script: Option<&Path>,
    specification: Option<&Path>,
    condition: Option<Condition>,
) -> Result<(RequestScript, Condition), UnusableInput> {
    let text = specification.map(read_text).transpose()?;
    let (read, name) = match script {
        Some(path) => (read_script(path)?, path.display().to_string()),
        None => (
            RequestScript::from_specification(text.as_deref().unwrap_or("the request")),
            "the specification".into(),
        ),
    };
    let usual = match script {
        Some(_) if text.is_none() => read.own_condition().unwrap_or(Condition::Emergent),
        _ => Condition::SingleShot,
    };
    let condition = condition.unwrap_or(usual);
    let script = read.for_condition(condition, text);
    Ok((script.map_err(|why| UnusableInput::Wrong(format!("{name}: {why}")))?, condition))
}

/// Sets the command of an agent that is configured in the settings; a built-in driver needs none.
pub fn set_driver(
    setup: &mut RunSetup,
    configured: &[(String, ProgramOptions)],
) -> Result<(), UnusableInput> {
    if drivers::driver_names().contains(&setup.agent.as_str()) {
        return Ok(());
    }
    let Some((_, words)) = configured.iter().find(|(name, _)| *name == setup.agent) else {
        let mut known: Vec<String> =
            drivers::driver_names().into_iter().map(str::to_owned).collect();
        known.push("command".into());
        known.extend(configured.iter().map(|(name, _)| name.clone()));
        return Err(UnusableInput::Wrong(format!(
            "no agent is called {}; known: {}; a table [drivers.{}] in the settings file makes one",
            setup.agent,
            known.join(", "),
            setup.agent
        )));
    };
    setup.command = Some(with_found_program(words.clone()));
    Ok(())
}

/// Replaces the programs of a driver by paths that work from the agent's folder.
pub(crate) fn with_found_program(mut words: ProgramOptions) -> ProgramOptions {
    for start in [&mut words.start, &mut words.next] {
        if let Some(first) = start.first_mut().filter(|first| !first.contains('{')) {
            *first = program_path(Path::new(first)).to_string_lossy().into_owned();
        }
    }
    words
}

/// Returns options for a program of which only the command line is given: its placeholders show how it gets its request.
pub fn options_for_command(start: &[String]) -> ProgramOptions {
    let has = |mark: &str| start.iter().any(|word| word.contains(mark));
    let prompt = match () {
        () if has("{prompt_file}") => PromptDelivery::File,
        () if has("{prompt}") => PromptDelivery::Arg,
        () => PromptDelivery::Stdin,
    };
    let session =
        if has("{session}") || has("{uuid}") { SessionOption::Chosen } else { SessionOption::None };
    ProgramOptions { start: start.to_vec(), prompt, session, ..ProgramOptions::default() }
}

/// Returns a folder of this name that does not exist yet: with a number after it when the name is taken.
pub fn free_folder(folder: &Path, name: &str) -> PathBuf {
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    let more = (2..).map(|number| folder.join(format!("{name}-{number}")));
    std::iter::once(folder.join(name)).chain(more).find(is_free).unwrap_or_default()
}

/// Returns a program's path as it works from another folder: one in the present folder becomes absolute, unless a bare name
/// is found on the PATH.
pub fn program_path(path: &Path) -> PathBuf {
    let is_bare = path.components().count() == 1 && !path.starts_with(".");
    let is_here = path.is_file() && !(is_bare && find_on_path(path).is_some());
    if is_here { absolute_path(path) } else { path.to_owned() }
}

/// Returns the path of a program: a bare name is searched in the folders of PATH. None when there is no such executable
/// file.
pub fn find_program(program: &Path) -> Option<PathBuf> {
    match program.components().count() {
        1 if !program.starts_with(".") => find_on_path(program),
        _ => is_executable(program).then(|| absolute_path(program)),
    }
}

fn find_on_path(name: &Path) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&folders).map(|folder| folder.join(name));
    all.into_iter().find(|path| is_executable(path)).map(|path| absolute_path(&path))
}

pub fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_run_is_no_program() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("agent");
        fs::write(&path, "#!/bin/sh\n").unwrap();

        assert_eq!(find_program(&path), None);
        assert_eq!(find_program(Path::new("no-such-program-anywhere")), None);
        assert!(
            cfg!(not(unix)) || find_program(Path::new("sh")).is_some_and(|it| it.is_absolute())
        );
    }

    #[test]
    fn a_specification_is_asked_at_once_and_a_script_as_it_says() {
        let place = tempfile::tempdir().unwrap();
        let (script, text) = (place.path().join("script.json"), place.path().join("all.md"));
        fs::write(&script, r#"{"requests": [{"text": "one"}, {"text": "two"}]}"#).unwrap();
        fs::write(&text, "all of it").unwrap();

        let by_script = script_and_condition(Some(&script), None, None).unwrap();
        let by_text = script_and_condition(None, Some(&text), None).unwrap();
        let by_both = script_and_condition(Some(&script), Some(&text), None).unwrap();

        assert_eq!((by_script.0.requests.len(), by_script.1), (2, Condition::Emergent));
        assert_eq!((by_text.0.requests.len(), by_text.1), (1, Condition::SingleShot));
        assert_eq!(by_both.0.requests[0].text, "all of it");
        let wrong = script_and_condition(None, Some(&text), Some(Condition::Emergent)).unwrap_err();
        assert!(matches!(wrong, UnusableInput::Wrong(_)));
    }
}
