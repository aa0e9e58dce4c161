//! The layer `memory` over the sample run: the brief that it would have given before each of its turns.

use std::path::Path;

use super::RunFeed;
use trajview_layers as layers;
use trajview_layers::{
    Brief, Layer, LayerSetup, NoHelper,
    memory::{EVENTS, MemoryCard, stale},
};
use trajview_store as store;

struct SampleTurn {
    brief: Option<Brief>,
    stale: stale::StalePlaceCount,
}

fn over_the_sample(spec: &str) -> Vec<SampleTurn> {
    let path = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
    let opened = store::open(&path).unwrap();
    let mut feed = RunFeed::new(&opened).unwrap();
    let mut layer = layers::make_layer(&spec.parse().unwrap(), &LayerSetup::default()).unwrap();
    let mut turns = vec![];
    while let Some(moment) = feed.next_moment() {
        let brief = layer.before_request(&moment, &mut NoHelper).unwrap();
        let stale = stale::count_stale(&cards_given(&*layer, moment.turn), moment.project);
        turns.push(SampleTurn { brief, stale });
        layer.after_turn(&feed.finish_turn().unwrap(), &mut NoHelper).unwrap();
    }
    turns
}

/// Returns the cards that were given with a request.
fn cards_given(layer: &dyn Layer, turn: usize) -> Vec<MemoryCard> {
    let state = layer.state();
    let event = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let events = state[EVENTS].lines().map(event);
    let cards = events.filter(|it| it["kind"] == "card" && it["turn"] == turn);
    cards.map(|it| serde_json::from_value(it["card"].clone()).unwrap()).collect()
}

/// The components that turns lost, by the symbols that they are named for.
const LOST: [(usize, &str); 4] =
    [(42, "CosineSchedule"), (46, "snr_weight"), (46, "interface_weights"), (49, "self_condition")];

/// Returns whether the brief of the turn that lost each of them names it.
fn named_lost(turns: &[SampleTurn]) -> [bool; 4] {
    LOST.map(|(turn, name)| {
        let brief = turns[turn - 1].brief.as_ref();
        brief.is_some_and(|brief| brief.text().contains(name))
    })
}

/// Returns the number of cited places, of stale ones among them, and of the turns that have such.
fn stale_counts(turns: &[SampleTurn]) -> (usize, usize, usize) {
    let all =
        turns.iter().fold(stale::StalePlaceCount::default(), |all, it| all.combined_with(it.stale));
    (all.given, all.stale, turns.iter().filter(|it| it.stale.stale > 0).count())
}

#[test]
fn over_the_sample_only_a_memory_without_versions_gives_what_is_stale() {
    let (versions, blind) = (over_the_sample("memory"), over_the_sample("memory:blind"));

    for (at, (versions, blind)) in versions.chunks(8).zip(blind.chunks(8)).enumerate() {
        println!(
            "from turn {}: {:?}, blind {:?}",
            at * 8 + 1,
            stale_counts(versions),
            stale_counts(blind)
        );
    }
    // docs/layers.md has these numbers.
    assert_eq!(versions.len(), 56);
    assert_eq!((stale_counts(&versions), stale_counts(&blind)), ((791, 0, 0), (742, 145, 48)));
    assert_eq!(named_lost(&versions), [false, true, true, true]);
    assert_eq!(named_lost(&blind), [true, true, true, true]);
}

#[test]
fn parts_of_the_memory_name_the_lost_components_of_the_sample_too() {
    let (graph, history) = (over_the_sample("memory:graph"), over_the_sample("memory:history"));

    assert_eq!((named_lost(&graph), stale_counts(&graph).1), ([false, true, true, true], 0));
    assert_eq!((named_lost(&history), stale_counts(&history).1), ([false, true, true, true], 0));
}

#[test]
fn the_request_after_a_loss_is_told_what_is_gone() {
    let turns = over_the_sample("memory");
    let text = turns[46].brief.as_ref().map(Brief::text).unwrap_or_default();
    assert!(text.contains("- snr_weight (ppdiff/losses.py) is gone since turn 46"), "{text}");
}
