package parquetfile

import (
	"encoding/binary"
	"math"
	"os"
)

// Facts are what the footer of a file tells of all values of a column.
type Facts struct {
	Nulls int64 // -1: unknown
	// Least and Most are the bounds of numbers, as int64 or float64: of decimals the
	// digits alone. nil: unknown, as where a value is NaN.
	Least, Most any
}

// Footer is what a file tells of itself.
type Footer struct {
	Rows  int64
	Facts map[string]Facts // by the names of columns; those of lists and structs are absent
	path  string
	parts map[string][]chunk // of each column, one in each row group
}

// ReadFooter reads what a file of our own writers tells of its columns.
func ReadFooter(path string) (*Footer, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	buf, _, err := footerOf(file, info.Size())
	if err != nil {
		return nil, err
	}
	t, f := &thrift{buf: buf}, &Footer{Facts: map[string]Facts{}, path: path, parts: map[string][]chunk{}}
	var schema, leaves []element
	err = t.fields(func(id int64, kind byte) (err error) {
		switch {
		case id == 2 && kind == tList:
			err = t.list(tStruct, func(int) error {
				e, err := t.element()
				schema = append(schema, e)
				return err
			})
			leaves = leavesOf(schema)
			return err
		case id == 3 && kind == tI64:
			f.Rows, err = t.integer()
			return err
		case id == 4 && kind == tList:
			return t.list(tStruct, func(group int) error { return f.group(t, leaves, group == 0) })
		}
		return t.skip(kind)
	})
	return f, err
}

// leavesOf are the columns with values; flat are those that are in no other.
func leavesOf(schema []element) (leaves []element) {
	if len(schema) == 0 {
		return nil
	}
	open := []int{schema[0].children}
	for _, e := range schema[1:] {
		for len(open) > 1 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		open[len(open)-1]--
		if e.children > 0 {
			open = append(open, e.children)
			continue
		}
		e.flat = len(open) == 1 && e.repetition != repeated
		leaves = append(leaves, e)
	}
	return leaves
}

// group adds what a row group tells.
func (f *Footer) group(t *thrift, leaves []element, first bool) error {
	return t.fields(func(id int64, kind byte) error {
		if id != 1 || kind != tList {
			return t.skip(kind)
		}
		return t.list(tStruct, func(i int) error {
			if i >= len(leaves) {
				return errGroup
			}
			c, part, err := t.facts(leaves[i].kind)
			if e := leaves[i]; err == nil && e.flat {
				f.Facts[e.name] = f.Facts[e.name].with(part, c.values, first)
				f.parts[e.name] = append(f.parts[e.name], c)
			}
			return err
		})
	})
}

// facts reads where a column's part of a row group lies, and its statistics.
func (t *thrift) facts(physical int64) (c chunk, f Facts, err error) {
	f.Nulls, c.kind = -1, physical
	err = t.fields(func(id int64, kind byte) error {
		if id != 3 || kind != tStruct {
			return t.skip(kind)
		}
		places := map[int64]*int64{4: &c.codec, 5: &c.values, 7: &c.size, 9: &c.data, 11: &c.dict}
		return t.numbers(places, func(id int64, kind byte) (bool, error) {
			if id != 12 || kind != tStruct {
				return false, nil
			}
			return true, t.numbers(map[int64]*int64{3: &f.Nulls}, func(id int64, kind byte) (bool, error) {
				if id != 5 && id != 6 || kind != tBinary {
					return false, nil
				}
				text, err := t.bytes()
				if id == 5 {
					f.Most = bound(physical, text)
				} else {
					f.Least = bound(physical, text)
				}
				return true, err
			})
		})
	})
	return c, f, err
}

func bound(physical int64, text []byte) any {
	switch {
	case physical == int32s && len(text) == 4:
		return int64(int32(binary.LittleEndian.Uint32(text)))
	case physical == int64s && len(text) == 8:
		return int64(binary.LittleEndian.Uint64(text))
	case physical == double && len(text) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(text))
	}
	return nil
}

// with combines the facts of two parts. The second has that many values, NULLs included.
func (f Facts) with(part Facts, values int64, first bool) Facts {
	switch {
	case first:
		return part
	case f.Nulls < 0 || part.Nulls < 0:
		return Facts{Nulls: -1}
	}
	nulls := f.Nulls + part.Nulls
	if part.Nulls == values {
		return Facts{nulls, f.Least, f.Most}
	}
	return Facts{nulls, outer(f.Least, part.Least, true), outer(f.Most, part.Most, false)}
}

// outer is the lower one of two bounds if they are the least ones, else the higher one.
func outer(a, b any, least bool) any {
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok && (y < x) == least {
			return y
		} else if ok {
			return x
		}
	case float64:
		if y, ok := b.(float64); ok && (y < x) == least {
			return y
		} else if ok {
			return x
		}
	}
	return nil
}
