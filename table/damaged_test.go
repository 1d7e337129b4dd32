package table

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/table/intake"
)

// TestDamagedParquet: a damaged file is no fault of the statement, and is not
// called by the handle that the engine reads it through.
func TestDamagedParquet(t *testing.T) {
	ts, dir := newTables(t)
	path := filepath.Join(dir, "a.parquet")
	enginetest.Parquet(t, path, "SELECT i AS k, hash(i)::VARCHAR AS x FROM range(200000) t(i)")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := os.ReadFile(filepath.Join("..", "source", "lake", "testdata", "list_before_first_row.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	footer := len(whole) - 8 - int(binary.LittleEndian.Uint32(whole[len(whole)-8:]))
	for name, data := range map[string][]byte{
		"cut.parquet":   whole[:len(whole)/2],
		"short.parquet": whole[:8],
		"inner.parquet": append(whole[:footer/8:footer/8], whole[footer:]...), // its end is there
		"lists.parquet": lists,                                                // the engine would drop a value
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ts.Query(t.Context(), QueryRequest{Source: Source{Path: name}, Query: "SELECT max(x) FROM data"})
		var e *api.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Code != api.CodeReadFailed || strings.Contains(e.Message, "/proc/") || e.Hint == "" {
			t.Errorf("%s: %s: %s %s", name, e.Code, e.Message, e.Hint)
		}
	}
}

// TestDamagedWorkbook says what to check, whichever of its parts is missing.
func TestDamagedWorkbook(t *testing.T) {
	ts, dir := newTables(t)
	const book = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>`
	for name, parts := range map[string]map[string]string{
		"bare.xlsx":  {"xl/workbook.xml": book + `</sheets></workbook>`, "xl/_rels/workbook.xml.rels": `<Relationships/>`},
		"rels.xlsx":  {"xl/workbook.xml": book + `<sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`},
		"sheet.xlsx": {"xl/workbook.xml": book + `<sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`, "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="a.xml"/></Relationships>`},
	} {
		var packed bytes.Buffer
		z := zip.NewWriter(&packed)
		for part, text := range parts {
			w, err := z.Create(part)
			if err == nil {
				_, err = w.Write([]byte(text))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, packed.String())
		_, err := ts.Map(t.Context(), MapRequest{Source: Source{Path: name}})
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeReadFailed || e.Hint != intake.IsComplete {
			t.Errorf("%s: %v, %+v", name, err, e)
		}
	}
}
