package params

import "maps"

// Filler fills in the parameters of all texts of one call, and tracks which
// values were used.
type Filler struct {
	values Values
	used   map[string]bool
}

// NewFiller returns a filler with these values.
func NewFiller(values Values) *Filler { return &Filler{values, map[string]bool{}} }

// Fill fills in a text, as the function Fill does.
func (f *Filler) Fill(text, flavor string) (*Filled, error) {
	filled, err := Fill(text, flavor, f.values)
	if err == nil {
		maps.Copy(f.used, filled.Used)
	}
	return filled, err
}

// Done returns an error if a value was not used by any text.
func (f *Filler) Done() error { return Unused(f.values, f.used) }

// Of are the parameters of a text, by name; nil if it has none.
func (f *Filler) Of(text *Filled) map[string]any {
	var out map[string]any
	for name := range text.Used {
		if out == nil {
			out = map[string]any{}
		}
		out[name] = f.values[name]
	}
	return out
}
