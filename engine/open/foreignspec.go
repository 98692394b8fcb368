package open

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// foreignSetting matches the beginning of a setting of another program, whose parameters may have
// any names.
var foreignSetting = regexp.MustCompile(`,[A-Za-z_][A-Za-z0-9_-]*=`)

// cutSettings splits off the settings after a program or an address, which may be quoted.
func cutSettings(text string) (head string, settings []string, err error) {
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		head, rest, quoted = strings.Cut(rest, `"`)
		if !quoted {
			return "", nil, errors.New("the closing quote is missing")
		}
		if rest == "" {
			return head, nil, nil
		}
		if at := foreignSetting.FindStringIndex(rest); at == nil || at[0] != 0 {
			return "", nil, fmt.Errorf("%q behind the quotes is no setting; write ,name=value", rest)
		}
		return head, splitSettings(rest), nil
	}
	at := foreignSetting.FindStringIndex(text)
	if at == nil {
		return text, nil, nil
	}
	return text[:at[0]], splitSettings(text[at[0]:]), nil
}

// splitSettings splits ",name=value,name=value" at the commas that are followed by a name and =.
func splitSettings(text string) []string {
	var settings []string
	for text != "" {
		text = text[1:]
		end := len(text)
		if at := foreignSetting.FindStringIndex(text); at != nil {
			end = at[0]
		}
		settings = append(settings, text[:end])
		text = text[end:]
	}
	return settings
}

func parseHub(text string) (Spec, error) {
	p := Spec{Kind: Hub}
	var settings []string
	var err error
	if p.Program, settings, err = cutSettings(text); err != nil {
		return p, err
	}
	command, err := p.Command()
	if err != nil {
		return p, err
	}
	if len(command) == 0 {
		return p, errors.New("the program is missing")
	}
	var params []string
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "depth", "nodes", "time":
			if err := p.setLimit(setting); err != nil {
				return p, err
			}
		case "dir":
			p.Dir = value
		default:
			if strings.Contains(value, ",") {
				return p, fmt.Errorf("parameter %s: a value with a comma cannot be told here", name)
			}
			params = append(params, setting)
		}
	}
	p.Params = strings.Join(params, ",")
	return p, nil
}

// Command splits the program of a Hub player into its words. Blanks separate them; single quotes
// keep blanks together.
func (p Spec) Command() ([]string, error) {
	var words []string
	var word strings.Builder
	begun, quoted := false, false
	for _, r := range p.Program {
		switch {
		case r == '\'':
			begun, quoted = true, !quoted
		case (r == ' ' || r == '\t') && !quoted:
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quoted {
		return nil, fmt.Errorf("program %q: a single quote is not closed", p.Program)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

func parseDXP(text string) (Spec, error) {
	p := Spec{Kind: DXP}
	var settings []string
	var err error
	if p.Address, settings, err = cutSettings(text); err != nil {
		return p, err
	}
	if p.Address == "" {
		return p, errors.New("the address is missing: dxp:HOST:PORT")
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "time":
			if err := p.setLimit(setting); err != nil {
				return p, err
			}
		case "say":
			p.Say = value
		default:
			return p, fmt.Errorf("%q is not a setting of a program behind DXP; there are time, for a game, and say", name)
		}
	}
	return p, nil
}
