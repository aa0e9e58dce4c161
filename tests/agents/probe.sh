# An agent that looks for what it should not have: its bundle ($1), the script it was made of ($2), the trajview that runs
# it. What it found goes to the file $3, a line for each place. It leaves a hook in a repository of its own and two processes.
bundle=$1 script=$2 found=$3
exec 2>/dev/null
: >"$found"
tell() {
    if [ "$2" = 0 ]; then echo "$1: yes" >>"$found"; else echo "$1: no" >>"$found"; fi
}
hook() {
    printf '#!/bin/sh\ntouch "%s"\n' "$(dirname "$found")/hooked"
}
name=$(basename "$bundle")
us=$(ps -o ppid= -p "$PPID" | tr -d ' ')
# The shell that sources our commands is the agent; its parent is trajview.

grep -q requests ../../"$name"/script.json || grep -q requests ../"$name"/script.json
tell "bundle beside it" $?
grep -q requests "$bundle/script.json"
tell "bundle by its path" $?
ls "$(dirname "$bundle")"/earlier/run.json >/dev/null
tell "run beside the bundle" $?
grep -q forty-two "$script"
tell "script it was made of" $?
sed -i 's/forty-two/forty-three/' "$bundle/script.json" && mkdir -p "$bundle/judgements" && echo '{}' >"$bundle/judgements/mine.json"
tell "bundle written to" $?
umount "$bundle" || unshare -Urm sh -c "umount '$bundle'" || nsenter -t "$us" -m true
tell "cover taken away" $?
head -c 1 "/proc/$us/mem" >/dev/null || head -c 1 "/proc/$us/maps" | grep -q .
tell "our memory" $?
ls "/proc/$us/root/" >/dev/null && cat "/proc/$us/root$bundle/script.json" >/dev/null || ls "/proc/$us/cwd/" >/dev/null
tell "our folder" $?
readlink /proc/"$us"/fd/* | grep -q .
tell "our open files" $?
head -c 1 "/proc/$us/environ" | grep -q .
tell "our environment" $?
readlink /proc/"$PPID"/fd/* | grep -v '^pipe:\|^/dev/null\|^/proc/\|/requests/turn-\|/commands.sh$\|/plain.sh$' | grep -q .
tell "open files of ours it inherited" $?
hooks=$bundle/workspace.git/hooks
mkdir -p "$hooks" && hook >"$hooks/reference-transaction" && chmod +x "$hooks/reference-transaction"
tell "hook in the bundle's repository" $?
env | grep -q 'UNNAMED_KEY='
tell "key that was not passed" $?
env | grep -q 'NAMED_KEY='
tell "key that was passed" $?
env >env.txt

git init -q .
mkdir -p .git/hooks
for hook in post-commit pre-commit post-checkout reference-transaction; do
    hook >".git/hooks/$hook"
    chmod +x ".git/hooks/$hook"
done
test -x .git/hooks/pre-commit
tell "hook in its own repository" $?
git config core.fsmonitor "touch $(dirname "$found")/hooked"

# One in a session of its own, one that has dropped its environment too.
setsid sh -c "echo \$\$ >>'$found.pids'; exec sleep 600" </dev/null >/dev/null 2>&1 &
env -i setsid sh -c "echo \$\$ >>'$found.pids'; exec sleep 600" </dev/null >/dev/null 2>&1 &
while [ "$(wc -l <"$found.pids" || echo 0)" -lt 2 ]; do sleep 0.02; done
exit 0
