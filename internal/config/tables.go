package config

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// readTables reads the list of tables.
func (p *instanceReader) readTables(n ast.Node) {
	first := map[string]position{}
	for _, item := range p.list(n) {
		p.readTable(item, first)
	}
}

// readTable reads one table; first has the first position of each id.
func (p *instanceReader) readTable(n ast.Node, first map[string]position) {
	t := Table{QueryMode: api.ModeRemote}
	mode := string(t.QueryMode)
	file, relation := "", ""
	at := nodePosition(n)
	entries := p.entries(n, "a table")
	var text readingKeys
	seen := p.readFields(entries, append(text.fields(p), []field{
		{"id", p.text(&t.ID, checkID)},
		{"name", p.text(&t.Name, notEmpty)},
		{"source", p.text(&t.Source, p.checkSource)},
		{"path", p.text(&file, CheckPath)},
		{"relation", p.text(&relation, checkRelation)},
		{"query_mode", p.text(&mode, checkMode)},
		{"description", p.text(&t.Description)},
		{"public", p.boolean(&t.Public)},
		{"label", p.text(&t.Label, checkLabel)},
		{"where_examples", p.texts(&t.WhereExamples)},
		{"refresh_every_seconds", p.seconds(&t.RefreshEvery, 1)},
	}...))
	for _, key := range []string{"id", "source"} {
		if _, ok := seen[key]; !ok && n.Type() != ast.NullType {
			p.faultAt(at, "a table needs %s", key)
		}
	}
	if n.Type() == ast.NullType {
		p.faultAt(at, "an empty item; a table needs id, source and path or relation")
	}
	p.checkTableKey(t.Source, at, seen)
	t.Reading = text.check(p, t.Source, file)
	if pos, ok := seen["refresh_every_seconds"]; ok && mode == string(api.ModeRemote) {
		p.faultAt(pos, "refresh_every_seconds is for tables with query_mode: local")
	}
	if t.ID != "" {
		if pos, dup := first[t.ID]; dup {
			p.faultAt(seen["id"], "table id %q is there twice; the first is in line %d", t.ID, pos.line)
			return
		}
		first[t.ID] = seen["id"]
	}
	t.Relation = file + relation // one of them is empty, or there is a fault
	t.QueryMode = api.QueryMode(mode)
	t.Description = strings.TrimSpace(t.Description) // block texts end with a newline
	if t.Name == "" {
		t.Name = t.ID
	}
	p.inst.Tables = append(p.inst.Tables, t)
}

// checkTableKey requires the key with which the source's type names relations,
// and rejects any other.
func (p *instanceReader) checkTableKey(source string, at position, seen map[string]position) {
	t := p.sources[source]
	if t == nil {
		return // the source has a fault of its own
	}
	for _, key := range []string{"path", "relation"} {
		pos, given := seen[key]
		switch {
		case key == t.TableKey && !given:
			p.faultAt(at, "a table of a %s source needs %s", t.Type, key)
		case key != t.TableKey && given:
			p.faultAt(pos, "a table of a %s source has %s, not %s", t.Type, t.TableKey, key)
		}
	}
}

func checkID(s string) string {
	if err := api.CheckName("table id", s); err != nil {
		return err.Error() + "; ids are 1 to 64 lower-case ASCII letters, digits and underscores"
	}
	return ""
}

func (p *instanceReader) checkSource(s string) string {
	if _, ok := p.sources[s]; ok {
		return ""
	}
	names := make([]string, 0, len(p.sources))
	for name := range p.sources {
		names = append(names, name)
	}
	if len(names) == 0 {
		return fmt.Sprintf("unknown source %q; the file has no sources", s)
	}
	return fmt.Sprintf("unknown source %q; %s", s, choose(s, names))
}

// CheckPath returns what is wrong with the path pattern of a lake table, or "". A
// pattern is relative to the lake's root, with forward slashes, and never leads
// out of it.
func CheckPath(s string) string {
	switch {
	case notEmpty(s) != "":
		return notEmpty(s)
	case !utf8.ValidString(s) || strings.ContainsRune(s, 0):
		return "a path must be text without NUL characters"
	case path.IsAbs(s) || strings.Contains(s, `\`) || hasDrive(s):
		return fmt.Sprintf("%q must be relative to the source's root, with forward slashes", s)
	}
	for _, part := range strings.Split(s, "/") {
		switch part {
		case "..":
			return fmt.Sprintf("%q leads out of the source's root; paths stay below it", s)
		case "", ".":
			return fmt.Sprintf("%q has an empty part; write each folder once, as in a/b.parquet", s)
		}
	}
	return ""
}

// hasDrive recognises the drive letters of Windows on every system: an
// instance file means the same everywhere.
func hasDrive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

var labelPattern = lazyregexp.New(`^[a-z0-9_-]{1,32}$`)

func checkRelation(s string) string {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	if n := utf8.RuneCountInString(s); n == 0 || n > 512 || strings.ContainsFunc(s, control) {
		return "a relation is the table's name in its source, as in public.orders"
	}
	return ""
}

func checkMode(s string) string {
	modes := []string{string(api.ModeRemote), string(api.ModeLocal)}
	if s == modes[0] || s == modes[1] {
		return ""
	}
	return fmt.Sprintf("unknown query_mode %q; %s", s, choose(s, modes))
}

func checkLabel(s string) string {
	if !labelPattern().MatchString(s) {
		return "a label is 1 to 32 lower-case ASCII letters, digits, hyphens and underscores"
	}
	return ""
}
