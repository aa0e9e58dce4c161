//! A judgement file as we write it (schema `trajview.judgement/1`), and as much of one as is needed to go on with it.
//!
//! What earlier verdicts say is carried over byte for byte. A document of the rubric of five levels has `scores`; one of
//! flags has `groups`, how each was judged, and `flags`, those that were carried on among them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use trajview_run::{
    RecordPlace,
    flags::{Flag, FlagCounts},
    judging::JudgingScale,
    rubric::{
        COMPONENT_LEVELS, Codebook, CriterionScore as GivenBy, Evidence, JudgeTest, OverallRule,
        QuoteCheck, RubricLevels, ScoreScale, criterion_scores,
    },
};

use super::{
    component::{JudgedItem, RequestRecord, ToolCallRecord, round_to_milliseconds},
    item::ItemDecision,
    prompt::JudgePrompt,
    settings::{JudgeConfig, JudgeKind},
    unchanged_flags,
    wire::plain,
};

pub const SCHEMA: &str = "trajview.judgement/1";

/// One file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JudgementDocument {
    pub schema: String,
    pub judge: DocumentJudge,
    /// The vendor of both the judge's model and a model of the agent; None where there is none, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_vendor: Option<String>,
    pub run: String,
    pub commit: Option<String>,
    pub turn: usize,
    pub rubric: String,
    /// What it tests its judge for; None for a judgement of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The id that all documents of one drift gate, or of the rewordings of one command, share; None for any other document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// The time of the end; None as long as an item lacks a usable answer.
    pub finished_at: Option<String>,
    /// Ids of components in the order of the checklist, of groups of criteria, of decisions, or of parts of pillars.
    pub components: Vec<String>,
    pub repeat: DocumentRepeat,
    /// The scores so far, in the order of [`Self::components`].
    pub scores: Vec<Box<RawValue>>,
    /// Malformed answers that were requested again, as they were in [`Self::entries`], the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_again: Vec<Box<RawValue>>,
    /// The groups, instead of scores, where flags are requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Box<RawValue>>>,
    /// The flags of the groups judged so far; carried flags are there from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flags: Option<Vec<FlagRow>>,
    /// Lines of code of the flagged state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_of_code: Option<u64>,
}

/// One place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FlagRow(#[serde(with = "FlagFields")] Flag);

/// The fields of a flag as a bundle names them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Flag")]
struct FlagFields {
    criterion: Box<str>,
    category: Option<Box<str>>,
    #[serde(rename = "type")]
    kind: Option<Box<str>>,
    path: Box<str>,
    start: Option<u64>,
    end: Option<u64>,
    confidence: Option<f64>,
    explanation: Option<Box<str>>,
    carried_from: Option<Box<str>>,
    #[serde(skip)]
    place: RecordPlace,
}

/// The number among several judgings of the same thing; counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRepeat {
    pub number: usize,
    pub of: usize,
}

/// The judge and its rules; two files are repeats of each other only where all of it is equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentJudge {
    pub name: String,
    /// `http` or `command`.
    pub kind: String,
    /// `chat`, `responses`, `messages` or `command`.
    pub protocol: String,
    pub model: Option<String>,
    pub prompt_sha256: String,
    /// SHA-256 of the prompt of which this one is a rewording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reworded_from: Option<String>,
    /// The scale of the confidence that it is to state; None where it is to state none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_scale: Option<String>,
    /// SHA-256 of the criteria for flags, or of the text of all decisions or parts that are judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria_sha256: Option<String>,
    /// SHA-256 of the rules for a command beside the prompt.
    pub rules_sha256: Option<String>,
    pub budget: u32,
    pub temperature: Option<f64>,
    /// The criteria of a codebook that it scores by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<DocumentScale>,
    /// The rule of the codebook for these scores together, by its word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<String>,
}

/// A criterion and its scale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentScale {
    /// The id; None where it is the only one and has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `1..5`
    pub scale: String,
}

/// Returns the criteria of a codebook with their scales.
pub fn scored_by(book: &Codebook) -> Vec<DocumentScale> {
    let by = book.scored_by().into_iter();
    by.map(|it| DocumentScale { id: it.criterion, scale: it.scale.to_string() }).collect()
}

