package figures

import (
	"fmt"
	"slices"
	"strings"
)

// Text says where the figures of a text are.
type Text struct {
	// Words are the tokens of the text around its figures: of each its hash and, in a
	// third byte, its kind and whether a space is before it.
	Words []byte `json:"words"`
	Spans []Span `json:"spans"`
}

// Span is the place of a value: the first of its tokens, how many it has, and its
// answer, row and column. A value without text has none.
type Span [5]int

// Marks around values. The text that has them only serves to find their places.
const (
	begin, middle, end = '\ue100', '\ue101', '\ue102'
	marks              = "\ue100\ue101\ue102"
)

// around is how many tokens on each side of a figure are kept.
const around = 100

// Marked returns the values of an answer as texts with marks around them.
func Marked(answer int, values [][]any) [][]any {
	out := make([][]any, len(values))
	for r, row := range values {
		out[r] = make([]any, len(row))
		for c, v := range row {
			out[r][c] = v
			if text := Written(v); !strings.ContainsAny(text, marks) {
				out[r][c] = fmt.Sprintf("%c%d,%d,%d%c%s%c", begin, answer, r, c, middle, text, end)
			}
		}
	}
	return out
}

// spot is a value in an unmarked text.
type spot struct{ from, to, answer, row, column int }

// unmarked takes the marks out of blocks.
func unmarked(blocks []Block) (plain []Block, spots []spot) {
	at := 0
	var open spot
	for _, block := range blocks {
		var b strings.Builder
		rest := block.Text
		for {
			i := strings.IndexAny(rest, marks)
			if i < 0 {
				break
			}
			b.WriteString(rest[:i])
			rest = rest[i:]
			size := len(string(begin))
			switch {
			case strings.HasPrefix(rest, string(begin)):
				head, _, found := strings.Cut(rest, string(middle))
				if _, err := fmt.Sscanf(head[size:], "%d,%d,%d", &open.answer, &open.row, &open.column); found && err == nil {
					size = len(head) + len(string(middle))
				}
				open.from = at + b.Len()
			case strings.HasPrefix(rest, string(end)):
				open.to = at + b.Len()
				spots = append(spots, open)
			}
			rest = rest[size:]
		}
		b.WriteString(rest)
		plain = append(plain, Block{b.String(), block.At})
		at += b.Len() + 1
	}
	return plain, spots
}

// Where finds the marked values of a text.
func Where(marked []Block) *Text {
	blocks, spots := unmarked(marked)
	all := tokens(joined(blocks))
	out := &Text{}
	kept := make([]bool, len(all))
	first := 0
	slices.SortFunc(spots, func(a, b spot) int { return a.from - b.from })
	for _, s := range spots {
		for first < len(all) && all[first].to <= s.from && all[first].kind != empty || first < len(all) && all[first].to < s.from {
			first++
		}
		n := 0
		for first+n < len(all) && (all[first+n].from < s.to || all[first+n].kind == empty && all[first+n].from == s.from) {
			n++
		}
		out.Spans = append(out.Spans, Span{first, n, s.answer, s.row, s.column})
		for i := max(first-around, 0); i < min(first+n+around, len(all)); i++ {
			kept[i] = true
		}
	}
	at := make([]int, len(all)+1)
	for i, t := range all {
		at[i] = len(out.Words) / 3
		if kept[i] {
			out.Words = append(out.Words, byte(t.hash>>8), byte(t.hash), t.flags())
		}
	}
	at[len(all)] = len(out.Words) / 3
	for i := range out.Spans {
		out.Spans[i][0] = at[out.Spans[i][0]]
	}
	return out
}

// Only is the text with the figures of one answer, which is the only one then.
func (t *Text) Only(answer int) *Text {
	out := &Text{Words: t.Words}
	for _, s := range t.Spans {
		if s[2] == answer {
			s[2] = 0
			out.Spans = append(out.Spans, s)
		}
	}
	return out
}

