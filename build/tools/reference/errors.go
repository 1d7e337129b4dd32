package main

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/reference"
)

// errorsPage is docs/errors.md.
func errorsPage() string {
	var b strings.Builder
	b.WriteString("# Errors\n\n" + generatedNote)
	b.WriteString(`An error has a code, which decides the HTTP status and the [exit code](exit-codes.md), and mostly a kind, which says what is the matter. Both are for programs; the message, the hint and the next steps of an error say more, and come first. New codes and kinds may come.

## Codes

A code without a status never comes from a server. "Retryable" means that the same call may succeed later, unchanged.

| code | HTTP status | exit code | retryable |
|---|---|---|---|
`)
	for _, c := range slices.SortedFunc(maps.Keys(exit.Codes), func(x, y api.Code) int {
		return cmp.Or(cmp.Compare(exit.Codes[x], exit.Codes[y]), cmp.Compare(x, y))
	}) {
		status := ""
		if slices.Contains(api.ServedCodes(), c) {
			status = fmt.Sprintf("%d %s", c.HTTPStatus(), http.StatusText(c.HTTPStatus()))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d | %s |\n", c, status, exit.Codes[c], yesNo((&api.Error{Code: c}).Retryable()))
	}
	fmt.Fprintf(&b, "\nOf `%s`, these kinds are not retryable: `%s`. Some kinds have [a status](http.md#errors) or [an exit code](exit-codes.md#errors-as-json) of their own.\n",
		api.CodeSource, strings.Join(api.LastingKinds(), "`, `"))
	b.WriteString("\n## Kinds\n\n| kind | codes | what is the matter | the usual next step |\n|---|---|---|---|\n")
	for _, k := range api.KindsOfErrors() {
		codes := "any"
		if len(k.Codes) > 0 {
			codes = "`" + reference.Joined(k.Codes, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Kind, codes, tableCell(k.Means), tableCell(k.Next))
	}
	b.WriteString(namedElsewhere)
	return b.String()
}

// namedElsewhere says which kinds no list can hold.
const namedElsewhere = `
Other kinds are names that are given elsewhere:

- of ` + "`caveat_refused`" + `, the kind of the [caveat](caveats.md);
- of ` + "`query_failed`" + ` and ` + "`VALIDATION_FAILED`" + `, what the engine calls the error: the type of DuckDB's in small letters, such as ` + "`conversion`" + `, ` + "`sqlstate_`" + ` and five signs, ` + "`error_`" + ` and MariaDB's number, or the status of Flight;
- of ` + "`budget_exceeded`" + ` from [the agent](agent.md), why the turn ended.
`
