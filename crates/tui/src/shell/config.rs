//! What a user may choose. A plain value: the command line reads it from a file, the screen is given it.
//!
//! To add a setting add a field here and one row to `cli/config.rs`.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    session::arrangement::Arrangement,
    views::{curves::reference::Reference, replay::stops::Stop},
    widgets::{key::Key, looks::ThemeName},
};
use trajview_formats::Columns;
use trajview_metrics::quality::Profile;
use trajview_run::rubric::Acts;

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    pub theme: ThemeName,
    /// Signs from ASCII only.
    pub ascii: bool,
    /// Columns.
    pub tab_width: usize,
    pub diff: DiffConfig,
    pub play: PlayConfig,
    /// Whose formulas score the code.
    pub profile: Profile,
    /// A file or folder of rules in the place of the built-in ones.
    pub rules: Option<PathBuf>,
    /// A table of prices whose rows take the place of the built-in ones of the same model.
    pub prices: Option<PathBuf>,
    pub reference: Reference,
    /// The command that opens a file; None where nobody said.
    pub editor: Option<String>,
    /// Who labels in the audit; None where nobody said.
    pub annotator: Option<String>,
    /// How labels are given in the audit.
    pub labels: Acts,
    /// What publishers of rows call their columns.
    pub columns: Columns,
    /// Keys by the name of their command, as written and as read. Only how they are written was checked.
    pub keys: BTreeMap<String, Vec<Chord>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffConfig {
    /// Equal lines shown around a change.
    pub context: usize,
    pub mode: Arrangement,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PlayConfig {
    /// Beats of the normal speed that pass in the time of one; above 0.
    pub speed: f64,
    /// What playback stops at, without repeats, in the order of [`Stop`].
    pub stop_at: Vec<Stop>,
}

/// Keys as a settings file writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    pub written: String,
    /// Pressed one after the other; never empty.
    pub keys: Vec<Key>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            theme: ThemeName::Terminal,
            ascii: false,
            tab_width: 4,
            diff: DiffConfig { context: 3, mode: Arrangement::default() },
            play: PlayConfig { speed: 1.0, stop_at: vec![] },
            profile: Profile::default(),
            rules: None,
            prices: None,
            reference: Reference::default(),
            editor: None,
            annotator: None,
            labels: Acts::default(),
            columns: Columns::default(),
            keys: BTreeMap::new(),
        }
    }
}
