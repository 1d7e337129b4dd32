package figures

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/numerals"
)

// Why finds the figures that a text means: those that are or were so in the file, or
// else those that are so when rounded as the text is. An empty text means all.
func (r *Read) Why(text string) []Figure {
	text = strings.TrimSpace(text)
	if text == "" {
		return r.Figures
	}
	var best []Figure
	nearest := notIt
	for _, f := range r.Figures {
		m := min(match(text, f.Written), match(text, f.Found))
		if m < nearest {
			best, nearest = nil, m
		}
		if m == nearest && m != notIt {
			best = append(best, f)
		}
	}
	return best
}

// Explained is a figure with what it rests on.
type Explained struct {
	At        string `json:"at,omitempty" jsonschema:"place in the file"`
	Status    Status `json:"status" jsonschema:"unchanged, typed_over or missing in the file, or pictured; its statement was not run"`
	Written   string `json:"written"`
	Found     string `json:"found,omitempty" jsonschema:"what the file has, if that is something else"`
	Name      string `json:"column"`
	Row       int    `json:"row" jsonschema:"from 1"`
	Rows      int    `json:"rows"`
	Statement string `json:"statement"`
	Asked
	Columns   []string     `json:"columns"`
	Caveats   []api.Caveat `json:"caveats"`
	WrittenAt time.Time    `json:"written_at"`
}

// Explain says of the figures that a text means what they rest on; if none is written
// in the file, of those that its plots show.
func (r *Read) Explain(text string) []Explained {
	out := []Explained{}
	for _, f := range r.Why(text) {
		a := r.Of(f)
		out = append(out, Explained{At: f.At, Status: f.Status, Written: f.Written, Found: f.Found, Name: a.Columns[f.Column], Row: f.Row + 1,
			Rows:      a.Rows,
			Statement: a.Statement, Asked: a.Asked, Columns: a.Columns, Caveats: api.Arranged(a.Caveats), WrittenAt: r.Receipts[f.Receipt].At})
	}
	if len(out) == 0 {
		return r.pictured(strings.TrimSpace(text))
	}
	return out
}

// pictured are the figures of plots that a text means.
func (r *Read) pictured(text string) []Explained {
	out := []Explained{}
	nearest := notIt
	for _, receipt := range r.Receipts {
		for _, a := range receipt.Answers {
			for _, s := range a.Drawn {
				for i, v := range s.Values {
					m := match(text, Written(v))
					if m < nearest {
						out, nearest = out[:0], m
					}
					if m == nearest && m != notIt {
						out = append(out, Explained{Status: Pictured, Written: Written(v), Name: s.Name, Row: i + 1, Rows: len(s.Values),
							Statement: a.Statement, Asked: a.Asked, Columns: []string{s.Name}, Caveats: api.Arranged(a.Caveats), WrittenAt: receipt.At})
					}
				}
			}
		}
	}
	return out
}

// matching is how well a text fits a figure; less is better.
type matching int

const (
	itself matching = iota // the same text or number
	roughly
	notIt
)

func match(text, figure string) matching {
	if figure == "" {
		return notIt
	}
	if strings.EqualFold(squeezed(text), squeezed(figure)) {
		return itself
	}
	first, last := strings.IndexFunc(text, isDigit), strings.LastIndexFunc(text, isDigit)
	x, err := strconv.ParseFloat(strings.Trim(figure, " %€$£"), 64)
	if first < 0 || err != nil {
		return notIt
	}
	out := notIt
	for _, reading := range numerals.Readings(text[first : last+1]) {
		for _, factor := range numerals.Factors(text[last+1:]) {
			switch {
			case math.Abs(math.Abs(x)/factor-reading.Value) <= 1e-9*math.Abs(reading.Value):
				return itself
			case reading.Holds(x, factor):
				out = roughly
			}
		}
	}
	return out
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// Near are the written texts that are nearest to one that was not found, for a hint.
func (r *Read) Near(most int) (texts []string) {
	for _, f := range r.Figures {
		if f.Written != "" && !slices.Contains(texts, f.Written) && len(texts) < most {
			texts = append(texts, f.Written)
		}
	}
	return texts
}
