//! Import statements.

use super::{Import, text_of};
use trajview_code::flat::Flat;

/// What one name of an import statement does.
pub struct Imported<'t> {
    pub import: Import,
    pub binds: Binds<'t>,
}

pub enum Binds<'t> {
    Name(&'t str),
    /// `import a.b` binds `a`, which is another import.
    Nothing,
    /// `from m import *`
    Star,
}

/// The names of an `import_statement` or `import_from_statement`.
pub fn read<'t>(text: &'t str, flat: &Flat<'_>, statement: usize) -> Vec<Imported<'t>> {
    match flat.kind(statement) {
        "import_statement" => {
            flat.named_children(statement).flat_map(|child| plain(text, flat, child)).collect()
        }
        "import_from_statement" => from(text, flat, statement),
        _ => vec![],
    }
}

fn plain<'t>(text: &'t str, flat: &Flat<'_>, child: usize) -> Vec<Imported<'t>> {
    let module = |parts: &[&str]| Import {
        level: 0,
        module: parts.iter().map(|part| (*part).into()).collect(),
        name: None,
    };
    match flat.kind(child) {
        "dotted_name" => {
            let parts = parts(text, flat, child);
            let Some(&first) = parts.first() else { return vec![] };
            let whole = Imported { import: module(&parts), binds: Binds::Nothing };
            let root = Imported { import: module(&parts[..1]), binds: Binds::Name(first) };
            vec![whole, root]
        }
        "aliased_import" => match alias(text, flat, child) {
            Some((parts, alias)) => {
                vec![Imported { import: module(&parts), binds: Binds::Name(alias) }]
            }
            None => vec![],
        },
        _ => vec![],
    }
}

fn from<'t>(text: &'t str, flat: &Flat<'_>, statement: usize) -> Vec<Imported<'t>> {
    let mut children = flat.named_children(statement);
    let Some(source) = children.next() else { return vec![] };
    let (level, module) = match flat.kind(source) {
        "relative_import" => {
            let prefix = flat.child_of_kind(source, "import_prefix");
            let level = prefix.map_or(0, |at| {
                text_of(text, flat, at).bytes().filter(|&byte| byte == b'.').count()
            });
            let name = flat.child_of_kind(source, "dotted_name");
            (level, name.map(|at| parts(text, flat, at)).unwrap_or_default())
        }
        _ => (0, parts(text, flat, source)),
    };
    let module: Vec<Box<str>> = module.into_iter().map(Into::into).collect();
    let import =
        |name: Option<&str>| Import { level, module: module.clone(), name: name.map(Into::into) };
    let one = |child: usize| match flat.kind(child) {
        "wildcard_import" => Some(Imported { import: import(None), binds: Binds::Star }),
        "dotted_name" => {
            let name = text_of(text, flat, child);
            Some(Imported { import: import(Some(name)), binds: Binds::Name(name) })
        }
        "aliased_import" => {
            let (parts, alias) = alias(text, flat, child)?;
            let name = parts.first()?;
            Some(Imported { import: import(Some(name)), binds: Binds::Name(alias) })
        }
        _ => None,
    };
    children.filter_map(one).collect()
}

fn alias<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> Option<(Vec<&'t str>, &'t str)> {
    let name = flat.child_of_kind(at, "dotted_name")?;
    let alias = flat.child_of_kind(at, "identifier")?;
    Some((parts(text, flat, name), text_of(text, flat, alias)))
}

/// The identifiers of a `dotted_name`.
pub fn parts<'t>(text: &'t str, flat: &Flat<'_>, at: usize) -> Vec<&'t str> {
    flat.named_children(at).map(|part| text_of(text, flat, part)).collect()
}
