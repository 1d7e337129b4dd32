package cli

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/internal/testing/testneed"
)

// Of each table the first rows stand within sentences, the others in a table.
const (
	checkedRows = 20
	inSentences = 4
	// Of each kind of change so many figures of a file are changed.
	changedFigures = 5
)

// checkedKinds are the ways in which da writes figures into a file. PDF files are
// printed from the first file that is named.
var checkedKinds = []struct{ name, made, file string }{
	{"report", "", ".xlsx"}, {"report", "", ".docx"}, {"report", "", ".pptx"}, {"report", "", ".html"},
	{"add", "", ".xlsx"}, {"add", "", ".docx"}, {"add", "", ".pptx"}, {"query", "", ".xlsx"},
	{"report", ".docx", ".pdf"}, {"report", ".pptx", ".pdf"},
}

// TestFiguresOfTenKinds writes files of ten kinds, saves them by LibreOffice, changes
// figures in them and in the data, and holds that just these are found. DA_FIGURES=10
// makes so many files of each kind.
func TestFiguresOfTenKinds(t *testing.T) {
	t.Parallel()
	each := 1
	if n, err := strconv.Atoi(os.Getenv("DA_FIGURES")); err == nil {
		each = n
	}
	var all campaign
	for i := range each {
		for _, kind := range checkedKinds {
			t.Run(fmt.Sprintf("%s%s%s %d", kind.name, kind.made, kind.file, i), func(t *testing.T) {
				if kind.file == ".pdf" {
					testneed.Program(t, "soffice")
				}
				c := checkedFile{t: t, p: newPlace(t), random: rand.New(rand.NewPCG(uint64(i), uint64(len(kind.name)+len(kind.file)+len(kind.made)))), made: kind.made, file: "f" + kind.file}
				c.run(kind.name, &all)
			})
		}
	}
	t.Logf("%d files with %d figures: %d of %d changed ones found, %d false alarms; %d of %d files survived LibreOffice",
		all.files, all.figures, all.found, all.changed, all.alarms, all.survived, all.saved)
	if all.found != all.changed || all.alarms > 0 || all.survived*100 < all.saved*95 {
		t.Error("not all of them, or too many")
	}
}

// campaign counts.
type campaign struct{ files, figures, changed, found, alarms, saved, survived int }

type checkedFile struct {
	t      *testing.T
	p      *place
	random *rand.Rand
	made   string // what a PDF file is printed from
	file   string
	rows   []string // amounts
}

func (c *checkedFile) run(kind string, all *campaign) {
	for len(c.rows) < checkedRows {
		if amount := fmt.Sprintf("%d.%d", 1_000_000+c.random.IntN(8_000_000), 1+c.random.IntN(9)); !slices.Contains(c.rows, amount) {
			c.rows = append(c.rows, amount)
		}
	}
	c.load(c.rows)
	c.write(kind)
	all.files++
	if got := c.check(); len(got.Changed) > 0 {
		all.alarms += len(got.Changed)
		c.t.Errorf("unchanged: %+v", got.Changed)
	}
	if c.resave() {
		all.saved++
		if got := c.check(); len(got.Changed) == 0 && got.Unchanged >= checkedRows {
			all.survived++
		} else {
			c.t.Errorf("after LibreOffice: %d unchanged, %+v", got.Unchanged, got.Changed)
		}
	}
	typed, drifted := map[string]bool{}, map[string]bool{}
	now := slices.Clone(c.rows)
	for n, i := range c.random.Perm(checkedRows)[:2*changedFigures] {
		if n < changedFigures {
			typed[c.rows[i]] = true
		} else {
			drifted[c.rows[i]] = true
			now[i] = "7" + now[i]
		}
	}
	c.typeOver(typed)
	c.load(now)
	got := c.check()
	all.figures += got.Figures
	all.changed += len(typed) + len(drifted)
	for _, change := range got.Changed {
		of := map[figures.Status]map[string]bool{figures.TypedOver: typed, figures.Drifted: drifted}[change.Status]
		if !of[change.Written] {
			all.alarms++
			c.t.Errorf("a false alarm: %+v", change)
			continue
		}
		all.found++
		delete(of, change.Written)
	}
	if len(typed)+len(drifted) > 0 {
		c.t.Errorf("not found: typed over %v, drifted %v", typed, drifted)
	}
}

// load makes the rows a snapshot.
func (c *checkedFile) load(amounts []string) {
	text := "id,name,amount\n"
	for i, amount := range amounts {
		text += fmt.Sprintf("%d,%s,%s\n", i, []string{"north", "south", "east"}[i%3], amount)
	}
	c.p.write(c.t, "rows.csv", text)
	c.p.ok("snapshot", "import", "rows.csv", "--as", "rows", "--force")
}

const tableOfRows = "SELECT id, name, amount FROM rows WHERE id >= 4 ORDER BY id"

