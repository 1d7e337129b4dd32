package gist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/search"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/toolbox/fit"
)

// page is a text as it fills.
type page struct {
	gist  *Gist
	left  int // bytes
	model *api.SemanticModel
	known *api.Known
}

// Of the room, what the last lines take, and which share of it tables may take before
// what else is needed has had its own, in percent.
const (
	lastLines   = 400
	firstTables = 65
)

// pick is a table with what of it is shown.
type pick struct {
	*api.TableSchema
	in    bool
	shown []bool // by column
	first []bool // which columns the question names, or joins need
	whole []bool // which are shown with type and description
}

// fill writes what there is room for: tables with the columns that are named, metrics,
// joins, traps and what people wrote, and then the other columns.
func (p *page) fill(schemas []*api.TableSchema, found *api.SearchResult) {
	p.left -= lastLines
	known := metric.JoinsAmong(schemas, p.model)
	scores := p.scores(schemas)
	for _, h := range found.Hits {
		for _, m := range h.Matches {
			if m.Field == "value" || m.Column != "" && m.Why != "" {
				if scores[h.ID] == nil {
					scores[h.ID] = map[string]float64{}
				}
				scores[h.ID][m.Column]++
			}
		}
	}
	picks := make([]pick, len(schemas))
	for i, s := range schemas {
		first := needed(s, known, scores[s.TableID])
		picks[i] = pick{s, false, make([]bool, len(s.Columns)), first, slices.Clone(first)}
	}
	rest := p.left * (100 - firstTables) / 100
	for i := range picks {
		if p.left-rest < p.head(picks[i]) {
			break
		}
		p.open(&picks[i], rest)
	}
	p.explain()
	p.metrics()
	p.joins(known, picks)
	p.traps(known, picks)
	p.values(found.Hits, picks)
	p.notes(picks)
	p.saved()
	for i := range picks {
		if !picks[i].in && p.left > p.head(picks[i]) {
			p.open(&picks[i], 0)
		}
		for at := range picks[i].Columns {
			p.show(&picks[i], at, 0)
		}
	}
	for _, t := range picks {
		for at, shown := range t.shown {
			if more := len(t.described(at).String()) - len(t.column(at).String()); shown && more <= p.left {
				t.whole[at] = true
				p.left -= more
			}
		}
	}
	var ids []string
	for _, h := range found.Hits {
		ids = append(ids, h.ID)
	}
	p.write(picks, ids, found.Total)
}

// scores are, by table and column, what the words of the question in them are worth.
func (p *page) scores(schemas []*api.TableSchema) map[string]map[string]float64 {
	index := search.NewIndex()
	for _, s := range schemas {
		var also []search.Also
		for _, n := range s.Notes {
			also = append(also, search.Also{Field: "note", Column: n.Column, Text: n.Text})
		}
		index.Declare(search.Declared{ID: s.TableID, Description: s.Description, Also: also})
		index.Learn(s.TableID, search.Learnt{Columns: s.Columns})
	}
	terms, scores := map[string]string{}, map[string]map[string]float64{}
	for _, n := range p.known.Notes {
		if n.Term != "" {
			terms[n.Term] = n.Text
		}
	}
	index.Explain(terms)
	for _, f := range index.Search(p.gist.Question, len(schemas), true, everything).Found {
		scores[f.ID] = f.Columns
	}
	return scores
}

func everything(string) search.Sight { return search.Sight{Any: true, Whole: true} }

// needed marks the columns of a table that the question names, and those of its joins.
func needed(s *api.TableSchema, known []api.Join, scores map[string]float64) []bool {
	first := make([]bool, len(s.Columns))
	for i, c := range s.Columns {
		first[i] = scores[c.Name] > 0 || slices.ContainsFunc(known, func(j api.Join) bool {
			return slices.ContainsFunc(j.Pairs(), func(p api.ColumnPair) bool {
				return j.Table == s.TableID && p.Column == c.Name || j.To == s.TableID && p.ToColumn == c.Name
			})
		})
	}
	return first
}

