//! The items of a run that can be audited, of any unit: the description, the place, and the verdict.
//!
//! [`audit_items`] returns all items of a unit that one judging gave: verdicts of a judgement on components,
//! decisions or parts of process; the graded leaves of a tree of requirements; flags of a judging; signals of the
//! run. [`AuditItem::item_key`] and [`AuditItem::judged_state`] identify the label of an item.

use std::collections::BTreeMap;

use trajview_metrics::{
    decisions::DecisionLane,
    process::{JudgedPart, ProcessReport},
};
use trajview_run::{
    Run, StepId,
    flags::{Flag, Flagging, criterion_text},
    rubric::{
        Codebook, Component, Evidence, ItemKey, JudgeToolCall, JudgedState, Judgement, Label,
        LabelUnit, Rubric, ScoreScale, Verdict, VerdictDoubt, VerdictScore,
    },
    rubric_tree::{NodeId, RubricTree},
};

use super::queue::{QueuePlan, draw_queue};

/// A thing to label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuditItem {
    pub unit: LabelUnit,
    /// Distinct within a unit and criterion; see [`LabelUnit`].
    pub id: String,
    /// The criterion by which an item is judged, where there are several: the criterion of a flag, the kind of a
    /// signal.
    pub criterion: Option<String>,
    /// The title in one line; empty where nothing names the item.
    pub title: String,
    /// The description field by field; empty fields are left out.
    pub fields: Vec<(&'static str, String)>,
    /// The places of the thing itself, which reveal nothing of a verdict.
    pub places: Vec<Evidence>,
    /// The step that it is about.
    pub step: Option<StepId>,
    /// The file of the judging; empty where the program itself found the thing.
    pub judgement: String,
    /// Hex digits.
    pub commit: Option<String>,
    /// The turn after which the code was judged; counts from 1.
    pub turn: Option<usize>,
    /// The verdict on the item.
    pub verdict: AuditedVerdict,
}

/// The verdict that is checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuditedVerdict {
    /// The score on [`Self::scale`]; None where the judge gave none on the scale that the item is labelled on.
    pub score: Option<f64>,
    /// The scale; None for the unit's own.
    pub scale: Option<ScoreScale>,
    /// The label as the judge wrote it.
    pub label: Option<String>,
    pub rationale: String,
    pub evidence: Vec<Evidence>,
    pub trace: Vec<JudgeToolCall>,
    /// The number of tool calls that showed the judge something; None where it is not recorded.
    pub looks: Option<usize>,
    /// The reason to doubt the score; None where there is none.
    pub doubt: Option<VerdictDoubt>,
    /// No mean includes the verdict ([`Verdict::is_left_out`]); it is in the queue.
    pub is_left_out: bool,
}

/// A judging that can be audited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JudgingSource {
    /// Its file; empty where there is none.
    pub file: String,
    /// The name of the judge.
    pub by: String,
    /// The name of the rubric in the judgement file.
    pub rubric: Option<String>,
    /// Hex digits.
    pub commit: Option<String>,
    /// The turn, counted from 1.
    pub turn: Option<usize>,
    /// The hash of the judge's prompt.
    pub prompt_sha256: Option<String>,
}

/// The parts of a run that items are collected from.
#[derive(Debug, Clone, Copy)]
pub struct AuditInputs<'a> {
    pub run: &'a Run,
    pub rubric: &'a Rubric,
    /// The process of the run; None where it is not computed.
    pub process: Option<&'a ProcessReport>,
    /// The decisions of the run; None where they are not computed, or the run has none.
    pub decisions: Option<&'a DecisionLane>,
}

