#!/usr/bin/env bash
# Kills a run with -9 twenty times at random moments, each time takes it up again, and checks after every kill that
# the run is whole and that no shard which was ever on disk has been lost.
#
#   internal/soak/kill.sh [TIMES] [SEED]
set -euo pipefail
cd "$(dirname "$0")/../.."
times=${1:-20}
RANDOM=${2:-1}

dir=$(mktemp -d)
trap 'kill -9 "${pid:-0}" 2>/dev/null || true; rm -rf "$dir"' EXIT
go build -o "$dir/train" ./cmd/train
run="$dir/run"
settings=(--run "$run" --preset smoke --quiet --minutes 1000
	--set net.channels=16 --set net.layers=2 --set selfplay.max_plies=120 --set generation.stages=0:8/4
	--set generation.rows=512 --set generation.start=512 --set limits.shard_period=0.5
	--set evaluation.every=0.05 --set evaluation.games=4 --set evaluation.visits=8 --set evaluation.rungs=random)

seen="$dir/seen"
: > "$seen"
for i in $(seq "$times"); do
	"$dir/train" "${settings[@]}" 2>"$dir/log" &
	pid=$!
	sleep "$((RANDOM % 4)).$((RANDOM % 10))$((RANDOM % 10))"
	if ! kill -9 "$pid" 2>/dev/null; then
		cat "$dir/log" >&2
		echo "the run ended by itself before kill $i" >&2
		exit 1
	fi
	wait "$pid" 2>/dev/null || true
	# Killed before the first manifest: nothing to check yet.
	[ -e "$run/run.json" ] || continue
	"$dir/train" verify --run "$run" >"$dir/verified" || { cat "$dir/verified" "$dir/log" >&2; exit 1; }
	(cd "$run/games" && ls | grep '\.parquet$' || true) | sort > "$dir/now"
	lost=$(comm -23 "$seen" "$dir/now")
	[ -z "$lost" ] || { echo "kill $i lost shards: $lost" >&2; exit 1; }
	sort -u "$seen" "$dir/now" -o "$seen"
	[ -z "$(find "$run" -name '*.damaged')" ] || { echo "kill $i left a damaged shard" >&2; exit 1; }
done
"$dir/train" --run "$run" --quiet --minutes 1000 --generations "$(("$(sed -n 's/^\t"generation": \([0-9]*\),/\1/p' "$run/run.json")" + 2))" 2>"$dir/log" || { cat "$dir/log" >&2; exit 1; }
"$dir/train" verify --run "$run"
lost=$(comm -23 "$seen" <(cd "$run/games" && ls | sort))
[ -z "$lost" ] || { echo "lost shards: $lost" >&2; exit 1; }
echo "killed $times times, resumed each time, $(wc -l < "$seen") shards, none lost"
