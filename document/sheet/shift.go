package sheet

import "github.com/agnes-data/da/document/ooxml"

type shift struct{ at, count int }

func (e *editor) shift(s *sheetPart, sh shift) error { return ooxml.Invalid("", "todo") }
func (e *editor) unshare(s *sheetPart)               {}
