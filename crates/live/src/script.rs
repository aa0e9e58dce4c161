//! What the agent is asked, request by request.
//!
//! A script is `script.json` of a bundle. An emergent one has a request a turn; a single-shot one has one request, which
//! may be made from a specification or from an emergent script. The bundle's own `script.json` is the script as it was
//! really carried out so far, with what was skipped and edited, followed by what is still to be asked: a run that was
//! interrupted goes on with it.

use serde::{Deserialize, Serialize};
use trajview_run::values::worded;
use trajview_store::sha256;

/// One request and all that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Request {
    /// Counts from 1, without gaps.
    #[serde(default)]
    pub turn: usize,
    pub text: String,
    /// The checkpoint that ends with this turn.
    #[serde(default)]
    pub checkpoint: Option<String>,
    /// Its number in the script as it was given; None where that is [`Self::turn`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// What the script said, where a person edited it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// Whether the script has no such request: a person typed it into the agent's terminal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub typed: bool,
}

/// A checkpoint's name for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub id: String,
    #[serde(default)]
    pub label: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Script {
    #[serde(default)]
    pub schema: String,
    #[serde(default)]
    pub task: Option<String>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub condition: Option<String>,
    /// The whole wish as one text, for single-shot runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specification: Option<String>,
    /// How a single request was made from many; a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Label>,
    pub requests: Vec<Request>,
    /// Whether a person types every request into the agent's screen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chat: bool,
    /// What was never asked, because a person said so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Request>,
}

worded! {
    /// How a script is asked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Condition {
        /// One request a turn.
        #[default]
        Emergent = "emergent",
        /// Everything in one request.
        SingleShot = "single-shot",
    }
}

const SCHEMA: &str = "trajview.script/1";

/// The checkpoint at the end of a single-shot run whose script names several.
const WHOLE: &str = "final";

