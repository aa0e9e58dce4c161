//! From the line that stands for an image to the image itself, which is fetched and decoded to be shown.

use std::sync::Arc;

use crate::session::{
    ask::Pending,
    effect::Effect,
    question::Question,
    request::{Numbers, Request, Sentence},
};
use trajview_run::{Run, pictures::raster::Decoded};

use super::Item;

/// What the line of an image begins with, as the formats write it.
pub(super) const SIGN: &str = "[image: ";

/// Images that are to be shown.
#[derive(Debug, Default)]
pub struct Images {
    /// Whose images somebody asked for, and the index of the one to be seen first.
    pub wanted: Option<(Item, usize)>,
    /// The index asked with.
    asked: Pending<usize>,
    /// What arrived and is not shown yet, and the index of the one to be seen first.
    pub arrived: Option<(Arc<Vec<Decoded>>, usize)>,
}

impl Images {
    /// Fetches what is wanted.
    pub fn ask(&mut self, run: &Arc<Run>, numbers: &mut Numbers) -> Option<Effect> {
        let (item, first) = self.wanted.take()?;
        let (run, turn, step) = (run.clone(), item.turn(), item.step());
        Some(self.asked.ask(numbers, first, Question::Images { run, turn, step }))
    }

    /// Takes the answer to its own question; what there is to say of it.
    pub fn take(
        &mut self,
        request: Request,
        images: Result<Arc<Vec<Decoded>>, Sentence>,
    ) -> Option<Sentence> {
        let first = self.asked.answered(request)?;
        match images {
            Ok(images) if images.is_empty() => Some("the image is not in the recording".into()),
            Ok(images) => {
                self.arrived = Some((images, first));
                None
            }
            Err(why) => Some(why),
        }
    }
}
