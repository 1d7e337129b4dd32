package table

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/table/intake"
)

// TestWarnings pins what is said about files that can be read in more than one
// way, or not as a whole.
func TestWarnings(t *testing.T) {
	ts, dir := newTables(t)
	beside := "# A few\n# remarks\na;b\n" + strings.Repeat("# one\n1;3#of the first, and\n6;7#8;9;10\n# more\n", 60)
	for _, c := range []struct {
		name, text string
		o          intake.Options
		want       string
	}{
		{"one odd date", "id,d\n1,2024-01-01\n2,2024-01-02\n3,31/01/2024\n4,2024-01-04\n", intake.Options{}, `column "d" is text because of 1 cell: all others are date (line 4: "31/01/2024")`},
		{"years of two digits", "d,n\n01.02.70,1\n05.02.68,2\n", intake.Options{}, `column "d": years of two digits are read as 1969 to 2068`},
		{"a delimiter in every line", "a;b\n1;2\n3;4\n", intake.Options{}, ``},
		{"a delimiter in most lines", "a;b\n1;2\n3\n5;6\n7;8\n", intake.Options{}, "the format was guessed: it was read as semicolon-delimited text\n1 row has too few fields: the missing ones are null (line 3)"},
		{"a delimiter beside comments", beside, intake.Options{}, "almost every line has the delimiter \";\", and was read as one column [delimiter]"},
		{"a list in each cell", "note\nred; green\nblue; white\nblack; grey\n", intake.Options{}, ""},
		{"quoted texts with a comma", "\"a, b\"\n\"c, d\"\n\"e, f\"\n", intake.Options{}, ""},
		{"an order that fits no column", "d,n\n01/02/2024,1\n13/02/2024,2\n", intake.Options{DateFormat: "M/D/Y"}, `column "d": not every date is M/D/Y: read as D/M/Y (line 3: "13/02/2024")`},
		{"an order beside plain dates", "d,n\n2024-02-01,1\n2024-02-13,2\n", intake.Options{DateFormat: "M/D/Y"}, ``},
		{"errors of formulas", "id,x,y\n1,1.5,a\n2,#REF!,#REF!\n3,#N/A,b\n4,#DIV/0!,c\n", intake.Options{}, `2 errors of formulas are null in column "x", the first in line 3: #REF!`},
		{"infinity", "id,x\n1,1.5\n2,inf\n3,2\n", intake.Options{}, ``},
		{"groups or fractions", "id;x\n1;5,5\n2;5\n3;5.555\n4;5,5\n", intake.Options{}, `column "x" is ambiguous: no number has both a group and a fraction: a dot before three digits was read as a group, as in 1.234,5 [types]`},
		{"commas that divide values", "at,x\n1.5,\"1,7\"\n2.25,\"6,2\"\n", intake.Options{}, `column "x" is ambiguous: other columns have decimal dots: a comma was read as a decimal mark, as in 1.234,5, and may divide two values [types]`},
		{"comments", "# a\nx|y\n1|2\n# mid\n3|4\n# end\n", intake.Options{}, "1 line before the table was passed over, the first of them \"# a\"\n2 comments among the rows: left out (line 4: \"# mid\")"},
		{"short rows", "a,b,c\n1,2,3\n4,5\n7,8,9\n1\n2,2,2\n", intake.Options{}, "2 rows have too few fields: the missing ones are null (first in line 3)"},
		{"a long row", "a,b,c\n1,2,3\n4,5,6,7\n7,8,9\n", intake.Options{}, "1 row has too many fields: columns were added for them (line 3)"},
		{"a name too few", "name,qty,price\nx,2,3,n\ny,5,6,m\n", intake.Options{}, "1 column was renamed because its name was empty, not unique or not printable: column_4"},
		{"row names", "\"mpg\",\"cyl\"\n\"Mazda\",21,6\n\"Datsun\",22.8,4\n", intake.Options{}, "1 column was renamed because its name was empty, not unique or not printable: column_1"},
		{"codes", "id,code\n1,123\n2,456\n3,045\n4,789\n", intake.Options{}, ""},
		{"equal steps in either order", "d,v\n01/01/2024,1\n01/02/2024,2\n01/03/2024,3\n", intake.Options{}, `column "d" is ambiguous: the order of day and month is unclear in every date: read as D/M/Y, may be M/D/Y [date_format] [types]`},
		{"percents", "id,share\n1,10%\n2,20 %\n3,2.5 %\n", intake.Options{}, `column "share": numbers with a percent sign are text; replace(rtrim(x, ' %'), ',', '.')::DOUBLE in a statement computes with them`},
		{"signs for missing values", "id,n,m\n1,-,NA\n2,5,6\n3,?,7\n", intake.Options{}, `column "n": 2 cells are read as null, such as '-', '?'`},
		{"some percents", "id,share\n1,10%\n2,20 %\n3,new\n", intake.Options{}, ""},
		{"currencies", "id,price\n1,$3.50\n2,€4.50\n3,£5.50\n", intake.Options{}, `column "price": amounts in several currencies, or with and without one: the column is text`},
		{"nanoseconds in one column", "ts\n2024-01-01 10:00:00.123456789\n2024-01-02 10:00:00.123456780\n2024-01-03 11:00:00.000000001\n", intake.Options{}, `column "ts": no timestamp keeps more than six decimals of a second: its times are text`},
		{"a bad first record", "d,v\n2023-02-29,7O\n2024-01-01,5\n2024-01-02,6\n2024-01-03,7\n2024-01-04,8\n", intake.Options{}, "column \"d\" is text because of 1 cell: all others are date (line 2: \"2023-02-29\")\ncolumn \"v\" is text because of 1 cell: all others are integer (line 2: \"7O\")"},
		{"units", "mass,speed\nkg,m/s\n1,5\n2,6\n3,7\n", intake.Options{}, "the header takes 2 rows: the names in them were joined [header_line]"},
		{"drawn lines", "a,b\n---,---\n1,2\n---,---\n3,4\n---,---\n", intake.Options{}, `1 drawn line among the rows: left out (line 4: "---,---")`},
		{"two ways to say true", "id,x\n1,true\n2,yes\n3,false\n4,no\n5,true\n", intake.Options{}, `column "x": true or false and yes or no are mixed: the column is text`},
		{"one other way to say true", "id,x\n1,true\n2,yes\n3,false\n4,true\n5,true\n", intake.Options{}, `column "x" is text because of 1 cell: all others are boolean (line 3: "yes")`},
		{"remarks that nobody quoted", "name,city,remark\na,b,so it is, perhaps\nc,d,no\ne,f,well, no, yes\ng,h,x, y\n", intake.Options{}, "3 rows have too many fields: columns were added for them (first in line 2)"},
		{"names for which no row has a field", "name,city\nAnn lives in B\nBob lives in P\nCy lives in R\n", intake.Options{}, `3 rows have too few fields: the missing ones are null (first in line 2)`},
		{"words aligned by chance or not", "2024-01-01 host1 error    disk full\n2024-01-02 host2 warning  fan slow\n2024-01-03 host1 info     ok\n", intake.Options{}, "the text is aligned with blanks, and its columns were guessed: it was read as columns of fixed width [delimiter] [delimiter]"},
		{"the delimiter given", "2024-01-01 host1 error    disk full\n2024-01-02 host2 warning  fan slow\n2024-01-03 host1 info     ok\n", intake.Options{Delimiter: "  "}, ""},
		{"aligned in no way that is understood", "a  b  c d e\nf g  h\ni  j k  l m\nn o  p  q r s\n", intake.Options{}, "the text is aligned with blanks, and its columns were guessed: it was read as columns of fixed width [delimiter] [delimiter]"},
		{"sentences or columns", "This is prose.  It has two blanks\nafter each sentence.  Nobody wants\na table of it.  That would be odd.\n", intake.Options{}, "the text is aligned with blanks, and its columns were guessed: it was read as columns with 2 or more blanks between them [delimiter] [delimiter]"},
		{"a title above aligned columns", "Sales of May\n\nname     qty\nAnn        5\nBob Lee   12\n", intake.Options{}, "1 line before the table was passed over, the first of them \"Sales of May\""},
		{"text across a column", "name     city        qty\n-------- -------- ------\nAnn Lee  New York      5\nBartholomew Lee Wien  12\nBob      Prague        7\n", intake.Options{}, `1 row has text across the start of a column: split at blanks (line 4: "Bartholomew Lee Wien  12")`},
		{"lines saved as fields", "\"a,b\"\n\"1,2\"\n\"3,4\"\n", intake.Options{}, "each line is one quoted field, whose text was read as a record: comma-delimited text"},
		{"a remark among aligned rows", "name     qty\n-------- ---\nAnn Lee    5\nhere something is missing\nBob        7\n", intake.Options{}, "the format was guessed: it was read as columns of fixed width\n1 row has too few fields: the missing ones are null (line 4)"},
		{"two rows that can be the header", "Ministry,Finance,Draft\nid,name,qty\n1,Ann,5\n2,Bob,6\n3,Cyd,7\n", intake.Options{}, "line 2 could name the columns as well as line 1, which was taken [header_line]\ncolumns \"Ministry\" and \"Draft\" are text because of 2 cells: all others are integer (first in column \"Ministry\", line 2: \"id\")"},
		{"names below remarks", "Lots of people,,,,\nwho resist writing,,,,notes\nName,Profession,Age,Has kids,Born\nDavid Bowie,musician,69,true,1947-01-08\nCarrie Fisher,actor,60,true,1956-10-21\nChuck Berry,musician,90,true,1926-10-18\nBill Paxton,actor,61,true,1955-05-17\nPrince,musician,57,true,1958-06-07\n", intake.Options{}, "line 3 may name the columns, and was read as data [header_line]\ncolumn \"column_3\" is text because of 1 cell: all others are integer (line 3: \"Age\")\ncolumn \"column_4\" is text because of 1 cell: all others are boolean (line 3: \"Has kids\")"},
		{"quotes that do not end", "a,b\n\"x,1\ny,2\n\"z,3\n", intake.Options{}, `2 cells begin with a quote that does not end, which was kept as text (line 2: "\"x")`},
		{"the header line given", "Ministry,Finance,Draft\nid,name,qty\n1,Ann,5\n2,Bob,6\n3,Cyd,7\n", intake.Options{HeaderLine: 2}, "1 line before the table was passed over, the first of them \"Ministry,Finance,Draft\""},
		{"the first header line given", "Ministry,Finance,Draft\nid,name,qty\n1,Ann,5\n2,Bob,6\n3,Cyd,7\n", intake.Options{HeaderLine: 1}, "columns \"Ministry\" and \"Draft\" are text because of 2 cells: all others are integer (first in column \"Ministry\", line 2: \"id\")"},
		{"many lines before the table", strings.Repeat("a note\n", 70) + "\nid,name,qty\n" + strings.Repeat("1,Ann,5\n2,Bob,6\n", 50), intake.Options{}, `70 lines before the table were passed over, the first of them "a note"`},
		{"one line", "Ann,12 Main Street,Ely\n", intake.Options{}, "nothing follows the names of the columns [no_header]"},
		{"numbers that count", "store,1,2,3\nA,5,6,7\nB,5,8,9\n", intake.Options{}, "line 1 was taken for the names of the columns, and may be data [no_header]"},
		{"numbers in order", "store,101,102\nA,5,6\nB,5,8\n", intake.Options{}, "line 1 may name the columns, and was read as data [header_line]"},
		{"ranks", "A,1,2,3\nB,2,3,1\nC,3,1,2\n", intake.Options{}, ""},
		{"the header of numbers given", "store,101,102\nA,5,6\nB,5,8\n", intake.Options{HeaderLine: 1}, ""},
		{"years", "store,2021,2022\nA,5,6\nB,5,8\n", intake.Options{}, ""},
		{"rows of three texts", "Anna,Prague,mechanic\nBob,Brno,clerk\nCyril,Plzen,driver\n", intake.Options{}, "line 1 was taken for the names of the columns, and may be data [no_header]"},
		{"uneven rows of texts", "Anna,Prague,mechanic\nBob,Brno,clerk,nights\nCyril,Plzen,driver\nDana,Olomouc,nurse,days\n", intake.Options{}, "2 rows have too few fields: the missing ones are null (first in line 1)\nline 1 may name the columns, and was read as data [header_line]"},
		{"a row of totals", "Region;Amount\nNorth;10,50\nSouth;20,00\nEast;5,25\nTotal;35,75\n", intake.Options{}, `1 row has a word for a sum, the first in line 5: "Total"; sums over a column count what is in them twice, so leave them out`},
		{"totals of a pivot table", "Region;Q1\nSüd A;4\nSüd Ergebnis;4\nNord B;7\nNord Ergebnis;7\nGesamtergebnis;11\n", intake.Options{}, `3 rows have a word for a sum, the first in line 3: "Süd Ergebnis"; sums over a column count what is in them twice, so leave them out`},
		{"sub-totals in Russian", "a;b\nx;1\nИТОГО:;1\ny;2\nитого;2\n", intake.Options{}, `2 rows have a word for a sum, the first in line 3: "ИТОГО:"; sums over a column count what is in them twice, so leave them out`},
		{"a row of totals without numbers", "name,kind\ncity,text\ntotal,text\n", intake.Options{}, ""},
		{"a totally other word", "name,n\nTotally,1\nSumo,2\n", intake.Options{}, ""},
		{"a type given", "id,v\n1,2\n2,3\n3,x\n4,5\n5,6\n6,7\n", intake.Options{Types: map[string]string{"v": "integer"}}, "1 cell has no value of the type that was given, and is null"},
		{"two foreign letters", "id,name,qty\n1,Jos\xe9,2\n2,Mu\xf1oz,3\n", intake.Options{}, "the encoding is uncertain: read as iso-8859-1 (confidence 0.50) [encoding]"},
	} {
		write(t, dir, "x.csv", c.text)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "x.csv", Options: c.o}})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := strings.Join(warningsOf(m), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestMixedValuesOfJSON holds that a column is not text because of a few values without a
// word.
func TestMixedValuesOfJSON(t *testing.T) {
	ts, dir := newTables(t)
	rows := func(value, odd string) string {
		return strings.Repeat(`{"v": `+value+"}\n", 9) + `{"v": ` + odd + "}\n"
	}
	const near = `column "v" is text because of 1 cell: all others are `
	for _, c := range []struct {
		text  string
		types map[string]string
		want  string
	}{
		{rows("7", `"n/a"`), nil, near + `integer (such as "n/a")`},
		{rows("7.5", `"-"`), nil, near + `decimal (such as "-")`},
		{rows("true", `"unknown"`), nil, near + `boolean (such as "unknown")`},
		{rows("7", "true"), nil, near + "integer"},
		{rows(`"text"`, "7"), nil, ""}, // most are texts
		{rows("7", "null"), nil, ""},
		{rows("7", `"n/a"`), map[string]string{"v": "integer"}, "1 cell has no value of the type that was given, and is null"},
		{rows("7", `"n/a"`), map[string]string{"v": "string"}, ""},
	} {
		write(t, dir, "x.jsonl", c.text)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "x.jsonl", Options: intake.Options{Types: c.types}}})
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := strings.Join(warningsOf(m), "\n"); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// TestNumbersAboveEmptyRows are data, and name no column.
func TestNumbersAboveEmptyRows(t *testing.T) {
	ts, dir := newTables(t)
	for _, text := range []string{"7,8\n,\n,\n", "2024\n\n\n", "x;7\n;\n;\n", "7\n\"\"\n\"\"\n"} {
		write(t, dir, "x.csv", text)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "x.csv"}})
		if err != nil || m.HasHeader || m.RowCount != 3 {
			t.Errorf("%q: %+v, %v", text, m, err)
		}
	}
}

