package table

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// doc is a table with how it is written; faults change both.
type doc struct {
	header  []string
	rows    [][]string // as written
	want    [][]string // as they should be read
	delim   string
	quote   string
	all     bool // quotes around everything
	end     string
	before  string // lines before the table
	behind  string
	last    bool // no end of line at the end
	encode  func(string) []byte
	between func(i int) string // lines before row i
}

// fault is one thing that is wrong with a file.
type fault struct {
	group, name string // two faults of a group don't go together
	apply       func(d *doc)
}

func newDoc() *doc {
	d := &doc{delim: ",", quote: `"`, end: "\n", encode: func(s string) []byte { return []byte(s) }, between: func(int) string { return "" }}
	d.header = []string{"id", "customer", "amount", "day", "note"}
	for i := range 12 {
		note := []string{"fine", "paid late, twice", "žluťoučký kůň", "", "see invoice; wait"}[i%5]
		amount := fmt.Sprintf("%d.%02d", 10*i+3, i*7%100)
		row := []string{fmt.Sprint(i + 1), []string{"Ann", "Bob", "Cyd"}[i%3], amount, fmt.Sprintf("2024-03-%02d", i+1), note}
		d.rows = append(d.rows, row)
		d.want = append(d.want, append([]string(nil), row...))
	}
	return d
}

func faults() []fault {
	return []fault{
		{"delim", "semicolon", func(d *doc) { d.delim = ";" }},
		{"delim", "tab", func(d *doc) { d.delim = "\t" }},
		{"delim", "pipe", func(d *doc) { d.delim = "|" }},
		{"delim", "comma-blank", func(d *doc) { d.delim = ", " }},
		{"quote", "apostrophe", func(d *doc) { d.quote = "'" }},
		{"all", "all-quoted", func(d *doc) { d.all = true }},
		{"end", "crlf", func(d *doc) { d.end = "\r\n" }},
		{"end", "cr", func(d *doc) { d.end = "\r" }},
		{"last", "no-last-end", func(d *doc) { d.last = true }},
		{"before", "title", func(d *doc) { d.before = "Sales of March\n\n" }},
		{"before", "comments", func(d *doc) { d.before = "# made by a machine\n# at night, in March\n" }},
		{"before", "titles", func(d *doc) { d.before = "Sales of March\nAll regions, all shops\n" }},
		{"behind", "footer", func(d *doc) { d.behind = "\nend of the report\n" }},
		{"behind", "blank-end", func(d *doc) { d.behind = "\n\n\n" }},
		{"between", "blank-lines", func(d *doc) {
			d.between = func(i int) string {
				if i%4 == 2 {
					return "\n"
				}
				return ""
			}
		}},
		{"row", "short", func(d *doc) {
			d.rows[5] = d.rows[5][:3]
			d.want[5] = append(append([]string(nil), d.want[5][:3]...), missing, missing)
		}},
		{"row", "long", func(d *doc) {
			d.rows[6] = append(append([]string(nil), d.rows[6]...), "extra")
			d.want[6] = append(append([]string(nil), d.want[6]...), "extra")
		}},
		{"row", "newline", func(d *doc) { d.rows[7][4], d.want[7][4] = "one\ntwo", "one\ntwo" }},
		{"row", "quotes", func(d *doc) { d.rows[8][4], d.want[8][4] = `a "b" c`, `a "b" c` }},
		{"number", "decimal-comma", func(d *doc) {
			for i := range d.rows {
				d.rows[i][2] = strings.Replace(d.rows[i][2], ".", ",", 1)
			}
		}},
		{"date", "dmy", func(d *doc) {
			for i := range d.rows {
				if len(d.rows[i]) > 3 {
					d.rows[i][3] = fmt.Sprintf("%02d.03.2024", i+1)
				}
			}
		}},
		{"encoding", "mark", func(d *doc) { d.encode = func(s string) []byte { return []byte("\ufeff" + s) } }},
		{"encoding", "utf16", func(d *doc) {
			d.encode = func(s string) []byte {
				out := []byte{0xff, 0xfe}
				for _, u := range utf16.Encode([]rune(s)) {
					out = append(out, byte(u), byte(u>>8))
				}
				return out
			}
		}},
		{"encoding", "windows-1250", func(d *doc) {
			d.encode = func(s string) []byte {
				b, _ := charmap.Windows1250.NewEncoder().Bytes([]byte(s)) // it holds every letter used here
				return b
			}
		}},
		{"null", "words", func(d *doc) { d.rows[3][2], d.want[3][2] = "N/A", missing }},
		{"names", "twice", func(d *doc) { d.header[4] = "day" }},
	}
}