impl Script {
    /// The error is a sentence without the file's name.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut script: Self = serde_json::from_slice(bytes)
            .map_err(|why| format!("does not read as a script: {why}"))?;
        if !script.schema.is_empty() && script.schema != SCHEMA {
            let schema = &script.schema;
            return Err(format!("has schema {schema:?}; this version reads {SCHEMA:?}"));
        }
        script.schema = SCHEMA.into();
        if let Some(at) = script.requests.iter().position(|it| it.text.trim().is_empty()) {
            return Err(format!("request {} has no text", at + 1));
        }
        if script.requests.is_empty() && script.specification.is_none() && !script.chat {
            return Err("has no requests".into());
        }
        script.requests.sort_by_key(|it| it.turn); // stable: those without numbers stay as they are
        script.count();
        Ok(script)
    }

    /// A script of one request.
    pub fn of_specification(text: &str) -> Self {
        let specification = Some(text.to_owned());
        Self { schema: SCHEMA.into(), specification, ..Self::default() }
    }

    /// A script without a request: a person types them.
    pub fn of_chat() -> Self {
        let condition = Some(Condition::Emergent.word().to_owned());
        Self { schema: SCHEMA.into(), chat: true, condition, ..Self::default() }
    }

    /// The condition it says itself; None where it says none that we know.
    pub fn own_condition(&self) -> Option<Condition> {
        self.condition.as_deref().and_then(Condition::by_word)
    }

    /// The script as it is asked under a condition. The error is a sentence.
    pub fn under(
        mut self,
        condition: Condition,
        specification: Option<String>,
    ) -> Result<Self, String> {
        if condition == Condition::SingleShot {
            self.make_single(specification);
        } else if specification.is_some() {
            return Err(
                "a specification is for a single-shot run; say --condition single-shot".into()
            );
        } else if self.requests.is_empty() {
            return Err("has a specification and no requests; say --condition single-shot".into());
        }
        self.condition = Some(condition.word().into());
        Ok(self)
    }

    /// A script of requests that a recording holds, in order, each with the checkpoint that ends with it.
    pub fn of_requests(requests: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let request = |(text, checkpoint)| Request { text, checkpoint, ..Request::default() };
        let requests = requests.into_iter().map(request).collect();
        let mut script = Self { schema: SCHEMA.into(), requests, ..Self::default() };
        script.count();
        script
    }

    fn make_single(&mut self, given: Option<String>) {
        let (text, made) = match (given, self.specification.clone()) {
            (Some(text), _) if !text.trim().is_empty() => {
                (text, Some("the request is the specification that was given"))
            }
            (_, Some(text)) if !text.trim().is_empty() => {
                (text, Some("the request is the script's specification"))
            }
            _ if self.requests.len() == 1 => return,
            _ => (
                self.joined(),
                Some("the request is all requests of the script, in order, under their numbers"),
            ),
        };
        let ends_somewhere = self.requests.iter().any(|it| it.checkpoint.is_some());
        self.checkpoints.clear();
        self.made = made.map(str::to_owned);
        let checkpoint = ends_somewhere.then(|| WHOLE.to_owned());
        self.requests = vec![Request { turn: 1, text, checkpoint, ..Request::default() }];
    }

    fn joined(&self) -> String {
        let opening = "This is one task in several parts. Do all of them, in this order.";
        let parts = self.requests.iter().map(|it| format!("{}. {}", it.turn, it.text.trim()));
        std::iter::once(opening.to_owned()).chain(parts).collect::<Vec<_>>().join("\n\n")
    }

    /// Numbers the requests as they are asked.
    fn count(&mut self) {
        for (request, turn) in self.requests.iter_mut().zip(1..) {
            if request.turn != turn && request.turn != 0 && request.number.is_none() {
                request.number = Some(request.turn);
            }
            request.turn = turn;
        }
    }

    /// Of the words of all requests, in order.
    pub fn sha256(&self) -> String {
        let words: Vec<&str> = self.requests.iter().map(|it| it.text.as_str()).collect();
        sha256(words.join("\0").as_bytes())
    }

    /// The request of a turn, which counts from 1.
    pub fn request(&self, turn: usize) -> Option<&Request> {
        self.requests.get(turn.checked_sub(1)?)
    }

    /// Takes a request away. Where it ended a checkpoint, the request before it ends it now, unless it ends one already.
    pub fn skip(&mut self, turn: usize) -> bool {
        let Some(at) = turn.checked_sub(1).filter(|at| *at < self.requests.len()) else {
            return false;
        };
        let mut request = self.requests.remove(at);
        request.number = request.number.or(Some(request.turn));
        if let Some(before) = at.checked_sub(1).and_then(|at| self.requests.get_mut(at))
            && before.checkpoint.is_none()
        {
            before.checkpoint.clone_from(&request.checkpoint);
        }
        self.skipped.push(request);
        self.count();
        true
    }

    /// Puts a request that a person typed before that of a turn.
    pub fn insert_typed(&mut self, turn: usize, text: &str) {
        let at = turn.saturating_sub(1).min(self.requests.len());
        let typed = Request { text: text.to_owned(), typed: true, ..Request::default() };
        self.requests.insert(at, typed);
        self.count();
    }

    /// Gives a request other words.
    pub fn edit(&mut self, turn: usize, text: &str) -> bool {
        let request = turn.checked_sub(1).and_then(|at| self.requests.get_mut(at));
        let Some(request) = request.filter(|_| !text.trim().is_empty()) else { return false };
        if request.text != text {
            let before = std::mem::replace(&mut request.text, text.to_owned());
            request.original.get_or_insert(before);
        }
        true
    }

    /// What people call a checkpoint.
    pub fn label(&self, checkpoint: &str) -> Option<&str> {
        self.checkpoints.iter().find(|it| it.id == checkpoint)?.label.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &[u8] =
        br#"{"schema": "trajview.script/1", "task": "t", "condition": "emergent", "requests": [
        {"turn": 1, "text": "one", "checkpoint": null},
        {"turn": 2, "text": "two", "checkpoint": "c1"},
        {"turn": 3, "text": "three", "checkpoint": "c2"}]}"#;

    fn texts(script: &Script) -> Vec<(usize, &str, Option<&str>)> {
        script
            .requests
            .iter()
            .map(|it| (it.turn, it.text.as_str(), it.checkpoint.as_deref()))
            .collect()
    }

    #[test]
    fn a_script_is_read_and_wrong_ones_are_told() {
        let script = Script::read(THREE).unwrap();
        assert_eq!(
            texts(&script),
            [(1, "one", None), (2, "two", Some("c1")), (3, "three", Some("c2"))]
        );
        for (text, why) in [
            ("[]", "does not read as a script"),
            (r#"{"requests": []}"#, "has no requests"),
            (r#"{"requests": [{"text": " "}]}"#, "request 1 has no text"),
            (r#"{"schema": "x/1", "requests": []}"#, "has schema \"x/1\"; this version reads"),
        ] {
            let said = Script::read(text.as_bytes()).unwrap_err();
            assert!(said.starts_with(why), "{said}");
        }
    }

    #[test]
    fn one_request_is_made_of_many_or_of_a_specification() {
        let script = Script::read(THREE).unwrap();

        let joined = script.clone().under(Condition::SingleShot, None).unwrap();
        let given = script.clone().under(Condition::SingleShot, Some("all".into())).unwrap();

        assert_eq!(joined.requests.len(), 1);
        assert!(joined.requests[0].text.ends_with("1. one\n\n2. two\n\n3. three"));
        assert_eq!(joined.condition.as_deref(), Some("single-shot"));
        assert!(joined.made.is_some());
        assert_eq!(texts(&given), [(1, "all", Some("final"))]);
        assert_eq!(script.clone().under(Condition::Emergent, None).unwrap(), script);
    }

    #[test]
    fn what_is_skipped_or_edited_stays_on_record() {
        let mut script = Script::read(THREE).unwrap();
        assert!(script.skip(2) && script.edit(2, "3, better") && !script.edit(9, "x"));

        assert_eq!(texts(&script), [(1, "one", Some("c1")), (2, "3, better", Some("c2"))]);
        assert_eq!(script.requests[1].original.as_deref(), Some("three"));
        assert_eq!(script.requests[1].number, Some(3));
        assert_eq!(script.skipped[0].text, "two");
        let again = Script::read(&serde_json::to_vec(&script).unwrap()).unwrap();
        assert_eq!(again, script);
    }
}
