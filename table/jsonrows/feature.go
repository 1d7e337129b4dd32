package jsonrows

import (
	"bytes"
	"encoding/json"
	"strings"
)

// members passes over the members of a collection: up to its features, or
// behind them to its end.
func (r *Reader) members(behind bool) error {
	for first := !behind; ; first = false {
		c, err := r.peek()
		if err != nil {
			return r.unclosed(err, "the collection is not closed")
		}
		if c == '}' {
			r.pos++
			if behind {
				return nil
			}
			return r.fault("the collection has no list of features")
		}
		if !first {
			if _, err := r.expect(","); err != nil {
				return err
			}
		}
		name, err := r.key()
		if err != nil {
			return err
		}
		if name == "features" && !behind {
			_, err := r.expect("[")
			return err
		}
		if name != "type" {
			r.passed = append(r.passed, name)
		}
		if _, _, err := r.value(); err != nil {
			return err
		}
	}
}

// member is one member of an object, its value as it is written.
type member struct {
	name  string
	value []byte
}

// membersOf returns the members of an object.
func (r *Reader) membersOf(object []byte) ([]member, error) {
	in := &Reader{buf: object, end: len(object), eof: true, line: r.line, layout: Lines}
	if _, err := in.expect("{"); err != nil {
		return nil, err
	}
	var out []member
	for sep := "\"}"; ; sep = ",}" {
		c, err := in.expect(sep)
		if err != nil || c == '}' {
			return out, err
		}
		if c == '"' {
			in.pos--
		}
		name, err := in.key()
		if err != nil {
			return nil, err
		}
		from, until, err := in.value()
		if err != nil {
			return nil, err
		}
		out = append(out, member{name, in.buf[from:until]})
	}
}

// feature makes a row from a feature: first its other members such as id, under
// names such as feature_id, then its properties, and its geometry last. A
// property with one of these names is renamed.
func (r *Reader) feature(row []byte) ([]byte, error) {
	parts, err := r.membersOf(row)
	if err != nil {
		return nil, err
	}
	var own, properties, geometry []member
	for _, m := range parts {
		switch m.name {
		case "type":
		case "properties":
			if bytes.Equal(m.value, []byte("null")) {
				continue
			}
			if properties, err = r.membersOf(m.value); err != nil {
				return nil, err
			}
		case "geometry":
			geometry = []member{m}
		default:
			own = append(own, member{"feature_" + m.name, m.value})
		}
	}
	r.out = append(r.out[:0], '{')
	for _, m := range own {
		r.put(m)
	}
	for _, m := range properties {
		for _, taken := range append(own, member{name: "geometry"}) {
			if strings.EqualFold(m.name, taken.name) {
				m.name += "_2"
			}
		}
		r.put(m)
	}
	for _, m := range geometry {
		r.put(m)
	}
	r.out = append(r.out, '}')
	return r.out, nil
}

func (r *Reader) put(m member) {
	if len(r.out) > 1 {
		r.out = append(r.out, ',')
	}
	quoted, _ := json.Marshal(m.name) // a string always can
	r.out = append(append(append(r.out, quoted...), ':'), m.value...)
}
