package analyst

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// RefreshRequest asks for a snapshot's scan to be run again.
type RefreshRequest struct {
	Name string
	// Where, if not nil, becomes the stored predicate.
	Where *string
	// AnyServer allows another server than the one that the snapshot is from:
	// the user named it.
	AnyServer bool
	Strict    bool
	// AllowCut runs also what is known to be cut by a cap, as a snapshot that was
	// fetched so, or with a limit, always does.
	AllowCut bool
	// AllowSchemaChange installs a result that lacks columns of the snapshot.
	AllowSchemaChange bool
	// OnProgress, if set, is told how the work goes on.
	OnProgress func(rows, bytes int64)
}

// RefreshResult compares a snapshot with what it was.
type RefreshResult struct {
	Name      string        `json:"name"`
	Identical bool          `json:"identical"` // same schema and rows; the file was not swapped
	Before    snapshot.Meta `json:"before"`
	After     snapshot.Meta `json:"after"`
	RowsDelta int64         `json:"rows_delta"`
	Warnings  []api.Note    `json:"warnings"`
}

// Refresh runs the stored scan again and installs the result. Clock functions
// in the predicate are evaluated anew. On any error the snapshot stays as it
// was. It is an error of api.CodeSchemaDrift if columns are gone, unless that
// is allowed.
func (a *Analyst) Refresh(ctx context.Context, req RefreshRequest) (*RefreshResult, error) {
	claim, err := a.Store.ClaimExisting(req.Name)
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	before := *claim.Existing()
	if path, imported := before.Imported(); imported {
		return nil, importAgain(before.Name, path)
	}
	remote, err := a.Connect()
	if err != nil {
		return nil, err
	}
	if before.Server != remote.Name && !req.AnyServer {
		return nil, otherServer(before, remote.Name)
	}
	scan := before.Request()
	if req.Where != nil {
		scan.Where = *req.Where
	}
	fetch := FetchRequest{Scan: scan, Strict: req.Strict, AllowCut: req.AllowCut || before.AllowCut, OnProgress: req.OnProgress}
	fetch.Scan.RefuseCut = !fetch.AllowCut && scan.Limit == nil
	after, err := a.pull(ctx, remote, claim, nil, fetch, &Timings{})
	if err != nil {
		return nil, drift(before, scan, err)
	}
	if gone := goneColumns(before, after); len(gone) > 0 && !req.AllowSchemaChange {
		return nil, columnsGone(before, gone)
	}
	if req.Where == nil { // of another predicate the old estimate says nothing
		after.EstimatedScanBytes = before.EstimatedScanBytes
	}
	result := &RefreshResult{Name: req.Name, Before: before, RowsDelta: after.Rows - before.Rows,
		Identical: before.Damage == nil && after.ContentHash == before.ContentHash, Warnings: schemaWarnings(before, after)}
	var warnings []string
	if result.Identical {
		result.After, err = claim.Keep(ctx, after)
	} else {
		result.After, warnings, err = claim.Install(ctx, after, a.rebuild)
	}
	if err != nil {
		return nil, err
	}
	result.Warnings = append(append(result.Warnings, warningsOf(result.After)...), api.Notes(warnings)...)
	return result, nil
}

func otherServer(meta snapshot.Meta, server string) error {
	again := api.Do(api.ActionRefresh, "fetch it from there again", "name", meta.Name, "server", meta.Server)
	if path, embedded := strings.CutPrefix(meta.Server, EmbeddedPrefix); embedded {
		again = api.Do(api.ActionRefresh, "fetch it from there again", "name", meta.Name, "instance", path)
	}
	return &api.Error{Code: api.CodeUsage, Kind: "other_server",
		Message: fmt.Sprintf("snapshot '%s' was fetched from %s, not from %s", meta.Name, meta.Server, server),
		Hint:    "Spell out the server that you mean.",
		Next:    []api.Step{again},
		Details: map[string]any{"snapshot_server": meta.Server, "server": server}}
}