/// The subject of a judging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgingSubject {
    pub scale: JudgingScale,
    /// See [`JudgementDocument::shared_vendor`].
    pub shared_vendor: Option<&'static str>,
    /// Id of the run.
    pub run: String,
    pub commit: Option<String>,
    /// Turns done; from 1.
    pub turn: usize,
    /// Ids, in the order of the checklist or of the criteria.
    pub components: Vec<String>,
    /// See [`JudgementDocument::test`].
    pub test: Option<JudgeTest>,
    /// See [`JudgementDocument::batch_id`].
    pub batch_id: Option<String>,
}

#[derive(Serialize)]
struct ScoreRow<'a> {
    component: &'a str,
    /// Null where there is no verdict; never 0 for that.
    score: Option<u8>,
    label: Option<&'a str>,
    /// The scores by a codebook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<CriterionRow>,
    /// The score of all criteria, where the codebook has a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall: Option<f64>,
    /// The reason for a missing score on 0..4 that is no failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Null where the judge was to state one and did not; left out where it was to state none.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<Option<f64>>,
    rationale: Option<&'a str>,
    evidence: Vec<EvidenceRow<'a>>,
    /// Pieces of evidence with a quote that the code has; null without a verdict.
    evidence_found: Option<usize>,
    /// All pieces of evidence that the judge named; null without a verdict.
    evidence_given: Option<usize>,
    /// Tool calls that showed something of the code.
    looks: usize,
    /// SHA-256 of the judged text, where it may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    about_sha256: Option<&'a str>,
    #[serde(flatten)]
    course: CourseFields<'a>,
}

/// Writes the score of a level without decimals: 3 and not 3.0.
fn plain_number<S: serde::Serializer>(score: &f64, to: S) -> Result<S::Ok, S::Error> {
    match score.fract() == 0.0 {
        true => to.serialize_u8(*score as u8),
        false => to.serialize_f64(*score),
    }
}

#[derive(Serialize)]
struct GroupRow<'a> {
    group: &'a str,
    /// Number of new flags; null where it gave no answer.
    found: Option<usize>,
    /// Number of flags that were carried already.
    found_again: Option<usize>,
    #[serde(flatten)]
    course: CourseFields<'a>,
}

/// The course of one conversation.
#[derive(Serialize)]
struct CourseFields<'a> {
    /// Evidence that names nothing in the snapshot.
    left_out: Vec<LeftOutEntry<'a>>,
    trace: &'a [ToolCallRecord],
    requests: &'a [RequestRecord],
    tokens: Option<u64>,
    seconds: f64,
    error: Option<String>,
    /// True if the error happened on the way to the judge, so that another try may help.
    fault: bool,
}

#[derive(Serialize)]
struct EvidenceRow<'a> {
    path: &'a str,
    start: Option<usize>,
    end: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quote: Option<&'a str>,
    /// `found`, `moved` or `missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote_check: Option<&'static str>,
    /// The first line that has a moved quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote_start: Option<usize>,
    /// The last line that has a moved quote.
    #[serde(skip_serializing_if = "Option::is_none")]
    quote_end: Option<usize>,
}

#[derive(Serialize)]
struct LeftOutEntry<'a> {
    what: &'a str,
    why: &'a str,
}

#[derive(Deserialize)]
struct SavedScore {
    #[serde(alias = "group")]
    component: String,
    #[serde(default)]
    score: Option<u8>,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    criteria: Vec<CriterionRow>,
    /// None in files of before, which did not count them.
    #[serde(default)]
    looks: Option<usize>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    fault: bool,
}

/// A score by one criterion of a codebook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionRow {
    /// The id; None where it is the only one and has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(serialize_with = "plain_number")]
    pub score: f64,
    /// The name of the level; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// The saved score of one component, decision or part.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentScore {
    pub component: String,
    /// The score. None without an answer, where the judge cannot tell, and where it scored by a codebook.
    pub score: Option<u8>,
    /// The label; None without an answer.
    pub label: Option<String>,
    /// The scores by a codebook; else empty.
    pub criteria: Vec<CriterionRow>,
    /// True if the judge gave the score without one look at the code; no mean includes it.
    pub is_unlooked: bool,
}

