//! Where the definitions of the files that one turn touched are after it: [`super::chains`] over that turn alone.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    chains::{Chains, Place, Step, Touched},
    facts::FileFacts,
    snapshot::{File, Snapshot},
};
use trajview_run::RepoPath;

/// A file of code that a turn touched, before and after it; None where it was not yet, or is no more.
#[derive(Debug, Clone, Default)]
pub struct Touch {
    pub before: Option<(RepoPath, Arc<FileFacts>)>,
    pub after: Option<(RepoPath, Arc<FileFacts>)>,
}

/// What became of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Went {
    /// It stands there now, which may be where it was.
    To(Place),
    /// Another definition has taken its body in.
    Into(Place),
    Away,
}

/// What became of each definition of the touched files, by where it stood before the turn.
pub fn moves(touches: &[Touch]) -> BTreeMap<Place, Went> {
    let snapshot = |files: &mut dyn Iterator<Item = &(RepoPath, Arc<FileFacts>)>| {
        let mut snapshot = Snapshot::default();
        files.for_each(|(path, facts)| snapshot.insert(path, File::new(path, facts.clone())));
        snapshot
    };
    let nothing = Snapshot::default();
    let before = snapshot(&mut touches.iter().filter_map(|it| it.before.as_ref()));
    let after = snapshot(&mut touches.iter().filter_map(|it| it.after.as_ref()));
    let begun: Touched = before.files.keys().map(|path| (None, Some(path.clone()))).collect();
    let path = |file: &Option<(RepoPath, _)>| file.as_ref().map(|(path, _)| path.clone());
    let touched: Touched = touches.iter().map(|it| (path(&it.before), path(&it.after))).collect();
    let mut chains = Chains::default();
    chains.go_on(&Step { turn: 0, before: &nothing, after: &before, touched: &begun });
    let count = chains.all.len();
    chains.go_on(&Step { turn: 1, before: &before, after: &after, touched: &touched });
    let went = |chain: usize| {
        let was = chains.place(chain, 0)?.clone();
        let is_taken = chains.all[chain].became.is_some();
        Some((
            was,
            match chains.place(chain, 1) {
                Some(place) if is_taken => Went::Into(place.clone()),
                Some(place) => Went::To(place.clone()),
                None => Went::Away,
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

    fn file(path: &str, text: &str) -> Option<(RepoPath, Arc<FileFacts>)> {
        let facts = lifeline::facts(Grammar::Python, text.as_bytes());
        Some((RepoPath::new(path).unwrap(), Arc::new(facts)))
    }

    fn place(path: &str, name: &str) -> Place {
        Place { path: RepoPath::new(path).unwrap(), name: name.into() }
    }

    #[test]
    fn definitions_are_followed_through_one_turn() {
        let long = "    a = x + 1\n    b = a * 2\n    c = b - a\n    return a + b + c + x\n";
        let before = format!("def f(x):\n{long}\ndef g(x):\n    return x\n\nclass C:\n    pass\n");
        let after = format!("def h(x):\n{long}\nclass C:\n    pass\n");
        let touch = Touch { before: file("a.py", &before), after: file("b.py", &after) };

        let went = moves(&[touch]);

        assert_eq!(went[&place("a.py", "f")], Went::To(place("b.py", "h")));
        assert_eq!(went[&place("a.py", "C")], Went::To(place("b.py", "C")));
        assert_eq!(went[&place("a.py", "g")], Went::Away);
        assert_eq!(went.len(), 3);
    }
}
