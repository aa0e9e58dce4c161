//! How the screen learns what a judge does. The words of judging are [`trajview_run::judging`].

use trajview_run::judging::JudgeEvent;

/// An event of a judging with its time, or only the time.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingUpdate {
    /// Since the judging began; 0 where no clock runs.
    pub seconds: f64,
    /// The judge of a panel; None where one judge works alone.
    pub judge: Option<String>,
    /// None where only time has passed.
    pub event: Option<JudgeEvent>,
}
