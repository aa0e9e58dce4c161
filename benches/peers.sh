#!/usr/bin/env bash
# trajview beside other programs that show such files: the first useful frame and the private memory at rest, for logs
# of 20 and 200 MB. Programs are looked for on PATH; one that is not there is said to be "not installed".
# `cpu` is the time of all cores together until that frame, for a machine that is busy with other things.
# benches/peers.sh [FOLDER]   the made-up logs stay in FOLDER (default: trajview-bench-logs beside other temporary files)
set -euo pipefail
cd "$(dirname "$0")/.."

times=${TIMES:-5}
folder=${1:-${TMPDIR:-/tmp}/trajview-bench-logs}
cargo build --quiet --release
cargo bench --quiet --bench make_logs -- "$folder" >/dev/null
PATH=$PWD/target/release:$PATH

row() {
    printf '%-30s %-26s %14s %8s %8s %15s\n' "$@"
}

# row_of VERSION-COMMAND FILE NEEDLE PROGRAM [ARGUMENT...]: the file is the last argument
row_of() {
    local version=$1 file=$2 needle=$3
    shift 3
    if ! command -v "$1" >/dev/null; then
        row "$*" "$(basename "$file")" "not installed" "" "" ""
        return
    fi
    local all
    all=$(for _ in $(seq "$times"); do python3 benches/peers.py "$needle" "$@" "$file" || true; done)
    if [ "$(wc -l <<<"$all")" -lt "$times" ]; then
        row "$($version)" "$(basename "$file")" "failed" "" "" ""
        return
    fi
    row "$($version)" "$(basename "$file")" "$(middle_of 1) s" "$(column 1 | head -1) s" "$(middle_of 2) s" \
        "$(middle_of 3) MB"
}

# What one column of $all holds, smallest first.
column() {
    cut -d' ' -f"$1" <<<"$all" | sort -n
}

middle_of() {
    column "$1" | sed -n "$((times / 2 + 1))p"
}

version_of_mini() {
    mini-extra --help 2>/dev/null | grep -o 'mini-swe-agent version [0-9.]*[0-9]' | head -1
}

version_of_lnav() {
    lnav -V
}

row program file "first frame" best cpu "private memory"
for size in 20 200; do
    for tool in claude codex; do
        log=$folder/rollout-$tool-$size.jsonl
        # The first request on screen; what shows the file as it is has its first key there.
        row_of 'trajview --version' "$log" 'turn 1/' trajview
        first=$(head -c 40 "$log" | cut -d'"' -f2)
        row_of 'jless --version' "$log" "$first" jless
        row_of version_of_lnav "$log" "$first" lnav
    done
    mini=$folder/mini-$size.traj.json
    [ -e "$mini" ] || python3 benches/peers.py --mini "$folder/rollout-claude-$size.jsonl" "$mini"
    row_of version_of_mini "$mini" 'keep the ledger' mini-extra inspector
done
