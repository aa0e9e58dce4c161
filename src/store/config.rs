//! Where the user's settings are.

use std::{
    fs, io,
    io::Read,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy;

use super::bytes;

/// A settings file longer than this is none.
const LIMIT: u64 = 1 << 20;

/// The file that is read unless another is named: below `$XDG_CONFIG_HOME` or `~/.config`, on Windows below the
/// roaming application data. None where there is no home folder.
pub fn default_path() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("trajview").join("config.toml"))
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
