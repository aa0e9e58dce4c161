//! The key of the tokens of redacted identities: a file that the user names, or one that is made here once and kept for
//! all exports of this user ([`trajview_code::redact::TokenKey`]).

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

use super::{file_bytes, write::sync_folder};

/// The least bytes of a key; a shorter one could be guessed.
const FEWEST_BYTES: usize = 16;

/// The most bytes of a key file; a longer file is no key.
const MOST_BYTES: u64 = 1 << 16;

/// The number of bytes of a key that is made here, written as hexadecimal digits.
const MADE_BYTES: usize = 32;

/// Returns the secret bytes of a file that the user named; white space at the end is no part of them.
///
/// # Errors
///
/// A sentence with the path, where it cannot be read or has too few bytes.
pub fn read_key(path: &Path) -> Result<Vec<u8>, String> {
    let wrong = |why: String| format!("cannot use the key {}: {why}", path.display());
    let make = "make one with: head -c 32 /dev/urandom | base64 > FILE";
    let read = read_bytes(path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => wrong(format!("no such file; {make}")),
        _ => wrong(file_bytes::error_reason(&why)),
    })?;
    match read.len() {
        few if few < FEWEST_BYTES => Err(wrong(format!(
            "it has {few} bytes, and fewer than {FEWEST_BYTES} can be guessed; {make}"
        ))),
        many if many as u64 > MOST_BYTES => Err(wrong("it is too long to be a key".into())),
        _ => Ok(read),
    }
}

/// Returns the secret bytes of the user's own key, which is made where there is none yet.
///
/// # Errors
///
/// A sentence, where there is none and none can be kept.
pub fn user_key() -> Result<Vec<u8>, String> {
    let path = user_key_path().ok_or("no home folder for the key")?;
    user_key_at(&path)
}

/// Returns the path of the key beside the settings: below `$XDG_CONFIG_HOME` or `~/.config`. None where there is no
/// home folder.
fn user_key_path() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    let path = strategy.config_dir().join("trajview").join("redaction.key");
    path.is_absolute().then_some(path)
}

fn user_key_at(path: &Path) -> Result<Vec<u8>, String> {
    if !path.exists() {
        let made = path.parent().map_or(Ok(()), |folder| make_key(folder, path));
        made.map_err(|why| {
            format!("cannot store a key in {}: {}", path.display(), file_bytes::error_reason(&why))
        })?;
    }
    read_key(path)
}

/// Makes a key file that only its owner can read. Where several processes make one at the same time, the first wins.
fn make_key(folder: &Path, path: &Path) -> io::Result<()> {
    let mut secret = [0; MADE_BYTES];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    let text: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?; // for its owner alone
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(why) if why.error.kind() != io::ErrorKind::AlreadyExists => return Err(why.error),
        Ok(_) | Err(_) => {}
    }
    sync_folder(folder)
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut read = vec![];
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut read)?;
    Ok(read.trim_ascii_end().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_for_its_owner_alone_and_read_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trajview/redaction.key");

        let made = user_key_at(&path).unwrap();

        assert_eq!(made.len(), 2 * MADE_BYTES);
        assert_eq!(user_key_at(&path), Ok(made.clone()));
        assert_eq!(read_key(&path), Ok(made));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn what_is_no_key_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");

        assert!(read_key(&path).unwrap_err().contains("no such file; make one with"));
        fs::write(&path, "too short\n").unwrap();
        assert!(read_key(&path).unwrap_err().contains("it has 9 bytes"));
        fs::write(&path, [b'a'; 1 << 17]).unwrap();
        assert!(read_key(&path).unwrap_err().contains("too long"));
    }
}