impl DocumentJudge {
    pub(crate) fn for_settings(settings: &JudgeConfig, prompt: &JudgePrompt, budget: u32) -> Self {
        let is_command = settings.kind == JudgeKind::Command;
        Self {
            name: settings.name.clone(),
            kind: settings.kind.document_kind().to_owned(),
            protocol: settings.kind.word().to_owned(),
            model: Some(settings.model.clone()).filter(|model| !model.is_empty()),
            prompt_sha256: prompt.sha256.clone(),
            reworded_from: prompt.reworded_from.clone(),
            confidence_scale: prompt.asks_confidence.then(|| ScoreScale::Share.to_string()),
            criteria_sha256: None,
            rules_sha256: is_command.then(|| trajview_store::sha256(plain::RULES.as_bytes())),
            budget,
            temperature: settings.reply.temperature,
            criteria: vec![],
            overall: None,
        }
    }
}

impl JudgementDocument {
    pub fn new(
        judge: &DocumentJudge,
        subject: &JudgingSubject,
        repeat: DocumentRepeat,
        created_at: &str,
    ) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            judge: judge.clone(),
            shared_vendor: subject.shared_vendor.map(str::to_owned),
            run: subject.run.clone(),
            commit: subject.commit.clone(),
            turn: subject.turn,
            rubric: subject.scale.rubric_name().to_owned(),
            test: subject.test.map(|test| test.word().to_owned()),
            batch_id: subject.batch_id.clone(),
            created_at: created_at.to_owned(),
            finished_at: None,
            components: subject.components.clone(),
            repeat,
            scores: vec![],
            asked_again: vec![],
            groups: (subject.scale == JudgingScale::Flags).then(Vec::new),
            flags: (subject.scale == JudgingScale::Flags).then(Vec::new),
            lines_of_code: None,
        }
    }

    /// Adds flags of an earlier state whose lines are the same, to a new document of flags.
    pub(crate) fn with_carried_flags(self, flags: &[Flag], lines_of_code: u64) -> Self {
        let flags = flags.iter().cloned().map(FlagRow).collect();
        Self { flags: Some(flags), lines_of_code: Some(lines_of_code), ..self }
    }

    /// Returns a file of ours; None for any other.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let document: Self = serde_json::from_slice(bytes).ok()?;
        (document.schema == SCHEMA).then_some(document)
    }

    /// Returns whether it judges the same thing in the same way.
    pub(crate) fn is_same_judging(&self, judge: &DocumentJudge, subject: &JudgingSubject) -> bool {
        let same_state = self.commit == subject.commit && self.turn == subject.turn;
        let same_task = self.run == subject.run
            && self.rubric == subject.scale.rubric_name()
            && self.components == subject.components
            && self.test.as_deref() == subject.test.map(JudgeTest::word)
            && self.batch_id == subject.batch_id;
        self.judge == *judge && same_state && same_task
    }

    pub fn is_finished(&self) -> bool {
        self.finished_at.is_some()
    }

    /// Returns the entries of the components or groups so far.
    pub fn entries(&self) -> &[Box<RawValue>] {
        self.groups.as_ref().unwrap_or(&self.scores)
    }

    /// Returns the ids without a usable answer, in order.
    pub fn unanswered_ids(&self) -> Vec<&str> {
        let saved: Vec<SavedScore> =
            self.entries().iter().filter_map(|entry| parse_saved_score(entry)).collect();
        let is_answered =
            |id: &&String| saved.iter().any(|it| it.component == **id && it.error.is_none());
        self.components.iter().filter(|id| !is_answered(id)).map(String::as_str).collect()
    }

    /// Returns the rubric that its scores are given by; of flags those of components.
    pub fn rubric_levels(&self) -> &'static RubricLevels {
        RubricLevels::by_rubric(Some(&self.rubric))
    }

    /// Returns the flags so far; None in a document of scores.
    pub fn flags(&self) -> Option<&[FlagRow]> {
        self.flags.as_deref()
    }

    /// Returns the flags of one group so far.
    pub(crate) fn flag_counts_of(&self, group: &str) -> FlagCounts {
        let rows = self.flags.iter().flatten();
        FlagCounts::from_flags(
            rows.map(|row| &row.0).filter(|flag| flag.category.as_deref() == Some(group)),
        )
    }

    /// Returns the scores given so far.
    pub fn component_scores(&self) -> Vec<ComponentScore> {
        let saved = self.scores.iter().filter_map(|score| parse_saved_score(score));
        saved
            .map(|SavedScore { component, score, label, criteria, looks, .. }| ComponentScore {
                component,
                score,
                label,
                criteria,
                is_unlooked: looks == Some(0),
            })
            .collect()
    }

    /// Returns the mean level of the components, 0..4, without unlooked ones; None without any, and for another rubric.
    pub fn mean_fidelity(&self) -> Option<f64> {
        if *self.rubric_levels() != COMPONENT_LEVELS {
            return None;
        }
        let scores = self.component_scores().into_iter().filter(|it| !it.is_unlooked);
        let scores: Vec<f64> = scores.filter_map(|it| it.score.map(f64::from)).collect();
        (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
    }

    /// Enters the answer about a component. A usable answer stays as it is; a malformed one is replaced and kept in
    /// [`Self::asked_again`]; one that failed on the way is replaced and not kept.
    pub(crate) fn enter_answer(
        &mut self,
        component: &str,
        judged: &JudgedItem,
    ) -> serde_json::Result<()> {
        if !self.unanswered_ids().contains(&component) {
            return Ok(());
        }
        let entry = match &mut self.flags {
            None => score_entry(&self.judge, component, judged)?,
            Some(rows) => {
                let new_flags = judged.checked_flags().map_or(&[][..], |flagged| &flagged.flags);
                let mut flags: Vec<Flag> = rows.iter().map(|row| row.0.clone()).collect();
                let before = flags.len();
                let again = unchanged_flags::merge_flags(&mut flags, new_flags);
                let fresh = flags.len() - before;
                rows.extend(flags.drain(before..).map(FlagRow));
                serde_json::value::to_raw_value(&GroupRow::for_group(
                    component, judged, fresh, again,
                ))?
            }
        };
        let ids = &self.components;
        let place = |id: &str| ids.iter().position(|it| it == id);
        let entries = self.groups.as_mut().unwrap_or(&mut self.scores);
        let is_of = |it: &SavedScore| it.component == component;
        let before =
            entries.extract_if(.., |it| parse_saved_score(it).is_some_and(|it| is_of(&it)));
        self.asked_again
            .extend(before.filter(|it| parse_saved_score(it).is_some_and(|it| !it.fault)));
        entries.push(entry);
        entries.sort_by_key(|entry| parse_saved_score(entry).and_then(|it| place(&it.component)));
        if let Some(rows) = &mut self.flags {
            rows.sort_by_key(|FlagRow(row)| {
                (row.category.as_deref().and_then(place), row.path.clone(), row.start)
            });
        }
        Ok(())
    }

    /// Returns the file's bytes.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

fn parse_saved_score(score: &RawValue) -> Option<SavedScore> {
    serde_json::from_str(score.get()).ok()
}

impl DocumentJudge {
    /// Returns the rule for the scores of its criteria.
    fn overall_rule(&self) -> Option<OverallRule> {
        self.overall.as_deref().and_then(OverallRule::by_word)
    }
}

/// Returns the entry of a component's answer, as [`JudgementDocument::scores`] has it.
pub(crate) fn score_entry(
    judge: &DocumentJudge,
    component: &str,
    judged: &JudgedItem,
) -> serde_json::Result<Box<RawValue>> {
    let row = ScoreRow::for_component(component, judged, judge);
    serde_json::value::to_raw_value(&row)
}

impl<'a> ScoreRow<'a> {
    fn for_component(component: &'a str, judged: &'a JudgedItem, judge: &DocumentJudge) -> Self {
        let rule = judge.overall_rule();
        let verdict = judged.verdict();
        let criterion_scores = verdict.map_or(&[][..], |verdict| &verdict.scores);
        let by = |it: &GivenBy| CriterionRow {
            id: it.criterion.clone(),
            score: it.score,
            label: it.name.clone(),
        };
        let scores: Vec<f64> = criterion_scores.iter().map(|it| it.score).collect();
        let moved_lines = |it: &Evidence| match it.quote.as_ref()?.check {
            QuoteCheck::Moved(start, end) => Some((start, end)),
            QuoteCheck::Found | QuoteCheck::Missing => None,
        };
        let lines = |it: &'a Evidence| EvidenceRow {
            path: &it.path,
            start: it.lines.map(|(start, _)| start),
            end: it.lines.map(|(_, end)| end),
            quote: it.quote.as_ref().map(|quote| quote.text.as_str()),
            quote_check: it.quote.as_ref().map(|quote| quote.check.word()),
            quote_start: moved_lines(it).map(|(start, _)| start),
            quote_end: moved_lines(it).map(|(_, end)| end),
        };
        Self {
            component,
            score: verdict.and_then(|verdict| verdict.level),
            label: verdict.map(|verdict| verdict.label.as_str()),
            criteria: criterion_scores.iter().map(by).collect(),
            overall: rule.and_then(|rule| rule.overall_score(&scores)),
            reason: (!criterion_scores.is_empty())
                .then(|| criterion_scores::why_unscored(criterion_scores)),
            confidence: judge
                .confidence_scale
                .as_ref()
                .map(|_| verdict.and_then(|verdict| verdict.confidence)),
            rationale: verdict.map(|verdict| verdict.rationale.as_str()),
            evidence: verdict.map_or(&[][..], |it| &it.evidence).iter().map(lines).collect(),
            evidence_found: verdict.map(|verdict| verdict.quoted_evidence.found),
            evidence_given: verdict.map(|verdict| verdict.quoted_evidence.total),
            looks: judged.look_count(),
            about_sha256: judged.about_sha256.as_deref(),
            course: CourseFields::for_item(judged),
        }
    }
}

