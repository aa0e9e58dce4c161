//! What layers are made with, beside what the setup says.

use std::sync::Arc;

use trajview_judge::settings::Settings;

/// What layers are made with, beside what the setup says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LayerFiles {
    /// Files that the bundle is given, by their names: the store of decisions.
    pub store: Vec<(&'static str, Vec<u8>)>,
    /// The settings of the helper model.
    pub helper: Option<Arc<Settings>>,
}
