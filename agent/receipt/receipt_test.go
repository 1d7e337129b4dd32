package receipt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
)

func records(answer string) []conversation.Record {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []conversation.Record{
		{Type: conversation.Begin, ID: "0123456789abcdef"},
		{Type: conversation.UserMessage, Text: "first"}, {Type: conversation.AssistantMessage, Text: "7"}, {Type: conversation.TurnEnd, At: at},
		{Type: conversation.UserMessage, Text: "How many?"},
		{Type: conversation.AssistantMessage, Text: "I look.", ToolCalls: []conversation.ToolCall{{ID: "q", Function: conversation.Function{Name: "query", Arguments: `{"sql":"x"}`}}}},
		{Type: conversation.ToolResult, ToolCallID: "q", Tool: "query", Content: `{"columns":["n","share"],"rows":[[1234567,0.1234],["12.345678",-5]],"rows_total":2}`, Inputs: []conversation.Input{{Snapshot: "late", ContentHash: "h"}}},
		{Type: conversation.ToolResult, ToolCallID: "s", Tool: "catalog_schema", Content: `{"rows_in_table":99}`},
		{Type: conversation.AssistantMessage, Text: answer}, {Type: conversation.TurnEnd, At: at},
	}
}

// TestFiguresAreTraced finds each number of an answer in the results.
func TestFiguresAreTraced(t *testing.T) {
	r, err := receipt.Of(records("Of 1,234,567 in table_2 late were 12.3 % (12.35), minus 5; 99 in all, and 42 I made up. `LIMIT 31`\n```sql\nSELECT 60\n```\nIt was 7.\n```\n8"), 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Figures {
		got = append(got, fmt.Sprint(f.Text, " ", f.Calls))
	}
	if want := []string{"1,234,567 [q]", "12.3 [q]", "12.35 [q]", "5 [q]", "99 [s]", "42 []", "7 []"}; !slices.Equal(got, want) {
		t.Errorf("figures %q", got)
	}
	if r.ID != "0123456789abcdef-2" || r.Question != "How many?" || len(r.Results) != 1 || !r.Results[0].Local || r.Results[0].Inputs[0].Snapshot != "late" {
		t.Errorf("receipt %+v", r)
	}
	if _, err := receipt.Of(records("x"), 3); !api.CodeUsage.Is(err) {
		t.Errorf("a turn that is not there: %v", err)
	}
}

// TestDigestsAreOfWhatIsSaid is the same for answers that say the same.
func TestDigestsAreOfWhatIsSaid(t *testing.T) {
	const answer = `{"notice":"a","begin":"<data-1>","columns":["n"],"rows":[[1],[0.30000000000000004]],"rows_total":2,"rest":{"result":"@r1"}}`
	sum, rows := receipt.Digest([]byte(answer))
	if rows != 2 {
		t.Errorf("%d rows", rows)
	}
	for _, same := range []string{
		strings.Replace(answer, "@r1", "@r9", 1), strings.Replace(answer, "[1],[0.30000000000000004]", "[0.3],[1]", 1), strings.ReplaceAll(answer, "data-1", "data-2"),
	} {
		if got, _ := receipt.Digest([]byte(same)); got != sum {
			t.Errorf("another hash for %s", same)
		}
	}
	for _, other := range []string{strings.Replace(answer, "[1]", "[2]", 1), strings.Replace(answer, "0.30000000000000004", "0.3000001", 1), strings.Replace(answer, `"rows_total":2`, `"rows_total":3`, 1)} {
		if got, _ := receipt.Digest([]byte(other)); got == sum {
			t.Errorf("the same hash for %s", other)
		}
	}
}

// TestAReceiptOfOthers runs nothing again that costs, or that changes something.
func TestAReceiptOfOthers(t *testing.T) {
	text := fmt.Sprintf(`{"format": %d, "results": [
		{"call": "a", "tool": "query", "arguments": {"sql": "SELECT 1"}, "local": true},
		{"call": "b", "tool": "query", "arguments": {"sql": "SELECT 1 FROM flights", "fetch": true}, "local": true},
		{"call": "c", "tool": "file_delete", "arguments": {"path": "a.csv"}, "local": true},
		{"call": "d", "tool": "fetch", "arguments": {"table_id": "flights"}, "local": true},
		{"call": "e", "tool": "send_data_to_ui_as_df", "arguments": {"sql": "SELECT 1", "remote": true}, "local": true},
		{"call": "f", "tool": "query_remote", "arguments": {"sql": "SELECT 1"}, "local": true},
		{"call": "g", "tool": "send_chart_to_ui", "arguments": {"sql": "SELECT 1"}, "local": true}]}`, receipt.Format)
	r, err := receipt.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	local := ""
	for _, res := range r.Results {
		if res.Local {
			local += res.Call
		}
	}
	if local != "ag" {
		t.Errorf("runs again: %s", local)
	}
}
