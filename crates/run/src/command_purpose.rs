//! The purpose of a shell command, recognised by the programs in it: it runs tests, builds, commits, reads or searches
//! files.
//!
//! A command line is taken apart into its simple commands at `;`, `&`, `|`, parentheses and line breaks; quotes are no more
//! than blanks. That is no shell, and enough to tell what a line is for. To know another test runner add a row to `RUNNERS`.

/// The purpose of a simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandPurpose {
    RunsTests,
    Builds,
    /// Keeps the files as they are, in a repository: `git commit`.
    Commits,
    /// Puts files back as they were: `git checkout -- a.py`, `git restore`, `git reset --hard`, `git stash`.
    Reverts,
    /// Prints these files.
    Reads(Vec<String>),
    /// Lists or searches.
    Searches,
    Other,
}

/// Returns the purposes of the simple commands of a line, in order. The line may be the arguments of `sh -c`.
pub fn command_purposes(line: &str) -> Vec<CommandPurpose> {
    let simple = line.split(is_command_end).map(command_words).filter(|words| !words.is_empty());
    simple.map(|words| purpose_of_words(&words)).collect()
}

fn purpose_of_words(words: &[&str]) -> CommandPurpose {
    if runs_test_program(words) {
        return CommandPurpose::RunsTests;
    }
    let start = words.iter().position(|word| !is_before_program(word)).unwrap_or(words.len());
    let (program, rest) = match &words[start..] {
        [] => return CommandPurpose::Other,
        [program, rest @ ..] => (base_name(program), rest),
    };
    let has = |word: &str| rest.contains(&word);
    let first = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    match program {
        "git" => match first {
            "commit" => CommandPurpose::Commits,
            "checkout" if has("--") || has(".") => CommandPurpose::Reverts,
            "restore" | "stash" | "revert" => CommandPurpose::Reverts,
            "reset" if has("--hard") => CommandPurpose::Reverts,
            "grep" | "ls-files" | "log" | "status" | "diff" | "show" | "blame" => {
                CommandPurpose::Searches
            }
            _ => CommandPurpose::Other,
        },
        "cat" | "head" | "tail" | "less" | "more" | "nl" | "bat" | "type" => {
            CommandPurpose::Reads(file_words(rest))
        }
        "sed" if !rest.iter().any(|word| word.starts_with("-i")) => {
            CommandPurpose::Reads(file_words(rest))
        }
        "grep" | "rg" | "ag" | "ack" | "find" | "fd" | "ls" | "tree" | "wc" | "dir" => {
            CommandPurpose::Searches
        }
        "cargo" if matches!(first, "build" | "check" | "clippy") => CommandPurpose::Builds,
        "go" if matches!(first, "build" | "vet") => CommandPurpose::Builds,
        "npm" | "yarn" | "pnpm" | "bun" if has("build") => CommandPurpose::Builds,
        "make" | "cmake" | "ninja" | "tsc" | "javac" | "gcc" | "g++" | "clang" | "rustc" => {
            CommandPurpose::Builds
        }
        "mvn" | "gradle" | "gradlew" if has("compile") || has("package") || has("build") => {
            CommandPurpose::Builds
        }
        "python" | "python3" if has("py_compile") || has("compileall") => CommandPurpose::Builds,
        _ => CommandPurpose::Other,
    }
}

