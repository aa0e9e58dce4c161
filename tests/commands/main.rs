//! The program as a script uses it: arguments in, text and files out, and formulas against other people's numbers.

#[path = "../common/mod.rs"]
mod common;
mod scb;

mod agree_repeats;
mod agree_tree;
mod annotations;
mod audit_cli;
mod audit_study;
mod calibration;
mod code_quality;
mod compare;
mod counts;
mod decisions;
mod decisions_judged;
mod exported;
mod faithfulness;
mod find;
mod formats;
mod headless;
mod inside;
mod judge;
mod judge_cli;
mod judge_faults;
mod judge_flags;
mod layer;
mod memory;
mod new;
mod numbers;
mod pages;
mod patches;
mod pooled;
mod process;
mod provenance;
mod rubric_tree;
mod scb_check;
mod score;
mod slopcodebench;
mod states;
mod study;
mod study_agree;
mod study_components;
mod study_corpus;
mod study_panel;
mod study_whole;
mod tables;
