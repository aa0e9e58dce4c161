//! The settings file of the user: its place, and adding to it.

use std::{
    fs, io,
    io::{Read, Write},
    path::{Path, PathBuf},
};

use super::{file_bytes, write};

/// The most bytes of a settings file.
const MOST_BYTES: u64 = 1 << 20;

/// Returns the file that is read unless another is named: below `$XDG_CONFIG_HOME` or `~/.config`, on Windows below the
/// roaming application data. None where there is no home folder.
pub fn default_path() -> Option<PathBuf> {
    Some(super::user_folders::config_folder()?.join("trajview").join("config.toml"))
}

/// Returns the text of a settings file; None where there is no such file. The error is a sentence.
pub fn read_settings(path: &Path) -> Result<Option<String>, String> {
    let mut text = String::new();
    let read = fs::metadata(path)
        .and_then(|meta| match meta.is_file() {
            true => fs::File::open(path),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")),
        })
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_string(&mut text));
    match read {
        Ok(_) if text.len() as u64 > MOST_BYTES => {
            Err("it is too long to be a settings file".into())
        }
        Ok(_) => Ok(Some(text)),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) if why.kind() == io::ErrorKind::InvalidData => Err("it is not UTF-8 text".into()),
        Err(why) => Err(file_bytes::error_reason(&why)),
    }
}

/// Sets top-level values of a settings file, None takes one out; comments and everything else stay as they are. The
/// file is made where there is none. The error is a sentence.
pub fn set_values(path: &Path, values: &[(&str, Option<String>)]) -> Result<(), String> {
    change_settings(path, |document| {
        for (key, value) in values {
            match value {
                Some(value) => document[key] = toml_edit::value(value.as_str()),
                None => drop(document.remove(key)),
            }
        }
        Ok(())
    })
}

/// Sets a list of texts in a table of a settings file, as [`set_values`] does.
///
/// # Errors
/// Returns a sentence if the file cannot be read or written, or has something else in the place of the table.
pub fn set_list(path: &Path, table: &str, key: &str, values: &[String]) -> Result<(), String> {
    change_settings(path, |document| {
        let place = document.entry(table).or_insert_with(toml_edit::table);
        let place = place.as_table_like_mut().ok_or_else(|| format!("{table} is not a table"))?;
        place.insert(key, toml_edit::value(values.iter().collect::<toml_edit::Array>()));
        Ok(())
    })
}

fn change_settings(
    path: &Path,
    change: impl FnOnce(&mut toml_edit::DocumentMut) -> Result<(), String>,
) -> Result<(), String> {
    let text = read_settings(path)?.unwrap_or_default();
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|why: toml_edit::TomlError| {
            format!("it is not TOML: {}", why.message().lines().next().unwrap_or_default())
        })?;
    change(&mut document)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|why| file_bytes::error_reason(&why))?;
    }
    // A link to a file kept elsewhere stays a link.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write::replace_file(&place, document.to_string().as_bytes()).map_err(|why| why.to_string())
}

/// Appends text to a settings file in one write; creates the file and its folder where they are missing. Links,
/// permissions and the present text stay as they are. The error is a sentence.
pub fn append_text(path: &Path, text: &str) -> Result<(), String> {
    let appended = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => fs::create_dir_all(folder),
        _ => Ok(()),
    };
    let file = || fs::OpenOptions::new().append(true).create(true).open(path);
    let appended = appended.and_then(|()| file()).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    appended.map_err(|why| file_bytes::error_reason(&why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_stands_where_it_stood_and_the_rest_stays_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("trajview/config.toml");
        set_values(&path, &[("profile", Some("scb-paper".into()))]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "profile = \"scb-paper\"\n");

        let text =
            "# mine\nprofile = \"trajview\" # for now\nrules = \"r.yml\"\n\n[diff]\ncontext = 5\n";
        fs::write(&path, text).unwrap();
        set_values(&path, &[("profile", Some("scb-paper".into())), ("rules", None)]).unwrap();
        let now = fs::read_to_string(&path).unwrap();
        assert!(now.starts_with("# mine\nprofile = \"scb-paper\""), "{now}");
        assert!(now.contains("[diff]\ncontext = 5") && !now.contains("rules"), "{now}");

        let lanes = ["erosion".to_owned(), "mcf".to_owned()];
        set_list(&path, "timeline", "lanes", &lanes).unwrap();
        set_list(&path, "timeline", "lanes", &lanes[1..]).unwrap();
        let now = fs::read_to_string(&path).unwrap();
        assert!(now.ends_with("[timeline]\nlanes = [\"mcf\"]\n"), "{now}");
        assert_eq!(set_list(&path, "profile", "x", &[]), Err("profile is not a table".into()));

        fs::write(&path, "profile = \n").unwrap();
        let why = set_values(&path, &[("profile", Some("x".into()))]).unwrap_err();
        assert!(why.starts_with("it is not TOML: "), "{why}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "profile = \n");
    }
}
