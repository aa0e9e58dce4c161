use proptest::prelude::*;

use super::*;

fn annotation_of(run: &str, item: &str, by: &str, answer: AnnotationAnswer) -> Annotation {
    Annotation {
        run: run.into(),
        item: item.into(),
        by: Some(by.into()),
        answer,
        state: AnnotatedState {
            commit: Some("610540d".into()),
            turn: Some(56),
            ..AnnotatedState::default()
        },
        ..Annotation::default()
    }
}

fn level_answer(score: f64, word: &str) -> AnnotationAnswer {
    AnnotationAnswer::Score(score, Some(word.into()))
}

fn sample_annotations() -> Vec<Annotation> {
    let mut all = vec![
        annotation_of("a run", "C01", "ana", level_answer(4.0, "Faithful")),
        annotation_of("a run", "C02", "ana", AnnotationAnswer::CannotTell),
        annotation_of("another, \"quoted\"", "C01", "ana", level_answer(0.0, "Absent")),
    ];
    all[0].note = Some("=1+1, and\na second line".into());
    all[2].at = Some("2026-11-25T10:00:00Z".into());
    all
}

/// Returns the annotations without their places and titles, which only one reading has.
fn plain(read: AnnotationFile) -> Vec<Annotation> {
    assert_eq!(read.wrong, Vec::<String>::new());
    let plain = |it: Annotation| Annotation { place: String::new(), title: String::new(), ..it };
    read.annotations.into_iter().map(plain).collect()
}

#[test]
fn what_is_written_for_a_tool_is_read_back_and_is_known_as_its_form() {
    for tool in [AnnotationTool::Langfuse, AnnotationTool::Phoenix, AnnotationTool::LabelStudio] {
        let mut all = sample_annotations();
        all.push(Annotation {
            source: AnnotationSource::Judge,
            state: AnnotatedState { model: Some("m-1".into()), ..all[0].state.clone() },
            ..annotation_of("a run", "C01", "quick-reader", level_answer(2.0, "Simplified"))
        });
        let text = write_annotations(tool, &all).unwrap();

        assert_eq!(detect_tool(&text), Some(tool));
        let mut read = plain(read_annotations(tool, &text));
        read.sort_by_key(|it| all.iter().position(|other| other == it));
        assert_eq!(read, all, "{tool:?}");
    }
}

#[test]
fn a_validation_set_has_a_case_a_run_with_the_numbers_alone() {
    let text = write_annotations(AnnotationTool::Scout, &sample_annotations()).unwrap();

    assert_eq!(detect_tool(&text), Some(AnnotationTool::Scout));
    let read = plain(read_annotations(AnnotationTool::Scout, &text));
    let answers: Vec<_> = read.iter().map(|it| (&*it.run, &*it.item, it.answer.clone())).collect();
    assert_eq!(
        answers,
        [
            ("a run", "C01", AnnotationAnswer::Score(4.0, None)),
            ("a run", "C02", AnnotationAnswer::CannotTell),
            ("another, \"quoted\"", "C01", AnnotationAnswer::Score(0.0, None)),
        ]
    );
    assert_eq!(read[0].note, sample_annotations()[0].note);
    assert_eq!(read[0].by.as_deref(), Some("ana"));
    assert_eq!(read[0].state.commit.as_deref(), Some("610540d"));
}

#[test]
fn a_validation_set_has_one_score_of_an_item() {
    let mut all = sample_annotations();
    all.push(annotation_of("a run", "C01", "ben", level_answer(3.0, "Equivalent")));

    let why = write_annotations(AnnotationTool::Scout, &all).unwrap_err();

    assert!(why.contains("C01 of a run has several scores"), "{why}");
}

#[test]
fn every_form_of_a_validation_set_says_the_same() {
    let forms = [
        "id,target_C01,target_C02\nrun,4,\n",
        r#"[{"id": "run", "target": {"C01": 4}}]"#,
        "{\"id\": \"run\", \"target\": {\"C01\": 4}}\n",
        "- id: run\n  target:\n    C01: 4\n",
        r#"[{"split": "dev", "cases": [{"id": "run", "target": {"C01": 4}}]}]"#,
    ];
    for form in forms {
        assert_eq!(detect_tool(form), Some(AnnotationTool::Scout), "{form}");
        let read = plain(read_annotations(AnnotationTool::Scout, form));
        assert_eq!(read.len(), 1, "{form}");
        assert_eq!((&*read[0].run, &*read[0].item), ("run", "C01"));
        assert_eq!(read[0].answer, AnnotationAnswer::Score(4.0, None), "{form}");
    }
}

#[test]
fn labels_of_a_validation_set_say_whether_it_is_there() {
    let read =
        plain(read_annotations(AnnotationTool::Scout, "id,label_C01,label_C02\nrun,true,false\n"));

    let answers: Vec<_> = read.into_iter().map(|it| it.answer).collect();
    assert_eq!(answers, [AnnotationAnswer::Flag(true), AnnotationAnswer::Flag(false)]);
}

