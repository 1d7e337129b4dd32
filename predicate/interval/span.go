package interval

// span is a range of values; a nil end is open to that side.
type span struct {
	low, high         *Point
	lowOpen, highOpen bool // the end itself is outside
}

// within returns the intersection of s and o.
func (s span) within(o span) span {
	if o.low != nil && (s.low == nil || o.low.compare(*s.low) > 0 || o.low.compare(*s.low) == 0 && o.lowOpen) {
		s.low, s.lowOpen = o.low, o.lowOpen
	}
	if o.high != nil && (s.high == nil || o.high.compare(*s.high) < 0 || o.high.compare(*s.high) == 0 && o.highOpen) {
		s.high, s.highOpen = o.high, o.highOpen
	}
	return s
}

// empty reports whether the span contains no value, however engines round.
func (s span) empty() bool {
	return s.low != nil && s.high != nil && s.high.surelyLess(*s.low)
}
