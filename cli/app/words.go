package app

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/humanize"
)

// EstimateList returns an estimate for people.
func EstimateList(e *api.Estimate) output.List {
	list := output.List{Columns: []string{"estimate", "value"}}
	add := func(what, value string) { list.Rows = append(list.Rows, []any{what, value}) }
	known := func(n *int64, prefix string) string {
		if n == nil {
			return "unknown"
		}
		return prefix + humanize.Bytes(*n)
	}
	add("bytes to scan", known(e.ScanBytes, ""))
	add("bytes billed", known(e.BilledBytes, ""))
	add("result rows", EstimatedRows(e))
	add("result bytes", known(e.ResultBytes, "about "))
	add("cost", costText(e.CostUSD))
	if e.CutBy != nil {
		add("would be cut", capText(e.CutBy))
	}
	if e.RowRule {
		add("row rule", api.RowRuleWarning)
	}
	return list
}

// EstimatedRows describes the number of rows; it gives a number only if it is
// known.
func EstimatedRows(e *api.Estimate) string {
	switch {
	case e.ResultRows != nil:
		return humanize.Grouped(*e.ResultRows)
	case e.RowsLow != nil && e.RowsHigh != nil && *e.RowsLow > 0:
		return humanize.Grouped(*e.RowsLow) + " to " + humanize.Grouped(*e.RowsHigh)
	case e.RowsUpperBound != nil:
		return "at most " + humanize.Grouped(*e.RowsUpperBound)
	}
	return "unknown"
}

// capText says where a cap cuts the result, and which key sets it.
func capText(c *api.Cap) string {
	at := humanize.Bytes(c.Limit)
	if c.Unit == "rows" {
		at = humanize.Plural(c.Limit, "row", "rows")
	}
	if !c.Certain {
		at = "probably, at " + at
	} else {
		at = "at " + at
	}
	return at + " (" + c.Key + ")"
}

// costText writes a price so that a very small one does not look like zero.
func costText(usd *float64) string {
	switch {
	case usd == nil:
		return "unknown"
	case *usd == 0:
		return "$0"
	case *usd < 0.0001:
		return "less than $0.0001"
	}
	return fmt.Sprintf("$%.4f", *usd)
}

// EstimateLine returns an estimate in one line.
func EstimateLine(e *api.Estimate) string {
	parts := []string{"bytes to scan unknown", "rows unknown", "result size unknown"}
	if e.ScanBytes != nil {
		parts[0] = "reads " + humanize.Bytes(*e.ScanBytes)
	}
	if e.ResultRows != nil {
		parts[1] = humanize.Plural(*e.ResultRows, "row", "rows")
	} else if rows := EstimatedRows(e); rows != "unknown" {
		parts[1] = rows + " rows"
	}
	if e.ResultBytes != nil {
		parts[2] = "about " + humanize.Bytes(*e.ResultBytes) + " as result"
	}
	if e.CutBy != nil {
		parts = append(parts, "would be cut "+capText(e.CutBy))
	}
	if e.RowRule {
		parts = append(parts, "under a row rule")
	}
	return strings.Join(parts, ", ")
}

// NoteDialect shows how a predicate is written in the table's dialect.
func (a *App) NoteDialect(s *api.TableSchema) {
	if len(s.WhereDialectHints) == 0 {
		return
	}
	a.Note("in --where:")
	for _, what := range slices.Sorted(maps.Keys(s.WhereDialectHints)) {
		a.Note(fmt.Sprintf("  %-17s  %s", strings.ReplaceAll(what, "_", " "), s.WhereDialectHints[what]))
	}
}

// NoteRowRule says that a rule on rows applies to what is shown.
func (a *App) NoteRowRule(ruled bool) {
	if ruled {
		a.Note(api.RowRuleWarning)
	}
}

// NoteDescription prints a table's description, if it has one.
func (a *App) NoteDescription(s *api.TableSchema) {
	if s.Description != "" {
		a.Note(s.TableID + ": " + s.Description)
	}
	for _, n := range s.Notes {
		a.Note(n.String())
	}
}

// SchemaNote returns what the columns do not show: partitions, clusters, size,
// and the age of cached information.
func SchemaNote(s *api.TableSchema, now time.Time) string {
	parts := []string{"dialect " + s.SQLFlavor}
	if s.FileFormat != "" {
		parts = append(parts, s.FileFormat+" files")
	}
	if len(s.PartitionBy) > 0 {
		parts = append(parts, "partitioned by "+strings.Join(s.PartitionBy, ", "))
	}
	if len(s.ClusteredBy) > 0 {
		parts = append(parts, "clustered by "+strings.Join(s.ClusteredBy, ", "))
	}
	for _, k := range s.ForeignKeys {
		parts = append(parts, "joins on "+k.String())
	}
	switch {
	case s.RowCount != nil:
		parts = append(parts, humanize.Plural(*s.RowCount, "row", "rows"))
	case s.EstimatedRowCount != nil:
		parts = append(parts, "about "+humanize.PluralCount(*s.EstimatedRowCount, "row", "rows"))
	}
	if s.SizeBytes != nil {
		parts = append(parts, humanize.Bytes(*s.SizeBytes))
	}
	if s.AsOf != nil {
		parts = append(parts, "as of "+humanize.Age(now.Sub(*s.AsOf)))
	}
	return strings.Join(parts, "; ")
}

// QuotaList lists for people what users have used and can still use.
func QuotaList(quotas []api.QuotaStatus) output.List {
	list := output.List{Columns: []string{"user", "day", "delivered", "billed", "held", "limit", "left", "running", "session left"}}
	size := func(n *int64) any {
		if n == nil {
			return nil
		}
		return humanize.Bytes(*n)
	}
	model := slices.ContainsFunc(quotas, func(q api.QuotaStatus) bool { return q.ModelCost != nil })
	if model {
		list.Columns = append(list.Columns, "model", "model left")
	}
	money := func(n *float64) any {
		if n == nil {
			return nil
		}
		return strconv.FormatFloat(*n, 'f', 4, 64)
	}
	for _, q := range quotas {
		running := fmt.Sprint(q.Running)
		if q.RunningLimit != nil {
			running = fmt.Sprintf("%d of %d", q.Running, *q.RunningLimit)
		}
		list.Rows = append(list.Rows, []any{q.User, q.Day, humanize.Bytes(q.ResultBytes), humanize.Bytes(q.ScanBytes),
			humanize.Bytes(q.ReservedBytes), size(q.DailyBytesLimit), size(q.Remaining.QuotaBytes), running, size(q.Remaining.SessionBytes)})
		if model {
			last := &list.Rows[len(list.Rows)-1]
			*last = append(*last, money(q.ModelCost), money(q.ModelCostLeft))
		}
	}
	return list
}

// TellOfFile prints the caveats of a table's file.
func (a *App) TellOfFile(t api.SyncTable) {
	caveats := slices.Clone(t.Caveats)
	if t.RowRule {
		caveats = append(caveats, api.RowRuleCaveat())
	}
	for i := range caveats {
		caveats[i].Text = fmt.Sprintf("table '%s': %s", t.TableID, caveats[i].Text)
	}
	a.Tell(caveats...)
}
