package search

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// score returns what each table is worth, by slot, and how many of the words that count
// it holds.
func (l *looking) score() (total []float32, held []uint8) {
	total, held = make([]float32, len(l.bySlot)), make([]uint8, len(l.bySlot))
	of, best := make([]uint8, len(l.bySlot)), make([]float32, len(l.bySlot))
	for i := range l.words {
		w := &l.words[i]
		for _, t := range w.terms {
			for _, u := range l.places[t.term] {
				if l.last[u] == uint8(i+1) || !l.sees(u) {
					continue
				}
				l.last[u] = uint8(i + 1)
				l.count[u]++
				if slot := l.owner[u]; of[slot] != uint8(i+1) {
					of[slot] = uint8(i + 1)
					w.tables++
				}
			}
		}
		w.weight = 0.2 + math.Log(1+float64(l.answer.Tables)/float64(max(w.tables, 1)))/math.Log(1+float64(l.answer.Tables))
		if w.weak {
			w.weight /= 3
		}
	}
	for i := range l.words {
		w := &l.words[i]
		var touched []uint32
		exact := make([]bool, len(l.bySlot)) // the word itself is there, not one that may be meant by it
		meantOnly := !slices.ContainsFunc(w.terms, likeness.exact)
		for _, t := range w.terms {
			for _, u := range l.places[t.term] {
				if l.count[u] == 0 {
					continue
				}
				slot := l.owner[u]
				if best[slot] == 0 {
					touched = append(touched, slot)
				}
				best[slot] = max(best[slot], l.worth(u, t.worth))
				exact[slot] = exact[slot] || t.exact() || meantOnly
			}
		}
		for _, slot := range touched {
			total[slot] += best[slot] * float32(w.weight)
			best[slot] = 0
			if !w.weak && exact[slot] {
				held[slot]++
			}
		}
	}
	return total, held
}

// worth is what a term in a unit is worth.
func (l *looking) worth(unit uint32, how int) float32 {
	share := float32(l.count[unit]) / float32(max(l.length[unit], 1))
	return float32(int(l.worths[unit])*how) * (0.5 + 0.5*min(share, 1)) / 10
}

// worth is what a word in a unit is worth.
func (r *record) worth(unit int) uint8 {
	switch column, also := r.at(unit); {
	case also != nil:
		return worthAlso
	case column >= 0 && (unit-tableUnits)%2 == 0:
		return worthColumn
	case column >= 0:
		return worthColumnText
	case unit == unitID:
		return worthID
	case unit == unitName:
		return worthName
	}
	return worthDescription
}

// rank returns the best tables, and where in them the words are. window chooses among the
// ids of all, the best first; nil: the first ones.
func (l *looking) rank(total []float32, held []uint8, limit int, any bool, window func(ids []string) []string) *Answer {
	all := 0
	for _, w := range l.words {
		if !w.weak {
			all++
		}
	}
	most := uint8(0)
	var slots []uint32
	for slot, score := range total {
		if score > 0 {
			most = max(most, held[slot])
			slots = append(slots, uint32(slot))
			total[slot] = score * (0.4 + 0.6*float32(held[slot])/float32(max(all, 1)))
		}
	}
	named := map[uint32]bool{}
	if int(most) == all && !any {
		named = l.named()
		slots = slices.DeleteFunc(slots, func(s uint32) bool { return held[s] < most && !named[s] })
	} else if int(most) < all && len(slots) > 0 && !any {
		l.answer.Caveats = append(l.answer.Caveats, api.NewCaveat(api.CaveatGuessed,
			"no table has all of these words: those that have most of them are shown"))
	}
	l.answer.Total = len(slots)
	order := func(a, b uint32) int {
		if len(named) > 0 && held[a] != held[b] {
			return cmp.Compare(held[b], held[a])
		}
		if total[a] != total[b] {
			return cmp.Compare(total[b], total[a])
		}
		return strings.Compare(l.bySlot[a].id, l.bySlot[b].id)
	}
	if window == nil {
		slots = best(slots, limit, order)
	} else {
		slices.SortFunc(slots, order)
		ids := make([]string, len(slots))
		for i, slot := range slots {
			ids[i] = l.bySlot[slot].id
		}
		slots = nil
		for _, id := range window(ids) {
			slots = append(slots, l.slots[id])
		}
	}
	units, why := l.units(slots)
	for _, slot := range slots {
		l.answer.Found = append(l.answer.Found, l.found(slot, float64(total[slot]), units[slot], why))
	}
	return l.answer
}

// named returns the tables whose id, behind its last dot, is words of the query, or forms of them.
func (l *looking) named() map[uint32]bool {
	said, named := map[string]bool{}, map[uint32]bool{}
	for _, w := range l.words {
		said[stem(w.text)] = true
	}
	for _, w := range l.words {
		for _, t := range w.terms {
			for _, u := range l.places[t.term] {
				r := l.bySlot[l.owner[u]]
				if t.worth < akin || l.count[u] == 0 || u != r.first+unitID {
					continue
				}
				if !slices.ContainsFunc(split(r.id[strings.LastIndex(r.id, ".")+1:]), func(w string) bool { return !said[stem(w)] }) {
					named[l.owner[u]] = true
				}
			}
		}
	}
	return named
}

