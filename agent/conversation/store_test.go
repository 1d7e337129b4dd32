package conversation

import (
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestALongLogIsNotTakenForATornOne holds that only what a crash has left of the
// last record may be cut off.
func TestALongLogIsNotTakenForATornOne(t *testing.T) {
	const line = `{"type":"begin"}` + "\n"
	for _, c := range []struct {
		name, text string
		most       int64
		records    int // 0: refused
	}{
		{"as long as allowed", line + line, int64(2 * len(line)), 2},
		{"torn", line + line[:5], int64(2 * len(line)), 1},
		{"too long by a record", line + line + line, int64(2 * len(line)), 0},
		{"too long by a part of one", line + line + line[:3], int64(2 * len(line)), 0},
		{"too long in the middle of one", line + line, int64(2*len(line) - 4), 0},
	} {
		records, size, err := read(strings.NewReader(c.text), c.most)
		if len(records) != c.records || size != int64(c.records*len(line)) || api.CodeTooLarge.Is(err) != (c.records == 0) {
			t.Errorf("%s: %d records in %d bytes, %v", c.name, len(records), size, err)
		}
	}
}

// TestFind finds conversations by words of questions, answers and titles, in any case.
func TestFind(t *testing.T) {
	s := Store{Dir: t.TempDir(), Now: time.Now}
	for _, said := range [][]string{{"How many Flights?", "There are 600."}, {"Which airports?", "JFK."}} {
		l, err := s.Create(Record{})
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range said {
			if err := l.Append(Record{Type: []Type{UserMessage, AssistantMessage}[i], Text: text}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Append(Record{Type: ToolResult, Text: "tool"}); err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	for text, want := range map[string]int{"": 2, "flights 600": 1, "FLIGHTS jfk": 0, "jfk": 1, "tool": 0, "  ": 2} {
		if all, err := s.Find(text); err != nil || len(all) != want {
			t.Errorf("%q finds %d: %v", text, len(all), err)
		}
	}
}

// A table is found wherever its name stands, also in JSON within JSON.
func TestMentionsFindEachNameOfATable(t *testing.T) {
	tables := []api.Table{{ID: "shop.orders"}, {ID: "lines"}, {ID: "Flights"}, {ID: "order"}, {ID: "secret"}}
	found := Mentions([]Record{
		{Type: ToolResult, Content: `{"sql":"SELECT 1\nFROM \u003clines\u003e"}`},
		{Type: UserMessage, Text: "<flights>\tor SHOP.orders?"},
		{Type: AssistantMessage, ToolCalls: []ToolCall{{ID: "a", Function: Function{"query", `{"sql":"FROM \u0066uel"}`}}}},
		{Type: UserMessage, Text: `it is in C:\facts`},
	}, append(tables, api.Table{ID: "fuel"}, api.Table{ID: "facts"}))
	if got := strings.Join(found, " "); got != "shop.orders lines Flights fuel facts" {
		t.Errorf("mentioned: %s", got)
	}
}