#[test]
fn every_mistake_of_a_file_is_told_with_its_place() {
    let scout = read_annotations(
        AnnotationTool::Scout,
        r#"[{"target": 1}, {"id": ["a", "b"], "target": 1}, {"id": "a"},
            {"id": "a", "target": 3, "predicate": "gte"}, {"id": "a", "target": {"C01": [1]}}]"#,
    );
    assert_eq!(
        scout.wrong,
        [
            "case 1: names no transcript (id)",
            "case 2: is of several transcripts; a score is of one run",
            "case 3: has neither target nor labels",
            "case 4: its target uses gte: not a score",
            "case 5: the target of C01 is not a score",
        ]
    );
    let phoenix = read_annotations(
        AnnotationTool::Phoenix,
        "span_id,name,score,label\n,C01,1,\nrun,,1,\nrun,C01,much,\nrun,C01,,\nrun,C01,1,x,y\n",
    );
    assert_eq!(
        phoenix.wrong,
        [
            "line 6: has 5 cells, and the head has 4",
            "line 2: names no span (span_id)",
            "line 3: names no annotation (annotation_name)",
            "line 4: \"much\" is not a score",
            "line 5: C01 has neither score nor label",
        ]
    );
    let langfuse = read_annotations(
        AnnotationTool::Langfuse,
        "traceId,name,value\n,C01,1\nrun,,1\nrun,C01,\n",
    );
    assert_eq!(
        langfuse.wrong,
        [
            "line 2: names no trace (traceId)",
            "line 3: names no score (name)",
            "line 4: C01 has neither value nor stringValue",
        ]
    );
    let tasks = read_annotations(
        AnnotationTool::LabelStudio,
        r#"[{"data": {}}, {"id": 7, "data": {"run": "r", "component": "C01"},
            "annotations": [{}, {"result": []}, {"result": [], "was_cancelled": true}]}]"#,
    );
    assert_eq!(
        tasks.wrong,
        [
            "task 1: its data names no run and component",
            "task 7, annotation 1: has no result",
            "task 7, annotation 2: has no choice, rating or number",
        ]
    );
}

/// The form that Phoenix's client gives: `result` in columns of its own, the span as the first column.
#[test]
fn what_phoenix_gives_is_read_as_what_it_takes() {
    let text = "span_id,id,annotation_name,annotator_kind,result.label,result.score,result.explanation,user_id\n\
                run,x,C01,LLM,Faithful,4.0,because,\n";
    let read = plain(read_annotations(AnnotationTool::Phoenix, text));

    assert_eq!(read[0].answer, level_answer(4.0, "Faithful"));
    assert_eq!(read[0].source, AnnotationSource::Judge);
    assert_eq!(read[0].note.as_deref(), Some("because"));
}

#[test]
fn what_label_studio_exports_is_read_by_choice_rating_and_number() {
    let task = |kind: &str, value: &str| {
        format!(
            r#"[{{"id": 1, "data": {{"run": "r", "component": "C01"}}, "annotations": [{{"completed_by": 3,
                "result": [{{"from_name": "s", "to_name": "t", "type": "{kind}", "value": {value}}}]}}]}}]"#
        )
    };
    let of = |kind, value| {
        plain(read_annotations(AnnotationTool::LabelStudio, &task(kind, value))).remove(0)
    };

    let choice = of("choices", r#"{"choices": ["3 Equivalent"]}"#);
    assert_eq!(choice.answer, level_answer(3.0, "Equivalent"));
    assert_eq!(choice.by.as_deref(), Some("user 3"));
    let word = of("choices", r#"{"choices": ["Absent"]}"#);
    assert_eq!(word.answer, AnnotationAnswer::Word("Absent".into()));
    assert_eq!(of("rating", r#"{"rating": 2}"#).answer, AnnotationAnswer::Score(2.0, None));
    assert_eq!(of("number", r#"{"number": 0.5}"#).answer, AnnotationAnswer::Score(0.5, None));
}

fn any_text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 ,;=+'\"\n_-]{1,12}".prop_map(|text| format!("x{}x", text.replace('\n', " ")))
}

proptest! {
    #[test]
    fn whatever_the_text_a_reading_returns(text in "\\PC{0,200}") {
        for tool in AnnotationTool::ALL {
            read_annotations(tool, &text);
        }
        detect_tool(&text);
    }

    #[test]
    fn whatever_the_json_a_reading_returns(
        key in prop_oneof!["id", "data", "target", "cases", "annotations", "labels"],
        value in prop_oneof!["1", "null", "\"a\"", "[1]", "\\{\"a\": \\[\\]\\}", "[[{}]]"],
    ) {
        let text = format!("[{{\"id\": \"a\", \"{key}\": {value}}}]");
        for tool in AnnotationTool::ALL {
            read_annotations(tool, &text);
        }
    }

    #[test]
    fn whatever_is_written_is_read_back(
        run in any_text(), item in any_text(), by in any_text(), note in any_text(), score in 0_u8..5,
    ) {
        let mut one = annotation_of(&run, &item, &by, level_answer(f64::from(score), "Word"));
        one.note = Some(note);
        for tool in [AnnotationTool::Langfuse, AnnotationTool::Phoenix, AnnotationTool::LabelStudio] {
            let text = write_annotations(tool, std::slice::from_ref(&one)).unwrap();
            prop_assert_eq!(plain(read_annotations(tool, &text)), [one.clone()]);
        }
    }
}
