#!/bin/sh
# Records a conversation in a real terminal, as docs/recording.md shows it.
#
#   docs/recording.sh target/release/sqlogue docs/recording.txt > recording.out
#
# Types the lines of a file into the chat, each when the prompt has come back, and prints what the terminal shows in the
# end, without the times, which are those of the machine. Needs tmux. The terminal is high enough to hold everything, so
# nothing goes through a pager.
set -eu

program=$(realpath "$1")
lines=$(realpath "$2")
folder=$(mktemp -d)
terminal="tmux -L sqlogue-recording-$$"
trap '$terminal kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

ready() {
    tries=0
    until $terminal capture-pane -t chat -p | sed '/^ *$/d' | tail -n 1 | grep -q '^[^ ]*> *$'; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || { echo "the prompt does not come back" >&2; exit 1; }
        sleep 0.1
    done
}

$terminal -f /dev/null new-session -d -s chat -x 96 -y 400 -c "$folder" \
    "env HOME='$folder' TERM=screen-256color '$program'"
ready
while IFS= read -r line; do
    $terminal send-keys -t chat -l "$line"
    # What was typed is on the screen before the prompt is waited for.
    sleep 0.2
    if [ "$line" = /quit ]; then
        $terminal capture-pane -t chat -p | sed -e 's/ *$//' -e 's/^\([0-9,]* rows*\) ([0-9.]* m*s)$/\1/' |
            sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
        exit 0
    fi
    $terminal send-keys -t chat Enter
    sleep 0.2
    ready
done <"$lines"
