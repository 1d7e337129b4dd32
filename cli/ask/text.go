package ask

import (
	"cmp"
	"encoding/json"
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
	}
	if json.Unmarshal([]byte(text), &body) != nil {
		return text
	}
	traceback := strings.TrimSpace(body.Text)
	return cmp.Or(body.Error.Message, traceback[strings.LastIndex(traceback, "\n")+1:], text)
}
