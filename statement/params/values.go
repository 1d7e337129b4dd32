package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// Values are the parameters by name. A value is a JSON value: a string, a
// json.Number, a bool, nil, or a list of these.
type Values map[string]any

// Set parses one parameter as users write it: name=text, or name:=JSON. A second
// value for a name is an error.
func (v Values) Set(given string) error {
	name, text, ok := strings.Cut(given, "=")
	typed := strings.HasSuffix(name, ":")
	name = strings.TrimSuffix(name, ":")
	if !ok || wordLen(name) != len(name) || name == "" || '0' <= name[0] && name[0] <= '9' {
		return bad(fmt.Sprintf("'%s' does not give a parameter its value", api.Clip(given, 60)),
			"Write name=text, or name:=JSON for numbers, true, null and lists: month:=6.")
	}
	var value any = text
	if typed {
		var err error
		if value, err = decode([]byte(text)); err != nil {
			return bad(fmt.Sprintf("the value of parameter '%s' is not JSON: %v", name, err),
				"Write name:=JSON, as in month:=6 or codes:='[\"SEA\",\"JFK\"]'; name=text takes the text as it is.")
		}
	}
	return v.put(name, value)
}

func (v Values) put(name string, value any) error {
	if _, twice := v[name]; twice {
		return bad(fmt.Sprintf("parameter '%s' is given twice", api.Clip(name, 60)), "")
	}
	if err := check(name, value, true); err != nil {
		return err
	}
	v[name] = value
	return nil
}

// Read adds the parameters of a JSON object.
func (v Values) Read(object []byte) error {
	value, err := decode(object)
	if err != nil {
		return bad("the parameters are not JSON: "+err.Error(), "Write an object, as in {\"month\": 6}.")
	}
	all, ok := value.(map[string]any)
	if !ok {
		return bad("the parameters are not a JSON object", "Write an object, as in {\"month\": 6}.")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if wordLen(name) != len(name) || name == "" {
			return bad(fmt.Sprintf("'%s' cannot be the name of a parameter", api.Clip(name, 60)), "Use letters, digits and underscores.")
		}
		if err := v.put(name, all[name]); err != nil {
			return err
		}
	}
	return nil
}

// decode decodes one JSON value; numbers keep their digits.
func decode(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the value")
	}
	return value, nil
}

// check rejects values that no literal can represent.
func check(name string, value any, lists bool) error {
	switch v := value.(type) {
	case nil, bool, json.Number:
		return nil
	case string:
		if strings.IndexByte(v, 0) < 0 {
			return nil
		}
		return bad(fmt.Sprintf("parameter '%s' holds a NUL character", name), "")
	case []any:
		if len(v) == 0 {
			return bad(fmt.Sprintf("parameter '%s' is an empty list", name), "IN () selects nothing: leave the condition out, or give a value.")
		}
		for _, item := range v {
			if !lists {
				break
			}
			if err := check(name, item, false); err != nil {
				return err
			}
		}
		if lists {
			return nil
		}
	}
	return bad(fmt.Sprintf("parameter '%s' holds a value that no literal stands for", name),
		"It is a text, a number, true, false, null, or a list of these.")
}

func bad(message, hint string) error {
	return &api.Error{Code: api.CodeUsage, Kind: api.KindParameter, Message: message, Hint: hint}
}
