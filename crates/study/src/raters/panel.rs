//! The raters of a run: its judgements and its labels.

use trajview_run::{
    Warning,
    flags::Flagging,
    rubric::{
        GoldLabel, ItemKey, Judge, Judgement, Label, LabelFile, LabelUnit, Rubric, ScoreScale,
    },
};

use crate::{
    audit_items::{AuditItem, JudgingSource, flag_place, place_id},
    design::GOLD,
};

use super::{Blindness, LabelSource, Rater, RaterKind, RaterPanel, RaterScore, ScoredItem};

/// The scores of a run from which raters are made.
#[derive(Debug, Clone, Copy)]
pub struct RunScores<'a> {
    /// Distinct among the runs that are compared.
    pub run: &'a str,
    pub files: ScoreFiles<'a>,
    pub rubric: &'a Rubric,
    /// The items of leaves and signals with their judgings, which no file of [`Self::rubric`] contains.
    pub audit_items: &'a [(JudgingSource, Vec<AuditItem>)],
}

/// The file or folder of a run's scores.
#[derive(Debug, Clone, Copy)]
pub enum ScoreFiles<'a> {
    /// The files of this folder.
    In(&'a str),
    /// This file alone.
    Alone(&'a str),
}

/// Returns every judgement and every labels file as a rater; judgements of different commits by one judge are one
/// rater.
pub fn panel_of_run(scores: RunScores<'_>) -> RaterPanel {
    let mut panel = RaterPanel::default();
    for warning in &scores.rubric.warnings {
        panel
            .problems
            .push(Warning { place: scores.file_place(&warning.place), what: warning.what.clone() });
    }
    let units = [LabelUnit::Component, LabelUnit::Decision, LabelUnit::Process];
    for unit in units {
        let mut known = vec![];
        for judgement in scores.rubric.judgements_of_unit(unit) {
            let given = scores.judgement_scores(judgement, unit);
            let source = (&judgement.judge, judgement.file.as_str(), judgement.commit.as_deref());
            panel.add(judge_panel(source, &mut known, given));
        }
    }
    let mut known = vec![];
    for flagging in &scores.rubric.flaggings {
        let source = (&flagging.judge, flagging.file.as_str(), flagging.commit.as_deref());
        panel.add(judge_panel(source, &mut known, scores.flagging_scores(flagging)));
    }
    for (source, items) in scores.audit_items {
        let name = if source.by.is_empty() { source.file.clone() } else { source.by.clone() };
        let given = items.iter().filter_map(|item| scores.item_score(item)).collect();
        let rater =
            Rater { name, model: None, kind: RaterKind::Judge, labels: None, scores: given };
        panel.add(RaterPanel { raters: vec![rater], problems: vec![] });
    }
    for labels in &scores.rubric.labels {
        panel.add(scores.label_panel(labels));
    }
    let settled = scores.gold_scores(&scores.rubric.gold);
    if !settled.is_empty() {
        let (name, kind) = (GOLD.to_owned(), RaterKind::Gold);
        let rater = Rater { name, model: None, kind, labels: None, scores: settled };
        panel.add(RaterPanel { raters: vec![rater], problems: vec![] });
    }
    panel
}

/// The judge, the file and the commit of a judging.
type JudgingKey<'a> = (&'a Judge, &'a str, Option<&'a str>);

/// Returns a judging as a rater, and adds it to `known`, the judgings before it of the same kind of thing. One who
/// judged the same commit again by the same scales is another.
fn judge_panel<'a>(
    key: JudgingKey<'a>,
    known: &mut Vec<JudgingKey<'a>>,
    scores: Vec<RaterScore>,
) -> RaterPanel {
    let is_again = |(judge, file, commit): &JudgingKey<'a>| {
        judge_name(judge, file) == judge_name(key.0, key.1)
            && (judge.kind == "human") == (key.0.kind == "human")
            && (&judge.model, &judge.scored_by) == (&key.0.model, &key.0.scored_by)
            && *commit == key.2
    };
    let before = known.iter().filter(|it| is_again(it)).count();
    known.push(key);
    let name = judge_name(key.0, key.1);
    let name = if before == 0 { name.to_owned() } else { format!("{name} #{}", before + 1) };
    let kind = if key.0.kind == "human" { RaterKind::Human } else { RaterKind::Judge };
    let rater = Rater { name, model: key.0.model.clone(), kind, labels: None, scores };
    RaterPanel { raters: vec![rater], problems: vec![] }
}

/// Returns the judge's name, or that of the file.
fn judge_name<'a>(judge: &'a Judge, file: &'a str) -> &'a str {
    match judge.name.as_str() {
        "" => file.trim_start_matches("judgements/").trim_end_matches(".json"),
        name => name,
    }
}

