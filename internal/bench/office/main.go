// Command office runs every operation on office files that other programs made, and
// looks at what became of the parts that it is not about: none may be missing, and none
// may have other bytes. It writes the results to a folder, for check.py, which opens them
// with other programs' libraries.
//
// It must not change the files themselves, and is no test: what it counts depends on
// which files there are.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/document/pptx"
	"github.com/agnes-data/da/document/sheet"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: office FOLDER RESULTS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// tally is what became of the files of one operation.
type tally struct {
	done            int
	refused, harmed []string // with the reason
}

func run(folder, results string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return err
	}
	for _, kind := range kinds() {
		tallies, opened, damaged := map[string]*tally{}, 0, []string{}
		for _, path := range files {
			if !slices.Contains(kind.endings, strings.ToLower(filepath.Ext(path))) {
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			first, err := kind.first(data)
			if err == nil {
				_, err = parts(data) // the rest of a damaged archive can be read
			}
			if err != nil {
				damaged = append(damaged, filepath.Base(path)+": "+err.Error())
				continue
			}
			opened++
			for _, o := range kind.operations {
				t := tallies[o.name]
				if t == nil {
					t = &tally{}
					tallies[o.name] = t
				}
				if err := kind.try(o, t, path, first, data, filepath.Join(results, o.name)); err != nil {
					return err
				}
			}
		}
		fmt.Printf("%v: %d files, %d refused as a whole\n", kind.endings, opened, len(damaged))
		for _, d := range damaged {
			fmt.Println("   ", d)
		}
		for _, o := range kind.operations {
			if t := tallies[o.name]; t != nil {
				fmt.Printf("%-20s done %4d, refused %3d, harmed %3d\n", o.name, t.done, len(t.refused), len(t.harmed))
				for _, text := range append(t.harmed, t.refused...) {
					fmt.Println("   ", text)
				}
			}
		}
	}
	return nil
}

// try applies an operation to a file and looks at the parts.
func (k kind) try(o operation, t *tally, path, first string, data []byte, to string) error {
	name := filepath.Base(path)
	quoted, _ := json.Marshal(first) // a text
	var out bytes.Buffer
	if err := k.edit(data, &out, strings.ReplaceAll(o.ops, `"FIRST"`, string(quoted))); err != nil {
		if e := (*api.Error)(nil); !errors.As(err, &e) || e.Code != api.CodeValidation && e.Kind != api.KindTooLarge {
			t.harmed = append(t.harmed, fmt.Sprintf("%s: fails: %v", name, err))
			return nil
		}
		t.refused = append(t.refused, name+": "+err.Error())
		return nil
	}
	before, err := parts(data)
	if err != nil {
		return err
	}
	after, err := parts(out.Bytes())
	if err != nil {
		return err
	}
	for part, content := range before {
		now, there := after[part]
		switch {
		case !there && !k.goes.MatchString(part):
			t.harmed = append(t.harmed, name+": "+part+" is missing")
		case there && !bytes.Equal(content, now) && !k.changes.MatchString(part) &&
			!(o.also != "" && regexp.MustCompile(o.also).MatchString(part)):
			t.harmed = append(t.harmed, name+": "+part+" has other bytes")
		}
	}
	t.done++
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, name), out.Bytes(), 0o644)
}

func parts(data []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		all[f.Name], err = io.ReadAll(r)
		if r.Close(); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return all, nil
}

// kind is one of files.
type kind struct {
	endings []string
	// first names a sheet, or is a text, of a file.
	first func(data []byte) (string, error)
	edit  func(data []byte, to io.Writer, ops string) error
	// changes and goes are the parts that any operation may change and take away.
	changes, goes *regexp.Regexp
	operations    []operation
}

func picture(string) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30)))
	return b.Bytes(), err
}

// edited applies operations of one kind.
func edited[Op, Report any](ops string, edit func([]Op) (*Report, error)) error {
	var all []Op
	if err := json.Unmarshal([]byte(ops), &all); err != nil {
		return err
	}
	_, err := edit(all)
	return err
}

func kinds() []kind {
	return []kind{
		{
			endings: []string{".xlsx", ".xlsm"}, operations: workbooks(),
			changes: regexp.MustCompile(`\[Content_Types\]\.xml$|\.rels$|^xl/workbook\.xml$|^xl/styles\.xml$|^xl/worksheets/[^/]*\.xml$`),
			goes:    regexp.MustCompile(`calcChain`),
			first: func(data []byte) (string, error) {
				b, err := sheet.Open(bytes.NewReader(data), int64(len(data)))
				if err != nil {
					return "", err
				}
				_, about, err := b.Find("")
				return about.Name, err
			},
			edit: func(data []byte, to io.Writer, ops string) error {
				return edited(ops, func(all []sheet.Operation) (*sheet.Report, error) {
					return sheet.Edit(bytes.NewReader(data), int64(len(data)), to, all, sheet.Options{Picture: picture})
				})
			},
		},
		{
			endings: []string{".docx", ".docm"}, operations: documents(),
			changes: regexp.MustCompile(`\[Content_Types\]\.xml$|\.rels$|^word/document[^/]*\.xml$|^word/(styles|numbering)\.xml$`),
			goes:    regexp.MustCompile(`^$`),
			first: func(data []byte) (string, error) {
				d, err := docx.Open(bytes.NewReader(data), int64(len(data)))
				if err != nil {
					return "", err
				}
				all, err := d.Paragraphs()
				for _, p := range all {
					if words := strings.Fields(p.Text); p.Body && len(words) > 0 && err == nil {
						return words[0], nil
					}
				}
				return "no text", err
			},
			edit: func(data []byte, to io.Writer, ops string) error {
				return edited(ops, func(all []docx.Operation) (*docx.Report, error) {
					return docx.Edit(bytes.NewReader(data), int64(len(data)), to, all, docx.Options{Picture: picture})
				})
			},
		},
		{
			endings: []string{".pptx", ".pptm"}, operations: presentations(),
			changes: regexp.MustCompile(`\[Content_Types\]\.xml$|\.rels$|^ppt/presentation\.xml$`), goes: regexp.MustCompile(`^$`),
			first: func(data []byte) (string, error) {
				_, err := pptx.Open(bytes.NewReader(data), int64(len(data)))
				return "", err
			},
			edit: func(data []byte, to io.Writer, ops string) error {
				return edited(ops, func(all []pptx.Operation) (*pptx.Report, error) {
					return pptx.Edit(bytes.NewReader(data), int64(len(data)), to, all, pptx.Options{Picture: picture})
				})
			},
		},
	}
}
