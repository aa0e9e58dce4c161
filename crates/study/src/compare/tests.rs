use super::*;
use trajview_code::patch::LineCounts;
use trajview_metrics::{
    BetterDirection, Number,
    numbers::{COMPARED, NumberValues, SLUMP},
    phase::TaskPhase,
};
use trajview_run::{
    Checkpoint, RepoPath, Task, Tokens, Turn,
    files::{MemoryBlobs, SourceTree, TreeFile},
    find_by_name::JudgeSelection,
    rubric::{Checklist, Component, Judge, Verdict},
};

const LOSS: Subtraction = Subtraction { from: 1, subtracted: 0, is_slump: true };

fn checklist_with(ids: &[&str]) -> Checklist {
    let component = |id: &&str| Component {
        id: (*id).into(),
        name: format!("part {id}"),
        ..Component::default()
    };
    Checklist { task: None, judge: None, components: ids.iter().map(component).collect() }
}

fn judgement_with(judge: &str, turn: Option<usize>, scores: &[(&str, Option<u8>)]) -> Judgement {
    let verdict = |(id, score): &(&str, Option<u8>)| Verdict {
        component: (*id).into(),
        score: *score,
        error: score.is_none().then(|| "out of budget".into()),
        ..Verdict::default()
    };
    Judgement {
        judge: Judge { name: judge.into(), ..Judge::default() },
        turn,
        verdicts: scores.iter().map(verdict).collect(),
        ..Judgement::default()
    }
}

fn run_with(turns: usize, checkpoints: &[(&str, &str, usize)]) -> Run {
    let checkpoint = |(id, label, last): &(&str, &str, usize)| Checkpoint {
        id: (*id).into(),
        label: (!label.is_empty()).then(|| (*label).into()),
        last_turn: last - 1,
        ..Checkpoint::default()
    };
    Run {
        turns: vec![Turn::default(); turns],
        checkpoints: checkpoints.iter().map(checkpoint).collect(),
        ..Run::default()
    }
}

fn compared_run(run: Run, judgements: Vec<Judgement>) -> ComparedRun {
    let rubric = Rubric { judgements, ..Rubric::default() };
    let judgement = super::chosen_judgements(&[&rubric], None)[0];
    ComparedRun { judgement, ..ComparedRun::new(Arc::new(run), rubric) }
}

#[test]
fn loss_is_single_shot_minus_emergent_whichever_is_named_first() {
    let emergent_first =
        Subtraction::by_conditions((0, 1), (Some("emergent"), Some("single-shot")));
    let emergent_last = Subtraction::by_conditions((0, 1), (Some("single-shot"), Some("emergent")));
    let untold = Subtraction::by_conditions((0, 1), (Some("emergent"), None));

    assert_eq!(emergent_first, LOSS);
    assert_eq!(emergent_last, Subtraction { from: 0, subtracted: 1, is_slump: true });
    assert_eq!(untold, Subtraction { from: 0, subtracted: 1, is_slump: false });
    assert_eq!(LOSS.display_text(), "single-shot − emergent (b − a)");
    assert_eq!(untold.display_text(), "a − b");
    let lost = [Some(2.0), Some(3.0)];
    assert_eq!(NumberOutcome::between_values(Number::Mcf, lost, LOSS).delta, Some(1.0));
    assert_eq!(NumberOutcome::between_values(Number::Mcf, lost, emergent_last).delta, Some(-1.0));
}

