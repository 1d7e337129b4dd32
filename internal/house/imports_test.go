package house

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which packages of ours a package may import. The first row whose
// pattern matches a package's folder decides. In a pattern, "x/..." is x and
// all below it. A package may always import what lies below its own folder's
// internal/ and, with "...", its siblings in the same row.
//
// The layers, from the top: cmd, cli, doors and services, parts, api.
var arrows = []struct {
	from string
	may  []string
}{
	{"api", nil},
	{"web/...", nil},
	{"cmd/...", []string{"cli", "internal/build"}},

	// Measurements drive the built program and DuckDB itself; what tests stand on may
	// know whatever it stands for.
	{"internal/bench/postgres", []string{"predicate", "source", "source/postgres", "internal/..."}},
	{"internal/bench/files", []string{"document/sheet", "internal/bench/process"}},
	{"internal/bench/office", []string{"api", "document/*"}},
	{"internal/bench/pollock", []string{"table"}},
	{"build/tools/backrefs", nil},
	{"build/tools/reference", []string{
		"agent/...", "api", "cli", "cli/exit", "cli/reference", "cli/serve", "predicate", "server/http", "skills", "toolbox", "toolbox/fit", "workspace", "workspace/content", "workspace/filehttp", "internal/...",
	}},
	{"internal/bench/marks", nil},
	{"internal/bench/process", nil},
	{"internal/bench/...", []string{"api", "internal/bench/marks", "internal/bench/process", "internal/..."}},
	{"internal/testing/...", []string{"api", "agent/provider", "cli", "cli/app", "document/ooxml", "predicate/...", "snapshot", "server/state", "source", "source/registry", "internal/..."}},
	{"internal/house", nil},

	// Internal packages serve every layer and know none but the contract.
	{"internal/...", []string{"api", "internal/..."}},

	// Parts. None knows another, but for what its row says.
	{"predicate/syntax", []string{"api", "internal/words/wordset"}},
	{"predicate", []string{"api", "predicate/syntax", "internal/guard/growth", "internal/words/lazyregexp", "internal/words/suggest", "internal/words/wordset"}},
	{"predicate/print", []string{"api", "predicate", "predicate/syntax"}},
	{"predicate/*", []string{"api", "predicate", "predicate/interval"}},
	{"statement/params", []string{"api"}},
	{"statement/fanout", []string{"statement", "internal/engine/duckdb", "internal/engine/unique"}},
	{"statement/warehouse", []string{"api", "predicate/syntax", "statement", "internal/guard/growth", "internal/words/suggest", "internal/words/wordset"}},
	{"statement/...", []string{"api", "statement/params", "internal/engine/duckdb", "internal/guard/growth", "internal/words/lazyregexp", "internal/words/suggest", "internal/words/wordset"}},
	{"metric/dbt", []string{"api", "internal/..."}},
	{"metric/ossie", []string{"api", "metric", "statement", "internal/..."}},
	{"metric/modelfile", []string{"api", "metric/dbt", "metric/ossie"}},
	{"metric", []string{"api", "statement", "internal/words/..."}},
	{"client", []string{"api", "internal/..."}},
	{"cache", []string{"api", "internal/..."}},
	{"snapshot", []string{"api", "internal/..."}},
	{"plot", []string{"api", "internal/..."}},
	{"skills", []string{"api", "internal/..."}},
	{"workspace/content", []string{"api", "document/*", "table", "table/intake", "workspace", "workspace/text", "internal/..."}},
	{"workspace/text", []string{"api", "table/encoding", "internal/..."}},
	{"workspace/filehttp", []string{"api", "workspace", "workspace/...", "internal/..."}},
	{"workspace/steps", []string{"api", "document/*", "workspace", "workspace/content"}},
	{"workspace/...", []string{"api", "internal/..."}},

	// Sources: neither the server nor another source. Only the registry, which
	// lists them, knows them all.
	{"source", []string{"api", "predicate/..."}},
	{"source/registry", []string{"api", "predicate/...", "source/...", "internal/..."}},
	{"source/embedded", []string{"api", "predicate/...", "statement", "source", "internal/..."}},
	{"source/listed", []string{"api", "predicate/...", "statement", "source", "source/embedded", "source/lake/mirror", "internal/..."}},
	{"source/delta", []string{"api", "predicate/...", "source/embedded", "source/listed", "internal/..."}},
	{"source/iceberg", []string{"api", "predicate/...", "source/embedded", "source/listed", "internal/..."}},
	{"source/dbfile", []string{"api", "predicate/...", "source/embedded", "source/listed", "internal/..."}},
	{"source/lake/mirror", []string{"api", "internal/..."}},
	{"source/lake/kept", []string{"internal/..."}},
	{"source/lake", []string{"api", "source/embedded", "source/lake/kept", "source/lake/mirror", "predicate/...", "statement/...", "source", "table/...", "internal/..."}}, // what a text file means is decided once
	{"source/lent", []string{"api", "predicate", "source"}},
	{"source/*", []string{"api", "predicate/...", "statement/...", "source", "internal/..."}},

	// What joins the parts.
	{"server/state", []string{"api", "internal/..."}},
	{"server/fault", []string{"api", "internal/..."}},
	{"server/artifact", []string{"api", "internal/..."}},
	{"server/spool", []string{"api", "internal/..."}},
	{"server/blob", []string{"internal/..."}},
	{"server/core", []string{"api", "metric", "metric/modelfile", "predicate/...", "statement", "source", "server/state", "server/fault", "server/spool", "server/blob", "server/artifact", "server/mask", "internal/..."}},
	{"server/mask", []string{"api", "predicate", "internal/..."}},
	{"analyst/needs", []string{"api", "predicate/...", "internal/..."}},
	{"analyst/reuse", []string{"api", "snapshot", "predicate/..."}},
	{"server/openid", []string{"api", "internal/..."}},
	{"server/http", []string{"api", "server/core", "server/fault", "server/openid", "server/resultset", "web", "internal/..."}},
	{"server/resultset", []string{"api", "server/blob", "internal/..."}},
	{"server/flight", []string{"api", "server/fault", "internal/rows/canonical"}},
	{"server/local", []string{"api", "server/core", "server/state", "internal/..."}},
	{"dashboard", []string{"api", "document/figures", "document/reports", "plot", "server/resultset", "statement/params", "internal/..."}},
	{"analyst/synced", []string{"api", "internal/..."}},
	{"analyst/results", []string{"api", "internal/..."}},
	{"analyst/checks", []string{"api", "internal/..."}},
	{"analyst", []string{"api", "analyst/results", "snapshot", "internal/..."}},
	{"analyst/keep", []string{"api", "analyst", "analyst/needs", "analyst/synced", "predicate/...", "snapshot", "internal/..."}},
	{"analyst/tablesync", []string{"api", "analyst", "analyst/checks", "analyst/query", "analyst/keep", "analyst/synced", "internal/..."}},
	{"analyst/fetch", []string{"api", "analyst", "analyst/checks", "analyst/keep", "analyst/query", "analyst/reuse", "predicate/...", "snapshot", "statement/params", "internal/..."}},
	{"analyst/query", []string{"api", "analyst", "analyst/checks", "analyst/keep", "analyst/results", "analyst/synced", "predicate/...", "snapshot", "statement", "statement/fanout", "statement/params", "toolbox/fit", "internal/..."}},
	{"analyst/joins", []string{"api", "analyst", "analyst/keep", "analyst/plan", "analyst/query", "metric", "internal/..."}},
	{"analyst/gist", []string{"api", "analyst", "metric", "toolbox/fit", "internal/..."}},
	{"analyst/values", []string{"api", "analyst", "analyst/plan", "analyst/query", "predicate", "statement", "statement/params", "internal/..."}},
	{"analyst/profiles", []string{"api", "analyst", "analyst/keep", "analyst/plan", "analyst/query", "analyst/synced", "analyst/values", "predicate", "snapshot", "internal/..."}},
	{"analyst/plan", []string{"api", "analyst", "analyst/fetch", "analyst/keep", "analyst/needs", "analyst/query", "predicate/...", "snapshot", "statement", "internal/..."}},
	{"table", []string{"api", "document/figures", "document/pdf", "document/reports", "predicate", "statement", "table/...", "internal/..."}}, // tables of pages, receipts of workbooks
	{"table/...", []string{"api", "predicate", "statement", "internal/..."}},

	// The agent: models, what they may do, and what was said.
	{"agent/provider", []string{"api", "internal/..."}},
	{"agent/python", []string{"api", "agent", "agent/conversation", "agent/provider", "internal/..."}},
	{"agent/conversation", []string{"api", "agent/provider", "internal/..."}},
	{"agent/draft", []string{"api", "agent", "workspace", "workspace/content", "internal/..."}},
	{"agent/agenthttp", []string{"api", "agent", "agent/...", "table", "toolbox", "toolbox/tool", "workspace", "internal/..."}},
	{"agent/receipt", []string{"api", "agent/conversation", "internal/..."}},
	{"agent/approved", []string{"api", "agent/conversation", "agent/provider", "internal/..."}},
	{"agent/hidden", []string{"api", "internal/..."}},
	{"agent/secrets", []string{"internal/..."}},
	{"agent", []string{"api", "agent/...", "toolbox", "toolbox/local", "toolbox/tool", "internal/..."}},

	// Documents: parts that know neither stores nor doors.
	{"document/reports", []string{"api", "document/*", "plot", "table/xlsx", "internal/..."}},
	{"document/figures", []string{"api", "document/docx", "document/ooxml", "document/pdf", "document/pptx", "document/sheet", "internal/..."}},
	{"document/ooxml", []string{"api", "internal/..."}},
	{"document/image", []string{"api", "internal/..."}},
	{"document/*", []string{"api", "document/ooxml", "table/xlsx", "internal/..."}},

	// Doors.
	{"toolbox/fit", []string{"api", "internal/..."}},
	{"toolbox/tool", []string{"api", "analyst/...", "toolbox/fit", "statement/params", "table", "workspace", "internal/..."}},
	{"toolbox/catalog", []string{"api", "metric", "analyst/...", "predicate", "snapshot", "toolbox/fit", "toolbox/tool", "table"}},
	{"toolbox/local", []string{"api", "analyst/...", "toolbox/fit", "toolbox/tool", "table", "workspace", "workspace/content", "internal/..."}},
	{"toolbox/files", []string{"api", "analyst/...", "document/*", "toolbox/catalog", "toolbox/tool", "plot", "table", "workspace/..."}},
	{"toolbox", []string{"api", "toolbox/catalog", "toolbox/files", "toolbox/local", "toolbox/tool", "internal/..."}},
	{"toolbox/mcpserver", []string{"api", "toolbox", "toolbox/tool", "internal/..."}},
	{"cli/demo/...", []string{"api", "internal/..."}},
	{"cli/output", []string{"api", "internal/..."}},
	{"cli/usage", []string{"api", "cli/output", "internal/..."}},
	{"cli/exit", []string{"api", "cli/output", "internal/..."}},
	{"cli/app", []string{
		"api", "analyst/...", "analyst/keep", "analyst/plan", "cache", "client", "toolbox/fit", "server/blob", "server/core", "server/state", "snapshot", "source/registry", "table/xlsx", "workspace", "workspace/content", "workspace/steps",
		"cli/exit", "cli/output", "cli/usage", "internal/...",
	}},
	{"cli/journal", []string{"api", "analyst/results", "analyst/synced", "snapshot", "internal/..."}},
	{"cli/jobs", []string{"agent/secrets", "api", "analyst/checks", "analyst/results", "analyst/synced", "cli/app", "cli/complete", "cli/exit", "cli/journal", "cli/output", "cli/usage", "internal/..."}},
	{"cli/shell", []string{"api", "statement", "internal/..."}},
	{"cli/admin", []string{"api", "cache", "server/core", "server/state", "source/registry", "cli/app", "cli/output", "cli/usage", "internal/..."}},
	{"cli/reference", []string{"api", "toolbox/fit", "predicate", "cli/app", "cli/exit", "cli/output", "cli/usage", "internal/..."}},
	{"cli/complete", []string{"api", "source/registry", "cli/app", "cli/output", "cli/usage", "internal/..."}},
	{"cli/query", []string{
		"api", "metric", "analyst/...", "analyst/checks", "analyst/results", "dashboard", "document/figures", "document/reports", "plot", "statement", "statement/params", "table/xlsx", "toolbox/fit", "workspace", "workspace/content",
		"cli/app", "cli/complete", "cli/exit", "cli/output", "cli/usage", "internal/...",
	}},
	{"cli/tables", []string{"api", "table", "table/intake", "toolbox/fit", "cli/app", "cli/complete", "cli/exit", "cli/output", "cli/query", "cli/usage", "internal/..."}},
	{"cli/snapshots", []string{"api", "analyst/...", "cache", "snapshot", "table", "table/render", "cli/app", "cli/complete", "cli/exit", "cli/output", "cli/query", "cli/tables", "cli/usage", "internal/..."}},
	{"cli/catalog", []string{"api", "analyst/...", "cache", "predicate", "cli/app", "cli/complete", "cli/exit", "cli/output", "cli/query", "cli/snapshots", "cli/tables", "cli/usage", "table", "internal/..."}},
	{"cli/workfiles", []string{"api", "analyst/...", "document/*", "plot", "workspace", "workspace/*", "cli/app", "cli/exit", "cli/output", "cli/query", "cli/snapshots", "cli/tables", "cli/usage", "internal/..."}},
	{"cli/ask", []string{
		"agent/...", "api", "analyst/...", "plot", "snapshot", "table", "toolbox", "toolbox/tool", "workspace",
		"cli/app", "cli/exit", "cli/output", "cli/query", "cli/shell", "cli/usage", "internal/...",
	}},
	{"cli/serve", []string{
		"agent/...", "api", "analyst/...", "dashboard", "document/figures", "server/...", "snapshot", "source/registry", "statement/params", "table", "table/intake", "toolbox", "toolbox/mcpserver", "toolbox/tool", "workspace", "workspace/filehttp",
		"cli/app", "cli/ask", "cli/output", "cli/usage", "internal/...",
	}},
	{"cli/setup", []string{
		"agent", "api", "analyst/...", "metric/modelfile", "server/state", "skills", "source/lake", "source/registry",
		"cli/app", "cli/ask", "cli/complete", "cli/demo", "cli/exit", "cli/jobs", "cli/output", "cli/usage", "internal/...",
	}},
	{"cli", []string{"agent/agenthttp", "api", "analyst/...", "cli/*", "plot", "server/http", "statement", "statement/params", "workspace/filehttp", "internal/..."}},
}