func (t token) flags() byte {
	if t.tight {
		return byte(t.kind) | 0x80
	}
	return byte(t.kind)
}

func (t *Text) tokens() []token {
	out := make([]token, len(t.Words)/3)
	for i := range out {
		w := t.Words[3*i:]
		out[i] = token{hash: uint16(w[0])<<8 | uint16(w[1]), kind: kind(w[2] & 0x7f), tight: w[2]&0x80 != 0}
	}
	return out
}

// compare says what became of the figures of a text. In pages, empty blocks do not
// show.
func (t *Text) compare(answers []Answer, blocks []Block, pages bool) (out []Figure) {
	text, starts := joined(blocks)
	c := comparison{was: t.tokens(), is: tokens(text, starts), text: text}
	if pages {
		c.is = slices.DeleteFunc(c.is, func(t token) bool { return t.kind == empty })
	}
	c.to = align(c.was, c.is)
	c.from = make([]int, len(c.is))
	for i := range c.from {
		c.from[i] = -1
	}
	for i, j := range c.to {
		if j >= 0 {
			c.from[j] = i
		}
	}
	for _, s := range t.Spans {
		if s[2] < 0 || s[2] >= len(answers) || s[0] < 0 || s[1] < 0 || s[0]+s[1] > len(c.was) {
			continue // somebody has made this up
		}
		a := &answers[s[2]]
		if s[3] < 0 || s[3] >= len(a.Values) || s[4] < 0 || s[4] >= len(a.Columns) {
			continue
		}
		f := Figure{Answer: s[2], Row: s[3], Column: s[4], Written: Written(a.Values[s[3]][s[4]])}
		place := c.judge(s, &f, pages)
		if i, _ := slices.BinarySearch(starts, place+1); place >= 0 && i > 0 {
			f.At = blocks[i-1].At
		}
		out = append(out, f)
	}
	return out
}

// comparison is a text as it was and as it is.
type comparison struct {
	was, is  []token
	text     string
	to, from []int
}

// judge sets what became of a figure, and returns where in the text it is; -1:
// nowhere.
func (c *comparison) judge(s Span, f *Figure, pages bool) int {
	first, last := -1, -1
	same := s[1] > 0
	for n := range s[1] {
		j := c.to[s[0]+n]
		if j < 0 {
			same = false
			continue
		}
		if first < 0 {
			first = j
		}
		same = same && c.is[j].hash == c.was[s[0]+n].hash && j == first+n
		last = j
	}
	if first < 0 {
		f.Status = Missing
		if blank := strings.TrimSpace(f.Written) == ""; blank && (pages || s[1] == 0) {
			f.Status = Unchanged
		}
		return -1
	}
	from, to := c.is[first].from, c.is[last].to
	f.Found = strings.TrimSpace(c.text[from:to])
	f.Status = TypedOver
	if same && strings.Contains(squeezed(f.Found), squeezed(f.Written)) && c.beside(s[0], first, false) && c.beside(s[0]+s[1]-1, last, true) {
		f.Found, f.Status = "", Unchanged
	}
	return from
}

// squeezed is a text without its spaces, which programs break lines at.
func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// beside reports whether the same joins a figure on one side as did before: 5 % is
// not 5.
func (c *comparison) beside(was, is int, right bool) bool {
	a, b := neighbour(c.was, was, right), neighbour(c.is, is, right)
	switch {
	case a < 0 && b < 0:
		return true
	case a < 0 || b < 0:
		return false
	}
	return c.to[a] == b && (c.was[a].hash == c.is[b].hash || c.was[a].kind == number)
}

// neighbour is the token that joins another; -1 if none does.
func neighbour(all []token, at int, right bool) int {
	n := at - 1
	tight := all[at].tight
	if right {
		n = at + 1
		tight = n < len(all) && all[n].tight
	}
	if n < 0 || n >= len(all) || !tight || !all[n].joins() {
		return -1
	}
	return n
}