#[test]
fn components_that_one_run_alone_has_are_named_and_never_a_zero() {
    let (one, other) = (checklist_with(&["C1", "C2", "C3"]), checklist_with(&["C1", "C3", "D4"]));
    let judged_one = judgement_with("j", None, &[("C1", Some(1)), ("C3", None), ("X9", Some(2))]);
    let judged_other = judgement_with("j", None, &[("C1", Some(4)), ("C3", Some(0))]);

    let rows =
        component_rows(&[(Some(&one), Some(&judged_one)), (Some(&other), Some(&judged_other))]);

    let cells = |id: &str| rows.iter().find(|row| row.id == id).unwrap().cells.clone();
    assert_eq!(rows.iter().map(|row| &*row.id).collect::<Vec<_>>(), ["C1", "C2", "C3", "D4", "X9"]);
    assert_eq!(cells("C1"), [ComponentCell::Score(1), ComponentCell::Score(4)]);
    assert_eq!(cells("C2"), [ComponentCell::NotJudged(None), ComponentCell::NotListed]);
    let failed = ComponentCell::NotJudged(Some("out of budget".into()));
    assert_eq!(cells("C3"), [failed, ComponentCell::Score(0)]);
    assert_eq!(cells("D4"), [ComponentCell::NotListed, ComponentCell::NotJudged(None)]);
    assert_eq!(cells("X9"), [ComponentCell::Score(2), ComponentCell::NotListed]);
    let alone: Vec<_> = rows.iter().map(ComparedComponent::only_in).collect();
    assert_eq!(alone, [None, Some(0), None, Some(1), Some(0)]);
    let deltas: Vec<_> = rows.iter().map(|row| row.score_delta(LOSS)).collect();
    assert_eq!(deltas, [Some(3), None, None, None, None]);
    assert_eq!(by_loss(&rows, LOSS), [0, 2, 1, 3, 4]);
}

#[test]
fn the_largest_loss_comes_first_and_equal_ones_keep_their_order() {
    let list = checklist_with(&["A", "B", "C", "D", "E"]);
    let one = judgement_with(
        "j",
        None,
        &[("A", Some(4)), ("B", Some(2)), ("C", Some(0)), ("E", Some(2))],
    );
    let other = judgement_with(
        "j",
        None,
        &[("A", Some(3)), ("B", Some(4)), ("C", Some(4)), ("E", Some(4))],
    );

    let rows = component_rows(&[(Some(&list), Some(&one)), (Some(&list), Some(&other))]);
    let named = |order: Vec<usize>| order.iter().map(|at| &*rows[*at].id).collect::<String>();

    assert_eq!(named(by_loss(&rows, LOSS)), "CBEAD");
    let gain = Subtraction { from: 0, subtracted: 1, is_slump: false };
    assert_eq!(named(by_loss(&rows, gain)), "ABECD");
    let transitions = ScoreTransitions::between_runs(&rows, (0, 1));
    assert_eq!((transitions.n, transitions.equal_count()), (4, 0));
    assert_eq!((transitions.counts[2][4], transitions.counts[4][3]), (2, 1));
    assert_eq!(ScoreTransitions::between_runs(&rows, (0, 0)).equal_count(), 4);
}

#[test]
fn without_any_verdict_there_is_no_transition_and_no_mean() {
    let list = checklist_with(&["A"]);

    let rows = component_rows(&[(Some(&list), None), (None, None)]);
    let run = compared_run(run_with(2, &[]), vec![]);

    assert_eq!(rows[0].cells, [ComponentCell::NotJudged(None), ComponentCell::NotListed]);
    assert_eq!(ScoreTransitions::between_runs(&rows, (0, 1)), ScoreTransitions::default());
    assert_eq!((run.final_value(Number::Mcf), run.final_value(Number::Severe)), (None, None));
    let missing = NumberOutcome { a: None, b: Some(1.0), delta: None, better: None };
    assert_eq!(NumberOutcome::between_values(Number::Erosion, [None, Some(1.0)], LOSS), missing);
}

#[test]
fn one_judge_for_all_runs_is_preferred_to_the_latest_of_each() {
    let scores = [("A", Some(1))];
    let both = |names: [&str; 2]| Rubric {
        judgements: names.map(|name| judgement_with(name, None, &scores)).to_vec(),
        ..Rubric::default()
    };
    let only = |name: &str| both([name, name]);
    let empty = Rubric::default();

    assert_eq!(chosen_judgements(&[&both(["j", "k"]), &only("j")], None), [Some(0), Some(1)]);
    assert_eq!(chosen_judgements(&[&only("j"), &only("k")], None), [Some(1), Some(1)]);
    assert_eq!(chosen_judgements(&[&only("j"), &empty], None), [Some(1), None]);
    assert_eq!(
        chosen_judgements(
            &[&both(["j", "k"]), &only("j")],
            Some(&JudgeSelection::Judge("k".into()))
        ),
        [Some(1), None]
    );
}

