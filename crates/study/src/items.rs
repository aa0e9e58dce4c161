//! What can be audited of a run, whatever kind of thing it is: what is asked of it, where it is, and what was said of it.
//!
//! [`of`] has all of a unit that one judging gave: verdicts of a judgement on components, decisions or parts of process;
//! the graded leaves of a tree of requirements; flags of a judging; signals of the run. A label of an item is found by its
//! [`AuditItem::key`] and [`AuditItem::state`].

use std::collections::BTreeMap;

use trajview_metrics::{
    decisions::Lane,
    process::{JudgedPart, Report},
};
use trajview_run::{
    Run, StepId,
    flags::{Flag, Flagging, criterion_words},
    rubric::{
        Codebook, Component, Evidence, ItemKey, JudgedState, Judgement, Label, Look, Rubric, Scale,
        Scored, Unit, Verdict,
    },
    rubric_tree::{NodeId, RubricTree},
};

use super::queue::{Plan, queue};

/// One thing to label.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AuditItem {
    pub unit: Unit,
    /// Distinct within a unit and criterion; see [`Unit`].
    pub id: String,
    /// Which of several an item is judged by: the criterion of a flag, the kind of a signal.
    pub criterion: Option<String>,
    /// One line; empty where nothing names it.
    pub title: String,
    /// What is asked, field by field; fields without words are left out.
    pub fields: Vec<(&'static str, String)>,
    /// Where the thing itself is, which says nothing of a verdict.
    pub places: Vec<Evidence>,
    /// The step that it is about.
    pub step: Option<StepId>,
    /// The file of the judging; empty where the program itself found the thing.
    pub judgement: String,
    /// Hex digits.
    pub commit: Option<String>,
    /// After which the code was judged; counts from 1.
    pub turn: Option<usize>,
    /// What was said of it.
    pub said: Said,
}

/// The verdict that is checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    /// On [`Self::scale`]; None where the judge gave none on the scale that the item is labelled on.
    pub score: Option<f64>,
    /// None where it is the unit's own.
    pub scale: Option<Scale>,
    /// As written.
    pub label: Option<String>,
    pub rationale: String,
    pub evidence: Vec<Evidence>,
    pub trace: Vec<Look>,
}

/// A judging that can be audited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Its file; empty where there is none.
    pub file: String,
    /// Who judged.
    pub by: String,
    /// What a judgement file calls the rubric.
    pub rubric: Option<String>,
    /// Hex digits.
    pub commit: Option<String>,
    /// Counts from 1.
    pub turn: Option<usize>,
    /// Of the prompt that the judge was given.
    pub prompt_sha256: Option<String>,
}

/// What items are drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    pub run: &'a Run,
    pub rubric: &'a Rubric,
    /// None where it is not known.
    pub process: Option<&'a Report>,
    /// None where it is not known, or the run has no decisions.
    pub decisions: Option<&'a Lane>,
}

/// The items of a plan in its order: every score is drawn from in turn, and the order says nothing of the scores.
pub fn drawn(items: Vec<AuditItem>, plan: Plan) -> Vec<AuditItem> {
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
        score: Some(item.said.score.map_or(u8::MAX, level)), // one without a score waits for a label too
        ..Verdict::default()
    });
    let all = Judgement { verdicts: verdicts.collect(), ..Judgement::default() };
    let mut by_name: BTreeMap<String, AuditItem> =
        items.into_iter().map(|item| (name(&item), item)).collect();
    let order = queue(&[&all], plan);
    order.into_iter().filter_map(|it| by_name.remove(&it.component)).collect()
}

