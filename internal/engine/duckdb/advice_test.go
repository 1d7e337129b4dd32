package duckdb

import (
	"encoding/json"
	"testing"
)

// TestAdvice leaves out of messages what users have no way to do.
func TestAdvice(t *testing.T) {
	for message, want := range map[string]string{
		`Max expression depth limit of 1000 exceeded. Use "SET max_expression_depth TO x" to increase the maximum expression depth.`: `Max expression depth limit of 1000 exceeded.`,
		`Pivot column limit of 100000 exceeded. Use SET pivot_limit=X to increase the limit.`:                                        `Pivot column limit of 100000 exceeded.`,
		"ORDER BY non-integer literal has no effect.\n* SET order_by_non_integer_literal=true to allow this behavior.":               `ORDER BY non-integer literal has no effect.`,
		"failed to allocate data of size 1.0 GiB (0.9 GiB/1.0 GiB used)\n\nPossible solutions:\n* Reducing the number of threads (SET threads=X)\n* Disabling insertion-order preservation (SET preserve_insertion_order=false)\n* Increasing the memory limit (SET memory_limit='...GB')\n\nSee also https://duckdb.org/docs": "failed to allocate data of size 1.0 GiB (0.9 GiB/1.0 GiB used)\n\n\nSee also https://duckdb.org/docs",
		"CSV Error on Line: 3\nOriginal Line: a;b\nPossible fixes:\n* Enable ignore errors (ignore_errors=true) to skip this row\n* Set quote (e.g., quote='\"')\n\n  file = x.csv":                                                                                                                                            "CSV Error on Line: 3\nOriginal Line: a;b\n\n  file = x.csv",
		`"maximum_object_size" of 16777216 bytes exceeded while reading file "x.json" (>16777216 bytes). Try increasing "maximum_object_size".`:                                                                                                                                                                                `"maximum_object_size" of 16777216 bytes exceeded while reading file "x.json" (>16777216 bytes).`,
		`JSON transform error in file "x.json", in line 2. Try setting 'auto_detect' to true, specifying 'format' or 'records' manually, or setting 'ignore_errors' to true.`:                                                                                                                                                  `JSON transform error in file "x.json", in line 2.`,
		"Catalog entry is missing.\nPlease try installing and loading it:\nINSTALL spatial;\nLOAD spatial;\nAlternatively, consider enabling autoinstall by running:\nSET autoinstall_known_extensions=1;":                                                                                                                     "Catalog entry is missing.",
		`Schema mismatch in glob. If you are trying to read files with different schemas, try setting union_by_name=True`:                                                                                                                                                                                                      `Schema mismatch in glob.`,
		`Ambiguous reference to table "memory.main.t" (duplicate alias "memory.main.t")`:                                                                                                                                                                                                                                       `Ambiguous reference to table "t" (duplicate alias "t")`,
		// What helps stays, and so does what only looks like advice.
		`No function matches 'sum(VARCHAR)'. You might need to add explicit type casts.`: `No function matches 'sum(VARCHAR)'. You might need to add explicit type casts.`,
		`SET x = 1 is what this says`: `SET x = 1 is what this says`,
		`Hello. To err is human.`:     `Hello. To err is human.`,
	} {
		for _, text := range []string{"Invalid Input Error: " + message, asJSON("Invalid Input", message, "")} {
			if got := engineError(text); got.Message != want || got.Type != "Invalid Input" {
				t.Errorf("%s\n got %q\nwant %q", text, got.Message, want)
			}
		}
	}
	value := "Could not convert string 'a. Use SET x = 1. b' to INT32"
	if got := engineError(asJSON("Conversion", value, "")); got.Message != value {
		t.Errorf("a value was cut: %q", got.Message)
	}
	near := engineError(asJSON("Binder", "Referenced column \"a\" not found in FROM clause!\nCandidate bindings: \"id\"", "id"))
	if near.Message != `Referenced column "a" not found in FROM clause!` {
		t.Errorf("candidates are said twice: %q", near.Message)
	}
}

func asJSON(class, message, candidates string) string {
	b, _ := json.Marshal(map[string]string{"exception_type": class, "exception_message": message, "candidates": candidates})
	return string(b)
}
