//! Where the user's settings are, and adding to them.

use std::{
    fs, io,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use super::{bytes, write};

/// A settings file longer than this is none.
const LIMIT: u64 = 1 << 20;

/// The file that is read unless another is named: below `$XDG_CONFIG_HOME` or `~/.config`, on Windows below the
/// roaming application data. None where there is no home folder.
pub fn default_path() -> Option<PathBuf> {
    Some(super::user_folders::config()?.join("trajview").join("config.toml"))
}

/// The text of a settings file; None where there is no such file. The error is a sentence.
pub fn read(path: &Path) -> Result<Option<String>, String> {
    let mut text = String::new();
    let read = fs::metadata(path)
        .and_then(|meta| match meta.is_file() {
            true => fs::File::open(path),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
        })
        .and_then(|file| file.take(LIMIT + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > LIMIT => Err("it is too long to be a settings file".into()),
        Ok(_) => Ok(Some(text)),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) if why.kind() == io::ErrorKind::InvalidData => Err("it is not UTF-8 text".into()),
        Err(why) => Err(bytes::reason(&why)),
    }
}

/// Sets top-level values of a settings file, None takes one out; comments and everything else stay as they are. The file
/// is made where there is none. The error is a sentence.
pub fn set(path: &Path, values: &[(&str, Option<String>)]) -> Result<(), String> {
    let text = read(path)?.unwrap_or_default();
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|why: toml_edit::TomlError| {
            format!("it is not TOML: {}", why.message().lines().next().unwrap_or_default())
        })?;
    for (key, value) in values {
        match value {
            Some(value) => document[key] = toml_edit::value(value.as_str()),
            None => drop(document.remove(key)),
        }
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|why| bytes::reason(&why))?;
    }
    // A link to a file kept elsewhere stays a link.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write::replace(&place, document.to_string().as_bytes()).map_err(|why| why.to_string())
}

/// Puts text behind what a settings file says, in one write; makes the file and its folder where they are missing. Links,
/// permissions and what stands are as before. The error is a sentence.
pub fn append(path: &Path, text: &str) -> Result<(), String> {
    let appended = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder),
        _ => Ok(()),
    };
    let file = || fs::OpenOptions::new().append(true).create(true).open(path);
    let appended = appended.and_then(|()| file()).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    appended.map_err(|why| bytes::reason(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_stands_where_it_stood_and_the_rest_stays_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("trajview/config.toml");
        set(&path, &[("profile", Some("scb-paper".into()))]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "profile = \"scb-paper\"\n");

        let text =
            "# mine\nprofile = \"trajview\" # for now\nrules = \"r.yml\"\n\n[diff]\ncontext = 5\n";
        fs::write(&path, text).unwrap();
        set(&path, &[("profile", Some("scb-paper".into())), ("rules", None)]).unwrap();
        let now = fs::read_to_string(&path).unwrap();
        assert!(now.starts_with("# mine\nprofile = \"scb-paper\""), "{now}");
        assert!(now.contains("[diff]\ncontext = 5") && !now.contains("rules"), "{now}");

        fs::write(&path, "profile = \n").unwrap();
        let why = set(&path, &[("profile", Some("x".into()))]).unwrap_err();
        assert!(why.starts_with("it is not TOML: "), "{why}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "profile = \n");
    }
}
