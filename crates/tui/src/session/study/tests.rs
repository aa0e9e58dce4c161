use super::*;
use crate::session::{label_protocol::LabelSave, question::Question};
use trajview_run::{
    Run,
    rubric::{Judge, Judgement, LabelFile, Rubric, Verdict},
};
use trajview_study::design::StudyDesign;

/// Two runs with two things each; ana and ben label, dee settles.
fn study_with(said: &[(&str, usize, &str, f64)]) -> Arc<LoadedStudy> {
    let verdict = |id: &str| Verdict { component: id.into(), score: Some(2), ..Verdict::default() };
    let run = |at: usize| {
        let judgement = Judgement {
            file: "judgements/j.json".into(),
            judge: Judge { name: "j".into(), ..Judge::default() },
            commit: Some(format!("c0ffee{at}")),
            verdicts: vec![verdict("C1"), verdict("C2")],
            ..Judgement::default()
        };
        let labels = ["ana", "ben"].map(|rater| LabelFile {
            annotator: rater.into(),
            labels: said
                .iter()
                .filter(|(by, of, ..)| *by == rater && *of == at)
                .map(|(_, _, id, score)| label_of(id, at, *score))
                .collect(),
            ..LabelFile::default()
        });
        let rubric =
            Rubric { judgements: vec![judgement], labels: labels.into(), ..Rubric::default() };
        let name = format!("run {at}");
        StudyRun {
            path: name.clone().into(),
            labels_folder: name.clone().into(),
            name,
            rubric,
            ..StudyRun::default()
        }
    };
    let judged = |at: usize, design: &StudyDesign| {
        let mut run = run(at);
        run.collect_verdicts(design, &Run::default(), None);
        run
    };
    let design = StudyDesign {
        raters: vec!["ana".into(), "ben".into()],
        adjudicator: Some("dee".into()),
        ..StudyDesign::default()
    };
    let runs = vec![judged(0, &design), judged(1, &design)];
    Arc::new(LoadedStudy::new(design, "study".into(), runs, vec![]))
}

