//! The raters of a run: its judgements and its labels.

use crate::run::{
    Warning,
    rubric::{Gold, Judgement, Label, Labels, Rubric},
};

use crate::study::design::GOLD;

use super::{Item, Kind, LabelsOf, Panel, Rater, Score, Sight};

/// What is known of a run whose raters are wanted.
#[derive(Debug, Clone, Copy)]
pub struct RunScores<'a> {
    /// Distinct among the runs that are compared.
    pub run: &'a str,
    pub files: Files<'a>,
    pub rubric: &'a Rubric,
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
    let mut judged = vec![];
    for judgement in &scores.rubric.judgements {
        let name = judge_name(judgement);
        let kind = if judgement.judge.kind == "human" { Kind::Human } else { Kind::Judge };
        let key = (name, kind, &judgement.judge.model, &judgement.commit);
        let before = judged.iter().filter(|other| **other == key).count();
        judged.push(key);
        let name = if before == 0 { name.to_owned() } else { format!("{name} #{}", before + 1) };
        let model = judgement.judge.model.clone();
        let rater =
            Rater { name, model, kind, labels: None, scores: scores.of_judgement(judgement) };
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

/// The judge's name, or that of the file.
fn judge_name(judgement: &Judgement) -> &str {
    match judgement.judge.name.as_str() {
        "" => judgement.file.trim_start_matches("judgements/").trim_end_matches(".json"),
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

    fn score(&self, file: &str, component: &str, commit: Option<&String>, score: f64) -> Score {
        let item =
            Item { run: self.run.into(), component: component.into(), commit: commit.cloned() };
        Score { item, score, rubric: None, place: self.place(file) }
    }

    /// Verdicts without a score are among the rubric's warnings already.
    fn of_judgement(&self, judgement: &Judgement) -> Vec<Score> {
        let scored =
            judgement.verdicts.iter().filter_map(|verdict| Some((verdict, verdict.score?)));
        let commit = judgement.commit.as_ref();
        scored
            .map(|(verdict, score)| Score {
                rubric: judgement.rubric.clone(),
                ..self.score(&judgement.file, &verdict.component, commit, score.into())
            })
            .collect()
    }

    /// What adjudication settled of components: the last of each in a state, where it has a score.
    fn of_gold(&self, gold: &[Gold]) -> Vec<Score> {
        let is_last = |at: usize, it: &Gold| {
            !gold[at + 1..].iter().any(|later| later.is_on(it.item(), it.commit.as_deref()))
        };
        let counting = gold.iter().enumerate().filter(|(at, it)| is_last(*at, it));
        let of_components = counting.filter(|(_, it)| it.item() == (&it.component).into());
        let scored = of_components.filter_map(|(_, it)| Some((it, it.score?)));
        scored
            .map(|(it, score)| self.score("gold.json", &it.component, it.commit.as_ref(), score))
            .collect()
    }

    /// The blind labels, those that are not and those that do not say, a rater each. A file of labels is added to: where
    /// a thing is labelled again, the later label counts. That is told where the two differ; one label beside each of
    /// several judgements is as it should be.
    fn of_labels(&self, labels: &Labels) -> Panel {
        let mut panel = Panel::default();
        for sight in Sight::ALL {
            let of_components =
                labels.labels.iter().filter(|it| it.item() == (&it.component).into());
            let ours = of_components.filter(|it| Sight::of(it.blind) == sight);
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
        let is_same = |a: &Label, b: &Label| a.component == b.component && a.commit == b.commit;
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
                scores.push(self.score(file, &label.component, label.commit.as_ref(), score));
            }
        }
        (scores, problems)
    }
}
