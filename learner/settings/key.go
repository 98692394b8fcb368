package settings

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// key is one value of a configuration.
type key struct{ v reflect.Value }

// String returns the value as TOML.
func (k key) String() string {
	switch k.v.Kind() {
	case reflect.String:
		return quote(k.v.String())
	case reflect.Slice:
		parts := make([]string, k.v.Len())
		for i := range parts {
			parts[i] = quote(k.v.Index(i).String())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Float32, reflect.Float64:
		s := strconv.FormatFloat(k.v.Float(), 'g', -1, k.v.Type().Bits())
		if !strings.ContainsAny(s, ".eNI") {
			s += ".0"
		}
		return s
	}
	return fmt.Sprint(k.v.Interface())
}

// quote returns a string in the syntax of TOML.
func quote(s string) string { return strconv.Quote(s) }

// set reads the value from text; a list is separated by commas.
func (k key) set(text string) error {
	switch k.v.Kind() {
	case reflect.String:
		k.v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		k.v.SetBool(b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, k.v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		k.v.SetInt(n)
	case reflect.Uint8, reflect.Uint64:
		n, err := strconv.ParseUint(text, 10, k.v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number from 0 on", text)
		}
		k.v.SetUint(n)
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(text, k.v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		k.v.SetFloat(f)
	case reflect.Slice:
		var list []string
		if text != "" {
			list = strings.Split(text, ",")
		}
		k.v.Set(reflect.ValueOf(list))
	default:
		panic("learner: configuration field of a kind without a text form")
	}
	return nil
}

// flatten returns every value of the configuration by its dotted key.
func flatten(c *Config) map[string]key {
	keys := map[string]key{}
	walk(reflect.ValueOf(c).Elem(), "", func(k string, v reflect.Value) { keys[k] = key{v} })
	return keys
}

// orderedKeys returns the keys in the order of the structs, plain values of a section before its
// tables.
func orderedKeys(c *Config) []string {
	var order []string
	walk(reflect.ValueOf(c).Elem(), "", func(k string, _ reflect.Value) { order = append(order, k) })
	section := func(k string) string { return k[:max(strings.LastIndex(k, "."), 0)] }
	first := map[string]int{}
	for i, k := range order {
		if _, ok := first[section(k)]; !ok {
			first[section(k)] = i
		}
	}
	slices.SortStableFunc(order, func(a, b string) int {
		if (section(a) == "") != (section(b) == "") {
			return strings.Compare(section(a), section(b))
		}
		return first[section(a)] - first[section(b)]
	})
	return order
}

func walk(v reflect.Value, prefix string, visit func(string, reflect.Value)) {
	walkFields(v, prefix, func(k, _ string, v reflect.Value) { visit(k, v) })
}

// walkFields visits every value with its key and the name of its field.
func walkFields(v reflect.Value, prefix string, visit func(key, field string, v reflect.Value)) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if tag == "-" || !f.IsExported() {
			continue
		}
		if tag == "" {
			panic("learner: configuration field without a toml tag: " + v.Type().String() + "." + f.Name)
		}
		if f.Type.Kind() == reflect.Struct {
			walkFields(v.Field(i), prefix+tag+".", visit)
		} else {
			visit(prefix+tag, f.Name, v.Field(i))
		}
	}
}

// envKey returns the key that an environment variable names: SELFPLAY_MCTS_C_PUCT is
// selfplay.mcts.c_puct.
func envKey(name string, keys map[string]key) string {
	for k := range keys {
		if strings.ToUpper(strings.ReplaceAll(k, ".", "_")) == name {
			return k
		}
	}
	return ""
}

// nearest suggests the known key that has the same end as the unknown one, or is most similar.
func nearest(unknown string, keys map[string]key) string {
	best, most := "", 3
	for _, k := range sortedKeys(keys) {
		n := 0
		for n < len(k) && n < len(unknown) && k[n] == unknown[n] {
			n++
		}
		if last := k[strings.LastIndex(k, ".")+1:]; last == unknown[strings.LastIndex(unknown, ".")+1:] {
			n += len(last) + 1
		}
		if n > most {
			best, most = k, n
		}
	}
	if best == "" {
		return "; `train config` lists the keys"
	}
	return fmt.Sprintf("; did you mean %q? `train config` lists the keys", best)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