impl RunScores<'_> {
    fn file_place(&self, file: &str) -> String {
        match self.files {
            ScoreFiles::In("") => file.to_owned(),
            ScoreFiles::In(folder) => format!("{folder}/{file}"),
            ScoreFiles::Alone(path) => path.to_owned(),
        }
    }

    fn score_for(
        &self,
        file: &str,
        key: ItemKey<'_>,
        commit: Option<&String>,
        (score, scale): (f64, ScoreScale),
    ) -> RaterScore {
        let item = ScoredItem {
            run: self.run.into(),
            unit: key.unit,
            component: key.id.into(),
            criterion: key.criterion.map(str::to_owned),
            commit: commit.cloned(),
        };
        let place = self.file_place(file);
        RaterScore { item, score, scale: Some(scale), rubric: None, place, confidence: None }
    }

    /// Returns the scores of a judgement. Verdicts without a score are among the rubric's warnings already.
    fn judgement_scores(&self, judgement: &Judgement, unit: LabelUnit) -> Vec<RaterScore> {
        let all = judgement.verdicts.iter();
        let scored = all.flat_map(|it| it.given_scores().into_iter().map(move |given| (it, given)));
        let commit = judgement.commit.as_ref();
        scored
            .map(|(verdict, given)| {
                let key = ItemKey { unit, id: &verdict.component, criterion: given.criterion };
                let on = (given.score, given.scale.unwrap_or(unit.default_scale()));
                let rubric = judgement.rubric.clone();
                let confidence = verdict.confidence;
                let score = self.score_for(&judgement.file, key, commit, on);
                RaterScore { rubric, confidence, ..score }
            })
            .collect()
    }

    /// Returns a score for each flagged place and criterion, once each: a flag is a score of 1.
    fn flagging_scores(&self, flagging: &Flagging) -> Vec<RaterScore> {
        let mut scores: Vec<RaterScore> = vec![];
        for flag in &flagging.flags {
            let id = place_id(&flag_place(flag));
            let key = ItemKey { unit: LabelUnit::Flag, id: &id, criterion: Some(&flag.criterion) };
            let on = (1.0, LabelUnit::Flag.default_scale());
            let score = self.score_for(&flagging.file, key, flagging.commit.as_ref(), on);
            if !scores.iter().any(|it| it.item == score.item) {
                scores.push(score);
            }
        }
        scores
    }

    fn item_score(&self, item: &AuditItem) -> Option<RaterScore> {
        let on = (item.verdict.score?, item.verdict.scale.unwrap_or(item.unit.default_scale()));
        Some(self.score_for(&item.judgement, item.item_key(), item.commit.as_ref(), on))
    }

    /// Returns the outcomes of adjudication: the last of each thing in a state, where it has a score.
    fn gold_scores(&self, gold: &[GoldLabel]) -> Vec<RaterScore> {
        let is_last = |at: usize, it: &GoldLabel| {
            !gold[at + 1..].iter().any(|later| later.is_on(it.item_key(), it.commit.as_deref()))
        };
        let counting = gold.iter().enumerate().filter(|(at, it)| is_last(*at, it));
        let scored = counting.filter_map(|(_, it)| Some((it, (it.score?, it.label_scale()))));
        scored
            .map(|(it, on)| self.score_for("gold.json", it.item_key(), it.commit.as_ref(), on))
            .collect()
    }

    /// Returns the blind labels, those that are not blind and those without a record of it, as a rater each. A file
    /// of labels only grows: of two labels for one thing the later counts. It is a problem where the two differ,
    /// except where each is for a judgement of its own.
    fn label_panel(&self, labels: &LabelFile) -> RaterPanel {
        let mut panel = RaterPanel::default();
        for sight in Blindness::ALL {
            let ours = labels.labels.iter().filter(|it| Blindness::from_flag(it.blind) == sight);
            let given: Vec<&Label> = ours.filter(|label| label.score.is_some()).collect();
            let (scores, problems) = self.label_scores(&labels.file, &given);
            let name = labels.annotator.clone();
            let labels = LabelSource { annotator: name.clone(), blindness: sight };
            panel.problems.extend(problems);
            if !scores.is_empty() {
                let kind = RaterKind::Human;
                panel.raters.push(Rater { name, model: None, kind, labels: Some(labels), scores });
            }
        }
        panel
    }

    fn label_scores(&self, file: &str, labels: &[&Label]) -> (Vec<RaterScore>, Vec<Warning>) {
        let (mut scores, mut problems) = (vec![], vec![]);
        let is_same = |a: &Label, b: &Label| a.item_key() == b.item_key() && a.commit == b.commit;
        for (at, label) in labels.iter().enumerate() {
            let Some(score) = label.score else { continue };
            let mut again =
                labels[at + 1..].iter().filter(|later| is_same(later, label)).peekable();
            if again.peek().is_some() {
                if again.any(|later| later.score != label.score) {
                    let what =
                        format!("{}: labelled again; the later label counts", label.component);
                    problems.push(Warning { place: self.file_place(file), what });
                }
            } else {
                let on = (score, label.label_scale());
                scores.push(self.score_for(file, label.item_key(), label.commit.as_ref(), on));
            }
        }
        (scores, problems)
    }
}
