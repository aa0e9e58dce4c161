//! The raters of a run: its judgements and its labels.

use trajview_run::{
    Warning,
    flags::Flagging,
    rubric::{Gold, ItemKey, Judge, Judgement, Label, Labels, Rubric, Scale, Unit},
};

use crate::{
    design::GOLD,
    items::{AuditItem, Source, place_id, place_of},
};

use super::{Item, Kind, LabelsOf, Panel, Rater, Score, Sight};

/// What is known of a run whose raters are wanted.
#[derive(Debug, Clone, Copy)]
pub struct RunScores<'a> {
    /// Distinct among the runs that are compared.
    pub run: &'a str,
    pub files: Files<'a>,
    pub rubric: &'a Rubric,
    /// What was said of leaves and signals, which no file of [`Self::rubric`] holds.
    pub said: &'a [(Source, Vec<AuditItem>)],
}

/// Where what is known of a run is written.
#[derive(Debug, Clone, Copy)]
pub enum Files<'a> {
    /// In the files of this folder.
    In(&'a str),
    /// In this file alone.
    Alone(&'a str),
}

/// Every judgement and every labels file as a rater; those of one judge that judged different commits are one.
pub fn panel_of(scores: RunScores<'_>) -> Panel {
    let mut panel = Panel::default();
    for warning in &scores.rubric.warnings {
        panel
            .problems
            .push(Warning { place: scores.place(&warning.place), what: warning.what.clone() });
    }
    let units = [Unit::Component, Unit::Decision, Unit::Process];
    for unit in units {
        let mut known = vec![];
        for judgement in judgements(scores.rubric, unit) {
            let given = scores.of_judgement(judgement, unit);
            let of = (&judgement.judge, judgement.file.as_str(), judgement.commit.as_deref());
            panel.add(judged(of, &mut known, given));
        }
    }
    let mut known = vec![];
    for flagging in &scores.rubric.flaggings {
        let of = (&flagging.judge, flagging.file.as_str(), flagging.commit.as_deref());
        panel.add(judged(of, &mut known, scores.of_flagging(flagging)));
    }
    for (source, items) in scores.said {
        let name = if source.by.is_empty() { source.file.clone() } else { source.by.clone() };
        let given = items.iter().filter_map(|item| scores.of_item(item)).collect();
        let rater = Rater { name, model: None, kind: Kind::Judge, labels: None, scores: given };
        panel.add(Panel { raters: vec![rater], problems: vec![] });
    }
    for labels in &scores.rubric.labels {
        panel.add(scores.of_labels(labels));
    }
    let settled = scores.of_gold(&scores.rubric.gold);
    if !settled.is_empty() {
        let (name, kind) = (GOLD.to_owned(), Kind::Gold);
        let rater = Rater { name, model: None, kind, labels: None, scores: settled };
        panel.add(Panel { raters: vec![rater], problems: vec![] });
    }
    panel
}

fn judgements(rubric: &Rubric, unit: Unit) -> &[Judgement] {
    match unit {
        Unit::Component => &rubric.judgements,
        Unit::Decision => &rubric.decisions,
        Unit::Process => &rubric.process,
        Unit::Leaf | Unit::Flag | Unit::Signal => &[],
    }
}

/// Who judged, by which file, at which commit.
type Of<'a> = (&'a Judge, &'a str, Option<&'a str>);

/// A judging as a rater; `known` are the judgings before it of the same kind of thing. One who judged the same commit again by the
/// same scales is another.
fn judged<'a>(of: Of<'a>, known: &mut Vec<Of<'a>>, scores: Vec<Score>) -> Panel {
    let is_again = |(judge, file, commit): &Of<'a>| {
        judge_name(judge, file) == judge_name(of.0, of.1)
            && (judge.kind == "human") == (of.0.kind == "human")
            && (&judge.model, &judge.scored_by) == (&of.0.model, &of.0.scored_by)
            && *commit == of.2
    };
    let before = known.iter().filter(|it| is_again(it)).count();
    known.push(of);
    let name = judge_name(of.0, of.1);
    let name = if before == 0 { name.to_owned() } else { format!("{name} #{}", before + 1) };
    let kind = if of.0.kind == "human" { Kind::Human } else { Kind::Judge };
    let rater = Rater { name, model: of.0.model.clone(), kind, labels: None, scores };
    Panel { raters: vec![rater], problems: vec![] }
}

/// The judge's name, or that of the file.
fn judge_name<'a>(judge: &'a Judge, file: &'a str) -> &'a str {
    match judge.name.as_str() {
        "" => file.trim_start_matches("judgements/").trim_end_matches(".json"),
        name => name,
    }
}

