package catalog

import (
	"testing"

	"github.com/agnes-data/da/analyst/joins"
	"github.com/agnes-data/da/api"
)

// A line that passes another one goes behind it, lines to one key are drawn as one, and
// names may be wide or hold what would move the cursor.
func TestPictureOfJoins(t *testing.T) {
	t.Parallel()
	found := &joins.Found{}
	for _, j := range []api.Join{
		{Table: "lines", Column: "order", To: "orders", ToColumn: "id", Multiplicity: api.ManyToOne},
		{Table: "returns", Column: "order", To: "orders", ToColumn: "id", Multiplicity: api.ManyToOne},
		{Table: "lines", Column: "sku", To: "品目", ToColumn: "a\x1b[2J"},
	} {
		found.Joins = append(found.Joins, joins.Join{Join: j})
	}
	const want = `
┌──────────┐
│ lines    │
├──────────┤
│ order    ├─n┐
│ sku      ├──│─?┐
└──────────┘  │  │
┌──────────┐  │  │
│ orders   │  │  │
├──────────┤  │  │
│ id       ├─1┤  │
└──────────┘  │  │
┌──────────┐  │  │
│ returns  │  │  │
├──────────┤  │  │
│ order    ├─n┘  │
└──────────┘     │
┌──────────┐     │
│ 品目     │     │
├──────────┤     │
│ a\x1b[2J ├────?┘
└──────────┘
`
	if got := "\n" + picture(found); got != want {
		t.Errorf("drawn:%s", got)
	}
}
