package local

import (
	"testing"

	"github.com/agnes-data/da/api"
)

// TestNamesThatAreOneInAQuery holds that no file goes missing behind another
// whose name differs in case only.
func TestNamesThatAreOneInAQuery(t *testing.T) {
	if _, err := (filesIn{Tables: map[string]otherFile{"a": {Path: "1.csv"}, "A": {Path: "2.csv"}}}).sources(); !api.CodeUsage.Is(err) {
		t.Errorf("two files under one name: %v", err)
	}
	if all, err := (filesIn{Tables: map[string]otherFile{"a": {Path: "1.csv"}, "B": {Path: "2.csv"}}}).sources(); err != nil || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
}
