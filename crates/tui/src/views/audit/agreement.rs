//! The agreement of rater and judge over the labelled items; unlabelled items are left out.
//!
//! Shares and counts are computed at once. Kappa and its interval take thousands of resamples and come from a worker;
//! those of an older set of labels are not shown for a newer one.

use std::collections::BTreeMap;

use crate::{
    session::{
        Session,
        context::KeyContext,
        effect::Effect,
        label_protocol::ScorePairs,
        pending::Pending,
        question::Question,
        request::{RequestId, RequestIds},
    },
    views::{audit::AuditView, verdict::words_in_rows},
    widgets::pane::ListPane,
};
use trajview_run::{
    format_number,
    rubric::{CANNOT_TELL, LabelUnit, ScoreScale},
};
use trajview_study::{
    BootstrapPlan, Coefficient, Estimate, Ratings, agreement::ConfusionTable,
    audit_items::AuditItem,
};

use super::{AuditPart, areas::AuditAreas, disagreement_reasons::is_explained};

mod gold_agreement;

/// Weighted kappa as it was last worked out.
#[derive(Debug, Default)]
pub struct AgreementState {
    pub pane: ListPane,
    pairs: Option<ScorePairs>,
    kappa: Option<Estimate>,
    pending: Pending<ScorePairs>,
    /// True where the rater wants to see the agreement while items wait for a label.
    is_revealed: bool,
}

