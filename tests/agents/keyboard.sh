# A small agent in a terminal that asks for the kitty keyboard protocol with the flags $1 (with none where there are none), asks what
# holds, and shows every byte that it reads. It shows its prompt again when return is pressed.
stty raw -echo
if [ -n "$1" ]; then printf '\033[>%su\033[?u' "$1"; fi
printf 'ready> '
while :; do
    byte=$(dd bs=1 count=1 2>/dev/null | od -An -tx1 | tr -d ' \n')
    [ -n "$byte" ] || exit
    printf '%s ' "$byte"
    case $byte in
    75 | 7e) printf '\r\n' ;;
    0d) printf '\r\nready> ' ;;
    esac
done