impl<'a> GroupRow<'a> {
    fn for_group(group: &'a str, judged: &'a JudgedItem, fresh: usize, again: usize) -> Self {
        let is_answered = judged.checked_flags().is_some();
        let if_answered = |count: usize| is_answered.then_some(count);
        Self {
            group,
            found: if_answered(fresh),
            found_again: if_answered(again),
            course: CourseFields::for_item(judged),
        }
    }
}

impl<'a> CourseFields<'a> {
    fn for_item(judged: &'a JudgedItem) -> Self {
        let left_out = match &judged.decided {
            Some(ItemDecision::Level(verdict)) => verdict.left_out.as_slice(),
            Some(ItemDecision::Flags(flagged)) => flagged.left_out.as_slice(),
            None => &[],
        };
        let fault = judged.fault.as_ref().map(ToString::to_string);
        let tokens: Vec<u64> =
            judged.requests.iter().filter_map(|request| request.usage.total_tokens()).collect();
        Self {
            left_out: left_out.iter().map(|(what, why)| LeftOutEntry { what, why }).collect(),
            trace: &judged.tool_calls,
            requests: &judged.requests,
            tokens: (!tokens.is_empty()).then(|| tokens.iter().sum()),
            seconds: round_to_milliseconds(
                judged.requests.iter().map(|request| request.seconds).sum(),
            ),
            error: judged.error.clone().or(fault),
            fault: judged.fault.is_some(),
        }
    }
}

