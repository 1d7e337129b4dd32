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
	var got, cells []string
	for _, f := range r.Figures {
		got = append(got, fmt.Sprint(f.Text, " ", f.Calls))
		if f.Cell != nil {
			cells = append(cells, fmt.Sprint(f.Text, " ", *f.Cell))
		}
	}
	if want := []string{"1,234,567 {q 0 0}", "12.3 {q 0 1}", "12.35 {q 1 0}", "5 {q 1 1}"}; !slices.Equal(cells, want) {
		t.Errorf("cells %q", cells)
	}
	if want := []string{"1,234,567 [q]", "12.3 [q]", "12.35 [q]", "5 [q]", "99 [s]", "42 []", "7 []"}; !slices.Equal(got, want) {
		t.Errorf("figures %q", got)
	}
	if got := strings.Join(r.Untraced(), " "); got != "42 7" {
		t.Errorf("untraced %s", got)
	}
	if r.ID != "0123456789abcdef-2" || r.Question != "How many?" || len(r.Results) != 1 || !r.Results[0].Local || r.Results[0].Inputs[0].Snapshot != "late" {
		t.Errorf("receipt %+v", r)
	}
	if _, err := receipt.Of(records("x"), 3); !api.CodeUsage.Is(err) {
		t.Errorf("a turn that is not there: %v", err)
	}
}

