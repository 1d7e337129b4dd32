package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

// Setting is a key of the client config; one of a section is named section.key.
type Setting struct {
	Name, Type string // Type is text, number or boolean
	// Default is the value if the file has none; may be empty.
	Default, About string
}

// Settings are all keys of the client config, as ParseClient reads them.
func Settings() []Setting {
	return []Setting{
		{"server", "text", "", "URL of the server that is asked; without one an instance file is read"},
		{"snapshot_quota_gb", "number", "10", "warn when snapshots take more GB than this"},
		{"snapshot_stale_warn_days", "number", "7", "warn when a query uses an older snapshot; 0: never"},
		{"fetch_default_estimate", "boolean", "true", "show an estimate before each fetch"},
		{"files.max_file_mb", "number", "50", "refuse larger files in the workspace"},
		{"files.max_total_mb", "number", "1000", "MB for the workspace, with older versions"},
		{"files.download_hosts", "text", "", "hosts that files are downloaded from, with commas between; *.example.com, or * for any"},
		{"query.fetch", "text", "off", "auto: queries fetch what they need of tables that are not here; or off"},
		{"query.fetch_max_bytes", "number", "1000000000", "most bytes that one such query reads at the source"},
		{"parts_quota_gb", "number", "5", "room for what queries have fetched"},
		{"search.vectors", "text", "", "file of word vectors, by which searches on this machine find words of similar meaning"},
		{"agent.provider", "text", "", "who answers questions: " + strings.Join(modelProviders, ", ")},
		{"agent.model", "text", "", "name of the model"},
		{"agent.base_url", "text", "", "where the provider is, if not at its own address"},
		{"agent.api_key_env", "text", "", "environment variable that holds the provider's key"},
		{"agent.api_key_file", "text", "", "file that holds the provider's key"},
		{"agent.input_price", "number", "", "USD for a million tokens that are sent"},
		{"agent.output_price", "number", "", "USD for a million tokens of replies"},
		{"agent.cache_read_price", "number", "", "USD for a million tokens that the provider has kept"},
		{"agent.cache_write_price", "number", "", "USD for a million tokens that the provider is to keep"},
		{"agent.budget", "number", "", "most USD that a conversation may cost"},
		{"agent.apply", "text", "", "glob of files that the model may change without a person applying it"},
		{"agent.python", "text", "on", "whether the model may run Python, where this machine can isolate it: on or off"},
		{"agent.python_path", "text", "", "python3 that the model runs; default: the first of PATH that has pandas, else the first"},
		{"agent.python_disk_mb", "number", "2000", "MB that the Python of a conversation may have on disk"},
		{"agent.values", "text", "sent", "hidden: the model is sent no values of the data, only names, types and counts; or sent"},
		{"agent.reuse", "text", "off", "approved: an approved question that is asked again is answered without the model; or off"},
		{"agent.daily_budget", "number", "", "most USD that the model may cost a user of a server in a day"},
		{"agent.max_tool_calls", "number", "", "most calls of tools in a turn"},
		{"agent.max_turns", "number", "", "most turns of a conversation"},
		{"agent.tool_timeout_seconds", "number", "", "most seconds of one call of a tool"},
		{"agent.turn_timeout_seconds", "number", "", "most seconds of a turn"},
		{"agent.max_tokens", "number", "", "most tokens of a conversation"},
		{"agent.max_reply_tokens", "number", "", "most tokens of a reply"},
		{"agent.compact_tokens", "number", "", "tokens from which older parts are summed up"},
		{aliasPrefix + "NAME", "text", "", "the command that 'da NAME' stands for, as in: snapshot list -o csv"},
	}
}

// aliasPrefix starts the keys of aliases, which users name.
const aliasPrefix = "alias."

// alias is the setting of one alias.
func alias(name string) Setting {
	return Setting{aliasPrefix + name, "text", "", "what 'da " + name + "' stands for"}
}

// SettingsOf returns the settings, with the aliases in values in place of the row
// that represents all aliases.
func SettingsOf(values map[string]any) []Setting {
	all := Settings()
	all = all[:len(all)-1]
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if short, ok := strings.CutPrefix(name, aliasPrefix); ok {
			all = append(all, alias(short))
		}
	}
	return all
}

// FindSetting returns the setting of a name.
func FindSetting(name string) (Setting, error) {
	if short, ok := strings.CutPrefix(name, aliasPrefix); ok {
		if right := CheckAlias(short); right != "" {
			return Setting{}, &api.Error{Code: api.CodeUsage, Message: right}
		}
		return alias(short), nil
	}
	var names []string
	for _, k := range Settings() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	e := &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("there is no key '%s'", api.Clip(name, 60)),
		Hint: "Run 'da config list' to see all keys."}
	if near := suggest.Near(name, names); len(near) > 0 {
		e.Hint = "Did you mean '" + near[0] + "'?"
	}
	return Setting{}, e
}