impl AuditItem {
    pub fn key(&self) -> ItemKey<'_> {
        ItemKey { unit: self.unit, id: &self.id, criterion: self.criterion.as_deref() }
    }

    pub fn state(&self) -> JudgedState<'_> {
        JudgedState { file: &self.judgement, commit: self.commit.as_deref(), turn: self.turn }
    }

    /// A label of it that says nothing yet.
    pub fn label(&self) -> Label {
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

/// The judgings of a unit that gave a score to anything, in the order in which they are kept.
pub fn sources(ground: Ground<'_>, unit: Unit) -> Vec<Source> {
    match unit {
        Unit::Component | Unit::Decision | Unit::Process => judgements(ground.rubric, unit)
            .iter()
            .filter(|it| has_score(it))
            .map(Source::of)
            .collect(),
        Unit::Flag => ground.rubric.flaggings.iter().map(Source::of_flagging).collect(),
        Unit::Leaf => {
            ground.run.rubric_tree.iter().filter_map(|tree| Source::of_tree(tree)).collect()
        }
        Unit::Signal => match ground.process {
            Some(report) if !report.signals.is_empty() => {
                vec![Source { by: "trajview".into(), ..Source::default() }]
            }
            Some(_) | None => vec![],
        },
    }
}

/// Everything of a unit in one of its judgings, in the order of the file.
pub fn of(ground: Ground<'_>, unit: Unit, file: &str) -> Vec<AuditItem> {
    match unit {
        Unit::Component | Unit::Decision | Unit::Process => {
            let found = judgements(ground.rubric, unit).iter().find(|it| it.file == file);
            found.map_or(vec![], |judgement| verdicts(ground, unit, judgement))
        }
        Unit::Flag => {
            let found = ground.rubric.flaggings.iter().find(|it| it.file == file);
            found.map_or(vec![], flags)
        }
        Unit::Leaf => ground.run.rubric_tree.as_ref().map_or(vec![], |tree| leaves(tree)),
        Unit::Signal => ground.process.map_or(vec![], signals),
    }
}

/// The judgements of a unit that is judged by levels.
fn judgements(rubric: &Rubric, unit: Unit) -> &[Judgement] {
    match unit {
        Unit::Component => &rubric.judgements,
        Unit::Decision => &rubric.decisions,
        Unit::Process => &rubric.process,
        Unit::Leaf | Unit::Flag | Unit::Signal => &[],
    }
}

fn has_score(judgement: &Judgement) -> bool {
    judgement.verdicts.iter().any(Verdict::is_scored)
}

impl Source {
    fn of(judgement: &Judgement) -> Self {
        Self {
            file: judgement.file.clone(),
            by: judgement.judge.name.clone(),
            rubric: judgement.rubric.clone(),
            commit: judgement.commit.clone(),
            turn: judgement.turn,
            prompt_sha256: judgement.judge.prompt_sha256.clone(),
        }
    }

    fn of_flagging(flagging: &Flagging) -> Self {
        Self {
            file: flagging.file.clone(),
            by: flagging.judge.name.clone(),
            rubric: Some(trajview_run::flags::RUBRIC.into()),
            commit: flagging.commit.clone(),
            turn: flagging.turn,
            prompt_sha256: flagging.judge.prompt_sha256.clone(),
        }
    }

    /// None where nothing of the tree is graded.
    fn of_tree(tree: &RubricTree) -> Option<Self> {
        let said = [tree.result.judge.as_deref(), tree.result.model.as_deref()];
        let by: Vec<&str> = said.into_iter().flatten().collect();
        tree.is_graded().then(|| Self {
            file: tree.file.clone(),
            by: by.join(" "),
            rubric: Some(Unit::Leaf.levels().rubric.into()),
            ..Self::default()
        })
    }
}

/// Verdicts without a score are none to check; one with several is one for each criterion.
fn verdicts(ground: Ground<'_>, unit: Unit, judgement: &Judgement) -> Vec<AuditItem> {
    let item = |verdict: &Verdict, scored: Scored<'_>| {
        let (title, fields) = described(ground, unit, &verdict.component);
        AuditItem {
            unit,
            id: verdict.component.clone(),
            criterion: scored.criterion.map(str::to_owned),
            title,
            fields,
            judgement: judgement.file.clone(),
            commit: judgement.commit.clone(),
            turn: judgement.turn,
            said: Said {
                score: Some(scored.score),
                scale: scored.scale,
                label: scored.name.map(str::to_owned),
                rationale: verdict.rationale.clone(),
                evidence: verdict.evidence.clone(),
                trace: verdict.trace.clone(),
            },
            ..AuditItem::default()
        }
    };
    let of = |verdict: &Verdict| {
        verdict.scores().into_iter().map(|scored| item(verdict, scored)).collect::<Vec<_>>()
    };
    judgement.verdicts.iter().flat_map(of).collect()
}

