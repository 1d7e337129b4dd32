package main

import "strings"

const rows = `[["region", "month", "sales"], ["north", "Jan", 10.5], ["south", "Jan", 4], ["north", "Feb", 7]]`

// data is a sheet with rows of ours.
const data = `{"op": "add_sheet", "sheet": "da rows"}, {"op": "set_range", "sheet": "da rows", "start": "A1", "values": ` + rows + `}`

// joined are all operations of a list in one call.
func joined(list []operation, besides ...string) operation {
	all := []string{}
	for _, o := range list {
		if len(besides) == 0 || !strings.Contains(strings.Join(besides, " "), o.name) {
			all = append(all, strings.Trim(strings.TrimPrefix(o.ops, `[`+data+`, `), "[]"))
		}
	}
	return operation{name: "all", ops: strings.Join(all, ", ")}
}

// on is one operation with the first sheet of a workbook.
func on(name, fields string) string {
	return `[{"op": "` + name + `", "sheet": "FIRST", ` + fields + `}]`
}

func workbooks() []operation {
	list := []operation{
		{name: "set_cells", ops: on("set_cells", `"cells": [{"cell": "XFA1000", "value": "x"}, {"cell": "XFB1000", "formula": "1+1"}]`)},
		{name: "set_format", ops: on("set_format", `"range": "A1:B2", "format": {"bold": true, "fill": "#FFC7CE", "column_width": 20}`)},
		{name: "conditional_format", ops: on("conditional_format",
			`"range": "A1:B9", "rule": {"is": ">", "value": 1}, "format": {"fill": "#FFC7CE"}`)},
		{name: "validate", ops: on("validate", `"range": "XFA1:XFA9", "rule": {"is": "list", "list": ["a", "b"]}`)},
		{name: "freeze", ops: on("freeze", `"start": "B2"`)},
		{name: "page_setup", ops: on("page_setup", `"page": {"orientation": "landscape", "paper": "A4", "pages_wide": 1, "area": "A1:C9", "repeat_rows": "1:1", "footer": "&P"}`)},
		{name: "add_link", ops: on("add_link", `"start": "XFA1001", "link": "https://example.com", "text": "more"`)},
		{name: "add_comment", ops: on("add_comment", `"start": "XFA1002", "text": "checked"`), also: "omments|vmlDrawing"},
		{name: "add_picture", ops: on("add_picture", `"start": "B2", "picture": "x.png"`), also: "drawing"},
		{name: "add_table", ops: on("add_table", `"start": "XFA1010", "values": `+rows)},
		{name: "add_chart", ops: `[` + data + `, {"op": "add_chart", "sheet": "FIRST", "range": "'da rows'!B1:C4", "type": "column", "title": "Sales"}]`, also: "drawing"},
		{name: "add_pivot", ops: `[` + data + `, {"op": "add_pivot", "sheet": "da rows", "start": "F1", "range": "'da rows'!A1:C4", "rows": ["region"], "columns": ["month"], "measures": [{"column": "sales"}], "filters": [{"column": "sales", "values": [4, 7]}]}]`},
		{name: "insert_rows", ops: on("insert_rows", `"after_row": 2`), also: "xl/"},
		{name: "delete_rows", ops: on("delete_rows", `"start_row": 900`), also: "xl/"},
		{name: "copy_sheet", ops: on("copy_sheet", `"new_name": "da copy"`), also: "xl/"},
		{name: "rename_sheet", ops: on("rename_sheet", `"new_name": "da name"`), also: "/"},
	}
	all := operation{name: "all", ops: "[" + data + ", " + joined(list, "copy_sheet rename_sheet insert_rows delete_rows").ops + "]", also: "xl/"}
	return append(list, all,
		operation{name: "set_range", ops: on("set_range", `"start": "XFA1020", "values": `+rows)},
		operation{name: "auto_filter", ops: `[` + data + `, {"op": "auto_filter", "sheet": "da rows", "range": "A1:C4"}]`},
		operation{name: "hide_sheet", ops: `[` + data + `, {"op": "hide_sheet", "sheet": "da rows"}, {"op": "show_sheet", "sheet": "da rows"}]`},
		operation{name: "move_sheet", ops: `[` + data + `, {"op": "move_sheet", "sheet": "da rows", "position": 1}]`},
		operation{name: "delete_sheet", ops: `[` + data + `, {"op": "ensure_sheet", "sheet": "da more"}, {"op": "delete_sheet", "sheet": "da rows"}]`})
}

