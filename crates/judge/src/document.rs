//! A judgement file as we write it (schema `trajview.judgement/1`), and as much of one as is needed to go on with it.
//!
//! What earlier verdicts say is carried over byte for byte. A document of the rubric of five levels has `scores`; one of
//! flags has `groups`, how each was judged, and `flags`, those that were carried on among them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use trajview_run::{
    Place,
    flags::{Counts, Flag},
    rubric::{Codebook, Evidence, Given as GivenBy, Levels, Overall, given},
};

use super::{
    carry,
    component::{Judged, Look, Request, rounded},
    item::Decided,
    prompt::Prompt,
    scale::Scale,
    settings::{Kind, Settings},
    wire::plain,
};

pub const SCHEMA: &str = "trajview.judgement/1";

/// One file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Document {
    pub schema: String,
    pub judge: Judge,
    pub run: String,
    pub commit: Option<String>,
    pub turn: usize,
    pub rubric: String,
    /// RFC 3339.
    pub created_at: String,
    /// None as long as a component is left to ask about, or to ask about again.
    pub finished_at: Option<String>,
    /// Ids of components in the order of the checklist, of groups of criteria, of decisions, or of parts of pillars.
    pub components: Vec<String>,
    pub repeat: Repeat,
    /// Those that were judged so far, in the order of [`Self::components`].
    pub scores: Vec<Box<RawValue>>,
    /// Malformed answers that were asked again, as they stood in [`Self::entries`], the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_again: Vec<Box<RawValue>>,
    /// In the place of scores, where flags are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Box<RawValue>>>,
    /// Of the groups judged so far; what was carried on is there from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    flags: Option<Vec<FlagRow>>,
    /// Of the state that is flagged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines_of_code: Option<u64>,
}

/// One place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FlagRow(#[serde(with = "Written")] Flag);

/// The fields of a flag as a bundle names them.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Flag")]
struct Written {
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
    place: Place,
}

/// Which of several judgings of the same thing this is; counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    pub number: usize,
    pub of: usize,
}

/// Who judges, and by what; two files are repeats of each other only where all of it is equal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    pub name: String,
    /// `http` or `command`.
    pub kind: String,
    /// `chat`, `responses`, `messages` or `command`.
    pub protocol: String,
    pub model: Option<String>,
    pub prompt_sha256: String,
    /// Of the criteria that flags are given by, or of the words of all decisions or parts that are judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria_sha256: Option<String>,
    /// Of the rules a command is told beside the prompt.
    pub rules_sha256: Option<String>,
    pub budget: u32,
    pub temperature: Option<f64>,
    /// What it scores by, where that is a codebook's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<ScoredBy>,
    /// What those scores make together, by the word of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<String>,
}

/// A criterion and its scale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoredBy {
    /// None where it is the only one and has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `1..5`
    pub scale: String,
}

/// What a codebook scores by.
pub fn scored_by(book: &Codebook) -> Vec<ScoredBy> {
    let by = book.scored_by().into_iter();
    by.map(|it| ScoredBy { id: it.criterion, scale: it.scale.to_string() }).collect()
}

/// What is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub scale: Scale,
    /// Id of the run.
    pub run: String,
    pub commit: Option<String>,
    /// Turns done; from 1.
    pub turn: usize,
    /// Ids, in the order of the checklist or of the criteria.
    pub components: Vec<String>,
}

#[derive(Serialize)]
struct Score<'a> {
    component: &'a str,
    /// Null where there is no verdict; never 0 for that.
    score: Option<u8>,
    label: Option<&'a str>,
    /// By a codebook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    criteria: Vec<GivenRow>,
    /// What they make together, where the codebook says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    overall: Option<f64>,
    /// Why there is no score on 0..4 where that is no failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    rationale: Option<&'a str>,
    evidence: Vec<Lines<'a>>,
    /// Of the words that were judged, where they may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    about_sha256: Option<&'a str>,
    #[serde(flatten)]
    heard: Course<'a>,
}

/// 3 and not 3.0, as the score of a level is written.
fn plain_number<S: serde::Serializer>(score: &f64, to: S) -> Result<S::Ok, S::Error> {
    match score.fract() == 0.0 {
        true => to.serialize_u8(*score as u8),
        false => to.serialize_f64(*score),
    }
}

