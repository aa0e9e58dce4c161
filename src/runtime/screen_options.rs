//! The options of the screen from the command line and the settings.

use std::{path::PathBuf, sync::Arc};

use trajview_judge::{discover::JudgeEnvironment, settings::JudgeConfig};
use trajview_live::drivers::command::ProgramOptions;
use trajview_study::loaded_study::LoadedStudy;
use trajview_tui::{
    shell::{config::Config, mouse::MouseCapture},
    views::table::TableOpening,
    widgets::display_options::{Alphabet, ColourDepth, DisplayOptions},
};

use super::judging::known_judges::JudgeSettingsFile;

/// The options of the screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScreenOptions {
    pub config: Config,
    /// The first thing that is wrong with the settings, shown in the last line; None if nothing is.
    pub problem: Option<String>,
    /// The alphabet; None for that of the locale.
    pub alphabet: Option<Alphabet>,
    pub mouse: MouseCapture,
    /// True if measures are cached on disk.
    pub caches: bool,
    /// The options of a table of runs.
    pub table: TableOpening,
    /// The judges that can be asked about a run.
    pub judges: Vec<JudgeConfig>,
    /// The settings file; None when there is no place for one.
    pub settings: Option<PathBuf>,
    /// Reads the judges of the settings again and adds one; None when that is impossible.
    pub settings_file: Option<JudgeSettingsFile>,
    /// The environment in which further judges are searched.
    pub environment: JudgeEnvironment,
    /// Decisions that replace those of a run.
    pub store: Option<PathBuf>,
    /// Programs without a driver of their own that can be driven.
    pub drivers: Vec<(String, ProgramOptions)>,
    /// The study to open instead of the paths.
    pub study: Option<Arc<LoadedStudy>>,
}

impl ScreenOptions {
    /// Applies the environment to the looks: `NO_COLOR` (see <https://no-color.org>) wins over any theme.
    pub(crate) fn looks_of_environment(&self, looks: DisplayOptions) -> DisplayOptions {
        let variable = |name| std::env::var(name).ok();
        let locale = || Alphabet::from_locale(["LC_ALL", "LC_CTYPE", "LANG"].map(variable));
        let configured = if self.config.ascii { Some(Alphabet::Ascii) } else { None };
        let alphabet = self.alphabet.or(configured).unwrap_or_else(locale);
        let depth = ColourDepth::from_colorterm(variable("COLORTERM").as_deref());
        DisplayOptions { has_colours: !has_no_color(), alphabet, depth, ..looks }
    }
}

/// Returns whether the environment asks for no colours (see <https://no-color.org>).
pub(crate) fn has_no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}
