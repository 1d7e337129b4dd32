package api

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Row is a JSON object whose keys keep the order of the columns.
type Row struct {
	Columns []string // shared by all rows of a result
	Values  []any
}

// MarshalJSON writes the object with its keys in column order. It leaves HTML
// characters alone; the calling encoder escapes them if it is set to.
func (r Row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, c := range r.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(c); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(r.Values[i]); err != nil {
			return nil, fmt.Errorf("column %q: %w", c, err)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object and keeps the order of its keys. Nested objects
// become Rows, too. Numbers stay json.Number, so that no digit is lost.
func (r *Row) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("row is not a JSON object")
	}
	row, err := decodeObject(dec)
	if err != nil {
		return err
	}
	*r = row
	return nil
}

// decodeObject reads an object whose opening brace has been read.
func decodeObject(dec *json.Decoder) (Row, error) {
	var row Row
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return Row{}, err
		}
		v, err := decodeValue(dec)
		if err != nil {
			return Row{}, err
		}
		row.Columns = append(row.Columns, k.(string))
		row.Values = append(row.Values, v)
	}
	_, err := dec.Token()
	return row, err
}

func decodeValue(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return decodeObject(dec)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := decodeValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	}
	return t, nil
}
