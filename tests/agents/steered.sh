# A small agent in a terminal that keeps a log as Codex does. Its first request stands after `--`, the others are typed. What
# follows `do: ` in a request is carried out: `steer TEXT` is a prompt that it takes into the turn under way, and after
# `keep=TEXT` it begins another turn with that prompt as soon as this one is over.
[ "$1" = --version ] && echo 'codex-cli 0.169.0' && exit 0
for last in "$@"; do request=$last; done
log=$CODEX_HOME/sessions/rollout-1.jsonl
mkdir -p "$CODEX_HOME/sessions"
at='"timestamp":"2026-01-01T00:00:00.000Z"'
ends='{'$at',"type":"event_msg","payload":{"type":"task_complete"}}'
begins='{'$at',"type":"event_msg","payload":{"type":"task_started"}}'
asked() {
    printf '{%s,"type":"event_msg","payload":{"type":"user_message","message":"%s"}}' "$at" "$1"
}
steer() {
    asked "$1" >>"$log"
    echo >>"$log"
}
stty raw -echo
printf '{%s,"type":"session_meta","payload":{"id":"1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","cli_version":"0.169.0"}}\n' "$at" >"$log"
printf '%s\n%s\n' "$begins" "$(asked "$request")" >>"$log"
while :; do
    keep=
    eval "${request#*do: }"
    if [ -n "$keep" ]; then
        request=$keep
        printf '%s\n%s\n%s\n' "$ends" "$begins" "$(asked "$request")" >>"$log"
        continue
    fi
    echo "$ends" >>"$log"
    request=
    while key=$(dd bs=1 count=1 2>/dev/null) && [ -n "$key" ] && [ "$key" != "$(printf '\r')" ]; do
        case $key in [[:cntrl:]]) ;; *) request=$request$key ;; esac
    done
    [ -n "$key" ] || exit 0
    request=${request#'[200~'}
    request=${request%'[201~'}
    printf '%s\n%s\n' "$begins" "$(asked "$request")" >>"$log"
done
