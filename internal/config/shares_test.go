package config

import (
	"strings"
	"testing"
)

// TestMemoryIsSharedOut: what all engines, statements and files may take at once is
// not more than the file allows, and a lake with a limit of its own has that one.
func TestMemoryIsSharedOut(t *testing.T) {
	const two = "sources: {a: {type: lake, root: data}, b: {type: lake, root: data}}"
	for _, text := range []string{"limits: {memory: 1GB}", "limits: {memory: 1GB}\n" + two, "limits: {memory: 64GiB}\n" + two, "limits: {memory: 16GB}\nfiles: {}"} {
		inst, err := parseInstance(t, text)
		if err != nil {
			t.Fatal(err)
		}
		lakes := int64(max(len(inst.Sources), 1))
		s := inst.Shares()
		if sum := lakes*(lakeEngines*s.Scan+lakeStatements*s.Statement) + s.Files + s.Documents; s.Scan < leastScan || sum > inst.Limits.Memory || sum < inst.Limits.Memory/2 {
			t.Errorf("%s: %+v is %d", text, s, sum)
		}
		if (s.Documents > 0) != (inst.Files != nil) {
			t.Errorf("%s: %d bytes are for what is in files", text, s.Documents)
		}
	}
	inst, err := parseInstance(t, "limits: {memory: 1GB}\nsources: {a: {type: lake, root: data, memory_limit: 2GB}, b: {type: lake, root: data}}")
	if alone, _ := parseInstance(t, "limits: {memory: 1GB}"); err != nil || inst.Shares() != alone.Shares() {
		t.Errorf("beside a lake with its own limit: %+v, %v", inst.Shares(), err)
	}
	if inst, err := parseInstance(t, two); err != nil || inst.Shares() != (Shares{}) {
		t.Errorf("without a limit: %+v, %v", inst.Shares(), err)
	}
	for text, want := range map[string]string{
		"limits: {memory: 500MB}":         "must be 600MB or more",
		"limits: {memory: 900MB}\n" + two: "must be 1000MB or more",
		"limits: {memory: 4}":             "must be a size with its unit",
		"limits: {memroy: 4GB}":           "unknown key",
	} {
		_, err := parseInstance(t, text)
		if got := faultsOf(t, err); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}
