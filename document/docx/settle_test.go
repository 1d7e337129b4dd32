package docx_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/ooxml"
)

const trackedEdits = `{"op": "replace_text", "search": "sales", "replace": "costs"@}, {"op": "replace_text", "search": "gone ", "replace": ""@},
	{"op": "insert_paragraph", "after": "rise", "text": "between"@}, {"op": "append_bullets", "items": ["one", "two"]@},
	{"op": "append_table", "rows": [["x"], [1]]@}`

// TestChangesAreSettled accepts what was tracked, which gives what the same changes give
// without tracking, and refuses it, which gives the document of before.
func TestChangesAreSettled(t *testing.T) {
	before, _ := edit(t, blankDoc(t), `[{"op": "append_heading", "text": "net sales are gone up"}, {"op": "append_paragraph", "text": "sales rise"}, {"op": "append_paragraph", "text": "the end"}]`)
	plain, _ := edit(t, before, "["+strings.ReplaceAll(trackedEdits, "@", "")+"]")
	both, _ := edit(t, before, "["+strings.ReplaceAll(trackedEdits, "@", `, "track": "Kim"`)+"]")
	accepted, report := edit(t, both, `[{"op": "accept_changes"}]`)
	if got, want := read(t, accepted, ""), read(t, plain, ""); got != want || report.Results[0].Settled < 10 {
		t.Errorf("accepted: %+v\n%s\nnot\n%s", report, got, want)
	}
	refused, _ := edit(t, both, `[{"op": "reject_changes", "author": "Kim"}]`)
	if got, want := read(t, refused, ""), read(t, before, ""); got != want {
		t.Errorf("refused:\n%s\nnot\n%s", got, want)
	}
	for name, data := range map[string][]byte{"accepted": accepted, "refused": refused} {
		if part := text(t, data, "word/document.xml"); strings.Contains(part, "w:author") || strings.Contains(part, "delText") {
			t.Errorf("%s: changes are left in %s", name, part)
		}
		var out bytes.Buffer
		_, err := docx.Edit(bytes.NewReader(data), int64(len(data)), &out, []docx.Operation{{Op: docx.AcceptChanges}}, docx.Options{})
		if err == nil || !strings.Contains(err.Error(), "no tracked changes") {
			t.Errorf("%s again: %v", name, err)
		}
	}
}

// TestChangesOfOthersAreSettled knows what other programs track.
func TestChangesOfOthersAreSettled(t *testing.T) {
	const who = ` w:id="1" w:author="A" w:date="2024-01-01T00:00:00Z"`
	body := `<w:p><w:pPr><w:jc w:val="left"/><w:rPr><w:del` + who + `/></w:rPr><w:pPrChange` + who + `><w:pPr><w:jc w:val="right"/></w:pPr></w:pPrChange></w:pPr><w:r><w:t>first</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:b/><w:rPrChange` + who + `><w:rPr><w:i/></w:rPr></w:rPrChange></w:rPr><w:t>second</w:t></w:r>` +
		`<w:moveFrom` + who + `><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:moveTo w:id="2" w:author="B"><w:r><w:t>there</w:t></w:r></w:moveTo></w:p>` +
		`<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:trPr><w:del` + who + `/></w:trPr><w:tc><w:p><w:r><w:t>row</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>`
	p, err := ooxml.Open(bytes.NewReader(blankDoc(t)), int64(len(blankDoc(t))))
	if err != nil {
		t.Fatal(err)
	}
	main, _ := p.Read("word/document.xml")
	at := bytes.Index(main, []byte("<w:body>")) + len("<w:body>")
	p.Set("word/document.xml", append(append(append([]byte{}, main[:at]...), body...), main[at:]...))
	var made bytes.Buffer
	if err := p.Write(&made); err != nil {
		t.Fatal(err)
	}
	for ops, want := range map[string]string{
		`[{"op": "accept_changes"}]`: `<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:t>first</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>second</w:t></w:r><w:r><w:t>there</w:t></w:r></w:p><w:p/>`,
		`[{"op": "reject_changes"}]`: `<w:p><w:pPr><w:jc w:val="right"/><w:rPr></w:rPr></w:pPr><w:r><w:t>first</w:t></w:r></w:p><w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:i/></w:rPr><w:t>second</w:t></w:r><w:r><w:t>moved</w:t></w:r></w:p>` +
			`<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:trPr></w:trPr><w:tc><w:p><w:r><w:t>row</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>`,
		`[{"op": "reject_changes", "author": "B"}]`: `<w:moveFrom w:id="1" w:author="A"><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>`,
	} {
		data, _ := edit(t, made.Bytes(), ops)
		if got := text(t, data, "word/document.xml"); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in\n%s", ops, want, got)
		}
	}
}