// Values are the values that a client config has, by the names of keys, as it
// writes them.
func Values(file string, data []byte) (map[string]any, error) {
	if _, err := ParseClient(file, data); err != nil {
		return nil, err
	}
	return written(data), nil
}

// written are the values of a client config, whatever is wrong with them; nil of a file
// that is not YAML.
func written(data []byte) map[string]any {
	var top map[string]any
	if yaml.Unmarshal(data, &top) != nil {
		return nil
	}
	values := map[string]any{}
	for _, k := range Settings() {
		section, name, nested := strings.Cut(k.Name, ".")
		value, has := top[section]
		if inner, ok := value.(map[string]any); nested && ok {
			value, has = inner[name]
		} else if nested {
			has = false
		}
		if has && value != nil {
			values[k.Name] = value
		}
	}
	if aliases, ok := top["alias"].(map[string]any); ok {
		for name, value := range aliases {
			values[aliasPrefix+name] = value
		}
	}
	return values
}

// Edited returns a client config with a changed key; the key is removed if the
// value is nil. All other lines stay unchanged. What is wrong with the file before is
// an error only if the change does not make it less.
func Edited(file string, data []byte, k Setting, value *string) ([]byte, error) {
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(data) == 0 {
		lines = nil
	}
	section, name, nested := strings.Cut(k.Name, ".")
	from, to, indent := 0, len(lines), ""
	if nested {
		if at := keyLine(lines, 0, len(lines), "", section); at >= 0 {
			from, to, indent = sectionOf(lines, at)
		} else if value != nil {
			lines = append(lines, section+":")
			from, to, indent = len(lines), len(lines), "  "
		} else {
			return data, nil
		}
	} else {
		name = section
	}
	at := keyLine(lines, from, to, indent, name)
	switch {
	case at < 0 && value == nil:
		return data, nil
	case value == nil:
		lines = slices.Delete(lines, at, at+1)
	default:
		line := indent + name + ": " + scalar(k, *value)
		if at < 0 {
			lines = slices.Insert(lines, to, line)
		} else {
			lines[at] = line + comment(lines[at])
		}
	}
	out := []byte(strings.Join(lines, "\n") + "\n")
	if _, err := ParseClient(file, out); err != nil && countFaults(file, out) >= countFaults(file, data) {
		return nil, err
	}
	before, after := written(data), written(out)
	has := after[k.Name] != nil
	delete(before, k.Name)
	delete(after, k.Name)
	if has != (value != nil) || before != nil && fmt.Sprint(after) != fmt.Sprint(before) {
		return nil, &api.Error{Code: api.CodeConfig, Message: fmt.Sprintf("%s writes '%s' in a way that cannot be changed line by line", file,
			k.Name), Hint: "Change it in an editor."}
	}
	return out, nil
}

// countFaults counts what is wrong with a client config.
func countFaults(file string, data []byte) int {
	_, err := ParseClient(file, data)
	var e *api.Error
	if !errors.As(err, &e) {
		return 0
	}
	faults, _ := e.Details["faults"].([]Fault)
	return len(faults)
}

// keyLine returns the line of a key with an indent, between two lines; -1 if
// there is no such line.
func keyLine(lines []string, from, to int, indent, name string) int {
	for i := from; i < to; i++ {
		if rest, ok := strings.CutPrefix(lines[i], indent+name); ok && strings.HasPrefix(strings.TrimLeft(rest, " "), ":") {
			return i
		}
	}
	return -1
}

// sectionOf is the lines of a section, and how they are indented.
func sectionOf(lines []string, at int) (from, to int, indent string) {
	from, indent = at+1, "  "
	for to = from; to < len(lines); to++ {
		text := strings.TrimLeft(lines[to], " ")
		if text == "" || text[0] == '#' {
			continue
		}
		if len(text) == len(lines[to]) {
			break
		}
		indent = lines[to][:len(lines[to])-len(text)]
	}
	for to > from && (strings.TrimSpace(lines[to-1]) == "" || lines[to-1][0] == '#') {
		to-- // comments before the next section belong to that section
	}
	return from, to, indent
}

// scalar writes a value; texts are quoted, so that they are not mistaken for
// numbers.
func scalar(k Setting, value string) string {
	if k.Type != "text" {
		return value
	}
	return fmt.Sprintf("%q", value)
}

// comment returns the comment at the end of a line.
func comment(line string) string {
	if _, text, ok := strings.Cut(line, " #"); ok && !strings.ContainsAny(text, `"'`) {
		return " #" + text
	}
	return ""
}