/// Each thing once for each criterion of the codebook that raters go by, with what the judge gave by that criterion. A score
/// on another scale is no score of it: the thing stays, to be labelled.
pub fn by_criteria(items: Vec<AuditItem>, book: &Codebook) -> Vec<AuditItem> {
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
            let own = known.iter().find(|it| it.criterion == criterion.id);
            let whole = || known.iter().find(|it| it.criterion.is_none());
            let Some(item) = own.or_else(whole).or(known.first()) else { continue };
            let is_of = item.criterion.is_none() || item.criterion == criterion.id;
            let scale = item.said.scale.unwrap_or(item.unit.scale());
            let score = item.said.score.filter(|_| is_of && scale == criterion.scale);
            let said = Said { score, ..item.said.clone() };
            all.push(AuditItem { criterion: criterion.id.clone(), said, ..(*item).clone() });
        }
    }
    all
}

type Described = (String, Vec<(&'static str, String)>);

fn described(ground: Ground<'_>, unit: Unit, id: &str) -> Described {
    match unit {
        Unit::Component => {
            let list = ground.rubric.checklist.iter().flat_map(|it| &it.components);
            let found = list.into_iter().find(|component| component.id == id);
            found.map_or_else(Described::default, |it| (it.name.clone(), fields_of(it)))
        }
        Unit::Decision => {
            let asked = ground.decisions.and_then(|lane| lane.asked.get(id));
            asked.map_or_else(Described::default, |(question, answer)| {
                let fields = vec![("asked", question.clone()), ("decided", answer.clone())];
                (question.clone(), fields)
            })
        }
        Unit::Process => {
            let title =
                JudgedPart::ALL.into_iter().find(|part| part.id() == id).map(JudgedPart::title);
            (title.unwrap_or_default().to_owned(), vec![])
        }
        Unit::Leaf | Unit::Flag | Unit::Signal => Described::default(),
    }
}

/// What the checklist says of a component, field by field.
pub fn fields_of(component: &Component) -> Vec<(&'static str, String)> {
    let fields = [
        ("intent", component.intent.clone()),
        ("formula", component.formula.clone()),
        ("inputs", component.inputs.clone()),
        ("outputs", component.outputs.clone()),
        ("connects to", component.connects_to.join(", ")),
    ];
    fields.into_iter().filter(|(_, words)| !words.is_empty()).collect()
}

/// The leaves that were graded; what the file calls invalid is no verdict.
fn leaves(tree: &RubricTree) -> Vec<AuditItem> {
    let all = (0..tree.nodes.len()).map(NodeId::of).filter(|id| tree.is_leaf(*id));
    let item = |id: NodeId| {
        let node = tree.node(id).filter(|node| node.is_valid_leaf())?;
        let above: Vec<&str> =
            tree.above(id).filter_map(|id| Some(&*tree.node(id)?.requirements)).collect();
        let part_of = above.iter().rev().skip(1).map(|it| one_line(it)).collect::<Vec<_>>();
        let kind = node.finegrained.as_deref().or_else(|| Some(node.category.as_ref()?.words()));
        let fields = [
            ("requires", node.requirements.to_string()),
            ("kind", kind.unwrap_or_default().to_owned()),
            ("part of", part_of.join("\n")),
            ("weight", node.weight.to_string()),
        ];
        let response = node.answer.as_ref().map(|answer| answer.response.to_string());
        let said = [Some(node.explanation.to_string()), response].into_iter().flatten();
        let mut said: Vec<String> = said.filter(|words| !words.trim().is_empty()).collect();
        said.dedup_by(|next, before| next.trim() == before.trim()); // what is recorded twice
        Some(AuditItem {
            unit: Unit::Leaf,
            id: tree.path(id).to_string(),
            title: one_line(&node.requirements).to_owned(),
            fields: fields.into_iter().filter(|(_, words)| !words.is_empty()).collect(),
            judgement: tree.file.clone(),
            said: Said { score: node.score, rationale: said.join("\n\n"), ..Said::default() },
            ..AuditItem::default()
        })
    };
    all.filter_map(item).collect()
}

fn one_line(words: &str) -> &str {
    words.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim()
}

/// One item for each place and criterion; the first of two counts.
fn flags(flagging: &Flagging) -> Vec<AuditItem> {
    let mut items: Vec<AuditItem> = vec![];
    for flag in &flagging.flags {
        let item = flagged(flagging, flag);
        if !items.iter().any(|known| known.key() == item.key()) {
            items.push(item);
        }
    }
    items
}

fn flagged(flagging: &Flagging, flag: &Flag) -> AuditItem {
    let place = place_of(flag);
    let known = criterion_words(&flag.criterion);
    let words = |words: &Option<Box<str>>| words.as_deref().unwrap_or_default().to_owned();
    let confidence = flag.confidence.map(|it| format!("confidence {it} of 5"));
    let said = [flag.explanation.as_deref().map(str::to_owned), confidence];
    let fields = [
        ("criterion", flag.criterion.to_string()),
        ("category", words(&flag.category)),
        ("type", words(&flag.kind)),
        ("look for", known.map(|it| it.0.clone()).unwrap_or_default()),
        ("not", known.map(|it| it.1.clone()).unwrap_or_default()),
    ];
    AuditItem {
        unit: Unit::Flag,
        id: place_id(&place),
        criterion: Some(flag.criterion.to_string()),
        title: format!("{} at {}", flag.criterion, place_id(&place)),
        fields: fields.into_iter().filter(|(_, words)| !words.is_empty()).collect(),
        places: vec![place],
        judgement: flagging.file.clone(),
        commit: flagging.commit.clone(),
        turn: flagging.turn,
        said: Said {
            score: Some(1.0),
            rationale: said.into_iter().flatten().collect::<Vec<_>>().join("\n"),
            ..Said::default()
        },
        ..AuditItem::default()
    }
}

/// Where a flag is.
pub fn place_of(flag: &Flag) -> Evidence {
    let line = |line: u64| usize::try_from(line).unwrap_or(usize::MAX);
    let lines = flag.start.map(|start| (line(start), line(flag.end.unwrap_or(start))));
    Evidence { path: flag.path.to_string(), lines }
}

/// How a place is called that is flagged, or should be: `src/a.py:3-9`.
pub fn place_id(place: &Evidence) -> String {
    match place.lines {
        Some((first, last)) => format!("{}:{first}-{last}", place.path),
        None => place.path.clone(),
    }
}

/// The place that such a name is of.
pub fn place_named(id: &str) -> Evidence {
    let lines = id.rsplit_once(':').and_then(|(path, lines)| {
        let (first, last) = lines.split_once('-')?;
        Some((path, (first.parse().ok()?, last.parse().ok()?)))
    });
    match lines {
        Some((path, lines)) => Evidence { path: path.to_owned(), lines: Some(lines) },
        None => Evidence { path: id.to_owned(), lines: None },
    }
}

fn signals(report: &Report) -> Vec<AuditItem> {
    let item = |signal: &trajview_metrics::process::Signal| {
        let step = report.names.called(signal.step);
        let until = report.names.called(signal.until);
        let stretch = if step == until { step.clone() } else { format!("{step} to {until}") };
        let path = signal.path.clone();
        let places = path.iter().map(|path| Evidence { path: path.clone(), lines: None });
        let fields = [
            ("step", stretch),
            ("why", signal.why.clone()),
            ("file", path.clone().unwrap_or_default()),
        ];
        AuditItem {
            unit: Unit::Signal,
            id: step.clone(),
            criterion: Some(signal.kind.words().to_owned()),
            title: format!("{} at {step}", signal.kind.words()),
            places: places.collect(),
            fields: fields.into_iter().filter(|(_, words)| !words.is_empty()).collect(),
            step: Some(signal.step),
            turn: Some(signal.until.turn + 1),
            said: Said { score: Some(1.0), rationale: signal.why.clone(), ..Said::default() },
            ..AuditItem::default()
        }
    };
    let mut items: Vec<AuditItem> = vec![];
    for item in report.signals.iter().map(item) {
        if !items.iter().any(|known| known.key() == item.key()) {
            items.push(item);
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{rubric::Criterion, rubric_tree::Node};

    fn ground<'a>(run: &'a Run, rubric: &'a Rubric) -> Ground<'a> {
        Ground { run, rubric, process: None, decisions: None }
    }

    fn flag(criterion: &str, path: &str, lines: Option<(u64, u64)>) -> Flag {
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
            flag("copied", "a.py", Some((3, 9))),
            flag("copied", "a.py", Some((3, 9))),
            flag("comment", "a.py", Some((3, 9))),
            flag("copied", "b.py", None),
        ];
        let file = "judgements/f.json".to_owned();
        let flaggings = vec![Flagging { file, turn: Some(2), flags, ..Flagging::default() }];
        let (run, rubric) = (Run::default(), Rubric { flaggings, ..Rubric::default() });

        let items = of(ground(&run, &rubric), Unit::Flag, "judgements/f.json");

        let ids: Vec<_> =
            items.iter().map(|it| (it.id.as_str(), it.criterion.as_deref())).collect();
        assert_eq!(
            ids,
            [("a.py:3-9", Some("copied")), ("a.py:3-9", Some("comment")), ("b.py", Some("copied"))]
        );
        assert_eq!(items[0].said.score, Some(1.0));
        assert_eq!(items[0].said.rationale, "it says what the line says\nconfidence 4 of 5");
        let label = items[0].label();
        assert_eq!((label.item(), label.turn), (items[0].key(), Some(2)));
    }

    #[test]
    fn a_criterion_has_what_the_judge_gave_by_it_and_nothing_of_another_scale() {
        let criterion = |id: &str, scale| Criterion {
            id: Some(id.into()),
            scale,
            ..Criterion::plain(Unit::Component)
        };
        let likert = Scale::Levels { low: 1, high: 5 };
        let criteria =
            vec![criterion("right", Unit::Component.scale()), criterion("clear", likert)];
        let book = Codebook { criteria, ..Codebook::default() };
        let said = |score, scale| Said { score: Some(score), scale, ..Said::default() };
        let item = |criterion: Option<&str>, said| AuditItem {
            id: "C1".into(),
            criterion: criterion.map(Into::into),
            said,
            ..AuditItem::default()
        };
        let scores = |items: Vec<AuditItem>| {
            let all = by_criteria(items, &book).into_iter();
            all.map(|it| (it.criterion.unwrap(), it.said.score)).collect::<Vec<_>>()
        };

        let one = scores(vec![item(None, said(3.0, None))]);
        let each = scores(vec![
            item(Some("right"), said(2.0, Some(Unit::Component.scale()))),
            item(Some("clear"), said(5.0, Some(likert))),
        ]);

        assert_eq!(one, [("right".into(), Some(3.0)), ("clear".into(), None)]);
        assert_eq!(each, [("right".into(), Some(2.0)), ("clear".into(), Some(5.0))]);
    }

    #[test]
    fn a_place_has_its_name_back() {
        for place in [("a.py", Some((3, 9))), ("a:b/c-d.py", None), ("x:1-2", Some((4, 4)))] {
            let place = Evidence { path: place.0.into(), lines: place.1 };
            assert_eq!(place_named(&place_id(&place)), place);
        }
    }

    #[test]
    fn leaves_that_were_graded_are_items_with_what_they_are_part_of() {
        let node = |parent: Option<u32>, place: u32, end: u32, words: &str, score| Node {
            parent: parent.map(NodeId),
            place,
            end,
            requirements: words.into(),
            score,
            weight: 2.0,
            ..Node::default()
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

        let items = of(ground(&run, &rubric), Unit::Leaf, "grade.json");

        assert_eq!(items.len(), 1);
        assert_eq!((items[0].id.as_str(), items[0].title.as_str()), ("0/0/0", "The loss"));
        assert_eq!(items[0].said.score, Some(1.0));
        assert!(items[0].fields.contains(&("part of", "The method".into())));
        assert_eq!(sources(ground(&run, &rubric), Unit::Leaf)[0].file, "grade.json");
    }
}
