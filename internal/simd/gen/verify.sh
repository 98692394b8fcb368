#!/bin/sh
# Checks that the generated files of package simd are what the generator writes.
# Exit code 0: they are. 1: they were not, and have been rewritten.
set -eu
cd "$(dirname "$0")/.."
sum() { cat ./*_amd64.s ./*_stubs_amd64.go | cksum; }
before=$(sum)
go generate .
if [ "$before" != "$(sum)" ]; then
	echo "internal/simd: generated files were out of date; now rewritten" >&2
	exit 1
fi
