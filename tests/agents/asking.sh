#!/bin/sh
# A stand-in for Gemini CLI in its own screen: it says something, asks a person, and works on after the answer.
[ "$1" = --version ] && { echo 0.1.0; exit; }
log="$HOME/.gemini/tmp/workspace/chats/session-1.jsonl"
mkdir -p "$(dirname "$log")"
note() { printf '%s\n' "$1" >>"$log"; }
title() { printf '\033]0;%s\007' "$1"; }

title Working
note '{"id":"1","type":"user","content":[{"text":"do it"}]}'
note '{"id":"2","type":"gemini","content":"I begin."}'
title 'Action Required'
while :; do note '{"$set":{}}'; sleep 0.2; done &
read -r answer
kill $!
note '{"id":"2","type":"gemini","content":"I begin.","toolCalls":[{"id":"c"}]}'
title Ready
sleep 0.6
echo "$answer" >out
note '{"id":"3","type":"gemini","content":"Done."}'
title Ready
cat >/dev/null