func documents() []operation {
	list := []operation{
		{name: "append_heading", ops: `[{"op": "append_heading", "text": "da"}]`},
		{name: "append_bullets", ops: `[{"op": "append_bullets", "items": ["a", "b"]}]`},
		{name: "append_table", ops: `[{"op": "append_table", "rows": ` + rows + `}]`},
		{name: "append_picture", ops: `[{"op": "append_picture", "picture": "x.png"}]`},
		{name: "append_chart", ops: `[{"op": "append_chart", "type": "bar", "title": "Sales", "rows": [["month", "sales"], ["Jan", 1], ["Feb", 2]]}]`},
		{name: "tracked_paragraph", ops: `[{"op": "append_paragraph", "text": "new", "track": "da"}]`},
		{name: "add_comment", ops: `[{"op": "add_comment", "search": "FIRST", "first": true, "text": "checked"}]`, also: "omments"},
		{name: "add_link", ops: `[{"op": "add_link", "search": "FIRST", "first": true, "link": "https://example.com"}]`},
		{name: "tracked_replace", ops: `[{"op": "replace_text", "search": "FIRST", "replace": "da", "track": "da"}]`, also: "word/"},
		{name: "replace_text", ops: `[{"op": "replace_text", "search": "FIRST", "replace": "da"}]`, also: "word/"},
	}
	all := operation{name: "all", ops: "[" + joined(list, "add_comment add_link replace_text tracked_replace").ops + "]", also: "word/"}
	return append(list, all,
		operation{name: "append_numbered", ops: `[{"op": "append_numbered", "items": ["a", "b"]}, {"op": "append_page_break"}]`},
		operation{name: "insert_all", ops: `[{"op": "append_paragraph", "text": "da is here"}, {"op": "insert_paragraph", "before": "da is here", "text": "a"}, {"op": "insert_heading", "before": "da is here", "text": "b"}, {"op": "insert_bullets", "after": "da is here", "items": ["c"]}, ` +
			`{"op": "insert_numbered", "after": "da is here", "items": ["d"]}, {"op": "insert_table", "after": "da is here", "rows": ` + rows + `}, {"op": "insert_picture", "before": "da is here", "picture": "x.png"}, {"op": "insert_page_break", "before": "da is here"}, ` +
			`{"op": "insert_chart", "after": "da is here", "type": "bar", "rows": [["month", "sales"], ["Jan", 1]]}]`},
		operation{name: "accept_changes", ops: `[{"op": "append_paragraph", "text": "new", "track": "da"}, {"op": "accept_changes"}]`, also: "word/"},
		operation{name: "reject_changes", ops: `[{"op": "append_paragraph", "text": "new", "track": "da"}, {"op": "reject_changes", "author": "da"}]`})
}

func presentations() []operation {
	list := []operation{
		{name: "add_slide", ops: `[{"op": "add_slide", "to": 0}]`},
		{name: "add_table", ops: `[{"op": "add_table", "index": 0, "rows": ` + rows + `}]`, also: "ppt/slides/"},
		{name: "add_picture", ops: `[{"op": "add_picture", "index": 0, "picture": "x.png"}]`, also: "ppt/slides/"},
		{name: "add_chart", ops: `[{"op": "add_chart", "index": 0, "type": "line", "title": "Sales", "rows": [["month", "sales"], ["Jan", 1], ["Feb", 2]]}]`, also: "ppt/slides/"},
		{name: "set_notes", ops: `[{"op": "set_notes", "index": 0, "text": "da"}]`, also: "otes"},
		{name: "add_comment", ops: `[{"op": "add_comment", "index": 0, "text": "da"}]`, also: "omment"},
		{name: "move_slide", ops: `[{"op": "move_slide", "index": 0, "to": 0}]`},
	}
	return append(list, operation{name: "all", ops: "[" + joined(list).ops + "]", also: "ppt/"},
		operation{name: "add_link", ops: `[{"op": "add_slide", "to": 0, "title": "da is here"}, {"op": "add_link", "index": 0, "search": "da", "link": "https://example.com"}]`},
		operation{name: "replace_text", ops: `[{"op": "add_slide", "title": "da is here"}, {"op": "replace_text", "search": "da is here", "replace": "da was here"}]`},
		operation{name: "set_slide_text", ops: `[{"op": "add_slide", "to": 0, "title": "a", "text": "b"}, {"op": "set_slide_text", "index": 0, "title": "c"}, {"op": "append_bullets", "index": 0, "items": ["d"]}]`},
		operation{name: "delete_slide", ops: `[{"op": "add_slide", "to": 0}, {"op": "delete_slide", "index": 0}]`})
}

// operation is a list of them as JSON. also matches the parts that it changes besides.
type operation struct{ name, ops, also string }
