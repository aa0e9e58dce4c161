//! The rows on one component of a judging: its answer, and the tool calls of the judge so far.

use crate::{
    session::Session,
    views::{judge::JudgePane, verdict::words_in_rows},
};
use trajview_run::{
    flags::{Flag, FlagCounts, Flagging},
    judging::{JudgeAnswer, JudgingScale},
    rubric::{
        CANNOT_TELL, COMPONENT_LEVELS, Evidence, RubricLevels, Verdict,
        criterion_scores::scores_text,
    },
};

use super::{
    areas::JudgeAreas,
    watched::{ItemState, JudgeCall, TraceEntry, WatchedItem},
};

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub enum JudgeRow {
    Blank,
    Heading(String),
    /// A score, with the levels of the rubric.
    Score(u8, &'static RubricLevels),
    Flags(FlagCounts),
    /// A flag's, and where it comes from.
    Criterion(String),
    /// Somebody else's words, cut to the width.
    Words(String),
    /// Our own.
    Note(String),
    Problem(String),
    Evidence(Evidence),
    /// Counts from 1.
    Call(usize, JudgeCall),
    Excerpt(String),
}

/// Lines of what a call gave.
const MAX_EXCERPT_LINES: usize = 6;

impl JudgePane {
    /// Returns the rows about the chosen component, as wide as the pane is in these areas.
    pub(crate) fn entry_rows(&self, session: &Session, areas: &JudgeAreas) -> Vec<JudgeRow> {
        let Some(entry) = self.chosen_entry() else { return vec![] };
        let width = areas.list_width().saturating_sub(2).max(20);
        let mut rows = vec![];
        self.push_state_rows(session, entry, width, &mut rows);
        if let Some(verdict) = self.entry_verdict(session, entry) {
            push_verdict_rows(verdict, width, &mut rows);
        }
        if let Some(flagging) = self.entry_flagging(session) {
            push_flag_rows(flagging, &entry.id, width, &mut rows);
        }
        push_trace_rows(entry, width, &mut rows);
        rows
    }

    /// Returns the saved verdict; None where the file that is being written has none.
    pub(crate) fn entry_verdict<'a>(
        &self,
        session: &'a Session,
        entry: &WatchedItem,
    ) -> Option<&'a Verdict> {
        let file = self.watched.as_ref()?.file.as_ref()?.name();
        let rubric = session.rubric.known_rubric()?;
        let judgements = match self.watched.as_ref()?.judging_request.scale {
            JudgingScale::Levels | JudgingScale::Codebook | JudgingScale::Flags => {
                &rubric.judgements
            }
            JudgingScale::Decisions => &rubric.decisions,
            JudgingScale::Process => &rubric.process,
        };
        let saved = judgements.iter().find(|it| it.file.rsplit('/').next() == Some(&file))?;
        saved
            .verdict_on(&entry.id)
            .filter(|it| it.is_scored() || it.error.is_some() || cannot_tell(it))
    }

    /// Returns the state of a component: a saved answer counts where nothing happened since.
    pub(crate) fn entry_state(&self, session: &Session, entry: &WatchedItem) -> ItemState {
        match (&entry.state, self.entry_verdict(session, entry)) {
            (ItemState::Waiting, Some(verdict)) => ItemState::Done {
                given: saved_answer(verdict),
                error: verdict.error.clone().unwrap_or_default(),
            },
            (ItemState::Waiting, None) => {
                self.saved_group_state(session, entry).unwrap_or_default()
            }
            (state, _) => state.clone(),
        }
    }

    /// Returns the flags file that is being written, as it was read last; None where it is none.
    fn entry_flagging<'a>(&self, session: &'a Session) -> Option<&'a Flagging> {
        let watched = self.watched.as_ref()?;
        let is_flags = watched.judging_request.scale == JudgingScale::Flags;
        let file = watched.file.as_ref().filter(|_| is_flags)?.name();
        let flaggings = &session.rubric.known_rubric()?.flaggings;
        flaggings.iter().find(|it| it.file.rsplit('/').next() == Some(&file))
    }

    /// Returns the levels of the watched judging.
    pub fn rubric_levels(&self) -> &'static RubricLevels {
        let scale = self.watched.as_ref().map(|it| it.judging_request.scale);
        scale.and_then(JudgingScale::rubric_levels).unwrap_or(&COMPONENT_LEVELS)
    }

    fn saved_group_state(&self, session: &Session, entry: &WatchedItem) -> Option<ItemState> {
        let flagging = self.entry_flagging(session)?;
        let group = flagging.groups.iter().find(|it| it.id == entry.id)?;
        let counts = FlagCounts::from_flags(flags_of_group(flagging, &entry.id));
        let given = group.error.is_none().then_some(JudgeAnswer::Flags(counts));
        Some(ItemState::Done { given, error: group.error.clone().unwrap_or_default() })
    }

    fn push_state_rows(
        &self,
        session: &Session,
        entry: &WatchedItem,
        width: usize,
        rows: &mut Vec<JudgeRow>,
    ) {
        match self.entry_state(session, entry) {
            ItemState::Waiting => rows.push(JudgeRow::Note("not asked yet".into())),
            ItemState::Looking => rows.push(JudgeRow::Note("being judged".into())),
            ItemState::Retries { why, .. } => {
                rows.push(JudgeRow::Note("waiting for a retry".into()));
                rows.extend(words_in_rows(&why, width).into_iter().map(JudgeRow::Problem));
            }
            ItemState::Done { given: Some(JudgeAnswer::Level { level: score, .. }), .. } => {
                rows.push(JudgeRow::Score(score, self.rubric_levels()));
            }
            ItemState::Done { given: Some(JudgeAnswer::CannotTell), .. } => {
                rows.push(JudgeRow::Note(CANNOT_TELL.into()));
            }
            ItemState::Done { given: Some(JudgeAnswer::Scores(words)), .. } => {
                rows.extend(words_in_rows(&words, width).into_iter().map(JudgeRow::Note));
            }
            ItemState::Done { given: Some(JudgeAnswer::Flags(counts)), .. } => {
                rows.push(JudgeRow::Flags(counts))
            }
            ItemState::Done { given: None, error } => {
                let scale =
                    self.watched.as_ref().map(|it| it.judging_request.scale).unwrap_or_default();
                rows.push(JudgeRow::Note(scale.no_answer().into()));
                rows.extend(words_in_rows(&error, width).into_iter().map(JudgeRow::Problem));
            }
        }
    }
}