/// Orders the items by a plan: every score is drawn from in turn, and the order reveals nothing of the scores.
pub fn draw_items(items: Vec<AuditItem>, plan: QueuePlan) -> Vec<AuditItem> {
    let name = |item: &AuditItem| match &item.criterion {
        Some(criterion) => format!("{}\n{criterion}", item.id),
        None => item.id.clone(),
    };
    let level = |score: f64| match score.fract() == 0.0 {
        true => score as u8,
        false => 100 + (score * 100.0) as u8, // a stratum of its own
    };
    let verdicts = items.iter().map(|item| Verdict {
        component: name(item),
        score: Some(item.verdict.score.map_or(u8::MAX, level)), // one without a score waits for a label too
        ..Verdict::default()
    });
    let all = Judgement { verdicts: verdicts.collect(), ..Judgement::default() };
    let mut by_name: BTreeMap<String, AuditItem> =
        items.into_iter().map(|item| (name(&item), item)).collect();
    let order = draw_queue(&[&all], plan);
    order.into_iter().filter_map(|it| by_name.remove(&it.component)).collect()
}

impl AuditItem {
    pub fn item_key(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.id, criterion: self.criterion.as_deref() }
    }

    pub fn judged_state(&self) -> JudgedState<'_> {
        JudgedState { file: &self.judgement, commit: self.commit.as_deref(), turn: self.turn }
    }

    /// Returns a label of the item without an answer.
    pub fn empty_label(&self) -> Label {
        Label {
            component: self.id.clone(),
            unit: self.unit,
            criterion: self.criterion.clone(),
            commit: self.commit.clone(),
            turn: self.turn,
            judgement: Some(self.judgement.clone()).filter(|file| !file.is_empty()),
            ..Label::default()
        }
    }
}

/// Returns the judgings of a unit that gave a score to anything, in the order in which they are kept.
pub fn audit_sources(ground: AuditInputs<'_>, unit: LabelUnit) -> Vec<JudgingSource> {
    match unit {
        LabelUnit::Component | LabelUnit::Decision | LabelUnit::Process => ground
            .rubric
            .judgements_of_unit(unit)
            .iter()
            .filter(|it| has_score(it))
            .map(JudgingSource::for_judgement)
            .collect(),
        LabelUnit::Flag => {
            ground.rubric.flaggings.iter().map(JudgingSource::for_flagging).collect()
        }
        LabelUnit::Leaf => {
            ground.run.rubric_tree.iter().filter_map(|tree| JudgingSource::for_tree(tree)).collect()
        }
        LabelUnit::Signal => match ground.process {
            Some(report) if !report.signals.is_empty() => {
                vec![JudgingSource { by: "trajview".into(), ..JudgingSource::default() }]
            }
            Some(_) | None => vec![],
        },
    }
}

/// Returns every item of a unit in one of its judgings, in the order of the file.
pub fn audit_items(ground: AuditInputs<'_>, unit: LabelUnit, file: &str) -> Vec<AuditItem> {
    match unit {
        LabelUnit::Component | LabelUnit::Decision | LabelUnit::Process => {
            let found = ground.rubric.judgements_of_unit(unit).iter().find(|it| it.file == file);
            found.map_or(vec![], |judgement| verdict_items(ground, unit, judgement))
        }
        LabelUnit::Flag => {
            let found = ground.rubric.flaggings.iter().find(|it| it.file == file);
            found.map_or(vec![], flag_items)
        }
        LabelUnit::Leaf => ground.run.rubric_tree.as_ref().map_or(vec![], |tree| leaf_items(tree)),
        LabelUnit::Signal => ground.process.map_or(vec![], signal_items),
    }
}

fn has_score(judgement: &Judgement) -> bool {
    judgement.verdicts.iter().any(Verdict::is_scored)
}

impl JudgingSource {
    fn for_judgement(judgement: &Judgement) -> Self {
        Self {
            file: judgement.file.clone(),
            by: judgement.judge.name.clone(),
            rubric: judgement.rubric.clone(),
            commit: judgement.commit.clone(),
            turn: judgement.turn,
            prompt_sha256: judgement.judge.prompt_sha256.clone(),
        }
    }

    fn for_flagging(flagging: &Flagging) -> Self {
        Self {
            file: flagging.file.clone(),
            by: flagging.judge.name.clone(),
            rubric: Some(trajview_run::flags::RUBRIC.into()),
            commit: flagging.commit.clone(),
            turn: flagging.turn,
            prompt_sha256: flagging.judge.prompt_sha256.clone(),
        }
    }