/// One row of the panel.
#[derive(Debug, Clone, PartialEq)]
pub enum AgreementRow {
    Blank,
    Heading(String),
    /// A name and its value.
    Pair(&'static str, String),
    Note(String),
    /// Somebody, and how far they agree with what was settled: how many, exactly, within 1, kappa.
    With(String, [String; 4]),
    /// The heading of the levels, over their counts.
    Head(&'static str, Vec<u8>),
    /// The number of times each level was given, from the lowest.
    Levels(&'static str, Vec<usize>),
    /// The labels for one level of the judge; the cell at `place` is where both agree.
    Confusion {
        level: u8,
        place: usize,
        counts: Vec<usize>,
    },
}

/// Cells of the name of a value.
pub(crate) const NAME_CELLS: usize = 9;

/// The number of resamples, the same as in the `agree` command.
pub(crate) const RESAMPLES: usize = 9_999;

impl AgreementState {
    /// Asks for kappa where the pairs changed; None where nothing is to be computed.
    pub(super) fn ask_kappa(
        &mut self,
        numbers: &mut RequestIds,
        pairs: ScorePairs,
    ) -> Option<Effect> {
        let is_new = self.pairs.as_ref() != Some(&pairs) && pairs.scores.len() > 1;
        if !is_new || !self.pending.is_free() {
            return None;
        }
        let question = Question::Agreement { pairs: pairs.clone() };
        Some(self.pending.ask_question(numbers, pairs, question))
    }

    pub(super) fn take_kappa(&mut self, request: RequestId, kappa: Option<Estimate>) {
        if let Some(pairs) = self.pending.take_answered(request) {
            self.pairs = Some(pairs);
            self.kappa = kappa;
        }
    }

    /// Shows the agreement while items wait for a label, or hides it again.
    pub(super) const fn toggle_reveal(&mut self) {
        self.is_revealed = !self.is_revealed;
    }

    /// Hides the agreement again while items wait for a label.
    pub(super) const fn hide_again(&mut self) {
        self.is_revealed = false;
    }

    fn kappa_of(&self, pairs: &ScorePairs) -> Option<&Estimate> {
        self.kappa.as_ref().filter(|_| self.pairs.as_ref() == Some(pairs))
    }
}

/// Returns quadratically weighted kappa with its interval; not defined where any number may be given.
pub fn quadratic_kappa(pairs: &ScorePairs) -> Estimate {
    let plan = BootstrapPlan { resamples: RESAMPLES, ..BootstrapPlan::default() };
    ratings_of_pairs(pairs).estimate_coefficient(Coefficient::KappaQuadratic, &plan)
}

/// Returns ICC(2,1) with its interval, by quantiles of F.
fn intraclass_correlation(pairs: &ScorePairs) -> Estimate {
    let plan = BootstrapPlan { resamples: 1, ..BootstrapPlan::default() }; // none is used
    ratings_of_pairs(pairs).estimate_coefficient(Coefficient::Icc21, &plan)
}

fn ratings_of_pairs(pairs: &ScorePairs) -> Ratings {
    let (low, high) = pairs.scale.lowest_and_highest();
    let scale =
        trajview_study::RatingScale::whole_numbers(low.into(), high.into()).unwrap_or_default();
    Ratings::new(scale, &pairs.scores)
}

/// Returns the criterion of the current item, where agreement is counted by several criteria.
fn current_criterion(audit: &AuditView, session: &Session) -> Option<String> {
    let item = audit.audited_item(session).filter(|item| !item.unit.is_raised());
    item.and_then(|item| item.criterion.clone())
}

/// Returns the pairs labelled before the verdict was seen and those labelled after; of the criterion of the current
/// item where there are several.
pub(crate) fn audit_pairs(audit: &AuditView, session: &Session) -> [ScorePairs; 2] {
    let wanted = current_criterion(audit, session);
    if session.study_queue().is_some() {
        return session.study_pairs(wanted.as_deref());
    }
    let is_wanted = |item: &&AuditItem| wanted.is_none() || item.criterion == wanted;
    let items = || session.queued_items().iter().filter(is_wanted);
    let scale = items().next().and_then(|item| session.criterion_of(item));
    let scale = scale.map_or(session.audit.unit().default_scale(), |it| it.scale);
    let (mut blind, mut open) = (vec![], vec![]);
    for item in items() {
        let label = session.labels.answered_label(item.judged_state(), item.item_key());
        let (Some(label), Some(verdict)) = (label, item.verdict.score) else { continue };
        let Some(score) = label.score() else { continue };
        if label.label.label_scale() != scale {
            continue; // on another scale nothing compares
        }
        let pairs = if label.is_blind() == Some(true) { &mut blind } else { &mut open };
        pairs.push((verdict, score));
    }
    [ScorePairs { scale, scores: blind }, ScorePairs { scale, scores: open }]
}

/// Returns the reasons and their counts, then the number of labels that differ without a reason, then the number of
/// "cannot tell".
fn reasons_given(session: &Session) -> (BTreeMap<String, usize>, usize, usize) {
    let (mut reasons, mut missing, mut open) = (BTreeMap::new(), 0, 0);
    for item in session.queued_items() {
        let Some(label) = session.labels.answered_label(item.judged_state(), item.item_key())
        else {
            continue;
        };
        match label.reason().filter(|_| is_explained(label)) {
            _ if label.score().is_none() => open += 1,
            Some(reason) => *reasons.entry(reason.to_owned()).or_default() += 1,
            None => missing += 1,
        }
    }
    (reasons, missing, open)
}

/// Returns the number of items that wait for a label while the agreement is hidden: a rater who sees how the judge
/// scores does not label blind. None where it is shown.
pub(crate) fn waiting_while_hidden(audit: &AuditView, session: &Session) -> Option<usize> {
    let all = session.study_queue().map_or(session.queued_items().len(), |study| study.len());
    let waiting = all.saturating_sub(audit.labelled_count(session));
    let is_hidden = waiting > 0 && !audit.agreement.is_revealed && !session.is_adjudicating();
    is_hidden.then_some(waiting)
}

/// Returns the rows, cut to the width of the part in these areas.
pub fn agreement_rows(
    audit: &AuditView,
    session: &Session,
    areas: &AuditAreas,
) -> Vec<AgreementRow> {
    let width = areas.width_inside(AuditPart::Agreement).max(20);
    if session.is_adjudicating() {
        return gold_agreement_rows(session, width);
    }
    let [blind, open] = audit_pairs(audit, session);
    let (blinds, opens) = (blind.scores.len(), open.scores.len());
    let mut rows = vec![];
    if audit.labelled_count(session) == 0 {
        let words = "agreement appears after the first label";
        rows.extend(words_in_rows(words, width).into_iter().map(AgreementRow::Note));
        return rows;
    }
    if let Some(waiting) = waiting_while_hidden(audit, session) {
        let words = format!(
            "hidden while {waiting} need a label, because it reveals the judge's scores. {} shows it",
            session.keys.key_text(KeyContext::Audit, "reveal")
        );
        rows.extend(words_in_rows(&words, width).into_iter().map(AgreementRow::Note));
        return rows;
    }
    if session.audit.unit().is_raised() {
        rows.push(AgreementRow::Heading(format!("{}, of raised items", label_count_text(opens))));
        push_accepted_row(&open, &mut rows);
        push_missed_row(session, &mut rows);
    } else {
        rows.push(AgreementRow::Heading(match (blinds, opens) {
            (blind, 0) => format!("{}, blind", label_count_text(blind)),
            (blind, 1) => format!("{}, blind; 1 more is not", label_count_text(blind)),
            (blind, open) => format!("{}, blind; {open} more are not", label_count_text(blind)),
        }));
        if let Some(criterion) = current_criterion(audit, session) {
            rows.extend(
                words_in_rows(&format!("by {criterion}"), width)
                    .into_iter()
                    .map(AgreementRow::Note),
            );
        }
        push_share_rows(audit, &blind, width, &mut rows);
        push_table_rows(&blind, &mut rows);
    }
    rows.push(AgreementRow::Blank);
    push_reason_rows(session, &mut rows);
    if opens > 0 && !session.audit.unit().is_raised() {
        rows.push(AgreementRow::Blank);
        rows.push(AgreementRow::Heading(format!("{}, not blind", label_count_text(opens))));
        push_plain_shares(&open, &mut rows);
    }
    rows
}

fn push_table_rows(pairs: &ScorePairs, rows: &mut Vec<AgreementRow>) {
    if pairs.scores.is_empty() || pairs.scale == ScoreScale::Share {
        return;
    }
    let (table, levels) =
        (ratings_of_pairs(pairs).confusion_table(), pairs.scale.level_range().collect::<Vec<_>>());
    rows.push(AgreementRow::Blank);
    push_level_rows(&table, &levels, rows);
    rows.push(AgreementRow::Blank);
    push_confusion_rows(&table, &levels, rows);
}

/// Adds the share of raised items that are right: the raiser claims that all are, so there is no agreement by chance.
fn push_accepted_row(pairs: &ScorePairs, rows: &mut Vec<AgreementRow>) {
    let (all, high) = (pairs.scores.len(), f64::from(pairs.scale.lowest_and_highest().1));
    if all > 0 {
        let count = pairs.scores.iter().filter(|(_, label)| *label == high).count();
        let share = format_number::three_decimals(count as f64 / all as f64);
        rows.push(AgreementRow::Pair("right", format!("{share}  {count} of {all}")));
    }
}

/// Adds a row with the number of places that the rater marked and that the judging does not flag, in an audit of flags.
fn push_missed_row(session: &Session, rows: &mut Vec<AgreementRow>) {
    if session.audit.unit() == LabelUnit::Flag {
        rows.push(AgreementRow::Pair("missed", session.missed_flags().len().to_string()));
    }
}

/// Returns the agreement of every rater and judge with the gold labels.
fn gold_agreement_rows(session: &Session, width: usize) -> Vec<AgreementRow> {
    let everybody = gold_agreement::agreement_by_rater(session);
    if everybody.is_empty() {
        let words = "agreement with gold appears after the first outcome";
        return words_in_rows(words, width).into_iter().map(AgreementRow::Note).collect();
    }
    let heads = ["n", "exact", "±1", "kappa"].map(String::from);
    let mut rows =
        vec![AgreementRow::Heading("with gold".into()), AgreementRow::With(String::new(), heads)];
    rows.extend(everybody.into_iter().map(|(name, cells)| AgreementRow::With(name, cells)));
    rows.push(AgreementRow::Blank);
    let words = "kappa has quadratic weights; `trajview audit STUDY` has intervals";
    rows.extend(words_in_rows(words, width).into_iter().map(AgreementRow::Note));
    let alike = gold_agreement::agreed_without_gold(session);
    if alike > 0 {
        rows.push(AgreementRow::Blank);
        let words = format!(
            "gold has only disagreements: {alike} items that raters scored alike have no outcome \
             (`trajview audit STUDY --adjudicate --adjudicate-agreed`)"
        );
        rows.extend(words_in_rows(&words, width).into_iter().map(AgreementRow::Note));
    }
    rows
}

fn push_share_rows(
    audit: &AuditView,
    pairs: &ScorePairs,
    width: usize,
    rows: &mut Vec<AgreementRow>,
) {
    if pairs.scores.is_empty() {
        return;
    }
    push_plain_shares(pairs, rows);
    let kappa = audit.agreement.kappa_of(pairs);
    let is_interval = kappa.is_some_and(|it| it.interval.is_ok());
    let (said, interval) = match kappa {
        _ if pairs.scale == ScoreScale::Share => {
            ("not defined: any number is on the scale".into(), None)
        }
        _ if pairs.scores.len() < 2 => ("not defined: fewer than two pairs".into(), None),
        None => ("…".into(), None),
        Some(estimate) => estimate_text(estimate),
    };
    let room = width.saturating_sub(NAME_CELLS + 2);
    let mut say = |name: &'static str, words: &str| {
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        rows.extend(
            names
                .zip(words_in_rows(words, room))
                .map(|(name, words)| AgreementRow::Pair(name, words)),
        );
    };
    say("kappa", &said);
    if let Some(interval) = interval {
        say("95 % BCa", &interval);
        if let Some(doubt) =
            ratings_of_pairs(pairs).confusion_table().interval_doubt().filter(|_| is_interval)
        {
            say("", &doubt.to_string());
        }
    }
    if pairs.scale != ScoreScale::Share && pairs.scores.len() > 1 {
        let icc = intraclass_correlation(pairs);
        match icc.value {
            Ok(value) => say("ICC(2,1)", &format_number::three_decimals(value)),
            Err(why) => say("ICC(2,1)", &format!("not defined: {why}")),
        }
        if let Ok(interval) = icc.interval {
            say("95 % F", &format_number::interval_text(interval.low, interval.high));
        }
    }
}

fn push_reason_rows(session: &Session, rows: &mut Vec<AgreementRow>) {
    let (reasons, missing, open) = reasons_given(session);
    rows.push(AgreementRow::Heading("reasons".into()));
    for (reason, count) in reasons {
        rows.push(AgreementRow::Note(format!("{count:>3} {reason}")));
    }
    if missing > 0 {
        let reason = session.keys.key_text(KeyContext::Audit, "reason");
        rows.push(AgreementRow::Note(format!(
            "{missing:>3} disagreements without a reason ({reason})"
        )));
    }
    if open > 0 {
        rows.push(AgreementRow::Note(format!("{open:>3} {CANNOT_TELL}")));
    }
}

fn label_count_text(count: usize) -> String {
    if count == 1 { "1 label".into() } else { format!("{count} labels") }
}

fn push_plain_shares(pairs: &ScorePairs, rows: &mut Vec<AgreementRow>) {
    let all = pairs.scores.len();
    let count = |most: f64| pairs.scores.iter().filter(|(a, b)| (a - b).abs() <= most).count();
    let share = |most: f64| {
        let count = count(most);
        let share = format_number::three_decimals(count as f64 / all as f64);
        format!("{share}  {count} of {all}")
    };
    rows.push(AgreementRow::Pair("exact", share(0.0)));
    match pairs.scale {
        ScoreScale::Share => rows.push(AgreementRow::Pair("by 0.1", share(0.1 + f64::EPSILON))),
        ScoreScale::Levels { low, high } if high - low > 1 => {
            rows.push(AgreementRow::Pair("within 1", share(1.0)));
        }
        ScoreScale::Levels { .. } => {} // of two levels all are
    }
}

/// Returns the value and the interval, or the reason why there is none.
fn estimate_text(estimate: &Estimate) -> (String, Option<String>) {
    let value = match estimate.value {
        Ok(value) => format!("{}  quadratic weights", format_number::three_decimals(value)),
        Err(why) => return (format!("not defined: {why}"), None),
    };
    let interval = match &estimate.interval {
        Ok(interval) => format_number::interval_text(interval.low, interval.high),
        Err(why) => format!("not defined: {why}"),
    };
    (value, Some(interval))
}

/// Adds the base rates: the counts of the levels of judge and rater.
fn push_level_rows(table: &ConfusionTable, levels: &[u8], rows: &mut Vec<AgreementRow>) {
    let cells = table.count_rows();
    let mut judge = vec![0; levels.len()];
    let mut label = vec![0; levels.len()];
    for (a, row) in cells.iter().enumerate().take(levels.len()) {
        for (b, count) in row.iter().enumerate().take(levels.len()) {
            judge[a] += *count as usize;
            label[b] += *count as usize;
        }
    }
    rows.push(AgreementRow::Head("scores used", levels.to_vec()));
    rows.push(AgreementRow::Levels("judge", judge));
    rows.push(AgreementRow::Levels("you", label));
}

fn push_confusion_rows(table: &ConfusionTable, levels: &[u8], rows: &mut Vec<AgreementRow>) {
    rows.push(AgreementRow::Head("judge\\you", levels.to_vec()));
    for (place, (level, row)) in levels.iter().zip(table.count_rows()).enumerate() {
        let counts = row.into_iter().take(levels.len()).map(|count| count as usize).collect();
        rows.push(AgreementRow::Confusion { level: *level, place, counts });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_the_whole_study() {
        let pairs = [(0, 0), (1, 2), (4, 4), (3, 4), (2, 2), (4, 3), (0, 1), (4, 4)];
        let scores = pairs.map(|(a, b)| (f64::from(a), f64::from(b))).to_vec();
        let pairs = ScorePairs { scale: LabelUnit::Component.default_scale(), scores };
        let whole = ratings_of_pairs(&pairs).agreement(&BootstrapPlan::default());

        assert_eq!(quadratic_kappa(&pairs), whole.estimate_for(Coefficient::KappaQuadratic));
    }

    #[test]
    fn what_is_not_defined_says_why() {
        let scores = vec![(4.0, 4.0), (4.0, 4.0)];
        let pairs = ScorePairs { scale: LabelUnit::Component.default_scale(), scores };
        let (value, interval) = estimate_text(&quadratic_kappa(&pairs));
        assert_eq!((value.as_str(), interval), ("not defined: one level only", None));
    }
}
