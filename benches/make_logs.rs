//! Writes made-up logs of 1, 20 and 200 MB: `cargo bench --bench make_logs -- FOLDER`.

mod logs;

use std::path::PathBuf;

use logs::{LogOptions, Tool};

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let Some(folder) = words.next().map(PathBuf::from) else {
        println!("name a folder: cargo bench --bench make_logs -- FOLDER");
        return Ok(());
    };
    for tool in Tool::ALL {
        for size in [1, 20, 200] {
            let path = logs::make_log(
                &folder,
                &format!("{size}"),
                LogOptions::with_size(tool, size << 20),
            )?;
            println!("{}", path.display());
        }
        let options = LogOptions { last_output: 2 << 20, ..LogOptions::with_size(tool, 3 << 20) };
        println!("{}", logs::make_log(&folder, "big-step", options)?.display());
    }
    Ok(())
}
