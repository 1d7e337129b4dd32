package sheet_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestTheFirstShownSheetIsRead when none is named, as tables of files do.
func TestTheFirstShownSheetIsRead(t *testing.T) {
	data, err := os.ReadFile("../../table/testdata/sheets/very_hidden_sheet_first.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	b := open(t, data)
	info, err := b.Info()
	if err != nil {
		t.Fatal(err)
	}
	hidden := info.Sheets[0].Name
	v, err := b.ReadRange("", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if v.Sheet == hidden || fmt.Sprint(api.Texts(v.Caveats)) != fmt.Sprintf("[sheet %q was read, the first that is shown; %q before it is hidden]", v.Sheet, hidden) {
		t.Errorf("sheet %q, %q", v.Sheet, api.Texts(v.Caveats))
	}
	if v, err := b.ReadRange(hidden, "", 0); err != nil || v.Sheet != hidden || len(v.Caveats) > 0 {
		t.Errorf("%+v, %v", v, err)
	}
}
