use proptest::{option, prelude::*, sample};

use super::*;

fn row_of(line: usize, component: &str, score: u8) -> LabelsTableRow {
    let label =
        Label { component: component.into(), score: Some(score.into()), ..Label::default() };
    LabelsTableRow { line, label, ..LabelsTableRow::default() }
}

#[test]
fn two_columns_are_enough_whatever_the_line_ends_and_the_byte_order_mark() {
    let expected = vec![row_of(2, "C1", 4), row_of(4, "C2", 0)];
    for text in [
        "component,score\nC1,4\n\nC2,0",
        "\u{feff}component,score\r\nC1,4\r\n\r\nC2,0\r\n",
        "Component;Score\rC1;Faithful\r\rC2;absent\r",
        "score\tcomponent\n4\tC1\n\t\n0\t\"C2\"\n",
    ] {
        assert_eq!(read_table(text).rows, expected, "{text:?}");
    }
}

#[test]
fn every_row_that_is_wrong_is_told_with_its_line() {
    let wrong = read_table(
        "component,score,turn,blind\nC1,5\nC2,4,0,maybe\n,3\nC4,\"4\" x\n\"C\n5\",4,,,9\nC6,4,,\"true\n",
    );
    assert_eq!(
        wrong.wrong,
        [
            "line 5: unexpected \"x\" after a quoted cell",
            "line 8: a quote begins that never ends",
            "line 2: \"5\" is not a score from 0 to 4",
            "line 3: \"0\" is not a turn; turns count from 1",
            "line 3: blind is \"maybe\"; it is true, false or empty",
            "line 4: names no component",
            "line 6: has 5 cells, and the head has 4",
        ]
    );
}

#[test]
fn units_scales_and_answers_without_a_number_have_their_columns() {
    let table = read_table(
        "component,score,unit,scale,cannot_tell,confidence,seen\n0/1,met,leaf,,,High,\nC2,Cannot tell,,,,,\n\
         C3,,,,yes,low,\"[\"\"a\"\"]\"\nC4,5,,1..5,,,\nC5,0.25,,\"[0,1]\",,,\n",
    );

    assert_eq!(table.wrong, Vec::<String>::new());
    let labels: Vec<&Label> = table.rows.iter().map(|row| &row.label).collect();
    assert_eq!((labels[0].unit, labels[0].score), (LabelUnit::Leaf, Some(1.0)));
    assert_eq!(labels[0].confidence, Some(Confidence::High));
    assert!(labels[1].cannot_tell && labels[2].cannot_tell);
    assert_eq!(labels[2].seen, Some(vec!["a".into()]));
    assert_eq!((labels[3].score, labels[4].score), (Some(5.0), Some(0.25)));
    let wrong = read_table(
        "component,score,unit,scale,cannot_tell,confidence,seen\nC1,2,leaf,,,sure,a\nC2,1,page,4..0,yes,,\n",
    );
    assert_eq!(
        wrong.wrong,
        [
            "line 2: \"2\" is not a score from 0 to 1",
            "line 2: confidence is \"sure\"; it is low, medium, high or empty",
            "line 2: seen is \"a\"; it is a list of files in JSON, or empty",
            "line 3: the unit \"page\" is none of component, leaf, flag, signal, decision, process",
            "line 3: \"4..0\" is not a scale; use 0..4, 0..1, 1..5 or [0,1]",
            "line 3: has a score and is marked as cannot tell",
        ]
    );
}

#[test]
fn a_table_without_its_columns_is_told_what_it_lacks() {
    let why = |text: &str| read_table(text).wrong.join("; ");
    assert_eq!(why(""), "holds no table");
    assert_eq!(
        why("C1,4\n"),
        "line 1: no column is called component; the first line names the columns, as component,score"
    );
    assert_eq!(why("score,component,Score\n"), "line 1: two columns are called score");
}

#[test]
fn rows_that_were_not_filled_in_are_counted() {
    let text = "number,name,component,score,note,weight\n1,One,C1,4,,2\n2,Two,C2,,,1\n3,Three,C3,,unsure,1\n";
    let table = read_table(text);

    assert_eq!((table.rows.len(), table.unfilled), (2, 1));
    assert_eq!(table.rows[1].label.note.as_deref(), Some("unsure"));
    assert_eq!(table.strange, ["weight"]);
}

fn any_text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(prop_oneof!["[ -~]{1,12}", "[,;\"\t\n\r a]{1,6}", "\\PC{1,8}"])
}

fn any_id() -> impl Strategy<Value = String> {
    "[A-Za-z0-9,;\"/_=+@'-]([ -~]{0,8}[a-z0-9\"])?"
}

fn any_label() -> impl Strategy<Value = Label> {
    let place = (any_id(), proptest::option::of(any_id()), proptest::option::of(1..9_usize));
    let kind = (sample::select(LabelUnit::ALL.to_vec()), option::of(any_id()), any::<bool>());
    let flags = (option::of(0..=1_u8), any::<bool>(), option::of(any::<bool>()));
    let how = (
        option::of(sample::select(Confidence::ALL.to_vec())),
        option::of(proptest::collection::vec(any_id(), 0..3)),
    );
    (place, kind, option::of(any_id()), (flags, how), (any_text(), any_text(), any_text()))
        .prop_map(
            |(
                (component, commit, turn),
                (unit, criterion, is_share),
                judgement,
                (flags, how),
                words,
            )| {
                let (score, cannot_tell, blind) = flags;
                let score = score.map(f64::from);
                let scale = is_share.then(|| "[0,1]".to_owned());
                let score = if is_share { score.map(|it| it / 4.0) } else { score };
                let (reason, note, at) = words;
                let (confidence, seen) = how;
                let cannot_tell = cannot_tell && score.is_none();
                Label {
                    component,
                    unit,
                    criterion,
                    commit,
                    turn,
                    judgement,
                    score,
                    scale,
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
    fn whatever_the_labels_what_is_written_is_read_back(
        labels in proptest::collection::vec(any_label(), 0..8),
        run in any_id(),
        annotator in any_id(),
    ) {
        let table = read_table(&write_table(labels.iter().map(|it| (&*run, &*annotator, it))));

        let read_labels: Vec<Label> = table.rows.iter().map(|row| row.label.clone()).collect();
        let (nothing, expected): (Vec<Label>, Vec<Label>) = labels.into_iter().partition(says_nothing);
        prop_assert_eq!(read_labels, expected);
        prop_assert_eq!(table.unfilled, nothing.len());
        for row in table.rows {
            prop_assert_eq!((row.run.as_deref(), row.annotator.as_deref()), (Some(&*run), Some(&*annotator)));
        }
    }

    #[test]
    fn whatever_the_text_it_is_read_or_told(text in "(component,score\r?\n)?([a-zC0-9,;\"\r\n\t]|\\PC){0,60}") {
        let _ = read_table(&text);
    }
}
