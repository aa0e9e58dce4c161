# A small agent that is called as Claude Code is, and uses what layers give it: the hook of its settings for each file that it
# touches, and the tool of the server that it is given. Lines of its request:
#   touch: FILE    writes the file, and asks the hook about it; what it says goes to FILE.told
#   search: WORDS  calls the tool; its answer goes to found.json
set -u
mcp= session=
while [ $# -gt 0 ]; do
    case $1 in
        --session-id | --resume) session=$2; shift ;;
        --version) echo 2.1.0; exit 0 ;;
        --mcp-config) mcp=$2; shift ;;
    esac
    shift
done
request=$(cat)
text=$(printf '%s' "$request" | tr '\n"\\' '   ')
folder=$CLAUDE_CONFIG_DIR/projects/$(printf '%s' "$PWD" | sed 's/[^A-Za-z0-9]/-/g')
mkdir -p "$folder"
log=$folder/$session.jsonl
count=$(($(wc -l <"$log" 2>/dev/null || echo 0) + 1))
common="\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"$PWD\",\"sessionId\":\"$session\",\"version\":\"2.1.0\",\"timestamp\":\"2026-01-01T00:00:00.000Z\""
printf '%s\n' "{\"parentUuid\":null,$common,\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"$text\"},\"uuid\":\"u-$count\"}" >>"$log"
printf '{"type":"system","subtype":"init","session_id":"%s","claude_code_version":"2.1.0","model":"none"}\n' "$session"

printf '%s\n' "$request" | sed -n 's/^touch: //p' | while read -r file; do
    echo "$count" >>"$file"
    hook=$(sed -n 's/.*"command": "\(.*\)".*/\1/p' "$CLAUDE_CONFIG_DIR/settings.json" 2>/dev/null)
    [ -z "$hook" ] || printf '{"hook_event_name":"PostToolUse","tool_name":"Write","cwd":"%s","tool_input":{"file_path":"%s/%s"}}' \
        "$PWD" "$PWD" "$file" | sh -c "$hook" >"$file.told"
done
printf '%s\n' "$request" | sed -n 's/^search: //p' | while read -r words; do
    [ -n "$mcp" ] || continue
    program=$(sed -n 's/.*"command": "\(.*\)".*/\1/p' "$mcp")
    socket=$(sed -n 's/.*"\(.*\.sock\)".*/\1/p' "$mcp")
    {
        echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"layered","version":"1"}}}'
        echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        echo 'nonsense'
        printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_project_state","arguments":{"query":"%s"}}}\n' "$words"
    } | "$program" mcp --socket "$socket" >found.json
done

printf '%s\n' "{\"parentUuid\":\"u-$count\",$common,\"type\":\"assistant\",\"message\":{\"id\":\"m-$count\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"none\",\"content\":[{\"type\":\"text\",\"text\":\"Done.\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":10,\"output_tokens\":5}},\"uuid\":\"a-$count\"}" >>"$log"
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","usage":{"input_tokens":10,"output_tokens":5}}'
