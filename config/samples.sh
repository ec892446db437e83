#!/usr/bin/env bash
# Runs each command by which a README or a page starts something, as it is shown, one after the other, until it says that it has
# started. What needs Docker is left out where there is none. config/samples.sh WORD: only the commands with that word.
set -euo pipefail
cd "$(dirname "$0")/.."
word=${1:-}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

commands() {
	cat README.md docs/*.md samples/*/README.md samples/*/src/main/resources/static/*.html | sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' \
		| grep -o '\./mvnw [^`<]*-Drun [^`<]*' | sort -u
}

started() {
	grep -qE 'Started \w+ in|embedded server ready at' "$log"
}

run() {
	local group
	# at once: the next line does so in its own time, and the last command had started
	: >"$log"
	setsid bash -c "$1 --batch-mode" >"$log" 2>&1 </dev/null &
	group=$!
	for ((second = 0; second < 300; second++)); do
		started || ! kill -0 "$group" 2>/dev/null && break
		sleep 1
	done
	kill -- "-$group" 2>/dev/null || true
	wait "$group" 2>/dev/null || true
	# the next one needs its ports
	for ((second = 0; second < 60; second++)); do
		kill -0 -- "-$group" 2>/dev/null || break
		sleep 1
	done
	kill -9 -- "-$group" 2>/dev/null || true
	started || { cat "$log"; echo "It did not start: $1" >&2; return 1; }
	echo "It starts: $1"
}

count=0
while read -r command; do
	if [[ "$command" = *docker* ]] && ! docker info >/dev/null 2>&1; then
		echo "There is no Docker, so it is not run: $command"
		continue
	fi
	[[ "$command" = *"$word"* ]] || continue
	run "$command"
	count=$((count + 1))
done < <(commands)
[ "$count" -gt 0 ] || { echo "No command was found" >&2; exit 1; }
