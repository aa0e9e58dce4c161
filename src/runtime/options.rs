//! What the command line and the settings say of the screen.

use std::{path::PathBuf, sync::Arc};

use trajview_judge::{found::Environment, settings::Settings};
use trajview_live::drivers::command::ProgramOptions;
use trajview_study::studied::Studied;
use trajview_tui::{
    shell::{config::Config, mouse::Capture},
    views::table::Opening,
    widgets::looks::{Alphabet, Depth, Looks},
};

use super::judging::known::SettingsFile;

/// How the screen is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    pub config: Config,
    /// Where nobody says, the locale does.
    pub alphabet: Option<Alphabet>,
    pub mouse: Capture,
    /// Whether measures are kept on disk for the next time.
    pub caches: bool,
    /// How a table of runs is wanted.
    pub table: Opening,
    /// Who can be asked about a run.
    pub judges: Vec<Settings>,
    /// Where the settings are read from; None where there is no place for them.
    pub settings: Option<PathBuf>,
    /// Reads the judges of the settings again and adds one; None where that cannot be done.
    pub settings_file: Option<SettingsFile>,
    /// Where judges are looked for that the settings do not name.
    pub environment: Environment,
    /// Decisions that are laid over a run, in the place of its own.
    pub store: Option<PathBuf>,
    /// Programs without a driver of their own that can be driven.
    pub drivers: Vec<(String, ProgramOptions)>,
    /// The study that is worked on, in the place of the paths.
    pub study: Option<Arc<Studied>>,
}

impl Options {
    /// What the environment says: `NO_COLOR` (see <https://no-color.org>) wins over any theme.
    pub fn looks(&self, looks: Looks) -> Looks {
        let variable = |name| std::env::var(name).ok();
        let locale = || Alphabet::of_locale(["LC_ALL", "LC_CTYPE", "LANG"].map(variable));
        let is_set = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let said = if self.config.ascii { Some(Alphabet::Ascii) } else { None };
        let alphabet = self.alphabet.or(said).unwrap_or_else(locale);
        let depth = Depth::of_variable(variable("COLORTERM").as_deref());
        Looks { has_colours: !is_set, alphabet, depth, ..looks }
    }
}