impl FlagRow {
    /// Counts the flags, in all and by type.
    pub fn count_flags(rows: &[Self]) -> FlagCounts {
        FlagCounts::from_flags(rows.iter().map(|row| &row.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{component::CheckedVerdict, conversation::ReplyUsage, fault::JudgeFault};
    use trajview_formats::{SourceBytes, rubric};
    use trajview_run::rubric::QuotedEvidence;

    fn sample_document() -> JudgementDocument {
        let judge = DocumentJudge::for_settings(
            &JudgeConfig::new("j", JudgeKind::Chat),
            &JudgePrompt::built_in(),
            8,
        );
        let subject = JudgingSubject {
            scale: JudgingScale::Levels,
            shared_vendor: None,
            run: "r".into(),
            commit: Some("abc".into()),
            turn: 3,
            components: vec!["C01".into(), "C02".into()],
            test: None,
            batch_id: None,
        };
        JudgementDocument::new(
            &judge,
            &subject,
            DocumentRepeat { number: 1, of: 1 },
            "2026-01-01T00:00:00Z",
        )
    }

    fn judged_item() -> JudgedItem {
        JudgedItem {
            decided: Some(ItemDecision::Level(CheckedVerdict {
                level: Some(2),
                label: "Simplified".into(),
                scores: vec![],
                rationale: "half of it".into(),
                evidence: vec![Evidence { path: "a.py".into(), lines: Some((1, 2)), quote: None }],
                quoted_evidence: QuotedEvidence { found: 0, total: 2 },
                left_out: vec![("b.py".into(), "no such file".into())],
                confidence: Some(0.75),
            })),
            tool_calls: vec![ToolCallRecord {
                tool: "read".into(),
                arguments: serde_json::json!({"path": "a.py"}),
                bytes: 9,
                sha256: "00".into(),
                excerpt: "a.py".into(),
                is_refused: false,
                request: 1,
            }],
            requests: vec![RequestRecord {
                usage: ReplyUsage { input: Some(10), output: Some(5) },
                seconds: 1.23456,
                attempts: 2,
            }],
            ..JudgedItem::default()
        }
    }

    fn faulty_item() -> JudgedItem {
        JudgedItem { fault: Some(JudgeFault::BrokenOff("gone".into())), ..JudgedItem::default() }
    }

    #[test]
    fn what_is_written_is_read_back_by_the_readers_of_bundles() {
        let mut document = sample_document();
        document.enter_answer("C02", &judged_item()).unwrap();
        document.enter_answer("C01", &faulty_item()).unwrap();

        let bytes = document.to_bytes().unwrap();
        let name = "judgements/j.json";
        let read = rubric::read_rubric(&[SourceBytes { name, bytes: &bytes }]);

        let [judgement] = read.judgements.as_slice() else { panic!("{read:?}") };
        let ids: Vec<_> =
            judgement.verdicts.iter().map(|it| (it.component.as_str(), it.score)).collect();
        assert_eq!(ids, [("C01", None), ("C02", Some(2))]);
        assert_eq!(judgement.verdicts[0].error.as_deref(), Some("the reply was cut short: gone"));
        assert_eq!(judgement.verdicts[1].tokens, Some(15));
        assert_eq!(judgement.verdicts[1].seconds, Some(1.235));
        assert_eq!(judgement.verdicts[1].trace[0].arguments, "{\"path\":\"a.py\"}");
        assert_eq!((judgement.turn, judgement.judge.budget), (Some(3), Some(8)));
    }

    #[test]
    fn documents_of_two_batches_are_not_the_same_judging() {
        let document = sample_document();
        let JudgementDocument { run, commit, turn, components, .. } = document.clone();
        let subject = JudgingSubject {
            scale: JudgingScale::Levels,
            shared_vendor: None,
            run,
            commit,
            turn,
            components,
            test: None,
            batch_id: None,
        };
        let of_batch = JudgingSubject { batch_id: Some("b".into()), ..subject.clone() };

        assert!(document.is_same_judging(&document.judge, &subject));
        assert!(!document.is_same_judging(&document.judge, &of_batch));
    }

    #[test]
    fn a_file_knows_what_it_lacks_and_keeps_what_it_has() {
        let mut first = sample_document();
        first.enter_answer("C01", &judged_item()).unwrap();
        first.enter_answer("C02", &faulty_item()).unwrap();

        let mut second = JudgementDocument::parse(&first.to_bytes().unwrap()).unwrap();
        assert_eq!(second.unanswered_ids(), ["C02"]);
        second.enter_answer("C01", &faulty_item()).unwrap();
        second.enter_answer("C02", &judged_item()).unwrap();

        assert_eq!(second.scores[0].get(), first.scores[0].get());
        assert_eq!(second.unanswered_ids(), Vec::<&str>::new());
        assert!(
            JudgementDocument::parse(b"{\"schema\": \"trajview.judgement/1\", \"scores\": []}")
                .is_none()
        );
    }
}
