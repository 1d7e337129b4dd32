package profile

import "encoding/json"

// Value is a value with how often it occurs.
type Value struct {
	Value json.RawMessage `json:"value"`
	N     int64           `json:"n"`
}

// Text is the value for people.
func (v Value) Text() string { return TextOf(v.Value) }

// TextOf is a value of JSON for people; the text of NULL is empty.
func TextOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	return text
}
