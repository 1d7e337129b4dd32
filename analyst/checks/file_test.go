package checks

import (
	"strings"
	"testing"
)

// TestValuesOfAnotherTypeAreNamedInWordsOfTheFile: nobody who writes checks knows the
// types of this program.
func TestValuesOfAnotherTypeAreNamedInWordsOfTheFile(t *testing.T) {
	for check, want := range map[string]string{
		"rows: {min: abc}":                        "a text stands where a number is needed",
		"rows: 5":                                 "a number stands where a set of fields is needed",
		"rows: {min: [1]}":                        "a list stands where a number is needed",
		"rows: {min: true}":                       "true or false stands where a number is needed",
		"rows: {min: 99999999999999999999}":       "the number 99999999999999999999 is too large",
		"not_null: {a: 1}":                        "a set of fields stands where a list is needed",
		"not_null: date":                          "a text stands where a list is needed",
		"range: [1]":                              "a list stands where a set of fields is needed",
		"range: {column: [a], min: 1}":            "a list stands where a text is needed",
		"accepted_values: {column: a, values: 5}": "a number stands where a list is needed",
	} {
		_, err := ReadFile("c.yaml", "tables:\n  a:\n    checks:\n      - "+check+"\n")
		if err == nil || !strings.Contains(err.Error(), "c.yaml: line 4: "+want) {
			t.Errorf("%s: %v", check, err)
		}
	}
}
