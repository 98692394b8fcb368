package notation

import (
	"io"
	"slices"
	"strings"

	"damier/rules"
)

// NewVariantsReader returns a reader of games of any variants: choose says from the tags of each
// game, as the file has them, by which rules it is played. An error of choose is an error of that
// game. Otherwise the reader is that of [NewReader].
func NewVariantsReader(r io.Reader, choose func(Tags) (*rules.Variant, error)) *Reader {
	return &Reader{lexer: newFileLexer(r, window), choose: choose}
}

// VariantOf returns the variant that the tags Variant, GameType and VariantOptions name, each game
// type and each name in any case. Where they name none it returns preferred, with the options that
// the tags give; also where the game type is one that games of preferred have, such as that of a
// variant from another start. It is an error if a tag names a variant that is not known, or
// options that are not its own.
func VariantOf(tags Tags, preferred *rules.Variant) (*rules.Variant, error) {
	v := preferred
	named := strings.TrimRight(strings.ToLower(tags.Get("Variant")), "!")
	switch text := tags.Get("GameType"); {
	case slices.Contains(rules.Names(), named):
		if named != v.Name {
			var err error
			if v, err = rules.Lookup(named, nil); err != nil {
				return nil, err
			}
		}
	case text != "":
		t, ok := parseGameType(text)
		if !ok || checkTag(v, Tag{"GameType", text}) == nil {
			break // the reader tells what is wrong with it
		}
		found, err := ofGameType(t.number)
		if err != nil {
			return nil, err
		}
		v = found
	}
	text := tags.Get("VariantOptions")
	if text == "" {
		return v, nil
	}
	options, err := rules.ParseOptions(text)
	if err != nil {
		return nil, rules.Messagef("VariantOptions: %w", err)
	}
	w, err := rules.Lookup(v.Name, options)
	if err != nil {
		return nil, rules.Messagef("VariantOptions: %w", err)
	}
	return w, nil
}

// ofGameType returns the first variant by name that has a game type.
func ofGameType(number int) (*rules.Variant, error) {
	if number > 0 {
		for _, name := range rules.Names() {
			if v, err := rules.Lookup(name, nil); err == nil && v.GameType == number {
				return v, nil
			}
		}
	}
	return nil, rules.Messagef("GameType %d is that of no variant known here", number)
}

// chooseVariant finds the variant of the game by its tags, once, and looks at these again.
func (s *gameReader) chooseVariant() error {
	if s.choose == nil || s.chosen {
		return nil
	}
	v, err := s.choose(s.game.Tags)
	if err != nil {
		return err
	}
	s.v, s.chosen, s.names = v, true, playersNames(v)
	for _, t := range s.game.Tags {
		if err := checkTag(v, t); err != nil {
			return err
		}
	}
	s.setType(s.game.Tags.Get("GameType"))
	return nil
}

// part returns the game as far as it could be read, nil where that is not a move.
func (s *gameReader) part() *Game {
	if s.game.Game == nil || s.game.Ply() == 0 {
		return nil
	}
	s.game.End(rules.Ongoing, rules.NoReason)
	s.game.Result = resultTexts[s.game.Tags.Get("Result")]
	return s.game
}
