//! The program in a real terminal, and real processes that it drives: what waits for others and takes its time.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;
mod pty;

mod batch;
mod export;
mod hostile;
#[cfg(target_os = "linux")]
mod idle;
mod live;
mod live_agents;
mod live_cli;
mod live_control;
mod live_drivers;
mod live_faults;
mod live_keyboard;
mod live_killed;
mod live_layers;
mod live_screen;
mod live_start;
mod mcp_agents;
mod start;
mod study;
mod terminal;
