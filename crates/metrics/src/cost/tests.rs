use super::*;
use trajview_run::{
    ParentStep, Run, Step, StepId, StepKind, SubAgent, Time, Tokens, Turn, first_line_label,
};

const TABLE: &str = r#"{ "rows": [
    { "model": "m-1", "aliases": ["m-1-20260101"], "vendor": "v", "until": "2026-05-31",
      "usd_per_million": { "input": 3, "output": 15, "cached_input": 0.3, "cache_write": 3.75, "cache_write_1h": 6 },
      "above": { "input_tokens": 200000, "usd_per_million": { "input": 6, "output": 22.5, "cached_input": 0.6 } } },
    { "model": "m-1", "aliases": ["m-1-20260101"], "vendor": "v", "from": "2026-06-01",
      "usd_per_million": { "input": 1, "output": 2, "cached_input": 0.1 } },
    { "model": "plain", "usd_per_million": { "input": 2, "output": 8 } },
    { "model": "long", "usd_per_million": { "input": 1, "output": 1 }, "above": { "input_tokens": 100 } } ] }"#;

fn test_prices() -> Prices {
    Prices::parse(TABLE).unwrap()
}

fn token_counts(input: u64, cached: u64, output: u64) -> Tokens {
    Tokens {
        input: Some(input),
        cached_input: Some(cached),
        output: Some(output),
        ..Tokens::default()
    }
}

fn model_step(model: &str, at: &str, tokens: Tokens) -> Step {
    Step {
        label: first_line_label(at),
        started_at: Time::parse(at),
        model: Some(model.into()),
        tokens,
        ..Step::default()
    }
}

fn turn_with(steps: Vec<Step>, tokens: Tokens) -> Turn {
    Turn { steps, tokens, ..Turn::default() }
}

fn sum_usd(sum: &CostSum) -> f64 {
    sum.usd().unwrap()
}

fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

/// Returns the price of one response.
fn price_step(step: Step) -> Result<ResponsePrice, NoPriceReason> {
    let tokens = step.tokens;
    let run = Run { turns: vec![turn_with(vec![step], tokens)], ..Run::default() };
    let mut cost = RunCost::new(&run, &test_prices());
    assert_eq!(cost.charges.len(), 1);
    cost.charges.remove(0).priced
}

#[test]
fn the_built_in_table_can_be_read_and_every_row_names_its_source() {
    for row in Prices::built_in().rows() {
        assert!(row.source.as_ref().is_some_and(|source| source.len() > 20), "{}", row.model);
        assert!(row.read.is_some(), "{}", row.model);
    }
}

#[test]
fn a_token_counts_once_whether_it_is_cached_or_written_to_the_cache() {
    // 1,000 read: 600 from the cache, 250 written to it, 50 of them for an hour; 150 plain. 40 written.
    let used = Tokens {
        cache_write: Some(250),
        cache_write_1h: Some(50),
        reasoning: Some(30),
        ..token_counts(1_000, 600, 40)
    };
    let priced = price_step(model_step("m-1", "2026-05-31T23:59:59Z", used)).unwrap();

    assert_near(
        priced.usd,
        (150.0 * 3.0 + 600.0 * 0.3 + 200.0 * 3.75 + 50.0 * 6.0 + 40.0 * 15.0) / 1e6,
    );
    assert_eq!(priced.notes, price_reasons::CostNotes::default());
}

#[test]
fn a_day_decides_on_the_row_and_a_long_request_has_its_own_prices() {
    let later = price_step(model_step(
        "v/M-1-20260101",
        "2026-06-01T00:00:00Z",
        token_counts(1_000_000, 0, 0),
    ));
    assert_near(later.unwrap().usd, 1.0);

    let just =
        price_step(model_step("m-1", "2026-01-01T00:00:00Z", token_counts(200_000, 0, 1_000)));
    assert_near(just.unwrap().usd, 0.6 + 0.015);
    let long = price_step(model_step(
        "m-1",
        "2026-01-01T00:00:00Z",
        token_counts(200_001, 200_001, 1_000),
    ));
    assert_near(long.unwrap().usd, 200_001.0 * 0.6 / 1e6 + 0.0225);
}

