#!/usr/bin/env bash
# Builds the pages of docs as a site in target/site; a dead link fails. "config/site.sh serve" shows it while you write,
# "config/site.sh publish VERSION [ALIAS]" pushes it to the branch of the repository's Pages.
# Needs Python 3.9 or later with venv. The theme is pinned: Material is in its last years, but its successor has no hooks yet.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=${SITE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/mongo-lock-site}
if [ ! -x "$tools/bin/mkdocs" ]; then
	python3 -m venv "$tools"
	"$tools/bin/pip" --quiet --disable-pip-version-check install mkdocs==1.6.1 mkdocs-material==9.8.2 mike==2.2.0
fi
export NO_MKDOCS_2_WARNING=true
case "${1:-build}" in
build) "$tools/bin/mkdocs" build --strict --clean --config-file config/site/mkdocs.yml ;;
serve) exec "$tools/bin/mkdocs" serve --config-file config/site/mkdocs.yml ;;
publish)
	shift
	PATH="$tools/bin:$PATH" mike deploy --push --update-aliases --config-file config/site/mkdocs.yml "$@"
	PATH="$tools/bin:$PATH" mike set-default --push --config-file config/site/mkdocs.yml "${2:-$1}"
	;;
*) echo "usage: $0 [build | serve | publish VERSION [ALIAS]]" >&2; exit 2 ;;
esac
