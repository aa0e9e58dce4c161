use super::{structure::tests::*, *};
use crate::{ContextUse, HelperAnswer, HelperPrompt, NoHelper, StepSeen};

const FILES: [(&str, &str); 3] = [
    ("p/schedule.py", "class CosineSchedule:\n    def snr(self, t): pass\n"),
    (
        "p/train.py",
        "from p.schedule import CosineSchedule\ndef train_step(x):\n    return CosineSchedule()\n",
    ),
    ("tests/test_train.py", "import p.train\n"),
];

fn guard_with(spec: &str) -> ProjectGuard {
    ProjectGuard::new(&spec.parse().unwrap())
}

/// Answers with these texts, the first first.
struct ScriptedHelper(Vec<&'static str>);

impl HelperModel for ScriptedHelper {
    fn is_available(&self) -> bool {
        true
    }

    fn ask_model(&mut self, _prompt: &HelperPrompt) -> Result<HelperAnswer, String> {
        Ok(HelperAnswer { text: self.0.remove(0).to_owned(), ..HelperAnswer::default() })
    }
}

fn brief_before(
    guard: &mut ProjectGuard,
    helper: &mut dyn HelperModel,
    used: Option<u64>,
) -> Option<Brief> {
    let project = python_project(&FILES);
    let earlier = ["The schedule must always be the cosine one in training.".to_owned()];
    let moment = RequestMoment {
        turn: 2,
        request: "Training is too slow, make it faster.",
        earlier: &earlier,
        project: &project,
        context: ContextUse { used, window: used.map(|_| 100_000) },
    };
    guard.before_request(&moment, helper).unwrap()
}

fn finish_turn(
    guard: &mut ProjectGuard,
    helper: &mut dyn HelperModel,
    request: &str,
) -> Result<(), String> {
    let project = python_project(&FILES);
    let step = |number, edits| StepSeen { number, edits, ..StepSeen::default() };
    let steps = [step(1, false), step(2, true), StepSeen { failed: true, ..step(3, true) }];
    let changes = [changed_file("p/train.py")];
    let done = TurnDone { turn: 1, request, steps: &steps, project: &project, changes: &changes };
    guard.after_turn(&done, helper)
}

#[test]
fn a_brief_without_a_model_names_modules_their_users_and_what_was_laid_down() {
    let mut guard = guard_with("projectguard");
    finish_turn(
        &mut guard,
        &mut NoHelper,
        "The schedule must always be the cosine one in training.",
    )
    .unwrap();

    let brief = brief_before(&mut guard, &mut NoHelper, None).unwrap();

    insta::assert_snapshot!(brief.text(), @r"
    Files that share names or words with this request:
    - p/train.py: train_step(x)
    They use this; use it too rather than writing it anew:
    - p/schedule.py: CosineSchedule
    Laid down earlier, and not taken back:
    - The schedule must always be the cosine one in training. (turn 1)
    ");
    assert_eq!(brief.forecast, ["p/train.py", "tests/test_train.py"]);
    assert_eq!(brief.restarts, None);
}

#[test]
fn parts_work_alone() {
    let text = |spec: &str| {
        let mut guard = guard_with(spec);
        finish_turn(&mut guard, &mut NoHelper, "The schedule must always be cosine in training.")
            .unwrap();
        let brief = brief_before(&mut guard, &mut NoHelper, Some(99_000));
        let state = guard.state();
        let folders = state.keys().filter_map(|file| file.split('/').next());
        let mut folders: Vec<String> = folders.map(str::to_owned).collect();
        folders.dedup();
        let brief = brief.unwrap_or_default();
        (
            brief.text().contains("train_step"),
            brief.text().contains("cosine"),
            brief.restarts.is_some(),
            folders.join(" "),
        )
    };

    assert_eq!(text("projectguard:structural"), (true, false, false, "structure".into()));
    assert_eq!(text("projectguard:semantic"), (false, true, false, "records".into()));
    assert_eq!(text("projectguard:restart"), (false, false, true, "restart.tsv".into()));
    assert_eq!(text("projectguard:forecast"), (false, true, false, String::new()));
}

#[test]
fn what_a_model_proposes_is_let_in_where_it_cites_the_request_or_an_edit() {
    let mut guard = guard_with("projectguard:semantic");
    let proposals = r#"{"records":[
        {"type":"design","title":"Schedule","body":"One cosine schedule.","origins":["request"]},
        {"type":"decision","title":"Step","body":"train_step takes x.","origins":["step 2"],"relations":[{"relation":"operationalises","to":"design-1"},{"relation":"x","to":"nowhere"}]},
        {"type":"decision","title":"Said only","body":"Could be linear.","origins":["step 1"]},
        {"type":"decision","title":"Failed","body":"Did not work.","origins":["step 3"]},
        {"type":"wish","title":"W","body":"w","origins":["request"]},
        {"title":"No type"}]}"#;

    finish_turn(&mut guard, &mut ScriptedHelper(vec![proposals]), "Use one schedule.").unwrap();

    let state = guard.state();
    let files: Vec<&str> = state.keys().map(String::as_str).collect();
    assert_eq!(files, ["dropped.tsv", "edges.tsv", "records/decision-1.md", "records/design-1.md"]);
    assert_eq!(
        state["edges.tsv"],
        "from\trelation\tto\tturn\ndecision-1\toperationalises\tdesign-1\t1\n"
    );
    assert_eq!(state["dropped.tsv"].lines().count(), 5);
    assert!(state["dropped.tsv"].contains("1\tSaid only\tit cites neither"));

    let again = r#"Here: {"records":[{"type":"design","title":"schedule","body":"One linear schedule.","origins":["request"]}]}"#;
    finish_turn(&mut guard, &mut ScriptedHelper(vec![again]), "Use one schedule.").unwrap();
    let text = &guard.state()["records/design-1.md"];
    assert!(text.contains("One linear schedule.") && text.contains("until turn 1: One cosine"));
}

