use super::*;
use crate::session::{question::Question, saved::ToSave};
use trajview_run::{
    Run,
    rubric::{Judge, Judgement, Labels, Rubric, Verdict},
};
use trajview_study::design::Design;

/// Two runs with two things each; ana and ben label, dee settles.
fn studied(said: &[(&str, usize, &str, f64)]) -> Arc<Studied> {
    let verdict = |id: &str| Verdict { component: id.into(), score: Some(2), ..Verdict::default() };
    let run = |at: usize| {
        let judgement = Judgement {
            file: "judgements/j.json".into(),
            judge: Judge { name: "j".into(), ..Judge::default() },
            commit: Some(format!("c0ffee{at}")),
            verdicts: vec![verdict("C1"), verdict("C2")],
            ..Judgement::default()
        };
        let labels = ["ana", "ben"].map(|rater| Labels {
            annotator: rater.into(),
            labels: said
                .iter()
                .filter(|(by, of, ..)| *by == rater && *of == at)
                .map(|(_, _, id, score)| label(id, at, *score))
                .collect(),
            ..Labels::default()
        });
        let rubric =
            Rubric { judgements: vec![judgement], labels: labels.into(), ..Rubric::default() };
        let name = format!("run {at}");
        StudyRun {
            path: name.clone().into(),
            place: name.clone().into(),
            name,
            rubric,
            ..StudyRun::default()
        }
    };
    let judged = |at: usize, design: &Design| {
        let mut run = run(at);
        run.judge(design, &Run::default(), None);
        run
    };
    let design = Design {
        raters: vec!["ana".into(), "ben".into()],
        adjudicator: Some("dee".into()),
        ..Design::default()
    };
    let runs = vec![judged(0, &design), judged(1, &design)];
    Arc::new(Studied::of(design, "study".into(), runs, vec![]))
}

fn label(id: &str, run: usize, score: f64) -> Label {
    let (judgement, commit) = (Some("judgements/j.json".into()), Some(format!("c0ffee{run}")));
    Label {
        component: id.into(),
        judgement,
        commit,
        score: Some(score),
        blind: Some(true),
        ..Label::default()
    }
}

fn session(who: &str, said: &[(&str, usize, &str, f64)]) -> Session {
    let mut session = Session::of(Run::default().into());
    session.labels.be(who).unwrap();
    session.begin_study(studied(said), None);
    session
}

/// Opens the run that is wanted, as the shell does.
fn open(session: &mut Session, numbers: &mut Numbers) -> usize {
    let run = session.study().unwrap().to_open().unwrap().0;
    let request = numbers.fresh();
    session.study_mut().unwrap().opening(request, run);
    assert_eq!(session.study().unwrap().awaited(request), Some(run));
    let study = session.leave_study().unwrap();
    *session = Session::of(Run::default().into());
    session.join_study(study, run);
    run
}

#[test]
fn what_is_on_its_way_to_the_disk_is_saved_in_its_own_run_wherever_the_rater_is() {
    let (mut session, mut numbers) = (session("ana", &[]), Numbers::default());
    let first = open(&mut session, &mut numbers);
    let id = session.study().unwrap().chosen().unwrap().item.id.clone();
    session.labels.put(label(&id, first, 3.0));
    session.labels.put(Label { note: Some("why".into()), ..label(&id, first, 3.0) });
    let sent = session.labels.ask_to_save(&mut numbers).unwrap().request().unwrap();
    let other = (0..4).find(|at| session.study().unwrap().item(*at).unwrap().run != first).unwrap();
    session.go_in_study(other);

    open(&mut session, &mut numbers);
    assert!(session.may_change_hands().is_err());
    let labels = Labels {
        annotator: "ana".into(),
        labels: vec![label(&id, first, 3.0)],
        ..Labels::default()
    };
    assert_eq!(session.take_saved(sent, Ok(Saved { labels, stands: None })), None);
    let effects = session.ask_in_study(&mut numbers);

    let [Effect::Ask(_, question)] = effects.as_slice() else { panic!("{effects:?}") };
    let Question::SaveLabel { place, what: ToSave::Label(label), .. } = &**question else {
        panic!("{question:?}")
    };
    assert_eq!(place.as_deref(), Some(std::path::Path::new(&format!("run {first}"))));
    assert_eq!(label.note.as_deref(), Some("why"));
    assert_eq!(session.study_progress()[&first].done, 1);
}

