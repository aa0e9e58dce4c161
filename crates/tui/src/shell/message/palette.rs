//! What happens to the palette.

use crate::widgets::scroll::Motion;

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Open,
    Close,
    Type(String),
    Erase,
    EraseAll,
    Move(Motion),
    Accept,
}