#[derive(Serialize)]
struct Group<'a> {
    group: &'a str,
    /// How many flags it gave that were not there yet; null where it gave no answer.
    found: Option<usize>,
    /// How many it gave that were carried on already.
    found_again: Option<usize>,
    #[serde(flatten)]
    heard: Course<'a>,
}

/// How it went.
#[derive(Serialize)]
struct Course<'a> {
    /// What names nothing in the snapshot.
    left_out: Vec<LeftOut<'a>>,
    trace: &'a [Look],
    requests: &'a [Request],
    tokens: Option<u64>,
    seconds: f64,
    error: Option<String>,
    /// Whether the error is one of the way to the judge: worth asking again.
    fault: bool,
}

#[derive(Serialize)]
struct Lines<'a> {
    path: &'a str,
    start: Option<usize>,
    end: Option<usize>,
}

#[derive(Serialize)]
struct LeftOut<'a> {
    what: &'a str,
    why: &'a str,
}

#[derive(Deserialize)]
struct Known {
    #[serde(alias = "group")]
    component: String,
    #[serde(default)]
    score: Option<u8>,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    criteria: Vec<GivenRow>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    fault: bool,
}

/// A score by one criterion of a codebook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GivenRow {
    /// None where it is the only one and has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(serialize_with = "plain_number")]
    pub score: f64,
    /// Of the level; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// What was said of one component, decision or part.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    pub component: String,
    /// None without an answer, where the judge cannot tell, and where it scored by a codebook.
    pub score: Option<u8>,
    /// None without an answer.
    pub label: Option<String>,
    /// The scores by a codebook; else empty.
    pub criteria: Vec<GivenRow>,
}

impl Judge {
    pub fn of(settings: &Settings, prompt: &Prompt, budget: u32) -> Self {
        let is_command = settings.kind == Kind::Command;
        Self {
            name: settings.name.clone(),
            kind: settings.kind.recorded().to_owned(),
            protocol: settings.kind.word().to_owned(),
            model: Some(settings.model.clone()).filter(|model| !model.is_empty()),
            prompt_sha256: prompt.sha256.clone(),
            criteria_sha256: None,
            rules_sha256: is_command.then(|| trajview_store::sha256(plain::RULES.as_bytes())),
            budget,
            temperature: settings.reply.temperature,
            criteria: vec![],
            overall: None,
        }
    }
}

