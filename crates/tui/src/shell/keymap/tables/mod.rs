//! The keys, one table a view.

mod audit;
mod collection;
mod compare;
mod curves;
mod everywhere;
mod jobs;
mod judging;
mod layers;
mod live;
mod process;
mod replay;
mod row;
mod scores;

use crate::session::context::KeyContext;

use super::KeyBinding;

/// In the order of the views.
pub(crate) static TABLES: &[&[KeyBinding]] = &[
    replay::ROWS,
    everywhere::ROWS,
    curves::ROWS,
    scores::ROWS,
    audit::ROWS,
    judging::ROWS,
    compare::ROWS,
    collection::ROWS,
    live::ROWS,
    process::ROWS,
    layers::ROWS,
    jobs::ROWS,
];
