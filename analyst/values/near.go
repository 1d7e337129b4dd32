package values

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/text/unicode/norm"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/statement"
)

const (
	// tiny is what may be read at a source that bills nothing, to say what was meant.
	tiny = 1 << 20
	// mostTexts is for how many texts of a statement a near value is looked for.
	mostTexts = 8
	// longestValue is how many characters of a value a caveat shows.
	longestValue = 60
)

// Near looks for the values that were meant by texts that no row has.
type Near struct {
	// Work is the user's workplace. On a server it is nil, and Data is the service with the
	// rights of the caller.
	Work *analyst.Analyst
	Data api.Data
	// Kept says that nothing is read at a source, not even a little for free.
	Kept bool
	// AtSource says that the statement runs at the source.
	AtSource bool
	// Scan says that the statement is that of a scan, see OfScan.
	Scan bool
}

// Watch returns the rows of a statement. Their caveats propose values near to the texts that
// it compares columns with, see Missed.
func (n Near) Watch(ctx context.Context, rows api.Rows, sql string) api.Rows {
	if n.Work == nil && n.Data.Querier == nil {
		return rows
	}
	return &watched{Rows: rows, missed: func(full bool) []api.Caveat { return n.Missed(ctx, sql, full) }}
}

type watched struct {
	api.Rows
	full   bool // there are rows that say something
	rows   int64
	missed func(full bool) []api.Caveat
	told   []api.Caveat
}

// Next implements array.RecordReader.
func (w *watched) Next() bool {
	if w.Rows.Next() {
		w.rows += w.RecordBatch().NumRows()
		w.full = w.full || w.rows > 1 || w.rows == 1 && w.RecordBatch().NumRows() == 1 && !allZero(w.RecordBatch())
		return true
	}
	if w.missed != nil && w.Err() == nil {
		w.told = w.missed(w.full)
	}
	w.missed = nil
	return false
}

// Caveats implements api.Rows.
func (w *watched) Caveats() []api.Caveat { return append(slices.Clip(w.Rows.Caveats()), w.told...) }

// allZero reports whether all cells of the only row are zero or NULL, as a count is and a
// sum of no rows.
func allZero(batch arrow.RecordBatch) bool {
	return !slices.ContainsFunc(arrowjson.BindBatch(batch), func(c *arrowjson.Column) bool {
		text := string(c.AppendJSON(nil, 0))
		return text != "0" && text != "null"
	})
}

// either finds the words after which one text of several is enough for a row.
var either = lazyregexp.New(`(?i)\b(in|or)\b`)

// Missed proposes values near to the texts that a statement compares columns with, where no
// row has such a text. If the answer has more than zeros and NULL (full), it looks only at
// texts in an OR or IN, because its other texts may have given the rows. It knows only what
// the caller may read: values that are here, under today's rights, or that a small free read
// finds. It says nothing of what it does not find out.
func (n Near) Missed(ctx context.Context, sql string, full bool) (caveats []api.Caveat) {
	if !strings.Contains(sql, "'") || full && !either().MatchString(sql) {
		return nil
	}
	texts, err := comparedIn(ctx, sql)
	if err != nil {
		return nil
	}
	texts = slices.DeleteFunc(texts, func(c compared) bool { return full && !c.either })
	known := map[column]*known{}
	for _, c := range texts[:min(len(texts), mostTexts)] {
		caveats = append(caveats, n.meant(ctx, c, texts, known, sql)...)
	}
	return caveats
}

// meant proposes what one text may stand for, unless one of the columns has it. What the
// statement names beside it is not proposed.
func (n Near) meant(ctx context.Context, c compared, beside []compared, all map[column]*known, sql string) (caveats []api.Caveat) {
	level := math.MaxInt
	for _, of := range c.columns {
		if of.level > level {
			break
		}
		if all[of] == nil {
			all[of] = n.known(ctx, of, beside)
		}
		if len(all[of].values) == 0 {
			continue // the column is another table's, or what it holds is not known
		}
		level = of.level
		meant, there := nearest(c.text, all[of].values)
		if there || all[of].complete {
			return nil
		}
		if len(meant) > 0 && !slices.ContainsFunc(meant, func(v string) bool { return slices.Contains(all[of].named, any(v)) }) {
			caveats = append(caveats, n.caveat(of, c.text, meant, sql))
		}
	}
	return caveats
}

