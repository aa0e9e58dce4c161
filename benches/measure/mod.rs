//! Medians beside their bars, and the memory a process has for itself.

#![allow(dead_code, unused_imports)] // each bench uses a part of it

use std::{
    hint::black_box,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// As in the shipped program.
#[path = "../../src/allocator.rs"]
mod allocator;
pub use allocator::set_up_allocator;

/// Rows go to standard output as they are measured.
pub struct Table {
    misses: usize,
}

impl Table {
    pub fn new() -> Self {
        println!("{:<58} {:>10} {:>10} {:>10} {:>10}  of", "work", "bar", "median", "best", "cpu");
        Self { misses: 0 }
    }

    /// Does the work `times` times (once is not counted) and prints the median beside the bar.
    pub fn row<T>(&mut self, what: &str, bar: Duration, times: usize, mut work: impl FnMut() -> T) {
        self.prepared_row(what, bar, times, || (), |()| work());
    }

    /// As [`Self::row`], of work on something that is made before the clock starts.
    pub fn prepared_row<P, T>(
        &mut self,
        what: &str,
        bar: Duration,
        times: usize,
        mut prepare: impl FnMut() -> P,
        mut work: impl FnMut(&P) -> T,
    ) {
        black_box(work(&prepare()));
        let mut cpu = Duration::ZERO;
        let mut taken: Vec<Duration> = (0..times)
            .map(|_| {
                let prepared = prepare();
                let (begun, cpu_before) = (Instant::now(), cpu_time());
                black_box(work(&prepared));
                cpu += cpu_time() - cpu_before;
                begun.elapsed()
            })
            .collect();
        let cpu = cpu / times as u32;
        taken.sort();
        let (median, best) = (taken[times / 2], taken[0]);
        println!(
            "{what:<58} {:>10} {:>10} {:>10} {:>10}  {times}{}",
            time_text(bar),
            time_text(median),
            time_text(best),
            time_text(cpu),
            self.verdict(median <= bar)
        );
    }

    /// Prints the median of what was measured elsewhere beside the bar.
    pub fn taken(&mut self, what: &str, bar: Duration, mut taken: Vec<Duration>) {
        taken.sort();
        let Some(median) = taken.get(taken.len() / 2).copied() else { return };
        println!(
            "{what:<58} {:>10} {:>10} {:>10} {:>10}  {}{}",
            time_text(bar),
            time_text(median),
            time_text(taken[0]),
            "",
            taken.len(),
            self.verdict(median <= bar)
        );
    }

    /// As [`Self::taken`], with the time of all cores.
    pub fn taken_with_cpu(&mut self, what: &str, bar: Duration, mut taken: Vec<Took>) {
        taken.sort_by_key(|took| took.clock);
        let Some(median) = taken.get(taken.len() / 2).copied() else { return };
        let mean = taken.iter().map(|took| took.cpu).sum::<Duration>() / taken.len() as u32;
        println!(
            "{what:<58} {:>10} {:>10} {:>10} {:>10}  {}{}",
            time_text(bar),
            time_text(median.clock),
            time_text(taken[0].clock),
            time_text(mean),
            taken.len(),
            self.verdict(median.clock <= bar)
        );
    }

    /// Private memory in MB.
    pub fn memory(&mut self, what: &str, bar: f64, used: f64) {
        let verdict = self.verdict(used <= bar);
        println!(
            "{what:<58} {:>10} {:>10} {:>10} {:>10}  1{verdict}",
            megabytes_text(bar),
            megabytes_text(used),
            "",
            ""
        );
    }

    /// Something that is counted.
    pub fn count(&mut self, what: &str, unit: &str, bar: u64, found: u64) {
        let verdict = self.verdict(found <= bar);
        let shown = |count| format!("{count} {unit}");
        println!(
            "{what:<58} {:>10} {:>10} {:>10} {:>10}  1{verdict}",
            shown(bar),
            shown(found),
            "",
            ""
        );
    }

    fn verdict(&mut self, holds: bool) -> &'static str {
        self.misses += usize::from(!holds);
        if holds { "" } else { "  MISSED" }
    }

    pub fn end(self) {
        match self.misses {
            0 => println!("every bar holds"),
            misses => println!("{misses} missed"),
        }
    }
}

/// How long something took.
#[derive(Debug, Clone, Copy)]
pub struct Took {
    pub clock: Duration,
    /// Of all cores together.
    pub cpu: Duration,
}

fn megabytes_text(amount: f64) -> String {
    format!("{amount:.1} MB")
}

fn time_text(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

pub const fn from_millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Where made-up logs are kept between runs.
pub fn bench_folder() -> PathBuf {
    std::env::temp_dir().join("trajview-bench-logs")
}

/// Of all threads, finished ones too. A busy machine makes the clock slower and this hardly; half of it is what two
/// idle cores would take for work that both do.
pub fn cpu_time() -> Duration {
    cpu_time_in("/proc/self/stat")
}

/// As [`cpu_time`], of another process; none where it is gone or the system does not tell.
pub fn cpu_time_of(process: u32) -> Duration {
    cpu_time_in(&format!("/proc/{process}/stat"))
}

fn cpu_time_in(stat: &str) -> Duration {
    let stat = std::fs::read_to_string(stat).unwrap_or_default();
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks =
        after_name.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Private memory of this process in MB; 0 where the system does not tell.
pub fn private_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}

/// All the memory that a process has held at once so far, in kB; None where the system does not tell.
pub fn peak_memory_of(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// What a command took.
pub struct ProgramRun {
    pub took: Took,
    /// All the memory that it held at once.
    pub megabytes: f64,
}

/// Runs a command to its end, with these variables set; its memory and processor time are those that it had when they were
/// last looked at.
pub fn run_program(arguments: &[&str], variables: &[(&str, &str)]) -> ProgramRun {
    const LOOK: Duration = Duration::from_millis(2);
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(arguments)
        .envs(variables.iter().copied())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program was just built");
    let (mut cpu, mut megabytes) = (Duration::ZERO, 0.0_f64);
    loop {
        let ended = child.try_wait().expect("it is ours");
        if let Some(ended) = ended {
            assert!(ended.success(), "trajview {} failed", arguments.join(" "));
            return ProgramRun { took: Took { clock: begun.elapsed(), cpu }, megabytes };
        }
        cpu = cpu.max(cpu_time_of(child.id()));
        let peak = peak_memory_of(child.id()).unwrap_or_default();
        megabytes = megabytes.max(peak / 1024.0);
        thread::sleep(LOOK);
    }
}

/// Runs this bench again as a fresh process with these words, and reads the numbers it prints.
pub fn in_a_fresh_process(words: &[&str]) -> Vec<f64> {
    let program = std::env::current_exe().expect("we are running it");
    let output = Command::new(program).args(words).output().expect("it has just been started");
    let text = String::from_utf8_lossy(&output.stdout);
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// As [`private_memory`], when nothing has changed any more for a while: what is given back is given back beside the work.
pub fn private_memory_at_rest() -> f64 {
    let mut last = private_memory();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(100));
        let now = private_memory();
        if (now - last).abs() < 0.1 {
            return now;
        }
        last = now;
    }
    last
}
