//! Compares the tape with the values that serde reads.

use super::*;

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Asserts that every value of the tape is the value that serde reads there.
fn assert_same_values(value: TapeValue<'_>, theirs: &RawValue) {
    assert_eq!(value.get(), theirs.get());
    if value.is_list() {
        let elements: Vec<&RawValue> = serde_json::from_str(theirs.get()).unwrap();
        assert_eq!(value.elements().count(), elements.len());
        value.elements().zip(elements).for_each(|(ours, theirs)| assert_same_values(ours, theirs));
    }
    if value.is_object() {
        let ours: Vec<(String, &str)> =
            value.fields().map(|(key, value)| (format!("\"{}\"", key.text), value.get())).collect();
        let theirs: SerdePairs<'_> = serde_json::from_str(theirs.get()).unwrap();
        assert_eq!(ours, theirs.0);
        for (_, field) in value.fields() {
            assert_same_values(field, serde_json::from_str(field.get()).unwrap());
        }
    }
    if let Some(inside) = value.string_contents()
        && let Ok(text) = serde_json::from_str::<String>(theirs.get())
    {
        let by_number = inside.text.matches("\\u").count();
        assert_eq!(inside.has_escapes(), inside.text != text);
        if by_number == 0 {
            assert_eq!(inside.text.len() - inside.letters as usize, text.len());
            assert_eq!(inside.line_ends as usize, text.matches('\n').count());
            assert_eq!(inside.ends_a_line, text.ends_with('\n'));
        }
    }
}

struct SerdePairs<'a>(Vec<(String, &'a str)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for SerdePairs<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Vec<(String, &'de str)>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut pairs = vec![];
                while let Some(key) = map.next_key::<String>()? {
                    let key = serde_json::to_string(&key).unwrap_or_default();
                    pairs.push((key, map.next_value::<&RawValue>()?.get()));
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(All).map(Self)
    }
}

fn any_json() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,2})?([eE][+-]?[0-9]{1,2})?",
        r#""([a-z é😀,:\{\}\[\]]|\\[nrtbf"/\\]|\\u[0-9a-f]{4}){0,24}""#,
    ];
    scalar.prop_recursive(5, 60, 6, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..6)
            .prop_map(|all| format!("[ {}]", all.join(" ,")));
        let field = ("[a-z]{0,3}", inner).prop_map(|(key, value)| format!("\"{key}\" : {value}"));
        let object =
            prop::collection::vec(field, 0..6).prop_map(|all| format!("{{{} }}", all.join(", ")));
        prop_oneof![list, object]
    })
}

proptest::proptest! {
    #[test]
    fn of_whatever_document_the_values_are_those_serde_finds(text in any_json()) {
        let tape = JsonTape::parse(&text).unwrap();
        assert_same_values(tape.root(), serde_json::from_str(&text).unwrap());
    }

    #[test]
    fn whatever_the_text_it_is_json_exactly_where_serde_says_so(
        text in r#"([\[\]\{\}:, \t]|"|"[a\\n]{0,9}"|-|[0-9.eE+]{1,3}|true|nul|null|\\u00|\\|\x01|é){0,14}"#,
    ) {
        proptest::prop_assert_eq!(JsonTape::parse(&text).is_some(), is_json(&text));
    }

    #[test]
    fn a_document_with_one_byte_changed_is_json_exactly_where_serde_says_so(
        text in any_json(), at in 0usize..200, byte in proptest::char::any(),
    ) {
        let mut letters: Vec<char> = text.chars().collect();
        let at = at % letters.len();
        for change in [Some(byte), Some('"'), Some('}'), Some('\\'), None] {
            match change {
                Some(letter) => letters[at] = letter,
                None => letters.truncate(at),
            }
            let text: String = letters.iter().collect();
            proptest::prop_assert_eq!(JsonTape::parse(&text).is_some(), is_json(&text), "{}", text);
        }
    }
}

#[test]
fn json_as_deep_as_a_well_is_checked_and_not_looked_into() {
    for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let text = format!("{{\"x\":{deep},\"y\":[2]}}");
        let tape = JsonTape::parse(&text).unwrap();
        let fields: Vec<_> = tape.root().fields().collect();

        assert!(tape.nodes.len() < 100);
        assert_eq!(fields[0].1.get(), deep);
        assert_eq!(fields[1].1.elements().next().map(TapeValue::get), Some("2"));
        assert!(JsonTape::parse(&text[..text.len() - 1]).is_none());
        let mut value = tape.root();
        for _ in 0..MAX_DEPTH {
            let inner = if value.is_list() {
                value.elements().next()
            } else {
                value.fields().next().map(|(_, value)| value)
            };
            value = inner.unwrap();
            assert!(is_json(value.get()));
        }
        assert!(value.elements().next().is_none() && value.fields().next().is_none());
    }
}

#[test]
fn more_values_than_a_record_has_are_not_held() {
    let text = format!("{{\"x\":[{}1]}}", "1,".repeat(MAX_VALUES));

    assert!(JsonTape::parse(&text).is_none());
    assert_eq!(serde_error(&text).to_string(), "more values than are read of one record");
}

#[test]
fn what_is_wrong_is_told_in_serdes_words() {
    assert_eq!(
        serde_error("{\"a\":1").to_string(),
        "EOF while parsing an object at line 1 column 6"
    );
    assert!(serde_error("[1]").to_string().contains("expected an object"));
}
