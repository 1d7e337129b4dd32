package iceberg

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/source/listed"
)

// mapped is a name that a field has in files without ids.
type mapped struct {
	ID     *int     `json:"field-id"`
	Names  []string `json:"names"`
	Fields []mapped `json:"fields"`
}

func nameMapping(text string) (all []mapped, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &all)
	}
	return all, err
}

// node is a column of a parquet file, or a part of one.
type node struct {
	name     string
	id       int
	hasID    bool
	children []*node
}

// layout says how the files of a group store columns.
type layout struct {
	key   string
	plain bool    // by ids, with the names of the schema inside of columns
	ids   bool    // columns have ids
	top   []*node // if it is not plain
}

// layouts finds how files store columns. The engine reads a column as NULL whose id
// a file lacks. So each file is checked for ids, in particular those of partition
// columns.
func (p *plan) layouts(ctx context.Context, r *listed.Request, paths []string) ([]*layout, error) {
	quoted := make([]string, len(paths))
	at := make(map[string]int, len(paths))
	for i, path := range paths {
		quoted[i], at[path] = duckdb.PathLiteral(path), i
	}
	from := "parquet_schema([" + strings.Join(quoted, ", ") + "])"
	out := make([]*layout, len(paths))
	plain := &layout{plain: true, ids: true}
	odd := []string{}
	whole := "count(field_id) > 0"
	if ids := p.identities(); len(ids) > 0 {
		whole += fmt.Sprintf(" AND count(DISTINCT field_id) FILTER (WHERE field_id IN (%s)) = %d", strings.Join(ids, ", "), len(ids))
	}
	err := r.Rows(ctx, "SELECT file_name, "+whole+" FROM "+from+" GROUP BY file_name", func(row []any) error {
		name, _ := row[0].(string)
		i, ok := at[name]
		if !ok {
			return fmt.Errorf("the engine lists a file that it was not given")
		}
		if whole, _ := row[1].(bool); whole && !p.renamed {
			out[i] = plain
		} else {
			odd = append(odd, duckdb.PathLiteral(name))
		}
		return nil
	})
	if err != nil || len(odd) == 0 {
		return out, err
	}
	trees, err := trees(ctx, r, odd)
	if err != nil {
		return nil, err
	}
	for name, tree := range trees {
		y := &layout{top: tree.children}
		y.ids = slices.ContainsFunc(y.top, func(n *node) bool { return n.hasID })
		y.key = fmt.Sprintf("%t%s", y.ids, signature(y.top))
		out[at[name]] = y
	}
	return out, nil
}

