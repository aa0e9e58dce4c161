//! Parts of what raters scored.

use clap::ValueEnum;

use trajview_study::raters::ScoredPair;

/// What parts are told one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AgreeGrouping {
    Run,
    Component,
    /// As the judgements name it: slump-5
    Rubric,
}

impl AgreeGrouping {
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Component => "component",
            Self::Rubric => "rubric",
        }
    }

    /// Returns the name of the part that a pair belongs to.
    pub fn part_name(self, pair: &ScoredPair) -> &str {
        match self {
            Self::Run => &pair.item.run,
            Self::Component => &pair.item.component,
            Self::Rubric => pair.rubric.as_deref().unwrap_or("not named"),
        }
    }
}
