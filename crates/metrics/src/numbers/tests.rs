use std::collections::BTreeSet;

use super::*;
use crate::quality::QualitySnapshot;

#[test]
fn no_two_numbers_have_one_id_and_each_row_says_what_it_is() {
    let ids: BTreeSet<&str> = Number::ALL.iter().map(|number| number.id()).collect();

    assert_eq!(ids.len(), Number::ALL.len());
    for number in Number::ALL {
        let row = number.row();
        let words = [row.label, row.short, row.unit, row.range, row.source, row.definition];
        assert!(words.iter().all(|words| !words.is_empty()), "{number:?}");
        assert_eq!(Number::find_by_id(row.id), Some(number));
        assert!(!row.form.is_share() || row.range == "0..1", "{number:?}");
        assert!(row.form.is_share() || (row.unit, row.range) != ("share", "0..1"), "{number:?}");
    }
}

#[test]
fn what_a_row_has_a_column_for_it_says_in_words_and_it_fits() {
    for number in Number::ALL {
        let row = number.row();
        let Some(column) = row.column else { continue };

        assert!(!row.help.is_empty() && !row.help.ends_with('.'), "{number:?}");
        assert!(row.short.chars().count() <= usize::from(column.cells), "{number:?}");
    }
}

#[test]
fn every_number_of_a_snapshot_is_in_the_list() {
    let json = serde_json::to_value(QualitySnapshot::default()).unwrap();
    let numbers = json.as_object().unwrap().iter().filter(|(_, value)| value.is_number());
    let numbers: BTreeSet<&str> = numbers.map(|(name, _)| name.as_str()).collect();

    let is_code = |number: &&Number| matches!(number.row().input, NumberInput::Code(_));
    let listed: BTreeSet<&str> =
        Number::ALL.iter().filter(is_code).map(|number| number.id()).collect();
    assert_eq!(numbers.difference(&listed).collect::<Vec<_>>(), [&""; 0]);
}

#[test]
fn every_number_of_a_rubric_tree_is_in_the_list_and_only_those() {
    let json = serde_json::to_value(crate::rubric_tree::TreeSummary::default()).unwrap();
    let numbers: BTreeSet<String> =
        json.as_object().unwrap().keys().map(|name| format!("rubric_tree.{name}")).collect();

    let is_of_tree = |number: &&Number| matches!(number.row().input, NumberInput::RubricTree(_));
    let listed = Number::ALL.iter().filter(is_of_tree).map(|number| number.id().to_owned());
    assert_eq!(numbers, listed.collect());
}

#[test]
fn a_value_has_the_form_of_its_number_and_the_style_of_its_place() {
    let written = |number: Number, value| {
        [NumberStyle::Full, NumberStyle::Short, NumberStyle::Digits(4)]
            .map(|style| number.format_value(value, style))
    };

    assert_eq!(written(Number::Erosion, 0.44534), ["0.445", "0.445", "0.4453"]);
    assert_eq!(written(Number::Mcf, 2.5), ["2.500", "2.500", "2.5000"]);
    assert_eq!(written(Number::Tests, 0.5), ["50 %", "50 %", "0.5000"]);
    assert_eq!(written(Number::Tokens, 4_425_266.0), ["4,425,266", "4.4M", "4425266"]);
    assert_eq!(written(Number::Duration, 3900.0), ["1h 05m", "1h 05m", "1h 05m"]);
}

#[test]
fn a_change_has_a_sign_and_none_where_nothing_can_be_seen_of_it() {
    let change = |number: Number, by| number.format_change(by, NumberStyle::Full);

    assert_eq!(change(Number::Erosion, 0.0985).as_deref(), Some("+0.099"));
    assert_eq!(change(Number::Loc, -1200.0).as_deref(), Some("−1,200"));
    assert_eq!(change(Number::MaxCc, 0.0), None);
}

#[test]
fn what_a_run_takes_is_neither_better_nor_worse() {
    for number in [Number::Tokens, Number::Cost, Number::Duration, Number::Turns, Number::Churn] {
        assert_eq!(number.better(), BetterDirection::Neither, "{number:?}");
    }
}

#[test]
fn what_a_table_shows_as_recorded_is_kept_of_a_recording() {
    let recorded = Number::ALL.iter().filter(|number| number.row().recorded_word.is_some());

    let ids: Vec<&str> = recorded.map(|number| number.id()).collect();
    assert_eq!(ids, trajview_run::run_card::RECORDED);
}