// identities are the ids of the columns by whose values files are or were partitioned.
func (p *plan) identities() (ids []string) {
	for i := range p.Specs {
		for _, part := range p.Specs[i].Fields {
			if id := fmt.Sprint(part.Source); part.Transform == "identity" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// trees reads the columns of files as they are nested. paths are literals.
func trees(ctx context.Context, r *listed.Request, paths []string) (map[string]*node, error) {
	out := map[string]*node{}
	type open struct {
		*node
		left int64
	}
	stacks := map[string][]open{}
	sql := "SELECT file_name, coalesce(name, ''), coalesce(num_children, 0)::BIGINT, field_id::BIGINT FROM parquet_schema([" +
		strings.Join(paths, ", ") + "])"
	err := r.Rows(ctx, sql, func(row []any) error {
		file, _ := row[0].(string)
		n := &node{}
		n.name, _ = row[1].(string)
		children, _ := row[2].(int64)
		if id, ok := row[3].(int64); ok {
			n.id, n.hasID = int(id), true
		}
		stack := stacks[file]
		for len(stack) > 0 && stack[len(stack)-1].left == 0 {
			stack = stack[:len(stack)-1]
		}
		if len(stack) == 0 {
			out[file] = n
		} else {
			top := &stack[len(stack)-1]
			top.left--
			top.children = append(top.children, n)
		}
		stacks[file] = append(stack, open{n, children})
		return nil
	})
	return out, err
}

// signature is the same for columns that are read alike.
func signature(list []*node) string {
	var b strings.Builder
	for _, n := range list {
		fmt.Fprintf(&b, "(%q %d %t%s)", n.name, n.id, n.hasID, signature(n.children))
	}
	return b.String()
}

// find looks for a field among columns, and returns the mapping of what is inside.
func (y *layout) find(list []*node, mapping []mapped, id int) (*node, []mapped) {
	if y.ids {
		for _, n := range list {
			if n.hasID && n.id == id {
				return n, nil
			}
		}
		return nil, nil
	}
	for _, m := range mapping {
		if m.ID == nil || *m.ID != id {
			continue
		}
		for _, n := range list {
			if slices.Contains(m.Names, n.name) {
				return n, m.Fields
			}
		}
	}
	return nil, nil
}

// found is a type as the files store it, and notes the names that they have for its fields.
// Fields that they lack are left out. If they have no field of a struct, another field that
// they have in it is read: it shows where the struct is NULL.
func (y *layout) found(t *listed.Type, n *node, mapping []mapped, into map[*field]string) listed.Type {
	inside := func(f *field, n *node, mapping []mapped) *field {
		return &field{Name: n.name, Type: y.found(&f.Type, n, mapping, into)}
	}
	switch {
	case t.Fields != nil:
		fields := []field{}
		for i := range t.Fields {
			f := &t.Fields[i]
			if child, below := y.find(n.children, mapping, f.ID); child != nil {
				into[f] = child.name
				fields = append(fields, *inside(f, child, below))
			}
		}
		if len(fields) == 0 && len(n.children) > 0 {
			fields = append(fields, field{Name: n.children[0].name, Type: listed.Type{Name: "string"}})
		}
		return listed.Type{Fields: fields}
	case t.Element != nil && len(n.children) == 1:
		element := n.children[0]
		if len(element.children) == 1 && element.name != "array" && !strings.HasSuffix(element.name, "_tuple") {
			element = element.children[0]
		}
		return listed.Type{Element: inside(t.Element, element, below(mapping, t.Element.ID))}
	case t.Key != nil && len(n.children) == 1 && len(n.children[0].children) == 2:
		pair := n.children[0].children
		return listed.Type{Key: inside(t.Key, pair[0], below(mapping, t.Key.ID)), Value: inside(t.Value, pair[1], below(mapping, t.Value.ID))}
	}
	return *t
}

// below is the mapping of what is inside of a field.
func below(mapping []mapped, id int) []mapped {
	for _, m := range mapping {
		if m.ID != nil && *m.ID == id {
			return m.Fields
		}
	}
	return nil
}

// read says how a column is read from the files of a layout: the stored column, if
// there is one, with the expression of its value; value is the name of the column.
func (y *layout) read(f *field, mapping []mapped, value string) (*listed.Stored, string, error) {
	typ, err := f.Type.Engine(simple, listed.Logical)
	if err != nil {
		return nil, "", err
	}
	missing, err := missingValue(f)
	if err != nil {
		return nil, "", err
	}
	if y.plain {
		return &listed.Stored{Key: fmt.Sprint(f.ID), Type: typ, Default: missing}, value, nil
	}
	n, inside := y.find(y.top, mapping, f.ID)
	if n == nil {
		if missing == nil {
			return nil, "NULL::" + typ, nil
		}
		return nil, "CAST(" + duckdb.Literal(*missing) + " AS " + typ + ")", nil
	}
	names := map[*field]string{}
	as := y.found(&f.Type, n, inside, names)
	stored := listed.Stored{Key: duckdb.Literal(n.name)}
	if y.ids {
		stored.Key = fmt.Sprint(f.ID)
	}
	if stored.Type, err = as.Engine(simple, listed.Logical); err != nil {
		return nil, "", err
	}
	expr, _ := f.Type.Renamed(value, func(f *field) string { return names[f] }, func(f *field) (string, bool) {
		if _, ok := names[f]; ok {
			return "", false
		}
		typ, err := f.Type.Engine(simple, listed.Logical)
		missing, wrong := missingValue(f)
		if err != nil || wrong != nil || missing == nil {
			return "NULL::" + typ, err == nil
		}
		return "CAST(" + duckdb.Literal(*missing) + " AS " + typ + ")", true
	})
	return &stored, expr, nil
}

// missingValue is the text of what a file without the column has; nil: NULL.
func missingValue(f *field) (*string, error) {
	var value any
	if len(f.Default) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(f.Default, &value); err != nil || value == nil {
		return nil, err
	}
	text := string(f.Default)
	if s, ok := value.(string); ok {
		text = s
	}
	if f.Type.Name == "binary" || strings.HasPrefix(f.Type.Name, "fixed[") {
		var b strings.Builder
		for i := 0; i+1 < len(text); i += 2 {
			b.WriteString(`\x` + text[i:i+2])
		}
		text = b.String()
	}
	return &text, nil
}
