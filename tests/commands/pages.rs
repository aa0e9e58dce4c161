//! What README.md and the pages of `docs/` say of the program, held true.
//!
//! - Between a comment ``from `trajview ...` `` and the comment `end` stands what that command prints; ``from `src/lib.rs` ``
//!   is the documentation at the head of that file.
//! - The picture below a comment ``picture of `trajview ...` `` is what that command draws.
//! - The commands of a block `console` are run, and what stands below each is what it prints; a line `…` stands for any
//!   lines. A command that is to fail says so: `# exit 1`.
//! - The commands of a block `sh` are run and must end well; those of a block `sh screen` open the screen, and are run
//!   with `--snapshot`. A block `sh needs=agent` (or anything else that a test has not) is counted and not run, but by the test that has it.
//! - A block with a path behind its language (`json my-run/run.json`) is written to that file.
//!
//! Each page has a folder of its own with a copy of the sample runs, and its blocks are run there in order. A page that
//! writes `config.toml` has it as its settings; [`ADDRESS`] stands in it for the server of two scripted judges. To write what
//! is generated again: `TRAJVIEW_WRITE_PAGES=1 cargo test --test commands pages`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use serde_json::json;

use crate::common::{
    judge_desk::{KEY, copy_folder},
    judge_server::{Asked, Say, Server},
    project_path,
};

const TO_WRITE: &str = "TRAJVIEW_WRITE_PAGES=1 cargo test --test commands pages";

/// Where pages have their judges.
const ADDRESS: &str = "http://127.0.0.1:8080/v1";

/// What `strict` and `kind` say of a component, whatever the code.
fn judge_reply(asked: &Asked) -> Say {
    let (strict, kind) = match asked.component.as_str() {
        "C03" => (4, 4),
        "C07" => (0, 4),
        "C12" => (4, 3),
        "C17" => (1, 2),
        "C20" => (0, 2),
        _ => (2, 3),
    };
    let level = if asked.body["model"] == "kind" { kind } else { strict };
    let rationale = "as the script has it";
    let verdict = json!({"level": level, "rationale": rationale, "evidence": []});
    Say::Calls(vec![("verdict", verdict)])
}

/// A page in its parts, in order.
enum Part<'a> {
    Line(&'a str),
    /// What the program is to print, and what stands there.
    Printed {
        command: &'a str,
        lines: Vec<&'a str>,
    },
    Block {
        info: &'a str,
        lines: Vec<&'a str>,
    },
    /// A file beside the page.
    Picture {
        command: &'a str,
        path: &'a str,
    },
}

/// What became of a page.
struct Done {
    /// The page as it is to be.
    text: String,
    pictures: Vec<(PathBuf, String)>,
    ran: usize,
    left: usize,
}

#[test]
fn what_the_pages_show_is_what_the_program_does() {
    let pages = page_paths();
    let done: Vec<Done> = thread::scope(|scope| {
        let begun: Vec<_> = pages.iter().map(|page| scope.spawn(|| run_page(page, &[]))).collect();
        begun.into_iter().map(|page| page.join().expect("the page is true")).collect()
    });

    let (ran, left) = done.iter().fold((0, 0), |(ran, left), it| (ran + it.ran, left + it.left));
    println!("{ran} commands of {} pages ran; {left} blocks need what a test has not", pages.len());
    let files = pages.iter().zip(&done).flat_map(|(page, done)| {
        let pictures = done.pictures.iter().map(|(path, text)| (path, text));
        pictures.chain([(page, &done.text)])
    });
    let stale =
        |(path, text): &(&PathBuf, &String)| fs::read_to_string(path).ok() != Some((*text).clone());
    for (path, text) in files.filter(stale) {
        assert!(is_to_write(), "{} is stale; write it again: {TO_WRITE}", path.display());
        fs::write(path, text).unwrap();
    }
    assert!(ran > 20, "{ran} commands ran");
}

#[test]
#[ignore = "needs git"]
fn a_bundle_made_by_hand_with_git_is_what_its_page_says() {
    let done = run_page(&project_path("docs/bundle.md"), &["needs=git"]);

    assert_eq!(done.left, 0);
}

