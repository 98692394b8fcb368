#!/bin/sh
# Measures the Elo of the levels of play of a variant: the NNUE that comes with the program (n-1 to n-10), the alpha-beta
# (a-1 to a-8) and, with TREE=1, the tree search over the same NNUE (m-1 to m-10), every two of neighbouring levels 20 games at
# their own depths and visits, random play being 0. Prints the report, which goes to docs/experiments/levels/VARIANT.txt;
# `go test ./engine -update` then takes it over. Some 5 to 20 minutes on one core, with the tree search more. The same
# command goes on with what was stopped.
#
#	scripts/levels.sh VARIANT [FOLDER]
#	NNUE=runs/russian/models/gen-000150.nnue scripts/levels.sh russian     another network
#	TREE=1 scripts/levels.sh international
#	TOP=8 scripts/levels.sh canadian        not beyond level 8: where moves are many, 12 and 14 plies take minutes a game
#	LAST=8 scripts/levels.sh canadian       8 games of every two of levels 8 to 10, for the same reason
set -eu
cd "$(dirname "$0")/.."
variant=${1:?a variant}
out=${2:-levels/$variant}
nnue=nnue${NNUE:+:$NNUE}
[ -n "${NNUE:-}" ] && sep=, || sep=:
network=${TREE:-}
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/evaluate" ./cmd/evaluate

meet() { # every two of these players
	players=
	for p; do
		case $p in
		a-*) players="$players --player $p=alphabeta:level=${p#a-}" ;;
		m-*) [ -z "$network" ] || players="$players --player $p=tree${NNUE:+:$NNUE}${sep}level=${p#m-}" ;;
		n-*) players="$players --player $p=$nnue${sep}level=${p#n-}" ;;
		*) players="$players --player $p" ;;
		esac
	done
	# shellcheck disable=SC2086 # one word for each
	"$bin/evaluate" tournament --variant "$variant" --out "$out" --games "${games:-20}" $players >&2
}
meet random a-1 a-2 n-1 n-2 m-1 m-2
meet a-2 a-3 a-4 n-2 n-3 n-4 m-2 m-3 m-4
meet a-4 a-5 a-6 n-4 n-5 n-6 m-4 m-5 m-6
meet a-6 a-7 a-8 n-6 n-7 n-8 m-6 m-7 m-8
if [ "${TOP:-10}" -gt 8 ]; then
	games=${LAST:-20}
	meet n-8 n-9 n-10
	[ -z "$network" ] || meet m-8 m-9 m-10
fi
"$bin/evaluate" tournament --out "$out" --anchor random=0 --report
