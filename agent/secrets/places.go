package secrets

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Places has texts name folders of this machine by other names. The zero value
// changes nothing.
type Places struct {
	folders *regexp.Regexp
	names   map[string]string
}

// NewPlaces returns the names of folders: of the deepest that holds a path. Paths
// below a folder that is named "" are taken from there. Folders near the root are
// ignored, as texts of other machines name them, too.
func NewPlaces(names map[string]string) Places {
	p := Places{names: map[string]string{}}
	var folders []string
	for folder, name := range names {
		if folder = strings.TrimRight(folder, "/"); len(folder) > len("/x") {
			p.names[folder] = name
			folders = append(folders, regexp.QuoteMeta(folder))
		}
	}
	if len(folders) > 0 {
		slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
		p.folders = regexp.MustCompile(strings.Join(folders, "|"))
	}
	return p
}

// Hide returns a text in which the folders have their names.
func (p Places) Hide(text string) string {
	if p.folders == nil {
		return text
	}
	var b strings.Builder
	done := 0
	for _, at := range p.folders.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		behind, _ := utf8.DecodeRuneInString(text[at[1]:])
		if inPath(before) || before == '/' || inPath(behind) {
			continue // part of another path
		}
		name, end := p.names[text[at[0]:at[1]]], at[1]
		if name == "" && behind == '/' {
			end++
		} else if name == "" {
			name = "."
		}
		b.WriteString(text[done:at[0]] + name)
		done = end
	}
	return b.String() + text[done:]
}

func inPath(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-~.", r))
}