impl Document {
    pub fn new(judge: &Judge, subject: &Subject, repeat: Repeat, created_at: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            judge: judge.clone(),
            run: subject.run.clone(),
            commit: subject.commit.clone(),
            turn: subject.turn,
            rubric: subject.scale.recorded().to_owned(),
            created_at: created_at.to_owned(),
            finished_at: None,
            components: subject.components.clone(),
            repeat,
            scores: vec![],
            asked_again: vec![],
            groups: (subject.scale == Scale::Flags).then(Vec::new),
            flags: (subject.scale == Scale::Flags).then(Vec::new),
            lines_of_code: None,
        }
    }

    /// With flags of an earlier state whose lines are the same; for a new document of flags.
    pub fn carrying(self, flags: &[Flag], lines_of_code: u64) -> Self {
        let flags = flags.iter().cloned().map(FlagRow).collect();
        Self { flags: Some(flags), lines_of_code: Some(lines_of_code), ..self }
    }

    /// A file of ours; None for any other.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let document: Self = serde_json::from_slice(bytes).ok()?;
        (document.schema == SCHEMA).then_some(document)
    }

    /// Whether it judges the same thing in the same way.
    pub fn is_of(&self, judge: &Judge, subject: &Subject) -> bool {
        let same_state = self.commit == subject.commit && self.turn == subject.turn;
        let same_task = self.run == subject.run
            && self.rubric == subject.scale.recorded()
            && self.components == subject.components;
        self.judge == *judge && same_state && same_task
    }

    pub fn is_finished(&self) -> bool {
        self.finished_at.is_some()
    }

    /// Ids that are to be asked about: those that have no answer that can be used.
    pub fn missing(&self) -> Vec<String> {
        self.unanswered().into_iter().map(str::to_owned).collect()
    }

    /// What was said of each component or group so far.
    pub fn entries(&self) -> &[Box<RawValue>] {
        self.groups.as_ref().unwrap_or(&self.scores)
    }

    /// Ids that were not answered for, in order: not asked about yet, or without an answer that can be used.
    pub fn unanswered(&self) -> Vec<&str> {
        let known: Vec<Known> = self.entries().iter().filter_map(|entry| known(entry)).collect();
        let is_answered =
            |id: &&String| known.iter().any(|it| it.component == **id && it.error.is_none());
        self.components.iter().filter(|id| !is_answered(id)).map(String::as_str).collect()
    }

    /// The rubric that its scores are given by; of flags those of components.
    pub fn levels(&self) -> &'static Levels {
        Levels::of(Some(&self.rubric))
    }

    /// The flags so far; None where none are asked for.
    pub fn flags(&self) -> Option<&[FlagRow]> {
        self.flags.as_deref()
    }

    /// The flags of one group so far.
    pub fn counts_of(&self, group: &str) -> Counts {
        let rows = self.flags.iter().flatten();
        Counts::of(rows.map(|row| &row.0).filter(|flag| flag.category.as_deref() == Some(group)))
    }

    /// The scores given so far.
    pub fn given(&self) -> Vec<Given> {
        let known = self.scores.iter().filter_map(|score| known(score));
        known
            .map(|Known { component, score, label, criteria, .. }| Given {
                component,
                score,
                label,
                criteria,
            })
            .collect()
    }

    /// Enters what was said of a component. An answer that can be used stays as it is; a malformed one makes room and is
    /// kept in [`Self::asked_again`], one that failed on the way is no answer and is not.
    pub fn enter(&mut self, component: &str, judged: &Judged) -> serde_json::Result<()> {
        if !self.missing().iter().any(|id| id == component) {
            return Ok(());
        }
        let entry = match &mut self.flags {
            None => {
                serde_json::value::to_raw_value(&Score::of(component, judged, self.judge.rule()))?
            }
            Some(rows) => {
                let found = judged.flagged().map_or(&[][..], |flagged| &flagged.flags);
                let mut flags: Vec<Flag> = rows.iter().map(|row| row.0.clone()).collect();
                let before = flags.len();
                let again = carry::merge(&mut flags, found);
                let fresh = flags.len() - before;
                rows.extend(flags.drain(before..).map(FlagRow));
                serde_json::value::to_raw_value(&Group::of(component, judged, fresh, again))?
            }
        };
        let ids = &self.components;
        let place = |id: &str| ids.iter().position(|it| it == id);
        let entries = self.groups.as_mut().unwrap_or(&mut self.scores);
        let is_of = |it: &Known| it.component == component;
        let before = entries.extract_if(.., |it| known(it).is_some_and(|it| is_of(&it)));
        self.asked_again.extend(before.filter(|it| known(it).is_some_and(|it| !it.fault)));
        entries.push(entry);
        entries.sort_by_key(|entry| known(entry).and_then(|it| place(&it.component)));
        if let Some(rows) = &mut self.flags {
            rows.sort_by_key(|FlagRow(row)| {
                (row.category.as_deref().and_then(place), row.path.clone(), row.start)
            });
        }
        Ok(())
    }

    /// The file's bytes.
    pub fn bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

fn known(score: &RawValue) -> Option<Known> {
    serde_json::from_str(score.get()).ok()
}

impl Judge {
    /// What the scores of its criteria make together.
    fn rule(&self) -> Option<Overall> {
        self.overall.as_deref().and_then(Overall::by_word)
    }
}

impl<'a> Score<'a> {
    fn of(component: &'a str, judged: &'a Judged, rule: Option<Overall>) -> Self {
        let verdict = judged.verdict();
        let given = verdict.map_or(&[][..], |verdict| &verdict.given);
        let by = |it: &GivenBy| GivenRow {
            id: it.criterion.clone(),
            score: it.score,
            label: it.name.clone(),
        };
        let scores: Vec<f64> = given.iter().map(|it| it.score).collect();
        let lines = |it: &'a Evidence| Lines {
            path: &it.path,
            start: it.lines.map(|(start, _)| start),
            end: it.lines.map(|(_, end)| end),
        };
        Self {
            component,
            score: verdict.and_then(|verdict| verdict.level),
            label: verdict.map(|verdict| verdict.label.as_str()),
            criteria: given.iter().map(by).collect(),
            overall: rule.and_then(|rule| rule.of(&scores)),
            reason: (!given.is_empty()).then(|| given::why_unscored(given)),
            rationale: verdict.map(|verdict| verdict.rationale.as_str()),
            evidence: verdict.map_or(&[][..], |it| &it.evidence).iter().map(lines).collect(),
            about_sha256: judged.about_sha256.as_deref(),
            heard: Course::of(judged),
        }
    }
}

