package house

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// licences are those that a module in the program may have: none of them asks
// for our own source.
var licences = []*regexp.Regexp{
	regexp.MustCompile(`Apache License\s+Version 2\.0`),
	regexp.MustCompile(`(?i)permission is hereby granted, free of charge, to any person`),                 // MIT
	regexp.MustCompile(`(?i)redistribution and use in source and binary forms`),                           // BSD
	regexp.MustCompile(`(?i)permission to use, copy, modify, and(/or)? distribute this software for any`), // ISC
	regexp.MustCompile(`(?i)mozilla public license,? version 2\.0`),
}

// TestLicencesOfModules reads the licence of every module that is linked into
// the program.
func TestLicencesOfModules(t *testing.T) {
	atRoot()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Module", "./cmd/da")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{module: true}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct{ Module *struct{ Path, Dir string } }
		if err := dec.Decode(&pkg); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if pkg.Module == nil || seen[pkg.Module.Path] {
			continue // the standard library, or known
		}
		seen[pkg.Module.Path] = true
		if text := licenceText(t, pkg.Module.Dir); !permitted(text) {
			t.Errorf("%s: its licence is none that we know; it begins: %.80q", pkg.Module.Path, text)
		}
	}
	if len(seen) < 10 {
		t.Errorf("found only %d modules: the test looks in the wrong place", len(seen))
	}
}

func permitted(text string) bool {
	for _, l := range licences {
		if l.MatchString(text) {
			return true
		}
	}
	return false
}

// licenceText returns a module's licence files, one behind the other.
func licenceText(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	for _, pattern := range []string{"LICEN[CS]E*", "licen[cs]e*", "COPYING*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if data, err := os.ReadFile(file); err == nil {
				text.Write(data)
			}
		}
	}
	return text.String()
}
