package fit

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type tableList struct {
	Time   string      `json:"time"`
	Tables []tableItem `json:"tables"`
}

type tableItem struct {
	ID      string   `json:"id"`
	About   string   `json:"about"`
	Columns []string `json:"columns"`
}

func listOf(tables, columns, about int) tableList {
	l := tableList{Time: "now"}
	for i := range tables {
		item := tableItem{ID: fmt.Sprintf("t%d", i), About: strings.Repeat("ž", about)}
		for j := range columns {
			item.Columns = append(item.Columns, fmt.Sprintf("column %d", j))
		}
		l.Tables = append(l.Tables, item)
	}
	return l
}

func TestDocumentsThatFitStay(t *testing.T) {
	v := listOf(3, 5, 1000)
	got, err := Document(v, Options{}, "")
	if err != nil || encoded(t, got) != encoded(t, v) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestDocumentsAreCutWithAnAccount(t *testing.T) {
	for _, tt := range []struct {
		doc   tableList
		lists string // paths
		texts int
	}{
		{listOf(2000, 3, 20), "tables", 0},
		{listOf(1, 5000, 20), "tables[0].columns", 0},
		{listOf(2, 3000, 300), "tables tables[0].columns", 2},
		{listOf(30, 0, 100_000), "", 30},
		{listOf(300, 0, 100_000), "tables", 300},
	} {
		out, err := Document(tt.doc, Options{MaxTokens: 5000}, "da catalog --max-tokens 0")
		if err != nil {
			t.Fatal(err)
		}
		text := encoded(t, out)
		if len(text) > 20_000 {
			t.Errorf("%d bytes", len(text))
		}
		var got struct {
			tableList
			Cut Cut `json:"cut"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, l := range got.Cut.Lists {
			paths = append(paths, l.Path)
			shown, total := len(got.Tables), len(tt.doc.Tables)
			if l.Path != "tables" {
				shown, total = len(got.Tables[0].Columns), len(tt.doc.Tables[0].Columns)
			}
			if l.Shown != shown || l.Total != total || shown == total {
				t.Errorf("%+v: %d of %d are there", l, shown, total)
			}
		}
		if strings.Join(paths, " ") != tt.lists || got.Cut.Texts != tt.texts || got.Cut.Command != "da catalog --max-tokens 0" || got.Time != "now" {
			t.Errorf("%+v, want %s and %d texts", got.Cut, tt.lists, tt.texts)
		}
		if about := got.Tables[0].About; tt.texts > 0 && !strings.HasSuffix(about, fmt.Sprintf("ž… (%d characters)", len(tt.doc.Tables[0].About)/2)) {
			t.Errorf("got %s", about)
		}
	}
}
