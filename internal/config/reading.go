package config

import "github.com/goccy/go-yaml/ast"

// readingKeys are a table's keys for reading text files. They have the names of
// the flags of 'da table'.
type readingKeys struct {
	Reading
	given []readingKey
}

// readingKey is one value and its place.
type readingKey struct {
	key, value string
	at         position
}

// fields read the keys. Whether their values are right is for the source's type
// to say: see check.
func (k *readingKeys) fields(p *instanceReader) []field {
	text := func(key string, dst *string) field {
		return field{key, func(n ast.Node) {
			p.text(dst, notEmptyOrBlank)(n)
			k.given = append(k.given, readingKey{key, *dst, nodePosition(n)})
		}}
	}
	return []field{
		text("delimiter", &k.Delimiter), text("encoding", &k.Encoding), text("date_format", &k.DateFormat),
		{"no_header", func(n ast.Node) {
			p.boolean(&k.NoHeader)(n)
			k.given = append(k.given, readingKey{"no_header", "true", nodePosition(n)})
		}},
		{"header_line", func(n ast.Node) {
			p.integer(&k.HeaderLine, 1, 1_000_000)(n)
			k.given = append(k.given, readingKey{"header_line", "", nodePosition(n)})
		}},
		{"types", func(n ast.Node) {
			k.Types = map[string]string{}
			k.given = append(k.given, readingKey{"types", "", nodePosition(n)})
			for _, e := range p.entries(n, "types") {
				name := ""
				if p.plain(e.value) {
					p.text(&name, notEmpty)(e.value)
				}
				k.Types[e.key] = name
				k.given = append(k.given, readingKey{"types", name, nodePosition(e.value)})
			}
		}},
	}
}

// notEmptyOrBlank is a check for texts that can be a single blank or tab.
func notEmptyOrBlank(s string) string {
	if s == "" {
		return notEmpty(s)
	}
	return ""
}

// check validates the keys with the source's type, and returns the reading; nil
// if no key is given. path is empty if it has a fault of its own.
func (k *readingKeys) check(p *instanceReader, source, path string) *Reading {
	t := p.sources[source]
	if len(k.given) == 0 || t == nil { // the source has a fault of its own
		return nil
	}
	told := map[string]bool{}
	for _, g := range k.given {
		right := ""
		switch {
		case t.CheckReading == nil:
			right = "a table of a " + string(t.Type) + " source has no " + g.key + ", which is for files of text"
		case path != "":
			right = t.CheckReading(path, g.key, g.value)
		}
		if right != "" && !told[right] {
			told[right] = true
			p.faultAt(g.at, "%s", right)
		}
	}
	return &k.Reading
}
