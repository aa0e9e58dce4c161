//! How the two sides of a comparison stand.

use trajview_run::values::{Named, named};

named! {
    /// How the two sides of a comparison stand.
    #[derive(Default)]
    Arrangement {
        /// Below each other.
        #[default]
        Unified = "unified",
        /// The old side to the left of the new one.
        Columns = "side-by-side",
    }
}
