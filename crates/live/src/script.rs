//! The requests to an agent.
//!
//! A script is `script.json` of a bundle. An emergent one has a request a turn; a single-shot one has one request, which
//! may be made from a specification or from an emergent script. The bundle's own `script.json` is the script as it was
//! carried out so far, with skipped and edited requests, followed by the requests that are left: an interrupted run is
//! resumed with it.

use serde::{Deserialize, Serialize};
use trajview_run::{condition::Condition, live::ScriptedRequest};
use trajview_store::sha256;

/// A checkpoint's name for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckpointLabel {
    pub id: String,
    #[serde(default)]
    pub label: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RequestScript {
    #[serde(default)]
    pub schema: String,
    #[serde(default)]
    pub task: Option<String>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub condition: Option<String>,
    /// The whole task as one text, for single-shot runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specification: Option<String>,
    /// The origin of a single request that was made from many; a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<CheckpointLabel>,
    pub requests: Vec<ScriptedRequest>,
    /// True if a person types every request into the agent's screen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chat: bool,
    /// The requests that a person skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<ScriptedRequest>,
}

const SCHEMA: &str = "trajview.script/1";

/// The checkpoint at the end of a single-shot run whose script names several.
const FINAL_CHECKPOINT: &str = "final";

impl RequestScript {
    /// Parses a script. The error is a sentence without the file's name.
    pub fn parse_script(bytes: &[u8]) -> Result<Self, String> {
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
        script.number_requests();
        Ok(script)
    }

    /// Makes a script of one request.
    pub fn from_specification(text: &str) -> Self {
        let specification = Some(text.to_owned());
        Self { schema: SCHEMA.into(), specification, ..Self::default() }
    }

    /// Makes a script without requests: a person types them.
    pub fn for_chat() -> Self {
        let condition = Some(Condition::Emergent.word().to_owned());
        Self { schema: SCHEMA.into(), chat: true, condition, ..Self::default() }
    }

    /// Returns the script's own condition; None when it has none that is known.
    pub fn own_condition(&self) -> Option<Condition> {
        self.condition.as_deref().and_then(Condition::by_word)
    }

    /// Converts the script for a condition. The error is a sentence.
    pub fn for_condition(
        mut self,
        condition: Condition,
        specification: Option<String>,
    ) -> Result<Self, String> {
        if condition == Condition::SingleShot {
            self.make_single(specification);
        } else if specification.is_some() {
            return Err(
                "a specification needs a single-shot run; add --condition single-shot".into()
            );
        } else if self.requests.is_empty() {
            return Err("has a specification and no requests; add --condition single-shot".into());
        }
        self.condition = Some(condition.word().into());
        Ok(self)
    }

    /// Makes a script of a recording's requests, in order, each with the checkpoint that ends with it.
    pub fn from_requests(requests: impl IntoIterator<Item = (String, Option<String>)>) -> Self {
        let request =
            |(text, checkpoint)| ScriptedRequest { text, checkpoint, ..ScriptedRequest::default() };
        let requests = requests.into_iter().map(request).collect();
        let mut script = Self { schema: SCHEMA.into(), requests, ..Self::default() };
        script.number_requests();
        script
    }

    fn make_single(&mut self, given: Option<String>) {
        let (text, made) = match (given, self.specification.clone()) {
            (Some(text), _) if !text.trim().is_empty() => {
                (text, Some("the request is the given specification"))
            }
            (_, Some(text)) if !text.trim().is_empty() => {
                (text, Some("the request is the script's specification"))
            }
            _ if self.requests.len() == 1 => return,
            _ => (
                self.joined_requests(),
                Some("the request is all requests of the script, in order, under their numbers"),
            ),
        };
        let ends_somewhere = self.requests.iter().any(|it| it.checkpoint.is_some());
        self.checkpoints.clear();
        self.made = made.map(str::to_owned);
        let checkpoint = ends_somewhere.then(|| FINAL_CHECKPOINT.to_owned());
        self.requests =
            vec![ScriptedRequest { turn: 1, text, checkpoint, ..ScriptedRequest::default() }];
    }

    fn joined_requests(&self) -> String {
        let opening = "This is one task in several parts. Do all of them, in this order.";
        let parts = self.requests.iter().map(|it| format!("{}. {}", it.turn, it.text.trim()));
        std::iter::once(opening.to_owned()).chain(parts).collect::<Vec<_>>().join("\n\n")
    }

