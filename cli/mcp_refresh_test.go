package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMCPRefreshAcceptsASchemaChange holds that a model gets past schema_drift
// with the argument that the error names, and not without.
func TestMCPRefreshAcceptsASchemaChange(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.ok("fetch", "airports", "--as", "whole")
	if err := os.WriteFile(filepath.Join(p.dir, "data", "airports.csv"), []byte("iata,name,city\nSEA,Seattle-Tacoma Intl,Seattle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := p.mcp()
	doc, failed := s.call("snapshot_refresh", `{"name":"whole"}`)
	if !failed || !strings.Contains(string(doc), `"schema_drift"`) || !strings.Contains(string(doc), "argument accept_drift") {
		t.Errorf("failed is %v: %s", failed, doc)
	}
	if doc, failed = s.call("snapshot_refresh", `{"name":"whole","accept_drift":true}`); failed || !strings.Contains(string(doc), "column 'latitude' is gone") {
		t.Errorf("failed is %v: %s", failed, doc)
	}
}
