package open

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"damier/internal/cli"
	"damier/internal/files"
	"damier/models"
	"damier/net"
	"damier/net/nnue"
	"damier/rules"
)

// Network loads the network in file, or with "" the one that comes with the program for v. With a
// file v may be nil: the network has its own variant. Errors say what a player can do, and have
// the exit code of a damaged or foreign file.
func Network(v *rules.Variant, file string) (*nnue.Model, error) {
	if file == "" {
		return models.NNUE(v)
	}
	m, err := nnue.LoadFile(file, nil)
	if err != nil {
		return nil, cli.WithCode(cli.Damaged, explain(file, err))
	}
	if v != nil && m.Variant.String() != v.String() {
		return nil, cli.WithCode(cli.Damaged, fmt.Errorf(
			"%s plays %s, and %s is asked for: leave out the variant, or give a network for %s", file, m.Variant, v, v.Name))
	}
	return m, nil
}

// NetworkContent returns the content of the file of the network that the engine of a description
// has; nil if it has none.
func NetworkContent(v *rules.Variant, s Spec) ([]byte, error) {
	switch {
	case s.Kind != NNUE && s.Kind != Tree:
		return nil, nil
	case s.File == "":
		return models.NNUEContent(v)
	}
	return files.Read(s.File, 1<<31)
}

// FileVariant returns the variant of the network in a file.
func FileVariant(file string) (*rules.Variant, error) {
	m, err := Network(nil, file)
	if err != nil {
		return nil, err
	}
	return m.Variant, nil
}

// explain returns an error that says in a sentence why a file is not a network that plays.
func explain(file string, err error) error {
	info, statError := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such file; a run of train keeps its networks in RUN/models", file)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: this file may not be read", file)
	case statError == nil && info.IsDir():
		return explainFolder(file)
	case errors.Is(err, files.ErrNotRegular), errors.Is(err, files.ErrTooLarge):
		return fmt.Errorf("%s: %w", file, err)
	case errors.Is(err, net.ErrDamaged):
		return fmt.Errorf("%s: the network is damaged: %w", file, err)
	}
	if errors.Is(err, net.ErrForeign) && filepath.Ext(file) == ".safetensors" {
		return fmt.Errorf("%s: networks of this kind were trained by earlier versions, and nothing plays them any more; "+
			"train a new one (*%s): %w", file, nnue.Extension, err)
	}
	if errors.Is(err, net.ErrForeign) {
		return fmt.Errorf("%s: this is no network of Damier (*.nnue): %w", file, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// explainFolder returns an error for a folder given in place of a file; it names the newest
// network in it.
func explainFolder(folder string) error {
	isNetwork := func(name string) bool { return strings.HasSuffix(name, nnue.Extension) }
	for _, in := range []string{filepath.Join(folder, "models"), folder} {
		if names, err := files.List(in, isNetwork); err == nil && len(names) > 0 {
			newest := slices.Max(names)
			return fmt.Errorf("%s is a folder; its newest network is %s", folder, filepath.Join(in, newest))
		}
	}
	return fmt.Errorf("%s is a folder without networks (*%s); give the file of one", folder, nnue.Extension)
}

// VariantOf returns the variant of the first network file named in descriptions of players, nil if
// none names a file.
func VariantOf(players ...string) (*rules.Variant, error) {
	for _, text := range players {
		spec, err := ParseSpec(text)
		if err == nil && spec.File != "" {
			return FileVariant(spec.File)
		}
	}
	return nil, nil
}

// Variant returns the variant that a command plays: that of the flags, or if --variant was not
// given and file is not empty, that of the network in file. The options of the flags apply in both
// cases.
func Variant(name, options string, given bool, file string) (*rules.Variant, error) {
	if given || file == "" {
		return cli.Variant(name, options)
	}
	v, err := FileVariant(file)
	if err != nil || options == "" {
		return v, err
	}
	return cli.Variant(v.Name, options)
}