// write makes the file, in which each amount stands once.
func (c *checkedFile) write(kind string) {
	source := c.file
	if c.made != "" {
		source = "f" + c.made
	}
	format := filepath.Ext(source)
	if kind == "query" {
		c.p.ok("query", "SELECT id, name, amount FROM rows", "--out", source)
		return
	}
	if kind == "add" {
		c.p.ok("files", "add", source, "FROM rows", "--create", "--title", "All of them")
		c.p.ok("files", "get", source)
		return
	}
	value := func(i int) string { return fmt.Sprintf("{{ value: SELECT amount FROM rows WHERE id = %d }}", i) }
	var ops []any
	page := "<html><body>"
	for i := range inSentences {
		text := fmt.Sprintf("Part %d of %d is %s, as said.", i, i+1, value(i))
		page += "<p>" + text + "</p>\n"
		switch format {
		case ".docx":
			ops = append(ops, map[string]any{"op": "append_paragraph", "text": text})
		case ".pptx":
			ops = append(ops, map[string]any{"op": "add_slide", "title": text, "text": "Nothing."})
		case ".xlsx":
			ops = append(ops, map[string]any{"op": "set_cells", "cells": []any{map[string]any{"cell": fmt.Sprintf("B%d", 2+i), "value": text}}})
		}
	}
	table := "{{ table: " + tableOfRows + " }}"
	switch format {
	case ".docx":
		ops = append(ops, map[string]any{"op": "append_paragraph", "text": table}, map[string]any{"op": "append_paragraph", "text": "The end."})
	case ".pptx":
		ops = append(ops, map[string]any{"op": "add_slide", "title": "All", "text": table})
	case ".xlsx":
		ops = append(ops, map[string]any{"op": "set_cells", "cells": []any{map[string]any{"cell": "C9", "value": table}}})
	case ".html":
		c.p.write(c.t, "t.html", page+table+"<p>The end.</p></body></html>\n")
	}
	if format != ".html" {
		text, err := json.Marshal(ops)
		if err != nil {
			c.t.Fatal(err)
		}
		c.p.ok("files", "edit", "t"+format, "--create", "--operations", string(text))
		c.p.ok("files", "get", "t"+format)
	}
	c.p.ok("report", "t"+format, "--out", source)
	if c.made != "" {
		c.print(source)
	}
}

// print makes a PDF file of another one.
func (c *checkedFile) print(source string) {
	c.p.ok("files", "put", source)
	c.p.ok("files", "render", source, "--out", c.file, "--force")
}

func (c *checkedFile) check() (out figures.Checked) {
	said := c.p.run("report", "check", c.file, "--json")
	if err := json.Unmarshal([]byte(said.stdout), &out); err != nil {
		c.t.Fatal(said)
	}
	if want := map[bool]int{true: 0, false: 10}[len(out.Changed) == 0]; said.code != want {
		c.t.Errorf("the exit code is %d, not %d", said.code, want)
	}
	return out
}

// resave has LibreOffice save the file. It saves no PDF files, and is not there on
// every machine.
func (c *checkedFile) resave() bool {
	if c.made != "" {
		return false
	}
	if _, err := exec.LookPath("soffice"); err != nil {
		return false
	}
	to := strings.TrimPrefix(filepath.Ext(c.file), ".")
	if to == "html" {
		to = `html:HTML (StarWriter)`
	}
	saved := filepath.Join(c.p.dir, "saved")
	cmd := exec.Command("soffice", "-env:UserInstallation=file://"+c.t.TempDir(), "--headless", "--convert-to", to, "--outdir", saved, filepath.Join(c.p.dir, c.file))
	if said, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, said)
	}
	if err := os.Rename(filepath.Join(saved, c.file), filepath.Join(c.p.dir, c.file)); err != nil {
		c.t.Fatal(err)
	}
	return true
}

// typeOver changes figures in the file as it is stored.
func (c *checkedFile) typeOver(written map[string]bool) {
	source := c.file
	if c.made != "" {
		source = "f" + c.made
	}
	path := filepath.Join(c.p.dir, source)
	data, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	change := func(text []byte) []byte {
		for amount := range written {
			text = bytes.ReplaceAll(text, []byte(amount), []byte("9"+amount))
		}
		return text
	}
	if filepath.Ext(source) == ".html" {
		data = change(data)
	} else {
		data = rezipped(c.t, data, change)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		c.t.Fatal(err)
	}
	if c.made != "" {
		c.print(source)
	}
}

// rezipped changes the XML of the parts with texts.
func rezipped(t *testing.T, data []byte, change func([]byte) []byte) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, f := range from.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(f.Name, "docProps/") {
			part = change(part)
		}
		w, err := to.Create(f.Name)
		if err == nil {
			_, err = w.Write(part)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