impl<'a> Group<'a> {
    fn of(group: &'a str, judged: &'a Judged, fresh: usize, again: usize) -> Self {
        let is_answered = judged.flagged().is_some();
        let told = |count: usize| is_answered.then_some(count);
        Self { group, found: told(fresh), found_again: told(again), heard: Course::of(judged) }
    }
}

impl<'a> Course<'a> {
    fn of(judged: &'a Judged) -> Self {
        let left_out = match &judged.decided {
            Some(Decided::Level(verdict)) => verdict.left_out.as_slice(),
            Some(Decided::Flags(flagged)) => flagged.left_out.as_slice(),
            None => &[],
        };
        let fault = judged.fault.as_ref().map(ToString::to_string);
        let tokens: Vec<u64> =
            judged.requests.iter().filter_map(|request| request.usage.total()).collect();
        Self {
            left_out: left_out.iter().map(|(what, why)| LeftOut { what, why }).collect(),
            trace: &judged.looks,
            requests: &judged.requests,
            tokens: (!tokens.is_empty()).then(|| tokens.iter().sum()),
            seconds: rounded(judged.requests.iter().map(|request| request.seconds).sum()),
            error: judged.error.clone().or(fault),
            fault: judged.fault.is_some(),
        }
    }
}

impl FlagRow {
    /// How many flags there are, and of which type.
    pub fn counts(rows: &[Self]) -> Counts {
        Counts::of(rows.iter().map(|row| &row.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{component::Verdict, conversation::Usage, fault::Fault};
    use trajview_formats::{Source, rubric};

    fn document() -> Document {
        let judge = Judge::of(&Settings::new("j", Kind::Chat), &Prompt::built_in(), 8);
        let subject = Subject {
            scale: Scale::Levels,
            run: "r".into(),
            commit: Some("abc".into()),
            turn: 3,
            components: vec!["C01".into(), "C02".into()],
        };
        Document::new(&judge, &subject, Repeat { number: 1, of: 1 }, "2026-01-01T00:00:00Z")
    }

    fn judged() -> Judged {
        Judged {
            decided: Some(Decided::Level(Verdict {
                level: Some(2),
                label: "Simplified".into(),
                given: vec![],
                rationale: "half of it".into(),
                evidence: vec![Evidence { path: "a.py".into(), lines: Some((1, 2)) }],
                left_out: vec![("b.py".into(), "no such file".into())],
            })),
            looks: vec![Look {
                tool: "read".into(),
                arguments: serde_json::json!({"path": "a.py"}),
                bytes: 9,
                sha256: "00".into(),
                excerpt: "a.py".into(),
                is_refused: false,
                request: 1,
            }],
            requests: vec![Request {
                usage: Usage { input: Some(10), output: Some(5) },
                seconds: 1.23456,
                attempts: 2,
            }],
            ..Judged::default()
        }
    }

    fn faulty() -> Judged {
        Judged { fault: Some(Fault::Cut("gone".into())), ..Judged::default() }
    }

    #[test]
    fn what_is_written_is_read_back_by_the_readers_of_bundles() {
        let mut document = document();
        document.enter("C02", &judged()).unwrap();
        document.enter("C01", &faulty()).unwrap();

        let bytes = document.bytes().unwrap();
        let name = "judgements/j.json";
        let read = rubric::read(&[Source { name, bytes: &bytes }]);

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
    fn a_file_knows_what_it_lacks_and_keeps_what_it_has() {
        let mut first = document();
        first.enter("C01", &judged()).unwrap();
        first.enter("C02", &faulty()).unwrap();

        let mut second = Document::read(&first.bytes().unwrap()).unwrap();
        assert_eq!(second.missing(), ["C02"]);
        second.enter("C01", &faulty()).unwrap();
        second.enter("C02", &judged()).unwrap();

        assert_eq!(second.scores[0].get(), first.scores[0].get());
        assert_eq!(second.missing(), Vec::<String>::new());
        assert!(
            Document::read(b"{\"schema\": \"trajview.judgement/1\", \"scores\": []}").is_none()
        );
    }
}
