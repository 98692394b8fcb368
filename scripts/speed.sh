#!/bin/sh
# Measures the figures of docs/speed.md on this machine, which should have nothing else to do, and prints them as Markdown:
# one line for each benchmark, its figures, and the command that repeats it.
#
#	scripts/speed.sh          some ten minutes
#	TIME=300ms scripts/speed.sh
set -eu
cd "$(dirname "$0")/.."
export GOMAXPROCS=1
time=${TIME:-1s}
measure() { # package, pattern
	echo
	echo "\`GOMAXPROCS=1 go test -run '^$' -bench '$2' -benchtime $time $1\`"
	echo
	echo "| benchmark | figures |"
	echo "|---|---|"
	go test -run '^$' -bench "$2" -benchtime "$time" "$1" |
		awk '/^Benchmark/ { n = $1; $1 = $2 = ""; gsub(/^ +/, ""); print "| " substr(n, 10) " | " $0 " |" }'
}
echo "## $(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo 2>/dev/null || uname -m), $(go env GOVERSION), $(git rev-parse --short HEAD)"
measure ./internal/simd 'Sparse|Rows|Vector'
measure ./net/train 'Sparse'
measure ./rules 'Perft|Moves$'
measure ./mcts 'Simulation'
measure ./net/nnue 'Tree|AlphaBeta'
measure ./selfplay 'Actor'
measure ./data 'WriteShard|WindowSample'
unset GOMAXPROCS
echo
echo '`go run ./cmd/selfplay benchmark`'
echo
echo '```'
go run ./cmd/selfplay benchmark
echo '```'
