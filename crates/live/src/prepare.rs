//! What a [`super::Job`] is made of, however it was asked for: the script, the program, the driver. Nothing is started.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use super::{
    drivers::{
        self,
        command::{ProgramOptions, SessionWord, Way},
    },
    script::{Condition, Script},
    setup::Setup,
};

/// Why something cannot be used; sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// A file cannot be read.
    Unread(String),
    /// A file is not what it should be.
    Misread(String),
    /// What was asked for makes no sense.
    Wrong(String),
}

impl Unusable {
    pub fn sentence(self) -> String {
        match self {
            Self::Unread(why) | Self::Misread(why) | Self::Wrong(why) => why,
        }
    }
}

/// A script or a checklist is not larger.
const MOST_BYTES: u64 = 64 << 20;

pub fn bytes_of(path: &Path) -> Result<Vec<u8>, Unusable> {
    let mut bytes = vec![];
    let read = fs::File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(bytes),
        Err(why) => Err(Unusable::Unread(format!("cannot read {}: {why}", path.display()))),
    }
}

pub fn text_of(path: &Path) -> Result<String, Unusable> {
    let not_text = |_| Unusable::Misread(format!("{} is not UTF-8 text", path.display()));
    String::from_utf8(bytes_of(path)?).map_err(not_text)
}

pub fn script_of(path: &Path) -> Result<Script, Unusable> {
    let read = Script::read(&bytes_of(path)?);
    read.map_err(|why| Unusable::Misread(format!("{} {why}", path.display())))
}

/// The script of a file, of a specification or of both, as it is asked; and under which condition: the one that is
/// wanted, or else the script's own.
pub fn asked(
    script: Option<&Path>,
    specification: Option<&Path>,
    wanted: Option<Condition>,
) -> Result<(Script, Condition), Unusable> {
    let text = specification.map(text_of).transpose()?;
    let (read, name) = match script {
        Some(path) => (script_of(path)?, path.display().to_string()),
        None => (
            Script::of_specification(text.as_deref().unwrap_or("the request")),
            "the specification".into(),
        ),
    };
    let usual = match script {
        Some(_) if text.is_none() => read.own_condition().unwrap_or(Condition::Emergent),
        _ => Condition::SingleShot,
    };
    let condition = wanted.unwrap_or(usual);
    let script = read.under(condition, text);
    Ok((script.map_err(|why| Unusable::Wrong(format!("{name}: {why}")))?, condition))
}

/// Names the driver of a program that the settings know, with its words; a driver of ours stays as it is.
pub fn drive(setup: &mut Setup, configured: &[(String, ProgramOptions)]) -> Result<(), Unusable> {
    if drivers::names().contains(&setup.agent.as_str()) {
        return Ok(());
    }
    let Some((_, words)) = configured.iter().find(|(name, _)| *name == setup.agent) else {
        let mut known: Vec<String> = drivers::names().into_iter().map(str::to_owned).collect();
        known.push("command".into());
        known.extend(configured.iter().map(|(name, _)| name.clone()));
        return Err(Unusable::Wrong(format!(
            "no agent is called {}; known: {}; a table [drivers.{}] in the settings file makes one",
            setup.agent,
            known.join(", "),
            setup.agent
        )));
    };
    setup.command = Some(from_elsewhere(words.clone()));
    Ok(())
}

/// The words of a driver with its program as it is found from the agent's folder.
pub fn from_elsewhere(mut words: ProgramOptions) -> ProgramOptions {
    for start in [&mut words.start, &mut words.next] {
        if let Some(first) = start.first_mut().filter(|first| !first.contains('{')) {
            *first = program(Path::new(first)).to_string_lossy().into_owned();
        }
    }
    words
}

/// A program by its words alone: what stands in them tells how it gets its request.
pub fn words(start: &[String]) -> ProgramOptions {
    let has = |mark: &str| start.iter().any(|word| word.contains(mark));
    let prompt = match () {
        () if has("{prompt_file}") => Way::File,
        () if has("{prompt}") => Way::Arg,
        () => Way::Stdin,
    };
    let session =
        if has("{session}") || has("{uuid}") { SessionWord::Chosen } else { SessionWord::None };
    ProgramOptions { start: start.to_vec(), prompt, session, ..ProgramOptions::default() }
}

/// A folder of this name that is not there yet: with a number after it where the name is taken.
pub fn free_folder(folder: &Path, name: &str) -> PathBuf {
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    let more = (2..).map(|number| folder.join(format!("{name}-{number}")));
    std::iter::once(folder.join(name)).chain(more).find(is_free).unwrap_or_default()
}

/// A program as it is found from elsewhere: one that lies where we were started is named by its whole path, unless a bare
/// name is found on the PATH.
pub fn program(path: &Path) -> PathBuf {
    let is_bare = path.components().count() == 1 && !path.starts_with(".");
    let is_here = path.is_file() && !(is_bare && on_path(path).is_some());
    if is_here { absolute(path) } else { path.to_owned() }
}

/// Where a program is: a name is looked for in the folders of PATH. None where there is no such file to be run.
pub fn found(program: &Path) -> Option<PathBuf> {
    match program.components().count() {
        1 if !program.starts_with(".") => on_path(program),
        _ => can_run(program).then(|| absolute(program)),
    }
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&folders).map(|folder| folder.join(name));
    all.into_iter().find(|path| can_run(path)).map(|path| absolute(&path))
}

#[cfg(unix)]
fn can_run(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn can_run(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}

pub fn absolute(path: &Path) -> PathBuf {
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

        assert_eq!(found(&path), None);
        assert_eq!(found(Path::new("no-such-program-anywhere")), None);
        assert!(cfg!(not(unix)) || found(Path::new("sh")).is_some_and(|it| it.is_absolute()));
    }

    #[test]
    fn a_specification_is_asked_at_once_and_a_script_as_it_says() {
        let place = tempfile::tempdir().unwrap();
        let (script, text) = (place.path().join("script.json"), place.path().join("all.md"));
        fs::write(&script, r#"{"requests": [{"text": "one"}, {"text": "two"}]}"#).unwrap();
        fs::write(&text, "all of it").unwrap();

        let by_script = asked(Some(&script), None, None).unwrap();
        let by_text = asked(None, Some(&text), None).unwrap();
        let by_both = asked(Some(&script), Some(&text), None).unwrap();

        assert_eq!((by_script.0.requests.len(), by_script.1), (2, Condition::Emergent));
        assert_eq!((by_text.0.requests.len(), by_text.1), (1, Condition::SingleShot));
        assert_eq!(by_both.0.requests[0].text, "all of it");
        let wrong = asked(None, Some(&text), Some(Condition::Emergent)).unwrap_err();
        assert!(matches!(wrong, Unusable::Wrong(_)));
    }
}