#[test]
fn the_queue_begins_at_the_first_thing_without_a_label() {
    let all = [("ana", 0, "C1", 2.0), ("ana", 0, "C2", 2.0), ("ana", 1, "C1", 2.0)];
    let session = session("ana", &all);
    let item = session.study().unwrap().chosen().unwrap();
    assert_eq!((item.run, item.item.id.as_str()), (1, "C2"));
    assert_eq!(session.study_pairs(None)[0].scores.len(), 3);
}

#[test]
fn a_run_that_cannot_be_opened_is_not_asked_for_again_until_the_rater_comes_back_to_it() {
    let mut session = session("ana", &[]);
    let run = session.study().unwrap().chosen().unwrap().run;
    session.study_mut().unwrap().failed(run, "no such file".into());

    assert_eq!(session.study().unwrap().why_not_open(), Some("no such file"));
    assert!(session.study().unwrap().to_open().is_none());
    let at = session.study().unwrap().at();
    session.go_in_study(at);
    assert!(session.study().unwrap().to_open().is_some());
}

#[test]
fn whoever_settles_differences_has_those_alone_and_raters_do_not_get_there() {
    let said = [
        ("ana", 0, "C1", 1.0),
        ("ben", 0, "C1", 2.0),
        ("ana", 1, "C2", 3.0),
        ("ben", 1, "C2", 3.0),
    ];
    let mut rater = session("ana", &said);
    let mut dee = session("dee", &said);

    assert!(dee.adjudicates());
    assert_eq!(dee.study().unwrap().len(), 1);
    assert!(rater.turn_study().unwrap_err().contains("dee settles"));
    assert!(dee.turn_study().unwrap_err().contains("labels nothing in this study"));
    assert!(
        rater
            .be_rater("zoe")
            .unwrap_err()
            .contains("zoe is none of the raters of study (ana, ben)")
    );
    assert_eq!(rater.be_rater("dee"), Ok(()));
    assert!(rater.adjudicates());
    dee.be_rater("ben").unwrap();
    assert_eq!((dee.adjudicates(), dee.study().unwrap().len()), (false, 4));
}

#[test]
fn an_outcome_counts_at_once_and_stays_until_it_is_on_disk() {
    let said = [("ana", 0, "C1", 1.0), ("ben", 0, "C1", 2.0)];
    let (mut dee, mut numbers) = (session("dee", &said), Numbers::default());
    let study = dee.study().unwrap();
    let case = study.studied.case(study.number().unwrap()).unwrap();
    let gold = trajview_run::rubric::Gold { score: Some(2.0), ..study.studied.outcome(&case) };
    dee.study_mut().unwrap().gold.put(0, gold.clone());

    assert!(dee.is_done(0));
    let effects = dee.ask_in_study(&mut numbers);
    let request = effects[0].request().unwrap();
    dee.study_mut().unwrap().gold.take_saved(request, Err("disk full".into()));
    assert_eq!(dee.study().unwrap().gold.why_not_saved(), Some("disk full"));
    assert!(dee.be_rater("ben").is_err());
    dee.study_mut().unwrap().gold.try_again();
    let request = dee.ask_in_study(&mut numbers)[0].request().unwrap();
    dee.study_mut().unwrap().gold.take_saved(request, Ok(vec![gold]));
    assert_eq!(dee.study().unwrap().gold.unsaved_count(), 0);
    assert_eq!(dee.be_rater("ben"), Ok(()));
}
