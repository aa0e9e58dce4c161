//! Rubric trees as large as PaperBench's largest, with a judge's answer to every leaf: reading, scoring, and what a
//! keystroke costs.

mod measure;
mod screen;

use std::{fmt::Write, fs, path::PathBuf, time::Instant};

use measure::{Table, from_millis};
use ratatui::layout::Size;
use screen::Screen;
use trajview::{
    formats::{SourceBytes, format_by_name},
    metrics::rubric_tree::TreeSummary,
    run::Run,
};

/// The largest rubric of PaperBench.
const NODES: usize = 2_551;
const DEPTH: usize = 9;

/// Bytes of a judge's answer.
const ANSWER: usize = 2_500;

const SIZES: [(u16, u16); 3] = [(200, 50), (120, 40), (80, 24)];

/// Keys and what they do, from the root of an unfolded tree, each followed by the frame.
const KEYS: [(&str, &str, &str); 10] = [
    ("j", "k", "another row"),
    ("G", "g", "the last row and the first"),
    ("<pgdn>", "<pgup>", "a page"),
    ("f", "F", "another failing leaf"),
    ("v", "V", "another invalid leaf"),
    ("z", "Z", "fold and unfold everything"),
    ("O", "O", "everything below the root"),
    ("s", "s", "the largest losses, and back"),
    ("c", "c", "code only, and back"),
    ("<tab>", "<tab>", "the words of the node"),
];

fn main() {
    let mut table = Table::new();
    let path = tree_file(ANSWER);
    let bytes = fs::read(&path).expect("it was written");
    let megabytes = bytes.len() as f64 / 1e6;
    let run = read_run(&bytes);
    let tree = run.rubric_tree.clone().expect("it holds a tree");
    println!("{} nodes, {megabytes:.1} MB", tree.nodes.len());
    table.row(&format!("read {megabytes:.1} MB"), from_millis(50), 21, || read_run(&bytes));
    let bare = fs::read(tree_file(0)).expect("it was written");
    let what = format!("read {:.1} MB, without answers", bare.len() as f64 / 1e6);
    table.row(&what, from_millis(16), 21, || read_run(&bare));
    table.row("score, three ways", from_millis(5), 41, || TreeSummary::for_tree(&tree));
    for (width, height) in SIZES {
        let mut screen = Screen::open_path(&path, Size { width, height }, "Z 1000j");
        table.row(&format!("{width}x{height}: a whole frame"), from_millis(16), 41, || {
            screen.whole_frame()
        });
    }
    let mut screen = Screen::open_path(&path, Size { width: 120, height: 40 }, "Z");
    for (there, back, what) in KEYS {
        let mut taken = vec![];
        for key in [there, back].into_iter().cycle().take(42) {
            let begun = Instant::now();
            let asked = screen.tap(key);
            screen.frame();
            taken.push(begun.elapsed());
            screen.settle(asked);
        }
        table.taken(&format!("key to frame: {what}"), from_millis(16), taken);
    }
    let mut taken = vec![];
    for key in ["/", "r", "e", "a", "l", "i", "t", "y", "<bs>", "<bs>", "<esc>"]
        .into_iter()
        .cycle()
        .take(66)
    {
        let begun = Instant::now();
        let asked = screen.tap(key);
        screen.frame();
        taken.push(begun.elapsed());
        screen.settle(asked);
    }
    table.taken("key to frame: a letter of what is looked for", from_millis(33), taken);
    table.end();
}

fn read_run(bytes: &[u8]) -> Run {
    let format = format_by_name("paperbench").expect("it is a format");
    format.index_run(&[SourceBytes { name: "grader_output.json", bytes }]).expect("it is a tree")
}

/// Writes a result file around a tree; the same every time.
fn tree_file(answer: usize) -> PathBuf {
    let mut text =
        String::from("{\"judge_type\": \"simple\", \"score\": 0.5, \"graded_task_tree\": ");
    let mut left = NODES;
    write_node(&mut text, 0, 0, &mut left, answer);
    text.push_str(", \"model_name\": \"made up\"}\n");
    let folder = measure::bench_folder();
    fs::create_dir_all(&folder).expect("there is room");
    let path = folder.join(format!("rubric-{answer}.json"));
    fs::write(&path, text).expect("there is room");
    path
}

/// A node and those below it, as many as are left over.
fn write_node(text: &mut String, number: usize, depth: usize, left: &mut usize, answer: usize) {
    *left -= 1;
    let fan = if depth == DEPTH { 0 } else { [12, 4, 5, 3, 4, 3, 2, 3, 2][depth.min(8)] };
    let (weight, score) = (1 + number % 5, number % 3 / 2);
    let is_leaf = fan == 0 || *left == 0 || (depth > 1 && number % 4 == 1);
    let words = "The loss of the paper is implemented and weighted as its section says, for every data set. ";
    let _ = write!(
        text,
        "{{\"id\": \"{depth}-{number}-{left}\", \"requirements\": \"{words}{words}\", \"weight\": {weight}, \"score\": {score}, \
         \"valid_score\": {}, \"task_category\": {}, \"explanation\": \"see the answer\", ",
        number % 11 != 3,
        if is_leaf {
            ["\"Code Development\"", "\"Code Execution\"", "\"Result Analysis\""][number % 3]
        } else {
            "null"
        },
    );
    match (is_leaf, answer) {
        (true, 1..) => {
            let said = words.repeat(answer / words.len() / 2);
            let _ = write!(
                text,
                "\"judge_metadata\": {{\"full_judge_response\": \"# Expectations\\n{said}\\n\\n# Reality\\n{said}\\n\\n# \
                 Score\\n{score}\", \"token_usage\": {{\"made up\": {{\"in\": 9000, \"out\": 200}}}}}}, "
            );
        }
        _ => text.push_str("\"judge_metadata\": null, "),
    }
    text.push_str("\"sub_tasks\": [");
    let fan = if is_leaf { 0 } else { fan };
    for child in 0..fan {
        if *left == 0 {
            break;
        }
        if child > 0 {
            text.push_str(", ");
        }
        write_node(text, number + child + 1, depth + 1, left, answer);
    }
    text.push_str("]}");
}
