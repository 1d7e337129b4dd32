package sheet_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/testing/doctest"
)

// TestTablesAndPictures reads with two other programs what is put into a workbook of
// a third.
func TestTablesAndPictures(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	options := sheet.Options{Picture: func(string) ([]byte, error) { return dot.Bytes(), nil }}
	ops := []sheet.Operation{
		{Op: sheet.EnsureSheet, Sheet: "New"},
		{Op: sheet.AddTable, Sheet: "New", Start: "B2", Name: "sales", Values: [][]any{
			{"day", "sales", "sales", nil, "a_x0041_\nb"}, {sheet.Date("2024-05-01"), json.Number("3.5"), nil, true, "=1"}, {sheet.Date("2024-05-02 10:00:00"), json.Number("4")},
		}},
		{Op: sheet.AddTable, Sheet: "New", Start: "B8", Values: [][]any{{"empty"}}},
		{Op: sheet.AddPicture, Sheet: "New", Start: "D5", Picture: "dot.png", Alt: "a <dot>", WidthCM: 2},
		{Op: sheet.AddPicture, Sheet: "New", Start: "H1", Picture: "dot.png"},
	}
	made := map[string][]byte{}
	for name, data := range map[string][]byte{"blank.xlsx": blank(t), "foreign.xlsx": fileOf(t, doctest.Foreign(t, ".xlsx")[0])} {
		var out bytes.Buffer
		report, err := sheet.Edit(bytes.NewReader(data), int64(len(data)), &out, ops, options)
		if err != nil {
			t.Fatal(err)
		}
		if r := report.Results; r[1].Range != "B2:F4" || r[1].Table != "sales" || !strings.HasPrefix(r[2].Table, "Table") {
			t.Errorf("%+v", r)
		}
		made[name] = out.Bytes()
		f := foreign(t, out.Bytes())
		tables, err := f.GetTables("New")
		if err != nil || len(tables) != 2 || tables[0].Name != "sales" || tables[0].Range != "B2:F4" || tables[1].Range != "B8:B9" {
			t.Errorf("%s: tables %+v, %v", name, tables, err)
		}
		for ref, want := range map[string]string{"B3": "2024-05-01", "B4": "2024-05-02 10:00:00", "D2": "sales2", "E2": "Column4", "F3": "=1"} {
			if got, _ := f.GetCellValue("New", ref); got != want {
				t.Errorf("%s: %s is %q, not %q", name, ref, got, want)
			}
		}
		pictures, err := f.GetPictures("New", "D5")
		if err != nil || len(pictures) != 1 || !bytes.Equal(pictures[0].File, dot.Bytes()) {
			t.Errorf("%s: %d pictures, %v", name, len(pictures), err)
		}
		info, err := open(t, out.Bytes()).Info()
		if last := info.Sheets[len(info.Sheets)-1]; err != nil || !last.Drawings || len(last.Tables) != 2 {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	for name, again := range doctest.Convert(t, made, "ods") {
		if len(again) == 0 {
			t.Errorf("%s is lost", name)
		}
	}
}

// TestTablesThatCannotBe changes nothing and says where the fault is.
func TestTablesThatCannotBe(t *testing.T) {
	data, _ := edit(t, blank(t), `[{"op": "add_table", "name": "sales", "values": [["a", "b"], [1, 2]]}]`)
	for ops, want := range map[string]string{
		`[{"op": "add_table", "values": [["x"]], "start": "B2"}]`:                  "overlaps the table sales (A1:B2)",
		`[{"op": "add_table", "values": [["x"]], "start": "D1", "name": "SALES"}]`: "already",
		`[{"op": "add_table", "values": [["x"]], "start": "D1", "name": "A1"}]`:    "cannot be the name",
		`[{"op": "add_table", "values": [["x"], [1, 2]], "start": "D1"}]`:          "row 1 has 2 values",
		`[{"op": "add_table", "values": [[]], "start": "D1"}]`:                     "no columns",
		`[{"op": "add_table", "values": [["x"]], "start": "A1048576"}]`:            "beyond the sheet",
		`[{"op": "add_picture", "picture": "a.png"}]`:                              "cannot be read here",
		`[{"op": "add_picture"}]`:                                                  "needs picture",
	} {
		if _, _, err := tryEdit(t, data, ops); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ops, err)
		}
	}
}

func fileOf(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
