package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// hashSources returns the hash of what dist is made of, as the test of package
// web computes it: the files of src in the order of their names, then the list
// of libraries.
func hashSources(root string) (string, error) {
	sum := sha256.New()
	add := func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n%s", filepath.ToSlash(name), len(data), data)
		return nil
	}
	err := filepath.WalkDir(filepath.Join(root, "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return add(path)
	})
	if err != nil {
		return "", err
	}
	if err := add(filepath.Join(root, "package-lock.json")); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
