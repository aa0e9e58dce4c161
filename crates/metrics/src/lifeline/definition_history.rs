//! The history of one definition: every turn that touched its lines or moved it, followed as in [`super::chains`].
//!
//! Unlike a lifeline it counts files of tests, and does not look at uses. Over a timeline of events
//! ([`trajview_run::files::history::FileEvents`]) it has one entry per step.

use super::{
    CodeMoment, CodeScope, DefinitionPlace, FactsByContent, TimelineMoments, chains::Chains,
    file_facts::CodeDefinition,
};
use trajview_run::{RepoPath, files::Timeline};

/// A turn that touched a file which had the definition before, or has it after the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionTurn {
    /// Counts from 1.
    pub turn: usize,
    /// The lines before the turn; None where the definition did not exist.
    pub old: Option<DefinitionLines>,
    /// The lines after the turn; None where the definition does not exist any more.
    pub new: Option<DefinitionLines>,
    /// True where another definition has absorbed its body; `new` is that definition then, and the history ends.
    pub is_taken_in: bool,
}

/// The place and the lines of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionLines {
    pub place: DefinitionPlace,
    /// First and last line of each of its parts, counting from 1.
    pub lines: Vec<(usize, usize)>,
}

/// The ways to name a definition in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefinitionQuery<'a> {
    /// The innermost definition around a line of the file, counting from 1.
    Line(usize),
    /// The dotted name or the end of it.
    Name(&'a str),
}

/// Returns the place of a definition in a file after `done` turns (None: the last time it was there), and every turn
/// that touched it. None where the file has no such definition then.
pub fn definition_history(
    timeline: &Timeline,
    known: &FactsByContent,
    path: &RepoPath,
    done: Option<usize>,
    by: DefinitionQuery<'_>,
) -> Option<(DefinitionPlace, Vec<DefinitionTurn>)> {
    let moments = TimelineMoments::new(timeline, known, CodeScope::All);
    let (done, place) = moments.place_of(path, done, by)?;
    let chains = moments.build_chains();
    let chain = chains.chain_at(&place, done)?;
    Some((place, moments.turns_of_chain(&chains, chain)))
}

impl TimelineMoments {
    /// Returns the place of a definition, with the moment at which it was found.
    fn place_of(
        &self,
        path: &RepoPath,
        done: Option<usize>,
        by: DefinitionQuery<'_>,
    ) -> Option<(usize, DefinitionPlace)> {
        let last = self.all.len().checked_sub(1)?;
        let place_at = |done: usize| {
            let file = self.file_after(path, done)?;
            let name = find_by_query(&file.facts.definitions, by)?.name.clone();
            Some((done, DefinitionPlace { path: path.clone(), name }))
        };
        match done {
            Some(done) => place_at(done.min(last)),
            // The file is another only after a moment that touched it.
            None => {
                let touches = |done: &usize| self.all[*done].after.iter().any(|it| it.0 == *path);
                (0..=last).rev().filter(touches).find_map(place_at)
            }
        }
    }

    /// Returns the turns that touched a file of the chain.
    fn turns_of_chain(&self, chains: &Chains, chain: usize) -> Vec<DefinitionTurn> {
        let mut passages = vec![];
        for (turn, moment) in self.all.iter().enumerate().skip(1) {
            let old = chains
                .place_after_turn(chain, turn - 1)
                .and_then(|place| moment.lines_before(place));
            let new =
                chains.place_after_turn(chain, turn).and_then(|place| moment.lines_after(place));
            let is_taken_in = chains.all[chain].absorbed_by.is_some_and(|(since, _)| since == turn);
            if old.is_some() || new.is_some() {
                passages.push(DefinitionTurn { turn, old, new, is_taken_in });
            }
            if is_taken_in {
                break;
            }
        }
        passages
    }
}

impl CodeMoment {
    /// Returns the lines of a definition before the turn; None where the turn did not touch its file, or the file does
    /// not have it.
    fn lines_before(&self, place: &DefinitionPlace) -> Option<DefinitionLines> {
        self.before
            .find_definition(&place.path, &place.name)
            .map(|it| DefinitionLines::new(place, it))
    }

    /// Returns the lines of a definition after the turn; None where the turn did not touch its file, or the file does
    /// not have it.
    fn lines_after(&self, place: &DefinitionPlace) -> Option<DefinitionLines> {
        let mut files = self.after.iter().rev().filter(|(path, _)| *path == place.path);
        let file = files.next()?.1.as_ref()?;
        file.facts.find_definition(&place.name).map(|it| DefinitionLines::new(place, it))
    }
}

