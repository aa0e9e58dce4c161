# A small agent in a terminal: it shows a prompt, reads a line, carries out what follows `do: ` in it, and shows the prompt again.
printf 'terminal of %s columns\n' "$(stty size | cut -d ' ' -f 2)"
printf 'ready> '
while IFS= read -r line; do
    case $line in
    *'do: '*) eval "${line#*do: }" ;;
    esac
    echo "$line" >>"$HOME/asked"
    printf 'ready> '
done