// matches reports whether the folder is one that the pattern names.
func matches(pattern, dir string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == base || strings.HasPrefix(dir, base+"/")
	}
	ok, err := path.Match(pattern, dir)
	return err == nil && ok
}

func TestImportsFollowTheArrows(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test {
			continue // a test may stand on whatever shows its case
		}
		row := slices.IndexFunc(arrows, func(a struct {
			from string
			may  []string
		}) bool {
			return matches(a.from, f.dir)
		})
		if row < 0 {
			t.Errorf("%s: folder %s has no row in arrows: say what it may import", f.path, f.dir)
			continue
		}
		for _, imp := range importsOf(t, f) {
			ours, ok := strings.CutPrefix(imp, module+"/")
			if !ok {
				continue
			}
			from := arrows[row].from
			sibling := strings.HasSuffix(from, "/...") && matches(from, ours)
			if !sibling && !slices.ContainsFunc(arrows[row].may, func(p string) bool { return matches(p, ours) }) {
				t.Errorf("%s: %s may not import %s", f.path, f.dir, ours)
			}
		}
	}
}

// kept says which packages from outside only some of our folders may import.
var kept = []struct {
	imp string   // an import path, or a prefix of paths with "/..."
	in  []string // folders
	why string
}{
	{"github.com/duckdb/...", []string{"internal/engine/duckdb"}, "only internal/engine/duckdb knows the driver"},
	{"github.com/marcboeker/...", nil, "the driver has moved to github.com/duckdb"},
	{"github.com/reeflective/...", []string{"cli/shell"}, "only the prompt edits lines"},
	{"github.com/spf13/...", []string{"cli", "cli/...", "build/tools/reference"}, "flags are the command line's business"},
	{"github.com/jackc/...", []string{"source/postgres", "server/state", "source/iceberg"}, "one source, the state and a catalog, one driver"},
	{"github.com/snowflakedb/...", []string{"source/snowflake"}, "one source, one driver"},
	{"github.com/go-sql-driver/...", []string{"source/mariadb"}, "one source, one driver"},
	{"golang.org/x/oauth2/...", []string{"internal/googleauth", "server/openid", "source/iceberg"}, "credentials are looked for in one place"},
	{"github.com/coreos/go-oidc/...", []string{"server/openid"}, "people sign in at providers in one place"},
	{"github.com/RoaringBitmap/...", []string{"source/listed"}, "deleted rows are read in one place"},
	{"github.com/apache/iceberg-go/...", nil, "its manifests are read here: its own reader costs start-up time, and was silently wrong"},
	{"github.com/zitadel/...", nil, "a provider for tests"},
	{"cloud.google.com/...", []string{"source/bigquery/..."}, "one source, one driver"},
	{"github.com/cloudspannerecosystem/...", nil, "a parser for tests: it knows no window functions, QUALIFY or PIVOT, so the product has its own"},
	{"github.com/apache/arrow-go/v18/arrow/flight/...", []string{"source/flightsql/...", "server/flight"}, "one source, one driver; and one door"},
	{"github.com/agnes-data/da/internal/testing/...", []string{"internal/bench/..."}, "it is for tests"},
	{"github.com/klippa-app/go-pdfium/...", []string{"document/pdf"}, "by default it is given the whole disk; one place says otherwise"},
	{"github.com/modelcontextprotocol/...", []string{"toolbox/mcpserver", "cli"}, "the tools know no protocol"},
	{"github.com/gofrs/flock", []string{"internal/disk/store"}, "locks are taken in one way"},
	{"modernc.org/sqlite/...", []string{"internal/disk/sqlitedb", "internal/rows/sqliterows"}, "databases are opened in one way, and those of others in another"},
	{"github.com/VictoriaMetrics/...", []string{"server/core"}, "figures are counted in one place"},
}

