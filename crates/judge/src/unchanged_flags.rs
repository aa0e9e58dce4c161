//! Flags that are carried on from an earlier state of the code, because none of their lines changed since.
//!
//! Lines are followed by content: through the difference between both states, under the new path of a renamed file. A
//! flag with a line that changed, went away, or came in between is not carried; the judge may find it again.

use std::sync::Arc;

use trajview_code::diff::DiffHunk;
use trajview_run::{
    Run,
    files::{FileChange, FileDiff, RunMoment},
    flags::{Flag, Flagging},
};
use trajview_store::Archive;

use super::{document::DocumentJudge, flags::is_same_place};

/// Flags that may be carried into a file, for each of several repeats.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CarriedFlags {
    /// (which repeat they are of, None where the file does not say; a group; its flags).
    by_group: Vec<(Option<usize>, String, Vec<Flag>)>,
}

impl CarriedFlags {
    /// Returns the flags for one repeat: of each group those of the same repeat, else those of the last one.
    pub(crate) fn for_repeat(&self, repeat: usize) -> Vec<Flag> {
        let mut groups: Vec<&str> = self.by_group.iter().map(|(_, group, _)| &**group).collect();
        groups.dedup();
        let of_group = |group: &str| {
            let mut of_this_group =
                self.by_group.iter().filter(move |(_, other, _)| other == group);
            let same = of_this_group.clone().rfind(|(number, ..)| *number == Some(repeat));
            same.or_else(|| of_this_group.next_back()).map_or(&[][..], |(.., flags)| flags)
        };
        groups.into_iter().flat_map(of_group).cloned().collect()
    }
}

/// Returns flags of earlier states by the same judge whose lines are the same after `turn` turns: of each group, those of the
/// latest state where it was judged. The error is a sentence.
pub(crate) fn carried_flags(
    flaggings: &[Flagging],
    judge: &DocumentJudge,
    groups: &[(String, Vec<String>)],
    (run, archive): (&Arc<Run>, &Archive),
    turn: usize,
) -> Result<CarriedFlags, String> {
    let is_earlier =
        |it: &&Flagging| is_same_judge(it, judge) && it.turn.is_some_and(|at| at < turn);
    let mut by_group = vec![];
    for (group, criteria) in groups {
        let judged = || flaggings.iter().filter(is_earlier).filter(|it| it.has_judged(group));
        let Some(at) = judged().filter_map(|it| it.turn).max() else { continue };
        let changes = archive.changes_between(
            run,
            RunMoment::after_turns(at),
            RunMoment::after_turns(turn),
        )?;
        let follow = |flag: &Flag| {
            let is_asked = criteria.iter().any(|id| **id == *flag.criterion);
            let moved = is_asked.then(|| move_flag(flag, &changes, run, archive)).flatten()?;
            let first = || Some(state_name(run, at).into());
            Some(Flag { carried_from: flag.carried_from.clone().or_else(first), ..moved })
        };
        for one in judged().filter(|it| it.turn == Some(at)) {
            let flags = one.flags.iter().filter_map(follow).collect();
            let repeat = one.repeat.map(|it| it.number);
            by_group.push((repeat, group.clone(), flags));
        }
    }
    Ok(CarriedFlags { by_group })
}

/// Returns whether the same judge had the same prompt and criteria.
fn is_same_judge(flagging: &Flagging, judge: &DocumentJudge) -> bool {
    let by = &flagging.judge;
    let same_words = by.prompt_sha256.as_deref() == Some(&*judge.prompt_sha256)
        && flagging.criteria_sha256 == judge.criteria_sha256;
    by.name == judge.name && by.model == judge.model && same_words
}

/// Returns the name of a state: the checkpoint that ends there, else `turn 7`.
pub(crate) fn state_name(run: &Run, turns_done: usize) -> String {
    let ends = run.checkpoints.iter().find(|it| it.last_turn + 1 == turns_done);
    ends.map_or_else(|| format!("turn {turns_done}"), |it| it.id.clone())
}

