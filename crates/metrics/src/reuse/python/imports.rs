//! Reads import statements.

use super::{PythonImport, text_of};
use trajview_code::flat_tree::FlatTree;

/// One name of an import statement, with its binding.
pub struct ImportBinding<'t> {
    pub import: PythonImport,
    pub binds: BoundName<'t>,
}

/// The name that an import binds.
pub enum BoundName<'t> {
    Name(&'t str),
    /// No name: `import a.b` binds `a`, which is another import.
    Nothing,
    /// `from m import *`
    Star,
}

/// Returns the names of an `import_statement` or `import_from_statement`.
pub(crate) fn import_bindings<'t>(
    text: &'t str,
    flat: &FlatTree<'_>,
    statement: usize,
) -> Vec<ImportBinding<'t>> {
    match flat.kind_name(statement) {
        "import_statement" => flat
            .named_children(statement)
            .flat_map(|child| plain_imports(text, flat, child))
            .collect(),
        "import_from_statement" => from_imports(text, flat, statement),
        _ => vec![],
    }
}

/// Reads a name of `import a.b` or `import a.b as c`.
fn plain_imports<'t>(text: &'t str, flat: &FlatTree<'_>, child: usize) -> Vec<ImportBinding<'t>> {
    let module = |parts: &[&str]| PythonImport {
        level: 0,
        module: parts.iter().map(|part| (*part).into()).collect(),
        name: None,
    };
    match flat.kind_name(child) {
        "dotted_name" => {
            let parts = dotted_parts(text, flat, child);
            let Some(&first) = parts.first() else { return vec![] };
            let whole = ImportBinding { import: module(&parts), binds: BoundName::Nothing };
            let root = ImportBinding { import: module(&parts[..1]), binds: BoundName::Name(first) };
            vec![whole, root]
        }
        "aliased_import" => match aliased_name(text, flat, child) {
            Some((parts, alias)) => {
                vec![ImportBinding { import: module(&parts), binds: BoundName::Name(alias) }]
            }
            None => vec![],
        },
        _ => vec![],
    }
}

/// Reads the names of `from m import …`.
fn from_imports<'t>(
    text: &'t str,
    flat: &FlatTree<'_>,
    statement: usize,
) -> Vec<ImportBinding<'t>> {
    let mut children = flat.named_children(statement);
    let Some(source) = children.next() else { return vec![] };
    let (level, module) = match flat.kind_name(source) {
        "relative_import" => {
            let prefix = flat.child_of_kind(source, "import_prefix");
            let level = prefix.map_or(0, |at| {
                text_of(text, flat, at).bytes().filter(|&byte| byte == b'.').count()
            });
            let name = flat.child_of_kind(source, "dotted_name");
            (level, name.map(|at| dotted_parts(text, flat, at)).unwrap_or_default())
        }
        _ => (0, dotted_parts(text, flat, source)),
    };
    let module: Vec<Box<str>> = module.into_iter().map(Into::into).collect();
    let import = |name: Option<&str>| PythonImport {
        level,
        module: module.clone(),
        name: name.map(Into::into),
    };
    let one = |child: usize| match flat.kind_name(child) {
        "wildcard_import" => Some(ImportBinding { import: import(None), binds: BoundName::Star }),
        "dotted_name" => {
            let name = text_of(text, flat, child);
            Some(ImportBinding { import: import(Some(name)), binds: BoundName::Name(name) })
        }
        "aliased_import" => {
            let (parts, alias) = aliased_name(text, flat, child)?;
            let name = parts.first()?;
            Some(ImportBinding { import: import(Some(name)), binds: BoundName::Name(alias) })
        }
        _ => None,
    };
    children.filter_map(one).collect()
}

fn aliased_name<'t>(
    text: &'t str,
    flat: &FlatTree<'_>,
    at: usize,
) -> Option<(Vec<&'t str>, &'t str)> {
    let name = flat.child_of_kind(at, "dotted_name")?;
    let alias = flat.child_of_kind(at, "identifier")?;
    Some((dotted_parts(text, flat, name), text_of(text, flat, alias)))
}

/// Returns the identifiers of a `dotted_name`.
pub(crate) fn dotted_parts<'t>(text: &'t str, flat: &FlatTree<'_>, at: usize) -> Vec<&'t str> {
    flat.named_children(at).map(|part| text_of(text, flat, part)).collect()
}
