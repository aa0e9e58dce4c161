//! The guarantees of the parsers and of [`apply_hunks`].

use proptest::prelude::*;

use super::{FilePatch, LineCounts, LineKind, PatchHunk, PatchLine, PatchMisfit, PatchedFile};
use super::{apply_hunks, line_counts, parse_codex, parse_unified, patches_in_call};

const TEXT: &str = "def f():\n    return 1\n\n\ndef g():\n    return 1\n";

const PATCH: &str = "\
*** Begin Patch
*** Add File: new.py
+one
+
*** Update File: a.py
*** Move to: b.py
@@ def g():
-    return 1
+    return 2
*** Delete File: old.py
*** End Patch
";

fn updated_hunks(patch: &str) -> Vec<PatchHunk> {
    let body = format!("*** Begin Patch\n*** Update File: a.py\n{patch}*** End Patch\n");
    let files = parse_codex(&body);
    let [FilePatch { change: PatchedFile::Update(hunks), .. }] = files.as_slice() else {
        panic!("one updated file, found {files:?}")
    };
    hunks.clone()
}

fn apply_patch(patch: &str) -> Result<String, PatchMisfit> {
    apply_hunks(TEXT, &updated_hunks(patch))
}

#[test]
fn a_unified_diff_is_read_hunk_by_hunk() {
    let hunks =
        parse_unified("--- a\n+++ b\n@@ -1 +1,2 @@ fn x\n one\n+two\n@@ -9,2 +10 @@\n-a\n-b\n+c\n");

    assert_eq!(hunks.len(), 2);
    assert_eq!((hunks[0].old_start, hunks[0].new_start), (Some(1), Some(1)));
    assert_eq!(hunks[0].anchor.as_deref(), Some("fn x"));
    assert_eq!(line_counts(&hunks), LineCounts { added: 2, removed: 2 });
}

#[test]
fn a_removed_line_that_looks_like_a_header_stays_in_its_hunk() {
    let hunks = parse_unified("@@ -1,2 +1,1 @@\n--- old\n kept\n--- a/next\n+++ b/next\n");

    assert_eq!(hunks[0].lines.len(), 2);
    assert_eq!(hunks[0].lines[0].text, "-- old");
}

#[test]
fn a_missing_last_newline_is_honoured() {
    let hunks = parse_unified("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n");

    assert_eq!(apply_hunks("a\n", &hunks).unwrap(), "b");
}

#[test]
fn the_dialect_adds_updates_moves_and_deletes() {
    let files = parse_codex(PATCH);

    let paths: Vec<_> =
        files.iter().map(|file| (file.path.as_str(), file.move_to.as_deref())).collect();
    assert_eq!(paths, [("new.py", None), ("a.py", Some("b.py")), ("old.py", None)]);
    assert_eq!(files[0].change, PatchedFile::Add("one\n\n".into()));
    assert_eq!(files[2].change, PatchedFile::Delete);
}

#[test]
fn an_anchor_tells_which_of_two_equal_places_is_meant() {
    let text = apply_patch("@@ def g():\n-    return 1\n+    return 2\n").unwrap();

    assert_eq!(text, "def f():\n    return 1\n\n\ndef g():\n    return 2\n");
}

#[test]
fn several_anchors_narrow_the_place_down() {
    let hunks = updated_hunks("@@ class A\n@@ def g():\n-    x\n+    y\n");
    let text = "def g():\n    x\nclass A\ndef f():\n    x\ndef g():\n    x\n";

    assert_eq!(
        apply_hunks(text, &hunks).unwrap(),
        "def g():\n    x\nclass A\ndef f():\n    x\ndef g():\n    y\n"
    );
}

#[test]
fn the_first_at_signs_may_be_missing() {
    let text = apply_patch("-    return 1\n+    return 7\n").unwrap();

    assert!(text.starts_with("def f():\n    return 7\n"));
}

#[test]
fn a_hunk_at_the_end_of_the_file_is_looked_for_there() {
    let text = apply_patch("@@\n-    return 1\n+    return 3\n*** End of File\n").unwrap();

    assert!(text.ends_with("def g():\n    return 3\n"));
}

