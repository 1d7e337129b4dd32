package statement

import (
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/growth"
)

// Meter limits the size that a statement can grow to when an engine plans and
// runs it. A gate walks its own tree and reports to the Meter what it finds.
type Meter struct {
	SQL string
	// At is the byte offset of what is being measured, for errors; -1 if unknown.
	At int
	// Way is the end of a hint: what to do with an intermediate result.
	Way string
	// MaxSteps limits the measuring itself, which visits some parts twice.
	MaxSteps int

	// TooLarge is the error for a statement that is large after expanding names,
	// Grows that for one whose texts have no small bound. First is whichever
	// occurred first.
	TooLarge, Grows, First error

	steps int
	text  int64 // bytes of the long texts that are built for one row
}

// Step counts a part of the statement.
func (m *Meter) Step() {
	if m.steps++; m.steps > m.MaxSteps {
		m.Plan(&growth.Relation{Nodes: growth.Unbounded})
	}
}

// Plan checks a relation against the limits.
func (m *Meter) Plan(r *growth.Relation) *growth.Relation {
	if r.Nodes > growth.MaxNodes || r.Width > growth.MaxWidth {
		m.refuse(&m.TooLarge, api.KindTooLong, "the statement becomes too large with each name replaced by its definition",
			"Name what is used several times in fewer steps, each once; or "+m.Way+" an intermediate result and query that.")
	}
	return r
}

// Made counts a text that is built for each row.
func (m *Meter) Made(s growth.Size) {
	if s.Text <= growth.SmallText {
		return
	}
	if m.text = growth.Sum(m.text, s.Text); m.text > growth.MaxText {
		m.refuse(&m.Grows, api.KindUnsupported, fmt.Sprintf("the texts made here for one row may take more than %d MiB", growth.MaxText>>20),
			"Nest fewer functions that make texts longer, and give lengths as numbers; or fetch the rows and do this in a local query.")
	}
}

// refuse notes the first refusal of a kind.
func (m *Meter) refuse(why *error, kind, message, hint string) {
	if *why == nil {
		*why = RefuseAt(m.SQL, m.At, kind, message, hint)
	}
	if m.First == nil {
		m.First = *why
	}
}
