package statement

// names collects the column names anywhere in a tree.
type names struct {
	columns distinct        // all parts of all column names, in lower case, without duplicates
	last    map[string]bool // only the last parts
	tables  map[string]bool // tables and their aliases
	whole   bool
}

// distinct collects texts without duplicates, in the order of their first mention.
type distinct struct {
	list []string
	seen map[string]bool
}

func (d *distinct) add(text string) {
	if d.seen[text] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[text] = true
	d.list = append(d.list, text)
}

// named determines which columns a proven statement may read of its tables: those
// with a name in columns, or all of them if whole.
func named(tree any) (columns []string, whole bool) {
	n := &names{last: map[string]bool{}, tables: map[string]bool{}}
	n.walk(tree)
	for t := range n.tables {
		// A table name used as a column means the table's whole row.
		n.whole = n.whole || n.last[t]
	}
	return n.columns.list, n.whole
}

func (n *names) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n.walk(item)
		}
	case map[string]any:
		n.node(v)
		for _, item := range v {
			n.walk(item)
		}
	}
}

func (n *names) node(node map[string]any) {
	switch name(node, "class") {
	case "COLUMN_REF":
		n.add(list(node["column_names"]), true)
	case "STAR", "POSITIONAL_REFERENCE":
		n.whole = true
	}
	switch name(node, "type") {
	case "BASE_TABLE":
		n.tables[lower(name(node, "table_name"))] = true
		if alias := name(node, "alias"); alias != "" {
			n.tables[lower(alias)] = true
		}
		// Columns that are renamed are counted through.
		n.whole = n.whole || len(list(node["column_name_alias"])) > 0
	case "JOIN":
		n.add(list(node["using_columns"]), false)
		n.whole = n.whole || name(node, "ref_type") == "NATURAL"
	case "PIVOT", "SHOW_REF":
		n.whole = true // they group by unnamed columns, or show all
	}
}

func (n *names) add(parts []any, ref bool) {
	for i, part := range parts {
		text, ok := part.(string)
		if !ok {
			continue
		}
		text = lower(text)
		n.columns.add(text)
		if ref && i == len(parts)-1 {
			n.last[text] = true
		}
	}
}
