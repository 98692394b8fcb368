#!/bin/sh
# Runs the benchmarks of two commits alternately, ten times each, and compares them with benchstat.
#
#	scripts/benchcmp.sh OLD NEW [BENCHMARKS [PACKAGES]]
#	scripts/benchcmp.sh main HEAD 'Forward|Peak' ./internal/simd
#
# OLD and NEW are commits. BENCHMARKS is a pattern of go test -bench, by default the hot paths. The environment variables
# COUNT (10), TIME (300ms, of one benchmark) and BENCHSTAT (benchstat) change how. What was measured stays in the printed
# folder.
set -eu
[ $# -ge 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$1 new=$2
pattern=${3:-'FamilyPerft|FamilyMoves|Encode$|Precision|Forward|Peak|Simulation|Actor|Step|WriteShard|WindowSample'}
packages=${4:-'./rules ./net ./internal/simd ./mcts ./selfplay ./net/train ./data'}
benchstat=${BENCHSTAT:-benchstat}
command -v "$benchstat" >/dev/null || benchstat=$(go env GOPATH)/bin/benchstat
command -v "$benchstat" >/dev/null || {
	echo "benchcmp: benchstat is missing: go install golang.org/x/perf/cmd/benchstat@latest" >&2
	exit 1
}
root=$(git rev-parse --show-toplevel)
dir=$(mktemp -d)
trap 'for s in old new; do git -C "$root" worktree remove --force "$dir/$s" 2>/dev/null || true; done' EXIT
for side in old new; do
	commit=$old
	[ $side = new ] && commit=$new
	git -C "$root" worktree add --quiet --detach "$dir/$side" "$commit"
	for p in $packages; do
		(cd "$dir/$side" && go test -c -o "$p/bench.test" "$p")
	done
done
for i in $(seq "${COUNT:-10}"); do
	for p in $packages; do
		for side in old new; do
			(cd "$dir/$side/$p" && ./bench.test -test.run XXX -test.bench "$pattern" -test.benchtime "${TIME:-300ms}") >>"$dir/$side.txt"
		done
	done
	echo "benchcmp: round $i of ${COUNT:-10} done" >&2
done
echo "benchcmp: the measurements are in $dir/old.txt and $dir/new.txt" >&2
"$benchstat" "$old=$dir/old.txt" "$new=$dir/new.txt"
