package toolbox

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
)

// TestOperationsAreNamed tells a model which operations there are, what each needs,
// and which it has probably meant.
func TestOperationsAreNamed(t *testing.T) {
	tool := xlsxOperations()
	op := tool.in.Properties["operations"].Items.Properties["op"]
	for _, name := range sheet.Operations() {
		if !slices.Contains(op.Enum, any(name)) || !strings.Contains(op.Description, name) {
			t.Errorf("%s is not in %v, %s", name, op.Enum, op.Description)
		}
	}
	resolved, err := tool.in.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var in operationsIn[sheet.Operation]
	for given, want := range map[string]string{
		"set_cels":  "Did you mean set_cells",
		"translate": "Its op is one of " + sheet.Operations()[0] + ", ",
	} {
		text, _ := json.Marshal(map[string]any{"path": "a.xlsx", "operations": []any{map[string]any{"op": given}}})
		err := readArguments(text, resolved, tool.in, &in)
		var e *api.Error
		if !errors.As(err, &e) || !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %v, %+v", given, err, e)
		}
	}
}