// bytes writes the file.
func (d *doc) bytes() []byte {
	var b strings.Builder
	line := func(cells []string) string {
		out := make([]string, len(cells))
		for j, c := range cells {
			plain := strings.TrimSpace(d.delim)
			if plain == "" {
				plain = d.delim
			}
			if d.all || strings.ContainsAny(c, plain+"\n"+d.quote) {
				c = d.quote + strings.ReplaceAll(c, d.quote, d.quote+d.quote) + d.quote
			}
			out[j] = c
		}
		return strings.Join(out, d.delim) + "\n"
	}
	b.WriteString(d.before)
	b.WriteString(line(d.header))
	for i, r := range d.rows {
		b.WriteString(d.between(i))
		b.WriteString(line(r))
	}
	b.WriteString(d.behind)
	text := b.String()
	if d.last {
		text = strings.TrimSuffix(text, "\n")
	}
	return d.encode(strings.ReplaceAll(text, "\n", d.end))
}

// table is what a careful person would make of it.
func (d *doc) table() [][]string {
	names := append([]string(nil), d.header...)
	if names[4] == names[3] {
		names[4] += "_1"
	}
	wide := len(names)
	for _, r := range d.want {
		wide = max(wide, len(r))
	}
	for len(names) < wide {
		names = append(names, fmt.Sprintf("column_%d", len(names)+1))
	}
	out := [][]string{names}
	for _, r := range d.want {
		row := append([]string(nil), r...)
		for j, c := range row {
			if c == "" {
				row[j] = missing
			}
			if d.end != "\n" {
				row[j] = strings.ReplaceAll(row[j], "\n", d.end)
			}
		}
		out = append(out, row)
	}
	return out
}

// madeCases are all faults alone and in pairs.
func madeCases() []messyCase {
	var out []messyCase
	all := faults()
	for i, a := range all {
		for _, b := range all[i:] {
			if a.group == b.group && a.name != b.name {
				continue
			}
			d := newDoc()
			kind, name := "pairs", a.name+"+"+b.name
			a.apply(d)
			if a.name != b.name {
				b.apply(d)
			} else {
				kind, name = "one fault", a.name
			}
			out = append(out, messyCase{kind, name, d.bytes(), d.table()})
		}
	}
	return out
}

// rowFaults break one record each, at several places of a longer table.
func rowFaults() []messyCase {
	var out []messyCase
	cell := func(i, j int) string {
		return [][]string{{fmt.Sprint(100 + i)}, {"Ann", "Bob", "Cyd"}, {fmt.Sprintf("%d.%02d", 5+i, i*13%100)}, {fmt.Sprintf("2023-07-%02d", i%28+1)}, {"north", "south"}, {"ok, all right", "plain", "see; below"}}[j][i%[]int{1, 3, 1, 1, 2, 3}[j]]
	}
	const rows, cols = 40, 6
	for _, quoted := range []bool{true, false} {
		field := func(s string) string {
			if quoted || strings.ContainsAny(s, `,"`) {
				return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
			}
			return s
		}
		for _, fault := range []string{"quote-at-end", "quote-at-start", "quote-inside", "quote-missing", "other-delimiter", "extra-field", "field-missing"} {
			for _, at := range []int{0, 7, rows - 1} {
				for _, col := range []int{1, 5} {
					lines := []string{strings.Join([]string{field("id"), field("name"), field("amount"), field("day"), field("side"), field("note")}, ",")}
					want := [][]string{{"id", "name", "amount", "day", "side", "note"}}
					for i := range rows {
						var raw, vals []string
						for j := range cols {
							v := cell(i, j)
							f := field(v)
							if i == at && j == col {
								f, v = spoil(fault, f, v)
							}
							raw, vals = append(raw, f), append(vals, v)
						}
						delim := ","
						if i == at {
							switch fault {
							case "other-delimiter":
								for j := range raw {
									raw[j] = strings.Trim(strings.ReplaceAll(strings.ReplaceAll(raw[j], ";", ""), ",", ""), `"`)
									vals[j] = raw[j]
								}
								delim = ";"
							case "extra-field":
								raw, vals = append(raw, "more"), append(vals, "more")
							case "field-missing":
								raw, vals = raw[:5], vals[:5]
							}
						}
						lines, want = append(lines, strings.Join(raw, delim)), append(want, vals)
					}
					if fault == "extra-field" {
						want[0] = append(want[0], "column_7")
					}
					out = append(out, messyCase{"rows", fmt.Sprintf("%s quoted=%v row %d column %d", fault, quoted, at, col), []byte(strings.Join(lines, "\n") + "\n"), want})
				}
			}
		}
	}
	return out
}

// spoil puts a quote too many, or too few, into a field.
func spoil(fault, raw, value string) (string, string) {
	switch fault {
	case "quote-at-end":
		return raw + `"`, value + `"`
	case "quote-at-start":
		return `"` + raw, `"` + value
	case "quote-inside":
		return strings.Replace(raw, value, value[:2]+`"`+value[2:], 1), value[:2] + `"` + value[2:]
	case "quote-missing":
		if strings.HasPrefix(raw, `"`) && !strings.Contains(value, ",") {
			return raw[:len(raw)-1], `"` + value
		}
	}
	return raw, value
}