// head is how many bytes the line of a table takes without columns.
func (p *page) head(t pick) int { return len(line(t.TableID, t.Description)) + len("()\n") + 16 }

// open shows a table with the columns that are needed first, as long as rest remains.
func (p *page) open(t *pick, rest int) {
	t.in = true
	p.left -= p.head(*t)
	for at, first := range t.first {
		if first {
			p.show(t, at, rest)
		}
	}
}

func (p *page) show(t *pick, at, rest int) {
	if !t.in || t.shown[at] {
		return
	}
	if size := len(t.column(at).String()) + len(", "); size <= p.left-rest {
		t.shown[at] = true
		p.left -= size
	}
}

// column is a column as it is shown: with type and description if it is needed, or if
// there is room.
func (t *pick) column(at int) Column {
	if !t.whole[at] {
		return Column{Name: t.Columns[at].Name}
	}
	return t.described(at)
}

func (t *pick) described(at int) Column {
	c := t.Columns[at]
	return Column{c.Name, api.Clip(c.Type, 80), api.Clip(c.Description, 100)}
}

// took takes the room that a line needs, and reports whether there was enough.
func (p *page) took(text string) bool {
	if len(text)+1 > p.left {
		return false
	}
	p.left -= len(text) + 1
	return true
}

// metrics takes those metrics in which words of the question are, those with the most
// of them first.
func (p *page) metrics() {
	p.gist.Metrics = []Metric{}
	index, all := search.NewIndex(), map[string]Metric{}
	for _, m := range p.model.Metrics {
		if !m.Inner && m.Unclear == "" {
			index.Declare(search.Declared{ID: m.Name, Name: m.Label, Description: m.Description})
			all[m.Name] = Metric{m.Name, api.Clip(cmp.Or(m.Description, m.Label), 120)}
		}
	}
	found := index.Search(p.gist.Question, api.MaxSearchHits, true, everything).Found
	for _, f := range found {
		m := all[f.ID]
		if 2*f.Score >= found[0].Score && p.took(m.String()) {
			p.gist.Metrics = append(p.gist.Metrics, m)
		} else {
			p.gist.LeftOut.Metrics++
		}
	}
}

// joins takes the joins between tables that are shown.
func (p *page) joins(known []api.Join, picks []pick) {
	p.gist.Joins = []api.Join{}
	in := func(id string) bool {
		return slices.ContainsFunc(picks, func(t pick) bool { return t.in && t.TableID == id })
	}
	for _, j := range known {
		switch {
		case !in(j.Table) || !in(j.To):
		case p.took(joinLine(j)):
			p.gist.Joins = append(p.gist.Joins, j)
		default:
			p.gist.LeftOut.Joins++
		}
	}
}

// maxLeftOut is how many tables that were left out are named.
const maxLeftOut = 8

