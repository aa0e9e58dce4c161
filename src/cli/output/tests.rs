use proptest::prelude::*;
use serde_json::{Value, json, value::RawValue};

use super::*;

fn visible_json(document: &impl Serialize) -> String {
    let mut bytes = vec![];
    let mut serializer = Serializer::pretty(VisibleJson(&mut bytes));
    document.serialize(&mut serializer).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn json_has_escapes_for_what_a_terminal_obeys_or_does_not_show() {
    let text = "é\u{1b}[31m\u{7f}\u{85}\u{9b}\u{61c}\u{200b}\u{200e}\u{202e}\u{2028}\u{2069}\u{feff}\u{e0041}中👍";

    let document = visible_json(&json!({ "\u{202e}name": text }));

    assert_eq!(
        document,
        "{\n  \"\\u202ename\": \"é\\u001b[31m\\u007f\\u0085\\u009b\\u061c\\u200b\\u200e\\u202e\\u2028\\u2069\\ufeff\\udb40\\udc41中👍\"\n}"
    );
}

#[test]
fn json_that_is_passed_on_as_it_was_has_the_same_escapes() {
    let raw = RawValue::from_string("{\n\t\"a\u{7f}\": [\"\u{202e}\\n\"]\r\n}".into()).unwrap();

    assert_eq!(visible_json(&raw), "{\n\t\"a\\u007f\": [\"\\u202e\\n\"]\r\n}");
}

#[test]
fn a_record_keeps_the_order_of_its_fields_and_takes_in_those_of_others() {
    let inner = record! { z: 1, a: None::<u8> };

    let outer = record! { schema: "s/1", ..inner, rows: [inner], share: 0.5, };

    assert_eq!(
        String::from_utf8(json_bytes(&outer).unwrap()).unwrap(),
        r#"{"schema":"s/1","z":1,"a":null,"rows":[{"z":1,"a":null}],"share":0.5}"#
    );
}

#[test]
fn a_cell_of_a_record_is_found_by_the_names_of_its_fields() {
    let row = record! { test: record! { p: 0.25, ci95: [0.125, 0.5] }, none: f64::NAN, of: -0.0 };

    assert_eq!(row.field("test.ci95.1").csv_cell(), "0.5");
    assert_eq!(row.field("test").csv_cell(), "ci95: 0.125; 0.5; p: 0.25");
    assert_eq!(row.interval_cell("test.p", "test.ci95"), "0.250 [0.125, 0.500]");
    assert_eq!([row.cell("none"), row.cell("none.q.r"), row.cell("of")], ["-", "-", "0"]);
    assert_eq!([row.cell("test.q?.r"), row.cell("test.ci95.2")], ["-", "-"]);
}

#[test]
#[should_panic(expected = "no field q among p, n")]
fn a_name_that_a_record_does_not_have_is_a_fault_of_the_program() {
    record! { test: record! { p: 0.25, n: 3 } }.cell("test.q");
}

#[test]
#[should_panic(expected = "no field p in Number(0.25)")]
fn a_number_has_no_fields() {
    record! { test: 0.25 }.cell("test.p");
}

#[test]
#[should_panic(expected = "cannot be JSON: the name of a field is no text")]
fn what_cannot_be_json_is_a_fault_of_the_program() {
    Json::new(&std::collections::BTreeMap::from([([1, 2], "a")]));
}

proptest! {
    #[test]
    fn whatever_the_text_json_reads_back_the_same_and_shows_all_of_it(
        text in proptest::collection::vec(any::<char>(), 0..40),
    ) {
        let document = Value::from(text.into_iter().collect::<String>());

        let json = visible_json(&document);

        prop_assert_eq!(text::unseen_ranges(&json).count(), 0);
        prop_assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), document);
    }
}
