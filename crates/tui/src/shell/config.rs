//! The settings of a user. A plain value: the command line reads it from a file, the screen gets it.
//!
//! To add a setting add a field here and one row to `cli/config.rs`.

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    session::{arrangement::Arrangement, timeline::TimelineConfig},
    views::{curves::reference::ReferenceBands, replay::breakpoints::Stop},
    widgets::{display_options::ThemeName, key::Key},
};
use trajview_formats::ColumnNames;
use trajview_metrics::quality::QualityProfile;
use trajview_run::rubric::LabelMode;

#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    pub theme: ThemeName,
    /// Signs from ASCII only.
    pub ascii: bool,
    /// Columns.
    pub tab_width: usize,
    pub diff: DiffConfig,
    pub play: PlayConfig,
    /// The profile whose formulas score the code.
    pub profile: QualityProfile,
    /// A file or folder of rules that replaces the built-in ones.
    pub rules: Option<PathBuf>,
    /// A table of prices whose rows replace the built-in ones of the same models.
    pub prices: Option<PathBuf>,
    pub reference: ReferenceBands,
    pub timeline: TimelineConfig,
    /// The command that opens a file; None when the settings name none.
    pub editor: Option<String>,
    /// The rater in the audit; None when the settings name none.
    pub annotator: Option<String>,
    /// The judge, or the judgement, whose scores are the runs' results; None for the one of each run.
    pub judge: Option<String>,
    /// The steps of labelling in the audit.
    pub labels: LabelMode,
    /// The column names of tables that others published.
    pub columns: ColumnNames,
    /// Keys by the name of their command, as written and as parsed. Only their syntax was checked.
    pub keys: BTreeMap<String, Vec<Chord>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffConfig {
    /// Unchanged lines shown around a change.
    pub context: usize,
    pub mode: Arrangement,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PlayConfig {
    /// The speed of playback as a multiple of the normal one; above 0.
    pub speed: f64,
    /// The events at which playback stops, without repeats, in the order of [`Stop`].
    pub stop_at: Vec<Stop>,
}

/// Keys as a settings file writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    pub written: String,
    /// Keys pressed one after the other; never empty.
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
            profile: QualityProfile::default(),
            rules: None,
            prices: None,
            reference: ReferenceBands::default(),
            timeline: TimelineConfig::default(),
            editor: None,
            annotator: None,
            judge: None,
            labels: LabelMode::default(),
            columns: ColumnNames::default(),
            keys: BTreeMap::new(),
        }
    }
}
