package figures

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPlacesInTexts holds what counts as a figure that was typed over.
func TestPlacesInTexts(t *testing.T) {
	for _, c := range []struct {
		was, is string
		want    Status
	}{
		{"In all [4213] in May.", "In all 4213 in May.", Unchanged},
		{"In all [4213] in May.", "Dear all,\nas you know, there were 4213 in May and 4214 in June.", Unchanged},
		{"In all [4213] in May.", "In all (4213) in\u00a0May", Unchanged},
		{"In all [4213] in May.", "In all 4214 in May.", TypedOver},
		{"In all [4213] in May.", "In all 42130 in May.", TypedOver},
		{"In all [4213] in May.", "In all -4213 in May.", TypedOver},
		{"In all [4213] in May.", "In all 4213.5 in May.", TypedOver},
		{"In all [4213] in May.", "In all 4213 000 in May.", Unchanged},
		{"In all [4213] in May.", "In all 4213% in May.", TypedOver},
		{"In all [4213] in May.", "In all 4213k in May.", TypedOver},
		{"In all [4213] in May.", "In all €4213 in May.", TypedOver},
		{"In all [4213] in May.", "In all very many in May.", TypedOver},
		{"In all [4213] in May.", "In all in May.", Missing},
		{"In all [4213]% in May.", "In all 4213 in May.", TypedOver},
		{"In all [4213]% in May.", "In all 4213% in May.", Unchanged},
		{"In all €[4213].", "In all $4213.", TypedOver},
		{"5\n[5]\n5", "5\n7\n5", TypedOver},
		{"[5]\n5\n5", "7\n5\n5", TypedOver},
		{"5\n5\n[5]", "5\n5\n7", TypedOver},
		{"a\n[]\nb", "a\n\nb", Unchanged},
		{"a\n[]\nb", "a\n17\nb", TypedOver},
		{"on [2024-05-01].", "on 2024-05-01.", Unchanged},
		{"on [2024-05-01].", "on 2024-05-02.", TypedOver},
		{"[New York] leads", "New\nYork leads", Unchanged},
		{"[New York] leads", "New Jersey leads", TypedOver},
		{"x [-5] y", "x 5 y", TypedOver},
	} {
		value := c.was[strings.Index(c.was, "[")+1 : strings.Index(c.was, "]")]
		answer := Answer{Columns: []string{"a"}, Rows: 1, Values: [][]any{{value}}}
		marked := strings.Replace(c.was, "["+value+"]", Marked(0, answer.Values)[0][0].(string), 1)
		found := Where(blocksOf(marked)).compare([]Answer{answer}, blocksOf(c.is), false)
		if len(found) != 1 || found[0].Status != c.want {
			t.Errorf("%q, then %q: %+v, want %s", c.was, c.is, found, c.want)
		}
	}
}

func blocksOf(text string) (out []Block) {
	for i, line := range strings.Split(text, "\n") {
		out = append(out, Block{line, fmt.Sprint(i)})
	}
	return out
}

// TestLongTexts changes some figures of long texts, whose words come and go, and
// holds that just these are found.
func TestLongTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{3, 400, 8000} {
		answer := Answer{Columns: []string{"a", "b", "c"}, Rows: rows}
		var marked, is strings.Builder
		for range rows {
			answer.Values = append(answer.Values, []any{json.Number(fmt.Sprint(random.IntN(10))), fmt.Sprintf("name %d", random.IntN(50)), json.Number(fmt.Sprint(random.Float64()))})
		}
		changed := map[[2]int]bool{}
		with := Marked(0, answer.Values)
		for r, row := range answer.Values {
			if random.IntN(20) == 0 {
				is.WriteString("a remark\n")
			}
			for c, v := range row {
				fmt.Fprintln(&marked, with[r][c])
				text := Written(v)
				if random.IntN(30) == 0 {
					changed[[2]int{r, c}] = true
					text = "77" + text
				}
				fmt.Fprintln(&is, text)
			}
		}
		found := Where(blocksOf(marked.String())).compare([]Answer{answer}, blocksOf(is.String()), false)
		if len(found) != 3*rows {
			t.Fatalf("%d figures of %d", len(found), 3*rows)
		}
		for _, f := range found {
			if changed[[2]int{f.Row, f.Column}] != (f.Status == TypedOver) {
				t.Errorf("%d rows: %+v, changed %v", rows, f, changed[[2]int{f.Row, f.Column}])
			}
		}
	}
}

// TestReceiptsOfOthers reads what no da has written.
func TestReceiptsOfOthers(t *testing.T) {
	text, err := Encode([]Receipt{{Format: Format, Answers: []Answer{{Columns: []string{"a"}, Values: [][]any{{json.Number("1")}}}}, Text: &Text{
		Words: []byte{1, 2}, Spans: []Span{{0, 1, 0, 0, 0}, {-1, 2, 0, 0, 0}, {0, 0, 7, 0, 0}, {0, 0, 0, 9, 0}, {0, 0, 0, 0, -1}, {1 << 40, 1 << 40, 0, 0, 0}}}}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	all[0].Text.compare(all[0].Answers, blocksOf("one 1"), false)
	for _, bad := range []string{"!", "AAAA", text[:len(text)/2]} {
		if _, err := Decode(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	bomb, err := Encode([]Receipt{{Format: Format, Answers: []Answer{{Statement: strings.Repeat("x", mostBytes)}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Decode(bomb); err == nil {
		t.Error("a receipt that unpacks to more than it may is read")
	}
}

// TestReceiptsNameNoFolders holds that whoever gets a file does not learn where others
// keep theirs.
func TestReceiptsNameNoFolders(t *testing.T) {
	mine := []Source{{Name: "may", Server: "import:/data/clients/may.csv"}, {Name: "orders", Server: "https://da.example.com"}}
	text, err := Encode([]Receipt{{Format: Format, Answers: []Answer{{Statement: "SELECT 1", Asked: Asked{Sources: mine}}}}})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	got := all[0].Answers[0].Sources
	if got[0].Server != "import:may.csv" || got[1].Server != mine[1].Server || mine[0].Server != "import:/data/clients/may.csv" {
		t.Errorf("%v of %v", got, mine)
	}
}