// drift explains a refused refresh by a selected column that is gone, if that
// is why: the gate then names a column that the snapshot has.
func drift(before snapshot.Meta, scan api.ScanRequest, err error) error {
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeRejected || refused.Kind != "unknown_column" {
		return err
	}
	column, _ := refused.Details["name"].(string)
	had := slices.ContainsFunc(before.Schema, func(c snapshot.Column) bool { return c.Name == column })
	if !had || len(before.Select) == 0 {
		return err
	}
	e := &api.Error{Code: api.CodeSchemaDrift, Kind: "schema_drift",
		Message: fmt.Sprintf("Column '%s' no longer exists in %s", column, before.TableID),
		Details: map[string]any{"column": column, "table_id": before.TableID}, RequestID: refused.RequestID, Err: err}
	e.Hint = "The snapshot is unchanged. Fetch it again with a request that does not name the column."
	e.Next = []api.Step{api.Do(api.ActionSnapshot, "see the stored request", "name", before.Name)}
	if columns := withoutColumn(scan, column); columns != nil {
		e.Hint = "The snapshot is unchanged."
		e.Next = []api.Step{fetchWithout(before.Name, scan, columns, column)}
		e.Details["columns"] = columns
	}
	e.Next = append(e.Next, api.Do(api.ActionSchema, "see the columns", "table_id", before.TableID))
	return e
}

// withoutColumn returns the selected columns without one. It returns nil if that
// column was not selected, or was the only one, or may be named by the predicate:
// which rows are meant then is the user's to say.
func withoutColumn(scan api.ScanRequest, column string) (columns []string) {
	for _, item := range scan.Select {
		if !strings.EqualFold(strings.Trim(item, "\"`"), column) {
			columns = append(columns, item)
		}
	}
	if len(columns) == len(scan.Select) || mentions(scan.Where, column) {
		return nil
	}
	return columns
}

// fetchWithout is the fetch that replaces a snapshot by one of these columns.
func fetchWithout(name string, scan api.ScanRequest, columns []string, gone string) api.Step {
	s := api.Do(api.ActionFetch, "replace it without that column", "table_id", scan.TableID, "select", columns, "as", name, "force", true)
	if scan.Where != "" {
		s.Args["where"] = scan.Where
	}
	if order := slices.DeleteFunc(slices.Clone(scan.OrderBy), func(term string) bool { return mentions(term, gone) }); len(order) > 0 {
		s.Args["order_by"] = order
	}
	if scan.Limit != nil {
		s.Args["limit"] = *scan.Limit
	}
	return s
}

// mentions reports whether a text of the predicate language may name a column.
func mentions(text, column string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(column))
}

// goneColumns are the columns of a snapshot that a new result lacks.
func goneColumns(before, after snapshot.Meta) (gone []string) {
	for _, c := range before.Schema {
		if !slices.ContainsFunc(after.Schema, func(n snapshot.Column) bool { return n.Name == c.Name }) {
			gone = append(gone, c.Name)
		}
	}
	return gone
}

// columnsGone refuses a result that lacks columns of the snapshot.
func columnsGone(before snapshot.Meta, gone []string) error {
	quoted := make([]string, len(gone))
	for i, name := range gone {
		quoted[i] = "'" + name + "'"
	}
	what := "Column %s no longer exists in %s"
	if len(gone) > 1 {
		what = "Columns %s no longer exist in %s"
	}
	return &api.Error{Code: api.CodeSchemaDrift, Kind: "schema_drift",
		Message: fmt.Sprintf(what, api.Clip(strings.Join(quoted, ", "), 300), before.TableID),
		Hint:    "The snapshot is unchanged.",
		Next:    []api.Step{api.Do(api.ActionSchema, "see the columns", "table_id", before.TableID), api.Set(api.OptionAllowSchemaChange, "have the snapshot without them")},
		Details: map[string]any{"missing": gone, "table_id": before.TableID}}
}

// schemaWarnings names the columns that changed their type or went away.
func schemaWarnings(before, after snapshot.Meta) []api.Note {
	warnings := []api.Note{}
	now := map[string]string{}
	for _, c := range after.Schema {
		now[c.Name] = c.Type
	}
	for _, c := range before.Schema {
		switch newType, ok := now[c.Name]; {
		case !ok:
			warnings = append(warnings, api.Note{Text: fmt.Sprintf("column '%s' is gone; downstream queries may break", c.Name)})
		case newType != c.Type:
			warnings = append(warnings, api.Note{Text: fmt.Sprintf("column '%s' type changed %s → %s; downstream queries may break", c.Name, c.Type, newType)})
		}
	}
	return warnings
}
