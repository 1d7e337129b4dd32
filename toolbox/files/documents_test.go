package files

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/toolbox/tool"
)

// TestOperationsAreNamed tells a model which operations there are, what each needs,
// and which it has probably meant.
func TestOperationsAreNamed(t *testing.T) {
	xlsx := xlsxOperations()
	op := xlsx.In.Properties["operations"].Items.Properties["op"]
	for _, name := range sheet.Operations() {
		if !slices.Contains(op.Enum, any(name)) || !strings.Contains(op.Description, name) {
			t.Errorf("%s is not in %v, %s", name, op.Enum, op.Description)
		}
	}
	for given, want := range map[string]string{
		"set_cels":  "Did you mean set_cells",
		"translate": "Its op is one of " + sheet.Operations()[0] + ", ",
	} {
		text, _ := json.Marshal(map[string]any{"path": "a.xlsx", "operations": []any{map[string]any{"op": given}}})
		answer := tool.NewCall(&tool.Config{}, nil, false).Run(t.Context(), xlsx, text, nil)
		if !answer.Failed || !strings.Contains(string(answer.Text), want) {
			t.Errorf("%s: %s", given, answer.Text)
		}
	}
}
