#!/bin/sh
# Puts the NNUE of a finished run among the models that come with the program: plays its matches with the baseline, at
# equal depth and at equal time, writes its card and its rows in the tables. Some ten minutes of a machine that has nothing
# else to do. Results of matches of the same network are kept in FOLDER/release and not played again. More matches may be named, as
# evaluate --json prints them; NOTE is a paragraph for the card.
#
#	go run ./cmd/train --variant russian --cpu-minutes 120
#	scripts/release.sh russian runs/russian
#	NOTE="Stopped early." scripts/release.sh russian runs/russian scan.json
set -eu
cd "$(dirname "$0")/.."
variant=${1:?a variant}
run=${2:-runs/$variant}
shift "$(($# < 2 ? $# : 2))"
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin" ./cmd/evaluate ./cmd/train

model=$run/$variant.nnue
matches=$run/release
best=$("$bin/train" best --run "$run")
cmp -s "$best" "$model" || rm -rf "$matches" # those of another network
mkdir -p "$matches"
cp "$best" "$model"
match() { # file, settings of evaluate
	file=$matches/$1
	shift
	[ -s "$file" ] && return
	"$bin/evaluate" --variant "$variant" --json "$@" >"$file.part"
	mv "$file.part" "$file"
}
match depth4.json --a "nnue:$model,depth=4" --b alphabeta:depth=4 --games 200
match time.json --a "nnue:$model" --b alphabeta --time 0.1s --games "${GAMES:-100}"

set -- "$matches/depth4.json" "$@" "$matches/time.json"
for file; do
	shift
	set -- "$@" --match "$file"
done
[ -z "${NOTE:-}" ] || set -- "$@" --note "$NOTE"
"$bin/train" card --run "$run" "$@" >"$run/card.md"
cp "$run/card.md" "docs/models/$variant-nnue.md"
cp "$model" "models/$variant.nnue"
go test ./models -update