#[test]
fn a_judgement_stands_where_it_says_else_at_its_commit_else_at_the_end() {
    let mut run = run_with(3, &[]);
    run.turns[1].commit = Some("abcdef0".into());
    let of = |turn, commit: Option<&str>| {
        let judgement = judgement_with("j", turn, &[]);
        turns_done_at_judgement(&run, &Judgement { commit: commit.map(Into::into), ..judgement })
    };

    assert_eq!([of(Some(1), None), of(None, Some("abc")), of(None, Some("no"))], [1, 2, 3]);
    assert_eq!([of(None, None), of(Some(9), None)], [3, 3]);
}

fn pair_texts(a: &[(&str, &str, usize)], b: &[(&str, &str, usize)]) -> Vec<String> {
    let turns = |ends: &[(&str, &str, usize)]| ends.last().map_or(4, |(_, _, last)| *last);
    let (a, b) = (run_with(turns(a), a), run_with(turns(b), b));
    let side = |moment: Option<ComparedMoment>| moment.map_or("-".into(), |it| it.done.to_string());
    let said = |pair: CheckpointPair| {
        let by = pair.by.map_or("alone", PairedBy::word);
        format!("{} {} {by}", side(pair.a), side(pair.b))
    };
    pair_by_checkpoint(&a, &b).into_iter().map(said).collect()
}

#[test]
fn checkpoints_are_paired_by_label_then_id_then_order() {
    let a = [("c1", "geometry", 2), ("c2", "layers", 5), ("c3", "losses", 9)];
    let renumbered = [("s1", "geometry", 1), ("s2", "data", 2), ("s3", "losses", 3)];
    assert_eq!(pair_texts(&a, &renumbered), ["2 1 label", "5 - alone", "- 2 alone", "9 3 label"]);
    let unlabelled = [("c2", "", 1), ("c3", "", 4)];
    assert_eq!(pair_texts(&a, &unlabelled), ["2 - alone", "5 1 id", "9 4 id"]);
    let others = [("x", "one", 1), ("y", "two", 2)];
    assert_eq!(pair_texts(&a, &others), ["2 1 order", "5 2 order", "9 - alone"]);
}

#[test]
fn a_single_checkpoint_stands_against_the_last_of_many() {
    let many = [("c1", "geometry", 2), ("c2", "layers", 5), ("c3", "losses", 9)];
    let one = [("c1", "whole specification", 1)];

    assert_eq!(pair_texts(&many, &one), ["2 - alone", "5 - alone", "9 1 end"]);
    assert_eq!(pair_texts(&one, &many), ["- 2 alone", "- 5 alone", "1 9 end"]);
    assert_eq!(pair_texts(&many, &[]), ["2 - alone", "5 - alone", "9 4 end"]);
    assert_eq!(pair_texts(&[], &[]), ["4 4 order"]);
    assert_eq!(pair_by_checkpoint(&Run::default(), &run_with(1, &[])).len(), 1);
}

#[test]
fn phases_stand_where_their_last_checkpoint_ends() {
    let many = [("1", "", 1), ("2", "", 2), ("3", "", 3), ("4", "", 4), ("5", "", 5), ("6", "", 6)];
    let pairs = pair_by_phase(&run_with(6, &many), &run_with(1, &[("c1", "", 1)]));

    let said: Vec<_> = pairs
        .iter()
        .map(|it| (it.phase, it.a.as_ref().map(|it| it.done), it.b.as_ref().map(|it| it.done)))
        .collect();
    let expected = [
        (TaskPhase::Start, Some(1), None),
        (TaskPhase::Early, Some(3), None),
        (TaskPhase::Mid, Some(4), None),
        (TaskPhase::Late, Some(5), None),
        (TaskPhase::Final, Some(6), Some(1)),
    ];
    assert_eq!(said, expected);
    let end = pairs[4].b.as_ref().unwrap();
    assert_eq!((end.bin, end.fraction), (Some(1.0), 1.0));
    assert_eq!(pair_by_phase(&Run::default(), &Run::default()), []);
}

