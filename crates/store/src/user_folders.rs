//! The folders of the program's user data: below the home folder, or where the XDG variables point.
//!
//! A relative folder is not used: its files would be in whatever folder the program was started in. The library ignores
//! relative XDG variables; this module checks the home folder.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// Returns the folder of settings.
pub fn config_folder() -> Option<PathBuf> {
    strategy_folder(|all| Some(all.config_dir()))
}

/// Returns the folder of what can be made again.
pub(crate) fn cache_folder() -> Option<PathBuf> {
    strategy_folder(|all| Some(all.cache_dir()))
}

/// Returns the folder of what is remembered from one start to the next; where a system has none, that of the cache.
pub(crate) fn state_folder() -> Option<PathBuf> {
    strategy_folder(|all| Some(all.state_dir().unwrap_or_else(|| all.cache_dir())))
}

#[cfg(not(windows))]
type FolderStrategy = etcetera::base_strategy::Xdg;
#[cfg(windows)]
type FolderStrategy = etcetera::base_strategy::Windows;

fn strategy_folder(of: impl FnOnce(&FolderStrategy) -> Option<PathBuf>) -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    of(&strategy).filter(|folder| folder.is_absolute())
}
