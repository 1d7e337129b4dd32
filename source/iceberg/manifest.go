package iceberg

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/source/listed"
)

// What a manifest, or a file, holds.
const (
	holdsData     = 0
	holdsPosition = 1 // of a file: the places of deleted rows; of a manifest: deletes of any kind
	holdsEquality = 2
)

// manifest is an entry of a manifest list.
type manifest struct {
	path      string
	spec      int
	content   int64
	seq       int64
	partition []summary
}

// summary is that of a field of the partitions of a manifest.
type summary struct {
	hasNull   bool
	low, high []byte // nil: none
}

// readList reads a manifest list.
func readList(root *listed.Root, rel string) (list []manifest, err error) {
	f, err := openManifest(root, rel)
	if err != nil {
		return nil, err
	}
	err = f.records(func(c *cursor) error {
		var m manifest
		encrypted := false
		for _, field := range f.record.fields {
			switch field.Name {
			case "manifest_path":
				m.path, _ = c.text(field.typ)
			case "partition_spec_id":
				n, _ := c.int(field.typ)
				m.spec = int(n)
			case "content":
				m.content, _ = c.int(field.typ)
			case "sequence_number":
				m.seq, _ = c.int(field.typ)
			case "key_metadata":
				_, encrypted = c.datum(field.typ).([]byte)
			case "partitions":
				m.partition = c.summaries(field.typ)
			default:
				c.skip(field.typ, 0)
			}
		}
		if encrypted {
			return listed.Refused("it is encrypted")
		}
		list = append(list, m)
		return nil
	})
	return list, broken(rel, err)
}

func openManifest(root *listed.Root, rel string) (*avroFile, error) {
	raw, err := root.Read(rel)
	if err != nil {
		return nil, err
	}
	f, err := openAvro(raw)
	return f, broken(rel, err)
}

func (c *cursor) summaries(t *avroType) (out []summary) {
	if t = c.branch(t); t.kind != "array" {
		c.skip(t, 0)
		return nil
	}
	c.eachItem(t, func(item *avroType) {
		var s summary
		for _, f := range item.fields {
			switch f.Name {
			case "contains_null":
				s.hasNull, _ = c.datum(f.typ).(bool)
			case "lower_bound":
				s.low, _ = c.datum(f.typ).([]byte)
			case "upper_bound":
				s.high, _ = c.datum(f.typ).([]byte)
			default:
				c.skip(f.typ, 0)
			}
		}
		out = append(out, s)
	})
	return out
}

// entry is a file of a manifest.
type entry struct {
	content    int64
	path       string
	format     string
	spec       int
	seq        int64
	partition  map[int]any // by the id of the partition's field
	rows, size int64
	nulls      map[int]int64 // by the id of the column
	low, high  map[int][]byte
	keys       []int // of deletes by equality: the ids of the columns
	refers     string
	at, length int64 // of a vector in its file
	encrypted  bool
}

// readManifest reads the files of a manifest that count.
func readManifest(root *listed.Root, rel string, m manifest) (list []*entry, err error) {
	f, err := openManifest(root, rel)
	if err != nil {
		return nil, err
	}
	err = f.records(func(c *cursor) error {
		const deleted = 2
		status, e := int64(0), &entry{spec: m.spec, seq: m.seq}
		for _, field := range f.record.fields {
			switch field.Name {
			case "status":
				status, _ = c.int(field.typ)
			case "sequence_number":
				if n, ok := c.int(field.typ); ok {
					e.seq = n // else it is that of the manifest
				}
			case "data_file":
				c.dataFile(field.typ, e)
			default:
				c.skip(field.typ, 0)
			}
		}
		if e.encrypted {
			return listed.Refused("it is encrypted")
		}
		if status != deleted {
			list = append(list, e)
		}
		return nil
	})
	return list, broken(rel, err)
}

func (c *cursor) dataFile(t *avroType, e *entry) {
	for _, f := range c.branch(t).fields {
		switch f.Name {
		case "content":
			e.content, _ = c.int(f.typ)
		case "file_path":
			e.path, _ = c.text(f.typ)
		case "file_format":
			e.format, _ = c.text(f.typ)
			e.format = strings.ToLower(e.format)
		case "partition":
			e.partition = map[int]any{}
			for _, p := range c.branch(f.typ).fields {
				e.partition[p.ID] = c.datum(p.typ)
			}
		case "record_count":
			e.rows, _ = c.int(f.typ)
		case "file_size_in_bytes":
			e.size, _ = c.int(f.typ)
		case "null_value_counts":
			e.nulls = pairs(c, f.typ, (*cursor).int)
		case "lower_bounds":
			e.low = pairs(c, f.typ, bytesOf)
		case "upper_bounds":
			e.high = pairs(c, f.typ, bytesOf)
		case "key_metadata":
			_, e.encrypted = c.datum(f.typ).([]byte)
		case "equality_ids":
			if list := c.branch(f.typ); list.kind == "array" {
				c.eachItem(list, func(item *avroType) {
					n, _ := c.int(item)
					e.keys = append(e.keys, int(n))
				})
			} else {
				c.skip(list, 0)
			}
		case "referenced_data_file":
			e.refers, _ = c.text(f.typ)
		case "content_offset":
			e.at, _ = c.int(f.typ)
		case "content_size_in_bytes":
			e.length, _ = c.int(f.typ)
		default:
			c.skip(f.typ, 0)
		}
	}
}

func bytesOf(c *cursor, t *avroType) ([]byte, bool) {
	b, ok := c.datum(t).([]byte)
	return b, ok
}

// pairs reads an array of keys and values.
func pairs[V any](c *cursor, t *avroType, value func(*cursor, *avroType) (V, bool)) map[int]V {
	if t = c.branch(t); t.kind != "array" {
		c.skip(t, 0)
		return nil
	}
	out := map[int]V{}
	c.eachItem(t, func(item *avroType) {
		key, v, ok := int64(0), *new(V), false
		for _, f := range item.fields {
			switch f.Name {
			case "key":
				key, _ = c.int(f.typ)
			case "value":
				v, ok = value(c, f.typ)
			default:
				c.skip(f.typ, 0)
			}
		}
		if ok {
			out[int(key)] = v
		}
	})
	return out
}

// broken names the file that cannot be understood.
func broken(rel string, err error) error {
	if err == nil || isKnown(err) {
		return err
	}
	return listed.Broken(rel, fmt.Errorf("as a manifest: %w", err))
}