// best returns the first n of all in order, without sorting them all.
func best(all []uint32, n int, order func(a, b uint32) int) (kept []uint32) {
	if n < 1 {
		return nil
	}
	for part := range slices.Chunk(all, 4*n) {
		before := len(kept)
		for _, slot := range part {
			if before < n || order(slot, kept[n-1]) < 0 {
				kept = append(kept, slot)
			}
		}
		if len(kept) > before {
			slices.SortFunc(kept, order)
			kept = kept[:min(n, len(kept))]
		}
	}
	return kept
}

// units are those of tables in which words are, with what they are worth, and why words
// of similar meaning are there.
func (l *looking) units(slots []uint32) (units map[uint32]map[uint32]float32, why map[uint32]string) {
	units, why = make(map[uint32]map[uint32]float32, len(slots)), map[uint32]string{}
	chosen := make([]bool, len(l.bySlot))
	for _, s := range slots {
		chosen[s], units[s] = true, map[uint32]float32{}
	}
	clear(l.last)
	for i := range l.words {
		for _, t := range l.words[i].terms { // the best first
			for _, u := range l.places[t.term] {
				if slot := l.owner[u]; chosen[slot] && l.count[u] > 0 && l.last[u] != uint8(i+1) {
					l.last[u] = uint8(i + 1)
					units[slot][u] += l.worth(u, t.worth) * float32(l.words[i].weight)
					if t.worth == similar && why[u] == "" {
						why[u] = l.words[i].text + " ~ " + l.Index.words[t.term]
					}
				}
			}
		}
	}
	return units, why
}

// found says where in a table the words are.
func (l *looking) found(slot uint32, score float64, units map[uint32]float32, why map[uint32]string) Found {
	r := l.bySlot[slot]
	f := Found{ID: r.id, Score: score, Matches: []api.SearchMatch{}, Count: len(units), Columns: map[string]float64{}}
	if l.sight[slot] >= guarded {
		f.About = r.unit(unitAbout)
	}
	order := slices.SortedFunc(maps.Keys(units), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(units[b], units[a]), cmp.Compare(a, b))
	})
	for _, u := range order {
		score := units[u]
		if column, also := r.at(int(u - r.first)); column >= 0 {
			f.Columns[r.unit(tableUnits+2*column)] += float64(score)
		} else if also != nil && also.Column != "" {
			f.Columns[also.Column] += float64(score)
		}
	}
	for i, u := range order[min(len(order), maxMatches):] { // nothing else says what a value is
		if _, also := r.at(int(u - r.first)); also != nil && also.Field == "value" {
			order[maxMatches-1], order[maxMatches+i] = u, order[maxMatches-1]
			break
		}
	}
	for _, u := range order[:min(len(order), maxMatches)] {
		at := int(u - r.first)
		m := api.SearchMatch{Field: "description", Text: api.Clip(r.unit(at), maxMatchText), Why: why[u]}
		switch column, also := r.at(at); {
		case also != nil:
			m.Field, m.Column, m.Text = also.Field, also.Column, api.Clip(l.lines(r.unit(at)), maxMatchText)
		case column >= 0:
			m.Field, m.Column = "column", r.unit(tableUnits+2*column)
			if (at-tableUnits)%2 == 1 {
				m.Field = "column_description"
			}
		case at == unitID:
			m.Field = "id"
		case at == unitName:
			m.Field = "name"
		}
		f.Matches = append(f.Matches, m)
	}
	return f
}

// lines are those of a text in which words are, if it has several.
func (l *looking) lines(text string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if slices.ContainsFunc(split(line), func(w string) bool {
			id, ok := l.terms[w]
			return ok && slices.ContainsFunc(l.words, func(o word) bool {
				return slices.ContainsFunc(o.terms, func(t likeness) bool { return t.term == id })
			})
		}) {
			out = append(out, line)
		}
	}
	return strings.Join(out, ", ")
}

// Result returns the answer as servers send it. about completes a hit.
func (a *Answer) Result(query string, about func(f Found) api.SearchHit) *api.SearchResult {
	out := &api.SearchResult{
		Query: query, Hits: []api.SearchHit{}, Total: a.Total, Tables: a.Tables, ColumnsKnown: a.Known, Caveats: a.Caveats,
	}
	for _, f := range a.Found {
		hit := about(f)
		hit.ID, hit.Score, hit.Matches, hit.MatchCount = f.ID, int(10*f.Score), f.Matches, f.Count
		out.Hits = append(out.Hits, hit)
	}
	return out
}
