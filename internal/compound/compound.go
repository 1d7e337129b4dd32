// Package compound tells what is in a compound file, the container in which office
// programs stored their documents before 2007 and still wrap encrypted ones.
//
// It reads only the container's directory. It must not read any document.
package compound

import (
	"errors"
	"io"
	"strings"

	"github.com/richardlehane/mscfb"
)

// Magic is how every compound file starts.
const Magic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Kind is what a compound file holds.
type Kind string

// The kinds of contents. Other is for contents without a constant here.
const (
	Other        Kind = ""
	Encrypted    Kind = "encrypted" // a document of today's format, with a password
	Workbook     Kind = "workbook"
	Text         Kind = "text" // of a word processor
	Presentation Kind = "presentation"
	Mail         Kind = "mail"
	Drawing      Kind = "drawing"
)

// kindOf returns the kind that an entry at the top of a container shows.
func kindOf(name string) Kind {
	name = strings.ToLower(name)
	switch name {
	case "encryptedpackage":
		return Encrypted
	case "workbook", "book":
		return Workbook
	case "worddocument":
		return Text
	case "powerpoint document":
		return Presentation
	case "visiodocument":
		return Drawing
	}
	if strings.HasPrefix(name, "__substg1.0_") || name == "__properties_version1.0" {
		return Mail
	}
	return Other
}

// ErrDamaged means that the container's directory cannot be read.
var ErrDamaged = errors.New("the compound file is damaged or incomplete")

// Detect returns what the compound file r holds, by the names directly below the
// root: documents can have others inside. The error is ErrDamaged.
func Detect(r io.ReaderAt) (Kind, error) {
	container, err := mscfb.New(r)
	if err != nil {
		return Other, ErrDamaged
	}
	for _, entry := range container.File {
		if kind := kindOf(entry.Name); kind != Other && len(entry.Path) == 0 {
			return kind, nil
		}
	}
	return Other, nil
}
