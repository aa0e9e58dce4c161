//! Arguments in, exit code out, nothing else. Commands live in `cli`, the screen in `runtime`.

mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::give_back_soon();
    if let Err(why) = color_eyre::install() {
        eprintln!("trajview: cannot prepare for trouble: {why}");
    }
    ExitCode::from(trajview::cli::run(std::env::args_os()).code())
}
