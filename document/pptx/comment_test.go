package pptx

import (
	"bytes"
	"strings"
	"testing"
)

func TestCommentsOfSlides(t *testing.T) {
	deck, err := Blank()
	if err != nil {
		t.Fatal(err)
	}
	edit := func(ops ...Operation) error {
		var out bytes.Buffer
		_, err := Edit(bytes.NewReader(deck), int64(len(deck)), &out, ops, Options{})
		if err == nil {
			deck = out.Bytes()
		}
		return err
	}
	title, first, second, index := "May", "Is 4 < 5 & right?", "Yes.\nIt is.", 0
	say := Operation{Op: AddComment, Index: &index, Text: &first, LeftCM: 2.54}
	if err := edit(Operation{Op: AddSlide, Title: &title}, say, Operation{Op: AddComment, Index: &index, Text: &second, Author: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if err := edit(say); err != nil { // in the lists that are there
		t.Fatal(err)
	}
	p, err := Open(bytes.NewReader(deck), int64(len(deck)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Read(0)
	want := "> Comment of da: Is 4 < 5 & right?\n\n> Comment of Ann: Yes.\n> It is.\n\n> Comment of da: Is 4 < 5 & right?\n"
	if err != nil || !strings.HasSuffix(text, want) {
		t.Errorf("%v: %s", err, text)
	}
	list, err := p.pkg.Read("ppt/comments/comment1.xml")
	if err != nil || strings.Count(string(list), `<p:cm authorId="0"`) != 2 || !strings.Contains(string(list), `idx="2"><p:pos x="576" y="0"/>`) {
		t.Errorf("%v: %s", err, list)
	}
	if err := edit(Operation{Op: AddComment, Index: &index}); err == nil || !strings.Contains(err.Error(), "needs text") {
		t.Errorf("without a text: %v", err)
	}

	// Those of the newer kind are read, and not mixed with these.
	if p, err = Open(bytes.NewReader(deck), int64(len(deck))); err != nil {
		t.Fatal(err)
	}
	p.pkg.Set("ppt/comments/comment1.xml", []byte(`<p188:cmLst xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">`+
		`<p188:cm id="{1}" authorId="0"><p188:replyLst><p188:reply authorId="1"><p188:txBody><a:p><a:r><a:t>No</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst>`+
		`<p188:txBody><a:p><a:r><a:t>Right?</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>`))
	var out bytes.Buffer
	if err := p.pkg.Write(&out); err != nil {
		t.Fatal(err)
	}
	deck = out.Bytes()
	if p, err = Open(bytes.NewReader(deck), int64(len(deck))); err != nil {
		t.Fatal(err)
	}
	if text, err = p.Read(0); err != nil || !strings.HasSuffix(text, "> Comment of da: Right?\n\n> Comment of Ann: No\n") {
		t.Errorf("%v: %s", err, text)
	}
	if err := edit(say); err == nil || !strings.Contains(err.Error(), "newer kind") {
		t.Errorf("mixed kinds: %v", err)
	}
}
