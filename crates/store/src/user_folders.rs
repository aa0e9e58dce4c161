//! Where the program keeps what is the user's: below the home folder, or where the XDG variables say.
//!
//! A folder that is not named from the root on is none: what is kept there would lie in whatever folder the program was
//! started in. The XDG variables are left out by whoever reads them where they are such; the home folder is here.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The folder of settings.
pub fn config() -> Option<PathBuf> {
    folder(|all| Some(all.config_dir()))
}

/// The folder of what can be made again.
pub fn cache() -> Option<PathBuf> {
    folder(|all| Some(all.cache_dir()))
}

/// The folder of what is remembered from one start to the next; where a system has none, that of the cache.
pub fn state() -> Option<PathBuf> {
    folder(|all| Some(all.state_dir().unwrap_or_else(|| all.cache_dir())))
}

#[cfg(not(windows))]
type Strategy = etcetera::base_strategy::Xdg;
#[cfg(windows)]
type Strategy = etcetera::base_strategy::Windows;

fn folder(of: impl FnOnce(&Strategy) -> Option<PathBuf>) -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    of(&strategy).filter(|folder| folder.is_absolute())
}
