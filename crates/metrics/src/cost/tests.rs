use super::*;
use trajview_run::{Parent, Run, Step, StepId, StepKind, SubAgent, Time, Tokens, Turn, label};

const TABLE: &str = r#"{ "rows": [
    { "model": "m-1", "aliases": ["m-1-20260101"], "vendor": "v", "until": "2026-05-31",
      "usd_per_million": { "input": 3, "output": 15, "cached_input": 0.3, "cache_write": 3.75, "cache_write_1h": 6 },
      "above": { "input_tokens": 200000, "usd_per_million": { "input": 6, "output": 22.5, "cached_input": 0.6 } } },
    { "model": "m-1", "aliases": ["m-1-20260101"], "vendor": "v", "from": "2026-06-01",
      "usd_per_million": { "input": 1, "output": 2, "cached_input": 0.1 } },
    { "model": "plain", "usd_per_million": { "input": 2, "output": 8 } },
    { "model": "long", "usd_per_million": { "input": 1, "output": 1 }, "above": { "input_tokens": 100 } } ] }"#;

fn prices() -> Prices {
    Prices::read(TABLE).unwrap()
}

fn tokens(input: u64, cached: u64, output: u64) -> Tokens {
    Tokens {
        input: Some(input),
        cached_input: Some(cached),
        output: Some(output),
        ..Tokens::default()
    }
}

fn step(model: &str, at: &str, tokens: Tokens) -> Step {
    Step {
        label: label(at),
        started_at: Time::parse(at),
        model: Some(model.into()),
        tokens,
        ..Step::default()
    }
}

fn turn(steps: Vec<Step>, tokens: Tokens) -> Turn {
    Turn { steps, tokens, ..Turn::default() }
}

fn usd(sum: &Sum) -> f64 {
    sum.usd().unwrap()
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

/// What one response costs.
fn one(step: Step) -> Result<Priced, Why> {
    let tokens = step.tokens;
    let run = Run { turns: vec![turn(vec![step], tokens)], ..Run::default() };
    let mut cost = RunCost::of(&run, &prices());
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
        ..tokens(1_000, 600, 40)
    };
    let priced = one(step("m-1", "2026-05-31T23:59:59Z", used)).unwrap();

    near(priced.usd, (150.0 * 3.0 + 600.0 * 0.3 + 200.0 * 3.75 + 50.0 * 6.0 + 40.0 * 15.0) / 1e6);
    assert_eq!(priced.notes, why::Notes::default());
}

#[test]
fn a_day_decides_on_the_row_and_a_long_request_has_its_own_prices() {
    let later = one(step("v/M-1-20260101", "2026-06-01T00:00:00Z", tokens(1_000_000, 0, 0)));
    near(later.unwrap().usd, 1.0);

    let just = one(step("m-1", "2026-01-01T00:00:00Z", tokens(200_000, 0, 1_000)));
    near(just.unwrap().usd, 0.6 + 0.015);
    let long = one(step("m-1", "2026-01-01T00:00:00Z", tokens(200_001, 200_001, 1_000)));
    near(long.unwrap().usd, 200_001.0 * 0.6 / 1e6 + 0.0225);
}

#[test]
fn what_has_no_price_says_why() {
    let at = "2026-01-01T00:00:00Z";
    let why = |step: Step| one(step).unwrap_err().sentence();

    assert_eq!(why(step("m-2", at, tokens(1, 0, 1))), "no price for m-2");
    assert_eq!(why(step("w/m-1", at, tokens(1, 0, 1))), "no price for w/m-1");
    assert_eq!(why(step("plain", at, tokens(5, 2, 1))), "no price for cached input of plain");
    assert_eq!(
        why(step("long", at, tokens(101, 0, 1))),
        "no price for requests of long that read more than 100 tokens"
    );
    let untimed = Step { started_at: None, ..step("m-1", at, tokens(1, 0, 1)) };
    assert_eq!(why(untimed), "the price of m-1 has changed, and the recording tells no time");
    let written = Tokens { output: Some(4), ..Tokens::default() };
    assert_eq!(why(step("plain", at, written)), "how many tokens were read is not recorded");
}

#[test]
fn a_sum_with_an_unknown_model_has_no_total_and_says_how_much_is_not_priced() {
    let at = "2026-01-01T00:00:00Z";
    let steps = vec![step("plain", at, tokens(1_000_000, 0, 0)), step("m-2", at, tokens(10, 0, 5))];
    let run = Run { turns: vec![turn(steps, tokens(1_000_010, 0, 5))], ..Run::default() };
    let total = RunCost::of(&run, &prices()).total();

    assert_eq!((total.usd(), total.at_least_usd), (None, Some(2.0)));
    assert_eq!(total.not_priced_tokens(), 15);
    assert_eq!(RunCost::of(&Run::default(), &prices()).total().usd(), None);
}

