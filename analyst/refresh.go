package analyst

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/shellwords"
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
	Warnings  []string      `json:"warnings"`
}

// Refresh runs the stored scan again and installs the result. Clock functions
// in the predicate are evaluated anew. On any error the snapshot stays as it
// was.
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
	after, err := a.pull(ctx, remote, claim, FetchRequest{Scan: scan, Strict: req.Strict, OnProgress: req.OnProgress}, &Timings{})
	if err != nil {
		return nil, drift(before, err)
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
	result.Warnings = append(append(result.Warnings, warningsOf(result.After)...), warnings...)
	return result, nil
}

func otherServer(meta snapshot.Meta, server string) error {
	flag := "--server " + shellwords.Quote(meta.Server)
	if path, embedded := strings.CutPrefix(meta.Server, EmbeddedPrefix); embedded {
		flag = "--instance " + shellwords.Quote(path)
	}
	return &api.Error{Code: api.CodeUsage, Kind: "other_server",
		Message: fmt.Sprintf("snapshot '%s' was fetched from %s, not from %s", meta.Name, meta.Server, server),
		Hint:    fmt.Sprintf("Run 'da snapshot refresh %s %s', or spell out the server that you mean.", meta.Name, flag),
		Details: map[string]any{"snapshot_server": meta.Server, "server": server}}
}

// drift explains a refused refresh by a selected column that is gone, if that
// is why: the gate then names a column that the snapshot has.
func drift(before snapshot.Meta, err error) error {
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
	e.Hint = fmt.Sprintf("Drop snapshot and re-fetch without that column; 'da snapshot show %s' has the request.", before.Name)
	if command, columns := withoutColumn(before, column); command != "" {
		e.Hint = "Drop snapshot and re-fetch with updated --select: " + command
		e.Details["columns"] = columns
	}
	e.Hint += fmt.Sprintf("\nThe snapshot is unchanged. 'da schema %s' lists the columns that there are.", before.TableID)
	return e
}

// withoutColumn is the fetch that replaces a snapshot by one without a column,
// and the columns that are left of it; empty if it did not select the column, or
// nothing else.
func withoutColumn(m snapshot.Meta, column string) (command string, columns []string) {
	for _, item := range m.Select {
		if !strings.EqualFold(strings.Trim(item, "\"`"), column) {
			columns = append(columns, item)
		}
	}
	if len(columns) == 0 || len(columns) == len(m.Select) {
		return "", nil
	}
	words := []string{"da", "fetch", m.TableID, "--select", strings.Join(columns, ",")}
	if m.Where != nil {
		words = append(words, "--where", *m.Where)
	}
	if len(m.OrderBy) > 0 {
		words = append(words, "--order-by", strings.Join(m.OrderBy, ","))
	}
	if m.Limit != nil {
		words = append(words, "--limit", strconv.FormatInt(*m.Limit, 10))
	}
	for i, w := range words {
		words[i] = shellwords.Quote(w)
	}
	return strings.Join(append(words, "--as", m.Name, "--force"), " "), columns
}

// schemaWarnings names the columns that changed their type or went away.
func schemaWarnings(before, after snapshot.Meta) []string {
	warnings := []string{}
	now := map[string]string{}
	for _, c := range after.Schema {
		now[c.Name] = c.Type
	}
	for _, c := range before.Schema {
		switch newType, ok := now[c.Name]; {
		case !ok:
			warnings = append(warnings, fmt.Sprintf("column '%s' is gone; downstream queries may break", c.Name))
		case newType != c.Type:
			warnings = append(warnings, fmt.Sprintf("column '%s' type changed %s → %s; downstream queries may break", c.Name, c.Type, newType))
		}
	}
	return warnings
}
