package predicate

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

const docsPath = "../docs/predicates.md"

// TestDocsListTheCatalogue holds that the tables of the documentation are the
// catalogue; -update writes them.
func TestDocsListTheCatalogue(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash(docsPath))
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	for _, d := range documented() {
		got = replaceSection(t, got, "functions "+string(d), functionTable(d))
	}
	got = replaceSection(t, got, "casts", castTable())
	got = replaceSection(t, got, "kinds", kindTable())
	if got == string(text) {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("%s is out of date: run go test ./predicate -run Docs -update", docsPath)
	}
	if err := os.WriteFile(filepath.FromSlash(docsPath), []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// documented are the dialects in the order of the documentation.
func documented() []Dialect {
	list := []Dialect{GoogleSQL, DuckDB, Postgres}
	for _, d := range Dialects() {
		if !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

func replaceSection(t *testing.T, text, name, body string) string {
	t.Helper()
	start, end := "<!-- "+name+" -->\n", "<!-- end -->"
	head, rest, ok := strings.Cut(text, start)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no section %q", docsPath, name)
	}
	return head + start + body + end + tail
}

// functionTable lists the names that a dialect can write, and what becomes of
// each in the others.
func functionTable(d Dialect) string {
	others := slices.DeleteFunc(append(documented(), MySQL, ClickHouse, Trino, Spark, Snowflake), func(o Dialect) bool { return o == d })
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | where |", d.Traits().Title)
	for _, o := range others {
		fmt.Fprintf(&b, " in %s |", o.Traits().Title)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(others)) + "\n")
	names := make([]string, 0, len(operations().byName[d]))
	for n := range operations().byName[d] {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool { return docKey(names[i]) < docKey(names[j]) })
	var lines []string
	for _, n := range names {
		for _, op := range operations().byName[d][n] {
			where := op.when.says
			if len(op.parts) > 0 {
				where = partList(d, op.parts)
			}
			line := fmt.Sprintf("| %s | %s |", code(written(d, n, op)), where)
			for _, o := range others {
				line += " " + becomes(o, op) + " |"
			}
			line += "\n"
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	b.WriteString(strings.Join(lines, ""))
	return b.String()
}

// docKey puts operators before names.
func docKey(name string) string {
	if syntax.IsWordByte(name[0]) {
		return "~" + name
	}
	return name
}

func partList(d Dialect, parts []Part) string {
	var words []string
	for _, p := range parts {
		w := SpellPart(d.Traits(), p)
		if d == GoogleSQL {
			w = strings.ToUpper(w)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

func code(s string) string { return "`" + strings.ReplaceAll(s, "|", "\\|") + "`" }

// letters stand for the arguments, by what they must be.
func letters(op *Operation) []string {
	out := make([]string, len(op.args))
	for i, a := range op.args {
		out[i] = map[string]string{"integer": "int", "numeric": "decimal", "regex": "pattern", "same": "any", "plain": "any", "simple": "any",
			"calendar": "date", "moment": "time", "clocked": "date", "instant": "timestamp", "elem": "any"}[a.class]
		if out[i] == "" {
			out[i] = a.class
		}
		if a.literal {
			out[i] = "'" + out[i] + "'"
		}
		if a.variadic {
			out[i] += ", …"
		}
		if a.optional {
			out[i] = "[" + out[i] + "]"
		}
	}
	return out
}

// fill puts letters into a template.
func fill(template string, op *Operation, d Dialect) string {
	l := letters(op)
	part := "part"
	if d == GoogleSQL {
		part = "PART"
	}
	pairs := []string{"$*", strings.Join(l, ", "), "$|", strings.ReplaceAll(strings.Join(l, " || "), ", …", " || …"), "$p", part, "$P", strings.ToUpper(part), "$i", "1 part"}
	for i, w := range l {
		pairs = append(pairs, "$"+string(rune('1'+i)), w)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// written is the form in which users write the operation.
func written(d Dialect, name string, op *Operation) string {
	cell := op.cells[d]
	switch name {
	case "neg", "= any", "at time zone", "collate c", "interval of", "extract":
		return fill(cell.template, op, d)
	}
	if !syntax.IsWordByte(name[0]) {
		return strings.Join(letters(op), " "+name+" ")
	}
	if d == GoogleSQL {
		name = strings.ToUpper(name)
	}
	if cell.order == nil {
		return name + "(" + strings.Join(letters(op), ", ") + ")"
	}
	_, args, _ := strings.Cut(cell.template, "(")
	if len(cell.names) > 0 && strings.HasPrefix(strings.ToLower(cell.template), cell.names[0]+"(") {
		return name + "(" + fill(args, op, d)
	}
	return name + "(" + strings.Join(letters(op), ", ") + ")"
}

func becomes(d Dialect, op *Operation) string {
	cell := op.cells[d]
	if cell == nil {
		return "no equal"
	}
	return code(strings.TrimSuffix(strings.TrimPrefix(fill(cell.template, op, d), "("), ")") + unbalanced(fill(cell.template, op, d)))
}

// unbalanced gives back a parenthesis that trimming took from a call.
func unbalanced(s string) string {
	if strings.HasSuffix(s, ")") && !strings.HasPrefix(s, "(") {
		return ")"
	}
	return ""
}

func castTable() string {
	var b strings.Builder
	dialects := documented()
	b.WriteString("| meaning |")
	var targets []Type
	for _, d := range dialects {
		fmt.Fprintf(&b, " %s |", d.Traits().Title)
		for _, ct := range d.Traits().casts {
			if !slices.ContainsFunc(targets, func(t Type) bool { return sameTarget(t, ct.t) }) {
				targets = append(targets, ct.t)
			}
		}
	}
	slices.SortStableFunc(targets, func(a, b Type) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Bits, b.Bits)) })
	b.WriteString("\n|---|" + strings.Repeat("---|", len(dialects)) + "\n")
	for _, t := range targets {
		meaning := kindNames[t.Kind]
		if t.Kind == KindInt || t.Kind == KindFloat {
			meaning += fmt.Sprintf(" of %d bits", t.Bits)
		}
		fmt.Fprintf(&b, "| %s |", meaning)
		for _, d := range dialects {
			fmt.Fprintf(&b, " %s |", castWords(d, t))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func sameTarget(a, b Type) bool {
	return a.Kind == b.Kind && a.Bits == b.Bits && a.Precision == b.Precision && a.Scale == b.Scale
}

// castWords are the names under which a dialect casts to a type.
func castWords(d Dialect, t Type) string {
	for _, ct := range d.Traits().casts {
		if !sameTarget(ct.t, t) {
			continue
		}
		var out []string
		for _, n := range ct.names {
			out = append(out, code(strings.ToUpper(n)))
		}
		return strings.Join(out, ", ")
	}
	return "no equal"
}

func kindTable() string {
	meanings := [][2]string{
		{api.KindSyntaxError, "the text is not an expression of the dialect"},
		{api.KindTooLong, "more than 64 KiB of UTF-8; functions nested so that they may make a text of more than 1 MiB of a row; a pattern matched with a text of more than 2 KiB that is not a column"},
		{api.KindTooDeep, "more than 100 levels of nesting, or a chain of more than 100 operators such as `+`; AND, OR, IN and CASE may be as long as the text"},
		{api.KindCommentInject, "a comment, also at the end: it is refused, not stripped"},
		{api.KindMultiStatement, "a semicolon"},
		{api.KindNestedSelect, "a query inside of the predicate"},
		{api.KindDDLInPredicate, "a statement in place of a condition"},
		{api.KindTrailingClause, "LIMIT, ORDER BY, UNION and the like behind the condition"},
		{api.KindExternalQuery, "a function that reads other data"},
		{api.KindUnknownFunction, "a function that is not listed here, a dotted or quoted one, `SAFE.`"},
		{api.KindAggregate, "a function over many rows"},
		{api.KindWindow, "a window function, OVER, FILTER"},
		{api.KindWildcardExpansion, "a star"},
		{api.KindCrossTableRef, "a prefix that is neither a column nor this table"},
		{api.KindUnknownColumn, "no such column; near ones are suggested, of those that the caller may see"},
		{api.KindUnknownField, "no such field"},
		{api.KindBadSubscript, "an element that is not picked by a number written out"},
		{api.KindBytesLiteralRaw, "bytes compared with something else, or a form of bytes that engines read in different ways"},
		{api.KindBadCast, "a type that nothing, or not this, can be cast to"},
		{api.KindBadLiteral, "an invalid date, number, interval, pattern or escape"},
		{api.KindParameter, "a query parameter or system variable"},
		{api.KindTypeMismatch, "values of types that don't go together"},
		{api.KindNotBoolean, "the whole is not true or false"},
		{api.KindWrongArity, "a function with too many or too few arguments"},
		{api.KindNotPortable, "the predicate can't be printed for another engine with the same meaning"},
	}
	var b strings.Builder
	b.WriteString("| kind | refused |\n|---|---|\n")
	for _, m := range meanings {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m[0], m[1])
	}
	return b.String()
}

// TestEveryKindIsDocumented holds that each kind has a line in the table.
func TestEveryKindIsDocumented(t *testing.T) {
	table := kindTable()
	for k := range KnownKinds.All() {
		if !strings.Contains(table, "`"+k+"`") {
			t.Errorf("%s is not documented", k)
		}
	}
	if n := strings.Count(table, "\n") - 2; n != len(KnownKinds.All()) {
		t.Errorf("%d kinds are documented, %d exist", n, len(KnownKinds.All()))
	}
}
