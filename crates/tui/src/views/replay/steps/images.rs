//! Fetches and decodes the image of the line at the cursor.

use std::sync::Arc;

use crate::session::{
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};
use trajview_run::{Run, StepId, pictures::raster::DecodedImage};

/// The start of the line for an image, as the formats write it.
pub const IMAGE_SIGN: &str = "[image: ";

/// The images of one step or request, and the index of the first to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestedImages {
    /// Counts from 0.
    pub turn: usize,
    /// None for those of the request.
    pub step: Option<StepId>,
    pub first: usize,
}

/// Images that are to be shown.
#[derive(Debug, Default)]
pub struct StepImages {
    pub requested: Option<RequestedImages>,
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
        let RequestedImages { turn, step, first } = self.requested.take()?;
        let run = run.clone();
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
