use proptest::{option, prelude::*, sample};

use trajview_run::rubric::{Confidence, LabelFile};

use super::*;

fn read_labels(bytes: &[u8]) -> LabelFile {
    labels::read_labels(&SourceBytes { name: "labels/ann.json", bytes }, &mut vec![]).unwrap()
}

fn written_with(before: Option<&[u8]>, new: LabelsToAdd<'_>) -> Vec<u8> {
    add_labels(before, "ann", new).unwrap()
}

fn label_with(id: &str, score: f64) -> Label {
    Label { component: id.into(), score: Some(score), ..Label::default() }
}

#[test]
fn what_came_later_is_written_where_it_says_something() {
    let plain = label_with("C1", 3.0);
    let all = Label {
        unit: LabelUnit::Leaf,
        criterion: Some("tone".into()),
        score: None,
        cannot_tell: true,
        confidence: Some(Confidence::Low),
        seen: Some(vec!["a".into()]),
        ..label_with("0/1", 0.0)
    };
    let share = Label { scale: Some("[0,1]".into()), ..label_with("C2", 0.25) };

    let bytes =
        written_with(None, LabelsToAdd { labels: &[plain, all, share], ..LabelsToAdd::default() });

    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        r#"{
  "schema": "trajview.labels/1",
  "annotator": "ann",
  "labels": [
    {"component": "C1", "judgement": null, "commit": null, "turn": null, "score": 3, "blind": null, "reason": null, "note": null, "at": null},
    {"component": "0/1", "unit": "leaf", "criterion": "tone", "judgement": null, "commit": null, "turn": null, "score": null, "cannot_tell": true, "confidence": "low", "blind": null, "seen": ["a"], "reason": null, "note": null, "at": null},
    {"component": "C2", "judgement": null, "commit": null, "turn": null, "score": 0.25, "scale": "[0,1]", "blind": null, "reason": null, "note": null, "at": null}
  ]
}
"#
    );
}

#[test]
fn a_proposal_is_no_label_and_goes_when_it_is_committed() {
    let proposal = [label_with("C1", 2.0), label_with("C2", 3.0)];
    let before = written_with(None, LabelsToAdd { proposals: &proposal, ..LabelsToAdd::default() });
    let read = read_labels(&before);
    assert_eq!((read.labels.len(), &read.proposals[..]), (0, &proposal[..]));

    let changed = [label_with("C1", 4.0)];
    let after =
        written_with(Some(&before), LabelsToAdd { proposals: &changed, ..LabelsToAdd::default() });
    assert_eq!(read_labels(&after).proposals, [label_with("C2", 3.0), label_with("C1", 4.0)]);
    let after =
        written_with(Some(&after), LabelsToAdd { labels: &changed, ..LabelsToAdd::default() });

    let read = read_labels(&after);
    assert_eq!(
        (&read.labels[..], &read.proposals[..]),
        (&changed[..], &[label_with("C2", 3.0)][..])
    );
    let none = [Label { score: None, ..label_with("C2", 0.0) }];
    let after =
        written_with(Some(&after), LabelsToAdd { proposals: &none, ..LabelsToAdd::default() });
    assert_eq!(read_labels(&after).proposals, []);
}

