package toolbox

import (
	"regexp"
	"slices"
	"strings"
)

// commands says which tool does what a command does. Messages and hints are
// worded for the command line; models get them in the names of their tools.
var commands = []struct{ command, tool string }{
	{"da catalog", "catalog_search"},
	{"da schema", "catalog_schema"},
	{"da describe", "catalog_sample"},
	{"da where", "where_check"},
	{"da fetch", "fetch"},
	{"da snapshot list", "snapshot_list"},
	{"da snapshot refresh", "snapshot_refresh"},
	{"da snapshot drop", "snapshot_drop"},
	{"da snapshot prune", "snapshot_drop"},
	{"da snapshot import", "snapshot_import"},
	{"da sync", "catalog_sync"},
	{"da query --remote", "query_remote"},
	{"da query", "query"},
	{"da disk-info", "disk_info"},
	{"da quota", "quota"},
	{"da table map", "table_get_map"},
	{"da table describe", "table_describe"},
	{"da table stats", "table_stats"},
	{"da table rows", "table_read_rows"},
	{"da table query", "table_query"},
	{"da table export", "table_export"},
}

// spokenFlags are the flags that a tool has an argument for, and its name.
// Other flags are for those who start da.
var spokenFlags = map[string]string{
	"allow-cut": "allow_cut", "as": "as", "columns": "columns", "count": "row_count", "date-format": "date_format", "delimiter": "delimiter", "encoding": "encoding",
	"escape-formulas": "escape_formulas", "estimate": "fetch_estimate", "force": "force", "format": "format", "limit": "limit",
	"max-tokens": "max_tokens", "memory-limit": "memory_limit", "no-header": "no_header", "order-by": "order_by", "query": "query",
	"range": "range", "select": "select", "sheet": "sheet", "start": "row_start", "strict": "strict", "table": "tables", "target": "target_path",
	"timeout": "timeout_seconds", "types": "types", "where": "where", "window-offset": "window_offset", "window-rows": "window_rows",
}

var (
	spokenCommand = commandPattern()
	spokenFlag    = regexp.MustCompile(`(?:^|[^\w-])--[a-z]+(?:-[a-z]+)*`)
)

// unsaid are the parts of sentences for which there is no tool.
var unsaid = strings.NewReplacer(", `da query … --out FILE` a file", "")

func commandPattern() *regexp.Regexp {
	var names []string
	for _, c := range commands {
		names = append(names, regexp.QuoteMeta(c.command))
	}
	// The longest first: da query --remote is not da query.
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)
}

// inTools words a message or hint for models: commands by the names of tools,
// flags by those of arguments.
func inTools(text string) string {
	text = unsaid.Replace(text)
	text = spokenCommand.ReplaceAllStringFunc(text, func(found string) string {
		for _, c := range commands {
			if c.command == found {
				return c.tool
			}
		}
		return found
	})
	return spokenFlag.ReplaceAllStringFunc(text, func(found string) string {
		before, name, _ := strings.Cut(found, "--")
		if a, ok := spokenFlags[name]; ok {
			return before + a
		}
		return found
	})
}

// detailsForTools leaves out what only makes sense at a command line.
func detailsForTools(details map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range details {
		if k != "command" && k != "select" && k != "item" { // the call says so, or the one that repairs it
			out[k] = v
		}
	}
	return out
}
