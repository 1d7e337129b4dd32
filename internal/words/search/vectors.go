package search

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Vectors says which words are used like others: of a file of word vectors in the text
// format of word2vec or GloVe, the first words, which are the most frequent ones.
type Vectors struct {
	size  int              // how many numbers a vector has
	at    map[string]int32 // by word
	unit  []int8           // vectors of length 127, one behind the other
	signs []uint64         // the signs of each, in whole words
}

// Of a file, at most maxVectors words and maxVectorBytes of vectors are kept; lines are
// at most maxVectorLine long.
const (
	maxVectors     = 100_000
	maxVectorBytes = 10 << 20
	maxVectorLine  = 1 << 16
)

// alikeFrom is the cosine from which on words count as similar; of them, mostSimilar are
// taken.
const (
	alikeFrom   = 0.6
	mostSimilar = 6
)

// ReadVectors reads a file; its name may end in .gz.
func ReadVectors(path string) (*Vectors, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	v, lines := &Vectors{at: map[string]int32{}}, bufio.NewScanner(in)
	lines.Buffer(nil, maxVectorLine)
	for n := 1; lines.Scan() && len(v.at) < maxVectors && len(v.unit) < maxVectorBytes; n++ {
		if err := v.line(lines.Bytes(), n == 1); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(v.at) == 0 {
		return nil, fmt.Errorf("it has no vectors")
	}
	// Without room behind them.
	v.unit, v.signs = append(make([]int8, 0, len(v.unit)), v.unit...), append(make([]uint64, 0, len(v.signs)), v.signs...)
	return v, nil
}

// line takes a word and its numbers. The first line of word2vec's files has two counts.
func (v *Vectors) line(line []byte, first bool) error {
	fields := bytes.Fields(line)
	if len(fields) == 0 || first && len(fields) == 2 {
		return nil
	}
	if v.size == 0 {
		v.size = len(fields) - 1
	}
	if v.size == 0 || len(fields) != v.size+1 {
		return fmt.Errorf("%d numbers behind a word, where the first has %d", len(fields)-1, v.size)
	}
	numbers, length := make([]float64, v.size), 0.0
	for i, text := range fields[1:] {
		x, err := strconv.ParseFloat(string(text), 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%q is not a number", clip(text))
		}
		numbers[i], length = x, length+x*x
	}
	words := split(string(fields[0]))
	if len(words) != 1 || length == 0 {
		return nil
	}
	if _, ok := v.at[words[0]]; ok {
		return nil
	}
	v.at[strings.Clone(words[0])] = int32(len(v.at))
	signs := make([]uint64, (v.size+63)/64)
	for i, x := range numbers {
		v.unit = append(v.unit, int8(math.Round(127*x/math.Sqrt(length))))
		if x < 0 {
			signs[i/64] |= 1 << (i % 64)
		}
	}
	v.signs = append(v.signs, signs...)
	return nil
}

func clip(text []byte) []byte { return text[:min(len(text), 20)] }

// cosine is how alike two words are, by their numbers; 0 if their signs tell that they are not.
func (v *Vectors) cosine(a, b int32) float64 {
	n, different := int32((v.size+63)/64), 0
	for i := range n {
		different += bits.OnesCount64(v.signs[a*n+i] ^ v.signs[b*n+i])
	}
	if 5*different > 2*v.size { // words at an angle of 53° differ in three of ten
		return 0
	}
	sum, x, y := int32(0), v.unit[int(a)*v.size:], v.unit[int(b)*v.size:]
	for i := range v.size {
		sum += int32(x[i]) * int32(y[i])
	}
	return float64(sum) / (127 * 127)
}

// Mean makes the index find words by meaning.
func (x *Index) Mean(v *Vectors) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.vectors, x.vector = v, nil
	for _, w := range x.words {
		x.vector = append(x.vector, v.of(w))
	}
}

// of is where the vector of a word is; -1: it has none.
func (v *Vectors) of(word string) int32 {
	if v != nil {
		if at, ok := v.at[word]; ok {
			return at
		}
	}
	return -1
}

// similar are the terms that are seen whose meaning is nearest to that of a word.
func (l *looking) similar(w string) (terms []likeness) {
	at := l.vectors.of(w)
	if at < 0 {
		return nil
	}
	type near struct {
		term uint32
		how  float64
	}
	var all []near
	for id, other := range l.vector {
		if other >= 0 && other != at {
			if how := l.vectors.cosine(at, other); how >= alikeFrom {
				all = append(all, near{uint32(id), how})
			}
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.how, a.how), strings.Compare(l.Index.words[a.term], l.Index.words[b.term]))
	})
	for _, n := range all {
		if len(terms) < mostSimilar && l.isSeen(n.term) {
			terms = append(terms, likeness{n.term, similar})
		}
	}
	return terms
}
