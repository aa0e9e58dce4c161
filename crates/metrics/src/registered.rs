//! Symbols that are in use although no code refers to them: a decorator, an entry point or a string registers them.
//!
//! They are *registered*: neither reused by another module nor lost, since their callers find them by name, or get
//! them passed. [`super::reuse`] leaves them out of both counts, [`super::lifeline`] has a state for them.

/// Last parts of the names of decorators that change a definition without passing it to anything.
#[rustfmt::skip]
const CHANGES_ONLY: [&str; 30] = [
    "abstractmethod", "asynccontextmanager", "attrs", "cache", "cached_property", "classmethod", "contextmanager",
    "coroutine", "dataclass", "dataclass_transform", "define", "deprecated", "final", "frozen", "inference_mode", "jit",
    "lru_cache", "mutable", "njit", "no_grad", "no_type_check", "overload", "override", "property", "runtime_checkable",
    "singledispatch", "staticmethod", "total_ordering", "unique", "wraps",
];

/// Returns whether a decorator may register its definition: `@app.route("/")`, `@register`. `text` is the text after
/// the `@`.
pub(super) fn is_registering(text: &str) -> bool {
    let name = text.split('(').next().unwrap_or(text).trim();
    let last = name.rsplit('.').next().unwrap_or(name);
    !CHANGES_ONLY.contains(&last) && !matches!(name, "attr.s" | "attr.ib")
}

/// Returns the dotted path of the symbol that a string names, with dots alone: `pkg.mod.Class` of `pkg.mod:Class`, of
/// `name = pkg.mod:Class` and of `pkg.mod.Class`.
pub(super) fn dotted_symbol_path(text: &str) -> Option<Box<str>> {
    let value = text.rsplit_once('=').map_or(text, |(_, value)| value).trim();
    let value = value.split_once('[').map_or(value, |(value, _)| value).trim(); // extras
    let parts = || value.split(['.', ':']);
    // Most strings are prose, which fails at its first word.
    let is_path = parts().all(is_identifier) && parts().nth(1).is_some();
    (is_path && value.matches(':').count() <= 1)
        .then(|| parts().collect::<Vec<_>>().join(".").into())
}

/// Returns the entry points of a `pyproject.toml`, a `setup.cfg` or an `entry_points.txt`: everything of the form
/// `pkg.mod:name`.
pub(super) fn entry_points(text: &str) -> Vec<Box<str>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let words = text.split(|c: char| !is_part(c)).filter(|word| word.contains(':'));
    words.filter_map(dotted_symbol_path).collect()
}

fn is_identifier(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_names_a_symbol_where_it_is_a_path() {
        let named = |text| dotted_symbol_path(text).map(String::from).unwrap_or_default();

        assert_eq!(named("pkg.mod:Class"), "pkg.mod.Class");
        assert_eq!(named("run = pkg.mod:main [extra]"), "pkg.mod.main");
        assert_eq!(named("pkg.mod.func"), "pkg.mod.func");
        let none = ["word", "a sentence. Two", "1.5", "https://a.b", "a:b:c", "", "a..b"];
        assert_eq!(none.map(named), [""; 7]);
        let toml = "[project.scripts]\nrun = \"pkg.mod:main\"\nurl = \"https://x.y\"\n";
        assert_eq!(entry_points(toml), ["pkg.mod.main".into()]);
    }

    #[test]
    fn a_decorator_that_only_changes_a_function_registers_nothing() {
        let registering = ["app.route('/')", "register", "click.command()", "cli.group"];
        let changing = ["functools.lru_cache(maxsize=None)", "dataclass", "attr.s", "property"];

        assert!(registering.into_iter().all(is_registering));
        assert!(!changing.into_iter().any(is_registering));
    }
}
