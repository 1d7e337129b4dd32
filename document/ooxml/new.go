package ooxml

import (
	"archive/zip"
	"bytes"
)

// NewPart is a part of a new package.
type NewPart struct {
	// From is the part that is joined to it; the main part if empty.
	From             string
	Kind, Name, Type string
	Text             string // without the first line of XML; empty for a part that is there
}

// New creates a package from its main part and the parts related to it, ordered
// so that From precedes the parts related to it.
func New(main, contentType, text string, parts ...NewPart) ([]byte, error) {
	var empty bytes.Buffer
	z := zip.NewWriter(&empty)
	err := writePart(z, &zip.FileHeader{Name: contentTypesPart, Method: zip.Deflate}, []byte(prolog+`<Types xmlns="`+namespaces()["ct"]+`">`+
		`<Default Extension="rels" ContentType="`+relationsType+`"/><Default Extension="xml" ContentType="application/xml"/></Types>`))
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, err
	}
	p, err := Open(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if err != nil {
		return nil, err
	}
	add := func(part NewPart) error {
		if part.Text != "" {
			p.Set(part.Name, []byte(prolog+part.Text))
			if err := p.SetType(part.Name, part.Type); err != nil {
				return err
			}
		}
		_, err := p.Relate(part.From, part.Kind, part.Name)
		return err
	}
	if err := add(NewPart{Kind: "officeDocument", Name: main, Type: contentType, Text: text}); err != nil {
		return nil, err
	}
	for _, part := range parts {
		if part.From == "" {
			part.From = main
		}
		if err := add(part); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	err = p.Write(&out)
	return out.Bytes(), err
}
