package sheet_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/doctest"
	"github.com/agnes-data/da/document/sheet"
)

// TestBrokenWorkbooks: whatever is wrong with a part, the answer is an error of the
// vocabulary or a workbook.
func TestBrokenWorkbooks(t *testing.T) {
	data := rich(t)
	for seed := range uint64(400) {
		broken := doctest.Broken(t, data, rand.New(rand.NewPCG(seed, 2)))
		_, _, err := tryEdit(t, broken, `[{"op": "set_cells", "sheet": "Sheet1", "cells": [{"cell": "B7", "value": "x", "format": {"bold": true}}]},
			{"op": "insert_rows", "sheet": "Sheet1", "after_row": 5}, {"op": "delete_rows", "sheet": "Sheet1", "start_row": 2}, {"op": "set_format", "sheet": "Sheet1", "range": "B:D", "format": {"column_width": 9}},
			{"op": "auto_filter", "sheet": "Sheet1", "range": "A1:C9"}, {"op": "delete_sheet", "sheet": "Other"}]`)
		if e, ok := err.(*api.Error); err != nil && (!ok || e.Code != api.CodeReadFailed && e.Code != api.CodeValidation) {
			t.Errorf("seed %d: %v", seed, err)
		}
		b, err := sheet.Open(bytes.NewReader(broken), int64(len(broken)))
		if err == nil {
			if _, err = b.Info(); err == nil {
				_, err = b.ReadRange("Sheet1", "", 1000)
			}
		}
		if e, ok := err.(*api.Error); err != nil && (!ok || e.Code != api.CodeReadFailed && e.Code != api.CodeValidation) {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
