package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// metafile is what esbuild tells of its outputs.
type metafile struct {
	Outputs map[string]output
}

type output struct {
	EntryPoint string
	Imports    []struct{ Path, Kind string }
	Inputs     map[string]struct{ BytesInOutput int }
}

// rename gives the files that bundles share names without hashes: each is named
// for the source that most of it is made of.
func (m *metafile) rename(root string) error {
	names := map[string]string{} // old to new
	taken := map[string]bool{}
	for _, old := range slices.Sorted(maps.Keys(m.Outputs)) {
		out := m.Outputs[old]
		main := out.EntryPoint
		for input, part := range out.Inputs {
			if most := out.Inputs[main].BytesInOutput; out.EntryPoint == "" &&
				(part.BytesInOutput > most || part.BytesInOutput == most && input < main) {
				main = input
			}
		}
		if main == "" {
			main = "runtime" // esbuild's own
		}
		name := strings.TrimSuffix(filepath.Base(main), filepath.Ext(main))
		if strings.HasPrefix(main, "src/texts/") {
			name = "texts-" + name // another source may have the name of its part
		}
		if out.EntryPoint == "" {
			name = "shared-" + name
		}
		if name += filepath.Ext(old); taken[name] {
			return fmt.Errorf("two bundles would be named %s", name)
		}
		taken[name], names[filepath.Base(old)] = true, name
	}
	replace := make([]string, 0, 2*len(names))
	for old, name := range names {
		replace = append(replace, `"./`+old+`"`, `"./`+name+`"`)
	}
	renamed := strings.NewReplacer(replace...)
	outputs := map[string]output{}
	for old, out := range m.Outputs {
		name := filepath.Join("dist", names[filepath.Base(old)])
		text, err := os.ReadFile(filepath.Join(root, old))
		if err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(root, old)); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(renamed.Replace(string(text))), 0o644); err != nil {
			return err
		}
		for i := range out.Imports {
			out.Imports[i].Path = filepath.Join("dist", names[filepath.Base(out.Imports[i].Path)])
		}
		outputs[name] = out
	}
	m.Outputs = outputs
	return nil
}

// entry returns the name of the file that was made of an entry point.
func (m *metafile) entry(source string) string {
	for name, out := range m.Outputs {
		if out.EntryPoint == source {
			return filepath.Base(name)
		}
	}
	panic("esbuild made nothing of " + source)
}

// first lists the files that load with the page: the entries and what they
// import at once.
func (m *metafile) first(entries ...string) []string {
	seen := map[string]bool{}
	for len(entries) > 0 {
		name := entries[0]
		entries = entries[1:]
		if seen[name] {
			continue
		}
		seen[name] = true
		for _, imp := range m.Outputs["dist/"+name].Imports {
			if imp.Kind == "import-statement" {
				entries = append(entries, filepath.Base(imp.Path))
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// manifest is the JSON that describes dist to Go.
func (m *metafile) manifest(sources, script, style string) string {
	text, err := json.MarshalIndent(map[string]any{
		"sources": sources, "first_load": m.first(script, style),
	}, "", "  ")
	if err != nil {
		panic(err) // strings alone
	}
	return string(text) + "\n"
}

// licences returns the licence texts of every package that is in a bundle.
func (m *metafile) licences(root string) (string, error) {
	packages := map[string]bool{}
	for _, out := range m.Outputs {
		for input := range out.Inputs {
			if name := packageOf(input); name != "" {
				packages[name] = true
			}
		}
	}
	var text strings.Builder
	text.WriteString("The page contains these libraries.\n")
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		dir := filepath.Join(root, "node_modules", name)
		var about struct{ Version, License string }
		data, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(data, &about); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(&text, "\n%s\n%s %s (%s)\n\n", strings.Repeat("-", 72), name, about.Version, about.License)
		files, err := filepath.Glob(filepath.Join(dir, "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			text.WriteString(strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")) + "\n")
		}
	}
	return text.String(), nil
}

// packageOf returns the npm package that a source file belongs to; empty: none.
func packageOf(input string) string {
	_, rest, ok := strings.Cut(input, "node_modules/")
	if !ok {
		return ""
	}
	parts := strings.SplitN(rest, "/", 3)
	if strings.HasPrefix(rest, "@") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