#[test]
fn what_was_seen_is_kept_once_a_judgement_and_unit() {
    let leaf = VerdictId { unit: LabelUnit::Leaf, ..VerdictId::for_item("a", "0/1".into()) };
    let seen = [VerdictId::for_item("a", "C2".into()), VerdictId::for_item("a", "C1".into()), leaf];
    let before = written_with(None, LabelsToAdd { seen: &seen, ..LabelsToAdd::default() });
    let after = written_with(Some(&before), LabelsToAdd { seen: &seen, ..LabelsToAdd::default() });

    assert_eq!(before, after);
    assert_eq!(read_labels(&after).seen, seen.into());
    let text = String::from_utf8(after).unwrap();
    assert!(text.contains(r#"{"judgement": "a", "items": ["C1","C2"]}"#), "{text}");
    assert!(text.contains(r#"{"judgement": "a", "unit": "leaf", "items": ["0/1"]}"#), "{text}");
}

fn any_text() -> impl Strategy<Value = Option<String>> {
    option::of(prop_oneof!["[ -~]{1,12}", "\\PC{1,8}", "[\"\\\\\n\t a]{1,6}"])
}

fn any_id() -> impl Strategy<Value = String> {
    "[A-Za-z0-9,;\"/_=+@'-]([ -~]{0,8}[a-z0-9\"])?"
}

fn any_label() -> impl Strategy<Value = Label> {
    let thing = (any_id(), sample::select(LabelUnit::ALL.to_vec()), option::of(any_id()));
    let state = (option::of(any_id()), option::of(1..9_usize), option::of(any_id()));
    let flags = (option::of(0..=1_u8), any::<bool>(), option::of(any::<bool>()));
    let how = (
        option::of(sample::select(Confidence::ALL.to_vec())),
        option::of(proptest::collection::vec(any_id(), 0..3)),
    );
    (thing, state, flags, how, (any_text(), any_text(), any_text())).prop_map(
        |(thing, state, (score, cannot_tell, blind), (confidence, seen), (reason, note, at))| {
            let (component, unit, criterion) = thing;
            let (commit, turn, judgement) = state;
            let cannot_tell = cannot_tell && score.is_none();
            let score = score.map(f64::from);
            Label {
                component,
                unit,
                criterion,
                commit,
                turn,
                judgement,
                score,
                scale: None,
                cannot_tell,
                confidence,
                seen,
                blind,
                reason,
                note,
                at,
            }
        },
    )
}

proptest! {
    #[test]
    fn whatever_the_labels_the_file_gives_them_back(
        labels in proptest::collection::vec(any_label(), 0..6),
        proposals in proptest::collection::vec(any_label(), 0..3),
    ) {
        let written = written_with(None, LabelsToAdd { labels: &labels, ..LabelsToAdd::default() });
        let read = read_labels(&written);
        let is_last = |at: usize| !labels[at + 1..].iter().any(|later| later.takes_place_of(&labels[at]));
        let last = (0..labels.len()).filter(|at| is_last(*at)).count();
        prop_assert_eq!(read.labels.len(), last);
        for label in &read.labels {
            prop_assert!(labels.contains(label));
        }
        if let Some(label) = labels.last() {
            prop_assert_eq!(read.last_of_same_item(label), Some(label));
        }
        let proposed = written_with(Some(&written), LabelsToAdd { proposals: &proposals, ..LabelsToAdd::default() });
        prop_assert_eq!(read_labels(&proposed).labels, read.labels);
    }

    #[test]
    fn whatever_the_bytes_they_are_read_or_refused(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..60),
            "(\\{\"labels\": \\[)?[\\[\\]{}\",:a-z0-9 ]{0,60}".prop_map(String::into_bytes),
        ],
        score in any::<serde_json_value::Odd>(),
    ) {
        let label = [label_with("C1", 1.0)];
        if let Ok(after) = add_labels(Some(&bytes), "ann", LabelsToAdd { labels: &label, ..LabelsToAdd::default() }) {
            prop_assert!(read_labels(&after).labels.contains(&label[0]));
        }
        let odd = format!(
            r#"{{"labels": [{{"component": "C1", "score": {0}, "seen": {0}, "unit": {0}, "scale": {0}}}], "seen": {0}}}"#,
            score.0
        );
        let _ = read_labels(odd.as_bytes());
    }
}

/// Values of every kind.
mod serde_json_value {
    use proptest::prelude::*;

    #[derive(Debug, Clone)]
    pub struct Odd(pub String);

    impl Arbitrary for Odd {
        type Parameters = ();
        type Strategy = BoxedStrategy<Self>;

        fn arbitrary_with((): ()) -> Self::Strategy {
            let all = [
                "null",
                "true",
                "-1",
                "1e300",
                "0.5",
                "\"x\"",
                "\"2\"",
                "[]",
                "[1, \"a\"]",
                "{}",
                "[{\"judgement\": 1, \"items\": [\"C1\", 2]}]",
                "\"leaf\"",
                "\"[0,1]\"",
            ];
            proptest::sample::select(all.map(|it| Self(it.to_owned())).to_vec()).boxed()
        }
    }
}