impl DefinitionLines {
    fn new(place: &DefinitionPlace, definition: &CodeDefinition) -> Self {
        let line = |line: u32| line as usize;
        let parts = definition.parts.iter();
        let lines = parts.map(|it| (line(it.span.start), line(it.span.end))).collect();
        Self { place: place.clone(), lines }
    }
}

fn find_by_query<'d>(
    all: &'d [CodeDefinition],
    by: DefinitionQuery<'_>,
) -> Option<&'d CodeDefinition> {
    match by {
        DefinitionQuery::Line(line) => {
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            all.iter().filter(|it| it.contains_line(line)).min_by_key(|it| it.line_count())
        }
        DefinitionQuery::Name(name) => {
            let ends = |it: &&CodeDefinition| it.name.ends_with(&format!(".{name}"));
            all.iter().find(|it| &*it.name == name).or_else(|| all.iter().find(ends))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, sync::Arc};

    use super::*;
    use crate::lifeline::read_facts;
    use trajview_code::tree::Grammar;
    use trajview_run::{
        EditKind,
        files::{BlobId, ChangeOrigin, ChangeVersion, FileChange, TreeFile, TurnFiles},
    };

    const BODY: &str = "    a = x + 1\n    b = a * 2\n    c = b - a\n    return a + b + c + x\n";

    /// A run of one change a turn: a path, and its text after it.
    fn run_of(turns: &[(&str, Option<String>)]) -> (Timeline, FactsByContent) {
        let (mut timeline, mut known) = (Timeline::default(), FactsByContent::new());
        let mut texts: BTreeMap<&str, TreeFile> = BTreeMap::new();
        for (path, text) in turns {
            let new = text.as_ref().map(|text| {
                let blob = BlobId::for_bytes(text.as_bytes());
                let read = read_facts(Grammar::Python, text.as_bytes());
                known.insert((blob, Grammar::Python), Arc::new(read));
                TreeFile::with_blob(blob)
            });
            let old = texts.remove(path);
            texts.extend(new.map(|new| (*path, new)));
            let kind = match (old, new) {
                (None, _) => EditKind::Create,
                (_, None) => EditKind::Delete,
                _ => EditKind::Modify,
            };
            let version = ChangeVersion::Whole { old, new };
            let (path, origin) = (RepoPath::new(path).unwrap(), ChangeOrigin::Recorded);
            let changes = vec![FileChange { path, from: None, kind, version, origin }];
            timeline.turns.push(TurnFiles { changes, ..TurnFiles::default() });
        }
        (timeline, known)
    }

    #[test]
    fn a_function_is_followed_through_a_new_name_and_another_file() {
        let (timeline, known) = run_of(&[
            ("a.py", Some(format!("X = 1\n\ndef f(x):\n{BODY}"))),
            ("a.py", Some(format!("X = 2\n\ndef f(x):\n{BODY}"))),
            ("a.py", Some(format!("def g(x):\n{BODY}"))),
            ("tests/test_a.py", Some("import a\n".to_owned())),
            ("a.py", None),
            ("b.py", Some(format!("def g(x):\n{BODY}"))),
        ]);
        let path = |name| RepoPath::new(name).unwrap();

        let (place, turns) =
            definition_history(&timeline, &known, &path("b.py"), None, DefinitionQuery::Line(2))
                .unwrap();

        assert_eq!(place, DefinitionPlace { path: path("b.py"), name: "g".into() });
        let name = |it: &Option<DefinitionLines>| {
            it.as_ref().map(|it| (it.place.path.as_str().to_owned(), it.place.name.to_string()))
        };
        let at = |path: &str, name: &str| Some((path.to_owned(), name.to_owned()));
        let turns: Vec<_> =
            turns.iter().map(|it| (it.turn, name(&it.old), name(&it.new))).collect();
        let expected = vec![
            (1, None, at("a.py", "f")),
            (2, at("a.py", "f"), at("a.py", "f")),
            (3, at("a.py", "f"), at("a.py", "g")),
            (5, at("a.py", "g"), None),
            (6, None, at("b.py", "g")),
        ];
        assert_eq!(turns, expected);
        let first = definition_history(
            &timeline,
            &known,
            &path("a.py"),
            Some(1),
            DefinitionQuery::Name("f"),
        )
        .unwrap();
        assert_eq!(first.1.len(), 5);
        assert_eq!(
            definition_history(
                &timeline,
                &known,
                &path("a.py"),
                Some(1),
                DefinitionQuery::Name("h")
            ),
            None
        );
        assert_eq!(
            definition_history(&timeline, &known, &path("a.py"), Some(1), DefinitionQuery::Line(2)),
            None
        );
    }
}
