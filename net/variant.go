package net

import (
	"fmt"
	"strconv"

	"damier/rules"
)

// VariantOf returns the variant named in the metadata of a file. The file must have the given
// format and version and the rules version of this program; if want is not nil, it must be for
// that variant with the same options. The error wraps [ErrForeign] or [ErrDamaged].
func VariantOf(metadata map[string]string, format string, version int, want *rules.Variant) (*rules.Variant, error) {
	foreign := func(text string, args ...any) (*rules.Variant, error) {
		return nil, fmt.Errorf(text+": %w", append(args, ErrForeign)...)
	}
	if f := metadata["format"]; f != format {
		return foreign("format is %q, want %q", f, format)
	}
	if s := metadata["format_version"]; s != strconv.Itoa(version) {
		return foreign("format version is %q, this program reads %d", s, version)
	}
	if s := metadata["rules"]; s != strconv.Itoa(rules.Version) {
		return foreign("trained under rules version %q, this program has %d", s, rules.Version)
	}
	options, err := rules.ParseOptions(metadata["options"])
	switch {
	case err != nil:
		return nil, fmt.Errorf("options: %v: %w", err, ErrDamaged)
	case want == nil:
		v, err := rules.Lookup(metadata["variant"], options)
		if err != nil {
			return foreign("%v", err)
		}
		return v, nil
	case metadata["variant"] != want.Name || options.String() != want.Options.String():
		found := metadata["variant"]
		if s := options.String(); s != "" {
			found += "[" + s + "]"
		}
		return foreign("trained for %s, want %s", found, want)
	}
	return want, nil
}
