package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wordedFigure is a figure as people get it.
var wordedFigure = regexp.MustCompile(`^-?[0-9.]+( ([KMGTPE]?B|chars|rows)|[kMGT]|%.*)\b|\bago$|^\d{1,3}( \d{3})+$|^(yes|no|all)$`)

// plainName is a name of a column that programs need not quote.
var plainName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// TestFormatsForProgramsHaveWhatJSONHas holds that lists in CSV and NDJSON have
// plain figures, under the names that JSON has for them.
func TestFormatsForProgramsHaveWhatJSONHas(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.WriteFile(filepath.Join(p.dir, "sales.csv"), []byte("id,region,amount,day,late\n1,north,10.5,2026-01-02,true\n2,south,,2026-01-03,false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"fetch flights --as late", "query --max-tokens 300 SELECT_*_FROM_late", "admin user create ann@example.com", "admin token create --user ann@example.com", "admin grant --user ann@example.com --table airports"} {
		p.ok(words(line)...)
	}
	for _, tt := range []struct{ line, list string }{ // list: where in the JSON the rows are
		{"catalog", "tables"},
		{"catalog --search delay", "hits"},
		{"schema flights", "columns"},
		{"quota", ""},
		{"disk-info", ""},
		{"whoami", ""},
		{"version", ""},
		{"doctor", "checks"},
		{"fetch flights --estimate", ""},
		{"fetch flights --as late --force", "snapshot"},
		{"snapshot list", "snapshots"},
		{"snapshot show late", ""},
		{"snapshot refresh late", ""},
		{"snapshot import sales.csv --as sales --force", "snapshot"},
		{"snapshot prune --all --dry-run", "removed"},
		{"result list", "results"},
		{"files put sales.csv", "files"},
		{"files list", "files"},
		{"files info sales.csv", ""},
		{"files versions sales.csv", "versions"},
		{"files put sales.csv --draft d", "files"},
		{"files draft list", "drafts"},
		{"files draft diff d", "changes"},
		{"init data --file made.yaml --force", "tables"},
		{"skills install --dry-run", "changes"},
		{"skills list", "skills"},
		{"table map sales.csv", "columns"},
		{"table describe sales.csv", "columns"},
		{"table stats sales.csv", "columns"},
		{"table export sales.csv --out sales.xlsx --force", ""},
		{"admin user list", ""},
		{"admin token list", ""},
		{"admin grant list", ""},
		{"admin quota", ""},
		{"admin audit", ""},
		{"admin backup state.db --force", ""},
	} {
		args := words(tt.line)
		lines := strings.Split(strings.TrimSuffix(p.ok(append(args, "-o", "ndjson")...), "\n"), "\n")
		rows, err := csv.NewReader(strings.NewReader(p.ok(append(args, "-o", "csv")...))).ReadAll()
		if err != nil {
			t.Errorf("da %s: %v", tt.line, err)
			continue
		}
		if len(rows)-1 != len(lines) && tt.line != "admin audit" || len(rows) < 2 {
			t.Errorf("da %s: %d rows as CSV, %d as NDJSON", tt.line, len(rows)-1, len(lines))
		}
		for _, row := range rows[1:] {
			for j, cell := range row {
				if wordedFigure.MatchString(cell) && !slices.Contains([]string{"says", "reason"}, rows[0][j]) { // those are sentences
					t.Errorf("da %s: %s is %q", tt.line, rows[0][j], cell)
				}
			}
		}
		for _, name := range rows[0] {
			if !plainName.MatchString(name) {
				t.Errorf("da %s has a column %q", tt.line, name)
			}
		}
		wantMembers(t, tt.line, rows[0], listIn(t, p.ok(append(args, "--json")...), tt.list))
	}
}

// wantMembers holds that each member of an item is a column, or several.
func wantMembers(t *testing.T, line string, columns []string, item map[string]json.RawMessage) {
	t.Helper()
	for name := range item {
		if line == "catalog" && name == "rough_size_hint" { // the figures are there
			continue
		}
		if !slices.ContainsFunc(columns, func(c string) bool { return c == name || strings.HasPrefix(c, name+"_") }) {
			t.Errorf("da %s as CSV has no %q, which JSON has", line, name)
		}
	}
}

// listIn is the first item of the list in a document.
func listIn(t *testing.T, text, member string) map[string]json.RawMessage {
	t.Helper()
	raw := json.RawMessage(text)
	if member != "" {
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		raw = doc[member]
	}
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &items); err == nil && len(items) > 0 {
		return items[0]
	}
	var item map[string]json.RawMessage
	if err := json.Unmarshal(raw, &item); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return item
}

// words takes a command line apart; a statement is written with _ for spaces.
func words(line string) []string {
	var args []string
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "SELECT_") {
			word = strings.ReplaceAll(word, "_", " ")
		}
		args = append(args, word)
	}
	return args
}
