#!/usr/bin/env bash
# Compiles an older revision and has its classes share locks with these, each in a process of its own, on the servers that the
# environment names. Arguments: the revision, then what goes to Maven, for example -o.
set -euo pipefail
cd "$(dirname "$0")/.."
revision="$1"
shift

older=$(mktemp -d)
trap 'rm -rf "$older"' EXIT
git clone -q . "$older"
git -C "$older" checkout -q "$revision"
(cd "$older" && ./mvnw -q test-compile -pl fault-tests -am "$@")
./mvnw test -pl fault-tests -am -Dtags.verify=none -Dtest=OlderReleaseTests -Dsurefire.failIfNoSpecifiedTests=false \
	-Dmongo-lock.older="$older" "$@"
