package docx_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/testing/doctest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/docx"
)

func edit(t testing.TB, data []byte, ops string) ([]byte, *docx.Report) {
	t.Helper()
	var all []docx.Operation
	if err := json.Unmarshal([]byte(ops), &all); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	report, err := docx.Edit(bytes.NewReader(data), int64(len(data)), &out, all, docx.Options{Picture: func(name string) ([]byte, error) { return os.ReadFile(name) }})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), report
}

func read(t testing.TB, data []byte, section string) string {
	t.Helper()
	d, err := docx.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Read(section)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const memo = `[
	{"op": "append_paragraph", "text": "Memo", "style": "Title"},
	{"op": "append_heading", "text": "Findings"},
	{"op": "append_paragraph", "text": "Delays <grew> & grew."},
	{"op": "append_bullets", "items": ["one", "\ttwo", "three"]},
	{"op": "append_heading", "text": "Details", "level": 2},
	{"op": "append_numbered", "items": ["first", "second"]},
	{"op": "append_numbered", "items": ["again"]},
	{"op": "append_table", "rows": [["carrier", "flights"], ["AA", 12.5], ["a|b", null]]},
	{"op": "append_heading", "text": "End"},
	{"op": "append_paragraph", "section": "Findings", "text": "The last of the findings."},
	{"op": "insert_paragraph", "before": "Delays", "text": "Before."},
	{"op": "insert_heading", "after": "Before.", "text": "Why", "level": 2}
]`

const memoText = `# Memo

# Findings

Before.

## Why

Delays <grew> & grew.

- one
   - two
- three

## Details

1. first
2. second
1. again

| carrier | flights |
| --- | --- |
| AA | 12.5 |
| a\|b |  |

The last of the findings.

# End
`

func TestADocumentIsWrittenAndRead(t *testing.T) {
	blank, err := docx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	data, _ := edit(t, blank, memo)
	if got := read(t, data, ""); got != memoText {
		t.Errorf("read:\n%s", got)
	}
	if got := read(t, data, "details"); !strings.HasPrefix(got, "## Details\n") || strings.Contains(got, "# End") {
		t.Errorf("the section is:\n%s", got)
	}
}

// TestForeignDocuments reads and changes documents that other programs made. What a
// change does not touch stays packed by the same bytes, and LibreOffice shows it.
func TestForeignDocuments(t *testing.T) {
	results, originals := map[string][]byte{}, map[string][]byte{}
	for i, path := range doctest.Foreign(t, ".docx", ".docm") {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := docx.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if !doctest.Refused(t, path, err) {
				t.Errorf("%s: %v", path, err)
			}
			continue
		}
		if _, err := d.Outline(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		before := read(t, data, "")
		out, _ := edit(t, data, `[{"op": "append_heading", "text": "Added heading"}, {"op": "append_bullets", "items": ["added bullet"]},
			{"op": "append_table", "rows": [["added", "cell"], [1, 2]]}, {"op": "append_paragraph", "text": "added paragraph"}]`)
		after := read(t, out, "")
		const added = "# Added heading\n\n- added bullet\n\n| added | cell |\n| --- | --- |\n| 1 | 2 |\n\nadded paragraph\n"
		if first, _, _ := strings.Cut(before, "\n"); !strings.HasPrefix(after, first) || !strings.Contains(after, added) {
			t.Errorf("%s: after the change it reads\n%s", path, after)
		}
		for _, part := range doctest.Touched(t, data, out, "numbering", "styles") {
			t.Errorf("%s: the change touched %s", path, part)
		}
		name := fmt.Sprintf("%03d-%s", i, filepath.Base(path))
		results[name], originals[name] = out, data
	}
	t.Logf("%d documents are changed", len(results))
	for name, text := range doctest.ConvertChanged(t, results, originals, "txt:Text") {
		if !bytes.Contains(text, []byte("Added heading")) || !bytes.Contains(text, []byte("added paragraph")) {
			t.Errorf("%s: LibreOffice does not show what was added:\n%s", name, text)
		}
	}
}

// TestMainPartsOfOtherNames changes a document whose main part is called otherwise, and
// what may change of it.
func TestMainPartsOfOtherNames(t *testing.T) {
	data, err := ooxml.New("word/b.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
		`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Text</w:t></w:r></w:p></w:body></w:document>`)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := edit(t, data, `[{"op": "append_bullets", "items": ["added bullet"]}]`)
	if changed := doctest.Differing(t, data, out); !slices.Contains(changed, "word/b.xml") {
		t.Errorf("changed are %q", changed)
	}
	if touched := doctest.Touched(t, data, out, "numbering", "styles"); len(touched) > 0 {
		t.Errorf("touched are %q, too", touched)
	}
	if touched := doctest.Touched(t, data, out); len(touched) == 0 {
		t.Error("nothing else was touched, though the document got numbers")
	}
}

// document is a small one with that body.
func document(t testing.TB, body string) []byte {
	t.Helper()
	data, err := ooxml.New("word/document.xml", "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
		`<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>`+body+`</w:body></w:document>`)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestReplaceRunsAcross replaces text that is divided into runs in every way.
func TestReplaceRunsAcross(t *testing.T) {
	const bold = `<w:rPr><w:b/></w:rPr>`
	run := func(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }
	for name, c := range map[string]struct{ body, op, want string }{
		"three runs":           {run("Dear {na") + `<w:r>` + bold + `<w:t>me</w:t></w:r>` + run("}, hello"), `"search": "{name}", "replace": "Ann"`, "Dear Ann, hello"},
		"the first's format":   {`<w:r>` + bold + `<w:t>{n</w:t></w:r>` + run("}!"), `"search": "{n}", "replace": "X"`, "**X**!"},
		"a tab between":        {`<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>`, `"search": "a\tb", "replace": "c"`, "c"},
		"only a tab":           {`<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>`, `"search": "\t", "replace": ": "`, "a: b"},
		"a leading tab":        {`<w:r><w:tab/><w:t>b</w:t></w:r>`, `"search": "\t", "replace": "x"`, "xb"},
		"a line end":           {run("a b"), `"search": " ", "replace": "\n"`, "a\nb"},
		"in a link":            {`<w:hyperlink w:anchor="x">` + run("he") + `</w:hyperlink>` + run("llo"), `"search": "hello", "replace": "bye"`, "bye"},
		"not what is deleted":  {run("a") + `<w:del><w:r><w:delText>x</w:delText></w:r></w:del>` + run("b"), `"search": "ab", "replace": "c"`, "c"},
		"inserted":             {run("a") + `<w:ins>` + run("b") + `</w:ins>`, `"search": "ab", "replace": "c"`, "c"},
		"find, the older name": {run("a"), `"find": "a", "replace": "b & <c>"`, "b & <c>"},
		"any case":             {run("Straße STRAßE"), `"search": "straße", "any_case": true, "replace": "road"`, "road road"},
		"the first alone":      {run("x x"), `"search": "x", "first": true, "replace": "y"`, "y x"},
		"grows":                {run("aaa"), `"search": "a", "replace": "aa"`, "aaaaaa"},
		"to nothing":           {run("a b"), `"search": " b", "replace": ""`, "a"},
		"a control":            {`<w:sdt><w:sdtPr/><w:sdtContent>` + run("in") + `</w:sdtContent></w:sdt>` + run("side"), `"search": "inside", "replace": "out"`, "out"},
	} {
		out, report := edit(t, document(t, `<w:p>`+c.body+`</w:p>`), `[{"op": "replace_text", `+c.op+`}]`)
		if got := strings.TrimSuffix(read(t, out, ""), "\n"); got != c.want || report.Results[0].Replaced == 0 {
			t.Errorf("%s: %q, %+v", name, got, report.Results)
		}
	}
}

// TestTextInTwoForms: a text box stands in a document twice, for new programs and
// for old. Both are changed, one is read.
func TestTextInTwoForms(t *testing.T) {
	box := `<w:txbxContent><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>`
	data := document(t, `<w:p><w:r><w:t>outside</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>`+box+
		`</w:drawing></mc:Choice><mc:Fallback><w:pict>`+box+`</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`)
	out, report := edit(t, data, `[{"op": "replace_text", "search": "box", "replace": "frame"}]`)
	if got := read(t, out, ""); got != "outside\n\nin the frame\n" || report.Results[0].Replaced != 1 {
		t.Errorf("%q, %+v", got, report)
	}
	p, err := ooxml.Open(bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Read("word/document.xml"); err != nil || bytes.Contains(text, []byte("box<")) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestTheEndIsTheEnd: some programs write the layout of the pages first. What is
// appended stands behind all else even so.
func TestTheEndIsTheEnd(t *testing.T) {
	const layout, text = `<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>`, `<w:p><w:r><w:t>first</w:t></w:r></w:p>`
	for _, body := range []string{layout + text, text + layout, text} {
		out, _ := edit(t, document(t, body), `[{"op": "append_paragraph", "text": "second"}, {"op": "append_paragraph", "text": "third"}]`)
		if got := read(t, out, ""); got != "first\n\nsecond\n\nthird\n" {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// TestMistakesAreNamed: an error says which operation cannot be carried out, why,
// and what would help; nothing is written.
func TestMistakesAreNamed(t *testing.T) {
	data, _ := edit(t, document(t, `<w:p><w:r><w:t>twice</w:t></w:r></w:p><w:p><w:r><w:t>twice</w:t></w:r></w:p>`), `[{"op": "append_heading", "text": "One"}, {"op": "append_heading", "text": "One"}]`)
	for op, want := range map[string]string{
		`{"op": "replace_text", "search": "none"}`:                  `operation 2 (replace_text): "none" does not occur in the document`,
		`{"op": "replace_text"}`:                                    "operation 2 (replace_text): replace_text needs search",
		`{"op": "append_paragraph", "text": "x", "style": "Fancy"}`: `operation 2 (append_paragraph): the document has no paragraph style "Fancy"`,
		`{"op": "append_paragraph", "text": "x", "section": "Two"}`: `operation 2 (append_paragraph): no section is headed "Two"`,
		`{"op": "append_paragraph", "text": "x", "section": "one"}`: `operation 2 (append_paragraph): two sections are headed "one"`,
		`{"op": "insert_paragraph", "text": "x", "after": "twice"}`: `operation 2 (insert_paragraph): 2 paragraphs have the text "twice"`,
		`{"op": "insert_paragraph", "text": "x"}`:                   "operation 2 (insert_paragraph): insert_paragraph needs after or before",
		`{"op": "append_paragraph", "text": "x\u0001"}`:             "operation 2 (append_paragraph): the text has the control character U+0001 at byte 1, which an office document cannot hold",
		`{"op": "append_picture", "picture": "docx_test.go"}`:       "operation 2 (append_picture): the picture is not a PNG, JPEG or GIF",
		`{"op": "append_table", "rows": [[{"a": 1}]]}`:              "operation 2 (append_table): a cell is a text, a number, true, false or null, not map[string]interface {}",
		`{"op": "explode"}`:                                         `operation 2 (explode): there is no operation "explode"`,
	} {
		var ops []docx.Operation
		if err := json.Unmarshal([]byte(`[{"op": "append_paragraph", "text": "fine"}, `+op+`]`), &ops); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		_, err := docx.Edit(bytes.NewReader(data), int64(len(data)), &out, ops, docx.Options{Picture: os.ReadFile})
		if e, ok := err.(*api.Error); !ok || e.Message != want || e.Code != api.CodeValidation || e.Details["operation"] != 2 || out.Len() > 0 {
			t.Errorf("%s: %v", op, err)
		}
	}
	var ops []docx.Operation
	if err := json.Unmarshal([]byte(`[{"op": "replace_text", "serach": "x"}]`), &ops); err == nil {
		t.Error("a field that is misspelt is passed over")
	}
}