// TestOneWarningForManyColumns: what applies to many columns is said once, with the
// first of their names.
func TestOneWarningForManyColumns(t *testing.T) {
	ts, dir := newTables(t)
	const columns = 1000
	row := func(cell string) string { return strings.Repeat(cell+",", columns) + "\n" }
	names := &strings.Builder{}
	for i := range columns {
		fmt.Fprintf(names, "c%d,", i+1)
	}
	const which = `columns "c1", "c2", "c3", "c4", "c5" and 995 more`
	for name, c := range map[string]struct {
		text string
		o    intake.Options
		want []string
	}{
		"ambiguous numbers": {row("1.234") + row("5.678") + row("9.125"), intake.Options{}, []string{which + " are ambiguous: three digits follow every dot: read as 1234.5, may be 1.234,5 [types]"}},
		"ambiguous dates":   {row("01/02/2024") + row("01/02/2024"), intake.Options{}, []string{which + " are ambiguous: the order of day and month is unclear in every date: read as D/M/Y, may be M/D/Y [date_format] [types]"}},
		"short years":       {row("13.02.70") + row("14.02.68"), intake.Options{}, []string{which + ": years of two digits are read as 1969 to 2068"}},
		"another order":     {row("2/1/2024") + row("13/2/2024"), intake.Options{DateFormat: "M/D/Y"}, []string{which + `: not every date is M/D/Y: read as D/M/Y (first in column "c1", line 3: "13/2/2024")`}},
		"odd cells":         {row("1") + row("2") + row("x") + row("4"), intake.Options{}, []string{which + ` are text because of 1 000 cells: all others are integer (first in column "c1", line 4: "x")`}},
	} {
		write(t, dir, "x.csv", names.String()+"\n"+c.text)
		m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "x.csv", Options: c.o}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, text := range warningsOf(m) {
			if strings.HasPrefix(text, "column") {
				got = append(got, text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %d\n%s\nwant\n%s", name, len(got), strings.Join(got[:min(len(got), 5)], "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// warningsOf words the warnings of a map, each with the options that settle it.
func warningsOf(m *Map) []string {
	var out []string
	for _, w := range m.Caveats {
		for _, s := range w.Next {
			w.Text += " [" + s.Text("option") + "]"
		}
		out = append(out, w.Text)
	}
	return out
}

// TestNothingIsSaidOfDatesInTexts: years of a column that stays text are not read.
func TestNothingIsSaidOfDatesInTexts(t *testing.T) {
	ts, dir := newTables(t)
	if err := os.WriteFile(filepath.Join(dir, "v.csv"), []byte("v\n1-1-19\n1-1-20\n1-2-3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := ts.Map(context.Background(), MapRequest{Source: Source{Path: "v.csv"}})
	if err != nil || len(warningsOf(m)) > 0 {
		t.Errorf("%q, %v", warningsOf(m), err)
	}
}
