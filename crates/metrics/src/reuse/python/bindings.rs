//! What a name of one scope means at a place: which of its bindings reach it.
//!
//! Bindings stand in the order of the text. One that is always run before a place takes the place of those before it; one that
//! may not have been run (in a branch, a loop, a handler) is added to them. What is read where a function was called, which
//! is any time after its definition, can also mean what is bound later.

/// Indices of nodes, from the first to the one after the last.
pub type Span = (u32, u32);

/// One binding of a name in its scope.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The node from which on it holds.
    pub from: u32,
    /// The branch it stands in; the whole scope where it stands in none.
    pub branch: Span,
    /// Which import binds it; None for whatever is the file's own, and for `del`.
    pub import: Option<usize>,
    /// Whether it is run at a time that nobody knows: in a function that declares the name `global`.
    pub is_any_time: bool,
}

/// When a name is read.
#[derive(Debug, Clone, Copy)]
pub enum Moment {
    /// When its place in the text is run.
    There,
    /// At any time after this node: in the body of a function that ends there.
    After(u32),
}

/// Every node.
pub const WHOLE: Span = (0, u32::MAX);

/// The imports that a name read at `at` may mean, in order; None where nothing is bound so far.
pub fn reaching(bindings: &[Binding], at: u32, moment: Moment) -> Option<Vec<usize>> {
    let (place, is_later) = match moment {
        Moment::There => (at, false),
        Moment::After(end) => (end, true),
    };
    let mut reaching: Vec<&Binding> = vec![];
    for binding in bindings.iter().filter(|it| !it.is_any_time) {
        let is_before = binding.from <= place;
        if is_before && (binding.branch.0..binding.branch.1).contains(&at) {
            reaching.clear();
        }
        if is_before || is_later {
            reaching.push(binding);
        }
    }
    reaching.extend(bindings.iter().filter(|it| it.is_any_time));
    (!reaching.is_empty()).then(|| imports(&reaching))
}

/// The imports of all of them.
pub fn all(bindings: &[Binding]) -> Vec<usize> {
    imports(&bindings.iter().collect::<Vec<_>>())
}

fn imports(bindings: &[&Binding]) -> Vec<usize> {
    let mut imports: Vec<usize> = vec![];
    for import in bindings.iter().filter_map(|it| it.import) {
        if !imports.contains(&import) {
            imports.push(import);
        }
    }
    imports
}
