// Package search finds tables by words in what is known of them: forms of words,
// abbreviations, misspelt words and letters of several languages meet. It reads nothing
// by itself, and finds nothing by what the one who asks may not see.
package search

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/api"
)

// Declared is what is said of a table before its source is asked.
type Declared struct {
	ID, Name, Description string
	Also                  []Also
}

// Learnt is what a source says of a table.
type Learnt struct {
	About   string // only who reads the whole table finds by it
	Columns []api.Column
	Also    []Also
}

// Also is something else by which a table is found.
type Also struct {
	// Field is "metric", "join", "value" or another word for what Text is.
	Field, Text string
	// Column is the column that Text belongs to; empty: none, and only who reads the
	// whole table finds by it.
	Column string
	// Tables are those that one must read whole to find by it, beside this one.
	Tables []string
	// Key decides in place of these, if it is set: Sight.Key says who finds by it.
	Key string
}

// Index has the words of tables, by word. Who may find a table by which of them is
// asked at each search. It is safe for use by several goroutines.
type Index struct {
	mu     sync.RWMutex
	bySlot []*record // by slot; nil: gone
	slots  map[string]uint32
	owner  []uint32 // of each unit, the slot of its table
	length []uint8  // of each unit, how many words it has
	worths []uint8  // of each unit, what a word in it is worth
	dead   int      // units of tables that are gone
	// compacted says how many times slots have got other numbers.
	compacted int

	terms  map[string]uint32
	byStem map[string][]uint32
	words  []string // by term
	masks  []uint32 // by term, the letters in it
	places [][]uint32
	means  []meaning

	vectors *Vectors
	vector  []int32 // by term, where its vector is; -1: it has none
}

// meaning is a word or a few, and the words by which somebody has explained them.
type meaning struct{ of, words []string }

// Explain says what words mean that all may know, in place of what was said before.
func (x *Index) Explain(meanings map[string]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.means = nil
	for _, of := range slices.Sorted(maps.Keys(meanings)) {
		if words := Content(of); len(words) > 0 {
			x.means = append(x.means, meaning{words, Content(meanings[of])})
		}
	}
}

// A unit is one text of a table: its id, name, description and that of its source, then
// name and description of each column, then what else there is.
const (
	unitID = iota
	unitName
	unitDescription
	unitAbout
	tableUnits
)

// record is what is kept of a table to say where it was found.
type record struct {
	id    string
	first uint32 // unit
	known bool   // its columns are
	text  string // of the units, one behind the other
	ends  []uint32
	tops  []uint32 // of each column or field, the column that it is in
	also  []Also   // without Text
	told  int      // how many of also were declared; the others were learnt
}

// columns is how many columns and fields there are.
func (r *record) columns() int { return len(r.tops) }

// unit returns the text of a unit.
func (r *record) unit(at int) string {
	begin := uint32(0)
	if at > 0 {
		begin = r.ends[at-1]
	}
	return r.text[begin:r.ends[at]]
}

// top returns the name of the column that a column or field is in.
func (r *record) top(column int) string { return r.unit(tableUnits + 2*int(r.tops[column])) }

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{slots: map[string]uint32{}, terms: map[string]uint32{}, byStem: map[string][]uint32{}}
}

// draft is a table on its way into the index.
type draft struct {
	record
	texts []string // of the units
}

// draft returns a table as it is, to be changed; a new one if there is none.
func (x *Index) draft(id string) *draft {
	slot, ok := x.slots[id]
	if !ok {
		return &draft{record{id: id}, []string{id, "", "", ""}}
	}
	d := &draft{record: *x.bySlot[slot]}
	for at := range d.ends {
		d.texts = append(d.texts, d.unit(at))
	}
	return d
}

// Declare adds a table, or changes what is said of it.
func (x *Index) Declare(t Declared) {
	x.mu.Lock()
	defer x.mu.Unlock()
	d := x.draft(t.ID)
	if t.Name == t.ID {
		t.Name = ""
	}
	old := slices.Clone(d.texts)
	d.texts[unitName], d.texts[unitDescription] = t.Name, t.Description
	learnt, rest := d.also[d.told:], tableUnits+2*d.columns()
	texts := slices.Clone(d.texts[rest+d.told:])
	d.also, d.texts, d.told = nil, d.texts[:rest], len(t.Also)
	d.tell(t.Also)
	d.also, d.texts = append(d.also, learnt...), append(d.texts, texts...)
	x.put(d, old)
}

// Learn adds what the source of a table says of it, or replaces it.
func (x *Index) Learn(id string, l Learnt) {
	x.mu.Lock()
	defer x.mu.Unlock()
	d := x.draft(id)
	old, rest := slices.Clone(d.texts), tableUnits+2*d.columns()
	told := slices.Clone(d.texts[rest : rest+d.told])
	d.texts[unitAbout] = l.About
	d.texts, d.also, d.tops = d.texts[:tableUnits], slices.Clone(d.also[:d.told]), nil
	for _, c := range l.Columns {
		top := uint32(len(d.tops))
		eachColumn("", []api.Column{c}, func(path string, c api.Column) {
			d.texts, d.tops = append(d.texts, path, c.Description), append(d.tops, top)
		})
	}
	if d.known && l.Columns == nil {
		old = nil
	}
	d.known = l.Columns != nil
	d.texts = append(d.texts, told...)
	d.tell(l.Also)
	x.put(d, old)
}

