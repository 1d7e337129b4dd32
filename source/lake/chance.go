package lake

// count is a number of rows that is known to lie between two bounds.
type count struct{ low, high int64 }

// chance says for how many rows of one row group a condition is TRUE, FALSE and
// NULL. Each bound is certain: nothing in it is taken from how values might be
// spread.
type chance struct {
	rows    int64 // of the row group
	t, f, n count // TRUE, FALSE, NULL
}

// anything is a condition of which nothing is known.
func anything(rows int64) chance {
	all := count{0, rows}
	return chance{rows, all, all, all}
}

// always is the chance of a condition that is the same for all rows.
func always(rows int64, value bool) chance {
	c := chance{rows: rows, t: count{rows, rows}}
	if !value {
		return c.not()
	}
	return c
}

// null is the chance of a condition that is NULL for all rows.
func null(rows int64) chance { return chance{rows: rows, n: count{rows, rows}} }

// canTrue reports whether the condition may hold for any row.
func (c chance) canTrue() bool { return c.t.high > 0 }

// tighten uses that each row has exactly one outcome.
func (c chance) tighten() chance {
	parts := [3]*count{&c.t, &c.f, &c.n}
	// A bound that moves may move those of the other two.
	for range 2 {
		for i, x := range parts {
			y, z := parts[(i+1)%3], parts[(i+2)%3]
			x.low = max(x.low, c.rows-y.high-z.high)
			x.high = min(x.high, c.rows-y.low-z.low)
		}
	}
	return c
}

func (c chance) not() chance {
	c.t, c.f = c.f, c.t
	return c
}

// butTrue is the chance of a condition that is known never to be TRUE.
func (c chance) butTrue() chance {
	c.t = count{}
	return c.tighten()
}

// nullIsFalse is the chance of a condition that is FALSE where c is NULL.
func (c chance) nullIsFalse() chance {
	c.f = count{c.f.low + c.n.low, min(c.rows, c.f.high+c.n.high)}
	c.n = count{}
	return c.tighten()
}

// and joins conditions that may say anything about each other.
func and(rows int64, terms ...chance) chance {
	out := always(rows, true)
	for _, c := range terms {
		out = chance{
			rows: rows,
			t:    count{max(0, out.t.low+c.t.low-rows), min(out.t.high, c.t.high)},
			f:    count{max(out.f.low, c.f.low), min(rows, out.f.high+c.f.high)},
			// FALSE AND NULL is FALSE.
			n: count{max(0, out.n.low-c.f.high, c.n.low-out.f.high), min(rows, out.n.high+c.n.high)},
		}.tighten()
	}
	return out
}

// or joins conditions that may say anything about each other.
func or(rows int64, terms ...chance) chance {
	flipped := make([]chance, len(terms))
	for i, c := range terms {
		flipped[i] = c.not()
	}
	return and(rows, flipped...).not()
}
