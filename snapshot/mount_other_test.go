//go:build !linux

package snapshot

import "testing"

func mountingParts() map[string]func(args []string) error { return nil }

func TestOnFileSystemsOfItsOwn(t *testing.T) {
	t.Skip("only Linux lets a test mount a small and a read-only disk that nobody else sees")
}
