package interval

// Count is a number of rows that is certainly between two bounds.
type Count struct{ Low, High int64 }

// Exactly returns a Count with a known value.
func Exactly(n int64) Count { return Count{n, n} }

// Chance says for how many rows of a group a condition is TRUE, FALSE and NULL.
// The bounds are certain: they do not assume a distribution of values.
type Chance struct {
	rows              int64 // of the group
	True, False, Null Count
}

// unknown is the chance of a condition about which nothing is known.
func unknown(rows int64) Chance {
	all := Count{0, rows}
	return Chance{rows, all, all, all}
}

// Always is the chance of a condition that has one value for all rows.
func Always(rows int64, value bool) Chance {
	c := Chance{rows: rows, True: Exactly(rows)}
	if !value {
		return c.not()
	}
	return c
}

// alwaysNull is the chance of a condition that is NULL for all rows.
func alwaysNull(rows int64) Chance { return Chance{rows: rows, Null: Exactly(rows)} }

// MayHold reports whether the condition can be TRUE for any row.
func (c Chance) MayHold() bool { return c.True.High > 0 }

// tighten narrows the bounds: each row has exactly one of the three outcomes.
func (c Chance) tighten() Chance {
	parts := [3]*Count{&c.True, &c.False, &c.Null}
	// Tightening one bound can tighten those of the other two.
	for range 2 {
		for i, x := range parts {
			y, z := parts[(i+1)%3], parts[(i+2)%3]
			x.Low = max(x.Low, c.rows-y.High-z.High)
			x.High = min(x.High, c.rows-y.Low-z.Low)
		}
	}
	return c
}

func (c Chance) not() Chance {
	c.True, c.False = c.False, c.True
	return c
}

// neverTrue adds that the condition is TRUE for no row.
func (c Chance) neverTrue() Chance {
	c.True = Count{}
	return c.tighten()
}

// nullIsFalse returns the chance with FALSE in place of NULL.
func (c Chance) nullIsFalse() Chance {
	c.False = Count{c.False.Low + c.Null.Low, min(c.rows, c.False.High+c.Null.High)}
	c.Null = Count{}
	return c.tighten()
}

// and combines conditions that can depend on each other.
func and(rows int64, terms ...Chance) Chance {
	out := Always(rows, true)
	for _, c := range terms {
		out = Chance{
			rows:  rows,
			True:  Count{max(0, out.True.Low+c.True.Low-rows), min(out.True.High, c.True.High)},
			False: Count{max(out.False.Low, c.False.Low), min(rows, out.False.High+c.False.High)},
			// FALSE AND NULL is FALSE.
			Null: Count{max(0, out.Null.Low-c.False.High, c.Null.Low-out.False.High), min(rows, out.Null.High+c.Null.High)},
		}.tighten()
	}
	return out
}

// or combines conditions that can depend on each other.
func or(rows int64, terms ...Chance) Chance {
	flipped := make([]Chance, len(terms))
	for i, c := range terms {
		flipped[i] = c.not()
	}
	return and(rows, flipped...).not()
}
