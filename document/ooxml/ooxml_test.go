package ooxml_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/testing/compoundtest"
)

const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`

func packed(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(w, parts[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(data []byte) (*ooxml.Package, error) {
	return ooxml.Open(bytes.NewReader(data), int64(len(data)))
}

// TestUntouchedPartsStayAsTheyArePacked compares the bytes in the archive.
func TestUntouchedPartsStayAsTheyArePacked(t *testing.T) {
	text := strings.Repeat("some text ", 100)
	p, err := open(packed(t, "[Content_Types].xml", types, "a.xml", text, "media/b.bin", text, "c.xml", "<c/>"))
	if err != nil {
		t.Fatal(err)
	}
	p.Set("c.xml", []byte("<c>new</c>"))
	p.Set("d.xml", []byte("<d/>"))
	if _, err := p.Relate("a.xml", "image", "media/b.bin"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	before, after := rawEntries(t, packed(t, "a.xml", text, "media/b.bin", text)), rawEntries(t, out.Bytes())
	for name, raw := range before {
		if !bytes.Equal(raw, after[name]) {
			t.Errorf("%s: packed anew", name)
		}
	}
	again, err := open(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"c.xml": "<c>new</c>", "d.xml": "<d/>"} {
		if got, err := again.Read(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if target, err := again.Related("a.xml", "image"); err != nil || target != "media/b.bin" {
		t.Errorf("related to %q, %v", target, err)
	}
}

func rawEntries(t testing.TB, data []byte) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		if all[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestNamesThatDifferInCase writes parts and their relationships under names that fit each
// other, whatever case the archive had, as most readers know case.
func TestNamesThatDifferInCase(t *testing.T) {
	rels := `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>`
	p, err := open(packed(t, "[Content_Types].xml", types, "x/Changed.xml", "<c/>", "x/_rels/changed.XML.rels", rels,
		"Stays.xml", "<s/>", "_rels/stays.xml.rels", rels, "_rels/.rels", rels, `y\Z.xml`, "<z/>"))
	if err != nil {
		t.Fatal(err)
	}
	p.Set("x/changed.xml", []byte("<c>new</c>"))
	for from, to := range map[string]string{"": "x/changed.xml", "x/changed.xml": "y/z.xml"} {
		if _, err := p.Relate(from, "image", to); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	all := rawEntries(t, out.Bytes())
	for _, name := range []string{"x/changed.xml", "x/_rels/changed.xml.rels", "Stays.xml", "_rels/Stays.xml.rels", "_rels/.rels", `y\Z.xml`} {
		if all[name] == nil {
			t.Errorf("%s is not there", name)
		}
	}
	if len(all) != 7 {
		t.Errorf("%d entries", len(all))
	}
}

// TestTreesKeepTheirBytes parses XML in every spelling and writes it again.
func TestTreesKeepTheirBytes(t *testing.T) {
	for _, text := range []string{
		"<?xml version='1.0'?>\r\n<a  x = 'a>b' y=\"1\"><!-- <b> --><b/><c >t &amp; <![CDATA[<x>]]></c ></a>\n<!-- end -->\n",
		`<w:p xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:r><w:t xml:space="preserve"> x </w:t></w:r></w:p>`,
		"\xef\xbb\xbf<a/>",
	} {
		tree, err := ooxml.Parse("x", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := string(tree.Bytes()); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestNamesAreOurs reads one namespace in every way that a file can spell it.
func TestNamesAreOurs(t *testing.T) {
	const main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
	for name, text := range map[string]string{
		"prefix":       `<w:document xmlns:w="` + main + `"><w:body w:id="1"/></w:document>`,
		"other prefix": `<x:document xmlns:x="` + main + `"><x:body x:id="1"/></x:document>`,
		"default":      `<document xmlns="` + main + `" xmlns:q="` + main + `"><body q:id="1"/></document>`,
		"strict":       `<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:body w:id="1"/></w:document>`,
		"redeclared":   `<w:document xmlns:w="` + main + `"><y:body xmlns:y="` + main + `" y:id="1" xmlns:w="urn:other"/></w:document>`,
	} {
		tree, err := ooxml.Parse("x", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		body := tree.Root.Find("w:body")
		if tree.Root.Name != "w:document" || body.Attr("w:id") != "1" {
			t.Errorf("%s: root %s, body %v", name, tree.Root.Name, body)
			continue
		}
		body.Set("w:id", `"2"`)
		body.Set("w:new", "3")
		nodes, err := body.Fragment(`<w:p w:val="a"><w:r r:id="b"/></w:p>`)
		if err != nil {
			t.Fatal(err)
		}
		body.Append(nodes...)
		again, err := ooxml.Parse("x", tree.Bytes())
		if err != nil {
			t.Errorf("%s: %v in %s", name, err, tree.Bytes())
			continue
		}
		body = again.Root.Find("w:body")
		p := body.Find("w:p")
		if body.Attr("w:id") != `"2"` || body.Attr("w:new") != "3" || p.Attr("w:val") != "a" || p.Find("w:r").Attr("r:id") != "b" {
			t.Errorf("%s: written as %s", name, tree.Bytes())
		}
		body.Unset("w:new")
		if _, ok := body.Lookup("w:new"); ok || body.Attr("w:id") != `"2"` {
			t.Errorf("%s: unset gives %s", name, again.Bytes())
		}
	}
}

// TestHostilePackagesAreRefused feeds what was made to do harm.
func TestHostilePackagesAreRefused(t *testing.T) {
	zeros := strings.Repeat("\x00", 65<<20)
	for name, c := range map[string]struct {
		data []byte
		kind string
	}{
		"no archive":  {[]byte("hello"), api.KindWrongFormat},
		"empty":       {nil, api.KindWrongFormat},
		"no document": {packed(t, "a", "b"), api.KindWrongFormat},
		"twice":       {packed(t, "[Content_Types].xml", types, "A.xml", "", "a.XML", ""), api.KindDamaged},
		"encrypted":   {compoundtest.File([]string{"EncryptionInfo", "EncryptedPackage"}), api.KindEncrypted},
		"before 2007": {compoundtest.File([]string{"Workbook"}), api.KindWrongFormat},
		"bomb":        {packed(t, "[Content_Types].xml", zeros), api.KindTooLarge},
		"entities":    {packed(t, "[Content_Types].xml", `<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>`), api.KindDamaged},
		"deep":        {packed(t, "[Content_Types].xml", strings.Repeat("<a>", 1000)), api.KindTooLarge},
		"cut":         {packed(t, "[Content_Types].xml", `<a><b></b>`), api.KindDamaged},
		"crossed":     {packed(t, "[Content_Types].xml", `<a><b></a></b>`), api.KindDamaged},
		"open tag":    {packed(t, "[Content_Types].xml", `<a x="`), api.KindDamaged},
		"two roots":   {packed(t, "[Content_Types].xml", `<a/><b/>`), api.KindDamaged},
		"comments":    {packed(t, "[Content_Types].xml", "<a>"+strings.Repeat("<!---->", 4_000_001)+"</a>"), api.KindTooLarge},
		"latin-1":     {packed(t, "[Content_Types].xml", "<a>\xe4</a>"), api.KindDamaged},
	} {
		_, err := open(c.data)
		e, ok := err.(*api.Error)
		if !ok || e.Kind != c.kind || e.Code != api.CodeReadFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFoldersArePackedAgain: scripts that pack a file anew store its folders as parts
// without content, which takes two bytes.
func TestFoldersArePackedAgain(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"xl/", "[Content_Types].xml"} {
		content := map[string]string{"[Content_Types].xml": types}[name]
		raw := deflated(t, content)
		w, err := z.CreateRaw(&zip.FileHeader{ // which writes no content for the name of a folder
			Name: strings.Replace(name, "/", "|", 1), Method: zip.Deflate,
			CompressedSize64: uint64(len(raw)), UncompressedSize64: uint64(len(content)), CRC32: crc32.ChecksumIEEE([]byte(content)),
		})
		if err == nil {
			_, err = w.Write(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := open(bytes.ReplaceAll(b.Bytes(), []byte("xl|"), []byte("xl/")))
	if err != nil {
		t.Fatal(err)
	}
	p.Set("a.xml", []byte("<a/>"))
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	again, err := open(out.Bytes())
	if err != nil || !again.Has("xl/") || !again.Has("a.xml") {
		t.Error(err)
	}
}

func deflated(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestTargetsStayInside follows relationships that climb out.
func TestTargetsStayInside(t *testing.T) {
	rels := `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="a" Type="x/image" Target="../../../../etc/passwd"/><Relationship Id="b" Type="x/image" Target="/media/a%20b.png#x"/>` +
		`<Relationship Id="c" Type="x/hyperlink" Target="file:///etc/passwd" TargetMode="External"/></Relationships>`
	p, err := open(packed(t, "[Content_Types].xml", types, "word/_rels/document.xml.rels", rels))
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Relations("word/document.xml")
	if err != nil || len(all) != 3 || all[0].Target != "etc/passwd" || all[1].Target != "media/a b.png" || !all[2].External {
		t.Errorf("%+v, %v", all, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`<a x="1"><b/>t<!-- c --></a>`))
	f.Add([]byte(`<w:p xmlns:w="u"><![CDATA[x]]></w:p>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := ooxml.Parse("x", data)
		if err != nil {
			return
		}
		if got := tree.Bytes(); !bytes.HasPrefix(data, []byte("\xff\xfe")) && !bytes.HasPrefix(data, []byte("\xfe\xff")) && !bytes.Equal(got, data) {
			t.Errorf("%q became %q", data, got)
		}
		for n := range tree.Root.All(nil) {
			n.Attr("w:x")
			n.Text()
		}
	})
}
