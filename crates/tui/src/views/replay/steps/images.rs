//! Fetches and decodes the image of the line at the cursor.

use std::sync::Arc;

use crate::session::{
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};
use trajview_run::{Run, pictures::raster::DecodedImage};

use super::StepListItem;

/// The start of the line for an image, as the formats write it.
pub(super) const SIGN: &str = "[image: ";

/// Images that are to be shown.
#[derive(Debug, Default)]
pub struct StepImages {
    /// The item whose images are requested, and the index of the first to show.
    pub requested: Option<(StepListItem, usize)>,
    /// The index in the request.
    pending: Pending<usize>,
    /// Images that arrived and are not shown yet, and the index of the first to show.
    pub arrived: Option<(Arc<Vec<DecodedImage>>, usize)>,
}

impl StepImages {
    /// Requests the images.
    pub(crate) fn ask_images(
        &mut self,
        run: &Arc<Run>,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        let (item, first) = self.requested.take()?;
        let (run, turn, step) = (run.clone(), item.turn(), item.step());
        Some(self.pending.ask_question(numbers, first, Question::Images { run, turn, step }))
    }

    /// Takes the answer to its own question; what there is to say of it.
    pub(crate) fn take_images(
        &mut self,
        request: RequestId,
        images: Result<Arc<Vec<DecodedImage>>, Sentence>,
    ) -> Option<Sentence> {
        let first = self.pending.take_answered(request)?;
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
