//! Opens the user's editor with a copy of a recorded file, or with a file of the user's own.
//!
//! The copy is in a folder that only the user may enter, cannot be written, and is removed when the editor ends.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
};

use trajview_tui::session::effect::{EditedFile, EditorTarget};

/// Opens the editor and waits for its end. The terminal must have been released. The error is a sentence.
pub fn open_editor(editing: &EditorTarget) -> Result<(), String> {
    let editor = editing
        .program
        .clone()
        .or_else(editor_from_environment)
        .ok_or("no editor is named: set VISUAL or EDITOR")?;
    let copied; // gone when this returns
    let file = match &editing.what {
        EditedFile::File(path) => path,
        EditedFile::Copy { name, text, moment } => {
            copied = TemporaryCopy::create(&plain_file_name(name, moment), text)
                .map_err(|why| format!("cannot write a copy for the editor: {why}"))?;
            &copied.file
        }
    };
    // A shell reads the variable, as git has it: it may name options, and a path with blanks in quotes.
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), "trajview"])
        .args(editor_arguments(&editor, &file.to_string_lossy(), editing.line))
        .status()
        .map_err(|why| format!("cannot start the editor: {why}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(127) => Err(format!("no such editor: {editor}")),
        Some(code) => Err(format!("{editor} ended with exit code {code}")),
        None => Err(format!("{editor} was ended by a signal")),
    }
}

fn editor_from_environment() -> Option<String> {
    let value = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    value("VISUAL").or_else(|| value("EDITOR"))
}

/// Returns the arguments that open a file at a line; an unknown editor gets the file alone.
fn editor_arguments(editor: &str, file: &str, line: usize) -> Vec<String> {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name = program.trim_matches(['"', '\'']).rsplit('/').next().unwrap_or_default();
    let waits = editor.split_whitespace().any(|word| word == "--wait" || word == "-w");
    match name {
        "vi" | "vim" | "nvim" | "view" | "nano" | "emacs" | "emacsclient" | "kak" | "micro"
        | "ne" | "joe" => vec![format!("+{line}"), file.into()],
        "hx" | "helix" | "subl" | "zed" => vec![format!("{file}:{line}")],
        "code" | "codium" | "code-insiders" | "cursor" => {
            let wait = (!waits).then(|| "--wait".to_owned()); // or the copy is gone before it is read
            wait.into_iter().chain(["-g".into(), format!("{file}:{line}")]).collect()
        }
        _ => vec![file.into()],
    }
}

/// A file that is removed when this is dropped.
struct TemporaryCopy {
    folder: PathBuf,
    file: PathBuf,
}

impl TemporaryCopy {
    fn create(name: &str, text: &str) -> io::Result<Self> {
        let folder = private_folder(&std::env::temp_dir())?;
        let file = folder.join(name);
        let copy = Self { folder, file };
        fs::write(&copy.file, text.as_bytes())?;
        let mut permissions = fs::metadata(&copy.file)?.permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&copy.file, permissions)?;
        Ok(copy)
    }
}

impl Drop for TemporaryCopy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder); // the system clears what is left in the end
    }
}

/// Returns a name such as `joint.turn-4.py`: the recorded name, so that the editor knows the language, without special
/// characters.
fn plain_file_name(name: &str, moment: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(100).collect();
    match plain.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => {
            format!("{stem}.{moment}.{extension}")
        }
        _ => plain,
    }
}

/// Creates a new folder; an existing one belongs to another program.
fn private_folder(parent: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    const TRIES: usize = 100;
    let process = std::process::id();
    for _ in 0..TRIES {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("trajview-{process}-{number}"));
        match builder().create(&folder) {
            Ok(()) => return Ok(folder),
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => {}
            Err(why) => return Err(why),
        }
    }
    Err(io::Error::other("no folder of this name is free"))
}

#[cfg(unix)]
fn builder() -> fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt;
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn builder() -> fs::DirBuilder {
    fs::DirBuilder::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_the_line_in_its_way() {
        let of = |editor: &str| editor_arguments(editor, "/t/a.py", 7).join(" ");
        assert_eq!(of("vim"), "+7 /t/a.py");
        assert_eq!(of("/usr/bin/emacs -nw"), "+7 /t/a.py");
        assert_eq!(of("hx"), "/t/a.py:7");
        assert_eq!(of("code"), "--wait -g /t/a.py:7");
        assert_eq!(of("code --wait"), "-g /t/a.py:7");
        assert_eq!(of("my-editor"), "/t/a.py");
    }

    #[test]
    fn the_copy_keeps_its_extension_and_nothing_that_is_special() {
        assert_eq!(plain_file_name("joint.py", "turn-4"), "joint.turn-4.py");
        assert_eq!(plain_file_name("Makefile", "turn-4"), "Makefile");
        assert_eq!(plain_file_name("a;rm -r\x1b.py", "turn-4"), "a_rm_-r_.turn-4.py");
    }

    #[cfg(unix)]
    #[test]
    fn the_copy_is_private_cannot_be_written_and_goes_away() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;

        let copy = TemporaryCopy::create("joint.py", "a\n").unwrap();
        let (folder, file) = (copy.folder.clone(), copy.file.clone());

        assert_eq!(fs::read(&file).unwrap(), b"a\n");
        assert_eq!((mode(&folder), mode(&file) & 0o222), (0o700, 0));
        drop(copy);
        assert!(!folder.exists());
    }
}
