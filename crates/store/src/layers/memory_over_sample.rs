//! The layer `memory` over the sample run: what it would have said before each of its turns.

use std::path::Path;

use super::Feed;
use crate as store;
use trajview_layers as layers;
use trajview_layers::{
    Brief, Layer, NoHelper, Options,
    memory::{Card, EVENTS, stale},
};

struct Said {
    brief: Option<Brief>,
    stale: stale::Stale,
}

fn over_the_sample(spec: &str) -> Vec<Said> {
    let path = Path::new(trajview_testing::project()).join("sample-runs/codex-p12");
    let opened = store::open(&path).unwrap();
    let mut feed = Feed::new(&opened).unwrap();
    let mut layer = layers::of(&spec.parse().unwrap(), &Options::default()).unwrap();
    let mut said = vec![];
    while let Some(moment) = feed.moment() {
        let brief = layer.before(&moment, &mut NoHelper).unwrap();
        let stale = stale::of(&cards(&*layer, moment.turn), moment.project);
        said.push(Said { brief, stale });
        layer.after(&feed.go_on().unwrap(), &mut NoHelper).unwrap();
    }
    said
}

/// The cards that were given with a request.
fn cards(layer: &dyn Layer, turn: usize) -> Vec<Card> {
    let state = layer.state();
    let event = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let events = state[EVENTS].lines().map(event);
    let cards = events.filter(|it| it["kind"] == "card" && it["turn"] == turn);
    cards.map(|it| serde_json::from_value(it["card"].clone()).unwrap()).collect()
}

/// The components that turns lost, by the symbols that they are named for.
const LOST: [(usize, &str); 4] =
    [(42, "CosineSchedule"), (46, "snr_weight"), (46, "interface_weights"), (49, "self_condition")];

/// Whether the brief of the turn that lost each of them names it.
fn named(said: &[Said]) -> [bool; 4] {
    LOST.map(|(turn, name)| {
        let brief = said[turn - 1].brief.as_ref();
        brief.is_some_and(|brief| brief.text().contains(name))
    })
}

/// Cited places, stale ones among them, and the turns that have such.
fn sum(said: &[Said]) -> (usize, usize, usize) {
    let all = said.iter().fold(stale::Stale::default(), |all, it| all.and(it.stale));
    (all.given, all.stale, said.iter().filter(|it| it.stale.stale > 0).count())
}

#[test]
fn over_the_sample_only_a_memory_without_versions_gives_what_is_stale() {
    let (versions, blind) = (over_the_sample("memory"), over_the_sample("memory:blind"));

    for (at, (versions, blind)) in versions.chunks(8).zip(blind.chunks(8)).enumerate() {
        println!("from turn {}: {:?}, blind {:?}", at * 8 + 1, sum(versions), sum(blind));
    }
    // docs/layers.md has these numbers.
    assert_eq!(versions.len(), 56);
    assert_eq!((sum(&versions), sum(&blind)), ((791, 0, 0), (742, 145, 48)));
    assert_eq!(named(&versions), [false, true, true, true]);
    assert_eq!(named(&blind), [true, true, true, true]);
}

#[test]
fn parts_of_the_memory_name_the_lost_components_of_the_sample_too() {
    let (graph, history) = (over_the_sample("memory:graph"), over_the_sample("memory:history"));

    assert_eq!((named(&graph), sum(&graph).1), ([false, true, true, true], 0));
    assert_eq!((named(&history), sum(&history).1), ([false, true, true, true], 0));
}

#[test]
fn the_request_after_a_loss_is_told_what_is_gone() {
    let said = over_the_sample("memory");
    let text = said[46].brief.as_ref().map(Brief::text).unwrap_or_default();
    assert!(text.contains("- snr_weight (ppdiff/losses.py) is gone since turn 46"), "{text}");
}
