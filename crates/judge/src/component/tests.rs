use std::collections::VecDeque;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{criteria::Criteria, snapshot::tests::snapshot_of};
use trajview_run::rubric::{Component, QuoteCheck};

/// A judge with prepared replies, and a fault after them.
struct ScriptedJudge {
    replies: VecDeque<JudgeReply>,
    conversations: Vec<Conversation>,
}

impl AskJudge for ScriptedJudge {
    fn ask_judge(&mut self, conversation: &Conversation) -> Result<TimedReply, JudgeFault> {
        self.conversations.push(conversation.clone());
        let reply = self.replies.pop_front();
        let reply = reply.ok_or(JudgeFault::BrokenOff("nothing more to say".into()))?;
        Ok(TimedReply { reply, seconds: 0.5, attempts: 1 })
    }
}

fn text_reply(text: &str) -> JudgeReply {
    JudgeReply { text: text.into(), ..JudgeReply::default() }
}

fn reply_with_calls(calls: &[(&str, Value)]) -> JudgeReply {
    let call = |(number, (name, arguments)): (usize, &(&str, Value))| ReplyCall {
        id: format!("call_{number}"),
        name: (*name).into(),
        arguments: arguments.clone().into(),
    };
    JudgeReply { calls: calls.iter().enumerate().map(call).collect(), ..JudgeReply::default() }
}

fn verdict_arguments(level: u8) -> Value {
    json!({"level": level, "rationale": "seen", "evidence": [{"path": "a.py", "start": 1, "end": 2}]})
}

/// Returns a reply that looks at the code.
fn list_reply() -> JudgeReply {
    reply_with_calls(&[("list", json!({}))])
}

fn verdict_reply(answer: Value) -> JudgeReply {
    reply_with_calls(&[("verdict", answer)])
}

fn judge_component(budget: u32, replies: Vec<JudgeReply>) -> (JudgedItem, ScriptedJudge) {
    let component = Component { id: "C01".into(), name: "Masks".into(), ..Component::default() };
    judge_with_replies(&JudgeItem::Component(component), budget, replies)
}

fn judge_with_replies(
    item: &JudgeItem,
    budget: u32,
    replies: Vec<JudgeReply>,
) -> (JudgedItem, ScriptedJudge) {
    let prompt = JudgePrompt::built_in_for(item.scale());
    let snapshot = snapshot_of(&[("a.py", "one\ntwo\n")]);
    let question = JudgeQuestion { item, prompt: &prompt, snapshot: &snapshot, budget };
    let mut judge = ScriptedJudge { replies: replies.into(), conversations: vec![] };
    (super::judge_item(&question, &mut judge), judge)
}

#[test]
fn looks_are_answered_and_kept_and_the_verdict_ends_it() {
    let read_calls =
        reply_with_calls(&[("read", json!({"path": "a.py"})), ("read", json!({"path": "../b"}))]);

    let (judged, judge) = judge_component(
        3,
        vec![read_calls, reply_with_calls(&[("verdict", verdict_arguments(4))])],
    );

    let calls: Vec<_> =
        judged.tool_calls.iter().map(|it| (it.tool.as_str(), it.is_refused, it.request)).collect();
    assert_eq!(calls, [("read", false, 1), ("read", true, 1)]);
    assert_eq!(judged.tool_calls[0].excerpt, "a.py, lines 1-2 of 2\n    1  one\n    2  two");
    assert_eq!(judged.tool_calls[0].bytes, judged.tool_calls[0].excerpt.len());
    assert_eq!(judged.tool_calls[0].sha256, sha256(judged.tool_calls[0].excerpt.as_bytes()));
    assert_eq!(judged.verdict().unwrap().level, Some(4));
    let ConversationEntry::Results(results) = &judge.conversations[1].entries[2] else {
        panic!("no results")
    };
    assert_eq!(results[0].id, "call_0");
    assert!(results[1].text.ends_with("(1 call is left.)"), "{}", results[1].text);
}

#[test]
fn a_look_beyond_the_budget_is_refused_and_then_only_a_verdict_counts() {
    let list_calls = || reply_with_calls(&[("list", json!({})), ("list", json!({}))]);

    let (judged, judge) = judge_component(
        1,
        vec![list_calls(), list_calls(), list_calls(), text_reply("never reached")],
    );

    let refused: Vec<bool> = judged.tool_calls.iter().map(|it| it.is_refused).collect();
    assert_eq!(refused, [false, true]);
    assert_eq!(judged.verdict(), None);
    assert_eq!(
        judged.error.unwrap(),
        "no verdict after two attempts: it made a tool call over the limit"
    );
    assert_eq!(
        judge.conversations.iter().map(|it| it.may_call_tools).collect::<Vec<_>>(),
        [true, false, false]
    );
}

#[test]
fn a_malformed_answer_has_one_more_chance() {
    let (right, judge) = judge_component(
        8,
        vec![
            list_reply(),
            text_reply("It is fine."),
            text_reply(&verdict_arguments(2).to_string()),
        ],
    );
    let replies = vec![list_reply(), text_reply("It is fine."), text_reply("{\"level\": 9}")];
    let (wrong, _) = judge_component(8, replies);

    assert_eq!(right.verdict().unwrap().level, Some(2));
    let Some(ConversationEntry::Sent(words)) = judge.conversations[2].entries.last() else {
        panic!("not corrected")
    };
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

    let (judged, _) = judge_component(8, vec![list_reply(), verdict_reply(answer)]);

    let verdict = judged.verdict().unwrap();
    assert_eq!(verdict.quoted_evidence, QuotedEvidence { found: 0, total: 3 });
    assert_eq!(
        verdict.evidence,
        [Evidence { path: "a.py".into(), lines: Some((1, 1)), quote: None }]
    );
    let left_out: Vec<&str> = verdict.left_out.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(left_out, ["no.py:3-3", "7"]);
}