#[test]
fn what_is_not_recorded_is_noted() {
    let used = Tokens { input: Some(100), output: Some(1), ..Tokens::default() };
    let priced = one(step("m-1", "2026-01-01T00:00:00Z", used)).unwrap();
    assert!(priced.notes.no_cached_input && priced.notes.no_cache_write);

    let used = Tokens { cache_write: Some(50), ..tokens(100, 0, 0) };
    let priced = one(step("m-1", "2026-01-01T00:00:00Z", used)).unwrap();
    near(priced.usd, (50.0 * 3.0 + 50.0 * 3.75) / 1e6);
    assert!(priced.notes.no_cache_time);
}

/// Two turns: a sub-agent with a model of its own in the first, tokens that are on no step in both.
fn run_with_an_agent() -> Run {
    let at = "2026-01-01T00:00:00Z";
    let starts = Step { kind: StepKind::SubAgent, subagent: Some(0), ..Step::default() };
    let agent = SubAgent {
        parent: Some(Parent { turn: 0, subagent: None, step: 1 }),
        steps: vec![step("plain", at, tokens(10, 0, 1))],
        tokens: tokens(30, 0, 2),
        ..SubAgent::default()
    };
    Run {
        model: Some("m-1, plain".into()),
        started_at: Time::parse(at),
        turns: vec![
            turn(vec![step("m-1", at, tokens(100, 50, 10)), starts], tokens(150, 50, 13)),
            turn(vec![step("m-1", at, tokens(7, 0, 1))], tokens(8, 0, 1)),
        ],
        subagents: vec![agent],
        ..Run::default()
    }
}

#[test]
fn steps_turns_agents_and_models_add_up_to_the_run() {
    let run = run_with_an_agent();
    let cost = RunCost::of(&run, &prices());
    let total = cost.total();

    let steps = cost.charges.iter().map(|charge| charge.priced.clone().unwrap().usd);
    near(steps.sum(), usd(&total));
    near(cost.by_turn().iter().map(usd).sum(), usd(&total));
    near(cost.by_agent().values().map(usd).sum(), usd(&total));
    near(cost.by_model().values().map(usd).sum(), usd(&total));
    assert_eq!((total.tokens.input, total.tokens.output), (Some(158), Some(14)));
    assert_eq!(total.tokens, run.tokens());
    assert_eq!(cost.by_agent()[&Some(0)].tokens.input, Some(30));
    let id = StepId { turn: 0, subagent: Some(0), step: 0 };
    near(cost.of_step(id).unwrap().priced.clone().unwrap().usd, 28.0 / 1e6);
    assert_eq!(cost.of_step(StepId { turn: 0, subagent: None, step: 1 }), None);
}

#[test]
fn a_sum_of_several_requests_is_not_priced_where_the_length_of_each_counts() {
    let run = Run {
        model: Some("m-1".into()),
        started_at: Time::parse("2026-01-01T00:00:00Z"),
        turns: vec![turn(vec![], tokens(200_001, 0, 1)), turn(vec![], tokens(200_000, 0, 0))],
        ..Run::default()
    };
    let turns = RunCost::of(&run, &prices()).by_turn();

    let why = turns[0].not_priced.keys().next().unwrap().sentence();
    assert!(why.starts_with("requests of m-1 that read more than 200000"), "{why}");
    near(usd(&turns[1]), 0.6);
}

#[test]
fn what_a_resumed_session_brings_with_it_is_counted_once() {
    let before = run_with_an_agent();
    let mut after = before.clone();
    let new = step("m-1", "2026-01-02T00:00:00Z", tokens(1_000, 0, 0));
    after.turns.push(turn(vec![new], tokens(1_000, 0, 0)));
    let mut told = Told::default();
    let (first, repeated) = RunCost::of_new(&before, &prices(), &mut told);
    assert_eq!((first.total().responses, repeated.responses), (6, 0));

    let (second, repeated) = RunCost::of_new(&after, &prices(), &mut told);
    assert_eq!(repeated.responses, 3);
    let on_steps: Vec<usize> =
        second.charges.iter().filter(|charge| charge.step.is_some()).map(|it| it.turn).collect();
    assert_eq!(on_steps, [2]);
}

#[test]
fn rows_of_ones_own_take_the_place_of_those_of_the_same_model() {
    let own = r#"{ "rows": [ { "model": "M-1-20260101", "usd_per_million": { "input": 9, "output": 9 } } ] }"#;
    let prices = prices().overridden_by(Prices::read(own).unwrap());
    let run = Run {
        model: Some("m-1-20260101".into()),
        turns: vec![turn(vec![], tokens(1_000_000, 0, 0))],
        ..Run::default()
    };
    near(usd(&RunCost::of(&run, &prices).total()), 9.0);
    assert_eq!(prices.rows().len(), 3);
}

#[test]
fn a_table_that_contradicts_itself_is_not_read() {
    let rows = |rows: &str| Prices::read(&format!(r#"{{ "rows": [{rows}] }}"#)).unwrap_err();
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
