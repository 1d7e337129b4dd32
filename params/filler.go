package params

import "maps"

// Filler puts the values of one call into its texts, and knows in the end which
// values none of them has used.
type Filler struct {
	values Values
	used   map[string]bool
}

// NewFiller returns a filler with these values.
func NewFiller(values Values) *Filler { return &Filler{values, map[string]bool{}} }

// Fill puts the values into a text of a dialect, as the function Fill does.
func (f *Filler) Fill(text, flavor string) (*Filled, error) {
	filled, err := Fill(text, flavor, f.values)
	if err == nil {
		maps.Copy(f.used, filled.Used)
	}
	return filled, err
}

// Done refuses values that no text has used.
func (f *Filler) Done() error { return Unused(f.values, f.used) }
