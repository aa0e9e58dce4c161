//! From the line that stands for an image to the image itself: it is fetched, and shown by the user's own program.

use std::sync::Arc;

use crate::{
    run::{Run, pictures::Picture},
    session::{
        ask::Pending,
        effect::Effect,
        question::Question,
        request::{Numbers, Request, Sentence},
    },
};

use super::Item;

/// What the line of an image begins with, as the formats write it.
pub(super) const SIGN: &str = "[image: ";

/// Images that are to be shown.
#[derive(Debug, Default)]
pub struct Images {
    /// Whose images somebody asked for.
    pub wanted: Option<Item>,
    asked: Pending<()>,
    arrived: Option<Arc<Vec<Picture>>>,
}

impl Images {
    /// Fetches what is wanted; shows what is there.
    pub fn ask(&mut self, run: &Arc<Run>, numbers: &mut Numbers) -> Option<Effect> {
        if let Some(images) = self.arrived.take() {
            return Some(Effect::ShowImages(images));
        }
        let item = self.wanted.take()?;
        let (run, turn, step) = (run.clone(), item.turn(), item.step());
        Some(self.asked.ask(numbers, (), Question::Images { run, turn, step }))
    }

    /// Takes the answer to its own question; what there is to say of it.
    pub fn take(
        &mut self,
        request: Request,
        images: Result<Arc<Vec<Picture>>, Sentence>,
    ) -> Option<Sentence> {
        self.asked.answered(request)?;
        match images {
            Ok(images) if images.is_empty() => Some("the image is not in the recording".into()),
            Ok(images) => {
                self.arrived = Some(images);
                None
            }
            Err(why) => Some(why),
        }
    }
}
