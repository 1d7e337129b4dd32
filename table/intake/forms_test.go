package intake

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// randomTable makes a table of up to six columns of different kinds, the first of
// which always has a value. Some texts hold delimiters, quotes and blanks.
func randomTable(rnd *rand.Rand) [][]string {
	kinds := []struct {
		name string
		cell func() string
	}{
		{"customer", func() string { return []string{"Ann", "Bob", "Cyd Brown", "O'Hara", "Dvořák"}[rnd.IntN(5)] }},
		{"qty", func() string { return fmt.Sprint(rnd.IntN(2000)) }},
		{"price", func() string { return fmt.Sprintf("%d.%02d", rnd.IntN(500), rnd.IntN(100)) }},
		{"day", func() string { return fmt.Sprintf("2024-%02d-%02d", 1+rnd.IntN(12), 1+rnd.IntN(28)) }},
		{"at", func() string { return fmt.Sprintf("2024-03-%02d 10:%02d:00", 1+rnd.IntN(28), rnd.IntN(60)) }},
		{"note", func() string {
			return []string{"fine", "late, twice", `says "no"`, "a; b", "", "x | y"}[rnd.IntN(6)]
		}},
		{"paid", func() string { return []string{"true", "false"}[rnd.IntN(2)] }},
	}
	rnd.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	head := []string{"id"}
	kinds = kinds[:1+rnd.IntN(5)]
	for _, k := range kinds {
		head = append(head, k.name)
	}
	out := [][]string{head}
	for i := range 4 + rnd.IntN(30) {
		row := []string{fmt.Sprint(i + 1)}
		for _, k := range kinds {
			row = append(row, k.cell())
		}
		out = append(out, row)
	}
	return out
}

// lines writes a table with a delimiter; all puts quotes around every text.
func lines(table [][]string, delim string, all bool) []string {
	var out []string
	mark := strings.Trim(delim, " ")
	for _, row := range table {
		cells := slices.Clone(row)
		for j, c := range cells {
			if mark != "" && strings.Contains(c, mark) || strings.ContainsAny(c, "\"\n") || mark == "" && strings.Contains(c, " ") || all && c != "" {
				cells[j] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
		}
		out = append(out, strings.Join(cells, delim))
	}
	return out
}

// form is a way of writing a table.
type form struct {
	name string
	text func(t [][]string) []byte
}

func forms() []form {
	join := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	around := func(before string, mid string, behind string) func([][]string) []byte {
		return func(t [][]string) []byte {
			l := lines(t, ",", false)
			k := len(l) / 2
			return []byte(before + strings.Join(l[:k], "\n") + "\n" + mid + strings.Join(l[k:], "\n") + "\n" + behind)
		}
	}
	out := []form{
		{"CR LF", func(t [][]string) []byte { return []byte(strings.Join(lines(t, ",", false), "\r\n")) }},
		{"CR", func(t [][]string) []byte { return []byte(strings.Join(lines(t, ",", false), "\r")) }},
		{"title", around("Report of the day\n\n", "", "")},
		{"titles", around("Report of the day\ncreated by somebody\n\n", "", "")},
		{"comments", around("# created by somebody\n", "# in the middle\n", "# the end\n")},
		{"footer", around("", "", "\nEnd of report\n")},
		{"blank line", around("", "\n", "")},
		{"sep", func(t [][]string) []byte { return append([]byte("sep=;\n"), join(lines(t, ";", false))...) }},
		{"delimiter at the end", func(t [][]string) []byte {
			return []byte(strings.Join(lines(t, ",", false), ",\n") + ",\n")
		}},
		{"delimiter at the header's end", func(t [][]string) []byte {
			l := lines(t, ",", false)
			l[0] += ","
			return join(l)
		}},
		{"header again", func(t [][]string) []byte {
			return join(lines(slices.Insert(slices.Clone(t), len(t)/2+1, t[0]), ",", false))
		}},
		{"decimal comma", func(t [][]string) []byte {
			var out [][]string
			for _, row := range t {
				row = slices.Clone(row)
				for j := range row {
					if t[0][j] == "price" {
						row[j] = strings.Replace(row[j], ".", ",", 1)
					}
				}
				out = append(out, row)
			}
			return join(lines(out, ";", false))
		}},
		{"UTF-16", func(t [][]string) []byte {
			var out []byte
			for _, u := range utf16.Encode([]rune(string(join(lines(t, ",", false))))) {
				out = append(out, byte(u), byte(u>>8))
			}
			return out
		}},
		{"windows-1250", func(t [][]string) []byte {
			b, _ := charmap.Windows1250.NewEncoder().Bytes(join(lines(t, ",", false))) // it holds every letter used here
			return b
		}},
	}
	for _, d := range []string{",", ";", "\t", "|", "~", "||", "\x1f", ", ", " "} {
		for _, all := range []bool{false, true} {
			out = append(out, form{fmt.Sprintf("%q, all quoted %v", d, all), func(t [][]string) []byte { return join(lines(t, d, all)) }})
		}
	}
	return out
}

// TestForms writes random tables in many ways, each of which has to give the
// values of the plain one.
func TestForms(t *testing.T) {
	for seed := range uint64(12) {
		table := randomTable(rand.New(rand.NewPCG(seed, 1)))
		_, want := read(t, write(t, "x.csv", []byte(strings.Join(lines(table, ",", false), "\n")+"\n")), Options{})
		if !strings.HasPrefix(want, "id:integer|") || strings.Count(want, "\n") != len(table) {
			t.Fatalf("seed %d: read as\n%s", seed, want)
		}
		for _, f := range forms() {
			if strings.HasPrefix(f.name, `" "`) && strings.Contains(want, "∅") {
				continue // there is no empty field between blanks
			}
			text := f.text(table)
			if _, got := read(t, write(t, "x.csv", text), Options{}); got != want {
				t.Errorf("seed %d, %s:\n%s\ngot\n%s\nwant\n%s", seed, f.name, text, got, want)
			}
		}
	}
}