fn label_of(id: &str, run: usize, score: f64) -> Label {
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

fn session_of(who: &str, said: &[(&str, usize, &str, f64)]) -> Session {
    let mut session = Session::new(Run::default().into());
    session.labels.set_annotator(who).unwrap();
    session.begin_study(study_with(said), None);
    session
}

/// Opens the run that is wanted, as the shell does.
fn open_wanted_run(session: &mut Session, numbers: &mut RequestIds) -> usize {
    let run = session.study_queue().unwrap().to_open().unwrap().0;
    let request = numbers.next_request();
    session.study_mut().unwrap().begin_opening(request, run);
    assert_eq!(session.study_queue().unwrap().awaited_run(request), Some(run));
    let study = session.leave_study().unwrap();
    *session = Session::new(Run::default().into());
    session.join_study(study, run);
    run
}

#[test]
fn what_is_on_its_way_to_the_disk_is_saved_in_its_own_run_wherever_the_rater_is() {
    let (mut session, mut numbers) = (session_of("ana", &[]), RequestIds::default());
    let first = open_wanted_run(&mut session, &mut numbers);
    let id = session.study_queue().unwrap().chosen_item().unwrap().item.id.clone();
    session.labels.put_label(label_of(&id, first, 3.0));
    session.labels.put_label(Label { note: Some("why".into()), ..label_of(&id, first, 3.0) });
    let sent = session.labels.ask_to_save(&mut numbers).unwrap().request_id().unwrap();
    let other = (0..4)
        .find(|at| session.study_queue().unwrap().item_at(*at).unwrap().run != first)
        .unwrap();
    session.go_in_study(other);

    open_wanted_run(&mut session, &mut numbers);
    assert!(session.check_all_saved().is_err());
    let labels = LabelFile {
        annotator: "ana".into(),
        labels: vec![label_of(&id, first, 3.0)],
        ..LabelFile::default()
    };
    assert_eq!(session.take_saved(sent, Ok(SavedLabels { labels, winning_label: None })), None);
    let effects = session.ask_in_study(&mut numbers);

    let [Effect::Ask(_, question)] = effects.as_slice() else { panic!("{effects:?}") };
    let Question::SaveLabel { place, what: LabelSave::Label(label), .. } = &**question else {
        panic!("{question:?}")
    };
    assert_eq!(place.as_deref(), Some(std::path::Path::new(&format!("run {first}"))));
    assert_eq!(label.note.as_deref(), Some("why"));
    assert_eq!(session.study_progress()[&first].done, 1);
}

#[test]
fn the_queue_begins_at_the_first_thing_without_a_label() {
    let all = [("ana", 0, "C1", 2.0), ("ana", 0, "C2", 2.0), ("ana", 1, "C1", 2.0)];
    let session = session_of("ana", &all);
    let item = session.study_queue().unwrap().chosen_item().unwrap();
    assert_eq!((item.run, item.item.id.as_str()), (1, "C2"));
    assert_eq!(session.study_pairs(None)[0].scores.len(), 3);
}

#[test]
fn a_run_that_cannot_be_opened_is_not_asked_for_again_until_the_rater_comes_back_to_it() {
    let mut session = session_of("ana", &[]);
    let run = session.study_queue().unwrap().chosen_item().unwrap().run;
    session.study_mut().unwrap().fail_opening(run, "no such file".into());

    assert_eq!(session.study_queue().unwrap().why_not_open(), Some("no such file"));
    assert!(session.study_queue().unwrap().to_open().is_none());
    let at = session.study_queue().unwrap().queue_position();
    session.go_in_study(at);
    assert!(session.study_queue().unwrap().to_open().is_some());
}

#[test]
fn whoever_settles_differences_has_those_alone_and_raters_do_not_get_there() {
    let said = [
        ("ana", 0, "C1", 1.0),
        ("ben", 0, "C1", 2.0),
        ("ana", 1, "C2", 3.0),
        ("ben", 1, "C2", 3.0),
    ];
    let mut rater = session_of("ana", &said);
    let mut dee = session_of("dee", &said);

    assert!(dee.is_adjudicating());
    assert_eq!(dee.study_queue().unwrap().len(), 1);
    assert!(rater.switch_study_mode().unwrap_err().contains("dee adjudicates"));
    assert!(dee.switch_study_mode().unwrap_err().contains("does not label in it"));
    assert!(rater.set_rater("zoe").unwrap_err().contains("zoe is not a rater of study (ana, ben)"));
    assert_eq!(rater.set_rater("dee"), Ok(()));
    assert!(rater.is_adjudicating());
    dee.set_rater("ben").unwrap();
    assert_eq!((dee.is_adjudicating(), dee.study_queue().unwrap().len()), (false, 4));
}

#[test]
fn an_outcome_counts_at_once_and_stays_until_it_is_on_disk() {
    let said = [("ana", 0, "C1", 1.0), ("ben", 0, "C1", 2.0)];
    let (mut dee, mut numbers) = (session_of("dee", &said), RequestIds::default());
    let study = dee.study_queue().unwrap();
    let case = study.studied.adjudication_case(study.chosen_number().unwrap()).unwrap();
    let gold =
        trajview_run::rubric::GoldLabel { score: Some(2.0), ..study.studied.new_outcome(&case) };
    dee.study_mut().unwrap().gold.put_outcome(0, gold.clone());

    assert!(dee.is_done(0));
    let effects = dee.ask_in_study(&mut numbers);
    let request = effects[0].request_id().unwrap();
    dee.study_mut().unwrap().gold.take_saved(request, Err("disk full".into()));
    assert_eq!(dee.study_queue().unwrap().gold.why_not_saved(), Some("disk full"));
    assert!(dee.set_rater("ben").is_err());
    dee.study_mut().unwrap().gold.try_again();
    let request = dee.ask_in_study(&mut numbers)[0].request_id().unwrap();
    dee.study_mut().unwrap().gold.take_saved(request, Ok(vec![gold]));
    assert_eq!(dee.study_queue().unwrap().gold.unsaved_count(), 0);
    assert_eq!(dee.set_rater("ben"), Ok(()));
}
