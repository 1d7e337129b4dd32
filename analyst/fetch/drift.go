package fetch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// drift explains a refused refresh if the reason is that a selected column no
// longer exists: the gate then rejects a column that the snapshot has. It also
// explains one whose stored predicate the table no longer takes.
func drift(before snapshot.Meta, scan api.ScanRequest, err error) error {
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeRejected {
		return err
	}
	column, _ := refused.Details["name"].(string)
	stored := scan.Where != "" && scan.Where == before.Request().Where
	if stored && (refused.Kind != api.KindUnknownColumn || len(before.Select) == 0 && mentions(scan.Where, column)) {
		return staleWhere(before, refused)
	}
	if refused.Kind != api.KindUnknownColumn {
		return err
	}
	had := slices.ContainsFunc(before.Schema, func(c snapshot.Column) bool { return c.Name == column })
	if !had || len(before.Select) == 0 {
		return err
	}
	e := &api.Error{Code: api.CodeSchemaDrift, Kind: api.KindSchemaDrift,
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

// staleWhere says that the predicate at fault is the snapshot's, since a refresh
// names none.
func staleWhere(before snapshot.Meta, refused *api.Error) error {
	e := *refused
	e.Message = fmt.Sprintf("the predicate of snapshot '%s', %s, no longer fits %s: %s", before.Name, api.Clip(*before.Where, longestList),
		before.TableID, refused.Message)
	e.Hint = "The snapshot is unchanged."
	e.Next = []api.Step{api.Do(api.ActionRefresh, "store another predicate", "name", before.Name, "where", "PREDICATE", "accept_drift", true),
		api.Do(api.ActionSchema, "see the columns", "table_id", before.TableID)}
	e.Err = refused
	return &e
}

// withoutColumn returns the selected columns without one. It returns nil if that
// column was not selected, was the only one, or may be named by the predicate:
// then only the user can decide which rows are meant.
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

// fetchWithout is a fetch that replaces the snapshot by one with these columns
// only.
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

// mentions reports whether a predicate might name a column.
func mentions(text, column string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(column))
}

// goneColumns returns the columns of a snapshot that the new result lacks.
func goneColumns(before, after snapshot.Meta) (gone []string) {
	for _, c := range before.Schema {
		if !slices.ContainsFunc(after.Schema, func(n snapshot.Column) bool { return n.Name == c.Name }) {
			gone = append(gone, c.Name)
		}
	}
	return gone
}

// checkDrift rejects a result that lacks columns of the snapshot, or has them
// with other types, or reads its dates in another, guessed order.
func checkDrift(before, after snapshot.Meta) error {
	next := []api.Step{api.Do(api.ActionSchema, "see the columns", "table_id", before.TableID)}
	if gone := goneColumns(before, after); len(gone) > 0 {
		what := "Column %s no longer exists in %s"
		if len(gone) > 1 {
			what = "Columns %s no longer exist in %s"
		}
		quoted := make([]string, len(gone))
		for i, name := range gone {
			quoted[i] = "'" + name + "'"
		}
		return drifted(fmt.Sprintf(what, api.Clip(strings.Join(quoted, ", "), longestList), before.TableID),
			append(next, api.Set(api.OptionAcceptDrift, "have the snapshot without them")),
			map[string]any{"missing": gone, "table_id": before.TableID}, api.Texts(after.Caveats))
	}
	if changed := changedTypes(before, after); len(changed) > 0 {
		texts := make([]string, len(changed))
		for i, c := range changed {
			texts[i] = c.String()
		}
		return drifted(fmt.Sprintf("Columns of %s have other types now: %s", before.TableID, api.Clip(strings.Join(texts, "; "), longestList)),
			append(next, api.Set(api.OptionAcceptDrift, "have the snapshot with the new ones")),
			map[string]any{"changed": changed, "table_id": before.TableID}, api.Texts(after.Caveats))
	}
	return keep.OrderLost(keep.ChangedOrders(before, after), before.TableID, "The snapshot is unchanged.", next...)
}

// longestList is the length at which an error cuts a list of columns or
// warnings, in characters.
const longestList = 300

// drifted is the error for a refused result. Warnings of reading the table often
// name the line that is the reason.
func drifted(message string, next []api.Step, details map[string]any, warnings []string) *api.Error {
	hint := "The snapshot is unchanged."
	if len(warnings) > 0 {
		hint += " What the source said of the table: " + api.Clip(strings.Join(warnings, "; "), longestList) + "."
		details["warnings"] = warnings
	}
	return &api.Error{Code: api.CodeSchemaDrift, Kind: api.KindSchemaDrift, Message: message, Hint: hint, Next: next, Details: details}
}

// retyped is a column whose type has changed.
type retyped struct {
	Column string `json:"column"`
	Was    string `json:"was"`
	Is     string `json:"is"`
}

// String words the change.
func (r retyped) String() string { return fmt.Sprintf("'%s' was %s and is %s", r.Column, r.Was, r.Is) }

// changedTypes returns the columns whose types differ.
func changedTypes(before, after snapshot.Meta) (changed []retyped) {
	for _, c := range before.Schema {
		i := slices.IndexFunc(after.Schema, func(n snapshot.Column) bool { return n.Name == c.Name })
		if i >= 0 && after.Schema[i].Type != c.Type {
			changed = append(changed, retyped{c.Name, c.Type, after.Schema[i].Type})
		}
	}
	return changed
}

// schemaChanges names the columns that were removed or changed type.
func schemaChanges(before, after snapshot.Meta) []api.Caveat {
	caveats := []api.Caveat{}
	for _, name := range goneColumns(before, after) {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatChanged, About: api.Subject{Columns: []string{name}},
			Text: fmt.Sprintf("column '%s' is gone; downstream queries may break", name)})
	}
	if added := goneColumns(after, before); len(added) > 0 {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatChanged, About: api.Subject{Columns: added},
			Text: humanize.Plural(int64(len(added)), "column is", "columns are") + " new: " + api.Clip(strings.Join(added, ", "), longestList)})
	}
	for _, c := range changedTypes(before, after) {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatChanged, About: api.Subject{Columns: []string{c.Column}},
			Text: fmt.Sprintf("column '%s' type changed %s → %s; downstream queries may break", c.Column, c.Was, c.Is)})
	}
	for _, c := range keep.ChangedOrders(before, after) {
		told := c.Caveat()
		told.Text += "; the key date_format of the table in the instance file sets the order"
		caveats = append(caveats, told)
	}
	return caveats
}
