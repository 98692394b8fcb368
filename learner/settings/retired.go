package settings

import "github.com/BurntSushi/toml"

// retired holds keys that a config.toml of an earlier version may have, though no setting has that
// name any more. Each was a number that had no effect at 0 or below.
var retired = map[string]bool{
	"selfplay.mcts.contempt": true,
	"selfplay.mcts.forcing":  true,
}

// withoutEffect reports whether key is a retired one whose value in the file had no effect, so that
// a run goes on as before without it.
func withoutEffect(text string, key toml.Key) bool {
	if !retired[key.String()] {
		return false
	}
	var file map[string]any
	if _, err := toml.Decode(text, &file); err != nil {
		return false
	}
	value := any(file)
	for _, name := range key {
		table, _ := value.(map[string]any)
		value = table[name]
	}
	switch v := value.(type) {
	case int64:
		return v <= 0
	case float64:
		return v <= 0
	}
	return false
}
