//! Layers of project state: what stands between the script and the agent.
//!
//! Before each request every layer is asked, in order; it may put words before the request, or have the agent begin a
//! new session, and says why. What each did is recorded with the turn (`layer` in `run.json`) and shown in replay. To add
//! one, write `layers/<name>.rs` and make it in [`of`].

mod notes;

use std::path::Path;

use super::{manifest::LayerRow, manifest::TurnRow, setup::Setup};

/// The moment before a request.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Counts from 1.
    pub turn: usize,
    /// As the script, or a person, has it.
    pub request: &'a str,
    /// The files as they are now.
    pub workspace: &'a Path,
    /// Turns done.
    pub before: &'a [TurnRow],
}

/// What a layer does to a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touch {
    /// Put before the request; empty for nothing.
    pub added: String,
    /// Whether the agent begins a new session for this request.
    pub restarts: bool,
    /// A sentence.
    pub why: String,
}

pub trait Layer: Send {
    fn name(&self) -> &'static str;

    /// None where it does nothing this time. The error is a sentence; the request is sent without it.
    fn before(&mut self, moment: &Moment<'_>) -> Result<Option<Touch>, String>;
}

/// The layers of a run, in the order in which they are asked: the last one's words stand first.
pub fn of(setup: &Setup) -> Vec<Box<dyn Layer>> {
    let notes = setup.notes.as_ref().map(|path| notes::Notes::new(path.clone()));
    notes.into_iter().map(|layer| Box::new(layer) as Box<dyn Layer>).collect()
}

/// A request as it is sent.
#[derive(Debug, Default)]
pub struct Dressed {
    pub text: String,
    pub rows: Vec<LayerRow>,
    pub restarts: bool,
    /// Sentences about layers that failed.
    pub problems: Vec<String>,
}

/// Asks every layer.
pub fn dress(layers: &mut [Box<dyn Layer>], moment: &Moment<'_>) -> Dressed {
    let mut dressed = Dressed { text: moment.request.to_owned(), ..Dressed::default() };
    for layer in layers {
        let name = layer.name().to_owned();
        match layer.before(moment) {
            Ok(None) => {}
            Ok(Some(Touch { added, restarts, why })) => {
                if !added.is_empty() {
                    dressed.text = format!("{}\n\n{}", added.trim_end(), dressed.text);
                }
                dressed.restarts |= restarts;
                dressed.rows.push(LayerRow { name, added, restarted: restarts, why });
            }
            Err(why) => dressed.problems.push(format!("layer {name} did nothing: {why}")),
        }
    }
    dressed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a word, begins a new session at an even turn, and fails at the third.
    struct Word(&'static str);

    impl Layer for Word {
        fn name(&self) -> &'static str {
            self.0
        }

        fn before(&mut self, moment: &Moment<'_>) -> Result<Option<Touch>, String> {
            if moment.turn == 3 {
                return Err("no word is left".into());
            }
            let (restarts, why) = (moment.turn.is_multiple_of(2), "because".to_owned());
            Ok(Some(Touch { added: format!("{}!\n", self.0), restarts, why }))
        }
    }

    #[test]
    fn layers_are_asked_in_order_and_one_that_fails_is_told() {
        let mut layers: Vec<Box<dyn Layer>> =
            vec![Box::new(Word("inner")), Box::new(Word("outer"))];
        let mut at = |turn| {
            let moment = Moment { turn, request: "do it", workspace: Path::new("."), before: &[] };
            dress(&mut layers, &moment)
        };

        let (first, second, third) = (at(1), at(2), at(3));

        assert_eq!(first.text, "outer!\n\ninner!\n\ndo it");
        assert!(!first.restarts && second.restarts);
        assert_eq!(second.rows.len(), 2);
        assert!(second.rows[0].restarted && second.rows[0].why == "because");
        assert_eq!(third.text, "do it");
        assert_eq!(third.problems[1], "layer outer did nothing: no word is left");
    }
}
