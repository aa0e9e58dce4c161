//! Messages to the palette.

use crate::widgets::scroll::Motion;

#[derive(Debug, Clone, PartialEq)]
pub enum PaletteMessage {
    Open,
    Close,
    Type(String),
    Erase,
    EraseAll,
    Move(Motion),
    /// Completes the line by the next item.
    Complete,
    Accept,
}
