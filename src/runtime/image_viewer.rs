//! Opens images of a recording in the image program of the user's desktop.
//!
//! Their files are in a folder that only the user may enter, and are removed when this program ends. A file that is no PNG,
//! JPEG, GIF or WebP by its first bytes is not opened, whatever the recording calls it.

use std::{
    fs, io,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use tempfile::TempDir;

use trajview_run::pictures::{RecordedImage, image_extension};

/// The folders that were created; removed by [`remove_files`].
static FOLDERS: Mutex<Vec<TempDir>> = Mutex::new(vec![]);

/// Opens an image. Returns a sentence about success, or why it failed.
pub(crate) fn open_image(picture: &RecordedImage) -> Result<String, String> {
    let extension = image_extension(&picture.bytes)
        .ok_or("the recorded image is not PNG, JPEG, GIF or WebP: not opened")?;
    let cannot = |why: io::Error| format!("cannot write the image for its viewer: {why}");
    let folder = private_folder().map_err(cannot)?;
    let file = folder.path().join(format!("image.{extension}"));
    fs::write(&file, &picture.bytes).map_err(cannot)?;
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).push(folder);
    let started = Command::new(OPENER_COMMAND)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started.map_err(|why| format!("cannot start {OPENER_COMMAND}: {why}"))?;
    std::thread::spawn(move || child.wait()); // so that no zombie stays
    Ok(format!("{OPENER_COMMAND} opens the image"))
}

#[cfg(unix)]
fn private_folder() -> io::Result<TempDir> {
    use std::os::unix::fs::PermissionsExt;
    let only_the_user = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("trajview-").permissions(only_the_user).tempdir()
}

#[cfg(not(unix))]
fn private_folder() -> io::Result<TempDir> {
    tempfile::Builder::new().prefix("trajview-").tempdir()
}

/// Removes the files. Must be called when the program ends.
pub fn remove_files() {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

const OPENER_COMMAND: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_enter_the_folder() {
        use std::os::unix::fs::PermissionsExt;
        let folder = private_folder().unwrap();
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn what_is_no_image_by_its_bytes_is_not_opened() {
        let page = RecordedImage { media_type: "image/png".into(), bytes: b"<html>".to_vec() };
        assert!(open_image(&page).unwrap_err().ends_with("not opened"));
    }
}
