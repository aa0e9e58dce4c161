# A small agent in a terminal whose log is a document that it writes anew after each message, one for each process, as mini-swe-agent
# does. The first time that it is asked to fail it ends in the middle of the turn.
mkdir -p "$HOME/documents"
log="$HOME/documents/turn-$(date +%s%N).traj.json"
messages='{"role":"system","content":"You can interact with a computer."}'
write() {
    printf '{"trajectory_format":"mini-swe-agent-1.1","info":{"mini_version":"2.4.6","model_stats":{"api_calls":1}},"messages":[\n%s\n]}\n' \
        "$messages" >"$log"
}
printf 'ready> '
while IFS= read -r line; do
    messages="$messages,
{\"role\":\"user\",\"content\":\"$line\"}"
    write
    case $line in
    *fail*) [ -e "$HOME/failed" ] || { touch "$HOME/failed" && exit 3; } ;;
    esac
    messages="$messages,
{\"role\":\"assistant\",\"content\":\"done: $line\"}"
    write
    printf 'ready> '
done
