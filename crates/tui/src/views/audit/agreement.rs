//! How far the rater and the judge agree, over what is labelled; nothing is told of what is not.
//!
//! Shares and counts are worked out at once. Kappa and its interval take thousands of resamples and come from a worker;
//! those of an older set of labels are not shown for a newer one.

use std::collections::BTreeMap;

use crate::{
    session::{
        Session,
        ask::Pending,
        effect::Effect,
        question::Question,
        request::{Numbers, Request},
        saved::Pairs,
    },
    views::{audit::Audit, verdict::cut},
    widgets::scroll::Scroll,
};
use trajview_run::{
    figures,
    rubric::{CANNOT_TELL, Scale, Unit},
};
use trajview_study::{Coefficient, Estimate, Plan, Ratings, agreement::Table, items::AuditItem};

use super::{Part, areas::Areas, reason::is_explained};

mod with_gold;

/// Weighted kappa as it was last worked out.
#[derive(Debug, Default)]
pub struct Known {
    /// How far its rows are scrolled.
    pub scroll: Scroll,
    of: Option<Pairs>,
    kappa: Option<Estimate>,
    pending: Pending<Pairs>,
    /// Whether the rater wants to see it while items wait for a label.
    is_revealed: bool,
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
    Head(&'static str, Vec<u8>),
    /// How often each level was given, from the lowest.
    Levels(&'static str, Vec<usize>),
    /// The same as the row of one level of the judge; the cell at this place is where both agree.
    Confusion {
        level: u8,
        place: usize,
        counts: Vec<usize>,
    },
}

/// Cells of the name of a value.
pub const NAME: usize = 9;

/// As many as `agree` draws.
pub const RESAMPLES: usize = 9_999;

impl Known {
    /// What to work out now, if anything.
    pub(super) fn ask(&mut self, numbers: &mut Numbers, pairs: Pairs) -> Option<Effect> {
        let is_new = self.of.as_ref() != Some(&pairs) && pairs.scores.len() > 1;
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

    /// Shows it while items wait for a label, or hides it again.
    pub(super) const fn switch(&mut self) {
        self.is_revealed = !self.is_revealed;
    }

    /// Hides it again while items wait for a label.
    pub(super) const fn hide(&mut self) {
        self.is_revealed = false;
    }

    fn kappa_of(&self, pairs: &Pairs) -> Option<&Estimate> {
        self.kappa.as_ref().filter(|_| self.of.as_ref() == Some(pairs))
    }
}

/// Quadratically weighted kappa with its interval; not defined where any number may be given.
pub fn kappa(pairs: &Pairs) -> Estimate {
    let plan = Plan { resamples: RESAMPLES, ..Plan::default() };
    ratings(pairs).estimate(Coefficient::KappaQuadratic, &plan)
}

fn ratings(pairs: &Pairs) -> Ratings {
    let (low, high) = pairs.scale.ends();
    let scale = trajview_study::Scale::whole(low.into(), high.into()).unwrap_or_default();
    Ratings::new(scale, &pairs.scores)
}

/// The criterion of the item at hand, where there are several that agreement is counted by.
fn criterion_at_hand(audit: &Audit, session: &Session) -> Option<String> {
    let item = audit.audited_item(session).filter(|item| !item.unit.is_raised());
    item.and_then(|item| item.criterion.clone())
}

/// What is labelled before the verdict was seen, and what after; of the criterion of the item at hand where there are
/// several.
pub fn audit_pairs(audit: &Audit, session: &Session) -> [Pairs; 2] {
    let wanted = criterion_at_hand(audit, session);
    if session.study().is_some() {
        return session.study_pairs(wanted.as_deref());
    }
    let is_wanted = |item: &&AuditItem| wanted.is_none() || item.criterion == wanted;
    let items = || session.queued().iter().filter(is_wanted);
    let scale = items().next().and_then(|item| session.criterion_of(item));
    let scale = scale.map_or(session.audited.unit().scale(), |it| it.scale);
    let (mut blind, mut open) = (vec![], vec![]);
    for item in items() {
        let label = session.labels.given_to(item.state(), item.key());
        let (Some(label), Some(verdict)) = (label, item.said.score) else { continue };
        let Some(score) = label.score() else { continue };
        if label.given.scale_of() != scale {
            continue; // on another scale nothing compares
        }
        let pairs = if label.blind() == Some(true) { &mut blind } else { &mut open };
        pairs.push((verdict, score));
    }
    [Pairs { scale, scores: blind }, Pairs { scale, scores: open }]
}

/// Reasons and how often each was given, then how many labels differ without one, then how many say that nobody can tell.
fn reasons_given(session: &Session) -> (BTreeMap<String, usize>, usize, usize) {
    let (mut reasons, mut missing, mut open) = (BTreeMap::new(), 0, 0);
    for item in session.queued() {
        let Some(label) = session.labels.given_to(item.state(), item.key()) else { continue };
        match label.reason().filter(|_| is_explained(label)) {
            _ if label.score().is_none() => open += 1,
            Some(reason) => *reasons.entry(reason.to_owned()).or_default() += 1,
            None => missing += 1,
        }
    }
    (reasons, missing, open)
}

/// How many items wait for a label while the agreement is hidden: it shows how the judge scores, and who knows that does
/// not label blind. None where it is shown.
pub fn hidden_by(audit: &Audit, session: &Session) -> Option<usize> {
    let all = session.study().map_or(session.queued().len(), |study| study.len());
    let waiting = all.saturating_sub(audit.labelled_count(session));
    let is_hidden = waiting > 0 && !audit.agreement.is_revealed && !session.adjudicates();
    is_hidden.then_some(waiting)
}

/// As wide as the part is in these areas.
pub fn agreement_rows(audit: &Audit, session: &Session, areas: &Areas) -> Vec<Row> {
    let width = areas.width(Part::Agreement).max(20);
    if session.adjudicates() {
        return with_gold_rows(session, width);
    }
    let [blind, open] = audit_pairs(audit, session);
    let (blinds, opens) = (blind.scores.len(), open.scores.len());
    let mut rows = vec![];
    if audit.labelled_count(session) == 0 {
        let words = "agreement appears after the first label";
        rows.extend(cut(words, width).into_iter().map(Row::Note));
        return rows;
    }
    if let Some(waiting) = hidden_by(audit, session) {
        let words = format!(
            "hidden while {waiting} wait for a label: it shows how the judge scores. V shows it"
        );
        rows.extend(cut(&words, width).into_iter().map(Row::Note));
        return rows;
    }
    if session.audited.unit().is_raised() {
        rows.push(Row::Heading(format!("{}, of what was raised", labels(opens))));
        say_accepted(&open, &mut rows);
        say_missed(session, &mut rows);
    } else {
        rows.push(Row::Heading(match (blinds, opens) {
            (blind, 0) => format!("{}, blind", labels(blind)),
            (blind, 1) => format!("{}, blind; 1 more is not", labels(blind)),
            (blind, open) => format!("{}, blind; {open} more are not", labels(blind)),
        }));
        if let Some(criterion) = criterion_at_hand(audit, session) {
            rows.extend(cut(&format!("by {criterion}"), width).into_iter().map(Row::Note));
        }
        say_shares(audit, &blind, width, &mut rows);
        say_tables(&blind, &mut rows);
    }
    rows.push(Row::Blank);
    say_reasons(session, &mut rows);
    if opens > 0 && !session.audited.unit().is_raised() {
        rows.push(Row::Blank);
        rows.push(Row::Heading(format!("{}, not blind", labels(opens))));
        say_plain_shares(&open, &mut rows);
    }
    rows
}

fn say_tables(pairs: &Pairs, rows: &mut Vec<Row>) {
    if pairs.scores.is_empty() || pairs.scale == Scale::Share {
        return;
    }
    let (table, levels) = (ratings(pairs).table(), pairs.scale.levels().collect::<Vec<_>>());
    rows.push(Row::Blank);
    say_levels(&table, &levels, rows);
    rows.push(Row::Blank);
    say_confusion(&table, &levels, rows);
}

/// How much of what was raised is right: whoever raised it says so of everything, so there is nothing to agree on by chance.
fn say_accepted(pairs: &Pairs, rows: &mut Vec<Row>) {
    let (all, high) = (pairs.scores.len(), f64::from(pairs.scale.ends().1));
    if all > 0 {
        let count = pairs.scores.iter().filter(|(_, label)| *label == high).count();
        let share = figures::share(count as f64 / all as f64);
        rows.push(Row::Pair("right", format!("{share}  {count} of {all}")));
    }
}

/// Places that the rater marked and that the judging does not flag.
fn say_missed(session: &Session, rows: &mut Vec<Row>) {
    if session.audited.unit() == Unit::Flag {
        rows.push(Row::Pair("missed", session.missed_flags().len().to_string()));
    }
}

/// How far everybody agrees with what was settled.
fn with_gold_rows(session: &Session, width: usize) -> Vec<Row> {
    let everybody = with_gold::everybody(session);
    if everybody.is_empty() {
        let words = "agreement with gold appears after the first outcome";
        return cut(words, width).into_iter().map(Row::Note).collect();
    }
    let heads = ["n", "exact", "±1", "kappa"].map(String::from);
    let mut rows = vec![Row::Heading("with gold".into()), Row::With(String::new(), heads)];
    rows.extend(everybody.into_iter().map(|(name, cells)| Row::With(name, cells)));
    rows.push(Row::Blank);
    let words = "kappa has quadratic weights; `trajview audit STUDY` has intervals";
    rows.extend(cut(words, width).into_iter().map(Row::Note));
    let alike = with_gold::alike_without_outcome(session);
    if alike > 0 {
        rows.push(Row::Blank);
        let words = format!(
            "gold is of disagreements: {alike} that raters scored alike have no outcome \
             (`trajview audit STUDY --adjudicate --settle-agreed`)"
        );
        rows.extend(cut(&words, width).into_iter().map(Row::Note));
    }
    rows
}

fn say_shares(audit: &Audit, pairs: &Pairs, width: usize, rows: &mut Vec<Row>) {
    if pairs.scores.is_empty() {
        return;
    }
    say_plain_shares(pairs, rows);
    let kappa = audit.agreement.kappa_of(pairs);
    let is_interval = kappa.is_some_and(|it| it.interval.is_ok());
    let (said, interval) = match kappa {
        _ if pairs.scale == Scale::Share => {
            ("not defined: any number is on the scale".into(), None)
        }
        _ if pairs.scores.len() < 2 => ("not defined: fewer than two pairs".into(), None),
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
        if let Some(doubt) = ratings(pairs).table().doubt().filter(|_| is_interval) {
            say("", &doubt.to_string());
        }
    }
}

fn say_reasons(session: &Session, rows: &mut Vec<Row>) {
    let (reasons, missing, open) = reasons_given(session);
    rows.push(Row::Heading("reasons".into()));
    for (reason, count) in reasons {
        rows.push(Row::Note(format!("{count:>3} {reason}")));
    }
    if missing > 0 {
        rows.push(Row::Note(format!("{missing:>3} without one; b gives one")));
    }
    if open > 0 {
        rows.push(Row::Note(format!("{open:>3} {CANNOT_TELL}")));
    }
}

fn labels(count: usize) -> String {
    if count == 1 { "1 label".into() } else { format!("{count} labels") }
}

fn say_plain_shares(pairs: &Pairs, rows: &mut Vec<Row>) {
    let all = pairs.scores.len();
    let count = |most: f64| pairs.scores.iter().filter(|(a, b)| (a - b).abs() <= most).count();
    let share = |most: f64| {
        let count = count(most);
        let share = figures::share(count as f64 / all as f64);
        format!("{share}  {count} of {all}")
    };
    rows.push(Row::Pair("exact", share(0.0)));
    match pairs.scale {
        Scale::Share => rows.push(Row::Pair("by 0.1", share(0.1 + f64::EPSILON))),
        Scale::Levels { low, high } if high - low > 1 => {
            rows.push(Row::Pair("within 1", share(1.0)));
        }
        Scale::Levels { .. } => {} // of two levels all are
    }
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
fn say_levels(table: &Table, levels: &[u8], rows: &mut Vec<Row>) {
    let cells = table.rows();
    let mut judge = vec![0; levels.len()];
    let mut label = vec![0; levels.len()];
    for (a, row) in cells.iter().enumerate().take(levels.len()) {
        for (b, count) in row.iter().enumerate().take(levels.len()) {
            judge[a] += *count as usize;
            label[b] += *count as usize;
        }
    }
    rows.push(Row::Head("given", levels.to_vec()));
    rows.push(Row::Levels("by judge", judge));
    rows.push(Row::Levels("by you", label));
}

fn say_confusion(table: &Table, levels: &[u8], rows: &mut Vec<Row>) {
    rows.push(Row::Head("judge\\you", levels.to_vec()));
    for (place, (level, row)) in levels.iter().zip(table.rows()).enumerate() {
        let counts = row.into_iter().take(levels.len()).map(|count| count as usize).collect();
        rows.push(Row::Confusion { level: *level, place, counts });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_the_whole_study() {
        let pairs = [(0, 0), (1, 2), (4, 4), (3, 4), (2, 2), (4, 3), (0, 1), (4, 4)];
        let scores = pairs.map(|(a, b)| (f64::from(a), f64::from(b))).to_vec();
        let pairs = Pairs { scale: Unit::Component.scale(), scores };
        let whole = ratings(&pairs).agreement(&Plan::default());

        assert_eq!(kappa(&pairs), whole.estimate(Coefficient::KappaQuadratic));
    }

    #[test]
    fn what_is_not_defined_says_why() {
        let scores = vec![(4.0, 4.0), (4.0, 4.0)];
        let pairs = Pairs { scale: Unit::Component.scale(), scores };
        let (value, interval) = said(&kappa(&pairs));
        assert_eq!((value.as_str(), interval), ("not defined: one level only", None));
    }
}
