#!/usr/bin/env bash
# Builds what a release publishes twice, from the last commit, the second time in another time zone, language and encoding. Prints
# the digest of each file, and fails if one is missing or has other bytes in the second build. Both have the same umask, which a jar
# keeps, and the same folder, which ajc writes into the aspect. Needs the network: without it no list of contents (SBOM) is written.
set -euo pipefail
cd "$(dirname "$0")/.."

revision=$(git rev-parse HEAD)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

published() {
	grep -L '<maven.deploy.skip>true<' */pom.xml | xargs -n1 dirname
}

# The folder of a build is called as its first argument once it is done
build() {
	local folder="$work/build"
	git clone -q . "$folder"
	git -C "$folder" checkout -q "$revision"
	(cd "$folder" && ./mvnw -q package -Prelease -Djars "${@:2}" >"$folder.log" 2>&1) || { tail -40 "$folder.log" >&2; exit 1; }
	mv "$folder" "$work/$1"
}

digests() {
	(cd "$work/$1" && for module in $(published); do
		echo "$module/pom.xml"
		[ "$module" = mongo-lock-bom ] && continue
		ls "$module"/target/{"$module"-*[0-9T].jar,"$module"-*-sources.jar,"$module"-*-javadoc.jar,bom.json,bom.xml}
	done | xargs sha256sum)
}

build one
(export TZ=Asia/Kathmandu LC_ALL=C; build another -T1 -Duser.language=tr)
digests one >"$work/first"
digests another >"$work/second"
cat "$work/first"
diff "$work/first" "$work/second" >&2 || { echo "The two builds differ" >&2; exit 1; }
echo "$(wc -l <"$work/first") files, the same bytes in both builds"
