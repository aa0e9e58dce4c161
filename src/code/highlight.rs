//! Syntax colours.