#[test]
fn every_page_is_led_to_from_the_readme_and_leads_nowhere_that_is_not() {
    let readme = fs::read_to_string(project_path("README.md")).unwrap();
    for page in page_paths() {
        let name = page.file_name().unwrap().to_str().unwrap();
        let is_led_to = name == "README.md" || readme.contains(&format!("docs/{name}"));
        assert!(is_led_to || name == "CONTRIBUTING.md", "README.md does not name docs/{name}");
        for target in page_links(&fs::read_to_string(&page).unwrap()) {
            let file = target.split('#').next().unwrap();
            let there = file.is_empty() || page.parent().unwrap().join(file).exists();
            assert!(there, "{}: no file {target}", page.display());
        }
    }
}

#[test]
fn the_readme_is_short() {
    let lines = fs::read_to_string(project_path("README.md")).unwrap().lines().count();
    assert!(lines <= 200, "{lines} lines");
}

fn is_to_write() -> bool {
    std::env::var_os("TRAJVIEW_WRITE_PAGES").is_some()
}

fn page_paths() -> Vec<PathBuf> {
    let docs = fs::read_dir(project_path("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> =
        docs.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    pages.sort();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(project_path));
    pages
}

/// The files that a page links to.
fn page_links(page: &str) -> Vec<&str> {
    let ends = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    ends.filter(|target| !target.contains("://")).collect()
}

fn page_parts(page: &str) -> Vec<Part<'_>> {
    let (mut parts, mut lines) = (vec![], page.lines());
    while let Some(line) = lines.next() {
        parts.push(Part::Line(line));
        if let Some(info) = line.strip_prefix("```") {
            let block = lines.by_ref().take_while(|line| *line != "```").collect();
            parts.push(Part::Block { info, lines: block });
            parts.push(Part::Line("```"));
        } else if let Some(command) = quoted_command(line, "<!-- from `") {
            let old = lines.by_ref().take_while(|line| *line != "<!-- end -->").collect();
            parts.push(Part::Printed { command, lines: old });
            parts.push(Part::Line("<!-- end -->"));
        } else if let Some(command) = quoted_command(line, "<!-- picture of `") {
            let picture = lines.next().expect("a picture follows");
            let path = picture.split("](").nth(1).and_then(|rest| rest.strip_suffix(')'));
            parts.push(Part::Picture { command, path: path.expect(picture) });
            parts.push(Part::Line(picture));
        }
    }
    parts
}

/// The command in a comment that begins so.
fn quoted_command<'a>(line: &'a str, beginning: &str) -> Option<&'a str> {
    line.strip_prefix(beginning)?.strip_suffix("` -->")
}

/// Runs a page, in a folder of its own; `has` are the needs that are met.
fn run_page(page: &Path, has: &[&str]) -> Done {
    let text = fs::read_to_string(page).unwrap();
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&project_path("sample-runs"), &folder.path().join("sample-runs"));
    copy_folder(&project_path("tests/vectors"), &folder.path().join("tests/vectors"));
    let place = Place { page, folder: folder.path(), has, judges: Server::new(judge_reply).url() };
    let mut done = Done { text: String::new(), pictures: vec![], ran: 0, left: 0 };
    for part in page_parts(&text) {
        match part {
            Part::Line(line) => done.say(line),
            Part::Printed { command, lines } => {
                let printed = match command.strip_suffix(".rs") {
                    Some(_) => source_head(&fs::read_to_string(project_path(command)).unwrap()),
                    None => place.printed(command),
                };
                place.compare(command, &lines, &printed);
                done.text.push_str(&printed);
                done.ran += 1;
            }
            Part::Picture { command, path } => {
                done.pictures.push((page.with_file_name(path), place.printed(command)));
                done.ran += 1;
            }
            Part::Block { info, lines } => place.carry_out(info, &lines, &mut done),
        }
    }
    done
}

/// The documentation at the head of a module, its headings one level down.
fn source_head(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let text: Vec<String> = lines
        .map(|line| if line.starts_with('#') { format!("#{line}") } else { line.to_owned() })
        .collect();
    text.join("\n").replace("[`", "`").replace("`]", "`") + "\n"
}