fn saved_answer(verdict: &Verdict) -> Option<JudgeAnswer> {
    match verdict.criterion_scores.is_empty() {
        false => Some(JudgeAnswer::Scores(scores_text(&verdict.criterion_scores))),
        true => {
            let open = cannot_tell(verdict).then_some(JudgeAnswer::CannotTell);
            let name = verdict.label.clone().unwrap_or_default();
            verdict.score.map(|level| JudgeAnswer::Level { level, name }).or(open)
        }
    }
}

fn cannot_tell(verdict: &Verdict) -> bool {
    verdict.label.as_deref() == Some(CANNOT_TELL)
}

fn push_verdict_rows(verdict: &Verdict, width: usize, rows: &mut Vec<JudgeRow>) {
    if !verdict.rationale.is_empty() {
        rows.push(JudgeRow::Blank);
        rows.push(JudgeRow::Heading("rationale".into()));
        rows.extend(words_in_rows(&verdict.rationale, width).into_iter().map(JudgeRow::Words));
    }
    if !verdict.evidence.is_empty() {
        rows.push(JudgeRow::Blank);
        rows.push(JudgeRow::Heading("evidence".into()));
        rows.extend(verdict.evidence.iter().cloned().map(JudgeRow::Evidence));
    }
}

fn flags_of_group<'f>(flagging: &'f Flagging, group: &str) -> impl Iterator<Item = &'f Flag> {
    flagging.flags.iter().filter(move |it| it.category.as_deref() == Some(group))
}

/// Adds each flagged place, its criterion and the reason.
fn push_flag_rows(flagging: &Flagging, group: &str, width: usize, rows: &mut Vec<JudgeRow>) {
    for flag in flags_of_group(flagging, group) {
        rows.push(JudgeRow::Blank);
        let from = flag.carried_from.as_deref().map(|from| format!(", carried from {from}"));
        let words = format!("{}{}", flag.criterion, from.unwrap_or_default());
        rows.push(JudgeRow::Criterion(words));
        let lines = flag.start.zip(flag.end);
        let lines = lines.map(|(start, end)| (start as usize, end as usize));
        rows.push(JudgeRow::Evidence(Evidence { path: flag.path.to_string(), lines, quote: None }));
        let why = flag.explanation.as_deref().unwrap_or_default();
        rows.extend(words_in_rows(why, width).into_iter().map(JudgeRow::Words));
    }
}

fn push_trace_rows(entry: &WatchedItem, width: usize, rows: &mut Vec<JudgeRow>) {
    if entry.trace.is_empty() {
        return;
    }
    rows.push(JudgeRow::Blank);
    rows.push(JudgeRow::Heading("what it did".into()));
    let mut number = 0;
    for traced in &entry.trace {
        match traced {
            TraceEntry::Words(words) => {
                rows.extend(words_in_rows(words, width).into_iter().map(JudgeRow::Words))
            }
            TraceEntry::Fault(why) => {
                rows.extend(words_in_rows(why, width).into_iter().map(JudgeRow::Problem))
            }
            TraceEntry::Call(call) => {
                number += 1;
                rows.push(JudgeRow::Call(number, call.clone()));
                let excerpt = call.look.excerpt.as_deref().unwrap_or_default();
                let lines = words_in_rows(excerpt, width.saturating_sub(4));
                let more = lines.len().saturating_sub(MAX_EXCERPT_LINES);
                rows.extend(lines.into_iter().take(MAX_EXCERPT_LINES).map(JudgeRow::Excerpt));
                if more > 0 {
                    rows.push(JudgeRow::Excerpt(format!("… {more} more lines")));
                }
            }
        }
    }
}