#[test]
fn every_turn_is_a_moment_and_knows_the_checkpoint_that_ends_with_it() {
    let turns = turn_moments(&run_with(4, &[("c1", "", 2), ("c2", "", 4)]));

    let said: Vec<_> = turns.iter().map(|it| (it.fraction, it.checkpoint)).collect();
    assert_eq!(said, [(0.25, None), (0.5, Some(0)), (0.75, None), (1.0, Some(1))]);
}

#[test]
fn verdicts_count_at_the_moment_they_are_of() {
    let early = judgement_with("j", Some(2), &[("A", Some(4)), ("B", Some(4))]);
    let late = judgement_with("j", Some(4), &[("A", Some(1)), ("B", Some(4)), ("C", None)]);
    let other = judgement_with("k", Some(3), &[("A", Some(0))]);
    let party = compared_run(run_with(4, &[]), vec![other, early, late]);

    let means: Vec<_> = (1..=4).map(|done| party.value_at(Number::Mcf, done)).collect();
    assert_eq!(means, [None, Some(4.0), None, Some(2.5)]);
    assert_eq!(
        (party.final_value(Number::Mcf), party.final_value(Number::Severe)),
        (Some(2.5), Some(1.0))
    );
}

#[test]
fn integration_is_that_of_the_state_that_was_judged() {
    let mut party =
        compared_run(run_with(4, &[]), vec![judgement_with("j", Some(2), &[("A", Some(2))])]);
    let dir = |dir| Some(ReuseCounts { dir: Some(dir), ..ReuseCounts::default() });
    party.reuse = [(2, dir(0.5)), (4, dir(0.1))].into();

    let of = |number| party.final_value(number);
    assert_eq!((of(Number::Dir), of(Number::If50)), (Some(0.1), Some(0.5)));
    assert_eq!(
        (party.value_at(Number::If50, 2), party.value_at(Number::If50, 4)),
        (Some(0.5), None)
    );
    party.reuse.insert(2, None);
    assert_eq!(party.final_value(Number::If50), None);
}

#[test]
fn tokens_add_up_and_a_turn_that_does_not_say_ends_the_sum() {
    let mut run = run_with(3, &[]);
    let of = |input| Tokens { input: Some(input), output: Some(1), ..Tokens::default() };
    run.turns[0].tokens = of(10);
    run.turns[1].tokens = of(20);
    let party = compared_run(run, vec![]);

    let sums: Vec<_> = (0..=3).map(|done| party.value_at(Number::Tokens, done)).collect();
    assert_eq!(sums, [Some(0.0), Some(11.0), Some(32.0), None]);
    assert_eq!(party.final_value(Number::Turns), Some(3.0));
}

#[test]
fn the_better_run_is_named_where_there_is_a_better_way() {
    let values = [Some(0.4), Some(0.2)];
    assert_eq!(NumberOutcome::between_values(Number::Erosion, values, LOSS).better, Some(1));
    assert_eq!(NumberOutcome::between_values(Number::Tests, values, LOSS).better, Some(0));
    assert_eq!(NumberOutcome::between_values(Number::Loc, values, LOSS).better, None);
    assert_eq!(
        NumberOutcome::between_values(Number::Erosion, [Some(1.0), Some(1.0)], LOSS).better,
        None
    );
    let apart = Subtraction { from: 3, subtracted: 1, is_slump: true };
    assert_eq!(NumberOutcome::between_values(Number::Erosion, values, apart).better, Some(3));
    let neither = COMPARED.iter().filter(|number| number.better() == BetterDirection::Neither);
    assert_eq!(neither.count(), 6);
}