    /// Numbers the requests in their order.
    fn number_requests(&mut self) {
        for (request, turn) in self.requests.iter_mut().zip(1..) {
            if request.turn != turn && request.turn != 0 && request.number.is_none() {
                request.number = Some(request.turn);
            }
            request.turn = turn;
        }
    }

    /// Returns the hash of the texts of all requests, in order.
    pub(crate) fn requests_sha256(&self) -> String {
        let words: Vec<&str> = self.requests.iter().map(|it| it.text.as_str()).collect();
        sha256(words.join("\0").as_bytes())
    }

    /// Returns the request of a turn, which counts from 1.
    pub(crate) fn request_of_turn(&self, turn: usize) -> Option<&ScriptedRequest> {
        self.requests.get(turn.checked_sub(1)?)
    }

    /// Removes the request of a turn, counted from 1; returns false where there is none. A checkpoint that it ended now
    /// ends with the request before it, unless that ends one already.
    pub(crate) fn remove_request(&mut self, turn: usize) -> bool {
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
        self.number_requests();
        true
    }

    /// Inserts a request that a person typed before that of a turn.
    pub fn insert_typed_request(&mut self, turn: usize, text: &str) {
        let at = turn.saturating_sub(1).min(self.requests.len());
        let typed =
            ScriptedRequest { text: text.to_owned(), typed: true, ..ScriptedRequest::default() };
        self.requests.insert(at, typed);
        self.number_requests();
    }

    /// Changes the text of the request of a turn, counted from 1. Returns false where there is none, or the new text is
    /// blank.
    pub(crate) fn edit_request(&mut self, turn: usize, text: &str) -> bool {
        let request = turn.checked_sub(1).and_then(|at| self.requests.get_mut(at));
        let Some(request) = request.filter(|_| !text.trim().is_empty()) else { return false };
        if request.text != text {
            let before = std::mem::replace(&mut request.text, text.to_owned());
            request.original.get_or_insert(before);
        }
        true
    }

    /// Returns the label of a checkpoint.
    pub(crate) fn checkpoint_label(&self, checkpoint: &str) -> Option<&str> {
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

    fn turns_and_texts(script: &RequestScript) -> Vec<(usize, &str, Option<&str>)> {
        script
            .requests
            .iter()
            .map(|it| (it.turn, it.text.as_str(), it.checkpoint.as_deref()))
            .collect()
    }

    #[test]
    fn a_script_is_read_and_wrong_ones_are_told() {
        let script = RequestScript::parse_script(THREE).unwrap();
        assert_eq!(
            turns_and_texts(&script),
            [(1, "one", None), (2, "two", Some("c1")), (3, "three", Some("c2"))]
        );
        for (text, why) in [
            ("[]", "does not read as a script"),
            (r#"{"requests": []}"#, "has no requests"),
            (r#"{"requests": [{"text": " "}]}"#, "request 1 has no text"),
            (r#"{"schema": "x/1", "requests": []}"#, "has schema \"x/1\"; this version reads"),
        ] {
            let error = RequestScript::parse_script(text.as_bytes()).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
    }

    #[test]
    fn one_request_is_made_of_many_or_of_a_specification() {
        let script = RequestScript::parse_script(THREE).unwrap();

        let joined = script.clone().for_condition(Condition::SingleShot, None).unwrap();
        let given =
            script.clone().for_condition(Condition::SingleShot, Some("all".into())).unwrap();

        assert_eq!(joined.requests.len(), 1);
        assert!(joined.requests[0].text.ends_with("1. one\n\n2. two\n\n3. three"));
        assert_eq!(joined.condition.as_deref(), Some("single-shot"));
        assert!(joined.made.is_some());
        assert_eq!(turns_and_texts(&given), [(1, "all", Some("final"))]);
        assert_eq!(script.clone().for_condition(Condition::Emergent, None).unwrap(), script);
    }

    #[test]
    fn what_is_skipped_or_edited_stays_on_record() {
        let mut script = RequestScript::parse_script(THREE).unwrap();
        assert!(
            script.remove_request(2)
                && script.edit_request(2, "3, better")
                && !script.edit_request(9, "x")
        );

        assert_eq!(
            turns_and_texts(&script),
            [(1, "one", Some("c1")), (2, "3, better", Some("c2"))]
        );
        assert_eq!(script.requests[1].original.as_deref(), Some("three"));
        assert_eq!(script.requests[1].number, Some(3));
        assert_eq!(script.skipped[0].text, "two");
        let again = RequestScript::parse_script(&serde_json::to_vec(&script).unwrap()).unwrap();
        assert_eq!(again, script);
    }
}
