// Command bundle makes web/dist of web/src: scripts and styles, the page that
// loads them, the licences of the libraries among them, and a manifest by which
// a test tells whether all of it is up to date. Names of files do not depend on
// their content, so that a rebuild changes only the files that changed. It needs
// the npm packages of web/package-lock.json.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("web/bundle: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: bundle FOLDER")
	}
	dir := os.Args[1]
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("CI") == "true" {
			log.Fatal("web/node_modules is missing: 'make needs' installs it")
		}
		log.Print("web/dist is left as it is: 'make needs' installs the npm packages that it is made with")
		return
	}
	if err := bundle(dir); err != nil {
		log.Fatal(err)
	}
}

// bundle checks the types, then writes dist anew.
func bundle(dir string) error {
	check := exec.Command("node", "node_modules/typescript/bin/tsc", "--noEmit", "-p", ".")
	check.Dir, check.Stdout, check.Stderr = dir, os.Stderr, os.Stderr
	if err := check.Run(); err != nil {
		return fmt.Errorf("check the types: %w", err)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	out := filepath.Join(root, "dist")
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	m, err := build(root)
	if err != nil {
		return err
	}
	return m.finish(root)
}

// build runs esbuild, which has a module of its own, and returns what it tells
// of its outputs.
func build(root string) (*metafile, error) {
	program := filepath.Join(root, "..", "bin", "esbuild")
	compile := exec.Command("go", "build", "-C", filepath.Join(root, "..", "build", "tools", "esbuild"), "-o", program,
		"github.com/evanw/esbuild/cmd/esbuild")
	told, err := os.CreateTemp("", "metafile-*.json")
	if err != nil {
		return nil, err
	}
	defer os.Remove(told.Name())
	if err := told.Close(); err != nil {
		return nil, err
	}
	bundle := exec.Command(program, "src/main.tsx", "src/style.css", "--outdir=dist", "--bundle", "--splitting",
		"--format=esm", "--target=es2022", "--minify", "--entry-names=[name]", "--chunk-names=[name]-[hash]",
		"--preserve-symlinks", // names of bundles depend on paths
		"--jsx=automatic", "--jsx-import-source=preact",
		"--legal-comments=none", // dist/licences.txt has them all
		"--log-level=warning", "--metafile="+told.Name())
	bundle.Dir = root
	for _, cmd := range []*exec.Cmd{compile, bundle} {
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("esbuild: %w", err)
		}
	}
	text, err := os.ReadFile(told.Name())
	if err != nil {
		return nil, err
	}
	m := new(metafile)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	return m, m.rename(root)
}

// finish writes what belongs to the bundles.
func (m *metafile) finish(root string) error {
	licences, err := m.licences(root)
	if err != nil {
		return err
	}
	script, style := m.entry("src/main.tsx"), m.entry("src/style.css")
	frame, err := os.ReadFile(filepath.Join(root, "src", "index.html"))
	if err != nil {
		return err
	}
	page := strings.NewReplacer("{{script}}", script, "{{style}}", style).Replace(string(frame))
	sources, err := hashSources(root)
	if err != nil {
		return err
	}
	manifest := m.manifest(sources, script, style)
	for name, text := range map[string]string{"licences.txt": licences, "index.html": page, "manifest.json": manifest} {
		if err := os.WriteFile(filepath.Join(root, "dist", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
