//! The door: arguments in, exit code out, nothing else. Commands live in `cli`, the screen in `tui`.

use std::process::ExitCode;

/// glibc's allocator is several times slower where threads parse JSON, at random.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Err(why) = color_eyre::install() {
        eprintln!("trajview: cannot prepare for trouble: {why}");
    }
    ExitCode::from(trajview::cli::run(std::env::args_os()).code())
}
