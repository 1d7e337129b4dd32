package oracle

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/goccy/go-googlesql"
)

type oracleCase struct {
	Where  string `json:"where"`
	Prints string `json:"prints"`
	Kind   string `json:"kind"`
}

// columns are those of the GoogleSQL schema in predicate/testdata/schemas.json,
// which the file SCHEMAS names.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type analyzer struct {
	catalog *googlesql.SimpleCatalog
	opts    *googlesql.AnalyzerOptions
	types   *googlesql.TypeFactory
	from    string
}

func newAnalyzer(t *testing.T) *analyzer {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(googlesql.Init())
	a := &analyzer{}
	var err error
	a.catalog, err = googlesql.NewSimpleCatalog("oracle", nil)
	must(err)
	lang, err := googlesql.NewLanguageOptions()
	must(err)
	must(lang.EnableMaximumLanguageFeatures())
	must(lang.SetProductMode(googlesql.ProductModeProductExternal))
	must(lang.SetSupportsAllStatementKinds())
	must(a.catalog.AddBuiltinFunctionsAndTypes(&googlesql.BuiltinFunctionOptions{LanguageOptions: lang}))
	a.opts, err = googlesql.NewAnalyzerOptions2()
	must(err)
	must(a.opts.SetLanguage(lang))
	a.types, err = googlesql.NewTypeFactory()
	must(err)

	data, err := os.ReadFile("../testdata/schemas.json")
	must(err)
	var schemas map[string][]column
	must(json.Unmarshal(data, &schemas))
	var cols []string
	for _, c := range schemas["bigquery"] {
		cols = append(cols, "CAST(NULL AS "+c.Type+") AS `"+c.Name+"`")
	}
	a.from = "SELECT 1 FROM (SELECT " + strings.Join(cols, ", ") + ") AS orders WHERE "
	return a
}

// meaning analyzes a predicate and returns its normalised tree.
func (a *analyzer) meaning(where string) (string, error) {
	out, err := googlesql.AnalyzeStatement(a.from+where, a.opts, a.catalog, a.types)
	if err != nil {
		return "", err
	}
	stmt, err := out.ResolvedStatement()
	if err != nil {
		return "", err
	}
	text, err := stmt.DebugString()
	if err != nil {
		return "", err
	}
	filter := parseTree(text).find("filter_expr=")
	if filter == nil {
		return text, nil
	}
	return filter.normal().text(), nil
}

// moments are constants of TIMESTAMP, and the call that makes one of a named
// zone.
var moments = regexp.MustCompile(`Literal\(type=TIMESTAMP, value=[^)]*\)|timestamp\[Literal\(type=DATETIME, value=[^)]*\); Literal\(type=STRING, value="[A-Z][A-Za-z]*/[A-Za-z_]*"\)\]`)

// renewAfter is how many cases one analyzer is asked.
const renewAfter = 2000

func TestGoogleAgrees(t *testing.T) {
	path := os.Getenv("ORACLE_CASES")
	if path == "" {
		t.Fatal("ORACLE_CASES names the file of cases: run make oracle")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a := newAnalyzer(t)
	if _, err := a.meaning("id = 1 AND nope = 2"); err == nil {
		t.Fatal("the analyzer accepts an unknown column: it proves nothing")
	}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	ownFunctions, rewritten, zoned := 0, 0, 0
	accepted, onlyGoogle := 0, map[string]int{}
	for seen := 1; in.Scan(); seen++ {
		if seen%renewAfter == 0 {
			// The library's memory ends at 2 GiB; what it keeps for a catalog
			// goes when its handles are collected.
			a = newAnalyzer(t)
			runtime.GC()
			runtime.GC()
		}
		var c oracleCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if len(c.Where) > 5000 {
			continue // the caps are ours; its stack is not
		}
		text, textErr := a.meaning(c.Where)
		if c.Prints == "" {
			if textErr == nil {
				onlyGoogle[c.Kind]++
				if os.Getenv("ORACLE_SHOW") == c.Kind {
					t.Logf("refused as %s, accepted by Google: %s", c.Kind, c.Where)
				}
			}
			continue
		}
		accepted++
		if textErr != nil && strings.Contains(strings.ToLower(c.Where), "contains_substr(") {
			ownFunctions++ // BigQuery's, not in the open library
			continue
		}
		if textErr != nil {
			t.Errorf("we accept, Google refuses: %s\n%v", c.Where, textErr)
			continue
		}
		printed, err := a.meaning(c.Prints)
		switch {
		case err != nil:
			t.Errorf("Google refuses what we print: %s\nfor %s\n%v", c.Prints, c.Where, err)
		case strings.Contains(text, "SubqueryExpr"):
			rewritten++ // LIKE ANY, which the analyzer spells out at length
		case printed != text && moments.ReplaceAllString(printed, "") == moments.ReplaceAllString(text, ""):
			zoned++ // a moment without zone: the library's default is not BigQuery's UTC
		case printed != text:
			t.Errorf("what we print means something else: %s\n%s\nprinted %s\n%s", c.Where, text, c.Prints, printed)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d accepted predicates; not compared: %d with functions of BigQuery's own, %d rewritten, %d with moments in another zone",
		accepted, ownFunctions, rewritten, zoned)
	if ownFunctions+rewritten+zoned > accepted/10 {
		t.Error("too many predicates were not compared")
	}
	for _, k := range sortedKeys(onlyGoogle) {
		t.Logf("Google accepts %d that we refuse as %s", onlyGoogle[k], k)
	}
	if accepted == 0 {
		t.Error("no predicate was accepted")
	}
}