    /// Returns the source of a graded tree; None where no node is graded.
    fn for_tree(tree: &RubricTree) -> Option<Self> {
        let names = [tree.result.judge.as_deref(), tree.result.model.as_deref()];
        let by: Vec<&str> = names.into_iter().flatten().collect();
        tree.is_graded().then(|| Self {
            file: tree.file.clone(),
            by: by.join(" "),
            rubric: Some(LabelUnit::Leaf.rubric_levels().rubric.into()),
            ..Self::default()
        })
    }
}

/// Returns the verdicts of a judgement as items to check: one without a score is none, and one with several is one for
/// each criterion.
fn verdict_items(
    ground: AuditInputs<'_>,
    unit: LabelUnit,
    judgement: &Judgement,
) -> Vec<AuditItem> {
    let item = |verdict: &Verdict, scored: VerdictScore<'_>| {
        let (title, fields) = title_and_fields(ground, unit, &verdict.component);
        AuditItem {
            unit,
            id: verdict.component.clone(),
            criterion: scored.criterion.map(str::to_owned),
            title,
            fields,
            judgement: judgement.file.clone(),
            commit: judgement.commit.clone(),
            turn: judgement.turn,
            verdict: AuditedVerdict {
                score: Some(scored.score),
                scale: scored.scale,
                label: scored.name.map(str::to_owned),
                rationale: verdict.rationale.clone(),
                evidence: verdict.evidence.clone(),
                trace: verdict.trace.clone(),
                looks: verdict.looks,
                doubt: verdict.doubt(),
                is_left_out: verdict.is_left_out,
            },
            ..AuditItem::default()
        }
    };
    let items_of_verdict = |verdict: &Verdict| {
        verdict.given_scores().into_iter().map(|scored| item(verdict, scored)).collect::<Vec<_>>()
    };
    judgement.verdicts.iter().flat_map(items_of_verdict).collect()
}

/// Returns each thing once for each criterion of the raters' codebook, with the judge's score by that criterion. A
/// score on another scale does not count, but the thing stays, to be labelled.
pub fn split_by_criteria(items: Vec<AuditItem>, book: &Codebook) -> Vec<AuditItem> {
    if items.first().is_none_or(|item| item.unit.is_raised()) || book.criteria.is_empty() {
        return items;
    }
    let mut by_id: BTreeMap<&str, Vec<&AuditItem>> = BTreeMap::new();
    let mut ids = vec![];
    for item in &items {
        let known = by_id.entry(&item.id).or_default();
        if known.is_empty() {
            ids.push(item.id.as_str());
        }
        known.push(item);
    }
    let mut all = vec![];
    for known in ids.into_iter().filter_map(|id| by_id.get(id)) {
        for criterion in &book.criteria {
            let by_criterion = known.iter().find(|it| it.criterion == criterion.id);
            let without_criterion = || known.iter().find(|it| it.criterion.is_none());
            let Some(item) = by_criterion.or_else(without_criterion).or(known.first()) else {
                continue;
            };
            let is_of = item.criterion.is_none() || item.criterion == criterion.id;
            let scale = item.verdict.scale.unwrap_or(item.unit.default_scale());
            let score = item.verdict.score.filter(|_| is_of && scale == criterion.scale);
            let verdict = AuditedVerdict { score, ..item.verdict.clone() };
            all.push(AuditItem { criterion: criterion.id.clone(), verdict, ..(*item).clone() });
        }
    }
    all
}

