//! Finds the bindings of a scope's name that reach a place.
//!
//! Bindings are in the order of the text. A binding that always runs before a place replaces those before it; one that
//! may not have run (in a branch, a loop, a handler) is added to them. A name that is read inside a function, which
//! may be called at any time after its definition, can also mean a later binding.

/// Indices of nodes, from the first to the one after the last.
pub type NodeSpan = (u32, u32);

/// One binding of a name in its scope.
#[derive(Debug, Clone, Copy)]
pub struct ScopeBinding {
    /// The node from which on the binding is valid.
    pub from: u32,
    /// The branch around it; the whole scope where there is none.
    pub branch: NodeSpan,
    /// The number of the import that binds the name; None for the file's own names, and for `del`.
    pub import: Option<usize>,
    /// True where it runs at an unknown time: in a function that declares the name `global`.
    pub is_any_time: bool,
}

/// The moment at which a name is read.
#[derive(Debug, Clone, Copy)]
pub enum ReadMoment {
    /// When its place in the text runs.
    There,
    /// At any time after this node: in the body of a function that ends there.
    After(u32),
}

/// The span of all nodes.
pub(crate) const WHOLE_FILE: NodeSpan = (0, u32::MAX);

/// Returns the imports that a name read at `at` may mean, in order; None where nothing is bound so far.
pub(crate) fn reaching_imports(
    bindings: &[ScopeBinding],
    at: u32,
    moment: ReadMoment,
) -> Option<Vec<usize>> {
    let (place, is_later) = match moment {
        ReadMoment::There => (at, false),
        ReadMoment::After(end) => (end, true),
    };
    let mut reaching_imports: Vec<&ScopeBinding> = vec![];
    for binding in bindings.iter().filter(|it| !it.is_any_time) {
        let is_before = binding.from <= place;
        if is_before && (binding.branch.0..binding.branch.1).contains(&at) {
            reaching_imports.clear();
        }
        if is_before || is_later {
            reaching_imports.push(binding);
        }
    }
    reaching_imports.extend(bindings.iter().filter(|it| it.is_any_time));
    (!reaching_imports.is_empty()).then(|| distinct_imports(&reaching_imports))
}

/// Returns the imports of all bindings.
pub(crate) fn all_imports(bindings: &[ScopeBinding]) -> Vec<usize> {
    distinct_imports(&bindings.iter().collect::<Vec<_>>())
}

fn distinct_imports(bindings: &[&ScopeBinding]) -> Vec<usize> {
    let mut distinct_imports: Vec<usize> = vec![];
    for import in bindings.iter().filter_map(|it| it.import) {
        if !distinct_imports.contains(&import) {
            distinct_imports.push(import);
        }
    }
    distinct_imports
}
