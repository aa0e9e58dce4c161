//! Arguments in, exit code out, nothing else. Commands live in `cli`, the screen in `runtime`.

#![allow(unsafe_code, reason = "ending at once is a function in C")]

mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::set_up_allocator();
    if let Err(why) = color_eyre::install() {
        eprintln!("trajview: cannot prepare for trouble: {why}");
    }
    let code = trajview::cli::run(std::env::args_os()).code();
    exit_at_once(code)
}

/// Ends the program at once. The allocator would look through all of its memory first, for the system to take it a moment
/// later.
#[cfg(unix)]
fn exit_at_once(code: u8) -> ExitCode {
    use std::io::Write;

    unsafe extern "C" {
        safe fn _exit(code: std::ffi::c_int) -> !;
    }

    // The standard library does so at the end of `main`.
    let _ = std::io::stdout().flush();
    _exit(code.into())
}

#[cfg(not(unix))]
fn exit_at_once(code: u8) -> ExitCode {
    ExitCode::from(code)
}
