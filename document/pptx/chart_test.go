package pptx_test

import (
	"strings"
	"testing"
)

func TestChartsOnSlides(t *testing.T) {
	data := edit(t, deck(t), `[{"op": "add_slide", "title": "Sales"},
		{"op": "add_chart", "index": 4, "type": "pie", "title": "Share", "rows": [["region", "sales"], ["north", 2], ["south", 1.5]]},
		{"op": "add_chart", "index": 4, "type": "line", "rows": [["year", "a"], [2023, null], [2024, 2]], "left_cm": 2, "top_cm": 4, "width_cm": 10}]`)
	if got := read(t, data); !strings.Contains(got, "## Slide 4: Sales\n\nChart: Share") || !strings.Contains(got, "| south | 1.5 |") || !strings.Contains(got, "| 2023 |  |\n| 2024 | 2 |") {
		t.Errorf("%s", got)
	}
	data = edit(t, data, `[{"op": "delete_slide", "index": 4}]`)
	for _, part := range []string{"charts", "embeddings"} {
		if strings.Contains(string(data), "ppt/"+part) {
			t.Errorf("%s of a deleted slide are left", part)
		}
	}
	for op, want := range map[string]string{
		`"type": "pie"`: "needs rows", `"rows": [["a", "b"], ["c", 1]]`: "needs type", `"type": "x", "rows": [["a", "b"], ["c", 1]]`: `no chart of the type "x"`,
	} {
		if _, _, err := tryEdit(t, data, `[{"op": "add_chart", "index": 0, `+op+`}]`); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", op, err)
		}
	}
}
