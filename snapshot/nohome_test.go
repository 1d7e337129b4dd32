//go:build linux

package snapshot

import (
	"testing"

	"github.com/agnes-data/da/api"
)

// TestAHomeThatCannotBeMade is one below /proc, where making a folder fails as
// if the folder above were missing.
func TestAHomeThatCannotBeMade(t *testing.T) {
	s, err := Open("/proc/.agnes")
	if err != nil {
		t.Fatal(err)
	}
	if metas, err := s.List(); err != nil || len(metas) != 0 {
		t.Errorf("list: %v, %v", metas, err)
	}
	scratch := s.Scratch()
	defer scratch.Close()
	if scratch.Path != "" {
		t.Errorf("scratch in %s", scratch.Path)
	}
	if _, err := s.Get("a"); !api.CodeUnknownSnapshot.Is(err) {
		t.Errorf("get: %v", err)
	}
	if _, err := s.Drop("a", nil); !api.CodeUnknownSnapshot.Is(err) && !api.CodeNotWritable.Is(err) {
		t.Errorf("drop: %v", err)
	}
	if _, err := s.Claim("a", false); !api.CodeNotWritable.Is(err) {
		t.Errorf("claim: %v", err)
	}
}