#[test]
fn final_trees_are_told_apart_file_by_file_and_a_moved_file_is_one() {
    let mut blobs = MemoryBlobs::default();
    let mut tree = |files: &[(&str, &str)]| {
        let file = |(path, text): &(&str, &str)| {
            (RepoPath::new(path).unwrap(), TreeFile::with_blob(blobs.insert(text.as_bytes())))
        };
        SourceTree { files: files.iter().map(file).collect() }
    };
    let a =
        tree(&[("a.py", "1\n"), ("old.py", "x\ny\nz\n"), ("same.py", "s\n"), ("both.py", "p\n")]);
    let b =
        tree(&[("b.py", "2\n"), ("new.py", "x\ny\nw\n"), ("same.py", "s\n"), ("both.py", "q\n")]);
    let side = |tree| TreeSide { tree, contents: &blobs };

    let trees = ComparedTrees::compare_sides(side(&a), side(&b));
    let rows = &trees.rows;

    let said: Vec<_> =
        rows.iter().map(|row| (&*row.path, row.from.as_deref(), row.presence)).collect();
    let expected = [
        ("a.py", None, FilePresence::OnlyA),
        ("b.py", None, FilePresence::OnlyB),
        ("both.py", None, FilePresence::Differs),
        ("new.py", Some("old.py"), FilePresence::Differs),
        ("same.py", None, FilePresence::Same),
    ];
    assert_eq!(said, expected);
    assert_eq!(rows[3].lines, Some(LineCounts { added: 1, removed: 1 }));
    let change = trees.change_of(&rows[3]).unwrap();
    assert!(diff_between([&blobs, &blobs], change, 3).text_diff().is_some());
    assert_eq!(trees.change_of(&rows[4]), None);
}

#[test]
fn what_weakens_a_comparison_is_said() {
    let with_task = |task: &str| Run {
        task: Some(Task { id: task.into(), ..Task::default() }),
        ..run_with(1, &[])
    };
    let judged = |task, judge| {
        compared_run(with_task(task), vec![judgement_with(judge, None, &[("A", Some(1))])])
    };

    assert_eq!(comparison_warnings(&[judged("t", "j"), judged("t", "j")]), Vec::<String>::new());
    let listed = Rubric { checklist: Some(checklist_with(&["A"])), ..Rubric::default() };
    let unjudged = ComparedRun::new(Arc::new(with_task("u")), listed);
    let said = comparison_warnings(&[judged("t", "j"), unjudged, judged("t", "k")]);
    let expected = [
        "not the same task: a t, b u, c t",
        "judged by different judges (a by j, c by k): a difference may be theirs",
        "b is not judged",
    ];
    assert_eq!(said, expected);
    assert_eq!([run_letter(0), run_letter(25), run_letter(26)], ["a", "z", "27"]);
}

#[test]
fn a_treated_run_gives_back_a_share_of_the_gap() {
    let judged = |condition: &str, score: u8| {
        let run = Run { condition: Some(condition.into()), ..run_with(1, &[]) };
        compared_run(run, vec![judgement_with("j", None, &[("C1", Some(score)), ("C2", Some(2))])])
    };
    let (emergent, single_shot) = (judged("emergent", 0), judged("single-shot", 4));
    let (guarded, unjudged) = (judged("guarded", 3), compared_run(run_with(1, &[]), vec![]));
    let guarded_at = |treated, mcf: Option<f64>| {
        let share = |number| mcf.filter(|_| number == Number::Mcf);
        RunRecovery { treated, shares: NumberValues::new(&SLUMP, share) }
    };

    let all = [emergent.clone(), guarded.clone(), single_shot.clone(), unjudged];
    assert_eq!(run_recoveries(&all), [guarded_at(1, Some(0.75))]);
    let no_gap = [judged("emergent", 4), guarded.clone(), single_shot.clone()];
    assert_eq!(run_recoveries(&no_gap), [guarded_at(1, None)]);
    assert_eq!(run_recoveries(&[emergent.clone(), emergent, guarded.clone(), single_shot]), []);
    assert_eq!(run_recoveries(&[guarded]), []);
}
