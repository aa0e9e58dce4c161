//! The keys, one table a view.

mod audit;
mod collection;
mod compare;
mod curves;
mod everywhere;
mod jobs;
mod judging;
mod live;
mod process;
mod replay;
mod row;
mod scores;

use crate::session::context::Context;

use super::Binding;

/// In the order of the views.
pub static TABLES: [&[Binding]; 11] = [
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
    jobs::ROWS,
];
