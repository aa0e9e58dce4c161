use std::collections::VecDeque;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{criteria::Criteria, snapshot::tests::snapshot_of};
use trajview_run::rubric::Component;

/// A judge that says what it was told to say, and then nothing.
struct Scripted {
    replies: VecDeque<Reply>,
    heard: Vec<Conversation>,
}

impl Ask for Scripted {
    fn ask(&mut self, conversation: &Conversation) -> Result<Asked, Fault> {
        self.heard.push(conversation.clone());
        let reply = self.replies.pop_front();
        let reply = reply.ok_or(Fault::Cut("nothing more to say".into()))?;
        Ok(Asked { reply, seconds: 0.5, attempts: 1 })
    }
}

fn says(text: &str) -> Reply {
    Reply { text: text.into(), ..Reply::default() }
}

fn calls(calls: &[(&str, Value)]) -> Reply {
    let call = |(number, (name, arguments)): (usize, &(&str, Value))| Call {
        id: format!("call_{number}"),
        name: (*name).into(),
        arguments: arguments.clone(),
    };
    Reply { calls: calls.iter().enumerate().map(call).collect(), ..Reply::default() }
}

fn verdict(level: u8) -> Value {
    json!({"level": level, "rationale": "seen", "evidence": [{"path": "a.py", "start": 1, "end": 2}]})
}

fn heard(budget: u32, replies: Vec<Reply>) -> (Judged, Scripted) {
    let component = Component { id: "C01".into(), name: "Masks".into(), ..Component::default() };
    heard_about(&Item::Component(component), budget, replies)
}

fn heard_about(item: &Item, budget: u32, replies: Vec<Reply>) -> (Judged, Scripted) {
    let prompt = Prompt::built_in_for(item.scale());
    let snapshot = snapshot_of(&[("a.py", "one\ntwo\n")]);
    let question = Question { item, prompt: &prompt, snapshot: &snapshot, budget };
    let mut judge = Scripted { replies: replies.into(), heard: vec![] };
    (super::judge(&question, &mut judge), judge)
}

#[test]
fn looks_are_answered_and_kept_and_the_verdict_ends_it() {
    let look = calls(&[("read", json!({"path": "a.py"})), ("read", json!({"path": "../b"}))]);

    let (judged, judge) = heard(3, vec![look, calls(&[("verdict", verdict(4))])]);

    let kept: Vec<_> =
        judged.looks.iter().map(|it| (it.tool.as_str(), it.is_refused, it.request)).collect();
    assert_eq!(kept, [("read", false, 1), ("read", true, 1)]);
    assert_eq!(judged.looks[0].excerpt, "a.py, lines 1-2 of 2\n    1  one\n    2  two");
    assert_eq!(judged.looks[0].bytes, judged.looks[0].excerpt.len());
    assert_eq!(judged.looks[0].sha256, sha256(judged.looks[0].excerpt.as_bytes()));
    assert_eq!(judged.verdict().unwrap().level, Some(4));
    let Entry::Results(results) = &judge.heard[1].entries[2] else { panic!("no results") };
    assert_eq!(results[0].id, "call_0");
    assert!(results[1].text.ends_with("(1 call is left.)"), "{}", results[1].text);
}

#[test]
fn a_look_beyond_the_budget_is_refused_and_then_only_a_verdict_counts() {
    let look = || calls(&[("list", json!({})), ("list", json!({}))]);

    let (judged, judge) = heard(1, vec![look(), look(), look(), says("never reached")]);

    let refused: Vec<bool> = judged.looks.iter().map(|it| it.is_refused).collect();
    assert_eq!(refused, [false, true]);
    assert_eq!(judged.verdict(), None);
    assert_eq!(
        judged.error.unwrap(),
        "no verdict after two attempts: it asked for another look with none left"
    );
    assert_eq!(judge.heard.iter().map(|it| it.may_look).collect::<Vec<_>>(), [true, false, false]);
}

#[test]
fn a_malformed_answer_has_one_more_chance() {
    let (right, judge) = heard(8, vec![says("It is fine."), says(&verdict(2).to_string())]);
    let (wrong, _) = heard(8, vec![says("It is fine."), says("{\"level\": 9}")]);

    assert_eq!(right.verdict().unwrap().level, Some(2));
    let Some(Entry::Said(words)) = judge.heard[1].entries.last() else { panic!("not corrected") };
    assert!(words.starts_with("That was no verdict: the answer has no JSON object."), "{words}");
    assert_eq!(wrong.verdict(), None);
    assert_eq!(
        wrong.error.unwrap(),
        "no verdict after two attempts: the level 9 is not one of 0 to 4"
    );
}

#[test]
fn evidence_that_does_not_exist_is_left_out_and_said() {
    let answer = json!({"level": 1, "rationale": "seen", "evidence": ["a.py:1", "no.py:3", 7]});

    let (judged, _) = heard(8, vec![calls(&[("verdict", answer)])]);

    let verdict = judged.verdict().unwrap();
    assert_eq!(verdict.evidence, [Evidence { path: "a.py".into(), lines: Some((1, 1)) }]);
    let left_out: Vec<&str> = verdict.left_out.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(left_out, ["no.py:3-3", "7"]);
}

#[test]
fn flags_are_asked_for_in_the_same_way() {
    let group = Item::Group(Criteria::built_in().groups.remove(0));
    let flag =
        json!({"criterion": "decoration", "path": "a.py", "start": 1, "end": 2, "confidence": 4});
    let answer = json!({"flags": [flag, {"criterion": "decoration", "path": "a.py", "start": 9, "confidence": 1}]});
    let verdict = calls(&[("verdict", verdict(3))]);

    let (judged, judge) = heard_about(&group, 1, vec![verdict, calls(&[("flags", answer)])]);
    let (wrong, _) = heard_about(&group, 0, vec![says("none"), says("{\"flags\": 1}")]);

    let flagged = judged.flagged().unwrap();
    assert_eq!((flagged.flags.len(), flagged.left_out.len()), (1, 1));
    assert!(judged.looks[0].is_refused, "the verdict is no tool here");
    assert_eq!(judge.heard[0].scale.call(), "flags");
    assert_eq!(wrong.error.unwrap(), "no flags after two attempts: \"flags\" is not a list");
}

#[test]
fn a_fault_keeps_what_was_looked_at() {
    let (judged, _) = heard(8, vec![calls(&[("list", json!({}))])]);

    assert_eq!(judged.fault, Some(Fault::Cut("nothing more to say".into())));
    assert_eq!((judged.looks.len(), judged.verdict()), (1, None));
}

fn any_reply() -> impl Strategy<Value = Reply> {
    let call = prop_oneof![
        Just(("list", json!({}))),
        Just(("read", json!({"path": "../x"}))),
        Just(("bash", json!("rm"))),
        Just(("verdict", json!({"level": "?"}))),
    ];
    prop_oneof![
        prop::collection::vec(call, 0..4).prop_map(|them| calls(&them)),
        "[a-z{}\":]{0,20}".prop_map(|text| says(&text)),
    ]
}

proptest! {
    #[test]
    fn whatever_a_judge_says_it_is_asked_only_so_often(
        budget in 0..6_u32,
        replies in prop::collection::vec(any_reply(), 20),
    ) {
        let (judged, judge) = heard(budget, replies);

        prop_assert!(judge.heard.len() <= most_requests(budget) as usize);
        let answered = judged.looks.iter().filter(|it| !it.is_refused).count();
        prop_assert!(answered <= budget as usize);
        prop_assert!(judged.verdict().is_some() != judged.error.is_some());
    }
}
