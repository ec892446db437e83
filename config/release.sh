#!/usr/bin/env bash
# Builds what a release publishes twice, from the last commit, the second time in another time zone, language and encoding. Prints
# the digest of each file, and fails if one is missing or has other bytes in the second build. Both have the same umask, which a jar
# keeps, and the same folder, which ajc writes into the aspect. Needs the network: without it no list of contents (SBOM) is written.
# config/release.sh FOLDER: also copies the files there, each under a name of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

revision=$(git rev-parse HEAD)
folder=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

published() {
	grep -L '<maven.deploy.skip>true<' */pom.xml | xargs -n1 dirname
}

# The folder of a build is called as its first argument once it is done
build() {
	local clone="$work/build"
	git clone -q . "$clone"
	git -C "$clone" checkout -q "$revision"
	(cd "$clone" && ./mvnw -q package -Prelease -Djars "${@:2}" >"$clone.log" 2>&1) || { tail -40 "$clone.log" >&2; exit 1; }
	mv "$clone" "$work/$1"
}

files() {
	for module in $(published); do
		echo "$module/pom.xml"
		[ "$module" = mongo-lock-bom ] && continue
		ls "$module"/target/{"$module"-*[0-9T].jar,"$module"-*-sources.jar,"$module"-*-javadoc.jar,bom.json,bom.xml}
	done
}

digests() {
	(cd "$work/$1" && files | xargs sha256sum)
}

# Each module has a pom.xml and a bom of the same name
copy() {
	mkdir -p "$folder"
	cd "$work/one"
	for file in $(files); do
		case "$file" in
			*.jar) cp "$file" "$folder/" ;;
			*) cp "$file" "$folder/${file%%/*}-$(basename "$file")" ;;
		esac
	done
}

build one
(export TZ=Asia/Kathmandu LC_ALL=C; build another -T1 -Duser.language=tr)
digests one >"$work/first"
digests another >"$work/second"
cat "$work/first"
diff "$work/first" "$work/second" >&2 || { echo "The two builds differ" >&2; exit 1; }
echo "$(wc -l <"$work/first") files, the same bytes in both builds"
[ -z "$folder" ] || copy
