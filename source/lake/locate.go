package lake

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// location is where in the files an error was found.
type location struct {
	file string // below the root; empty if unknown
	line int64  // 0 if unknown
	// rest is the engine's message without the server's paths.
	rest string
}

// String names the place.
func (p location) String() string {
	if p.line > 0 {
		return fmt.Sprintf("%s line %d", p.file, p.line)
	}
	return p.file
}

func (p location) details() map[string]any {
	d := map[string]any{"file": p.file}
	if p.line > 0 {
		d["line"] = p.line
	}
	return d
}

// linePattern matches the line number in the engine's messages about CSV and
// JSON.
var linePattern = lazyregexp.New(`(?i)\b(?:on line:|in line|in record/value|in record) (\d+)`)

// locate extracts file and line from the engine's message, which is the only
// place that has them. They are for the message only; they never decide what an
// error means.
func (l *Lake) locate(t *table, said string) location {
	p := location{rest: l.withoutPaths(said)}
	if t == nil {
		return p
	}
	names := l.linked.FindStringSubmatch(said)
	if names == nil {
		return p
	}
	if i, err := strconv.Atoi(names[1]); err == nil && i < len(t.set.files) {
		p.file = t.set.files[i].rel
		p.rest = l.withoutPaths(l.linked.ReplaceAllLiteralString(said, p.file))
	}
	if p.file == "" || t.set.format.Kind == format.Parquet {
		return p
	}
	if m := linePattern().FindStringSubmatch(said); m != nil {
		p.line, _ = strconv.ParseInt(m[1], 10, 64) // digits; too many overflow to 0
	}
	return p
}

// withoutPaths removes the server's folders from a text.
func (l *Lake) withoutPaths(said string) string {
	said = l.linked.ReplaceAllLiteralString(said, "a file")
	for _, dir := range []string{l.dir, l.tempDir} {
		if dir != "" && dir != string(filepath.Separator) {
			said = strings.ReplaceAll(said, dir+string(filepath.Separator), "")
			said = strings.ReplaceAll(said, dir, ".")
		}
	}
	return said
}

// abs is a file's path on the server.
func (l *Lake) abs(f file) string { return filepath.Join(l.dir, filepath.FromSlash(f.place)) }