#[test]
fn blanks_at_the_ends_of_a_line_do_not_hide_it() {
    let text = apply_patch("@@\n def g():  \n-return 1\n+    return 4\n").unwrap();

    assert!(text.ends_with("    return 4\n"));
}

#[test]
fn an_addition_without_context_goes_to_the_end() {
    assert_eq!(apply_patch("+# end\n").unwrap(), format!("{TEXT}# end\n"));
}

#[test]
fn lines_that_are_not_there_are_a_misfit() {
    let result = apply_patch("@@ def f():\n-    return 9\n+    return 1\n");

    assert_eq!(result, Err(PatchMisfit::NotFound { hunk: 1 }));
}

#[test]
fn wrong_line_numbers_are_corrected_by_search() {
    let hunks = parse_unified("@@ -1,2 +1,2 @@\n def g():\n-    return 1\n+    return 5\n");

    assert!(apply_hunks(TEXT, &hunks).unwrap().ends_with("def g():\n    return 5\n"));
}

#[test]
fn every_wrapping_of_a_patch_is_found() {
    let json = |value: serde_json::Value| value.to_string();
    let script = format!("apply_patch <<'EOF'\n{PATCH}EOF\n");
    let spellings = [
        PATCH.to_owned(),
        script.clone(),
        json(serde_json::json!({ "input": PATCH })),
        json(serde_json::json!({ "patch": PATCH })),
        json(serde_json::json!({ "command": ["apply_patch", PATCH] })),
        json(serde_json::json!({ "command": ["bash", "-lc", script] })),
        json(serde_json::json!({ "cmd": script })),
        format!("applypatch <<\"PATCH\"\n{PATCH}PATCH"),
        format!("const r = await tools.apply_patch({});\ntext(r);", serde_json::json!(PATCH)),
        format!("text(await tools.apply_patch(`{PATCH}`));"),
        format!(
            "await tools.apply_patch({}.join('\\n'))",
            serde_json::json!(PATCH.lines().collect::<Vec<_>>())
        ),
    ];
    for spelling in spellings {
        assert_eq!(patches_in_call(&spelling), parse_codex(PATCH), "{spelling}");
    }
}

#[test]
fn a_command_that_first_changes_folder_patches_files_below_it() {
    let files = patches_in_call(
        "bash -lc \"cd sub && apply_patch <<EOF\n*** Begin Patch\n*** Add File: a.sh\n+echo \\$x\n*** End Patch\nEOF\"",
    );

    assert_eq!(files[0].path, "sub/a.sh");
    assert_eq!(files[0].change, PatchedFile::Add("echo $x\n".into()));
}

#[test]
fn a_command_that_only_mentions_a_patch_is_none() {
    assert_eq!(patches_in_call(&format!("cat > p.txt <<'EOF'\n{PATCH}EOF")), []);
}

#[test]
fn a_patch_in_a_comment_or_for_somebody_else_is_none() {
    let literal = serde_json::to_string(PATCH).unwrap();
    for text in [
        format!(
            "// await tools.apply_patch({literal})\ntext(await tools.exec_command({{cmd: 'ls'}}))"
        ),
        format!("/* tools.apply_patch({literal}) */ tools.exec_command({{cmd: 'ls'}})"),
        format!("text({literal}); await tools.exec_command({{cmd: 'apply_patch --help'}})"),
        format!("const p = {literal}; // tools.apply_patch(p)"),
        format!("cat > notes.md <<'DOC'\nrun\napply_patch <<'EOF'\n{PATCH}EOF\nDOC"),
        format!("echo apply_patch; cat <<'EOF'\n{PATCH}EOF"),
        serde_json::json!(["echo", PATCH]).to_string(),
    ] {
        assert_eq!(patches_in_call(&text), [], "{text}");
    }
    for text in [
        format!("const p = {literal}; // the fix\ntext(await tools.apply_patch(p))"),
        format!("if (/[\"']/.test(x)) y(); await tools.apply_patch({literal})"),
    ] {
        assert_eq!(patches_in_call(&text), parse_codex(PATCH), "{text}");
    }
}

