//! Which judgements are repeats of each other.

use trajview_run::rubric::Judgement;

/// Everything that shapes a judge's question. Two judgements of one state are repeats of each other only where all of
/// it is equal.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RepeatSetup {
    /// The name of the judge; the file's name where it has none.
    pub name: String,
    /// `http`, `command`, `human` or `imported`.
    pub kind: String,
    pub model: Option<String>,
    pub prompt_sha256: Option<String>,
    pub budget: Option<u32>,
    pub temperature: Option<f64>,
    pub rubric: Option<String>,
}

/// The judged state: the commit where the file names one, else the turn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum JudgedCodeState {
    /// Hex digits.
    Commit(String),
    /// The turn, counted from 1; None for the final state.
    Turn(Option<usize>),
}

/// Judgements that are repeats of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatGroup<'a> {
    pub setup: RepeatSetup,
    pub state: JudgedCodeState,
    /// The turn of the first judgement; counts from 1.
    pub turn: Option<usize>,
    /// The judgements, at least one; by number of the repeat, then in their given order.
    pub judgements: Vec<&'a Judgement>,
}

impl RepeatSetup {
    pub fn for_judgement(judgement: &Judgement) -> Self {
        let judge = &judgement.judge;
        let file = || judgement.file.trim_start_matches("judgements/").trim_end_matches(".json");
        Self {
            name: if judge.name.is_empty() { file().to_owned() } else { judge.name.clone() },
            kind: judge.kind.clone(),
            model: judge.model.clone(),
            prompt_sha256: judge.prompt_sha256.clone(),
            budget: judge.budget,
            temperature: judge.temperature,
            rubric: judgement.rubric.clone(),
        }
    }
}

impl JudgedCodeState {
    pub fn for_judgement(judgement: &Judgement) -> Self {
        match judgement.commit.as_ref().filter(|commit| !commit.is_empty()) {
            Some(commit) => Self::Commit(commit.to_lowercase()),
            None => Self::Turn(judgement.turn),
        }
    }
}

/// Groups the judgements, in the order of the first of each group; every judgement is in one group.
pub fn repeat_groups<'a>(
    judgements: impl IntoIterator<Item = &'a Judgement>,
) -> Vec<RepeatGroup<'a>> {
    let mut groups: Vec<RepeatGroup<'a>> = vec![];
    for judgement in judgements {
        let (setup, state) =
            (RepeatSetup::for_judgement(judgement), JudgedCodeState::for_judgement(judgement));
        match groups.iter_mut().find(|group| group.setup == setup && group.state == state) {
            Some(group) => group.judgements.push(judgement),
            None => groups.push(RepeatGroup {
                setup,
                state,
                turn: judgement.turn,
                judgements: vec![judgement],
            }),
        }
    }
    for group in &mut groups {
        group.judgements.sort_by_key(|it| it.repeat.map_or(usize::MAX, |repeat| repeat.number));
    }
    groups
}
