package api

import "encoding/json"

// Note is a remark about a result: what its reader should know, and the steps
// that follow. Its JSON is the text alone; a door first adds the steps to the
// text, in its own words.
type Note struct {
	Text string // a sentence without a full stop
	Next []Step
}

// Notes returns texts as notes without steps.
func Notes(texts []string) []Note {
	notes := make([]Note, len(texts))
	for i, text := range texts {
		notes[i].Text = text
	}
	return notes
}

// Texts returns the texts of notes, without their steps.
func Texts(notes []Note) []string {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.Text
	}
	return texts
}

// MarshalJSON writes the text as a JSON string.
func (n Note) MarshalJSON() ([]byte, error) { return json.Marshal(n.Text) }

// UnmarshalJSON reads a JSON string.
func (n *Note) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &n.Text) }
