#!/usr/bin/env bash
# Compares the public API of the published modules with that of the last tag v…, and fails where a program compiled or written against
# it would break: config/api.sh, then what goes to Maven, for example -o. Without a tag there is nothing to compare, and it says so.
# What was changed is in target/japicmp of each module. API_TAG names another revision.
set -euo pipefail
cd "$(dirname "$0")/.."
tag=${API_TAG:-$(git describe --tags --match 'v*' --abbrev=0 HEAD^ 2>/dev/null || true)}
[ -n "$tag" ] || { echo "No tag v… before this commit: no API to compare with"; exit 0; }

older=$(mktemp -d)
trap 'rm -rf "$older"' EXIT
git clone -q . "$older/clone"
git -C "$older/clone" checkout -q "$tag"
(cd "$older/clone" && ./mvnw -q package -Djars "$@")
mkdir "$older/jars"
for module in "$older"/clone/mongo-lock-*; do
	name=$(basename "$module")
	for jar in "$module/target/$name"-*[0-9T].jar; do
		[ ! -e "$jar" ] || cp "$jar" "$older/jars/$name.jar"
	done
done
./mvnw package -Djars -Dapi.older="$older/jars" "$@"
echo "The API of $tag is kept"
