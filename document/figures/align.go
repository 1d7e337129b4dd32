package figures

import "slices"

// What an alignment costs: a token in place of another of its kind or of another
// kind, and one that has come or gone.
const (
	likeCost, unlikeCost, goneCost = 2, 3, 2
	// area bounds the table of one alignment, in bytes.
	area = 16 << 20
	gram = 3 // tokens in a row that are looked for as one
)

// align finds for each token of was the index of the same token in is, or -1.
func align(was, is []token) []int {
	l := aligner{was, is, make([]int, len(was))}
	for i := range l.out {
		l.out[i] = -1
	}
	l.part(0, len(was), 0, len(is))
	return l.out
}

type aligner struct {
	was, is []token
	out     []int
}

func (l *aligner) same(i, j int) bool {
	return l.was[i].hash == l.is[j].hash && (l.was[i].kind == empty) == (l.is[j].kind == empty)
}

func (l *aligner) part(a, aEnd, b, bEnd int) {
	for a < aEnd && b < bEnd && l.same(a, b) {
		l.out[a] = b
		a, b = a+1, b+1
	}
	for a < aEnd && b < bEnd && l.same(aEnd-1, bEnd-1) {
		aEnd, bEnd = aEnd-1, bEnd-1
		l.out[aEnd] = bEnd
	}
	if a == aEnd || b == bEnd {
		return
	}
	if (aEnd-a+1)*(bEnd-b+1) <= area {
		l.table(a, aEnd, b, bEnd, 0)
		return
	}
	anchors := l.anchors(a, aEnd, b, bEnd)
	if len(anchors) == 0 {
		l.table(a, aEnd, b, bEnd, max(area/(aEnd-a+1)/2, 1))
		return
	}
	for _, at := range anchors {
		if at[0] >= a && at[1] >= b {
			l.part(a, at[0], b, at[1])
			for n := range gram {
				l.out[at[0]+n] = at[1] + n
			}
			a, b = at[0]+gram, at[1]+gram
		}
	}
	l.part(a, aEnd, b, bEnd)
}

// anchors are the longest list of places at which both have the same few tokens,
// which neither has a second time, in the order of both.
func (l *aligner) anchors(a, aEnd, b, bEnd int) (out [][2]int) {
	places := func(all []token, from, to int) map[[gram]uint16]int {
		found := map[[gram]uint16]int{}
		for i := from; i+gram <= to; i++ {
			key := [gram]uint16{all[i].hash, all[i+1].hash, all[i+2].hash}
			if _, twice := found[key]; twice {
				found[key] = -1
			} else {
				found[key] = i
			}
		}
		return found
	}
	there := places(l.is, b, bEnd)
	var pairs [][2]int
	for key, i := range places(l.was, a, aEnd) {
		if j, ok := there[key]; ok && i >= 0 && j >= 0 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return x[0] - y[0] })
	var ends, before []int // of the best list of each length its last pair; of each pair the one before it
	for n, p := range pairs {
		at, _ := slices.BinarySearchFunc(ends, p[1], func(end, j int) int { return pairs[end][1] - j })
		if before = append(before, -1); at > 0 {
			before[n] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, n)
		} else {
			ends[at] = n
		}
	}
	if len(ends) == 0 {
		return nil
	}
	for n := ends[len(ends)-1]; n >= 0; n = before[n] {
		out = append(out, pairs[n])
	}
	slices.Reverse(out)
	return out
}

// table aligns two parts at the least cost. A band above 0 looks only that far
// from the diagonal.
func (l *aligner) table(a, aEnd, b, bEnd, band int) {
	const across, down, right = 0, 1, 2 // how a cell was reached
	n, m := aEnd-a, bEnd-b
	low := func(i int) int { // first column of a row
		if band == 0 {
			return 0
		}
		return max(i*m/n-band, 0)
	}
	width := m + 1
	if band > 0 {
		width = min(2*band+2, m+1)
	}
	const far = 1 << 30
	steps := make([]byte, (n+1)*width)
	last, row := make([]int32, m+1), make([]int32, m+1)
	for i := 0; i <= n; i++ {
		for j := range row {
			row[j] = far
		}
		for j := low(i); j < min(low(i)+width, m+1); j++ {
			cost, step := int32(far), byte(across)
			if i > 0 && j > 0 {
				cost = last[j-1] + l.cost(a+i-1, b+j-1)
			}
			if i > 0 && last[j]+goneCost < cost {
				cost, step = last[j]+goneCost, down
			}
			if j > 0 && row[j-1]+goneCost < cost {
				cost, step = row[j-1]+goneCost, right
			}
			if i == 0 && j == 0 {
				cost = 0
			}
			row[j], steps[i*width+j-low(i)] = cost, step
		}
		last, row = row, last
	}
	for i, j := n, m; i > 0; {
		at := j - low(i)
		if at < 0 || at >= width {
			return // outside of the band: the rest has no place
		}
		switch steps[i*width+at] {
		case across:
			if j == 0 {
				return
			}
			i, j = i-1, j-1
			l.out[a+i] = b + j
		case down:
			i--
		default:
			j--
		}
	}
}

func (l *aligner) cost(i, j int) int32 {
	switch {
	case l.same(i, j):
		return 0
	case l.was[i].kind == l.is[j].kind:
		return likeCost
	}
	return unlikeCost
}
