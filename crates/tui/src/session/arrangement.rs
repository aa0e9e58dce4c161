//! The arrangement of the two sides of a comparison.

use trajview_run::worded_enum::{NamedValue, named};

named! {
    /// The arrangement of the two sides of a comparison.
    #[derive(Default)]
    Arrangement {
        /// The sides are below each other.
        #[default]
        Unified = "unified",
        /// The old side to the left of the new one.
        Columns = "side-by-side",
    }
}
