//! How far the rater and the judge agree, over what is labelled; nothing is told of what is not.
//!
//! Shares and counts are worked out at once. Kappa and its interval take thousands of resamples and come from a worker;
//! those of an older set of labels are not shown for a newer one.

use std::collections::BTreeMap;

use crate::{
    run::{figures, rubric::FULL},
    session::{
        Session,
        ask::Pending,
        effect::Effect,
        question::Question,
        request::{Numbers, Request},
        saved::Pairs,
    },
    study::{Coefficient, Estimate, Plan, Ratings, Scale, agreement::Table},
    views::{audit::Audit, verdict::cut},
};

use super::{Part, areas::Areas, reason::is_explained};

mod with_gold;

/// Weighted kappa as it was last worked out.
#[derive(Debug, Default)]
pub struct Known {
    of: Option<Pairs>,
    kappa: Option<Estimate>,
    pending: Pending<Pairs>,
}

/// One row of the panel.
#[derive(Debug, Clone, PartialEq)]
pub enum Row {
    Blank,
    Heading(String),
    /// A name and its value.
    Pair(&'static str, String),
    Note(String),
    /// Somebody, and how far they agree with what was settled: how many, exactly, within 1, kappa.
    With(String, [String; 4]),
    /// The levels, over what is counted of each.
    Head(&'static str),
    /// How often each level was given, from 0.
    Levels(&'static str, [usize; LEVELS]),
    /// The same as the row of one level of the judge; this one of its cells is where both agree.
    Confusion(usize, [usize; LEVELS]),
}

/// Levels of the rubric.
pub const LEVELS: usize = FULL as usize + 1;

/// Cells of the name of a value.
pub const NAME: usize = 9;

/// As many as `agree` draws.
pub const RESAMPLES: usize = 9_999;

impl Known {
    /// What to work out now, if anything.
    pub(super) fn ask(&mut self, numbers: &mut Numbers, pairs: Pairs) -> Option<Effect> {
        let is_new = self.of.as_ref() != Some(&pairs) && pairs.len() > 1;
        if !is_new || !self.pending.is_free() {
            return None;
        }
        let question = Question::Agreement { pairs: pairs.clone() };
        Some(self.pending.ask(numbers, pairs, question))
    }

    pub(super) fn take(&mut self, request: Request, kappa: Option<Estimate>) {
        if let Some(pairs) = self.pending.answered(request) {
            self.of = Some(pairs);
            self.kappa = kappa;
        }
    }

    fn kappa_of(&self, pairs: &Pairs) -> Option<&Estimate> {
        self.kappa.as_ref().filter(|_| self.of.as_ref() == Some(pairs))
    }
}

/// Quadratically weighted kappa with its interval.
pub fn kappa(pairs: &Pairs) -> Estimate {
    let plan = Plan { resamples: RESAMPLES, ..Plan::default() };
    ratings(pairs).estimate(Coefficient::KappaQuadratic, &plan)
}

fn ratings(pairs: &Pairs) -> Ratings {
    Ratings::new(Scale::default(), pairs)
}

/// What is labelled before the verdict was seen, and what after.
pub fn audit_pairs(session: &Session) -> [Pairs; 2] {
    if session.study().is_some() {
        return session.study_pairs();
    }
    let (mut blind, mut open) = (vec![], vec![]);
    let Some(judgement) = session.audited() else { return [blind, open] };
    for id in session.queued() {
        let label = session.labels.given_to(judgement, id);
        let verdict = judgement.of(id).and_then(|verdict| verdict.score);
        let (Some(label), Some(verdict)) = (label, verdict) else { continue };
        let Some(score) = label.score() else { continue };
        let pairs = if label.blind() == Some(true) { &mut blind } else { &mut open };
        pairs.push((verdict.into(), score));
    }
    [blind, open]
}

/// Reasons and how often each was given, then how many labels differ without one.
fn reasons_given(session: &Session) -> (BTreeMap<String, usize>, usize) {
    let (mut reasons, mut missing) = (BTreeMap::new(), 0);
    let Some(judgement) = session.audited() else { return (reasons, missing) };
    for id in session.queued() {
        let Some(label) = session.labels.given_to(judgement, id) else { continue };
        match label.reason().filter(|_| is_explained(label)) {
            Some(reason) => *reasons.entry(reason.to_owned()).or_default() += 1,
            None => missing += 1,
        }
    }
    (reasons, missing)
}

/// As wide as the part is in these areas.
pub fn agreement_rows(audit: &Audit, session: &Session, areas: &Areas) -> Vec<Row> {
    let width = areas.width(Part::Agreement).max(20);
    if session.adjudicates() {
        return with_gold::rows(session, width);
    }
    let [blind, open] = audit_pairs(session);
    let mut rows = vec![];
    if blind.is_empty() && open.is_empty() {
        let words = "agreement appears after the first label";
        rows.extend(cut(words, width).into_iter().map(Row::Note));
        return rows;
    }
    rows.push(Row::Heading(match (blind.len(), open.len()) {
        (blind, 0) => format!("{}, blind", labels(blind)),
        (blind, 1) => format!("{}, blind; 1 more is not", labels(blind)),
        (blind, open) => format!("{}, blind; {open} more are not", labels(blind)),
    }));
    say_shares(audit, &blind, width, &mut rows);
    if !blind.is_empty() {
        let table = ratings(&blind).table();
        rows.push(Row::Blank);
        say_levels(&table, &mut rows);
        rows.push(Row::Blank);
        say_confusion(&table, &mut rows);
    }
    rows.push(Row::Blank);
    say_reasons(session, &mut rows);
    if !open.is_empty() {
        rows.push(Row::Blank);
        rows.push(Row::Heading(format!("{}, not blind", labels(open.len()))));
        say_plain_shares(&open, &mut rows);
    }
    rows
}

fn say_shares(audit: &Audit, blind: &Pairs, width: usize, rows: &mut Vec<Row>) {
    if blind.is_empty() {
        return;
    }
    say_plain_shares(blind, rows);
    let (said, interval) = match audit.agreement.kappa_of(blind) {
        _ if blind.len() < 2 => ("not defined: fewer than two pairs".into(), None),
        None => ("…".into(), None),
        Some(estimate) => said(estimate),
    };
    let room = width.saturating_sub(NAME + 2);
    let mut say = |name: &'static str, words: &str| {
        let names = std::iter::once(name).chain(std::iter::repeat(""));
        rows.extend(names.zip(cut(words, room)).map(|(name, words)| Row::Pair(name, words)));
    };
    say("kappa", &said);
    if let Some(interval) = interval {
        say("95 % BCa", &interval);
    }
}

fn say_reasons(session: &Session, rows: &mut Vec<Row>) {
    let (reasons, missing) = reasons_given(session);
    rows.push(Row::Heading("reasons".into()));
    for (reason, count) in reasons {
        rows.push(Row::Note(format!("{count:>3} {reason}")));
    }
    if missing > 0 {
        rows.push(Row::Note(format!("{missing:>3} without one; b gives one")));
    }
}

fn labels(count: usize) -> String {
    if count == 1 { "1 label".into() } else { format!("{count} labels") }
}

fn say_plain_shares(pairs: &Pairs, rows: &mut Vec<Row>) {
    let count = |most: f64| pairs.iter().filter(|(a, b)| (a - b).abs() <= most).count();
    let share = |most: f64| {
        let count = count(most);
        let share = figures::share(count as f64 / pairs.len() as f64);
        format!("{share}  {count} of {}", pairs.len())
    };
    rows.push(Row::Pair("exact", share(0.0)));
    rows.push(Row::Pair("within 1", share(1.0)));
}

/// The value and the interval, or why there is none.
fn said(estimate: &Estimate) -> (String, Option<String>) {
    let value = match estimate.value {
        Ok(value) => format!("{}  quadratic weights", figures::share(value)),
        Err(why) => return (format!("not defined: {why}"), None),
    };
    let interval = match &estimate.interval {
        Ok(interval) => figures::interval(interval.low, interval.high),
        Err(why) => format!("not defined: {why}"),
    };
    (value, Some(interval))
}

/// The base rates: what each of the two gives how often.
fn say_levels(table: &Table, rows: &mut Vec<Row>) {
    let cells = table.rows();
    let mut judge = [0; LEVELS];
    let mut label = [0; LEVELS];
    for (a, row) in cells.iter().enumerate().take(LEVELS) {
        for (b, count) in row.iter().enumerate().take(LEVELS) {
            judge[a] += *count as usize;
            label[b] += *count as usize;
        }
    }
    rows.push(Row::Head("given"));
    rows.push(Row::Levels("by judge", judge));
    rows.push(Row::Levels("by you", label));
}

fn say_confusion(table: &Table, rows: &mut Vec<Row>) {
    rows.push(Row::Head("judge\\you"));
    for (level, row) in table.rows().into_iter().enumerate().take(LEVELS) {
        let mut counts = [0; LEVELS];
        for (count, given) in counts.iter_mut().zip(row) {
            *count = given as usize;
        }
        rows.push(Row::Confusion(level, counts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_the_whole_study() {
        let pairs = [(0, 0), (1, 2), (4, 4), (3, 4), (2, 2), (4, 3), (0, 1), (4, 4)];
        let pairs = pairs.map(|(a, b)| (f64::from(a), f64::from(b))).to_vec();
        let whole = ratings(&pairs).agreement(&Plan::default());

        assert_eq!(kappa(&pairs), whole.estimate(Coefficient::KappaQuadratic));
    }

    #[test]
    fn what_is_not_defined_says_why() {
        let (value, interval) = said(&kappa(&vec![(4.0, 4.0), (4.0, 4.0)]));
        assert_eq!((value.as_str(), interval), ("not defined: one level only", None));
    }
}
