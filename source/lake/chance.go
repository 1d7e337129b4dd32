package lake

import "math"

// chance is what is known of a condition for the rows of one row group: which
// outcomes there can be, and how many rows have them.
type chance struct {
	canTrue, canFalse, canNull bool
	// t and f are the expected shares of rows for which the condition is TRUE
	// and FALSE, if known.
	t, f  float64
	known bool
}

// anything is a condition of which nothing is known.
func anything() chance { return chance{canTrue: true, canFalse: true, canNull: true} }

// always is the chance of a condition that is the same for all rows.
func always(value bool) chance {
	if value {
		return chance{canTrue: true, t: 1, known: true}
	}
	return chance{canFalse: true, f: 1, known: true}
}

// null is the chance of a condition that is NULL for all rows.
func null() chance { return chance{canNull: true, known: true} }

// settle makes the shares exact where the outcomes leave no choice.
func (c chance) settle() chance {
	switch {
	case !c.canTrue && !c.canFalse:
		return null()
	case !c.canTrue && !c.canNull:
		return always(false)
	case !c.canFalse && !c.canNull:
		return always(true)
	case !c.canTrue:
		c.t = 0
	}
	return c
}

// share returns the expected share of rows that the condition keeps.
func (c chance) share() (float64, bool) {
	if !c.canTrue {
		return 0, true
	}
	// Where there may be some, by a hair's breadth or for NaN, "none" would be
	// taken for certain.
	return c.t, c.known && c.t > 0
}

func (c chance) not() chance {
	return chance{canTrue: c.canFalse, canFalse: c.canTrue, canNull: c.canNull, t: c.f, f: c.t, known: c.known}
}

// and joins conditions that say nothing about each other.
func and(terms ...chance) chance {
	out := always(true)
	for _, c := range terms {
		dead := !out.canTrue || !c.canTrue
		out = chance{
			canTrue:  out.canTrue && c.canTrue,
			canFalse: out.canFalse || c.canFalse,
			// FALSE AND NULL is FALSE.
			canNull: out.canNull && (c.canTrue || c.canNull) || c.canNull && (out.canTrue || out.canNull),
			t:       out.t * c.t,
			f:       1 - (1-out.f)*(1-c.f),
			known:   out.known && c.known,
		}
		if dead {
			out.t = 0
		}
	}
	return out.settle()
}

// or joins conditions that say nothing about each other.
func or(terms ...chance) chance {
	flipped := make([]chance, len(terms))
	for i, c := range terms {
		flipped[i] = c.not()
	}
	return and(flipped...).not()
}

// either joins conditions on one column that exclude each other, as equality
// with different values does.
func either(terms ...chance) chance {
	out := or(terms...)
	sum, least := 0.0, 1.0
	for _, c := range terms {
		sum += c.t
		least = math.Min(least, c.f+c.t)
	}
	out.t = math.Min(sum, least)
	out.f = math.Max(least-out.t, 0)
	return out.settle()
}