fn hunks_between(old: &str, new: &str, context: usize) -> Vec<PatchHunk> {
    let (a, b): (Vec<_>, Vec<_>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let line = |kind, text: &str| PatchLine {
        kind,
        text: text.strip_suffix('\n').unwrap_or(text).to_owned(),
        newline: text.ends_with('\n'),
    };
    let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &a, &b);
    let groups = similar::group_diff_ops(ops, context);
    let hunk = |group: &Vec<similar::DiffOp>| {
        let (olds, news) = (group[0].old_range(), group[0].new_range());
        let ends = (group.last().unwrap().old_range().end, group.last().unwrap().new_range().end);
        let start = |start: usize, end: usize| Some(if start == end { start } else { start + 1 });
        let lines = group.iter().flat_map(|op| {
            let (tag, old, new) = op.as_tag_tuple();
            let kept = a[old.clone()].iter().map(|text| line(LineKind::Context, text));
            let removed = a[old.clone()].iter().map(|text| line(LineKind::Removed, text));
            let added = b[new].iter().map(|text| line(LineKind::Added, text));
            match tag {
                similar::DiffTag::Equal => kept.collect::<Vec<_>>(),
                _ => removed.chain(added).collect(),
            }
        });
        PatchHunk {
            old_start: start(olds.start, ends.0),
            new_start: start(news.start, ends.1),
            lines: lines.collect(),
            ..PatchHunk::default()
        }
    };
    groups.iter().map(hunk).collect()
}

fn print_hunks(hunks: &[PatchHunk]) -> String {
    let mut text = String::new();
    for hunk in hunks {
        let len = |drop| hunk.lines.iter().filter(|line| line.kind != drop).count();
        text += &format!(
            "@@ -{},{} +{},{} @@\n",
            hunk.old_start.unwrap(),
            len(LineKind::Added),
            hunk.new_start.unwrap(),
            len(LineKind::Removed)
        );
        for line in &hunk.lines {
            text.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Removed => '-',
                LineKind::Added => '+',
            });
            text += &line.text;
            text += if line.newline { "\n" } else { "\n\\ No newline at end of file\n" };
        }
    }
    text
}

proptest! {
    #[test]
    fn whatever_two_texts_the_hunks_of_their_diff_make_one_of_the_other(
        old in "([ab\\-+ @\r]{0,3}\n){0,12}[ab]{0,2}",
        new in "([ab\\-+ @\r]{0,3}\n){0,12}[ab]{0,2}",
        context in 0usize..4,
    ) {
        let hunks = hunks_between(&old, &new, context);
        prop_assert_eq!(apply_hunks(&old, &hunks).unwrap(), new.clone());
        let read = parse_unified(&print_hunks(&hunks));
        prop_assert_eq!(&read, &hunks);
        prop_assert_eq!(apply_hunks(&old, &read).unwrap(), new);
    }

    #[test]
    fn whatever_the_bytes_the_parsers_return(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = (parse_unified(&text), parse_codex(&text), patches_in_call(&text));
    }

    #[test]
    fn whatever_becomes_of_a_patch_the_parsers_return(
        cut in 0usize..200, with in "[\\-+@ *a\n\"'`\\\\{}u]{0,8}", old in "[ab\n ]{0,20}",
    ) {
        let carrier = format!("await tools.apply_patch({})", serde_json::json!(PATCH));
        for text in [PATCH, &format!("cd x && apply_patch <<EOF\n{PATCH}"), carrier.as_str()] {
            let at = cut.min(text.len());
            let broken = format!("{}{with}{}", &text[..at], &text[at..]);
            for file in patches_in_call(&broken).into_iter().chain(parse_codex(&broken)) {
                if let PatchedFile::Update(hunks) = file.change {
                    let _ = apply_hunks(&old, &hunks);
                }
            }
        }
    }
}
