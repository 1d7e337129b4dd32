package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Pair is a key of a source, and its value.
type Pair struct{ Key, Value string }

// SourceLine writes a source as one line of an instance file, without its indent.
func SourceLine(name string, keys []Pair) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = k.Key + ": " + quoted(k.Value)
	}
	return name + ": { " + strings.Join(parts, ", ") + " }"
}

// quoted writes a value, in quotes if YAML needs them.
func quoted(value string) string {
	if !bare().MatchString(value) || slices.Contains([]string{"true", "false", "null"}, value) {
		return fmt.Sprintf("%q", value)
	}
	return value
}

// bare are values that need no quotes in YAML.
var bare = lazyregexp.New(`^(?:[a-z]{4,}[a-z_]*|[A-Z][A-Z0-9]*_[A-Z0-9_]*|\./[\w./-]*)$`)

// AddSource returns an instance file with a line for another source, and what it
// says. All other lines stay as they are. data is empty if there is no file yet.
func AddSource(file string, data []byte, name string, keys []Pair, types []SourceType) ([]byte, *Instance, error) {
	before, err := ParseInstance(file, data, types)
	if len(data) == 0 {
		before, err = ParseInstance(file, []byte("sources:\n"), types)
	}
	if err != nil {
		return nil, nil, err
	}
	line := SourceLine(name, keys)
	if i := slices.IndexFunc(before.Sources, func(s Source) bool { return s.Name == name }); i >= 0 {
		return nil, nil, &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there is a source %s already, at %s", name, before.Sources[i].At),
			Hint: "Give the new one another name."}
	}
	if _, err := ParseInstance(file, []byte("sources:\n  "+line), types); err != nil {
		return nil, nil, err
	}
	text := withSource(string(data), line)
	after, err := ParseInstance(file, []byte(text), types)
	if err != nil || !onlyMore(*before, *after, name) {
		return nil, nil, &api.Error{Code: api.CodeConfig,
			Message: fmt.Sprintf("%s writes its sources in a way that cannot be added to line by line", file),
			Hint:    "Add this below 'sources' in an editor: " + line}
	}
	return []byte(text), after, nil
}

// SetModel returns an instance file that names a semantic model, in place of another. All
// other lines stay as they are.
func SetModel(file string, data []byte, model string, types []SourceType) ([]byte, error) {
	before, err := ParseInstance(file, data, types)
	if err != nil {
		return nil, err
	}
	end, line := "\n", "model: "+quoted(model)
	if strings.Contains(string(data), "\r\n") {
		end = "\r\n"
	}
	lines := strings.Split(strings.TrimSuffix(string(data), end), end)
	if at := keyLine(lines, 0, len(lines), "", "model"); at >= 0 {
		lines[at] = line
	} else {
		lines = append(lines, line)
	}
	text := []byte(strings.Join(lines, end) + end)
	after, err := ParseInstance(file, text, types)
	if err == nil {
		before.SemanticModel = after.SemanticModel
	}
	if err != nil || !reflect.DeepEqual(before, after) {
		return nil, &api.Error{Code: api.CodeConfig, Message: file + " is written in a way that cannot be added to line by line",
			Hint: "Write this into it in an editor: " + line}
	}
	return text, nil
}

// withSource adds a line at the end of the sources.
func withSource(text, line string) string {
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end, text = "\r\n", strings.ReplaceAll(text, "\r\n", "\n")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		lines = nil
	}
	at := keyLine(lines, 0, len(lines), "", "sources")
	if at < 0 {
		lines = append(lines, "sources:")
		at = len(lines) - 1
	}
	lines[at] = strings.Replace(lines[at], "{}", "", 1)
	_, to, _ := sectionOf(lines, at)
	indent := "  "
	for _, l := range lines[at+1 : to] {
		if text := strings.TrimLeft(l, " "); text != "" && text[0] != '#' {
			indent = l[:len(l)-len(text)] // of the first
			break
		}
	}
	return strings.Join(slices.Insert(lines, to, indent+line), end) + end
}

// onlyMore reports whether an instance says what another one did, and has a source of
// a name behind the others.
func onlyMore(before, after Instance, name string) bool {
	last := len(after.Sources) - 1
	if last < 0 || last != len(before.Sources) || after.Sources[last].Name != name {
		return false
	}
	after.Sources = slices.Clone(after.Sources[:last])
	before.Sources = slices.Clone(before.Sources)
	for i := range before.Sources { // lines may have moved
		before.Sources[i].At, after.Sources[i].At = "", ""
	}
	if last == 0 {
		before.Sources, after.Sources = nil, nil
	}
	return reflect.DeepEqual(before, after)
}