// write writes the text.
func (p *page) write(picks []pick, ids []string, total int) {
	g := p.gist
	g.Tables = []Table{}
	var b, written strings.Builder
	for _, t := range picks {
		if !t.in {
			continue
		}
		out := Table{ID: t.TableID, Description: api.Clip(t.Description, 120), Columns: []Column{}, ColumnsTotal: len(t.Columns)}
		var texts []string
		for at, shown := range t.shown {
			if shown {
				out.Columns = append(out.Columns, t.column(at))
				texts = append(texts, t.column(at).String())
			}
		}
		if n := len(t.Columns) - len(texts); n > 0 {
			texts = append(texts, fmt.Sprintf("+%d", n))
			g.LeftOut.Columns += n
		}
		fmt.Fprintf(&b, "%s(%s)\n", line(t.TableID, t.Description), strings.Join(texts, ", "))
		g.Tables = append(g.Tables, out)
	}
	for _, j := range g.Joins {
		fmt.Fprintln(&b, joinLine(j))
	}
	for _, m := range g.Metrics {
		fmt.Fprintln(&b, m)
	}
	for _, t := range g.Traps {
		fmt.Fprintln(&b, "trap: "+t)
	}
	for _, id := range ids {
		if !slices.ContainsFunc(g.Tables, func(t Table) bool { return t.ID == id }) && len(g.LeftOut.Tables) < maxLeftOut {
			g.LeftOut.Tables = append(g.LeftOut.Tables, id)
		}
	}
	shown := 0
	for _, t := range g.Tables {
		if slices.Contains(ids, t.ID) {
			shown++
		}
	}
	g.LeftOut.MoreTables = total - shown - len(g.LeftOut.Tables)
	if text := g.LeftOut.String(); text != "" {
		fmt.Fprintln(&b, text)
	}
	for _, v := range g.Values {
		fmt.Fprintln(&written, v)
	}
	for _, n := range g.Notes {
		fmt.Fprintln(&written, noteLine(n))
	}
	for _, s := range g.Saved {
		fmt.Fprintln(&written, s)
	}
	g.Written = written.String()
	g.Text = b.String() + g.Written
	g.Tokens = (len(g.Text) + fit.BytesPerToken - 1) / fit.BytesPerToken
}

// explain takes the terms that the question names.
func (p *page) explain() {
	p.gist.Notes = []api.Note{}
	for _, n := range p.known.Notes {
		if n.Term != "" && search.Names(p.gist.Question, n.Term) {
			p.note(n)
		}
	}
}

// notes takes those of the tables that are shown: of columns that are needed, then others.
func (p *page) notes(picks []pick) {
	for _, needed := range []bool{true, false} {
		for _, t := range picks {
			for _, n := range t.Notes {
				at := slices.IndexFunc(t.Columns, func(c api.Column) bool { return c.Name == n.Column })
				if t.in && needed == (at < 0 || t.first[at]) {
					p.note(n)
				}
			}
		}
	}
}

func (p *page) note(n api.Note) {
	if p.took(noteLine(n)) {
		p.gist.Notes = append(p.gist.Notes, n)
	} else {
		p.gist.LeftOut.Notes++
	}
}

// values takes those that the search found.
func (p *page) values(hits []api.SearchHit, picks []pick) {
	p.gist.Values = []Value{}
	for _, h := range hits {
		for _, m := range h.Matches {
			if m.Field != "value" || !slices.ContainsFunc(picks, func(t pick) bool { return t.in && t.TableID == h.ID }) {
				continue
			}
			if v := (Value{h.ID, m.Column, m.Text}); p.took(v.String()) {
				p.gist.Values = append(p.gist.Values, v)
			} else {
				p.gist.LeftOut.Values++
			}
		}
	}
}

// saved takes the questions that are most like this one, approved ones first.
func (p *page) saved() {
	p.gist.Saved = []Saved{}
	index, all := search.NewIndex(), map[string]Saved{}
	for _, q := range p.known.Questions {
		all[q.Name] = Saved{q.Name, q.Question, q.SQL, q.IsApproved() && len(q.Changed) == 0}
		index.Declare(search.Declared{ID: q.Name, Name: q.Question, Description: strings.Join(q.Also, "; ")})
	}
	found := index.Search(p.gist.Question, api.MaxSearchHits, true, everything).Found
	found = slices.DeleteFunc(found, func(f search.Found) bool { return 2*f.Score < found[0].Score })
	slices.SortStableFunc(found, func(a, b search.Found) int {
		switch {
		case all[a.ID].Approved == all[b.ID].Approved:
			return 0
		case all[a.ID].Approved:
			return -1
		}
		return 1
	})
	for i, f := range found {
		if s := all[f.ID]; i < maxSaved && p.took(s.String()) {
			p.gist.Saved = append(p.gist.Saved, s)
		} else {
			p.gist.LeftOut.Saved++
		}
	}
}
