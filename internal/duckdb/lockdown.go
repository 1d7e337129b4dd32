package duckdb

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Configure makes settings of the whole instance, by name; after Lockdown only
// that of the planner's rules.
func (c *Conn) Configure(ctx context.Context, settings map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := c.Exec(ctx, "SET "+Quote(name)+" = "+Literal(settings[name])); err != nil {
			return fmt.Errorf("set %s: %w", name, err)
		}
	}
	return nil
}

// Lockdown confines the whole instance, for good: files can be read and written
// below dirs only, nothing is loaded or reached over a network, and no setting
// can be changed any more.
//
// It does not stop COPY, ATTACH and EXPORT inside dirs, nor does it stop DDL on
// what lives in memory: text that is not ours must be proven a SELECT first.
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
	for _, s := range []string{
		"SET allowed_directories = [" + strings.Join(quoted, ", ") + "]",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET enable_external_access = false",
		// What every new connection sets, and what a long statement needs; the one
		// bounds memory, the other time, and they open nothing.
		"SET allowed_configs = [" + Literal(sessionSetting) + ", 'disabled_optimizers']",
		"SET lock_configuration = true", // last: it locks these too
	} {
		if err := c.Exec(ctx, s); err != nil {
			return fmt.Errorf("lock down: %w", err)
		}
	}
	return nil
}