func (n Near) caveat(of column, asked string, meant []string, sql string) api.Caveat {
	quoted := make([]string, len(meant))
	for i, m := range meant {
		quoted[i] = "'" + api.Clip(printable.Line(m), longestValue) + "'"
	}
	out := api.Caveat{Kind: api.CaveatOther, Reason: "near_value", About: api.Subject{Table: of.table, Columns: []string{of.column}},
		Text: fmt.Sprintf("no row has %s = '%s'; did you mean %s?", of.column, api.Clip(printable.Line(asked), longestValue),
			strings.Join(quoted, " or "))}
	written, other := duckdb.Literal(asked), duckdb.Literal(meant[0])
	again := api.ActionQuery
	if n.AtSource {
		again = api.ActionQueryRemote
	}
	if !n.Scan && strings.Count(sql, written) == 1 {
		sql = statement.OneLine(strings.Replace(sql, written, other, 1)) // people see it in one line
		out.Next = []api.Step{api.Do(again, "ask with that value", "sql", sql)}
	}
	return out
}

// known is what is known of a column of texts.
type known struct {
	named    []any   // with what it is compared
	complete bool    // it has all of these
	values   []Value // it has; if it is complete, only those that are named
}

// manyRows have more than MaxLimit values where these are nearly as many as the rows.
const manyRows = 2 * MaxLimit

func (n Near) known(ctx context.Context, of column, texts []compared) *known {
	k := &known{}
	for _, c := range texts {
		if slices.Contains(c.columns, of) && !slices.Contains(k.named, any(c.text)) {
			k.named = append(k.named, c.text)
		}
	}
	found, err := n.values(ctx, of, Request{among: k.named})
	if err != nil || !found.texts {
		return k
	}
	if k.complete = len(found.Values) >= len(k.named); !k.complete {
		found, err = n.values(ctx, of, Request{first: manyRows})
		if rows := int64(0); err == nil && !found.More {
			for _, v := range found.Values {
				rows += v.N
			}
			if rows == manyRows {
				found, err = n.values(ctx, of, Request{})
			}
		}
	}
	if err == nil && !found.More {
		k.values = found.Values
	}
	return k
}

// values are those of a column that are asked for: of what is here, or else of a free and
// small read.
func (n Near) values(ctx context.Context, of column, r Request) (*Found, error) {
	r.Table, r.Column, r.Limit, r.most = of.table, of.column, MaxLimit, 16*maxBytes
	free := func(est *api.Estimate, err error) bool {
		return err == nil && est.ScanBytes != nil && *est.ScanBytes <= tiny && est.BilledBytes != nil && *est.BilledBytes == 0
	}
	if n.Work == nil {
		if !free(n.Data.Estimate(ctx, r.scan())) {
			return &Found{}, nil
		}
		return AtSource(ctx, n.Data, r, tiny)
	}
	found, err := Of(ctx, n.Work, r, plan.Options{Kept: true})
	if err == nil || n.Kept || !free(Price(ctx, n.Work, r)) {
		return found, err
	}
	return Of(ctx, n.Work, r, plan.Options{MaxBytes: tiny})
}

// nearest returns the values that a text may stand for; there is true if it is itself one
// of them.
func nearest(text string, all []Value) (meant []string, there bool) {
	var plain []string
	of := map[string]string{} // the commonest value of each plain text
	for _, v := range all {
		var value string
		if json.Unmarshal(v.Value, &value) != nil || value == "" {
			continue
		}
		if value == text {
			return nil, true
		}
		p := plainly(value)
		if _, twice := of[p]; !twice {
			of[p], plain = value, append(plain, p)
		}
	}
	for _, p := range suggest.Near(plainly(text), plain) {
		meant = append(meant, of[p])
	}
	if same, is := of[plainly(text)]; is {
		meant = []string{same}
	}
	return meant, false
}

// plainly is a text in lower case, without accents and needless spaces.
func plainly(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
	return strings.Join(strings.Fields(text), " ")
}

// OfScan is the statement of a scan, for Missed.
func OfScan(req api.ScanRequest) string {
	if req.Where == "" {
		return ""
	}
	return "SELECT * FROM " + predicate.QuoteIdent(predicate.DuckDB, req.TableID) + " WHERE " + req.Where
}
