//! The facts of the code in a working copy, which is read whole.

use std::{collections::HashSet, path::Path};

use rayon::prelude::*;

use trajview_code::tree::{self, Grammar};
use trajview_metrics::{
    lifeline::{self, FileFacts, is_test},
    process::{CodeFacts, assertions},
};
use trajview_run::RepoPath;
use trajview_store::working_copy;

/// Returns the facts of its code.
pub(crate) fn copy_code_facts(copy: &Path) -> CodeFacts {
    let files = working_copy::code_files(copy);
    let of_file = |(path, text): &(RepoPath, Vec<u8>)| {
        let grammar = Grammar::for_path(path.as_str()).filter(|it| it.is_compiled_in());
        let tree = grammar.and_then(|grammar| Some((grammar, tree::parse_tree(grammar, text)?)));
        let shipped = match assertions::is_shipped_test(path) && std::str::from_utf8(text).is_ok() {
            true => assertions::count_as_scorer(text),
            false => Default::default(),
        };
        let Some((grammar, tree)) = tree else { return (shipped, Default::default(), None) };
        let paper = match assertions::is_paper_test(path) {
            true => assertions::count_as_paper(grammar, text, &tree),
            false => Default::default(),
        };
        (shipped, paper, Some((is_test(path), lifeline::facts_of_tree(grammar, text, &tree))))
    };
    let all: Vec<_> = files.par_iter().map(of_file).collect();
    let of = |wanted: bool| {
        all.iter().filter_map(move |(_, _, it)| it.as_ref().filter(|it| it.0 == wanted))
    };
    let named: HashSet<&str> =
        of(true).flat_map(|(_, facts)| FileFacts::mentioned_names(facts)).collect();
    let public: Vec<&str> = of(false)
        .flat_map(|(_, facts)| &facts.definitions)
        .filter(|it| it.kind != lifeline::DefinitionKind::Value && super::is_public(it))
        .map(|it| it.simple_name())
        .collect();
    let is_tested = |name: &&&str| named.contains(**name) || named.contains("*");
    CodeFacts {
        shipped: assertions::sum_counts(all.iter().map(|(shipped, _, _)| *shipped)),
        paper: assertions::sum_counts(all.iter().map(|(_, paper, _)| *paper)),
        tested: public.iter().filter(is_tested).count(),
        public: public.len(),
        files: files.len(),
        unread_tests: files.iter().filter(|(path, _)| super::is_uncounted_test(path)).count(),
    }
}