#[test]
fn what_has_no_price_says_why() {
    let at = "2026-01-01T00:00:00Z";
    let why = |step: Step| price_step(step).unwrap_err().reason_sentence();

    assert_eq!(why(model_step("m-2", at, token_counts(1, 0, 1))), "no price for m-2");
    assert_eq!(why(model_step("w/m-1", at, token_counts(1, 0, 1))), "no price for w/m-1");
    assert_eq!(
        why(model_step("plain", at, token_counts(5, 2, 1))),
        "no price for cached input of plain"
    );
    assert_eq!(
        why(model_step("long", at, token_counts(101, 0, 1))),
        "no price for requests of long that read more than 100 tokens"
    );
    let untimed = Step { started_at: None, ..model_step("m-1", at, token_counts(1, 0, 1)) };
    assert_eq!(why(untimed), "the price of m-1 has changed, and the time is not recorded");
    let written = Tokens { output: Some(4), ..Tokens::default() };
    assert_eq!(why(model_step("plain", at, written)), "how many tokens were read is not recorded");
}

#[test]
fn a_sum_with_an_unknown_model_has_no_total_and_says_how_much_is_not_priced() {
    let at = "2026-01-01T00:00:00Z";
    let steps = vec![
        model_step("plain", at, token_counts(1_000_000, 0, 0)),
        model_step("m-2", at, token_counts(10, 0, 5)),
    ];
    let run =
        Run { turns: vec![turn_with(steps, token_counts(1_000_010, 0, 5))], ..Run::default() };
    let total = RunCost::new(&run, &test_prices()).total_sum();

    assert_eq!((total.usd(), total.at_least_usd), (None, Some(2.0)));
    assert_eq!(total.not_priced_tokens(), 15);
    assert_eq!(RunCost::new(&Run::default(), &test_prices()).total_sum().usd(), None);
}

#[test]
fn what_is_not_recorded_is_noted() {
    let used = Tokens { input: Some(100), output: Some(1), ..Tokens::default() };
    let priced = price_step(model_step("m-1", "2026-01-01T00:00:00Z", used)).unwrap();
    assert!(priced.notes.no_cached_input && priced.notes.no_cache_write);

    let used = Tokens { cache_write: Some(50), ..token_counts(100, 0, 0) };
    let priced = price_step(model_step("m-1", "2026-01-01T00:00:00Z", used)).unwrap();
    assert_near(priced.usd, (50.0 * 3.0 + 50.0 * 3.75) / 1e6);
    assert!(priced.notes.no_cache_time);
}

/// Two turns: a sub-agent with a model of its own in the first, tokens that are on no step in both.
fn run_with_an_agent() -> Run {
    let at = "2026-01-01T00:00:00Z";
    let starts = Step { kind: StepKind::SubAgent, subagent: Some(0), ..Step::default() };
    let agent = SubAgent {
        parent: Some(ParentStep { turn: 0, subagent: None, step: 1 }),
        steps: vec![model_step("plain", at, token_counts(10, 0, 1))],
        tokens: token_counts(30, 0, 2),
        ..SubAgent::default()
    };
    Run {
        model: Some("m-1, plain".into()),
        started_at: Time::parse(at),
        turns: vec![
            turn_with(
                vec![model_step("m-1", at, token_counts(100, 50, 10)), starts],
                token_counts(150, 50, 13),
            ),
            turn_with(vec![model_step("m-1", at, token_counts(7, 0, 1))], token_counts(8, 0, 1)),
        ],
        subagents: vec![agent],
        ..Run::default()
    }
}

