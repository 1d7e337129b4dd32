package ask

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// questionsFile is a list of questions with what their answers must have.
type questionsFile struct {
	MaxCost   float64        `yaml:"max_cost" json:"max_cost,omitempty" jsonschema:"what a question may cost that does not say, in the currency of the prices"`
	Questions []testQuestion `yaml:"questions" json:"questions"`
}

// testQuestion is a question whose right answer is known.
type testQuestion struct {
	Name     string   `yaml:"name" json:"name,omitempty" jsonschema:"as reports call it; else the question itself"`
	Ask      string   `yaml:"ask" json:"ask"`
	Expect   expected `yaml:"expect" json:"expect"`
	Tools    []string `yaml:"tools" json:"tools,omitempty" jsonschema:"the only tools that the model may call"`
	MaxCalls int      `yaml:"max_calls" json:"max_calls,omitempty"`
	MaxCost  float64  `yaml:"max_cost" json:"max_cost,omitempty"`
}

// expected is what an answer must have; at least one of its fields is given, and all
// that are given count.
type expected struct {
	Figure    *float64 `yaml:"figure" json:"figure,omitempty" jsonschema:"a number that is in the answer"`
	Tolerance float64  `yaml:"tolerance" json:"tolerance,omitempty" jsonschema:"how far the figure may be off"`
	Rows      [][]any  `yaml:"rows" json:"rows,omitempty" jsonschema:"rows of values; the values of a row are in one line of the answer, or in a row of a table that it shows"`
	Text      []string `yaml:"text" json:"text,omitempty" jsonschema:"words that are in the answer, in any case"`
	Refusal   bool     `yaml:"refusal" json:"refusal,omitempty" jsonschema:"the model declines: its provider says so, or the answer has no figure and says that it cannot"`
	Question  bool     `yaml:"question" json:"question,omitempty" jsonschema:"the answer ends by asking back"`
}

// readQuestions reads a file of questions.
func readQuestions(name, text string) (*questionsFile, error) {
	var f questionsFile
	base := filepath.Base(name)
	if err := checks.Decode(base, text, api.KindBadQuestions, &f); err != nil {
		return nil, err
	}
	bad := func(what string) error {
		return &api.Error{Code: api.CodeConfig, Kind: api.KindBadQuestions, Message: base + ": " + what, Hint: "docs/agent.md shows such a file."}
	}
	if len(f.Questions) == 0 {
		return nil, bad("it has no questions")
	}
	for i := range f.Questions {
		q := &f.Questions[i]
		e := q.Expect
		switch {
		case strings.TrimSpace(q.Ask) == "":
			return nil, bad(fmt.Sprintf("question %d does not ask anything", i+1))
		case e.Figure == nil && e.Rows == nil && e.Text == nil && !e.Refusal && !e.Question:
			return nil, bad(fmt.Sprintf("question %d does not say what to expect", i+1))
		}
		q.Name, q.MaxCost = cmp.Or(q.Name, api.Clip(q.Ask, 80)), cmp.Or(q.MaxCost, f.MaxCost)
	}
	return &f, nil
}

// number matches a figure as people and models write it.
var number = lazyregexp.New(`[-−]?\d+(?:[,  '’]\d{3})*(?:\.\d+)?`)

// figuresIn returns the figures of a text.
func figuresIn(text string) (all []float64) {
	for _, m := range number().FindAllString(text, -1) {
		plain := strings.NewReplacer(",", "", " ", "", " ", "", "'", "", "’", "", "−", "-").Replace(m)
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			all = append(all, f)
		}
	}
	return all
}

// cannot matches how a model says that it does not answer.
var cannot = lazyregexp.New(`(?i)\b(cannot|can't|can not|unable|not able|no (such )?(data|table|column|access)|do(es)? not (have|exist|contain)|not available|decline)\b`)

// wrong says what an answer lacks; nothing if it is right.
func (q testQuestion) wrong(a agent.Answer, shown []agent.DataFrame, tools []string) (faults []string) {
	text, e := strings.TrimSpace(a.Text), q.Expect
	if e.Figure != nil && !hasFigure(text, *e.Figure, e.Tolerance) {
		faults = append(faults, fmt.Sprintf("the figure %v is not in it", *e.Figure))
	}
	for _, row := range e.Rows {
		if !hasRow(text, shown, row, e.Tolerance) {
			faults = append(faults, fmt.Sprintf("the row %v is not in it", row))
		}
	}
	for _, t := range e.Text {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(t)) {
			faults = append(faults, "'"+t+"' is not in it")
		}
	}
	if e.Refusal && a.Reason != agent.ReasonRefused && (len(figuresIn(text)) > 0 || !cannot().MatchString(text)) {
		faults = append(faults, "it does not decline")
	}
	if e.Question && !strings.HasSuffix(text, "?") {
		faults = append(faults, "it does not ask back")
	}
	if a.Reason != agent.ReasonEnd && !(e.Refusal && a.Reason == agent.ReasonRefused) {
		faults = append(faults, "the turn ended early: "+string(a.Reason))
	}
	for _, t := range tools {
		if q.Tools != nil && !slices.Contains(q.Tools, t) {
			faults = append(faults, "it called "+t)
		}
	}
	if q.MaxCalls > 0 && a.Calls > q.MaxCalls {
		faults = append(faults, fmt.Sprintf("it took %d calls", a.Calls))
	}
	return faults
}

func hasFigure(text string, want, tolerance float64) bool {
	return slices.ContainsFunc(figuresIn(text), func(f float64) bool { return math.Abs(f-want) <= tolerance+1e-9*math.Abs(want) })
}

// hasRow reports whether all values of a row are in one line, or in a row of a table
// that was shown.
func hasRow(text string, shown []agent.DataFrame, row []any, tolerance float64) bool {
	lines := strings.Split(text, "\n")
	for _, f := range shown {
		for _, r := range f.Rows {
			lines = append(lines, fmt.Sprint(r))
		}
	}
	return slices.ContainsFunc(lines, func(line string) bool {
		return !slices.ContainsFunc(row, func(v any) bool {
			said := fmt.Sprint(v)
			if f, err := strconv.ParseFloat(said, 64); err == nil {
				return !hasFigure(line, f, tolerance)
			}
			return !strings.Contains(strings.ToLower(line), strings.ToLower(said))
		})
	})
}
