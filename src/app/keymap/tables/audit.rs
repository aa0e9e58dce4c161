//! The keys of the audit: one row a binding.

use crate::app::audit::Message;

use super::{
    Binding,
    Context::Audit,
    row::{audited, c, row},
};

#[rustfmt::skip] // a table: one row a binding
pub static ROWS: &[Binding] = &[
    row(Audit, &[c('n')], "next component of the queue", "next", |n| audited(Message::Next(n.times()))),
    row(Audit, &[c('p')], "component before it", "", |n| audited(Message::Previous(n.times()))),
];
