# A small agent. Its request comes on standard input; each line of it that begins with `do: ` is a command for a shell.
# What it did goes to a log of its own, in the form of stream-json, and a line of it to standard output.
set -u
session=$1
log=$HOME/logs/$session.jsonl
mkdir -p "$HOME/logs"
request=$(cat)
time=2026-01-01T00:00:00.000Z
text=$(printf '%s' "$request" | tr '\n"\\' '   ')
count=$(($(cat "$HOME/logs/$session.count" 2>/dev/null || echo 0) + 1))
echo "$count" >"$HOME/logs/$session.count"
id="$session-$count"
say() {
    printf '%s\n' "$1" >>"$log"
}
say "{\"parentUuid\":null,\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"$PWD\",\"sessionId\":\"$session\",\"version\":\"2.1.0\",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"$text\"},\"uuid\":\"u-$id\",\"timestamp\":\"$time\"}"
printf '%s\n' "$request" | sed -n 's/^do: //p' >"$TMPDIR/commands.sh"
. "$TMPDIR/commands.sh"
say "{\"parentUuid\":\"u-$id\",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"$PWD\",\"sessionId\":\"$session\",\"version\":\"2.1.0\",\"message\":{\"id\":\"m-$id\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"none\",\"content\":[{\"type\":\"text\",\"text\":\"Done, request $count.\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":10,\"output_tokens\":5}},\"type\":\"assistant\",\"uuid\":\"a-$id\",\"timestamp\":\"$time\"}"
printf '{"session_id":"%s","usage":{"in":10,"out":5},"count":%s}\n' "$session" "$count"
