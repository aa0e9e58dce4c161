#![no_main]

mod read;

use trajview::{
    formats::{SourceBytes, read_rubric_tree},
    metrics::rubric_tree::{LeafCounting, TreeMeasures, TreeSummary, score_differences},
    run::rubric_tree::NodeId,
};

// Whatever the bytes, a tree that is read is a tree, and its scores are numbers from 0 to 1.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    read::read("paperbench", bytes);
    let Ok((tree, _)) = read_rubric_tree(&SourceBytes { name: "fuzz.json", bytes }) else { return };
    assert_eq!(tree.nodes[0].end as usize, tree.nodes.len());
    for (at, node) in tree.nodes.iter().enumerate() {
        let id = NodeId::from_position(at);
        assert_eq!(tree.node_at_path(&tree.node_path(id).to_string()), Some(id));
        assert!(node.parent.is_none_or(|parent| tree.nodes_below(parent).contains(&at)));
    }
    for counting in [LeafCounting::All, LeafCounting::CodeOnly, LeafCounting::ValidOnly] {
        let measures = TreeMeasures::new(&tree, counting);
        for measure in &measures.nodes {
            assert!(measure.score.is_none_or(|score| (-1e-9..=1.0 + 1e-9).contains(&score)));
            assert!((0.0..=1.0 + 1e-9).contains(&measure.share));
        }
        let _ = score_differences(&tree, &measures);
    }
    let _ = TreeSummary::for_tree(&tree);
});
