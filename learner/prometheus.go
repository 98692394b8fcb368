package learner

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"damier/learner/journal"
)

// WritePrometheus writes the latest metrics of the run in the text format of Prometheus, version
// 0.0.4 (prometheus.io, "Exposition formats"). It leaves out metrics without a value yet.
func (v *View) WritePrometheus(w io.Writer) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.follow(); err != nil {
		return err
	}
	var x exposition
	x.family("damier_run_info", "gauge", "The run: always 1.")
	x.value(1, "run", v.Name, "variant", v.Variant.Name, "options", v.Variant.Options.String())
	x.family("damier_warnings_total", "counter", "Warnings of the run.")
	x.value(float64(v.last.warnings))
	if e := v.last.event; e.Kind != "" {
		x.one("damier_generation", "gauge", "Networks published so far.", float64(e.Generation))
		x.one("damier_run_seconds_total", "counter", "Time of the run on the clock, over all its sessions.", e.Seconds)
		x.one("damier_cpu_seconds_total", "counter", "CPU time of the run, over all its sessions and threads.", e.CPUHours*3600)
		x.one("damier_last_event_timestamp_seconds", "gauge", "When the metrics were last written.", float64(e.Time.UnixMilli())/1000)
		running := 1.0
		if e.Kind == "stop" {
			running = 0
		}
		x.one("damier_running", "gauge", "1 unless the last event says that the run has stopped.", running)
	}
	if p := v.last.progress; p != nil {
		x.progress(p)
	}
	if r := v.last.evaluation; r != nil {
		x.rating(r)
	}
	_, err := w.Write(x.Bytes())
	return err
}

func (x *exposition) progress(p *journal.Progress) {
	x.one("damier_steps_total", "counter", "Training steps.", float64(p.Steps))
	x.one("damier_rows_total", "counter", "Searched positions of self-play.", float64(p.Rows))
	x.one("damier_games_total", "counter", "Games of self-play.", float64(p.Games))
	x.one("damier_window_rows", "gauge", "Rows in the replay window.", float64(p.Window))
	x.one("damier_visits", "gauge", "Simulations of a tree search of self-play.", float64(p.Visits))

	x.family("damier_results_ratio", "gauge", "Shares of the last generation's games.")
	x.value(p.White, "result", "white")
	x.value(p.Draws, "result", "draw")
	x.value(p.Black, "result", "black")
	x.family("damier_endings", "gauge", "Games of the last generation by what ended them.")
	for _, reason := range slices.Sorted(maps.Keys(p.Reasons)) {
		x.value(float64(p.Reasons[reason]), "reason", string(reason))
	}
	x.one("damier_game_length_plies", "gauge", "Mean length of the last generation's games.", p.Length)
	x.one("damier_policy_entropy_nats", "gauge", "Mean entropy of the policies of the last generation's tree searches.", p.Entropy)
	x.one("damier_policy_surprise_nats", "gauge", "Mean divergence of these policies from the priors.", p.KL)
	x.one("damier_distinct_ratio", "gauge", "Share of the last generation's positions not met before in it.", p.Distinct)

	x.one("damier_simulations_per_second", "gauge", "Simulations a second while the last generation was played.", p.Sims)
	x.one("damier_games_per_second", "gauge", "Games a second while it was played.", p.GamesRate)
	x.family("damier_rows_per_second", "gauge", "Rows a second while the last generation was played, and while it was trained.")
	x.value(p.RowsRate, "phase", "play")
	x.value(p.TrainRate, "phase", "train")
	x.family("damier_phase_seconds", "gauge", "How long the phases of the last generation took.")
	x.value(p.PlaySecs, "phase", "play")
	x.value(p.TrainSecs, "phase", "train")
	x.value(p.OtherSecs, "phase", "other")
	x.family("damier_busy_ratio", "gauge", "CPU time over cores times clock.")
	x.value(p.PlayBusy, "phase", "play")
	x.value(p.TrainBusy, "phase", "train")
	x.one("damier_resident_memory_bytes", "gauge", "Resident memory of the learner.", float64(p.Memory))

	x.family("damier_loss_nats", "gauge", "Loss of the last generation: of its batches, and on held-out games.")
	x.value(p.Value, "set", "training")
	if p.HeldRows > 0 {
		x.value(p.HeldValue, "set", "heldout")
		x.one("damier_heldout_material_loss_nats", "gauge", "What counting pieces alone would have as held-out loss.", p.HeldMaterial)
	}
	x.one("damier_gradient_norm", "gauge", "Mean norm of the gradient.", p.GradNorm)
	x.one("damier_learning_rate_ratio", "gauge", "Factor of the learning rate.", p.LearnRate)
}

func (x *exposition) rating(r *journal.Rating) {
	x.one("damier_evaluation_generation", "gauge", "Generation of the network that was evaluated last.", float64(r.Generation))
	if r.Rated() {
		x.family("damier_elo", "gauge", "Elo on the ladder, where the baseline at depth 1 is 0, with the ends of its 95 % interval.")
		x.value(r.Elo, "bound", "estimate")
		x.value(r.Low, "bound", "low")
		x.value(r.High, "bound", "high")
	}
	x.family("damier_rung_score_ratio", "gauge", "Score of the last evaluation against each rung of the ladder.")
	for _, g := range r.Rungs {
		x.value(g.Score, "rung", g.Rung)
	}
}

// exposition is a text in the format of Prometheus.
type exposition struct {
	bytes.Buffer
	name string // name of the present family
}

// family begins the metrics with one name; kind is gauge or counter.
func (x *exposition) family(name, kind, help string) {
	x.name = name
	fmt.Fprintf(x, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// value writes a metric of the family; labels are pairs of name and value.
func (x *exposition) value(value float64, labels ...string) {
	x.WriteString(x.name)
	for i := 0; i < len(labels); i += 2 {
		fmt.Fprintf(x, `%c%s="%s"`, "{,"[min(i, 1)], labels[i], labelEscapes.Replace(labels[i+1]))
	}
	if len(labels) > 0 {
		x.WriteByte('}')
	}
	fmt.Fprintf(x, " %s\n", strconv.FormatFloat(value, 'g', -1, 64))
}

// one writes a family with one metric without labels.
func (x *exposition) one(name, kind, help string, value float64) {
	x.family(name, kind, help)
	x.value(value)
}