impl RunScores<'_> {
    fn place(&self, file: &str) -> String {
        match self.files {
            Files::In("") => file.to_owned(),
            Files::In(folder) => format!("{folder}/{file}"),
            Files::Alone(path) => path.to_owned(),
        }
    }

    fn score(
        &self,
        file: &str,
        key: ItemKey<'_>,
        commit: Option<&String>,
        (score, scale): (f64, Scale),
    ) -> Score {
        let item = Item {
            run: self.run.into(),
            unit: key.unit,
            component: key.id.into(),
            criterion: key.criterion.map(str::to_owned),
            commit: commit.cloned(),
        };
        Score { item, score, scale: Some(scale), rubric: None, place: self.place(file) }
    }

    /// Verdicts without a score are among the rubric's warnings already.
    fn of_judgement(&self, judgement: &Judgement, unit: Unit) -> Vec<Score> {
        let all = judgement.verdicts.iter();
        let scored = all.flat_map(|it| it.scores().into_iter().map(move |given| (it, given)));
        let commit = judgement.commit.as_ref();
        scored
            .map(|(verdict, given)| {
                let key = ItemKey { unit, id: &verdict.component, criterion: given.criterion };
                let on = (given.score, given.scale.unwrap_or(unit.scale()));
                let rubric = judgement.rubric.clone();
                Score { rubric, ..self.score(&judgement.file, key, commit, on) }
            })
            .collect()
    }

    /// What was flagged, each place once by each criterion: whoever flags it says that it is right.
    fn of_flagging(&self, flagging: &Flagging) -> Vec<Score> {
        let mut scores: Vec<Score> = vec![];
        for flag in &flagging.flags {
            let id = place_id(&place_of(flag));
            let key = ItemKey { unit: Unit::Flag, id: &id, criterion: Some(&flag.criterion) };
            let on = (1.0, Unit::Flag.scale());
            let score = self.score(&flagging.file, key, flagging.commit.as_ref(), on);
            if !scores.iter().any(|it| it.item == score.item) {
                scores.push(score);
            }
        }
        scores
    }

    fn of_item(&self, item: &AuditItem) -> Option<Score> {
        let on = (item.said.score?, item.said.scale.unwrap_or(item.unit.scale()));
        Some(self.score(&item.judgement, item.key(), item.commit.as_ref(), on))
    }

    /// What adjudication settled: the last of each thing in a state, where it has a score.
    fn of_gold(&self, gold: &[Gold]) -> Vec<Score> {
        let is_last = |at: usize, it: &Gold| {
            !gold[at + 1..].iter().any(|later| later.is_on(it.item(), it.commit.as_deref()))
        };
        let counting = gold.iter().enumerate().filter(|(at, it)| is_last(*at, it));
        let scored = counting.filter_map(|(_, it)| Some((it, (it.score?, it.scale_of()))));
        scored.map(|(it, on)| self.score("gold.json", it.item(), it.commit.as_ref(), on)).collect()
    }

    /// The blind labels, those that are not and those that do not say, a rater each. A file of labels is added to: where
    /// a thing is labelled again, the later label counts. That is told where the two differ; one label beside each of
    /// several judgements is as it should be.
    fn of_labels(&self, labels: &Labels) -> Panel {
        let mut panel = Panel::default();
        for sight in Sight::ALL {
            let ours = labels.labels.iter().filter(|it| Sight::of(it.blind) == sight);
            let given: Vec<&Label> = ours.filter(|label| label.score.is_some()).collect();
            let (scores, problems) = self.of_given(&labels.file, &given);
            let name = labels.annotator.clone();
            let of = LabelsOf { annotator: name.clone(), sight };
            panel.problems.extend(problems);
            if !scores.is_empty() {
                let kind = Kind::Human;
                panel.raters.push(Rater { name, model: None, kind, labels: Some(of), scores });
            }
        }
        panel
    }

    fn of_given(&self, file: &str, labels: &[&Label]) -> (Vec<Score>, Vec<Warning>) {
        let (mut scores, mut problems) = (vec![], vec![]);
        let is_same = |a: &Label, b: &Label| a.item() == b.item() && a.commit == b.commit;
        for (at, label) in labels.iter().enumerate() {
            let Some(score) = label.score else { continue };
            let mut again =
                labels[at + 1..].iter().filter(|later| is_same(later, label)).peekable();
            if again.peek().is_some() {
                if again.any(|later| later.score != label.score) {
                    let what =
                        format!("{}: labelled again; the later label counts", label.component);
                    problems.push(Warning { place: self.place(file), what });
                }
            } else {
                let on = (score, label.scale_of());
                scores.push(self.score(file, label.item(), label.commit.as_ref(), on));
            }
        }
        (scores, problems)
    }
}
