package dialect

import "github.com/agnes-data/da/table/infer"

// tableBefore finds a table of another width before record i: at least three
// records with at least three fields. Two fields could be names and values.
func (r *reading) tableBefore(i int) (at, width int) {
	run := 0
	for k, rec := range r.rows[:i] {
		n := len(rec.cells)
		if k > 0 && n == len(r.rows[k-1].cells) {
			run++
		} else {
			run = 1
		}
		if run == 3 && n >= 3 {
			return k - 2, n
		}
	}
	return 0, 0
}

// recordsBefore returns the first of the records before i that are of the table,
// too: in a table whose names of columns are not at i, those that follow each
// other up to i and are like others.
func (r *reading) recordsBefore(i int) int {
	if header, _ := hasHeader(r.rows[i:], r.n, true); header && !hasTyped(r.rows[i]) {
		return i
	}
	widths := map[int]int{}
	for _, rec := range r.rows {
		widths[len(rec.cells)]++
	}
	key := firstCells(r.rows[i:])
	for ; i > 0; i-- {
		rec := r.rows[i-1]
		wide := len(rec.cells) >= min(3, r.n) && widths[len(rec.cells)] > 1 && filled(rec) > 1
		keyed := key != infer.LooksText && infer.LookAt(rec.cells[0].text) == key
		if !wide && !keyed || r.rows[i].line != rec.line+1 && widths[len(rec.cells)] < 3 {
			break
		}
	}
	return i
}

// firstCells is what the first cells of almost all records look like: numbers or
// dates, else text.
func firstCells(rows []record) infer.Look {
	looks := map[infer.Look]int{}
	for _, rec := range rows {
		looks[infer.LookAt(rec.cells[0].text)]++
	}
	for _, look := range []infer.Look{infer.LooksNumber, infer.LooksDate} {
		if looks[look]*10 >= 9*len(rows) {
			return look
		}
	}
	return infer.LooksText
}
