package docx_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/ooxml"
)

// text is a part of a document, without the times of changes.
func text(t testing.TB, data []byte, part string) string {
	t.Helper()
	p, err := ooxml.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Read(part)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(` w:date="[^"]*"| xml:space="preserve"| xmlns:\w+="[^"]*"`).ReplaceAllString(string(b), "")
}

func blankDoc(t testing.TB) []byte {
	t.Helper()
	data, err := docx.Blank()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTrackedChanges(t *testing.T) {
	data, _ := edit(t, blankDoc(t), `[{"op": "append_paragraph", "text": "net sales are up, sales rise"}, {"op": "append_paragraph", "text": "a\tb"}]`)
	// A text in two runs of different looks.
	p, err := ooxml.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	main, _ := p.Read("word/document.xml")
	p.Set("word/document.xml", bytes.Replace(main, []byte(`net sales are`), []byte(`net sa</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>les are`), 1))
	var split bytes.Buffer
	if err := p.Write(&split); err != nil {
		t.Fatal(err)
	}
	data, report := edit(t, split.Bytes(), `[
		{"op": "replace_text", "search": "sales", "replace": "costs", "track": "Kim"},
		{"op": "replace_text", "search": "\tb", "replace": "", "track": "da"},
		{"op": "append_paragraph", "text": "new", "track": "da"},
		{"op": "append_table", "rows": [["x"], [1]], "track": "da"}]`)
	if report.Results[0].Replaced != 2 {
		t.Errorf("%+v", report)
	}
	got := text(t, data, "word/document.xml")
	for _, want := range []string{
		`<w:r><w:t>net </w:t></w:r><w:del w:id="3" w:author="Kim"><w:r><w:delText>sa</w:delText></w:r></w:del><w:del w:id="4" w:author="Kim"><w:r><w:rPr><w:b/></w:rPr><w:delText>les</w:delText></w:r></w:del>` +
			`<w:ins w:id="5" w:author="Kim"><w:r><w:t>costs</w:t></w:r></w:ins><w:r><w:rPr><w:b/></w:rPr><w:t> are up, </w:t></w:r>`,
		`<w:del w:id="1" w:author="Kim"><w:r><w:rPr><w:b/></w:rPr><w:delText>sales</w:delText></w:r></w:del><w:ins w:id="2" w:author="Kim"><w:r><w:rPr><w:b/></w:rPr><w:t>costs</w:t></w:r></w:ins>`,
		`<w:t>a</w:t></w:r><w:del w:id="6" w:author="da"><w:r><w:tab/><w:delText>b</w:delText></w:r></w:del>`,
		`<w:p><w:pPr><w:rPr><w:ins w:id="8" w:author="da"/></w:rPr></w:pPr><w:ins w:id="7" w:author="da"><w:r><w:t>new</w:t></w:r></w:ins></w:p>`,
		`<w:trPr><w:tblHeader/><w:ins w:id="9" w:author="da"/></w:trPr>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if md := read(t, data, ""); !strings.Contains(md, "net costs") || strings.Contains(md, "sales") {
		t.Errorf("%s", md)
	}
}

func TestLinksCommentsAndCharts(t *testing.T) {
	data, _ := edit(t, blankDoc(t), `[
		{"op": "append_paragraph", "text": "See the report of May, and that of June."},
		{"op": "add_link", "search": "the report", "link": "https://example.com/?a=1&b=2"},
		{"op": "add_comment", "search": "May", "text": "checked\ntwice", "author": "Kim"},
		{"op": "add_comment", "search": "E", "any_case": true, "first": true, "text": "da's"},
		{"op": "append_chart", "type": "bar", "title": "Sales & costs", "y_title": "EUR", "rows": [["month", "sales", "costs"], ["May", 1.5, 2], ["June", null, 3]]}]`)
	if md := read(t, data, ""); !strings.Contains(md, "See [the report](https://example.com/?a=1&b=2) of May") || !strings.Contains(md, `(bar chart "Sales & costs" of Sheet1!$B$2:$B$3, Sheet1!$C$2:$C$3)`) {
		t.Errorf("%s", md)
	}
	got := text(t, data, "word/document.xml")
	if want := `<w:commentRangeStart w:id="1"/><w:r><w:t>May</w:t></w:r><w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r>`; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
	if comments := text(t, data, "word/comments.xml"); !strings.Contains(comments, `<w:comment w:id="1" w:author="Kim"><w:p><w:r><w:t>checked</w:t><w:br/><w:t>twice</w:t></w:r></w:p></w:comment>`) || !strings.Contains(comments, `w:author="da"`) {
		t.Errorf("%s", comments)
	}
	if chart := text(t, data, "word/charts/chart1.xml"); !strings.Contains(chart, `<c:f>Sheet1!$B$2:$B$3</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val="2"/><c:pt idx="0"><c:v>1.5</c:v></c:pt></c:numCache>`) || !strings.Contains(chart, `<c:externalData r:id="rId1">`) {
		t.Errorf("%s", chart)
	}
	if book := text(t, data, "word/embeddings/Microsoft_Excel_Sheet1.xlsx"); !strings.HasPrefix(book, "PK") {
		t.Errorf("%.40q", book)
	}
	for op, want := range map[string]string{
		`"op": "add_link", "search": "May", "link": "file:///etc/passwd"`:                                "a link cannot lead to",
		`"op": "add_link", "search": "report", "link": "https://example.com"`:                            "within a link",
		`"op": "add_link", "search": "e", "link": "https://example.com"`:                                 "occurs 5 times",
		`"op": "add_comment", "search": "July", "text": "x"`:                                             "does not occur",
		`"op": "add_comment", "search": "May"`:                                                           "needs text",
		`"op": "append_chart", "type": "bar"`:                                                            "needs rows",
		`"op": "append_chart", "rows": [["a", "b"], ["c", 1]]`:                                           "needs type",
		`"op": "append_chart", "type": "bar", "rows": [["a", "b"], ["c", "d"]]`:                          `row 2, column 2 of the chart is "d"`,
		`"op": "append_chart", "type": "pie", "rows": [["a", "b", "c"], ["c", 1, 2]]`:                    "one series",
		`"op": "append_chart", "type": "bar", "rows": [["a", "b"]]`:                                      "at least two cells",
		`"op": "append_paragraph", "text": "x", "track": "a\u0001"`:                                      "control character",
		`"op": "append_chart", "type": "bar", "rows": [["a", "b"], ["c", 1]], "after": "x"`:              "no field",
		`"op": "insert_chart", "type": "line", "rows": [["a", "b"], ["c", 1]], "after": "x y z nothing"`: "no paragraph has the text",
	} {
		var all []docx.Operation
		err := json.Unmarshal([]byte(`[{`+op+`}]`), &all)
		if err == nil {
			_, err = docx.Edit(bytes.NewReader(data), int64(len(data)), &bytes.Buffer{}, all, docx.Options{})
		}
		if e := (*api.Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v", op, err)
		}
	}
}
