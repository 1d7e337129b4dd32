// Package lcs finds the longest common subsequence of two sequences, and with it
// what differs. It must not know what the sequences are of.
package lcs

import "slices"

// mostSteps bounds the work: the product of the lengths of what differs.
const mostSteps = 4 << 20

// Run says that a[A:AEnd] became b[B:BEnd]. One of them may be empty.
type Run struct{ A, AEnd, B, BEnd int }

// Runs returns what differs between two sequences, in order: what lies between
// the runs is their longest common subsequence. If that would take too long,
// everything between the first and the last difference is one run.
func Runs[T comparable](a, b []T) (out []Run) {
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	a, b = a[first:], b[first:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)+len(b) == 0 {
		return nil
	}
	if len(a)*len(b) > mostSteps {
		return []Run{{first, first + len(a), first, first + len(b)}}
	}
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width) // lengths of the common subsequences of the remaining parts
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if x == y {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	i, j, fromA, fromB := 0, 0, 0, 0
	end := func() {
		if i > fromA || j > fromB {
			out = append(out, Run{first + fromA, first + i, first + fromB, first + j})
		}
	}
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			end()
			i, j = i+1, j+1
			fromA, fromB = i, j
		case j == len(b) || i < len(a) && longest[(i+1)*width+j] >= longest[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	end()
	return out
}
