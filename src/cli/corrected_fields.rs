//! The fields of a mean that blind labels correct, the same in every document and table that has an MCF.

use crate::cli::{
    output::{Json, record},
    run_args,
};
use trajview_run::rubric::{Judgement, Rubric};
use trajview_study::corrected::{
    estimator::{ALL_LABELLED, CorrectedMean, CorrectionRefusal, worth_text},
    judgement_queue::corrected_mcf,
};

/// Makes the fields `corrected_*` of the judgement whose MCF is printed, all null without one.
pub(crate) fn corrected_fields(rubric: &Rubric, chosen: Option<&Judgement>) -> Json {
    fields_of_mean(chosen.map(|judgement| corrected_mcf(rubric, judgement)))
}

/// Makes the fields of a corrected mean, or of a corrected difference; all null without one.
pub(crate) fn fields_of_mean(mean: Option<Result<CorrectedMean, CorrectionRefusal>>) -> Json {
    let corrected = mean.as_ref().and_then(|mean| mean.as_ref().ok());
    let why = mean.as_ref().and_then(|mean| mean.as_ref().err());
    record! {
        // MCF corrected by blind labels of people, with both ends of its 95 % interval.
        corrected_mcf: corrected.map(|it| it.value),
        corrected_low: corrected.map(|it| it.interval.low),
        corrected_high: corrected.map(|it| it.interval.high),
        // The number of labels that count.
        corrected_labels: corrected.map(|it| it.labels),
        // The number of judged items, with a label or without.
        corrected_items: corrected.map(|it| it.items),
        // The weight of the judge, 0 to 1; 0 where its scores add nothing.
        corrected_lambda: corrected.map(|it| it.lambda),
        // The number of labels that alone would give the same interval.
        corrected_worth: corrected.map(|it| it.worth.round()),
        // The reason why labels do not allow a corrected mean. Null if there is one, and while labels are few.
        not_corrected: why.filter(|why| !why.is_waiting()).map(ToString::to_string),
    }
}

/// Returns `[2.81, 3.07] · 42 labels · worth 118` of a record with such fields; None without a corrected mean.
pub(crate) fn corrected_text(row: &Json) -> Option<String> {
    let [low, high, lambda, worth] =
        ["low", "high", "lambda", "worth"].map(|field| row.number(&format!("corrected_{field}")));
    let labels = run_args::count_with_noun(row.count("corrected_labels") as usize, "label");
    let worth = match row.count("corrected_labels") == row.count("corrected_items") {
        true => ALL_LABELLED.to_owned(),
        false => worth_text(lambda?, worth?),
    };
    Some(format!("[{:.2}, {:.2}] · {labels} · {worth}", low?, high?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_study::Interval;

    #[test]
    fn all_is_labelled_where_no_item_is_without_a_label_and_not_where_the_scale_ends() {
        let text = |items: usize| {
            let mean = CorrectedMean {
                judged: 4.0,
                value: 4.0,
                standard_error: 0.1,
                interval: Interval { low: 4.0, high: 4.0 },
                lambda: 0.5,
                labels: 12,
                items,
                worth: 18.0,
            };
            corrected_text(&fields_of_mean(Some(Ok(mean))))
        };

        assert_eq!(text(24).as_deref(), Some("[4.00, 4.00] · 12 labels · worth 18"));
        assert_eq!(text(12).as_deref(), Some("[4.00, 4.00] · 12 labels · all labelled"));
        assert_eq!(corrected_text(&fields_of_mean(None)), None);
    }
}