/// Returns whether a word comes before the program: a variable, or a program that starts another.
fn is_before_program(word: &str) -> bool {
    let is_variable = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let starters =
        ["sudo", "time", "env", "exec", "nohup", "bash", "sh", "zsh", "-lc", "-c", "timeout"];
    is_variable
        || starters.contains(&base_name(word))
        || word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the words that look like files.
fn file_words(words: &[&str]) -> Vec<String> {
    let is_file = |word: &&&str| {
        !word.starts_with('-')
            && !word.starts_with('>')
            && !word.starts_with('$')
            && (word.contains('.') || word.contains('/'))
            && !word.contains(['*', '{', '}'])
    };
    words.iter().filter(is_file).map(|word| (*word).to_owned()).collect()
}

fn is_command_end(c: char) -> bool {
    matches!(c, ';' | '&' | '|' | '(' | ')' | '\n')
}

fn command_words(simple: &str) -> Vec<&str> {
    let is_blank = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`');
    simple.split(is_blank).filter(|word| !word.is_empty()).collect()
}

fn base_name(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// Words that follow each other in a command that runs tests.
const RUNNERS: &[&[&str]] = &[
    &["pytest"],
    &["py.test"],
    &["unittest"],
    &["tox"],
    &["nox"],
    &["nosetests"],
    &["cargo", "test"],
    &["cargo", "nextest"],
    &["npm", "test"],
    &["npm", "t"],
    &["npm", "run", "test"],
    &["yarn", "test"],
    &["pnpm", "test"],
    &["bun", "test"],
    &["deno", "test"],
    &["jest"],
    &["vitest"],
    &["mocha"],
    &["go", "test"],
    &["make", "test"],
    &["make", "check"],
    &["ctest"],
    &["mvn", "test"],
    &["gradle", "test"],
    &["gradlew", "test"],
    &["dotnet", "test"],
    &["swift", "test"],
    &["mix", "test"],
    &["rake", "test"],
    &["rspec"],
    &["phpunit"],
    &["bats"],
];

/// Programs that name a test runner without running it.
const MENTIONING_PROGRAMS: &[&str] = &[
    "install", "add", "grep", "rg", "cat", "echo", "which", "type", "command", "sed", "ls", "git",
];

/// Returns whether a command line looks as if it ran tests.
pub(crate) fn runs_tests(line: &str) -> bool {
    line.split(is_command_end).any(|simple| runs_test_program(&command_words(simple)))
}

fn runs_test_program(words: &[&str]) -> bool {
    let words: Vec<_> = words.iter().map(|word| base_name(word)).collect();
    let runner_at = RUNNERS
        .iter()
        .find_map(|runner| words.windows(runner.len()).position(|window| window == *runner));
    runner_at.is_some_and(|at| !words[..at].iter().any(|word| MENTIONING_PROGRAMS.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_runners_are_known_by_their_words() {
        for command in [
            "python -m pytest -q",
            "bash -lc 'cd app && ./node_modules/.bin/jest'",
            "CI=1 npm run test",
            "cargo test --lib x 2>&1 | tail",
            "python3 -m unittest discover",
            "uv run pytest",
            "make -C build && make test",
        ] {
            assert!(runs_tests(command), "{command}");
        }
    }

    #[test]
    fn talking_about_tests_is_not_running_them() {
        for command in
            ["pip install pytest", "cat pytest.ini", "rg -n jest package.json", "cargo build", ""]
        {
            assert!(!runs_tests(command), "{command}");
        }
    }

    #[test]
    fn a_line_is_told_by_its_simple_commands() {
        let reads =
            |paths: &[&str]| CommandPurpose::Reads(paths.iter().map(|&path| path.into()).collect());
        let told = [
            ("bash -lc 'sed -n 1,40p src/a.py | head -5'", vec![reads(&["src/a.py"]), reads(&[])]),
            ("cd app && git commit -m 'x'", vec![CommandPurpose::Other, CommandPurpose::Commits]),
            ("git checkout -- a.py", vec![CommandPurpose::Reverts]),
            ("git checkout -b new", vec![CommandPurpose::Other]),
            ("RUST_LOG=1 cargo build --release", vec![CommandPurpose::Builds]),
            ("timeout 60 python -m pytest -q", vec![CommandPurpose::RunsTests]),
            (
                "sed -i s/a/b/ x.py; rg -n TODO",
                vec![CommandPurpose::Other, CommandPurpose::Searches],
            ),
            ("", vec![]),
        ];
        for (line, expected) in told {
            assert_eq!(command_purposes(line), expected, "{line}");
        }
    }
}
