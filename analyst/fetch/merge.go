package fetch

import (
	"fmt"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// span is a range of rows in a snapshot's file: [from, to).
type span struct{ from, to int64 }

// merge compares the files that a snapshot's rows came from with the source's
// files now. It returns the row ranges to keep, and the files of the kept rows
// followed by those of the new rows. ok is false if the source's answer does not
// match the request.
func merge(held, now []api.FileRows) (kept []span, files []api.FileRows, ok bool) {
	stays := map[string]bool{}
	var added []api.FileRows
	for _, f := range now {
		if f.Held {
			stays[f.ID] = true
		} else {
			added = append(added, f)
		}
	}
	at := int64(0)
	for _, f := range held {
		if stays[f.ID] {
			delete(stays, f.ID)
			files = append(files, api.FileRows{ID: f.ID, Rows: f.Rows})
			switch n := len(kept); {
			case f.Rows == 0:
			case n > 0 && kept[n-1].to == at:
				kept[n-1].to += f.Rows
			default:
				kept = append(kept, span{at, at + f.Rows})
			}
		}
		at += f.Rows
	}
	return kept, append(files, added...), len(now) > 0 && len(stays) == 0 && len(kept) <= maxRanges
}

// mergeValues is merge for partitions, where values say which rows belong to which.
func mergeValues(held, now []api.FileRows) (kept []api.ValueRange, files []api.FileRows, ok bool) {
	rows := map[string]int64{}
	for _, f := range held {
		rows[f.ID] = f.Rows
	}
	for _, f := range now {
		n, known := rows[f.ID]
		switch {
		case f.Values == nil || f.Held && !known:
			return nil, nil, false
		case f.Held && len(kept) > 0 && follows(kept[len(kept)-1], *f.Values):
			kept[len(kept)-1].To = f.Values.To
		case f.Held:
			kept = append(kept, *f.Values)
		}
		if f.Held {
			f.Held, f.Rows = false, n
		}
		files = append(files, f)
	}
	return kept, files, len(now) > 0 && len(kept) <= maxRanges
}

// follows reports whether a range begins where the one before ends.
func follows(before, r api.ValueRange) bool {
	return before.Column == r.Column && before.To != "" && before.To == r.From
}

// ofValues is the condition for the rows of a range.
func ofValues(r api.ValueRange) string {
	column := duckdb.Quote(r.Column)
	switch {
	case r.From == "" && r.To == "":
		return column + " IS NULL"
	case r.To == "":
		return column + " >= " + duckdb.Literal(r.From)
	case r.From == "":
		return column + " < " + duckdb.Literal(r.To)
	}
	return column + " >= " + duckdb.Literal(r.From) + " AND " + column + " < " + duckdb.Literal(r.To)
}

// conditionsOf returns the conditions for the snapshot's rows that stay, with the files of
// these and of the new rows.
func conditionsOf(held, now []api.FileRows) (conditions []string, files []api.FileRows, ok bool) {
	if slices.ContainsFunc(slices.Concat(held, now), func(f api.FileRows) bool { return f.Values != nil }) {
		kept, files, ok := mergeValues(held, now)
		for _, r := range kept {
			conditions = append(conditions, ofValues(r))
		}
		return conditions, files, ok
	}
	kept, files, ok := merge(held, now)
	for _, s := range kept {
		conditions = append(conditions, fmt.Sprintf(rowNumber+" >= %d AND "+rowNumber+" < %d", s.from, s.to))
	}
	return conditions, files, ok
}
