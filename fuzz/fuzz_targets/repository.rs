#![no_main]

//! A bundle whose repository is one pack and its index, both as the fuzzer wants them but for their sums, which are put
//! right so that the rest is believed. Four bytes say how long the index is, least significant first; it stands before
//! the pack.

use std::{fs, path::Path};

use sha1::{Digest, Sha1};
use trajview::store;

/// Objects that `run.json` names as commits, the first of the index.
const COMMITS: usize = 40;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((len, rest)) = bytes.split_first_chunk::<4>() else { return };
    let len = u32::from_le_bytes(*len) as usize;
    let Some((index, pack)) = rest.split_at_checked(len) else { return };
    let folder = std::env::temp_dir().join(format!("trajview-fuzz-{}", std::process::id()));
    if write(&folder, index, pack).is_some() {
        read(&folder);
    }
});

/// None where there is no place for sums.
fn write(folder: &Path, index: &[u8], pack: &[u8]) -> Option<()> {
    let pack = pack.get(..pack.len().checked_sub(20)?)?;
    let index = index.get(..index.len().checked_sub(40)?)?;
    let sum = Sha1::digest(pack);
    let index = [index, &sum].concat();
    let own = Sha1::digest(&index);
    let count = u32::from_be_bytes(*index.get(1028..)?.first_chunk::<4>()?) as usize;
    let names = index.get(1032..)?.chunks_exact(20).take(count.min(COMMITS));
    let hex = |name: &[u8]| name.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let turn = |(number, name)| format!("{{\"turn\":{number},\"commit\":\"{}\"}}", hex(name));
    let turns: Vec<String> = (1..).zip(names).map(turn).collect();
    let run = format!("{{\"schema\":\"trajview.run/1\",\"turns\":[{}]}}", turns.join(","));
    let packs = folder.join("workspace.git/objects/pack");
    fs::create_dir_all(&packs).ok()?;
    fs::write(folder.join("run.json"), run).ok()?;
    fs::write(packs.join("a.pack"), [pack, &sum].concat()).ok()?;
    fs::write(packs.join("a.idx"), [&index[..], &own].concat()).ok()
}

fn read(folder: &Path) {
    let Ok(opened) = store::open(folder) else { return };
    let (run, archive) = (&*opened.run, &*opened.archive);
    let Ok(timeline) = archive.timeline(run) else { return };
    for change in timeline.turns.iter().flat_map(|turn| &turn.changes).take(200) {
        let _ = archive.file_diff(run, change, 3); // what cannot be read is said in words
    }
}
