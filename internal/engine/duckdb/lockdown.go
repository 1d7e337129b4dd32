package duckdb

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Configure sets settings of the whole instance; after Lockdown only those of the
// optimizer can be set.
func (c *Conn) Configure(ctx context.Context, settings map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := c.Exec(ctx, "SET "+Quote(name)+" = "+Literal(settings[name])); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

// Lockdown confines the whole instance permanently: it can read and write files
// only below dirs, reach no network, and change no settings. No extension is
// loaded, since instance.Settings turns that off.
//
// It does not prevent COPY, ATTACH and EXPORT inside dirs, or DDL on in-memory
// objects: foreign statements must be proven to be a SELECT first.
func (c *Conn) Lockdown(ctx context.Context, dirs []string) error {
	var quoted []string
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("lock down: %w", err)
		}
		// A pattern is checked as written, and so are the files that it finds.
		quoted = append(quoted, Literal(abs), PathLiteral(abs))
	}
	err := c.Exec(ctx, strings.Join([]string{ // at once, since each call costs as much as such a statement
		"SET allowed_directories = [" + strings.Join(quoted, ", ") + "]",
		"SET enable_external_access = false",
		// The settings of every new connection and of long statements remain
		// allowed: one limits memory, the other saves time, and neither opens
		// anything.
		"SET allowed_configs = [" + Literal(sessionSetting) + ", 'disabled_optimizers']",
		"SET lock_configuration = true", // last, because it also locks the settings above
	}, "; "))
	if err != nil {
		return fmt.Errorf("lock down: %w", err)
	}
	return nil
}