type TitleAndFields = (String, Vec<(&'static str, String)>);

fn title_and_fields(ground: AuditInputs<'_>, unit: LabelUnit, id: &str) -> TitleAndFields {
    match unit {
        LabelUnit::Component => {
            let list = ground.rubric.checklist.iter().flat_map(|it| &it.components);
            let found = list.into_iter().find(|component| component.id == id);
            found.map_or_else(TitleAndFields::default, |it| (it.name.clone(), component_fields(it)))
        }
        LabelUnit::Decision => {
            let exchange = ground.decisions.and_then(|lane| lane.questions_and_answers.get(id));
            exchange.map_or_else(TitleAndFields::default, |(question, answer)| {
                let fields = vec![("asked", question.clone()), ("decided", answer.clone())];
                (question.clone(), fields)
            })
        }
        LabelUnit::Process => {
            let title =
                JudgedPart::ALL.into_iter().find(|part| part.id() == id).map(JudgedPart::title);
            (title.unwrap_or_default().to_owned(), vec![])
        }
        LabelUnit::Leaf | LabelUnit::Flag | LabelUnit::Signal => TitleAndFields::default(),
    }
}

/// Returns the checklist's description of a component, field by field.
pub fn component_fields(component: &Component) -> Vec<(&'static str, String)> {
    let fields = [
        ("intent", component.intent.clone()),
        ("formula", component.formula.clone()),
        ("inputs", component.inputs.clone()),
        ("outputs", component.outputs.clone()),
        ("connects to", component.connects_to.join(", ")),
    ];
    fields.into_iter().filter(|(_, words)| !words.is_empty()).collect()
}

/// Returns the leaves that were graded; what the file calls invalid is no verdict.
fn leaf_items(tree: &RubricTree) -> Vec<AuditItem> {
    let all = (0..tree.nodes.len()).map(NodeId::from_position).filter(|id| tree.is_leaf(*id));
    let item = |id: NodeId| {
        let node = tree.node(id).filter(|node| node.is_valid_leaf())?;
        let above: Vec<&str> =
            tree.nodes_above(id).filter_map(|id| Some(&*tree.node(id)?.requirements)).collect();
        let part_of = above.iter().rev().skip(1).map(|it| first_line(it)).collect::<Vec<_>>();
        let kind =
            node.finegrained.as_deref().or_else(|| Some(node.category.as_ref()?.file_text()));
        let fields = [
            ("requires", node.requirements.to_string()),
            ("kind", kind.unwrap_or_default().to_owned()),
            ("part of", part_of.join("\n")),
            ("weight", node.weight.to_string()),
        ];
        let response = node.answer.as_ref().map(|answer| answer.response.to_string());
        let texts = [Some(node.explanation.to_string()), response].into_iter().flatten();
        let mut texts: Vec<String> = texts.filter(|words| !words.trim().is_empty()).collect();
        texts.dedup_by(|next, before| next.trim() == before.trim()); // what is recorded twice
        Some(AuditItem {
            unit: LabelUnit::Leaf,
            id: tree.node_path(id).to_string(),
            title: first_line(&node.requirements).to_owned(),
            fields: fields.into_iter().filter(|(_, words)| !words.is_empty()).collect(),
            judgement: tree.file.clone(),
            verdict: AuditedVerdict {
                score: node.score,
                rationale: texts.join("\n\n"),
                ..AuditedVerdict::default()
            },
            ..AuditItem::default()
        })
    };
    all.filter_map(item).collect()
}

fn first_line(words: &str) -> &str {
    words.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim()
}

/// Returns one item for each place and criterion; the first of two counts.
fn flag_items(flagging: &Flagging) -> Vec<AuditItem> {
    let mut items: Vec<AuditItem> = vec![];
    for flag in &flagging.flags {
        let item = flag_item(flagging, flag);
        if !items.iter().any(|known| known.item_key() == item.item_key()) {
            items.push(item);
        }
    }
    items
}

fn flag_item(flagging: &Flagging, flag: &Flag) -> AuditItem {
    let place = flag_place(flag);
    let known = criterion_text(&flag.criterion);
    let words = |words: &Option<Box<str>>| words.as_deref().unwrap_or_default().to_owned();
    let confidence = flag.confidence.map(|it| format!("confidence {it} of 5"));
    let explanations = [flag.explanation.as_deref().map(str::to_owned), confidence];
    let fields = [
        ("criterion", flag.criterion.to_string()),
        ("category", words(&flag.category)),
        ("type", words(&flag.kind)),
        ("look for", known.map(|it| it.0.clone()).unwrap_or_default()),
        ("not", known.map(|it| it.1.clone()).unwrap_or_default()),
    ];
    AuditItem {
        unit: LabelUnit::Flag,
        id: place_id(&place),
        criterion: Some(flag.criterion.to_string()),
        title: format!("{} at {}", flag.criterion, place_id(&place)),
        fields: fields.into_iter().filter(|(_, words)| !words.is_empty()).collect(),
        places: vec![place],
        judgement: flagging.file.clone(),
        commit: flagging.commit.clone(),
        turn: flagging.turn,
        verdict: AuditedVerdict {
            score: Some(1.0),
            rationale: explanations.into_iter().flatten().collect::<Vec<_>>().join("\n"),
            ..AuditedVerdict::default()
        },
        ..AuditItem::default()
    }
}

/// Returns the place of a flag.
pub fn flag_place(flag: &Flag) -> Evidence {
    let line = |line: u64| usize::try_from(line).unwrap_or(usize::MAX);
    let lines = flag.start.map(|start| (line(start), line(flag.end.unwrap_or(start))));
    Evidence { path: flag.path.to_string(), lines, quote: None }
}

/// Returns the id of a place that is flagged, or should be: `src/a.py:3-9`.
pub fn place_id(place: &Evidence) -> String {
    match place.lines {
        Some((first, last)) => format!("{}:{first}-{last}", place.path),
        None => place.path.clone(),
    }
}

/// Returns the place that an id such as `src/a.py:3-9` names.
pub fn place_from_id(id: &str) -> Evidence {
    let lines = id.rsplit_once(':').and_then(|(path, lines)| {
        let (first, last) = lines.split_once('-')?;
        Some((path, (first.parse().ok()?, last.parse().ok()?)))
    });
    match lines {
        Some((path, lines)) => Evidence { path: path.to_owned(), lines: Some(lines), quote: None },
        None => Evidence { path: id.to_owned(), lines: None, quote: None },
    }
}

fn signal_items(report: &ProcessReport) -> Vec<AuditItem> {
    let item = |signal: &trajview_metrics::process::ProcessSignal| {
        let step = report.names.step_label(signal.step);
        let until = report.names.step_label(signal.until);
        let stretch = if step == until { step.clone() } else { format!("{step} to {until}") };
        let path = signal.path.clone();
        let places =
            path.iter().map(|path| Evidence { path: path.clone(), lines: None, quote: None });
        let fields = [
            ("step", stretch),
            ("why", signal.why.clone()),
            ("file", path.clone().unwrap_or_default()),
        ];
        AuditItem {
            unit: LabelUnit::Signal,
            id: step.clone(),
            criterion: Some(signal.kind.words().to_owned()),
            title: format!("{} at {step}", signal.kind.words()),
            places: places.collect(),
            fields: fields.into_iter().filter(|(_, words)| !words.is_empty()).collect(),
            step: Some(signal.step),
            turn: Some(signal.until.turn + 1),
            verdict: AuditedVerdict {
                score: Some(1.0),
                rationale: signal.why.clone(),
                ..AuditedVerdict::default()
            },
            ..AuditItem::default()
        }
    };
    let mut items: Vec<AuditItem> = vec![];
    for item in report.signals.iter().map(item) {
        if !items.iter().any(|known| known.item_key() == item.item_key()) {
            items.push(item);
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{rubric::Criterion, rubric_tree::RubricNode};

    fn inputs_for<'a>(run: &'a Run, rubric: &'a Rubric) -> AuditInputs<'a> {
        AuditInputs { run, rubric, process: None, decisions: None }
    }

    fn flag_with(criterion: &str, path: &str, lines: Option<(u64, u64)>) -> Flag {
        Flag {
            criterion: criterion.into(),
            path: path.into(),
            start: lines.map(|it| it.0),
            end: lines.map(|it| it.1),
            explanation: Some("it says what the line says".into()),
            confidence: Some(4.0),
            ..Flag::default()
        }
    }

    #[test]
    fn a_flag_is_known_by_its_place_and_criterion_and_said_once() {
        let flags = vec![
            flag_with("copied", "a.py", Some((3, 9))),
            flag_with("copied", "a.py", Some((3, 9))),
            flag_with("comment", "a.py", Some((3, 9))),
            flag_with("copied", "b.py", None),
        ];
        let file = "judgements/f.json".to_owned();
        let flaggings = vec![Flagging { file, turn: Some(2), flags, ..Flagging::default() }];
        let (run, rubric) = (Run::default(), Rubric { flaggings, ..Rubric::default() });

        let items = audit_items(inputs_for(&run, &rubric), LabelUnit::Flag, "judgements/f.json");

        let ids: Vec<_> =
            items.iter().map(|it| (it.id.as_str(), it.criterion.as_deref())).collect();
        assert_eq!(
            ids,
            [("a.py:3-9", Some("copied")), ("a.py:3-9", Some("comment")), ("b.py", Some("copied"))]
        );
        assert_eq!(items[0].verdict.score, Some(1.0));
        assert_eq!(items[0].verdict.rationale, "it says what the line says\nconfidence 4 of 5");
        let label = items[0].empty_label();
        assert_eq!((label.item_key(), label.turn), (items[0].item_key(), Some(2)));
    }

    #[test]
    fn a_criterion_has_what_the_judge_gave_by_it_and_nothing_of_another_scale() {
        let criterion = |id: &str, scale| Criterion {
            id: Some(id.into()),
            scale,
            ..Criterion::from_level_names(LabelUnit::Component)
        };
        let likert = ScoreScale::Levels { low: 1, high: 5 };
        let criteria = vec![
            criterion("right", LabelUnit::Component.default_scale()),
            criterion("clear", likert),
        ];
        let book = Codebook { criteria, ..Codebook::default() };
        let said = |score, scale| AuditedVerdict {
            score: Some(score),
            scale,
            ..AuditedVerdict::default()
        };
        let item = |criterion: Option<&str>, said| AuditItem {
            id: "C1".into(),
            criterion: criterion.map(Into::into),
            verdict: said,
            ..AuditItem::default()
        };
        let scores = |items: Vec<AuditItem>| {
            let all = split_by_criteria(items, &book).into_iter();
            all.map(|it| (it.criterion.unwrap(), it.verdict.score)).collect::<Vec<_>>()
        };

        let one = scores(vec![item(None, said(3.0, None))]);
        let each = scores(vec![
            item(Some("right"), said(2.0, Some(LabelUnit::Component.default_scale()))),
            item(Some("clear"), said(5.0, Some(likert))),
        ]);

        assert_eq!(one, [("right".into(), Some(3.0)), ("clear".into(), None)]);
        assert_eq!(each, [("right".into(), Some(2.0)), ("clear".into(), Some(5.0))]);
    }

    #[test]
    fn a_place_has_its_name_back() {
        for place in [("a.py", Some((3, 9))), ("a:b/c-d.py", None), ("x:1-2", Some((4, 4)))] {
            let place = Evidence { path: place.0.into(), lines: place.1, quote: None };
            assert_eq!(place_from_id(&place_id(&place)), place);
        }
    }

    #[test]
    fn leaves_that_were_graded_are_items_with_what_they_are_part_of() {
        let node = |parent: Option<u32>, place: u32, end: u32, words: &str, score| RubricNode {
            parent: parent.map(NodeId),
            place,
            end,
            requirements: words.into(),
            score,
            weight: 2.0,
            ..RubricNode::default()
        };
        let nodes = vec![
            node(None, 0, 4, "The paper", Some(0.5)),
            node(Some(0), 0, 4, "The method", Some(0.5)),
            node(Some(1), 0, 3, "The loss\nin full", Some(1.0)),
            node(Some(1), 1, 4, "Not graded", None),
        ];
        let file = "grade.json".to_owned();
        let tree = RubricTree { file, nodes, ..RubricTree::default() };
        let run = Run { rubric_tree: Some(tree.into()), ..Run::default() };
        let rubric = Rubric::default();

        let items = audit_items(inputs_for(&run, &rubric), LabelUnit::Leaf, "grade.json");

        assert_eq!(items.len(), 1);
        assert_eq!((items[0].id.as_str(), items[0].title.as_str()), ("0/0/0", "The loss"));
        assert_eq!(items[0].verdict.score, Some(1.0));
        assert!(items[0].fields.contains(&("part of", "The method".into())));
        assert_eq!(audit_sources(inputs_for(&run, &rubric), LabelUnit::Leaf)[0].file, "grade.json");
    }
}
