package settings

import (
	"strings"

	"damier/internal/files"
)

// Written is one value of a configuration as [Resolved.WriteTOML] has written it.
type Written struct {
	Key    string `json:"key"`    // such as net.width
	Value  string `json:"value"`  // as TOML
	Origin string `json:"origin"` // such as "default", "preset day", "flag"; "" if the file does not say
}

// ReadWritten returns the values of a file that WriteTOML has written, in their order. It leaves
// out lines of any other form.
func ReadWritten(path string) ([]Written, error) {
	text, err := files.Read(path, maxFile)
	if err != nil {
		return nil, err
	}
	var all []Written
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]") + "."
			continue
		}
		key, value, ok := strings.Cut(line, " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		origin := ""
		if i := strings.LastIndex(value, "  # "); i >= 0 {
			value, origin = value[:i], value[i+len("  # "):]
		}
		all = append(all, Written{section + key, value, origin})
	}
	return all, nil
}
