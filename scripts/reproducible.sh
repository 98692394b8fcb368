#!/bin/sh
# Builds the program that is released twice, in this folder and in a copy of the commit elsewhere,
# and compares the bytes; then the program must tell its version. The flags are those of
# .goreleaser.yaml. Without a name it does so for this system; the working tree must be that of the
# commit.
#
#	scripts/reproducible.sh [GOOS/GOARCH ...]
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- "$(go env GOOS)/$(go env GOARCH)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/copy"
git archive HEAD | tar -x -C "$dir/copy"
# A release has the version of its tag, a snapshot that of its commit.
commit=$(git rev-parse HEAD)
version=$(git describe --exact-match --tags HEAD 2>/dev/null || echo "v0.0.0-git$(git rev-parse --short HEAD)")
flags="-s -w -buildid= -X main.version=$version -X main.commit=$commit"
build() { CGO_ENABLED=0 GOFLAGS= go build -trimpath -buildvcs=false -ldflags "$flags" -o "$1" ./cmd/damier; }
for target; do
	export GOOS="${target%/*}" GOARCH="${target#*/}"
	build "$dir/here"
	(cd "$dir/copy" && build "$dir/there")
	if ! cmp "$dir/here" "$dir/there"; then
		echo "$target: two builds of the same commit differ" >&2
		exit 1
	fi
	if [ "$target" = "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" ]; then
		said=$("$dir/here" version --json)
		case $said in
		*'"version":"'"$version"'","commit":"'"$commit"'"'*) ;;
		*)
			echo "$target: the program says $said, not $version of $commit" >&2
			exit 1
			;;
		esac
	fi
	echo "$target $version $(sha256sum <"$dir/here" | cut -d' ' -f1)"
done
