package sheet_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/testing/doctest"
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

// TestEndlessListsOfSheets: a list that names one sheet over and over is refused
// before it fills the memory.
func TestEndlessListsOfSheets(t *testing.T) {
	data := blank(t)
	main := string(partOf(t, data, "xl/workbook.xml"))
	at := strings.Index(main, "<sheet ")
	entry := main[at:][:strings.Index(main[at:], "/>")+2]
	data = replacePart(t, data, "xl/workbook.xml", main[:at]+strings.Repeat(entry, 10_001)+main[at+len(entry):])
	var e *api.Error
	if _, err := sheet.Open(bytes.NewReader(data), int64(len(data))); !errors.As(err, &e) || e.Kind != api.KindTooLarge {
		t.Error(err)
	}
}

// TestEndlessSharedStrings: texts that unpack to far more than they are packed in are
// refused while they are read, in memory that has nothing to do with what they unpack
// to, and the error names their part.
func TestEndlessSharedStrings(t *testing.T) {
	const most = 450 << 20 // allocated in all, with what was outgrown
	for name, entry := range map[string]string{"texts": "<si><t>" + strings.Repeat("x", 1000) + "</t></si>", "empty ones": "<si/>"} {
		data := replacePart(t, rich(t), "xl/sharedStrings.xml", `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`+strings.Repeat(entry, 100<<20/len(entry))+`</sst>`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := open(t, data).ReadRange("Sheet1", "", 1000)
		runtime.ReadMemStats(&after)
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != api.KindTooLarge || e.Details["part"] != "xl/sharedStrings.xml" {
			t.Errorf("%s in %d KB: %v", name, len(data)>>10, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > most {
			t.Errorf("%s: %d MB are allocated before they are refused", name, taken>>20)
		}
	}
}

// TestEndlessRows: cells without a place count too.
func TestEndlessRows(t *testing.T) {
	data := replacePart(t, blank(t), "xl/worksheets/sheet1.xml", `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1">`+
		strings.Repeat("<c><v>1</v></c>", 16_385)+`</row></sheetData></worksheet>`)
	var e *api.Error
	if _, err := open(t, data).Info(); !errors.As(err, &e) || e.Kind != api.KindDamaged || !strings.Contains(e.Message, "row 1") {
		t.Error(err)
	}
}