/// Returns the flag where its lines are now; None where one of them is not what it was.
fn move_flag(flag: &Flag, changes: &[FileChange], run: &Run, archive: &Archive) -> Option<Flag> {
    let lines = (flag.start? as usize, flag.end? as usize);
    let is_renamed =
        |it: &&FileChange| it.from.as_ref().is_some_and(|from| *from.as_str() == *flag.path);
    let is_here = |it: &&FileChange| it.from.is_none() && *it.path.as_str() == *flag.path;
    let Some(change) = changes.iter().find(is_renamed).or_else(|| changes.iter().find(is_here))
    else {
        return Some(flag.clone());
    };
    let FileDiff::Text { diff, new: Some(_), .. } = archive.file_diff(run, change, 0) else {
        return None;
    };
    let (start, end) = follow_lines(lines, &diff.hunks)?;
    let path = change.path.as_str().into();
    Some(Flag { path, start: Some(start as u64), end: Some(end as u64), ..flag.clone() })
}

/// Returns the place of lines of the old text in the new one, all of them and nothing between; `hunks` have no context.
fn follow_lines((start, end): (usize, usize), hunks: &[DiffHunk]) -> Option<(usize, usize)> {
    let mut shift = 0isize;
    for hunk in hunks {
        // Nothing removed: the added lines come after the line `old_start`.
        let is_after = match hunk.old_len {
            0 => hunk.old_start >= end,
            _ => hunk.old_start > end,
        };
        if is_after {
            break;
        }
        let last = match hunk.old_len {
            0 => hunk.old_start,
            len => hunk.old_start + len - 1,
        };
        if last >= start {
            return None;
        }
        shift += hunk.new_len as isize - hunk.old_len as isize;
    }
    Some((start.checked_add_signed(shift)?, end.checked_add_signed(shift)?))
}

/// Puts what was found beside what was carried. A flag that is carried already is not counted twice; gives how many
/// were found again.
pub(crate) fn merge_flags(flags: &mut Vec<Flag>, new_flags: &[Flag]) -> usize {
    let before = flags.len();
    let mut again = 0;
    for flag in new_flags {
        match flags[..before].iter().any(|carried| is_same_place(carried, flag)) {
            true => again += 1,
            false => flags.push(flag.clone()),
        }
    }
    again
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use trajview_code::diff::diff_text;

    fn sample_flag(criterion: &str, start: u64, end: u64, from: Option<&str>) -> Flag {
        Flag {
            criterion: criterion.into(),
            path: "a.py".into(),
            start: Some(start),
            end: Some(end),
            carried_from: from.map(Into::into),
            ..Flag::default()
        }
    }

    #[test]
    fn lines_are_followed_where_none_of_them_changed() {
        let old = "a\nb\nc\nd\ne\nf\n";
        let to = |new: &str, lines| follow_lines(lines, &diff_text(old, new, 0).hunks);

        assert_eq!(to(old, (2, 3)), Some((2, 3)));
        assert_eq!(to("x\ny\na\nb\nc\nd\ne\nf\n", (2, 3)), Some((4, 5)), "lines before");
        assert_eq!(to("b\nc\nd\ne\n", (2, 5)), Some((1, 4)), "lines before and after are gone");
        assert_eq!(to("a\nb\nx\nc\nd\ne\nf\n", (2, 3)), None, "a line came between");
        assert_eq!(to("a\nx\nb\nc\ny\nd\ne\nf\n", (2, 3)), Some((3, 4)), "around them");
        assert_eq!(to("a\nb\nC\nd\ne\nf\n", (2, 3)), None, "a line changed");
        assert_eq!(to("", (2, 3)), None);
    }

    #[test]
    fn what_is_found_again_is_not_counted_twice() {
        let mut flags =
            vec![sample_flag("x", 3, 6, Some("c1")), sample_flag("y", 1, 1, Some("c1"))];
        let new_flags = [
            sample_flag("x", 6, 9, None),
            sample_flag("x", 7, 9, None),
            sample_flag("y", 2, 2, None),
        ];

        let again = merge_flags(&mut flags, &new_flags);

        assert_eq!(again, 1);
        assert_eq!(flags.len(), 4);
        assert_eq!(flags[0].carried_from.as_deref(), Some("c1"));
    }

    proptest! {
        #[test]
        fn whatever_the_texts_lines_that_are_followed_are_the_same(
            old in proptest::collection::vec("[ab]", 1..12), new in proptest::collection::vec("[ab]", 0..12),
            start in 0usize..12, len in 0usize..4,
        ) {
            let end = (start + len).min(old.len() - 1);
            let start = start.min(end);
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let hunks = diff_text(&text(&old), &text(&new), 0).hunks;
            if let Some((first, last)) = follow_lines((start + 1, end + 1), &hunks) {
                prop_assert_eq!(&old[start..=end], &new[first - 1..last]);
            }
        }
    }
}