// TestFiguresOfNoResult finds figures in rows, descriptions and statistics, and not
// in what an answer says of itself.
func TestFiguresOfNoResult(t *testing.T) {
	result := func(id, tool, content string) []conversation.Record {
		return []conversation.Record{
			{Type: conversation.AssistantMessage, ToolCalls: []conversation.ToolCall{{ID: id, Function: conversation.Function{Name: tool, Arguments: `{"sql":"SELECT sum(delay > 75) AS late_60 FROM f WHERE day >= DATE '2014-03-01' AND n IN (3,4,5)"}`}}}},
			{Type: conversation.ToolResult, ToolCallID: id, Tool: tool, Content: content},
		}
	}
	said := func(who conversation.Type, text string) conversation.Record {
		return conversation.Record{Type: who, Text: text}
	}
	end := conversation.Record{Type: conversation.TurnEnd, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	log := slices.Concat([]conversation.Record{{Type: conversation.Begin, ID: "0123456789abcdef"}, said(conversation.UserMessage, "Where?")},
		result("old", "query", `{"columns":["n"],"rows":[[815]],"rows_total":1}`),
		[]conversation.Record{said(conversation.AssistantMessage, "815"), end, said(conversation.UserMessage, "More than 17 of the top 9?")},
		result("schema", "catalog_schema", `{"table_id":"f","description":"Count equal rows of at least 1,000 once","row_count":3000000,"columns":[{"name":"c44","type":"DECIMAL(18,2)","description":"in units of 250"}]}`),
		result("q", "query", `{"begin":"<data-53ab9>","columns":["day","late_60"],"rows":[["2015-12-22 12:30:00",29202],["x-77",50682000.4],["bd4b239c-4e55-4239-a0f1-12bb33cc44dd",1]],"constant":{"max_88":13.5},"rows_total":417,"rest":{"result":"@r38"},"caveats":[{"kind":"left_out","text":"6 records were skipped"}]}`),
		result("p", "fetch", `{"snapshot":{"name":"s","rows":28244},"estimate":{"estimated_scan_bytes":210365},"file":"/srv/53bf/239.csv"}`),
		result("s", "table_stats", `{"row_count":122,"columns":[{"name":"a","min":7.25,"index":0}]}`))
	for answer, want := range map[string]string{
		"53, 239, 210365, 60 and 417": "53 [] |239 [] |210365 [] |60 [] |417 [] ",
		"38, 88, 44, 18, 77":          "38 [] |88 [] |44 [] |18 [] |77 [] ",
		"On 2015-12-22 at 12:30, December 22, 2015, 22.12.2015, 22 December, in December 2015, in 2015": "2015-12-22 [q] |12:30 [q] |December 22, 2015 [q] |22.12.2015 [q] |22 December [q] |December 2015 [q] |2015 [q] ",
		"On 2015-12-23 at 12:31, in November 2015":                                                      "2015-12-23 [] |12:31 [] |November 2015 [] ",
		"29.202 and 29,2 Tsd. and 50.7 million, 50,682,000, 13,5, 13.5 and 7.3":                         "29.202 [q] |29,2 [q] |50.7 [q] |50,682,000 [q] |13,5 [q] |13.5 [q] |7.3 [s] ",
		"1,000 or 250 of 3,000,000, 28,244, 122 and 6":                                                  "1,000 [schema] |250 [schema] |3,000,000 [schema] |28,244 [p] |122 [s] |6 [q] ",
		"13.50000 of 50.6820004 and 50,682,000.4":                                                       "13.50000 [q] |50.6820004 [] |50,682,000.4 [q] ",
		"815 as before": "815 [old] ",
		"From 2015-12-22T12:30Z to 2015-12-22T12:31:00Z":                                "2015-12-22 [q] |12:30 [q] |2015-12-22 [q] |12:31:00 [] ",
		"17 of 9, 75, 2014-03-01, March 2014, 4":                                        "17 [] question|9 [] question|75 [] call|2014-03-01 [] call|March 2014 [] call|4 [] call",
		"1. ORD\n2) SEA\n| 3 | x |\n## 4. y\nUTF-8, col_5, 6th, 7.csv, https://x.org/8": "",
	} {
		r, err := receipt.Of(slices.Concat(log, []conversation.Record{said(conversation.AssistantMessage, answer), end}), 2)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Figures {
			got = append(got, fmt.Sprint(f.Text, " ", f.Calls, " ", f.Asked))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s:\n got %q\nwant %q", answer, strings.Join(got, "|"), want)
		}
		if len(r.Results) != 2 || len(r.Results[0].Caveats) != 1 || r.Results[0].Caveats[0].Kind != "left_out" {
			t.Errorf("results %+v", r.Results)
		}
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
	if local != "abg" {
		t.Errorf("runs again: %s", local)
	}
}

// TestFiguresFollowFromOthers tells a figure that two others of its line give from one
// that is made up.
func TestFiguresFollowFromOthers(t *testing.T) {
	for answer, want := range map[string]string{
		"1,234,567 less 5 are 1,234,562":           "1,234,562 = 1,234,567 - 5",
		"5 and 99 are 104, which is more than 103": "104 = 5 + 99; 103",
		"5 of 99 are 5.1 %, not 5.2 %":             "5.1 = 5 / 99; 5.2",
		"1,234,567 less\n5 are 1,234,562":          "1,234,562",
		"of 5 and 42 the sum is 47":                "42; 47",
		"at 12:30 and 99, which are 1,329":         "12:30; 1,329",
	} {
		r, err := receipt.Of(records(answer), 2)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Figures {
			switch {
			case f.WorkedOut != "":
				got = append(got, f.Text+" = "+f.WorkedOut)
			case slices.Contains(r.Untraced(), f.Text):
				got = append(got, f.Text)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", answer, strings.Join(got, "; "), want)
		}
	}
}

// TestDigitsAloneProveNothing tells a percentage of a share from a mean that has its
// digits, and a short figure of a row that is named from one that many numbers round to.
func TestDigitsAloneProveNothing(t *testing.T) {
	log := records("")
	log[5].ToolCalls[0].Function.Arguments = `{"sql":"SELECT origin, mean_delay, 100.0 * late / n AS bad, late_share FROM t"}`
	log[6].Content = `{"columns":["origin","mean_delay","bad","late_share","drift"],"rows":[["DFW",7.700958,31.41592,0.2718281,0.161803],["ORD",8.812345,9.51413,14.25,3]]}`
	log[7].Content = `{"columns":[{"name":"distance","mean":612.34567}]}`
	for answer, want := range map[string]string{
		"That is 7.7 % of all":                                   "7.7",
		"ORD has 8.8 percent, 8.81 % and 8.812345 %":             "8.8 8.81 8.812345",
		"7.7 of all, and 8.8":                                    "7.7 8.8",
		"DFW: 7.7; the delay is 7.7":                             "",
		"The average is 8.8 and 7.70 the least":                  "",
		"| Airport | Delay |\n|---|---|\n| DFW | 7.7 |":          "",
		"31.4 % and 27 %, 14.3 % and 14 %, 16 % drift, 16.2 %":   "",
		"16 % of them and 3 % too":                               "16 3",
		"It is 612 or 610 miles, a distance of 612":              "610",
		"On average\n\n7.7":                                      "7.7",
		"8 airlines fly to DFW, 9 do not":                        "8 9",
		"The delay of DFW is 8, of ORD 9":                        "",
		"ORD is late in 31.4 %":                                  "31.4",
		"ORD and DFW: 31.4 %":                                    "",
		"DFW 7.700958 and ORD 8.812345, 1.11 apart":              "",
		"DFW 7.700958 and ORD 8.812345 are 1 apart":              "1",
		"A mean of 610 and 6 hundred\nof distance 0.61 thousand": "610 6",
	} {
		log[8].Text = answer
		r, err := receipt.Of(log, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Untraced(), " "); got != want {
			t.Errorf("%s: %q untraced, want %q", answer, got, want)
		}
	}
}
