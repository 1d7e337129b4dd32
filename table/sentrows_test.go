package table

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestRowsOfFilesAsPeopleSendThem pins names, first rows and kinds of caveats of files
// that were once read wrong: encodings, escapes, NULs, titles, units, repeated headers.
func TestRowsOfFilesAsPeopleSendThem(t *testing.T) {
	for name, want := range map[string]struct {
		rows  int64
		reads string // the names, and the first rows
		kinds string // of what is said
	}{
		"arabic_cp1256.csv":                         {8, `[code name people] [["BE" "بلجيكا" 11] ["BG" "بلغاريا" 7]`, ""},
		"backslash_letters_comma.csv":               {1, `[a\tb c\nd e] [["1\\r2" "3\\4" 5]]`, ""},
		"backslash_n_comma.csv":                     {3, `[id memo n] [[1 "Smith, John" 5] [2 "first line\\nsecond line" 6] [3 "tab\\there" 7]]`, ""},
		"copy_text_with_quote.tsv":                  {3, `[column_1 column_2 column_3 column_4] [[1 "abc" "first line\nsecond line" null] [2 "xyz" "C:\\dir\\new" "a"] [3 "uvw" "\"said\"" "e"]]`, "guessed"},
		"cp1252_three_letters.csv":                  {2, `[a b c] [[1 2 "3"] [4 5 "æøå"]]`, "guessed"},
		"greek_8859_7.csv":                          {5, `[πόλη περιοχή κάτοικοι] [["Άργος" "Πελοπόννησος" 22209] ["Άρτα" "Ήπειρος" 21895]`, ""},
		"greek_cp1253.csv":                          {5, `[κωδικός όνομα ποσό] [[1 "Άγιος Βαρθολομαίος" 5]`, ""},
		"hash_header.csv":                           {3, `[# Name Points] [[1 "Ann" 5]`, ""},
		"header_of_week_numbers.csv":                {3, `[store 1 2 3 4] [["A" 10 20 30 40]`, "guessed"},
		"header_pandas_integer_labels.csv":          {3, `[column_1 0 1 2] [[0 1.5 2.5 3.5]`, "renamed guessed"},
		"header_repeated_every_second_line.csv":     {3, `[id amt name] [[1 2.5 "x"] [3 4.5 "y"] [5 6.5 "z"]]`, "unread"},
		"koi8u_cities.csv":                          {6, `[місто країна населення] [["Київ" "Україна" 2952301]`, ""},
		"nul_and_latin1.csv":                        {4, `[name note n] [["Anna" "fine" 1] ["Bo" "café" 2] ["Cy" "x\u0000" 3]`, "guessed"},
		"nul_in_latin1_60_rows.csv":                 {60, `[id name town amount] [[0 "Customer" "München" 0.50]`, "guessed"},
		"quoted_tsv_backslash_t.tsv":                {3, `[expr secs] [["read(file, sep = \"\\t\", quote = \"\")" 1.5]`, ""},
		"records_behind_blank.csv":                  {6, `[k v w] [[1 2 "a"] [3 4 "b"] [5 6 "c"]`, "unread"},
		"single_quote_rare.tsv":                     {4, `[name note n] [["Vole" "Vole " 1] ["Mole" "O'Hare" 2]`, ""},
		"title_then_blanks.txt":                     {12, `[column_1 column_2 column_3 column_4 column_5] [["K0" "old elm" 4194 false "2024-01-10"]`, "unread"},
		"underflow_to_zero.csv":                     {2, `[a] [["1e-400"] ["2.5"]]`, ""},
		"units_percent.csv":                         {3, `[a % b % c %] [[10 120.50 118]`, "guessed"},
		"urls_split_at_semicolon.csv":               {3, `[url] [["http://a.example.com/x?y=1;z=2"]`, ""},
		"warning_about_dates_for_a_text_column.csv": {3, `[v] [["1-1-19"] ["1-1-20"] ["1-2-3"]]`, ""},
	} {
		ts, dir := newTables(t)
		data, err := os.ReadFile(filepath.Join("testdata", "sent", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: name}})
		if err != nil {
			t.Fatal(err)
		}
		var names, kinds []string
		for _, c := range m.Columns {
			names = append(names, c.Name)
		}
		for _, c := range m.Caveats {
			kinds = append(kinds, string(c.Kind))
		}
		rows, err := ts.Rows(context.Background(), RowsRequest{Source: Source{Path: name}, RowStart: 1, RowCount: 3})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %s", names, rows.Rows)
		if m.RowCount != want.rows || !strings.HasPrefix(got, want.reads) || strings.Join(kinds, " ") != want.kinds {
			t.Errorf("%s: %d rows, %s, %s", name, m.RowCount, got, kinds)
		}
	}
}

// TestTypesThatAreNotRead are named, with what to write in their place.
func TestTypesThatAreNotRead(t *testing.T) {
	const none = "a type of its columns is not read: "
	for name, want := range map[string]string{"decimal_45_digits.arrow": none + `"d" decimal256(45, 2)`, "float_16_bits.arrow": none + `"d" float16`,
		"bson.parquet": "Unsupported converted type (20)"} {
		ts, dir := newTables(t)
		data, err := os.ReadFile(filepath.Join("testdata", "sent", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = ts.Map(context.Background(), MapRequest{Source: Source{Path: name}})
		var e *api.Error
		if !errors.As(err, &e) || !strings.HasSuffix(e.Message, want) || !strings.Contains(e.Hint, "as text") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