#[test]
fn a_judge_that_answers_at_once_is_asked_once_to_look_first() {
    let at_once = || verdict_reply(verdict_arguments(4));

    let (looked, judge) = judge_component(8, vec![at_once(), list_reply(), at_once()]);
    let (unlooked, _) = judge_component(8, vec![at_once(), at_once()]);
    let (without_tools, _) = judge_component(0, vec![at_once()]);

    assert_eq!((looked.verdict().unwrap().level, looked.look_count()), (Some(4), 1));
    let Some(ConversationEntry::Results(results)) = judge.conversations[1].entries.last() else {
        panic!("the call has no result")
    };
    assert!(results[0].text.starts_with("You gave this without a look"), "{}", results[0].text);
    assert_eq!((unlooked.verdict().unwrap().level, unlooked.look_count()), (Some(4), 0));
    assert_eq!((unlooked.requests.len(), without_tools.requests.len()), (2, 1));
}

#[test]
fn calls_beside_an_early_verdict_are_answered() {
    let both = reply_with_calls(&[("list", json!({})), ("verdict", verdict_arguments(4))]);

    let (judged, judge) = judge_component(8, vec![both, verdict_reply(verdict_arguments(2))]);

    assert_eq!((judged.verdict().unwrap().level, judged.look_count()), (Some(2), 1));
    let Some(ConversationEntry::Results(results)) = judge.conversations[1].entries.last() else {
        panic!("the calls have no results")
    };
    assert_eq!((&*results[0].id, &*results[1].id), ("call_0", "call_1"));
    assert!(results[0].text.contains("a.py") && results[1].text.starts_with("You gave this"));
}

#[test]
fn quotes_are_looked_for_at_their_lines_and_then_in_the_file() {
    let quoted = |start: usize, quote: &str| json!({"path": "a.py", "start": start, "end": start, "quote": quote});
    let answer = json!({"evidence": [
        quoted(1, "o n e"), quoted(1, "two"), quoted(9, "two"), quoted(2, "three"), {"path": "a.py"},
    ], "rationale": "seen", "level": 3});

    let (judged, _) = judge_component(8, vec![list_reply(), verdict_reply(answer)]);

    let verdict = judged.verdict().unwrap();
    let checks: Vec<_> =
        verdict.evidence.iter().map(|it| it.quote.as_ref().map(|quote| quote.check)).collect();
    let moved = Some(QuoteCheck::Moved(2, 2));
    assert_eq!(checks, [Some(QuoteCheck::Found), moved, moved, Some(QuoteCheck::Missing), None]);
    assert_eq!(verdict.evidence[2].lines, Some((9, 9)), "as the judge named them");
    assert_eq!(verdict.evidence[2].shown_lines(), Some((2, 2)));
    assert_eq!(verdict.quoted_evidence, QuotedEvidence { found: 3, total: 5 });
}

#[test]
fn flags_are_asked_for_in_the_same_way() {
    let group = JudgeItem::Group(Criteria::built_in().groups.remove(0));
    let flag =
        json!({"criterion": "decoration", "path": "a.py", "start": 1, "end": 2, "confidence": 4});
    let answer = json!({"flags": [flag, {"criterion": "decoration", "path": "a.py", "start": 9, "confidence": 1}]});
    let verdict = reply_with_calls(&[("verdict", verdict_arguments(3))]);

    let (judged, judge) =
        judge_with_replies(&group, 1, vec![verdict, reply_with_calls(&[("flags", answer)])]);
    let (wrong, _) =
        judge_with_replies(&group, 0, vec![text_reply("none"), text_reply("{\"flags\": 1}")]);

    let flagged = judged.checked_flags().unwrap();
    assert_eq!((flagged.flags.len(), flagged.left_out.len()), (1, 1));
    assert!(judged.tool_calls[0].is_refused, "the verdict is no tool here");
    assert_eq!(scale::answer_call(judge.conversations[0].scale), "flags");
    assert_eq!(wrong.error.unwrap(), "no flags after two attempts: \"flags\" is not a list");
}

#[test]
fn a_fault_keeps_what_was_looked_at() {
    let (judged, _) = judge_component(8, vec![reply_with_calls(&[("list", json!({}))])]);

    assert_eq!(judged.fault, Some(JudgeFault::BrokenOff("nothing more to say".into())));
    assert_eq!((judged.tool_calls.len(), judged.verdict()), (1, None));
}

fn any_reply() -> impl Strategy<Value = JudgeReply> {
    let call = prop_oneof![
        Just(("list", json!({}))),
        Just(("read", json!({"path": "../x"}))),
        Just(("bash", json!("rm"))),
        Just(("verdict", json!({"level": "?"}))),
    ];
    prop_oneof![
        prop::collection::vec(call, 0..4).prop_map(|them| reply_with_calls(&them)),
        "[a-z{}\":]{0,20}".prop_map(|text| text_reply(&text)),
    ]
}

proptest! {
    #[test]
    fn whatever_a_judge_says_it_is_asked_only_so_often(
        budget in 0..6_u32,
        replies in prop::collection::vec(any_reply(), 20),
    ) {
        let (judged, judge) = judge_component(budget, replies);

        prop_assert!(judge.conversations.len() <= most_requests(JudgingScale::Levels, budget) as usize);
        let answered = judged.tool_calls.iter().filter(|it| !it.is_refused).count();
        prop_assert!(answered <= budget as usize);
        prop_assert!(judged.verdict().is_some() != judged.error.is_some());
    }
}
