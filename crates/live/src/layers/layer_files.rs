//! Files and settings for layers besides the setup.

use std::sync::Arc;

use trajview_judge::settings::JudgeConfig;

/// Files and settings for layers besides the setup.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerFiles {
    /// Files that the bundle gets, by their names: the store of decisions.
    pub store: Vec<(&'static str, Vec<u8>)>,
    /// The settings of the helper model.
    pub helper: Option<Arc<JudgeConfig>>,
}
