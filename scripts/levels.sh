#!/bin/sh
# Measures the Elo of the levels of play of a variant: the NNUE that comes with the program (n-1 to n-10) and the
# alpha-beta (a-1 to a-6), every two of neighbouring levels 20 games at their own depths, random play being 0. Prints the
# report, which goes to docs/experiments/levels/VARIANT.txt; `go test ./strength -update` then takes it over. Some 5 to 20
# minutes on one core. The same command goes on with what was stopped.
#
#	scripts/levels.sh VARIANT [FOLDER]
#	NNUE=runs/russian-nnue/model.nnue scripts/levels.sh russian     another network
set -eu
cd "$(dirname "$0")/.."
variant=${1:?a variant}
out=${2:-levels/$variant}
nnue=nnue${NNUE:+:$NNUE}
[ -n "${NNUE:-}" ] && sep=, || sep=:
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/evaluate" ./cmd/evaluate

meet() { # every two of these players
	players=
	for p; do
		case $p in
		a-*) players="$players --player $p=alphabeta:level=${p#a-}" ;;
		n-*) players="$players --player $p=$nnue${sep}level=${p#n-}" ;;
		*) players="$players --player $p" ;;
		esac
	done
	# shellcheck disable=SC2086 # one word for each
	"$bin/evaluate" tournament --variant "$variant" --out "$out" --games 20 $players >&2
}
meet random a-1 a-2 n-1 n-2
meet a-2 a-3 a-4 n-2 n-3 n-4
meet a-4 a-5 a-6 n-4 n-5 n-6
meet n-6 n-7 n-8
meet n-8 n-9 n-10
"$bin/evaluate" tournament --out "$out" --anchor random=0 --report
