package ask

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
)

// clipped shortens a text to about one line.
func clipped(text string) string { return api.Clip(printable.Line(onOneLine(text)), 160) }

// onOneLine is a text with single spaces between its words.
func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// failureIn returns the message of a tool's error: of Python's, its last line.
func failureIn(text string) string {
	var body struct {
		Text  string `json:"text"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Results []struct { // of several statements
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		} `json:"results"`
	}
	if json.Unmarshal([]byte(text), &body) != nil {
		return text
	}
	for _, r := range body.Results {
		body.Error.Message = cmp.Or(body.Error.Message, r.Error.Message)
	}
	traceback := strings.TrimSpace(body.Text)
	return cmp.Or(body.Error.Message, traceback[strings.LastIndex(traceback, "\n")+1:], text)
}

// speaking are arguments whose values say by themselves what they are, the first first.
var speaking = []string{"table_id", "path", "name", "logical_name", "set", "sql", "query", "code"}

// inWords writes a call on one line: its tool and arguments without their quotes.
func inWords(tool string, arguments json.RawMessage) string {
	var in api.Row
	if json.Unmarshal(arguments, &in) != nil {
		return strings.TrimSpace(tool + " " + clipped(string(arguments)))
	}
	first, rest := make([]string, len(speaking)), []string{}
	for i, name := range in.Columns {
		text, isText := in.Values[i].(string)
		if !isText {
			doc, _ := json.Marshal(in.Values[i]) // came as JSON
			text = string(doc)
		}
		switch at := slices.Index(speaking, name); {
		case at >= 0:
			first[at] = text
		case in.Values[i] == true:
			rest = append(rest, name)
		case in.Values[i] != false && in.Values[i] != nil:
			rest = append(rest, name+" "+text)
		}
	}
	parts := slices.DeleteFunc(append(first, rest...), func(part string) bool { return part == "" })
	return strings.TrimSpace(tool + " " + clipped(strings.Join(parts, ", ")))
}