#[test]
fn steps_turns_agents_and_models_add_up_to_the_run() {
    let run = run_with_an_agent();
    let cost = RunCost::new(&run, &test_prices());
    let total = cost.total_sum();

    let steps = cost.charges.iter().map(|charge| charge.priced.clone().unwrap().usd);
    assert_near(steps.sum(), sum_usd(&total));
    assert_near(cost.sums_by_turn().iter().map(sum_usd).sum(), sum_usd(&total));
    assert_near(cost.sums_by_agent().values().map(sum_usd).sum(), sum_usd(&total));
    assert_near(cost.sums_by_model().values().map(sum_usd).sum(), sum_usd(&total));
    assert_eq!((total.tokens.input, total.tokens.output), (Some(158), Some(14)));
    assert_eq!(total.tokens, run.tokens());
    assert_eq!(cost.sums_by_agent()[&Some(0)].tokens.input, Some(30));
    let id = StepId { turn: 0, subagent: Some(0), step: 0 };
    assert_near(cost.charge_of_step(id).unwrap().priced.clone().unwrap().usd, 28.0 / 1e6);
    assert_eq!(cost.charge_of_step(StepId { turn: 0, subagent: None, step: 1 }), None);
}

#[test]
fn a_sum_of_several_requests_is_not_priced_where_the_length_of_each_counts() {
    let run = Run {
        model: Some("m-1".into()),
        started_at: Time::parse("2026-01-01T00:00:00Z"),
        turns: vec![
            turn_with(vec![], token_counts(200_001, 0, 1)),
            turn_with(vec![], token_counts(200_000, 0, 0)),
        ],
        ..Run::default()
    };
    let turns = RunCost::new(&run, &test_prices()).sums_by_turn();

    let why = turns[0].not_priced.keys().next().unwrap().reason_sentence();
    assert!(why.starts_with("requests of m-1 that read more than 200000"), "{why}");
    assert_near(sum_usd(&turns[1]), 0.6);
}

#[test]
fn what_a_resumed_session_brings_with_it_is_counted_once() {
    let before = run_with_an_agent();
    let mut after = before.clone();
    let new = model_step("m-1", "2026-01-02T00:00:00Z", token_counts(1_000, 0, 0));
    after.turns.push(turn_with(vec![new], token_counts(1_000, 0, 0)));
    let mut seen = SeenResponses::default();
    let (first, repeated) = RunCost::without_seen(&before, &test_prices(), &mut seen);
    assert_eq!((first.total_sum().responses, repeated.responses), (6, 0));

    let (second, repeated) = RunCost::without_seen(&after, &test_prices(), &mut seen);
    assert_eq!(repeated.responses, 3);
    let on_steps: Vec<usize> =
        second.charges.iter().filter(|charge| charge.step.is_some()).map(|it| it.turn).collect();
    assert_eq!(on_steps, [2]);
}

#[test]
fn rows_of_ones_own_take_the_place_of_those_of_the_same_model() {
    let own_rows = r#"{ "rows": [ { "model": "M-1-20260101", "usd_per_million": { "input": 9, "output": 9 } } ] }"#;
    let prices = test_prices().overridden_by(Prices::parse(own_rows).unwrap());
    let run = Run {
        model: Some("m-1-20260101".into()),
        turns: vec![turn_with(vec![], token_counts(1_000_000, 0, 0))],
        ..Run::default()
    };
    assert_near(sum_usd(&RunCost::new(&run, &prices).total_sum()), 9.0);
    assert_eq!(prices.rows().len(), 3);
}

#[test]
fn a_table_that_contradicts_itself_is_not_read() {
    let rows = |rows: &str| Prices::parse(&format!(r#"{{ "rows": [{rows}] }}"#)).unwrap_err();
    let plain = r#""usd_per_million": { "input": 1, "output": 1 }"#;

    let twice = rows(&format!(
        r#"{{ "model": "a", "until": "2026-01-02", {plain} }}, {{ "model": "b", "aliases": ["a"], "from": "2026-01-02", {plain} }}"#
    ));
    assert_eq!(twice, "two rows hold on the same day: a and b");
    let backwards = rows(&format!(
        r#"{{ "model": "a", "from": "2026-01-02", "until": "2026-01-01", {plain} }}"#
    ));
    assert_eq!(backwards, "a: `until` is before `from`");
    let negative = rows(r#"{ "model": "a", "usd_per_million": { "input": -1, "output": 1 } }"#);
    assert_eq!(negative, "a: expected prices of 0 or more");
    let day = rows(&format!(r#"{{ "model": "a", "from": "soon", {plain} }}"#));
    assert!(day.contains("expected a day such as 2026-11-25"), "{day}");
}
