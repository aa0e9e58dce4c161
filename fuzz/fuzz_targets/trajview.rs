//! The program, with the checks of a fuzzing build: what fuzz/attack runs. libFuzzer is not linked, so what its
//! instrumentation calls stands here and does nothing.

use std::process::ExitCode;

macro_rules! nothing {
    ($($name:ident),*) => {
        $(#[unsafe(no_mangle)] extern "C" fn $name() {})*
    };
}

nothing!(
    __sanitizer_cov_8bit_counters_init,
    __sanitizer_cov_pcs_init,
    __sanitizer_cov_trace_cmp1,
    __sanitizer_cov_trace_cmp2,
    __sanitizer_cov_trace_cmp4,
    __sanitizer_cov_trace_cmp8,
    __sanitizer_cov_trace_const_cmp1,
    __sanitizer_cov_trace_const_cmp2,
    __sanitizer_cov_trace_const_cmp4,
    __sanitizer_cov_trace_const_cmp8,
    __sanitizer_cov_trace_pc_indir,
    __sanitizer_cov_trace_switch
);

fn main() -> ExitCode {
    ExitCode::from(trajview::cli::run(std::env::args_os()).code())
}