// tell adds what else a table is found by.
func (d *draft) tell(also []Also) {
	for _, a := range also {
		d.texts = append(d.texts, a.Text)
		a.Text = ""
		d.also = append(d.also, a)
	}
}

// put puts a table in the place of what is known of it; old are the texts of that.
func (x *Index) put(d *draft, old []string) {
	if slot, ok := x.slots[d.id]; ok {
		r := x.bySlot[slot]
		if slices.Equal(old, d.texts) && r.known == d.known && r.columns() == d.columns() { // only who may see what has changed
			r.also, r.told, r.tops = d.also, d.told, d.tops
			return
		}
		x.remove(d.id)
	}
	r, slot := &d.record, uint32(len(x.bySlot))
	r.first, r.ends = uint32(len(x.owner)), make([]uint32, 0, len(d.texts))
	x.bySlot, x.slots[r.id] = append(x.bySlot, r), slot
	for at, text := range d.texts {
		x.add(slot, text)
		x.worths = grown(x.worths, r.worth(at))
	}
	r.text = strings.Join(d.texts, "")
	end := 0
	for _, text := range d.texts {
		end += len(text)
		r.ends = append(r.ends, uint32(end))
	}
	kept := *r // without the texts of the draft
	kept.tops = append(make([]uint32, 0, len(r.tops)), r.tops...)
	x.bySlot[slot] = &kept
	if x.dead > 1000 && x.dead > len(x.owner)/2 {
		x.compact()
	}
}

// add adds a unit.
func (x *Index) add(slot uint32, text string) {
	unit, n := uint32(len(x.owner)), 0
	each(text, func(w string) {
		n++
		id, ok := x.terms[w]
		if !ok {
			w = strings.Clone(w)
			id = uint32(len(x.words))
			x.terms[w] = id
			x.words, x.masks, x.places = append(x.words, w), append(x.masks, mask(w)), append(x.places, nil)
			x.vector = append(x.vector, x.vectors.of(w))
			s := stem(w)
			x.byStem[s] = append(x.byStem[s], id)
		}
		if p := x.places[id]; len(p) == 0 || p[len(p)-1] != unit {
			x.places[id] = grown(p, unit)
		}
	})
	x.owner, x.length = grown(x.owner, slot), grown(x.length, uint8(min(n, 255)))
}

// grown appends to what stays in memory: with less room behind it than append leaves.
func grown[T any](all []T, one T) []T {
	if len(all) == cap(all) {
		all = append(make([]T, 0, len(all)+len(all)/8+4), all...)
	}
	return append(all, one)
}

// mask has a bit for each letter of a word.
func mask(word string) (m uint32) {
	for i := range len(word) {
		m |= 1 << (word[i] & 31)
	}
	return m
}

// Remove removes a table.
func (x *Index) Remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(id)
}

func (x *Index) remove(id string) {
	if slot, ok := x.slots[id]; ok {
		x.dead += len(x.bySlot[slot].ends)
		x.bySlot[slot] = nil
		delete(x.slots, id)
	}
}

// compact makes the index anew without what is gone.
func (x *Index) compact() {
	x.compacted++
	units, slots := make([]uint32, len(x.owner)), make([]uint32, len(x.bySlot))
	owner, length, worths, bySlot := []uint32{}, []uint8{}, []uint8{}, []*record{}
	for slot, r := range x.bySlot {
		if r == nil {
			continue
		}
		slots[slot] = uint32(len(bySlot))
		x.slots[r.id] = uint32(len(bySlot))
		for at := range r.ends {
			units[r.first+uint32(at)] = uint32(len(owner)) + 1
			owner, length = append(owner, slots[slot]), append(length, x.length[r.first+uint32(at)])
			worths = append(worths, x.worths[r.first+uint32(at)])
		}
		r.first = uint32(len(owner) - len(r.ends))
		bySlot = append(bySlot, r)
	}
	words, masks, all := x.words, x.masks, x.places
	x.owner, x.length, x.worths, x.bySlot, x.dead = owner, length, worths, bySlot, 0
	x.terms, x.byStem, x.words, x.masks, x.places, x.vector = map[string]uint32{}, map[string][]uint32{}, nil, nil, nil, nil
	for id, places := range all {
		var left []uint32
		for _, u := range places {
			if units[u] > 0 {
				left = append(left, units[u]-1)
			}
		}
		if left == nil {
			continue
		}
		w := words[id]
		x.terms[w] = uint32(len(x.words))
		x.byStem[stem(w)] = append(x.byStem[stem(w)], uint32(len(x.words)))
		x.words, x.masks, x.places = append(x.words, w), append(x.masks, masks[id]), append(x.places, left)
		x.vector = append(x.vector, x.vectors.of(w))
	}
}

// eachColumn visits columns and the fields within, with their paths.
func eachColumn(prefix string, columns []api.Column, visit func(path string, c api.Column)) {
	for _, c := range columns {
		visit(prefix+c.Name, c)
		eachColumn(prefix+c.Name+".", c.Fields, visit)
	}
}
