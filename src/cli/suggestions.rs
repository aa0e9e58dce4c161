//! *Did you mean*: the command or file that a mistyped one is probably meant to be.

use std::path::{Path, PathBuf};

use trajview_run::{address::is_address, closest_word::closest_word};
use trajview_store::disk;

use super::{CommandFailure, Exit, command_names, run_args::is_missing};

/// Fails for the first of the paths of the screen that does not exist. A first word that is no path by its form may be
/// meant as a command. In a table of runs a missing path is a row with the reason, unless all are missing.
pub(crate) fn check_paths(paths: &[PathBuf], is_table: bool) -> Result<(), CommandFailure> {
    let is_absent = |path: &&PathBuf| !is_address(path) && is_missing(path);
    let Some(missing) = paths.iter().find(is_absent) else { return Ok(()) };
    let first = Some(missing).filter(|path| *path == &paths[0]);
    match first.and_then(|path| mistyped_command(path)) {
        Some(sentence) => Err(CommandFailure::wrong_arguments(sentence)),
        None if is_table && !paths.iter().all(|path| is_absent(&path)) => Ok(()),
        None => Err(missing_path(missing)),
    }
}

/// Returns a sentence about a first word that is no file and probably a mistyped command.
pub(crate) fn mistyped_command(word: &Path) -> Option<String> {
    let word = word.to_str().filter(|word| is_missing(Path::new(word)))?;
    let names = command_names();
    let command = closest_word(word, names.iter().map(String::as_str)).filter(|it| *it != word)?;
    Some(format!("no command or file is called {word}; did you mean `trajview {command}`?"))
}

/// Makes the failure of a path that does not exist; a file or folder with a similar name is named.
pub(crate) fn missing_path(path: &Path) -> CommandFailure {
    let mut sentence = format!("cannot read {}: no such file or folder", path.display());
    if let Some(near) = Some(path).filter(|path| !is_address(path)).and_then(similar_path) {
        sentence += &format!("; did you mean {}?", near.display());
    }
    CommandFailure::new(Exit::CannotRead, sentence)
}

/// Returns the path whose first missing part is replaced by the closest name beside it, if that exists.
fn similar_path(path: &Path) -> Option<PathBuf> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !disk::exists(path);
    let missing = path.ancestors().take_while(is_missing).last()?;
    let folder = missing.parent()?;
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = disk::list_folder(place);
    let names = entries.iter().map(|entry| disk::name_of(entry));
    let near = folder.join(closest_word(missing.file_name()?.to_str()?, names)?);
    let rest = path.strip_prefix(missing).ok()?;
    let near = if rest.as_os_str().is_empty() { near } else { near.join(rest) };
    disk::exists(&near).then_some(near)
}
