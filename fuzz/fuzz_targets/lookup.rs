#![no_main]

use trajview::run::{
    Run, StepId, StepText, Time,
    lookup::{Lookup, LookupMoment, words::each_word},
};

// The first NUL byte separates the query from the text. A text with a match has each word of the query.
libfuzzer_sys::fuzz_target!(|text: &str| {
    let (line, text) = text.split_once('\0').unwrap_or((text, text));
    let Ok(lookup) = Lookup::parse(line, Time(0)) else { return };
    let texts = StepText { text: text.into(), ..StepText::default() };
    let step = StepId { turn: 0, subagent: None, step: 0 };
    let moment = LookupMoment { turn: 0, step: Some((step, 1)) };
    let mut hits = 0;
    lookup.find_hits(&Run::default(), moment, &texts, &mut |hit| {
        hits += 1;
        assert!(hit.line_text.get(hit.range.clone()).is_some());
        let kept = hit.to_hit();
        assert!(kept.excerpt.get(kept.range).is_some());
    });
    if hits == 0 {
        return;
    }
    let mut words = vec![];
    each_word(text, &mut |word| words.push(word.to_owned()));
    for needed in lookup.index_needs().words {
        let has = |word: &String| match needed.is_prefix {
            true => word.starts_with(&needed.text),
            false => *word == needed.text,
        };
        assert!(words.iter().any(has), "{needed:?}");
    }
});
