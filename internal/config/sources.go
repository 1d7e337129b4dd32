package config

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// readSources reads the sources: a mapping of names to what they are.
func (p *instanceReader) readSources(n ast.Node) {
	for _, e := range p.entries(n, "sources") {
		if err := api.CheckName("source name", e.key); err != nil {
			p.faultAt(e.keyAt, "%s: 1 to 64 lower-case ASCII letters, digits and underscores", err)
		}
		p.sources[e.key] = nil
		if !p.plain(e.value) {
			continue
		}
		src := Source{
			Name: e.key,
			At:   fmt.Sprintf("%s:%d:%d", p.file, e.keyAt.line, e.keyAt.column),
			Text: map[string]string{}, Size: map[string]int64{},
		}
		p.readSource(&src, e)
		p.inst.Sources = append(p.inst.Sources, src)
	}
}

// readSource reads one source. Its type decides its other keys.
func (p *instanceReader) readSource(src *Source, e entry) {
	entries := p.entries(e.value, fmt.Sprintf("source %q", src.Name))
	var t *SourceType
	given := false
	for _, k := range entries {
		if k.key == "type" && p.plain(k.value) {
			given = true
			p.text(new(string), func(name string) string {
				t = p.sourceType(name)
				return p.checkType(name, t)
			})(k.value)
		}
	}
	if !given {
		p.faultAt(e.keyAt, "source %q has no type; %s", src.Name, choose("", p.typeNames()))
	}
	if t == nil {
		return
	}
	src.Type = t.Type
	p.sources[src.Name] = t
	p.readKeys(src, e.keyAt, entries, t)
}

func (p *instanceReader) checkType(name string, t *SourceType) string {
	if t == nil {
		return fmt.Sprintf("unknown source type %q; %s", name, choose(name, p.typeNames()))
	}
	return ""
}

// readKeys reads the keys that the source's type has.
func (p *instanceReader) readKeys(src *Source, at position, entries []entry, t *SourceType) {
	fields := []field{{"type", func(ast.Node) {}}}
	for _, k := range t.Keys {
		fields = append(fields, field{k.Name, p.sourceKey(src, k)})
	}
	seen := p.readFields(entries, fields)
	for _, k := range t.Keys {
		if _, ok := seen[k.Name]; k.Required && !ok {
			p.faultAt(at, "source %q of type %s needs %s", src.Name, t.Type, k.Name)
		}
	}
	for _, group := range t.OneOf {
		n := 0
		for _, k := range group {
			if _, ok := seen[k]; ok {
				n++
			}
		}
		if n != 1 {
			p.faultAt(at, "source %q of type %s needs exactly one of %s", src.Name, t.Type, strings.Join(group, ", "))
		}
	}
}

func (p *instanceReader) sourceKey(src *Source, k Key) func(ast.Node) {
	return func(n ast.Node) {
		if k.Kind == Size {
			if v := p.bytes(n); v > 0 {
				src.Size[k.Name] = v
			}
			return
		}
		s := ""
		p.text(&s)(n)
		switch {
		case s == "" && k.Required && n.Type() == ast.StringType:
			p.faultAt(nodePosition(n), "must not be empty")
		case s == "":
		case k.Kind == Path, k.Kind == Dir, k.Kind == File:
			src.Text[k.Name] = p.absolute(s)
			p.checkPath(k, s, src.Text[k.Name], nodePosition(n))
		default:
			src.Text[k.Name] = s
		}
	}
}

// checkPath checks what a path refers to, if it has to exist.
func (p *instanceReader) checkPath(k Key, written, path string, at position) {
	info, err := os.Stat(path)
	switch {
	case k.Kind == Dir && (err != nil || !info.IsDir()):
		p.faultAt(at, "there is no folder %s; paths are relative to this file's folder", written)
	case k.Kind == File && (err != nil || info.IsDir()):
		p.faultAt(at, "%s: there is no file %s; paths are relative to this file's folder", k.Name, written)
	case k.Kind == File && k.Check != nil:
		if fault := k.Check(path); fault != "" {
			p.faultAt(at, "%s: %s %s", k.Name, written, fault)
		}
	}
}

var sizePattern = lazyregexp.New(`^([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([KMGT]?B|[KMGT]iB)$`)

// bytes reads a number of bytes with its unit; 0 after a fault.
func (p *instanceReader) bytes(n ast.Node) int64 {
	s := ""
	if n.Type() == ast.StringType {
		s = n.GetToken().Value
	}
	m := sizePattern().FindStringSubmatch(s)
	if m == nil {
		p.faultAt(nodePosition(n), "must be a size with its unit, as in 512MB or 1GiB")
		return 0
	}
	v, err := strconv.ParseFloat(m[1], 64)
	base := 1000.0
	if strings.HasSuffix(m[2], "iB") {
		base = 1024
	}
	v *= math.Pow(base, float64(strings.Index("BKMGT", m[2][:1])))
	if err != nil || v < 1 || v > 1<<53 {
		p.faultAt(nodePosition(n), "must be a size from 1B to 9000TB")
		return 0
	}
	return int64(v)
}

func (p *instanceReader) sourceType(name string) *SourceType {
	if name == "mysql" { // what the type was called before 0.1.0
		name = string(api.SourceMariaDB)
	}
	for i := range p.types {
		if string(p.types[i].Type) == name {
			return &p.types[i]
		}
	}
	return nil
}

func (p *instanceReader) typeNames() []string {
	var names []string
	for _, t := range p.types {
		names = append(names, string(t.Type))
	}
	return names
}
