#!/usr/bin/env bash
# Builds what a release publishes twice, from the last commit, the second time in another time zone, language and encoding, and fails if
# artifact:compare finds other bytes. Both have the same umask, which a jar keeps, and the same folder, which ajc writes into the aspect.
# Needs the network: without it no list of contents (SBOM) is written.
# config/release.sh FOLDER: also copies the files there.
set -euo pipefail
cd "$(dirname "$0")/.."

revision=$(git rev-parse HEAD)
folder=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() {
	rm -rf "$work/build"
	git clone -q . "$work/build"
	git -C "$work/build" checkout -q "$revision"
	(cd "$work/build" && ./mvnw -q -Prelease -Djars "$@" >"$work/log" 2>&1) || { tail -40 "$work/log" >&2; exit 1; }
}

build deploy "-DaltDeploymentRepository=first::file://$work/first"
(export TZ=Asia/Kathmandu LC_ALL=C
	build -T1 -Duser.language=tr verify artifact:compare -Dbuildinfo.ignoreJavadoc=false "-Dreference.repo=first::file://$work/first")
grep -h '^ok' "$work"/build/target/*.buildcompare
if [ -n "$folder" ]; then
	mkdir -p "$folder"
	find "$work/first" -type f ! -name 'mongo-lock-parent-*' \( -name '*.jar' -o -name '*.pom' -o -name '*.json' -o -name '*.xml' \) \
		! -name 'maven-metadata.xml' -exec cp {} "$folder/" \;
fi