#[test]
fn an_answer_that_cannot_be_read_leaves_the_records_to_the_request() {
    let mut guard = guard_with("projectguard:semantic");

    let told = finish_turn(
        &mut guard,
        &mut ScriptedHelper(vec!["sorry"]),
        "It must never be linear at all.",
    );

    assert!(told.unwrap_err().contains("extracted from its request"));
    assert!(guard.state().contains_key("records/design-1.md"));
}

#[test]
fn a_line_of_a_model_that_cites_nothing_that_is_there_is_dropped() {
    let mut guard = guard_with("projectguard:structural,forecast");
    let answer = r#"{"purpose":{"text":"Speed.","cites":["request 2"]},"lines":[
        {"text":"p/train.py has train_step.","cites":["structure/p/train.py.md"]},
        {"text":"Made up.","cites":["structure/no.md","request 9"]},
        {"text":"Uncited."}],"revise":"compatibly","files":["p/train.py","p/no.py"]}"#;

    let brief = brief_before(&mut guard, &mut ScriptedHelper(vec![answer]), None).unwrap();

    assert_eq!(
        brief.text(),
        "- Speed.\n- p/train.py has train_step.\n- Revise what is there compatibly."
    );
    assert_eq!(brief.forecast, ["p/train.py"]);
    assert!(brief.why.contains("2 of its lines cited nothing"));
}

#[test]
fn what_is_restored_goes_on_like_what_was_kept() {
    let mut kept = guard_with("projectguard");
    finish_turn(&mut kept, &mut NoHelper, "The schedule must always be the cosine one.").unwrap();
    brief_before(&mut kept, &mut NoHelper, Some(99_000));
    let mut restored = guard_with("projectguard");

    restored.restore(&kept.state());

    assert_eq!(restored.state(), kept.state());
    assert_eq!(
        brief_before(&mut restored, &mut NoHelper, Some(99_000)),
        brief_before(&mut kept, &mut NoHelper, Some(99_000))
    );
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_the_states_bytes_restore_returns(
            state in proptest::collection::btree_map(
                "(records/(design|decision|x)-[0-9]{1,3}\\.md|structure/.{0,9}\\.md|edges.tsv|restart.tsv|dropped.tsv|.{0,9})",
                "(---\n(type|title|status|origins|changed): .{0,20}\n---\n)?.{0,40}\n?(## Earlier\n- until turn [0-9]{0,30}: .{0,9})?",
                0..6,
            )
        ) {
            let mut guard = guard_with("projectguard");
            guard.restore(&state);
            brief_before(&mut guard, &mut NoHelper, Some(1));
            let once = guard.state();
            let mut again = super::guard_with("projectguard");
            again.restore(&once);
            brief_before(&mut again, &mut NoHelper, Some(1));
            prop_assert_eq!(again.state(), once);
        }

        #[test]
        fn whatever_a_model_answers_the_layer_goes_on(answer in ".{0,80}|\\{\"records\":\\[.{0,60}\\]\\}") {
            let mut guard = guard_with("projectguard");
            let answer: &'static str = Box::leak(answer.into_boxed_str());
            let _ = finish_turn(&mut guard, &mut ScriptedHelper(vec![answer]), "It must be so for ever.");
            prop_assert!(brief_before(&mut guard, &mut ScriptedHelper(vec![answer]), None).is_some());
        }
    }
}
