//! What was done with the mouse.

/// Something done with the mouse, in cells from the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub kind: Kind,
    pub column: u16,
    pub row: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Click,
    /// The second of two clicks on one cell; the first came as a click.
    DoubleClick,
    WheelUp,
    WheelDown,
    WheelLeft,
    WheelRight,
    /// No button is down.
    Move,
    /// The button is let go; only programs in a terminal of ours want to know.
    Release,
    /// Moved with the button down; likewise.
    Drag,
}