// TestModelsCannotAdminister holds that what serves models cannot name what
// changes users, tokens, grants or tables: it is given an api.Data, which has
// none of these, and may not ask for more.
func TestModelsCannotAdminister(t *testing.T) {
	admins := map[string]bool{"Administration": true}
	files := goFiles(t)
	for _, f := range files {
		if f.dir != "api" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == "Administration" {
				for _, subject := range spec.Type.(*ast.StructType).Fields.List {
					admins[subject.Type.(*ast.Ident).Name] = true
				}
			}
			return true
		})
	}
	if len(admins) < 8 || !admins["TokenAdmin"] {
		t.Fatalf("the subjects of admins are %v", admins)
	}
	for _, f := range files {
		if f.test || !slices.Contains([]string{"toolbox", "toolbox/catalog", "toolbox/files", "toolbox/local", "toolbox/mcpserver", "toolbox/tool"}, f.dir) && !matches("analyst/...", f.dir) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "api" && admins[sel.Sel.Name] {
					t.Errorf("%s: api.%s is not for models", f.fset.Position(sel.Pos()), sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// denied says which packages of the standard library a folder may not import.
var denied = []struct {
	dir  string
	imps []string
	why  string
}{
	{"api", []string{"os", "net", "os/exec", "database/sql"}, "the contract does nothing"},
	{"predicate/...", []string{"os", "io", "io/fs", "net", "net/...", "os/...", "database/...", "log", "log/..."}, "parsing does no I/O"},
	{"statement", []string{"os", "io", "io/fs", "net", "net/...", "os/...", "database/...", "log", "log/..."}, "checking a statement does no I/O of its own"},
	{"statement/warehouse", []string{"os", "io", "io/fs", "net", "net/...", "os/...", "database/...", "log", "log/..."}, "checking a statement does no I/O of its own"},
	{"statement/postgres", []string{"os", "io", "io/fs", "net", "net/...", "os/...", "database/...", "log", "log/..."}, "checking a statement does no I/O of its own"},
	{"snapshot", []string{"net", "net/...", "database/..."}, "the store is local"},
	{"source/lake", []string{"net", "net/http"}, "a lake lies under one folder"},
	{"server/core", []string{"net", "net/http", "net/http/..."}, "the core has no transport"},
}

func TestImportsFromOutside(t *testing.T) {
	for _, f := range goFiles(t) {
		support := matches("internal/testing/...", f.dir)
		for _, imp := range importsOf(t, f) {
			for _, k := range kept {
				allowed := slices.ContainsFunc(k.in, func(p string) bool { return matches(p, f.dir) })
				if matches(k.imp, imp) && !allowed && (!f.test && !support || strings.HasPrefix(imp, "github.com/duckdb/")) {
					t.Errorf("%s imports %s: %s", f.path, imp, k.why)
				}
			}
			for _, d := range denied {
				in := slices.ContainsFunc(d.imps, func(p string) bool { return matches(p, imp) })
				if !f.test && matches(d.dir, f.dir) && in {
					t.Errorf("%s imports %s: %s", f.path, imp, d.why)
				}
			}
		}
	}
}

func importsOf(t *testing.T, f goFile) []string {
	t.Helper()
	var paths []string
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: %v", f.path, err)
		}
		paths = append(paths, p)
	}
	return paths
}

// TestOnlyMainExits holds that a process ends in cmd/ and nowhere else, so that
// everything else can run inside a test. A test's TestMain may exit too.
func TestOnlyMainExits(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || matches("cmd/...", f.dir) || f.ast.Name.Name == "main" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok || pkg.Obj != nil {
				return true
			}
			exits := pkg.Name == "os" && sel.Sel.Name == "Exit" ||
				pkg.Name == "log" && strings.HasPrefix(sel.Sel.Name, "Fatal") ||
				pkg.Name == "runtime" && sel.Sel.Name == "Goexit"
			if exits {
				t.Errorf("%s: %s.%s outside cmd/", f.fset.Position(sel.Pos()), pkg.Name, sel.Sel.Name)
			}
			return true
		})
	}
}
