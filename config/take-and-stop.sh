#!/usr/bin/env bash
# Has the order sample take a lock on the server of a connection string, stops it in the middle of the work, and starts it again:
# config/take-and-stop.sh URI COMMAND… The command is a native image, or java with the jar. The next process must have the lock long
# before the lease of 30 s is over, so the first has released it.
set -euo pipefail
uri="$1"
shift

port=18080
log=$(mktemp)
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null || true; rm -f "$log"' EXIT

fail() {
	echo "$1; its output:" >&2
	tail -50 "$log" >&2
	exit 1
}

start() {
	"$@" --server.port="$port" --spring.mongodb.uri="$uri" >"$log" 2>&1 &
	pid=$!
	for _ in {1..120}; do
		curl -sf -o /dev/null "localhost:$port/orders/10001" && return
		kill -0 "$pid" 2>/dev/null || fail "The application ended at its start"
		sleep 0.5
	done
	fail "The application was not up after a minute"
}

pay() {
	curl -sS --fail-with-body --max-time "$1" -H 'Content-Type: application/json' -d "$2" "localhost:$port/orders/10001/payments"
	echo
}

stop() {
	kill -TERM "$pid"
	for _ in {1..120}; do
		kill -0 "$pid" 2>/dev/null || { pid=; return 0; }
		sleep 0.5
	done
	fail "The application did not end within a minute"
}

start "$@"
pay 60 '{"amount": 100, "takes": 5}' &
paying=$!
for _ in {1..40}; do
	curl -s "localhost:$port/actuator/mongolocks?prefix=order:" | grep -q '"order:10001"' && break
	kill -0 "$paying" 2>/dev/null || fail "The payment ended before its lock was seen"
	sleep 0.1
done
echo "The lock is held; stop"
stop
wait "$paying" || echo "The payment was cut off"
start "$@"
pay 10 '{"amount": 100}' || fail "The next process did not get the lock within 10 s"
stop
echo "Taken, stopped, and free for the next"