impl Done {
    fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// Where the commands of a page are run.
struct Place<'a> {
    page: &'a Path,
    folder: &'a Path,
    has: &'a [&'a str],
    /// What [`ADDRESS`] is here.
    judges: String,
}

impl Place<'_> {
    fn carry_out(&self, info: &str, lines: &[&str], done: &mut Done) {
        let words: Vec<&str> = info.split_whitespace().collect();
        match words.as_slice() {
            ["console"] => return self.show(lines, done),
            ["sh", needs] if needs.starts_with("needs=") && !self.has.contains(needs) => {
                done.left += 1;
            }
            ["sh"] | ["sh", "needs=git"] => {
                self.run(&format!("set -e\n{}", lines.join("\n")), 0);
                done.ran += command_count(lines);
            }
            ["sh", "screen"] => {
                for line in lines {
                    let command = line.split(" #").next().unwrap();
                    self.run(&format!("{command} --snapshot 120x40"), 0);
                    done.ran += 1;
                }
            }
            [_, path] => {
                let path = self.folder.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let text = lines.join("\n") + "\n";
                fs::write(path, text.replace(ADDRESS, &self.judges)).unwrap();
            }
            _ => {}
        }
        lines.iter().for_each(|line| done.say(line));
    }

    /// Each command of the block with what it prints.
    fn show(&self, lines: &[&str], done: &mut Done) {
        for shown in lines.chunk_by(|_, next| !next.starts_with("$ ")) {
            let line = shown[0]
                .strip_prefix("$ ")
                .unwrap_or_else(|| panic!("{}: {}", self.page.display(), shown[0]));
            let (command, exit) = line.split_once("  # exit ").unwrap_or((line, "0"));
            let (printed, said) = self.run(command, exit.parse().unwrap());
            let printed = printed + &said;
            done.say(shown[0]);
            done.ran += 1;
            let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
            if matches_output(&shown[1..], &printed) {
                shown[1..].iter().for_each(|line| done.say(line));
            } else {
                self.compare(command, &shown[1..], &(printed.join("\n") + "\n"));
                printed.iter().for_each(|line| done.say(line));
            }
        }
    }

    /// Fails where something else stands on the page, unless it is to be written.
    fn compare(&self, command: &str, shown: &[&str], printed: &str) {
        let page = self.page.display();
        if shown.contains(&"…") {
            panic!(
                "{page}: `{command}` prints something else; mend what stands around the …:\n{printed}"
            );
        }
        let is_true = shown == printed.lines().collect::<Vec<_>>();
        assert!(
            is_true || is_to_write(),
            "{page}: `{command}` prints something else; write it again: {TO_WRITE}\n{printed}"
        );
    }

    fn printed(&self, command: &str) -> String {
        self.run(command, 0).0
    }

    /// Gives what it printed and what it said on standard error.
    fn run(&self, script: &str, exit: i32) -> (String, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_trajview")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let settings = Some(self.folder.join("config.toml")).filter(|file| file.exists());
        let ran = Command::new("sh")
            .args(["-c", script])
            .current_dir(self.folder)
            .env("PATH", format!("{}:{path}", program.display()))
            .env("HOME", self.folder)
            .env("USER", "ana")
            .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "ana")))
            .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "ana@example.org")))
            .env("LC_ALL", "C.UTF-8")
            .env("TRAJVIEW_CONFIG", settings.unwrap_or_default())
            .env("JUDGE_KEY", KEY)
            .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
            .env_remove("NO_COLOR")
            .output()
            .expect("sh starts");
        let (out, err) =
            (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert_eq!(ran.status.code(), Some(exit), "{}: {script}\n{out}{err}", self.page.display());
        (out.into_owned(), err.into_owned())
    }
}

/// How many commands a script has: lines that go on with `\` are one.
fn command_count(lines: &[&str]) -> usize {
    let is_command = |line: &&&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    lines.iter().filter(is_command).filter(|line| !line.ends_with('\\')).count()
}

/// Whether the lines shown are those printed; a line `…` stands for any lines.
fn matches_output(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => {
            (0..=printed.len()).any(|from| matches_output(rest, &printed[from..]))
        }
        Some((line, rest)) => printed.first() == Some(line) && matches_output(rest, &printed[1..]),
    }
}
