//! Finds the places of definitions after a turn that touched their files: [`super::chains`] over one turn alone.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    chains::{Chains, DefinitionPlace, TouchedPaths, TurnStep},
    facts_snapshot::{CodeFile, FactsSnapshot},
    file_facts::FileFacts,
};
use trajview_run::RepoPath;

/// A file of code that a turn touched, before and after it; None where it did not exist then.
#[derive(Debug, Clone, Default)]
pub struct FileTouch {
    pub before: Option<(RepoPath, Arc<FileFacts>)>,
    pub after: Option<(RepoPath, Arc<FileFacts>)>,
}

/// The result of a turn for a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionFate {
    /// It is at this place now, which may be its former place.
    To(DefinitionPlace),
    /// Another definition has absorbed its body.
    Into(DefinitionPlace),
    Away,
}

/// Returns the fate of each definition of the touched files, keyed by its place before the turn.
pub fn definition_moves(touches: &[FileTouch]) -> BTreeMap<DefinitionPlace, DefinitionFate> {
    let snapshot = |files: &mut dyn Iterator<Item = &(RepoPath, Arc<FileFacts>)>| {
        let mut snapshot = FactsSnapshot::default();
        files.for_each(|(path, facts)| snapshot.insert(path, CodeFile::new(path, facts.clone())));
        snapshot
    };
    let nothing = FactsSnapshot::default();
    let before = snapshot(&mut touches.iter().filter_map(|it| it.before.as_ref()));
    let after = snapshot(&mut touches.iter().filter_map(|it| it.after.as_ref()));
    let begun: TouchedPaths = before.files.keys().map(|path| (None, Some(path.clone()))).collect();
    let path = |file: &Option<(RepoPath, _)>| file.as_ref().map(|(path, _)| path.clone());
    let touched: TouchedPaths =
        touches.iter().map(|it| (path(&it.before), path(&it.after))).collect();
    let mut chains = Chains::default();
    chains.apply_turn(&TurnStep { turn: 0, before: &nothing, after: &before, touched: &begun });
    let count = chains.all.len();
    chains.apply_turn(&TurnStep { turn: 1, before: &before, after: &after, touched: &touched });
    let went = |chain: usize| {
        let was = chains.place_after_turn(chain, 0)?.clone();
        let is_taken = chains.all[chain].absorbed_by.is_some();
        Some((
            was,
            match chains.place_after_turn(chain, 1) {
                Some(place) if is_taken => DefinitionFate::Into(place.clone()),
                Some(place) => DefinitionFate::To(place.clone()),
                None => DefinitionFate::Away,
            },
        ))
    };
    (0..count).filter_map(went).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifeline;
    use trajview_code::tree::Grammar;

    fn python_file(path: &str, text: &str) -> Option<(RepoPath, Arc<FileFacts>)> {
        let facts = lifeline::read_facts(Grammar::Python, text.as_bytes());
        Some((RepoPath::new(path).unwrap(), Arc::new(facts)))
    }

    fn place_at(path: &str, name: &str) -> DefinitionPlace {
        DefinitionPlace { path: RepoPath::new(path).unwrap(), name: name.into() }
    }

    #[test]
    fn definitions_are_followed_through_one_turn() {
        let long = "    a = x + 1\n    b = a * 2\n    c = b - a\n    return a + b + c + x\n";
        let before = format!("def f(x):\n{long}\ndef g(x):\n    return x\n\nclass C:\n    pass\n");
        let after = format!("def h(x):\n{long}\nclass C:\n    pass\n");
        let touch =
            FileTouch { before: python_file("a.py", &before), after: python_file("b.py", &after) };

        let went = definition_moves(&[touch]);

        assert_eq!(went[&place_at("a.py", "f")], DefinitionFate::To(place_at("b.py", "h")));
        assert_eq!(went[&place_at("a.py", "C")], DefinitionFate::To(place_at("b.py", "C")));
        assert_eq!(went[&place_at("a.py", "g")], DefinitionFate::Away);
        assert_eq!(went.len(), 3);
    }
}
